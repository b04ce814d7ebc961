"""What our WebSockets do beyond the contract, or by a clock of their own."""

import asyncio
import struct

import pytest
from websockets.frames import Opcode

from server.rooms import websocket
from server.rooms.transport import Transport
from tests.server.inn import LOOPS, Inn, Run, heard, piece, request, runner
from tests.server.rooming import time_at_will


@pytest.fixture(params=LOOPS)
def run(request: pytest.FixtureRequest) -> Run:
    """Run what a test does with our listener, on each loop."""
    return runner("ours", request.param)


@pytest.fixture
def timed() -> Run:
    """Run what a test does on the loop whose time can be set."""
    return runner("ours", "asyncio")


async def by_hand(inn: Inn) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Open a WebSocket that answers nothing by itself."""
    reader, writer = await asyncio.open_connection("127.0.0.1", inn.port)
    writer.write(request())
    await reader.readuntil(b"\r\n\r\n")
    return reader, writer


def test_delay_is_measured(timed: Run) -> None:
    """
    From a ping to its own answer; an answer to nothing, or of an older ping, is passed over.
    """

    async def body(inn: Inn) -> None:
        lags: list[int | None] = []
        heard_one = asyncio.Event()

        async def serve(transport: Transport) -> None:
            def take(_: bytes | str) -> None:
                lags.append(transport.lag_ms())
                heard_one.set()

            await transport.receive(take)

        async with time_at_will() as clock:
            served = inn.serves(serve)
            reader, writer = await by_hand(inn)
            for delay_ms in (30, 47):
                clock.advance(1_000 * websocket.KEEPALIVE_S)
                assert await reader.readexactly(2) == bytes((0x89, 4))
                ping = await reader.readexactly(4)
                clock.advance(delay_ms)
                writer.write(piece(Opcode.PONG, b"") + piece(Opcode.PONG, b"none") + piece(Opcode.TEXT, b"now"))
                writer.write(piece(Opcode.PONG, ping) + piece(Opcode.TEXT, b"now"))
                while lags[-1:] != [delay_ms]:
                    await heard_one.wait()
                    heard_one.clear()
            writer.close()
            await served
        assert lags == [None, 30, 30, 47]

    timed(body)


def test_who_does_not_answer_a_ping_is_closed(timed: Run) -> None:
    """
    By the time of the next ping, with a code to come back after.
    """

    async def body(inn: Inn) -> None:
        async def serve(transport: Transport) -> None:
            assert await heard(transport) == []

        async with time_at_will() as clock:
            served = inn.serves(serve)
            reader, writer = await by_hand(inn)
            clock.advance(1_000 * websocket.KEEPALIVE_S)
            await reader.readexactly(6)
            clock.advance(1_000 * websocket.KEEPALIVE_S)
            goodbye = await reader.read()
            assert goodbye[:4] == bytes((0x88, 2 + len("keepalive ping timeout"))) + struct.pack("!H", 1011)
            writer.close()
            await served

    timed(body)


def test_answer_says_what_was_asked(run: Run) -> None:
    """
    Whatever is asked behind it on the same connection gets no second answer.
    """

    async def body(inn: Inn) -> None:
        answer = await inn.talk(request("/page") + request("/other"))
        assert answer.endswith(b"\r\n\r\n/page")
        assert (await inn.talk(b"BREW / HTTP/1.1\r\nContent-Length: 3\r\n\r\n")).endswith(b"\r\n\r\nBREW")

    run(body)


def test_messages_may_come_right_behind_the_request(run: Run) -> None:
    """
    Sent with it, or while its answer is made: they are heard once the WebSocket is open.
    """

    async def body(inn: Inn) -> None:
        asyncio.get_running_loop().call_later(0.1, inn.answers.set)
        for path in ("/ws", "/slow"):
            got, served = inn.hears()
            early, late = piece(Opcode.TEXT, b"early"), piece(Opcode.TEXT, b"late")
            goodbye = piece(Opcode.CLOSE, struct.pack("!H", 1000))
            answer = await inn.talk(request(path) + early[:4], early[4:] + late, goodbye)
            assert answer.startswith(b"HTTP/1.1 101 ")
            assert await served == path
            assert got == ["early", "late"]

    run(body)
