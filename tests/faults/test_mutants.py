"""Those who send whatever they like: frames that were messages once."""

import asyncio
import json
import logging
import resource
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
import uvloop
from msgspec import Struct
from websockets.typing import Subprotocol

from server.app import Server
from server.config import Limits
from server.rooms.listener import Handshake
from shared.protocol.closing import CloseCode
from shared.protocol.codec import JsonCodec
from shared.protocol.messages import Done, Hello, Ready
from tests import vectors
from tests.faults.frames import BINARY, TEXT, close_code, framed, mutant_frame, say, upgrade
from tests.faults.mortal import connection
from tests.faults.test_storms import GROWTH, LINUX, MSGPACK, sized, stormed
from tests.faults.undisturbed import play_through
from tests.patience import GUARD_S
from tests.server.serving import serving
from tests.server.visiting import Visitor

pytestmark = [pytest.mark.long, LINUX]

JSON = JsonCodec.subprotocol
SEEDS = {
    MSGPACK: [bytes.fromhex(row["msgpack"]) for row in vectors.rows("messages.jsonl")],
    JSON: [json.dumps(row["message"], ensure_ascii=False).encode() for row in vectors.rows("messages.jsonl")],
}
OPCODES = {MSGPACK: BINARY, JSON: TEXT}
GREETED = 0.1
"""So many say hello before."""

AT_ONCE = 16

ENDS = {None, 1002, 1007, 1009, CloseCode.BAD_MESSAGE, CloseCode.NO_HELLO}
"""What mutants come to, most of them: nothing, or a goodbye; a few, to what else a hello may come to."""


class Attack(Struct, frozen=True):
    """What one connection sends."""

    path: str
    subprotocol: str
    parts: Sequence[bytes]
    """Each once the one before is answered; the last is the mutant."""


def attack(hello: Hello, chance: Random) -> Attack:
    """Return what is sent to the lobby or to the room, in one of the encodings, perhaps behind a hello."""
    path, subprotocol = chance.choice(("/ws", "/ws", "/ws", "/ws/BOTS")), chance.choice((MSGPACK, JSON))
    greeting = [framed(hello, subprotocol)] if chance.random() < GREETED else []
    return Attack(path, subprotocol, [*greeting, mutant_frame(SEEDS[subprotocol], OPCODES[subprotocol], chance)])


async def known(url: str, name: str) -> Hello:
    """Make a player; return how they come back."""
    async with Visitor(url, Hello(name=name, opens=True), MSGPACK) as made:
        return Hello(token=made.token)


@sized(600, 20_000)
async def test_mutants_of_messages_do_no_harm(database: Path, many: int) -> None:
    """
    Frames that were messages once, each over a connection of its own, to the lobby and to the room, with and without a
    hello before: nothing goes wrong in the server and nothing of them stays, and two race on.
    """
    # No other room is made: what a mutant may rightly do would look like growth.
    async with stormed(database, "--limit-rooms", "1") as (server, players):
        chance, left = Random(many), iter(range(many))
        hellos = [await known(server.url, f"Eve {number}") for number in range(AT_ONCE)]

        async def send(hello: Hello) -> None:
            for _ in left:
                sent = attack(hello, chance)
                request = upgrade(server.port, sent.path, sent.subprotocol)
                answer = await say(server.port, request, *sent.parts, ends=True)
                assert answer.startswith(b"HTTP/1.1 101 ")

        async def send_all() -> None:
            await asyncio.gather(*map(send, hellos))

        await play_through(players, send_all())


class Wire(asyncio.Transport):
    """The server's end of a connection without a system between: what is sent is there at once."""

    def __init__(self, protocol: asyncio.Protocol) -> None:
        super().__init__({"peername": ("127.0.0.1", 1)})
        self.answer = bytearray()
        self.lost = asyncio.Event()
        self._protocol = protocol
        self._answered = asyncio.Event()
        self._closing = self._paused = self._ends = False

    # What the server calls

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        assert isinstance(protocol, asyncio.Protocol)
        self._protocol = protocol

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.answer += data
        self._answered.set()

    def write_eof(self) -> None:
        self.close()

    def get_write_buffer_size(self) -> int:
        return 0

    def is_closing(self) -> bool:
        return self._closing

    def close(self) -> None:
        if not self._closing:
            self._closing = True
            self._answered.set()
            asyncio.get_running_loop().call_soon(self._lose)

    abort = close

    def pause_reading(self) -> None:
        self._paused = True

    def resume_reading(self) -> None:
        self._paused = False
        self._go_on()

    # What the client does

    async def say(self, *parts: bytes) -> None:
        """Send each part once the one before is answered, and no more; return when the connection is gone."""
        for part in parts[:-1]:
            self._protocol.data_received(part)
            await self._answered.wait()
        if not self._closing:
            self._protocol.data_received(parts[-1])
        self._ends = True
        self._go_on()
        await self.lost.wait()

    def _go_on(self) -> None:
        if self._ends and not self._paused:
            asyncio.get_running_loop().call_soon(self._end)

    def _end(self) -> None:
        if not self._closing:
            self._protocol.eof_received()
            self.close()

    def _lose(self) -> None:
        self._protocol.connection_lost(None)
        self.lost.set()


def wired(server: Server, sent: Attack) -> Wire:
    """Return a WebSocket of *server*, its request heard and answered already."""
    handshake = Handshake(server._listener)
    wire = Wire(handshake)
    handshake.connection_made(wire)
    handshake._protocol.subprotocol = Subprotocol(sent.subprotocol)
    handshake._open(sent.path)
    return wire


@sized(1_000, 1_000_000)
def test_mutants_that_come_without_sockets_do_no_harm(
    database: Path, caplog: pytest.LogCaptureFixture, many: int
) -> None:
    """
    The same, from where the system would hand over their bytes: each frame is read by a WebSocket, and a session, of
    its own. It comes to one of the ends that there are; nothing goes wrong in the server, nothing stays, and who is in
    the room plays on.
    """
    broken, ends, before = list[object](), Counter[int | None](), 0

    async def storm() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: broken.append(context))
        async with serving(database, Limits(rooms=1)) as server:
            url = f"ws://127.0.0.1:{server.port}/ws/BOTS"
            chance, left = Random(many), iter(range(many))

            async def send(hello: Hello) -> None:
                nonlocal before
                for number in left:
                    if number == many // 10:
                        before = resident()
                    sent = attack(hello, chance)
                    wire = wired(server, sent)
                    await wire.say(*sent.parts)
                    ends[close_code(b"\r\n\r\n" + wire.answer)] += 1

            async with connection(url, Hello(name="Anna", client="page", opens=True), chance, MSGPACK) as anna:
                hellos = [await known(url, f"Eve {number}") for number in range(AT_ONCE)]
                await asyncio.gather(*map(send, hellos))
                assert isinstance(await anna.ask(Ready(ready=True)), Done)
                await alone(server)
        assert resident() < before + GROWTH

    uvloop.run(storm())
    assert broken == []
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []
    assert ENDS <= set(ends) <= ENDS | {*CloseCode}
    assert ends.total() == many


async def alone(server: Server) -> None:
    """Wait until one connection is left, and what serves it: whoever is gone may still have something written."""
    listener = server._listener
    async with asyncio.timeout(GUARD_S):
        while len(listener._here) > 1 or len(listener._tasks) > 1:
            listener._less.clear()
            await listener._less.wait()
    assert len(listener._here) == len(listener._tasks) == 1


def resident() -> int:
    """Return how many bytes of memory this process has."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * resource.getpagesize()
