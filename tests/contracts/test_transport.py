"""What sessions, and clients at the other end, find of a connection: ours and that of `websockets.serve`, alike.

On real sockets, and on both loops that a server may run on.
"""

import asyncio
import struct
from itertools import product
from socket import SO_LINGER, SO_SNDBUF, SOL_SOCKET

import pytest
from websockets.exceptions import InvalidStatus
from websockets.frames import Frame, Opcode

from server.config import Limits
from server.rooms.frames import framed
from server.rooms.transport import Transport
from tests.server.inn import KINDS, LIMITS, LOOPS, Inn, Run, heard, piece, request, runner, send_raw
from tests.server.visiting import closing


@pytest.fixture(params=product(KINDS, LOOPS), ids="-".join)
def run(request: pytest.FixtureRequest) -> Run:
    """Run what a test does with a listener of each kind, on each loop."""
    return runner(*request.param)


# Messages


def test_messages_of_both_kinds_come_and_go_in_order(run: Run) -> None:
    """
    Text as text and bytes as bytes, short, long and empty ones, several with one write in either direction.
    """
    said: list[bytes | str] = ["one", b"two", "drei 🂡", "", b"", b"x" * 125, b"y" * 126, "z" * 900]

    async def body(inn: Inn) -> None:
        got: list[bytes | str] = []

        async def serve(transport: Transport) -> None:
            transport.send([framed(message) for message in (*said, b"w" * 70_000)])
            got.extend(await heard(transport))

        served = inn.serves(serve)
        async with inn.client() as client:
            assert [await client.recv() for _ in range(9)] == [*said, b"w" * 70_000]
            await send_raw(
                client,
                *(
                    piece(Opcode.TEXT, message.encode()) if isinstance(message, str) else piece(Opcode.BINARY, message)
                    for message in said
                ),
            )
        assert await served == "/ws"
        assert got == said

    run(body)


def test_messages_cut_anywhere_are_whole_again(run: Run) -> None:
    """
    However the network cuts what is sent: byte by byte there are the same messages.
    """

    async def body(inn: Inn) -> None:
        got, served = inn.hears()
        async with inn.client() as client:
            stream = piece(Opcode.BINARY, b"abc") + piece(Opcode.TEXT, b"d" * 200) + piece(Opcode.BINARY, b"")
            for place in range(len(stream)):
                client.transport.write(stream[place : place + 1])
                await asyncio.sleep(0.0005)
            await client.send("end")
        await served
        assert got == [b"abc", "d" * 200, b"", "end"]

    run(body)


def test_messages_in_pieces_are_joined(run: Run) -> None:
    """
    Whatever their number, also where pings come between them; a letter may be cut in two.
    """

    async def body(inn: Inn) -> None:
        got, served = inn.hears()
        async with inn.client() as client:
            heart = "♥".encode()
            await send_raw(
                client,
                piece(Opcode.TEXT, heart[:1], fin=False),
                piece(Opcode.PING, b"!"),
                piece(Opcode.CONT, b"", fin=False),
                piece(Opcode.CONT, heart[1:]),
                piece(Opcode.BINARY, b"", fin=False),
                piece(Opcode.CONT, b"late"),
                piece(Opcode.BINARY, b"whole"),
            )
        await served
        assert got == ["♥", b"late", b"whole"]

    run(body)


def test_what_is_taken_ends_a_reception_and_the_rest_waits(run: Run) -> None:
    """
    Nothing is handed on between two receptions, however much has come; what `take` raises is raised there.
    """

    async def body(inn: Inn) -> None:
        async def serve(transport: Transport) -> None:
            assert await transport.receive(lambda message: message) == "first"
            await asyncio.sleep(0.05)
            assert await transport.receive(lambda message: message if message != "second" else None) == "third"
            with pytest.raises(ZeroDivisionError):
                await transport.receive(lambda _: 1 // 0)
            await asyncio.sleep(0.05)
            assert await heard(transport) == ["fifth"]

        served = inn.serves(serve)
        async with inn.client() as client:
            for word in ("first", "second", "third", "fourth", "fifth"):
                await client.send(word)
            await asyncio.sleep(0.2)
        await served

    run(body)


def test_reception_that_is_given_up_loses_nothing(run: Run) -> None:
    """
    What comes after a time limit is there for whoever takes next.
    """

    async def body(inn: Inn) -> None:
        gone = asyncio.Event()

        async def serve(transport: Transport) -> None:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.01):
                    await transport.receive(lambda message: message)
            gone.set()
            assert await heard(transport) == ["later"]

        served = inn.serves(serve)
        async with inn.client() as client:
            await gone.wait()
            await client.send("later")
        await served

    run(body)


def test_nothing_is_read_that_nobody_takes(run: Run) -> None:
    """
    Reading stops, so that a client that sends and sends has to wait in the end.
    """

    async def body(inn: Inn) -> None:
        full, got = asyncio.Event(), list[bytes | str]()

        async def serve(transport: Transport) -> None:
            await full.wait()
            got.extend(await heard(transport))

        served = inn.serves(serve)
        async with inn.client() as client:
            sent, most = 0, 100_000
            while sent < most and client.transport.get_write_buffer_size() < 100_000:
                client.transport.write(piece(Opcode.BINARY, b"x" * 1_000))
                sent += 1
                await asyncio.sleep(0)
            assert sent < most
            full.set()
            await client.send("end")
        await served
        assert (len(got), got[-1]) == (sent + 1, "end")

    run(body)


# Ends


def test_close_code_and_reason_arrive(run: Run) -> None:
    """
    At once, although the handler returns; what either side says afterwards is dropped without a word.
    """

    async def body(inn: Inn) -> None:
        async def serve(transport: Transport) -> None:
            transport.send([framed("before")])
            transport.close(4409, "TAKEN_OVER")
            transport.close(4400, "too late")
            transport.send([framed("after")])
            assert await heard(transport) == []

        served = inn.serves(serve)
        async with inn.client() as client:
            await send_raw(client, piece(Opcode.TEXT, b"not heard"))
            assert await client.recv() == "before"
            assert await closing(client.recv) == (4409, "TAKEN_OVER")
        await served

    run(body)


def test_goodbye_is_said_to_whoever_is_left(run: Run) -> None:
    """
    Where the handler returns without a word the connection closes as is usual; a client's own code is answered.
    """

    async def body(inn: Inn) -> None:
        async def leave(transport: Transport) -> None:
            assert transport.waiting() == 0

        served = inn.serves(leave)
        async with inn.client() as client:
            assert await closing(client.recv) == (1000, "")
        await served

        async def stay(transport: Transport) -> None:
            assert await heard(transport) == []

        served = inn.serves(stay)
        client = await inn.client()
        await client.close(4000, "enough")
        await served
        assert client.close_code == 4000

    run(body)


def test_goodbye_that_is_not_answered_has_its_time(run: Run) -> None:
    """
    A client that goes on as if nothing were is cut.
    """

    async def body(inn: Inn) -> None:
        async def serve(transport: Transport) -> None:
            transport.close(4400, "out")
            assert await heard(transport) == []

        served = inn.serves(serve)
        head = (await opened(inn)).partition(b"\r\n\r\n")[0]
        assert head.startswith(b"HTTP/1.1 101 ")
        await served

    run(body, Limits(handshake_ms=500))


async def opened(inn: Inn) -> bytes:
    """Open a WebSocket by hand, answer nothing, and return all that comes until it is cut."""
    reader, writer = await asyncio.open_connection("127.0.0.1", inn.port)
    writer.write(request())
    try:
        return await read_all(reader)
    finally:
        writer.close()


async def read_all(reader: asyncio.StreamReader) -> bytes:
    """Return what comes until the connection is closed or cut; its first half may be closed before."""
    got = b""
    try:
        while part := await reader.read(1_000):
            got += part
        await asyncio.sleep(0)
    except ConnectionError:
        pass
    return got


def test_connection_that_is_lost_ends_the_reception(run: Run) -> None:
    """
    A client that vanishes is no error: nothing more comes, and what is sent is dropped.
    """

    async def body(inn: Inn) -> None:
        async def serve(transport: Transport) -> None:
            assert await heard(transport) == []
            transport.send([framed("nobody hears this")])
            transport.close(4400, "nor this")
            transport.cut()
            assert transport.waiting() >= 0
            assert await heard(transport) == []

        served = inn.serves(serve)
        client = await inn.client()
        client.transport.abort()
        await served

    run(body)


def test_receiver_that_does_not_read_is_cut(run: Run, caplog: pytest.LogCaptureFixture) -> None:
    """
    What it leaves unread is counted; once it is cut, sending, counting and closing do no harm and make no noise.
    """

    async def body(inn: Inn) -> None:
        inn.listener.sockets[0].setsockopt(SOL_SOCKET, SO_SNDBUF, 4_096)
        cut = asyncio.Event()

        async def serve(transport: Transport) -> None:
            assert transport.waiting() == 0
            while transport.waiting() < 100_000:
                transport.send([framed(b"x" * 10_000)])
            transport.cut()
            for _ in range(10):
                transport.send([framed("more"), framed(b"more")])
            for _ in range(3):
                transport.close(4400, "gone")
                transport.cut()
                assert transport.waiting() >= 0
                await asyncio.sleep(0)
            cut.set()
            assert await heard(transport) == []

        served = inn.serves(serve)
        client = await inn.client()
        client.transport.pause_reading()
        await cut.wait()
        client.transport.resume_reading()
        assert (await closing(client.recv))[0] == 1006
        await served

    run(body)
    assert not [record for record in caplog.records if record.name == "asyncio"]


def test_stop_closes_everyone_with_its_code(run: Run) -> None:
    """
    Whoever is in is told why, whoever comes is not let in, and it is over when all are gone.
    """

    async def body(inn: Inn) -> None:
        async def serve(transport: Transport) -> None:
            assert await heard(transport) == []

        served, port = inn.serves(serve), inn.port
        async with inn.client() as client:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(request("/slow"))
            await inn.asked.wait()
            inn.listener.close(1012, "back soon")
            assert await closing(client.recv) == (1012, "back soon")
            inn.answers.set()
            assert (await reader.read()).startswith(b"HTTP/1.1 503 ")
            writer.close()
        await served
        await inn.listener.wait_closed()
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", port)

    run(body)


# What breaks the protocol


BREACHES = {
    "bare": (1002, Frame(Opcode.BINARY, b"bare").serialize(mask=False)),
    "bare and empty": (1002, Frame(Opcode.TEXT, b"").serialize(mask=False)),
    "no opcode": (1002, bytes((0x83, 0x80, 0, 0, 0, 0))),
    "reserved bit": (1002, bytes((0xC2, 0x81, 0, 0, 0, 0, 7))),
    "ping in pieces": (1002, bytes((0x09, 0x80, 0, 0, 0, 0))),
    "piece of nothing": (1002, piece(Opcode.CONT, b"of nothing")),
    "message in another": (1002, piece(Opcode.BINARY, b"a", fin=False) + piece(Opcode.BINARY, b"b")),
    "goodbye in a message": (1002, piece(Opcode.BINARY, b"a", fin=False) + piece(Opcode.CLOSE, b"\x03\xe8")),
    "code that nobody may send": (1002, piece(Opcode.CLOSE, b"\x03\xed")),
    "half a code": (1002, piece(Opcode.CLOSE, b"\x03")),
    "no text": (1007, piece(Opcode.TEXT, b"\xff")),
    "no text, in pieces": (1007, piece(Opcode.TEXT, b"\xe2", fin=False) + piece(Opcode.CONT, b"\x99")),
    "no text, and long": (1007, piece(Opcode.TEXT, b"\xff" * 200)),
    "too long": (1009, piece(Opcode.BINARY, b"x" * 1_001)),
    "endless": (1009, bytes((0x82, 0xFF)) + (2**62).to_bytes(8, "big")),
    "too long together": (1009, piece(Opcode.TEXT, b"x" * 600, fin=False) + piece(Opcode.CONT, b"x" * 600)),
    "a client's own code": (4001, piece(Opcode.CLOSE, struct.pack("!H", 4001) + b"mine")),
}


@pytest.mark.parametrize(("code", "breach"), BREACHES.values(), ids=BREACHES)
def test_what_breaks_the_protocol_closes_with_its_code(run: Run, code: int, breach: bytes) -> None:
    """
    The message before it is heard, none behind it.
    """

    async def body(inn: Inn) -> None:
        got, served = inn.hears()
        async with inn.client() as client:
            await send_raw(client, piece(Opcode.TEXT, b"good"), breach, piece(Opcode.TEXT, b"more"))
            assert (await closing(client.recv))[0] == code
        await served
        assert got == ["good"]

    run(body)


def test_longest_message_is_taken(run: Run) -> None:
    """
    The limit is that of the message, in one piece or in several.
    """

    async def body(inn: Inn) -> None:
        got, served = inn.hears()
        async with inn.client() as client:
            await client.send(b"x" * LIMITS.message)
            await client.send([b"y" * 400, b"y" * 600])
        await served
        assert got == [b"x" * 1_000, b"y" * 1_000]

    run(body)


def test_floods_are_cut(run: Run) -> None:
    """
    Frames of whatever kind, twice five seconds' worth of messages: what comes behind that in the same write is not
    looked at.
    """

    async def body(inn: Inn) -> None:
        got, served = inn.hears()
        async with inn.client() as client:
            await send_raw(client, *([piece(Opcode.PING, b""), piece(Opcode.BINARY, b"x")] * 500))
            assert (await closing(client.recv))[0] == 1006
        await served
        assert len(got) == 10

    run(body, Limits(messages_per_s=2))


# Pings


def test_pings_are_answered(run: Run) -> None:
    """
    With what was in them, also between messages that nobody takes any more.
    """

    async def body(inn: Inn) -> None:
        async def serve(transport: Transport) -> None:
            assert await heard(transport) == []

        served = inn.serves(serve)
        async with inn.client() as client:
            for data in (b"", b"abcd", b"x" * 125):
                await (await client.ping(data))
        await served

    run(body)


# Requests


def test_handshake_agrees_on_a_subprotocol_and_nothing_else(run: Run) -> None:
    """
    The first of ours that the client knows; compression is not taken up; without one of ours there is no WebSocket.
    """

    async def body(inn: Inn) -> None:
        async def serve(transport: Transport) -> None:
            assert transport.subprotocol == "two"  # type: ignore[attr-defined]  # both have it

        served = inn.serves(serve)
        async with inn.client(subprotocols=("one", "two", "three")) as client:
            assert client.subprotocol == "two"
            assert client.protocol.extensions == []
            await served
        for names in ((), ("three",)):
            with pytest.raises(InvalidStatus) as refused:
                await inn.client(subprotocols=names)
            assert refused.value.response.status_code == 400

    run(body)


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        (request("/page"), b"200"),
        (request("/broken"), b"500"),
        (request("/ws", Upgrade="chat"), b"426"),
        (request("/ws", Sec_WebSocket_Version="12"), b"400"),
        (request("/ws", Sec_WebSocket_Key="short"), b"400"),
        (request("/ws", method="POST"), b"405"),
        (request("/page", Content_Length="3"), b"405"),
        (b"\x16\x03\x01\x02\x00\r\n", b"405"),
        (b"GET /" + b"x" * 9_000 + b" HTTP/1.1\r\n\r\n", b"414"),
        (request("/page", X="y" * 9_000), b"431"),
    ],
    ids=lambda each: str(each[:24]),
)
def test_requests_are_answered_on_the_same_port(run: Run, asked: bytes, status: bytes) -> None:
    """
    In one part or in two, and the connection is closed behind the answer.
    """

    async def body(inn: Inn) -> None:
        for parts in ((asked,), (asked[:-2], asked[-2:])):
            answer = await inn.talk(*parts)
            assert answer.startswith(b"HTTP/1.1 " + status), answer

    run(body)


def test_request_has_its_time(run: Run) -> None:
    """
    One that trickles in is cut, and so is whoever says nothing, or does not read the answer.
    """

    async def body(inn: Inn) -> None:
        assert await inn.talk(request()[:40]) == b""
        assert await inn.talk() == b""

    run(body, Limits(handshake_ms=100))


def test_client_that_is_gone_before_the_answer_harms_nobody(run: Run, caplog: pytest.LogCaptureFixture) -> None:
    """
    Cut in the middle of a request, or while its answer is made.
    """

    async def body(inn: Inn) -> None:
        for asked in (b"", request()[:40], request("/slow")):
            _, writer = await asyncio.open_connection("127.0.0.1", inn.port)
            writer.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
            writer.write(asked)
            await asyncio.sleep(0.02)
            if asked == request("/slow"):
                await inn.asked.wait()
            writer.transport.abort()
        await inn.emptied()
        inn.answers.set()
        assert (await inn.talk(request("/page"))).startswith(b"HTTP/1.1 200 ")

    run(body)
    assert not [record for record in caplog.records if record.levelname in ("ERROR", "CRITICAL")]
