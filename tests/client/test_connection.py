"""A client's connection, over real sockets: it joins, asks, comes back, sends again, and knows when to stop."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from http import HTTPStatus
from random import Random

import pytest
from msgspec.structs import replace

from client import connection as connection_module
from client.connection import Connection
from client.returning import Backoff, ClosedError
from server.rooms.pace import Pace
from shared.errors import ProtocolError, Reason, Refusal, SameDealError
from shared.protocol.closing import CloseCode
from shared.protocol.messages import (
    Cancel,
    Command,
    Countdown,
    Done,
    Hello,
    Opened,
    Play,
    Ready,
    Refused,
    Restart,
    Roster,
    Snapshot,
    Start,
)
from tests.client.desk import ANNA, CODECS, ROOM, Desk, Peer, Visit

AT_ONCE = Backoff(first_ms=0, most_ms=0)
HELLO = Hello(name="Anna", client="bot")
BACK = Hello(token="secret", client="bot")


def join(desk: Desk, hello: Hello = HELLO, subprotocol: str = "samedeal.v1.msgpack") -> Connection:
    """Return a connection to the desk's room that comes back without waiting."""
    return Connection(desk.url, hello, random=Random(1), subprotocol=subprotocol, backoff=AT_ONCE)


async def until_closed(peer: Peer) -> None:
    """Hear whatever still comes, until the client has gone."""
    await peer.connection.wait_closed()


def answering(*answers: Callable[[Command], Done | Refused]) -> Visit:
    """Return a visit that admits and answers one command after the other."""

    async def visit(peer: Peer) -> None:
        await peer.admit()
        for answer in answers:
            await peer.say(answer(await peer.hear()))
        await until_closed(peer)

    return visit


def done(command: Command) -> Done:
    """Answer that it was carried out."""
    return Done(id=command.id)


@pytest.mark.parametrize("subprotocol", CODECS)
async def test_joining_says_hello_and_shows_the_room(subprotocol: str) -> None:
    """
    Hello comes first; the room's snapshot is in the view before anything else can be asked, in both encodings.
    """
    heard = []

    async def visit(peer: Peer) -> None:
        heard.append(await peer.admit())
        await until_closed(peer)

    async with Desk(visit) as desk, join(desk, subprotocol=subprotocol) as connection:
        assert heard == [HELLO]
        assert (connection.view.room, connection.view.seat, connection.view.name) == ("ROOM", 0, "Anna")
        assert (connection.token, connection.connected) == ("secret", True)


async def test_each_command_gets_its_own_answer() -> None:
    """
    Answers are told apart by their ids, in whatever order they come.
    """

    async def visit(peer: Peer) -> None:
        await peer.admit()
        first, second = await peer.hear(), await peer.hear()
        assert (type(first), type(second)) == (Ready, Start)
        await peer.say(Refused(id=second.id, reason="NOT_HOST"), Done(id=first.id))
        await until_closed(peer)

    async with Desk(visit) as desk, join(desk) as connection:
        ready, start = await asyncio.gather(
            connection.ask(Ready(ready=True)), connection.ask(Start(countdown=1)), return_exceptions=True
        )
    assert isinstance(ready, Done)
    assert isinstance(start, Refusal)
    assert start.reason is Reason.NOT_HOST


async def test_refusal_is_raised_as_it_was_told() -> None:
    """
    Reason, rule and parameters arrive whole.
    """
    refused = Refused(id=1, reason="TOO_MANY", rule="FC5", params={"count": 4, "limit": 2})
    async with Desk(answering(lambda _: refused)) as desk, join(desk) as connection:
        with pytest.raises(Refusal) as raised:
            await connection.ask(Play(ply=0, move="12v4"))
    assert str(raised.value) == "TOO_MANY (FC5) count=4 limit=2"


async def test_unanswered_command_is_sent_again_into_the_same_seat() -> None:
    """
    The connection breaks after the command: the client comes back by its token and sends it again, id and ply
    as they were.
    """
    heard: list[Command] = []

    async def first(peer: Peer) -> None:
        await peer.admit()
        heard.append(await peer.hear())
        peer.cut()

    async def second(peer: Peer) -> None:
        assert await peer.admit() == BACK
        heard.append(await peer.hear())
        await peer.say(Done(id=heard[-1].id))
        await until_closed(peer)

    async with Desk(first, second) as desk, join(desk) as connection:
        assert isinstance(await connection.ask(Play(ply=7, move="26")), Done)
    assert heard == [Play(id=1, ply=7, move="26")] * 2


async def test_many_unanswered_commands_are_sent_again_at_a_servers_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    What waited is sent again some at a time, in its order, and what is asked meanwhile goes behind it.
    """
    monkeypatch.setattr(connection_module, "AGAIN", 3)
    monkeypatch.setattr(connection_module, "AGAIN_S", 0.1)
    heard: list[int] = []
    back = asyncio.Event()

    async def first(peer: Peer) -> None:
        await peer.admit()
        for _ in range(14):
            await peer.hear()
        peer.cut()

    async def second(peer: Peer) -> None:
        loop = asyncio.get_running_loop()
        await peer.admit()
        pace = Pace(30, round(loop.time() * 1000), burst_s=0.2)
        for count in range(15):
            command = await peer.hear()
            assert pace.allows(round(loop.time() * 1000)), count
            assert not isinstance(command, Hello)
            heard.append(command.id)
            back.set()
        await peer.say(*(Done(id=id) for id in heard))
        await until_closed(peer)

    async with Desk(first, second) as desk, join(desk) as connection, asyncio.TaskGroup() as tasks:
        for _ in range(14):
            tasks.create_task(connection.ask(Ready(ready=True)))
        await back.wait()
        tasks.create_task(connection.ask(Ready(ready=False)))
    assert heard == list(range(1, 16))


@pytest.mark.parametrize(
    ("before", "after", "refused"),
    [
        (ROOM, replace(ROOM, race="r2", phase="running"), Refusal(Reason.STALE_RACE, sent="r1", now="r2")),
        (
            replace(ROOM, warming=True),
            replace(ROOM, phase="running"),
            Refusal(Reason.WRONG_PHASE, phase="running"),
        ),
    ],
    ids=["rematch", "warm-up"],
)
async def test_move_is_not_sent_again_to_another_table(before: Snapshot, after: Snapshot, refused: Refusal) -> None:
    """
    A move whose answer was lost is refused here where the next race, or the race after a warm-up, is on by the time
    the line is back: there it might be legal. What is asked of the room is sent again all the same.
    """

    async def first(peer: Peer) -> None:
        await peer.admit(before)
        await peer.hear()
        await peer.hear()
        peer.cut()

    async def second(peer: Peer) -> None:
        await peer.hear()
        await peer.say(ANNA, after)
        ready = await peer.hear()
        assert isinstance(ready, Ready)
        await peer.say(Done(id=ready.id))
        await until_closed(peer)

    async with Desk(first, second) as desk, join(desk) as connection:
        await connection.until(lambda view: view.warming == before.warming)
        move, ready = await asyncio.gather(
            connection.ask(Play(ply=0, move="26")), connection.ask(Ready(ready=True)), return_exceptions=True
        )
    assert isinstance(move, Refusal)
    assert (move.reason, move.params) == (refused.reason, refused.params)
    assert isinstance(ready, Done)


async def test_what_is_asked_without_a_connection_is_sent_over_the_next() -> None:
    """
    While the line is down commands wait, and are sent in the order in which they were asked.
    """
    down = asyncio.Event()
    asked = asyncio.Event()
    heard: list[Command] = []

    async def first(peer: Peer) -> None:
        await peer.admit()
        heard.append(await peer.hear())
        peer.cut()

    async def second(peer: Peer) -> None:
        down.set()
        await asked.wait()
        await peer.admit()
        heard.extend([await peer.hear() for _ in range(3)])
        await peer.say(*(Done(id=command.id) for command in heard[1:]))
        await until_closed(peer)

    async with Desk(first, second) as desk, join(desk) as connection, asyncio.TaskGroup() as group:
        group.create_task(connection.ask(Play(ply=0, move="12")))
        await down.wait()
        assert not connection.connected
        group.create_task(connection.ask(Play(ply=1, move="13")))
        group.create_task(connection.ask(Play(ply=2, move="14")))
        await asyncio.sleep(0)
        asked.set()
    assert [command.id for command in heard] == [1, 1, 2, 3]


@pytest.mark.parametrize("told", [1, 2, 3])
async def test_connection_cut_after_each_message_is_made_again(told: int) -> None:
    """
    Wherever it breaks once the server has said welcome, the view ends up the same.
    """

    async def first(peer: Peer) -> None:
        await peer.hear()
        await peer.say(*(ANNA, ROOM, Countdown(countdown=1, remaining_ms=3_000))[:told])
        peer.cut()

    async def second(peer: Peer) -> None:
        await peer.admit(Countdown(countdown=1, remaining_ms=2_000))
        await until_closed(peer)

    async with Desk(first, second) as desk, join(desk) as connection:
        view = await connection.until(lambda view: view.remaining_ms == 2_000)
        assert (view.room, view.player, view.countdown) == ("ROOM", "p1", 1)


@pytest.mark.parametrize("code", [1001, 1011, 1012, 1013])
async def test_comes_back_where_the_server_only_went_away(code: int) -> None:
    """
    A restart or a failure is no reason to stay away.
    """

    async def first(peer: Peer) -> None:
        await peer.admit()
        await peer.connection.close(code)

    async with Desk(first, answering(done)) as desk, join(desk) as connection:
        assert isinstance(await connection.ask(Ready(ready=True)), Done)


def ways(connection: Connection) -> tuple[Awaitable[object], ...]:
    """Return the three ways of waiting for the server."""
    return connection.ask(Ready(ready=True)), connection.until(lambda _: False), anext(connection.events())


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (CloseCode.TAKEN_OVER, Reason.TAKEN_OVER),
        (CloseCode.BAD_TOKEN, Reason.BAD_TOKEN),
        (CloseCode.BAD_MESSAGE, Reason.BAD_MESSAGE),
        (CloseCode.LEFT, Reason.LEFT),
        (1008, Reason.CLOSED),
        (4999, Reason.CLOSED),
    ],
)
async def test_stays_away_where_the_server_says_so(code: int, reason: Reason) -> None:
    """
    Whoever asks, waits or listens is told why, then and later; nobody connects again.
    """

    async def visit(peer: Peer) -> None:
        await peer.admit()
        await peer.hear()
        await peer.connection.close(code, "for a reason")

    async with Desk(visit) as desk, join(desk) as connection:
        asked, waited, heard = await asyncio.gather(*ways(connection), return_exceptions=True)
        later = await asyncio.gather(*ways(connection), return_exceptions=True)
    for ending in (asked, waited, heard, *later):
        assert isinstance(ending, ClosedError)
        assert (ending.reason, ending.params) == (reason, {"code": code, "why": "for a reason"})


async def test_a_name_that_is_refused_ends_the_joining() -> None:
    """
    Before the welcome there is nothing to come back to.
    """

    async def visit(peer: Peer) -> None:
        await peer.hear()
        await peer.connection.close(CloseCode.BAD_NAME, "BAD_NAME")

    async with Desk(visit) as desk:
        with pytest.raises(ClosedError) as raised:
            await join(desk).__aenter__()
    assert raised.value.reason is Reason.BAD_NAME


async def test_line_that_breaks_before_the_welcome_ends_the_joining() -> None:
    """
    Whether the server has made a player is not known: asking again would make another.
    """

    async def visit(peer: Peer) -> None:
        await peer.hear()
        peer.cut()

    async with Desk(visit) as desk:
        with pytest.raises(ClosedError) as raised:
            await join(desk).__aenter__()
    assert raised.value.params == {"code": 1006, "why": "the connection broke"}


async def test_address_where_nobody_listens_ends_the_joining() -> None:
    """
    A wrong address is told at once.
    """
    async with Desk() as desk:
        nowhere = join(desk)
    with pytest.raises(ClosedError) as raised:
        await nowhere.__aenter__()
    assert raised.value.reason is Reason.CLOSED
    assert "Connect call failed" in str(raised.value)


async def test_no_address_ends_the_joining() -> None:
    """
    What is no WebSocket address is told as such.
    """
    with pytest.raises(ClosedError) as raised:
        await Connection("http://localhost", HELLO, random=Random(1)).__aenter__()
    assert "isn't a valid URI" in str(raised.value)


@pytest.mark.parametrize("status", [HTTPStatus.NOT_FOUND, HTTPStatus.SERVICE_UNAVAILABLE])
async def test_handshake_refused_at_first_ends_the_joining(status: HTTPStatus) -> None:
    """
    No such room, or a server that is not there: the first time both are final.
    """
    async with Desk(status) as desk:
        with pytest.raises(ClosedError) as raised:
            await join(desk).__aenter__()
    assert f"HTTP {status}" in str(raised.value)


async def test_handshake_refused_later_ends_it_only_if_it_stays_so() -> None:
    """
    A proxy without its server (503) passes; a room that is no more (404) does not.
    """

    async def first(peer: Peer) -> None:
        await peer.admit()
        peer.cut()

    visits = (first, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.BAD_GATEWAY, HTTPStatus.NOT_FOUND)
    async with Desk(*visits) as desk, join(desk) as connection:
        with pytest.raises(ClosedError) as raised:
            await connection.until(lambda _: False)
    assert "HTTP 404" in str(raised.value)


class Counting(Random):
    """Chance that knows what it was asked for: the longest of each wait."""

    def __init__(self) -> None:
        super().__init__(1)
        self.longest: list[int] = []
        self._enough = asyncio.Event()

    def randint(self, a: int, b: int) -> int:
        self.longest.append(b)
        if len(self.longest) % 4 == 0:
            self._enough.set()
        return super().randint(a, b)

    async def four_more(self) -> None:
        """Wait until the next time that it has been asked a multiple of four times."""
        self._enough.clear()
        await self._enough.wait()


async def test_server_that_is_gone_for_a_while_is_found_again() -> None:
    """
    While nobody listens, and while something that is no server hangs up, the client tries at growing intervals; the
    server that comes back on the same port gets the command. After that the intervals begin anew.
    """
    chance = Counting()
    backoff = Backoff(first_ms=1, most_ms=4)
    async with Desk(answering()) as gone:
        connection = Connection(gone.url, HELLO, random=chance, backoff=backoff)
        await connection.__aenter__()
    asking = asyncio.create_task(connection.ask(Ready(ready=True)))
    await chance.four_more()
    hanging_up = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", gone.port)
    await chance.four_more()
    hanging_up.close()
    await hanging_up.wait_closed()
    tried = len(chance.longest)
    async with Desk(answering(done), port=gone.port):
        assert isinstance(await asking, Done)
    assert chance.longest[:8] == [1, 2, 4, 4, 4, 4, 4, 4]
    await chance.four_more()
    await connection.close()
    assert chance.longest[tried:].count(1) == 1


async def test_server_that_speaks_something_else_ends_the_joining() -> None:
    """
    Without our subprotocol nothing is said.
    """

    async def visit(peer: Peer) -> None:
        await until_closed(peer)

    async with Desk(visit, subprotocols=()) as desk:
        with pytest.raises(ClosedError) as raised:
            await join(desk).__aenter__()
    assert "no samedeal.v1.msgpack" in str(raised.value)


async def test_frame_that_is_no_message_ends_it() -> None:
    """
    What cannot be read is not skipped: the view would be wrong from then on.
    """

    async def visit(peer: Peer) -> None:
        await peer.admit()
        await peer.connection.send(b"\xc1")
        await until_closed(peer)

    async with Desk(visit) as desk, join(desk) as connection:
        with pytest.raises(ProtocolError) as raised:
            await connection.until(lambda _: False)
    assert raised.value.reason is Reason.BAD_MESSAGE


async def test_second_answer_to_a_resend_is_ignored() -> None:
    """
    Both sendings may be answered; so may a command that nobody waits for any more.
    """

    async def visit(peer: Peer) -> None:
        await peer.admit()
        given_up, ready = await peer.hear(), await peer.hear()
        await peer.say(*(Done(id=command.id) for command in (ready, given_up, ready)))
        await peer.say(done(await peer.hear()))
        await until_closed(peer)

    async with Desk(visit) as desk, join(desk) as connection:
        given_up = asyncio.create_task(connection.ask(Restart(ply=0)))
        await asyncio.sleep(0)
        given_up.cancel()
        assert await connection.ask(Ready(ready=True)) == Done(id=2)
        assert await connection.ask(Ready(ready=False)) == Done(id=3)


async def test_events_are_heard_in_order_and_are_in_the_view() -> None:
    """
    Every event is heard, each once it has been folded in.
    """

    async def visit(peer: Peer) -> None:
        await peer.admit()
        await peer.hear()
        await peer.say(*told)
        await until_closed(peer)

    told = (Countdown(countdown=1, remaining_ms=3_000), Opened(countdown=1), Roster(seats=()))
    heard = []
    async with Desk(visit) as desk, join(desk) as connection:
        asking = asyncio.create_task(connection.ask(Cancel(countdown=1)))
        async for event in connection.events():
            assert connection.view.countdown == 1
            heard.append(event)
            if len(heard) == len(told):
                break
        asking.cancel()
    assert tuple(heard) == told


async def test_listener_that_falls_behind_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    What waits for a listener is bounded: it hears of it, may begin anew, and the view has missed nothing.
    """
    monkeypatch.setattr(connection_module, "BEHIND", 2)

    async def visit(peer: Peer) -> None:
        await peer.admit()
        for countdown in range(1, 5):
            await peer.hear()
            await peer.say(Opened(countdown=countdown))
        await until_closed(peer)

    async def ask(connection: Connection, countdown: int) -> None:
        asking = asyncio.create_task(connection.ask(Cancel(countdown=countdown)))
        await connection.until(lambda view: view.countdown == countdown)
        asking.cancel()

    async with Desk(visit) as desk, join(desk) as connection:
        slow = connection.events()
        first = asyncio.ensure_future(anext(slow))
        await asyncio.sleep(0)
        for countdown in (1, 2, 3, 4):
            await ask(connection, countdown)
        assert await first == Opened(countdown=1)
        assert connection.view.countdown == 4
        with pytest.raises(ClosedError) as raised:
            async for _ in slow:
                pass
    assert raised.value.reason is Reason.TOO_SLOW


async def test_view_that_passes_quickly_is_not_missed() -> None:
    """
    Whoever waits for a view is handed that very view, though the next ones are there already.
    """

    async def visit(peer: Peer) -> None:
        await peer.admit()
        command = await peer.hear()
        await peer.say(Countdown(countdown=1, remaining_ms=3_000), Opened(countdown=1), Done(id=command.id))
        await until_closed(peer)

    async with Desk(visit) as desk, join(desk) as connection:
        counting = asyncio.create_task(connection.until(lambda view: view.phase == "countdown"))
        counted = asyncio.create_task(connection.until(lambda view: view.countdown == 1))
        await connection.ask(Start(countdown=1))
        assert connection.view.phase == "open"
        assert (await counting).phase == (await counted).phase == "countdown"


async def test_what_waits_when_this_side_closes_is_told() -> None:
    """
    Nobody is left hanging by `close`; the line is not made again.
    """

    async def visit(peer: Peer) -> None:
        await peer.admit()
        await peer.hear()
        await until_closed(peer)

    async with Desk(visit) as desk, join(desk) as connection:
        asking = asyncio.create_task(connection.ask(Ready(ready=True)))
        await asyncio.sleep(0)
        await connection.close()
        with pytest.raises(ClosedError) as raised:
            await asking
        assert raised.value.params == {"why": "closed by this side"}
        assert not connection.connected
        connection.drop()


async def leave(connection: Connection) -> None:
    """Join and go."""
    async with connection:
        pass


async def fail(connection: Connection) -> None:
    """Join and fail."""
    async with connection:
        raise LookupError


async def be_cancelled(connection: Connection) -> None:
    """Join and be cancelled in the midst of waiting."""
    here = asyncio.Event()

    async def wait() -> None:
        async with connection:
            here.set()
            await connection.until(lambda view: view.phase == "never")

    waiting = asyncio.create_task(wait())
    await here.wait()
    waiting.cancel()
    await waiting


@pytest.mark.parametrize("ending", [leave, fail, be_cancelled])
async def test_whoever_goes_says_goodbye(ending: Callable[[Connection], Awaitable[None]]) -> None:
    """
    However `async with` is left, the server hears that the client has gone, not that it has failed.
    """
    codes = []

    async def visit(peer: Peer) -> None:
        await peer.admit()
        await until_closed(peer)
        codes.append(peer.connection.close_code)

    async with Desk(visit) as desk:
        with suppress(LookupError, asyncio.CancelledError):
            await ending(join(desk))
    assert codes == [1000]


async def test_refusal_of_a_hello_reads_as_a_sentence() -> None:
    """
    What a traceback shows is what would be right, with what the server told.
    """

    async def visit(peer: Peer) -> None:
        await peer.hear()
        await peer.connection.close(CloseCode.TOO_FAST, "TOO_FAST limit=50")

    async with Desk(visit) as desk:
        with pytest.raises(ClosedError) as raised:
            await join(desk).__aenter__()
    assert raised.value.reason is Reason.TOO_FAST
    assert str(raised.value).startswith("More than 50 messages a second came from this connection")


async def test_dropped_line_is_made_again() -> None:
    """
    `drop` cuts as a network would, and the next connection takes over.
    """
    second_here = asyncio.Event()

    async def first(peer: Peer) -> None:
        await peer.admit()
        await until_closed(peer)

    async def second(peer: Peer) -> None:
        assert await peer.admit() == BACK
        second_here.set()
        await until_closed(peer)

    async with Desk(first, second) as desk, join(desk) as connection:
        connection.drop()
        await second_here.wait()


def test_waits_grow_and_are_bounded_and_spread() -> None:
    """
    Twice as long after each failure, never beyond the limit, and not the same for everyone.
    """
    backoff, random = Backoff(first_ms=100, most_ms=1_000), Random(3)
    for failures, longest in [(1, 100), (2, 200), (4, 800), (5, 1_000), (10_000, 1_000)]:
        waits = [backoff.delay_ms(failures, random) for _ in range(300)]
        assert longest / 2 <= min(waits) < longest * 0.6
        assert longest * 0.9 < max(waits) <= longest


def test_errors_are_the_projects_own() -> None:
    """
    One type catches all that can end a connection.
    """
    assert issubclass(ClosedError, SameDealError)
