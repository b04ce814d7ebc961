"""Many at once: who come back, who only knock, who are slow, who read nothing, who send all they may."""

import asyncio
import logging
import sys
import zlib
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from itertools import product
from pathlib import Path
from random import Random

import pytest

from client.connection import Connection
from server.config import Limits
from shared.phase import Phase
from shared.protocol.codec import JsonCodec, MsgpackCodec
from shared.protocol.messages import Hello, Play, Played, Ready, Snapshot
from shared.protocol.values import Options
from tests.faults.frames import BINARY, RSV1, TEXT, close_code, fragments, frame, framed, say, upgrade
from tests.faults.mortal import Brisk, Mortal, connection
from tests.faults.undisturbed import ELSEWHERE, Pair, check_logged, play_on, play_through, racing
from tests.server.racing import SHUTTLE
from tests.server.rooms.test_limits import narrow, shorten_sending
from tests.server.visiting import serving

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="its loopback has one address, or it tells less of itself")

pytestmark = [pytest.mark.long, LINUX]

MSGPACK, JSON = MsgpackCodec.subprotocol, JsonCodec.subprotocol
LIMITS = Limits()
SEATS = 8
AT_ONCE = 20
CALM_S = 60
"""So long everything may take to be as it was."""

GROWTH = 25_000_000
KEPT = {"process_open_fds": 20, "samedeal_tasks": 0}
"""So many more may be open than before: connections that read the database are kept once they are made."""

HOUR_MS = 3_600_000


def sized(short: int, long: int) -> pytest.MarkDecorator:
    """Run a test with so *many*, and in a soak with more."""
    return pytest.mark.parametrize("many", [short, pytest.param(long, marks=pytest.mark.soak)])


async def calm(server: Mortal, before: dict[str, float]) -> None:
    """See that as many files and tasks are open as *before*, soon; that memory is; and that nothing went wrong."""
    now = await server.measured(ELSEWHERE)
    with suppress(TimeoutError):
        async with asyncio.timeout(CALM_S):
            while any(now[name] > before[name] + more for name, more in KEPT.items()):
                await asyncio.sleep(0.1)
                now = await server.measured(ELSEWHERE)
    for name, more in KEPT.items():
        assert now[name] <= before[name] + more, name
    assert now["process_resident_memory_bytes"] < before["process_resident_memory_bytes"] + GROWTH
    assert "Traceback" not in server.log
    assert "ERROR" not in server.log


@asynccontextmanager
async def stormed(database: Path, *options: str) -> AsyncIterator[tuple[Mortal, Pair]]:
    """Lend a server on which two race from elsewhere; in the end it is as it was, and has each move of theirs once."""
    server = Brisk(database, *options)
    try:
        await server.start()
        async with racing(server, ELSEWHERE) as players:
            await play_on(players)
            before = await server.measured(ELSEWHERE)
            yield server, players
            await calm(server, before)
            await play_on(players)
        await server.stop()
    finally:
        await server.end()
    await check_logged(database, players)


# Who come back


@sized(80, 2_000)
async def test_everyone_comes_back_at_once(database: Path, many: int) -> None:
    """
    After a kill all clients connect again in the same instant: each is in its seat again, whether they raced or
    waited, and whoever raced plays on.
    """
    room_for_all = ("--limit-connections", str(many), "--limit-address-rooms", str(many))
    server, chance = Brisk(database, *room_for_all), Random(many)
    try:
        await server.start()
        async with AsyncExitStack() as clients:
            options = Options(code=SHUTTLE, limit_ms=HOUR_MS)
            hellos = [Hello(name=f"P {number}", client="page", opens=True, options=options) for number in range(many)]
            everyone = [
                connection(server.room(f"ROOM-{number // SEATS}"), hello, chance, (MSGPACK, JSON)[number % 2])
                for number, hello in enumerate(hellos)
            ]
            for start in range(0, many, AT_ONCE):  # who waits too long the first time does not come back
                await asyncio.gather(*map(clients.enter_async_context, everyone[start : start + AT_ONCE]))
            racers = [each for number, each in enumerate(everyone) if number // SEATS % 2]
            await asyncio.gather(*map(begin, racers))
            await asyncio.gather(*(each.until(lambda view: view.playing) for each in racers))
            seats = [(each.view.room, each.view.seat, each.view.phase) for each in everyone]
            await asyncio.gather(*map(move, racers))
            returning = asyncio.gather(*map(returned, everyone))
            await asyncio.sleep(0)  # all of them listen
            await server.kill()
            await server.start()
            async with asyncio.timeout(120):
                await returning
                await asyncio.gather(*map(move, racers))
            assert [(each.view.room, each.view.seat, each.view.phase) for each in everyone] == seats
            assert {each.view.ply for each in racers} == {2}
            assert all(seat.connected for each in everyone for seat in each.view.seats)
            await count(server, many)
        await server.stop()
    finally:
        await server.end()


async def count(server: Mortal, many: int) -> None:
    """Wait until there are just so many: of who gave up waiting and came once more the first is counted for a while."""
    async with asyncio.timeout(CALM_S):
        there = 0.0
        while there != many:
            await asyncio.sleep(0.1)
            there = (await server.measured())["samedeal_connections"]


async def begin(racer: Connection) -> None:
    """Be ready: the last one's word begins."""
    await racer.ask(Ready(ready=True))


async def move(racer: Connection) -> None:
    """Play the next move."""
    ply = racer.view.ply
    assert isinstance(await racer.ask(Play(ply=ply, move="20" if ply % 2 else "02")), Played)


async def returned(client: Connection) -> None:
    """Wait for the next snapshot, that of another connection, and until everyone else is there again."""
    async for event in client.events():
        if isinstance(event, Snapshot):
            break
    await client.until(lambda view: all(seat.connected for seat in view.seats))


# Who only knock


@sized(500, 10_000)
async def test_one_address_takes_no_more_than_its_share(database: Path, many: int) -> None:
    """
    Someone opens so many connections and says nothing: within the limit they are kept until their time is up, beyond
    twice of it they are cut at once, and at another address two race on.
    """
    share = many // 100
    async with stormed(database, "--limit-connections", str(share)) as (server, players):
        before = await server.measured(ELSEWHERE)
        most = 0.0

        async def knock() -> None:
            nonlocal most
            writers = list[asyncio.StreamWriter]()
            for _ in range(0, many, 100):
                lines = [asyncio.open_connection("127.0.0.1", server.port) for _ in range(100)]
                writers += [line[1] for line in await asyncio.gather(*lines)]
                most = max(most, (await server.measured(ELSEWHERE))["process_open_fds"])
            for writer in writers:
                writer.transport.abort()

        await play_through(players, knock())
        assert 10 * share < most - before["process_open_fds"] < 2 * 10 * share + 20


# Who are slow


@sized(40, 800)
async def test_slow_handshakes_and_hellos_end_with_their_time(database: Path, many: int) -> None:
    """
    A head, a hello, a frame that come byte by byte, or not at all: each connection is cut when its time is up, and
    meanwhile two race on.
    """
    async with stormed(database, "--limit-handshake-ms", "5000", "--limit-hello-ms", "5000") as (server, players):
        head = upgrade(server.port, "/ws", MSGPACK)
        kinds = ((b"", b""), (head[:200], b""), (head, b""), (head, frame(b"\x82", length=16_000)))

        async def trickle(number: int) -> None:
            """Send the rest of something byte by byte, or nothing, until the server ends it."""
            begun, behind = kinds[number % len(kinds)]
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(begun)
            if begun == head:
                await reader.readuntil(b"\r\n\r\n")
            writer.write(behind)
            ended = asyncio.create_task(reader.read(-1))
            while not ended.done():
                writer.write(b"a" if begun != head or behind else b"")
                await asyncio.wait([ended], timeout=0.5)
            with suppress(OSError):
                ended.result()
            writer.transport.abort()

        async def all_of_them() -> None:
            async with asyncio.timeout(CALM_S):
                await asyncio.gather(*map(trickle, range(many)))

        await play_through(players, all_of_them())


# Who read nothing


@sized(20, 100)
async def test_readers_that_stop_are_cut_one_and_all(
    database: Path, caplog: pytest.LogCaptureFixture, many: int
) -> None:
    """Spectators who read no more, all at the same time, are each cut at the limit, and two race on."""
    caplog.set_level(logging.INFO)
    async with (
        serving(database, Limits(send_buffer=4_096)) as here,
        here.visitor("Anna", options=Options(code=SHUTTLE, seats=2)) as anna,
        here.visitor("Bert") as bert,
    ):
        shorten_sending(here.server)
        slow = [here.visitor(f"Carl {number}") for number in range(many)]
        for each in slow:
            each.sock = narrow(here.server.port)
            await each.__aenter__()
        await here.begin(anna, bert)
        for each in slow:
            each.socket.transport.pause_reading()
        for _ in range(1_000):
            for player in (anna, bert):
                await player.play("20" if player.view.ply % 2 else "02")
            here.clock.advance(60)
            if caplog.text.count("cut a receiver") == many:
                break
        assert caplog.text.count("cut a receiver") == many
        for each in slow:
            each.socket.transport.abort()
        await anna.until(lambda view: not view.watchers)
        assert anna.view.phase == Phase.RUNNING


# Who send as much as they may, and more


async def heard(port: int, *frames: bytes, more: str = "", until: bytes = b"") -> bytes:
    """Return what the lobby says to one who says hello and then sends *frames*, until it closes or has said that."""
    return await say(
        port,
        upgrade(port, "/ws", MSGPACK, *filter(None, [more])),
        framed(Hello(name="Eve"), MSGPACK),
        b"".join(frames),
        until=until,
    )


def unknown(size: int) -> bytes:
    """Return a command of so many bytes that nobody knows, which is refused and no more."""
    head = b"\x81\xa4type\xda" + (size - 9).to_bytes(2, "big")
    return head + b"x" * (size - 9)


async def test_message_at_the_limit_is_read_and_one_byte_more_is_not(database: Path) -> None:
    """However many frames it comes in, it is the message's length that counts; many at once change nothing of that."""
    most = LIMITS.message
    async with stormed(database, "--limit-messages-per-s", "10000") as (server, players):

        async def send() -> None:
            for size in (1_000, most):
                message = fragments(unknown(most), size)
                await asyncio.gather(*(heard(server.port, message, until=b"UNKNOWN_COMMAND") for _ in range(10)))
            for size in (1, 1_000, most):  # very many frames are too many, whatever their length
                message = fragments(unknown(most + 1), size)
                answers = await asyncio.gather(*(heard(server.port, message) for _ in range(10)))
                assert {close_code(answer) for answer in answers} == {1009}
            for length in (most + 1, 2**31, 2**62):  # a frame that only says so ends the connection at its head
                answers = await asyncio.gather(*(heard(server.port, frame(b"x", length=length)) for _ in range(10)))
                assert {close_code(answer) for answer in answers} == {1009}

        await play_through(players, send())


OFFERS = (
    "",
    "Sec-WebSocket-Extensions: permessage-deflate",
    "Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=15; client_no_context_takeover",
    "Sec-WebSocket-Extensions: x-webkit-deflate-frame, deflate-stream, permessage-bzip2",
)


async def test_nothing_is_ever_unpacked(database: Path) -> None:
    """
    Compression that is offered is not taken: the answer names no extension, and a frame that says that it is
    compressed ends the connection unread, be it a bomb or not.
    """
    packer = zlib.compressobj(wbits=-15)
    bomb = packer.compress(bytes(10_000_000)) + packer.flush(zlib.Z_SYNC_FLUSH)
    assert len(bomb) < LIMITS.message
    async with stormed(database) as (server, players):

        async def send() -> None:
            for offer, opcode in product(OFFERS, (TEXT, BINARY)):
                answer = await heard(server.port, frame(bomb, opcode, rsv=RSV1), more=offer)
                head, _, _ = answer.partition(b"\r\n\r\n")
                assert head.startswith(b"HTTP/1.1 101 ")
                assert b"sec-websocket-extensions" not in head.lower()
                assert close_code(answer) == 1002

        await play_through(players, send())
