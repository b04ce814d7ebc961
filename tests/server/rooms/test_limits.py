"""Every limit of DESIGN.md section 11, met over real sockets."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from socket import AF_INET, SO_RCVBUF, SO_SNDBUF, SOCK_STREAM, SOL_SOCKET
from socket import socket as Socket  # noqa: N812  # what stands beside it is a WebSocket

import pytest
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import InvalidStatus
from websockets.http11 import Request

from server.app import Server
from server.config import Limits
from server.rooms.addresses import household, parse_address
from server.rooms.limits import NEAR_FACTOR, Paces, Tally
from server.rooms.pace import BURST_S
from shared.protocol.closing import CloseCode
from shared.protocol.messages import AnyEvent, Close, Configure, Create, Created, Done, Hello, Ready, Refused, Roster
from shared.protocol.values import Options
from tests.patience import GUARD_S
from tests.server.serving import ask, closing, hear, hello, say, serving, socket
from tests.server.visiting import serving as timed

FAR, OTHER = "203.0.113.9", "198.51.100.7"


def test_near_addresses_may_have_ten_times_as_much() -> None:
    """A house or a class shares one address."""
    tally = Tally(2)
    far, near = household(parse_address(FAR)), household(parse_address("192.168.1.7"))
    assert (tally.most(far), tally.most(near)) == (2, 20)


def test_what_nobody_has_open_is_forgotten() -> None:
    """A tally holds no more addresses than have something open."""
    tally = Tally(2)
    for number in range(100):
        whose = household(parse_address(f"203.0.113.{number}"))
        tally.enter(whose)
        tally.leave(whose)
    assert not tally._open


def test_pace_of_an_address_is_its_own() -> None:
    """One that asks too often takes nothing from another; near ones may ask ten times as often."""
    paces = Paces(1, burst_s=5)
    far, other, near = (household(parse_address(text)) for text in (FAR, OTHER, "::1"))
    assert [sum(paces.allows(each, 0) for _ in range(99)) for each in (far, other, near)] == [5, 5, 5 * NEAR_FACTOR]
    assert [paces.allows(far, at_ms) for at_ms in (999, 1_000, 1_000)] == [False, True, False]


def test_who_asks_no_more_is_forgotten() -> None:
    """There are no more paces than addresses that asked within the time that makes up for it."""
    paces = Paces(1, burst_s=5)
    for number in range(1_000):
        assert paces.allows(household(parse_address(f"10.0.{number // 250}.{number % 250}")), 100 * number)
    assert len(paces._paces) <= 3


async def test_message_that_is_too_long_closes(database: Path) -> None:
    """One byte more than the limit ends the connection with the code for it; the limit itself does not."""
    async with serving(database, Limits(message=512)) as server, socket(server) as connection:
        await hello(connection)
        await hear(connection)
        await connection.send(b"\x81\xa4type\xda" + (512 - 9).to_bytes(2, "big") + b"x" * (512 - 9))
        assert isinstance(await hear(connection), Refused)
        await connection.send(b"x" * 513)
        assert await closing(connection) == 1009


async def test_flood_of_messages_closes(database: Path) -> None:
    """Five seconds' worth may come at once; the next closes the connection."""
    async with (
        timed(database, Limits(messages_per_s=2)) as here,
        socket(here.server, "/ws/GUGU") as connection,
    ):
        await hello(connection, opens=True)
        for _ in range(12):
            await say(connection, Ready(ready=True))
        assert await closing(connection) == CloseCode.TOO_FAST


@pytest.mark.parametrize("says_hello", [True, False])
async def test_flood_of_pings_is_cut(database: Path, *, says_hello: bool) -> None:
    """Pings count as messages do, though no session hears of them: twice five seconds' worth, and it is over."""
    async with timed(database, Limits(messages_per_s=2)) as here, socket(here.server) as connection:
        if says_hello:
            await hello(connection)
        for _ in range(2 * 2 * BURST_S - says_hello):
            await (await connection.ping())
        await connection.ping()
        assert await closing(connection) == 1006
        assert (await ask(here.server, "/healthz")).status == 200


async def test_pongs_that_are_not_read_are_bounded(database: Path) -> None:
    """Whoever sends pings and never reads is cut when the pongs take up what a receiver may leave unread."""
    async with serving(database, Limits(send_buffer=4_096, messages_per_s=1_000_000)) as server:
        shorten_sending(server)
        async with socket(server, sock=narrow(server.port)) as slow:
            await hello(slow)
            slow.transport.pause_reading()
            async with asyncio.timeout(GUARD_S):
                while not slow.transport.is_closing():  # until the system tells that the other end is gone
                    slow.protocol.send_ping(b"x" * 125)
                    slow.transport.write(b"".join(slow.protocol.data_to_send()))
                    await asyncio.sleep(0)
            slow.transport.resume_reading()
            assert await closing(slow) == 1006


async def test_no_hello_in_time_closes(database: Path) -> None:
    """Whoever says nothing makes room for others."""
    async with serving(database, Limits(hello_ms=100)) as server, socket(server) as connection:
        assert await closing(connection) == CloseCode.NO_HELLO


async def test_request_that_does_not_end_is_cut(database: Path) -> None:
    """A request that trickles in ends with its time."""
    async with serving(database, Limits(handshake_ms=200)) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"GET /ws HTTP/1.1\r\nHost: ")
        async with asyncio.timeout(GUARD_S):
            with contextlib.suppress(ConnectionError):
                assert await reader.read() == b""
        writer.close()


async def test_full_inbox_refuses_at_once(database: Path) -> None:
    """A room that has more to do than it can says so to whoever asks next."""
    async with serving(database, Limits(inbox=1)) as server, socket(server, "/ws/GUGU") as connection:
        await hello(connection, opens=True)
        frames = [Ready(id=number, ready=True) for number in range(2, 30)]
        await asyncio.gather(*(say(connection, frame) for frame in frames))
        answers = {event.reason for event in [await hear(connection) for _ in range(28)] if isinstance(event, Refused)}
        assert answers == {"BUSY"}


async def test_receiver_that_does_not_read_is_cut(database: Path) -> None:
    """What waits for one receiver is bounded; the others in the room go on, and see that it is gone."""
    limits = Limits(send_buffer=4_096, messages_per_s=10_000)
    async with serving(database, limits) as server, socket(server, "/ws/GUGU") as host:
        shorten_sending(server)
        await hello(host, opens=True)
        async with socket(server, "/ws/GUGU", sock=narrow(server.port)) as slow:
            await hello(slow, name="Bert")
            slow.transport.pause_reading()
            rosters = [event async for event in answers(host, 2_000) if isinstance(event, Roster)]
            assert [seat.connected for seat in rosters[-1].seats] == [True, False]
            slow.transport.resume_reading()
            assert await closing(slow) == 1006


def shorten_sending(server: Server) -> None:
    """Have the system take little of what a connection is sent; what a listening socket has, its connections get."""
    for listening in server._listener.sockets:
        listening.setsockopt(SOL_SOCKET, SO_SNDBUF, 2_048)


def narrow(port: int) -> Socket:
    """Return a socket for which the system keeps little that is not read."""
    made = Socket(AF_INET, SOCK_STREAM)
    made.setsockopt(SOL_SOCKET, SO_RCVBUF, 2_048)
    made.connect(("127.0.0.1", port))
    made.setblocking(False)
    return made


async def answers(host: ClientConnection, most: int) -> AsyncIterator[AnyEvent]:
    """Change the room's options until someone is seen to go; yield all that the host hears."""
    for number in range(2, most):
        await say(host, Configure(id=number, options=Options(limit_ms=60_000 + number)))
        event = await hear(host)
        yield event
        while not isinstance(event, Done):
            event = await hear(host)
            yield event
            if isinstance(event, Roster) and not all(seat.connected for seat in event.seats):
                return


async def test_connections_of_an_address_are_counted_behind_a_proxy(database: Path) -> None:
    """The address that a trusted proxy names has its limit, another one has its own, and who leaves makes room."""
    async with serving(database, Limits(connections=1), trusted_proxy=("127.0.0.1",)) as server:
        async with socket(server, x_forwarded_for=FAR) as connection:
            await hello(connection)
            with pytest.raises(InvalidStatus) as refused:
                await socket(server, x_forwarded_for=f"{OTHER}, {FAR}")
            assert refused.value.response.status_code == 429
            assert (await ask(server, "/", x_forwarded_for=FAR)).status == 429
            assert (await ask(server, "/", x_forwarded_for=OTHER)).status == 200
        async with asyncio.timeout(GUARD_S):
            while (await ask(server, "/", x_forwarded_for=FAR)).status != 200:
                pass  # the server hears of the end when its turn comes


@pytest.mark.parametrize("forwarded", ["", "unknown", f"{FAR}, nonsense"])
async def test_nobody_named_by_a_proxy_has_little(database: Path, forwarded: str) -> None:
    """What a trusted proxy names nobody for counts for the proxy, without what an address near by may have more."""
    async with (
        serving(database, Limits(connections=1), trusted_proxy=("127.0.0.1",)) as server,
        socket(server, x_forwarded_for=forwarded) as connection,
    ):
        await hello(connection)
        assert (await ask(server, "/", x_forwarded_for=forwarded)).status == 429
        assert (await ask(server, "/")).status == 429
        assert (await ask(server, "/", x_forwarded_for=f"{FAR}:4711")).status == 200


async def test_a_stranger_names_no_address(database: Path) -> None:
    """Without a trusted proxy X-Forwarded-For is no way around the limit: 10 connections of this machine, 1 of each."""
    async with serving(database, Limits(connections=1)) as server, contextlib.AsyncExitStack() as opened:
        for _ in range(10):
            await opened.enter_async_context(socket(server, x_forwarded_for=FAR))
        reply = await ask(server, "/api/rooms", x_forwarded_for=OTHER)
        assert (reply.status, reply.json()) == (429, {"reason": "TOO_MANY_CONNECTIONS", "params": {"limit": 10}})
        assert reply.head["retry-after"]


async def test_requests_of_an_address_are_counted(database: Path) -> None:
    """Five seconds' worth; then 429 and when to come back. WebSockets and the page's files are not counted."""
    async with timed(database, Limits(requests=1), trusted_proxy=("127.0.0.1",)) as here:
        server = here.server
        statuses = [(await ask(server, path, x_forwarded_for=FAR)).status for path in ("/", "/api/rooms", "/no") * 2]
        assert statuses == [200, 200, 404, 200, 200, 429]
        refused = await ask(server, "/api/rooms", x_forwarded_for=FAR)
        assert (refused.status, refused.json()) == (429, {"reason": "TOO_MANY_REQUESTS", "params": {}})
        assert refused.head["retry-after"]
        assert (await ask(server, "/", x_forwarded_for=OTHER)).status == 200
        assert (await ask(server, "/main.js", x_forwarded_for=FAR)).status == 200
        async with socket(server, x_forwarded_for=FAR) as connection:
            await hello(connection)


async def test_deals_and_records_are_shown_less_often(database: Path) -> None:
    """What tells whether a deal is sealed is to be had a minute's worth at once; all else goes on."""
    async with timed(database, Limits(deal_requests=3), trusted_proxy=("127.0.0.1",)) as here:
        server = here.server
        paths = ("/api/deals/FC1-AAAAAAY", "/api/records/none", "/api/deals/none", "/api/deals/FC1-AAAAAAY")
        statuses = [(await ask(server, path, x_forwarded_for=FAR)).status for path in paths]
        assert statuses == [200, 404, 400, 429]
        assert (await ask(server, "/api/rooms", x_forwarded_for=FAR)).status == 200
        assert (await ask(server, paths[0], x_forwarded_for=OTHER)).status == 200


async def test_races_with_their_points_are_shown_less_often(database: Path) -> None:
    """Logs are played again a minute's worth at once, however that is asked for; results alone are not counted."""
    async with timed(database, Limits(deal_requests=2), trusted_proxy=("127.0.0.1",)) as here:
        server = here.server
        paths = ("/api/races/none", "/api/races/none?points=1", "/api/races/none?x=1&%70oints=1")
        statuses = [(await ask(server, path, x_forwarded_for=FAR)).status for path in (*paths, paths[1], paths[0])]
        assert statuses == [404, 404, 404, 429, 404]
        assert (await ask(server, "/api/records/none", x_forwarded_for=FAR)).status == 429
        assert (await ask(server, paths[1], x_forwarded_for=OTHER)).status == 404


async def test_deals_that_are_not_read_are_counted(database: Path) -> None:
    """As many answers as an address may leave unread; one that is read, or whose asker is gone, makes room."""
    limits = Limits(deal_answers=1)
    async with serving(database, limits, trusted_proxy=("127.0.0.1",)) as server:
        path = "/api/deals/FC1-AAAAAAY"
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: {FAR}\r\n\r\n".encode())
        assert await reader.readline() == b"HTTP/1.1 200 OK\r\n"
        assert (await ask(server, path, x_forwarded_for=FAR)).status == 429
        assert (await ask(server, "/api/rooms", x_forwarded_for=FAR)).status == 200
        assert (await ask(server, path, x_forwarded_for=OTHER)).status == 200
        writer.transport.abort()
        async with asyncio.timeout(GUARD_S):
            while (await ask(server, path, x_forwarded_for=FAR)).status != 200:
                pass  # the server hears of the end when its turn comes


async def test_far_too_many_connections_are_cut_unheard(database: Path) -> None:
    """Those that never ask anything are bounded as well."""
    async with serving(database, Limits(connections=1)) as server, contextlib.AsyncExitStack() as opened:
        for _ in range(20):
            _, writer = await asyncio.open_connection("127.0.0.1", server.port)
            opened.callback(writer.close)
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        opened.callback(writer.close)
        async with asyncio.timeout(GUARD_S):
            with contextlib.suppress(ConnectionError):
                assert await reader.read() == b""


async def test_who_is_gone_before_the_answer_is_no_mistake(database: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Connections that are lost while their request is looked at are nobody's any more, and nothing is wrong."""
    async with serving(database) as server:
        door = server._door
        admit = door.admit

        def lose(connection: asyncio.Transport, request: Request) -> None:
            door.leave(connection)
            admit(connection, request)

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(door, "admit", lose)
            for path in ("/healthz", "/ws", "/ws/ONE"):
                assert (await ask(server, path)).status == 400
        assert (await ask(server, "/healthz")).status == 200
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


async def test_rooms_of_an_address_are_counted(database: Path) -> None:
    """An address makes so many rooms, in the lobby and by name together; another address makes its own."""
    limits = Limits(address_rooms=2)
    async with (
        serving(database, limits, trusted_proxy=("127.0.0.1",)) as server,
        socket(server, x_forwarded_for=FAR) as lobby,
        socket(server, "/ws/ONE", x_forwarded_for=FAR) as first,
        socket(server, "/ws/TWO", x_forwarded_for=FAR) as second,
        socket(server, "/ws/TWO", x_forwarded_for=OTHER) as other,
    ):
        await hello(first, opens=True)
        await hello(lobby)
        await hear(lobby)
        await say(lobby, Create(id=2, nonce="a"))
        assert isinstance(await hear(lobby), Created)
        await say(lobby, Create(id=3, nonce="b"))
        refused = await hear(lobby)
        assert isinstance(refused, Refused)
        assert (refused.id, refused.reason, refused.params) == (3, "TOO_MANY_ROOMS", {"limit": 2})
        await say(second, Hello(name="Anna", opens=True))
        assert await closing(second) == CloseCode.TOO_MANY_ROOMS
        await hello(other, opens=True)


async def test_room_that_closes_makes_room_for_another(database: Path) -> None:
    """Who has made as many rooms as allowed makes the next one when one of them is gone."""
    async with (
        serving(database, Limits(address_rooms=1), trusted_proxy=("127.0.0.1",)) as server,
        socket(server, "/ws/ONE", x_forwarded_for=FAR) as first,
        socket(server, x_forwarded_for=FAR) as lobby,
    ):
        await hello(first, opens=True)
        await hello(lobby)
        await hear(lobby)
        await say(first, Close(id=2))
        assert await closing(first) == CloseCode.ROOM_CLOSED
        async with asyncio.timeout(GUARD_S):
            answer = None
            while not isinstance(answer, Created):
                await say(lobby, Create(id=3, nonce="a"))
                answer = await hear(lobby)


async def test_rooms_in_all_are_counted(database: Path) -> None:
    """A server makes so many rooms; those that are there can be joined all the same."""
    async with (
        serving(database, Limits(rooms=1)) as server,
        socket(server, "/ws/ONE") as first,
        socket(server, "/ws/TWO") as second,
        socket(server, "/ws/one") as third,
    ):
        await hello(first, opens=True)
        await say(second, Hello(name="Bert", opens=True))
        assert await closing(second) == CloseCode.TOO_MANY_ROOMS
        await hello(third, name="Bert")


async def test_names_are_bounded(database: Path) -> None:
    """What is no name of 1 to 20 characters makes no player, and no room."""
    async with serving(database) as server:
        for name in ("", " ", "x" * 21, "a\u202eb"):
            async with socket(server, "/ws/GUGU") as connection:
                await say(connection, Hello(name=name, opens=True))
                assert await closing(connection) == CloseCode.BAD_NAME
        async with socket(server, "/ws/GUGU") as connection:
            await say(connection, Hello(name="Anna"))
            assert await closing(connection) == CloseCode.NO_ROOM
