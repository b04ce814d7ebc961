"""Connections that break, that send twice, that read nothing; and a server that stops in mid-race."""

import logging
import re
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from msgspec.structs import replace

from client.assets import solved_codes, winning_line
from client.view import View
from server.config import Limits
from server.race.run import STANDSTILL_MS
from server.race.start import COUNTDOWN_MS
from server.storage.reader import Reader
from shared.gamecode import GameCode
from shared.phase import Phase
from shared.protocol.closing import CloseCode
from shared.protocol.codec import JsonCodec
from shared.protocol.messages import (
    Answer,
    Cancel,
    ChooseSuits,
    Close,
    Command,
    Configure,
    Create,
    Created,
    Done,
    Forget,
    Gather,
    HandOver,
    Hint,
    Hinted,
    Kick,
    Leave,
    Lock,
    Play,
    PlayBest,
    Played,
    PlyCommand,
    Ready,
    Refused,
    Rematch,
    Rename,
    Resign,
    Restart,
    Rooms,
    Start,
    Undo,
    WarmUp,
)
from shared.protocol.values import Options
from shared.record import Record, verify
from tests.server import serving as plain
from tests.server.racing import SHUTTLE
from tests.server.rooms.test_limits import narrow, shorten_sending
from tests.server.visiting import Serving, Visitor, serving

KNOWN = Options(code=SHUTTLE)
PLAY: tuple[PlyCommand, ...] = (
    Play(ply=0, move="02"),
    PlayBest(ply=0, source="2", count=1),
    Undo(ply=0),
    Restart(ply=0),
    Play(ply=0, move="02"),
    Resign(ply=0),
)
ENDLESS = 10_000


# Cut


class Shaky:
    """A client whose connection breaks once, after so many messages in either direction; it comes back and goes on."""

    def __init__(self, visitor: Visitor, after: int) -> None:
        self.visitor = visitor
        self.messages = 0
        """So many were sent and heard."""
        self._after = after

    @property
    def broke(self) -> bool:
        """Whether the race lasted until the break."""
        return self.messages >= self._after

    async def ask(self, command: Command) -> Answer:
        """Send *command* until its answer comes, always the same."""
        numbered, over = self.visitor.numbered(command), None
        while True:
            if over is not self.visitor:
                over = self.visitor
                await over.send(numbered)
                await self._count()
            else:
                event = await self._hear()
                if isinstance(event, Answer) and event.id == numbered.id:
                    return event

    async def until(self, holds: Callable[[View], bool]) -> None:
        """Hear until the view *holds*."""
        while not holds(self.visitor.view):
            await self._hear()

    async def _hear(self) -> object:
        event = await self.visitor.hear()
        await self._count()
        return event

    async def _count(self) -> None:
        self.messages += 1
        if self.messages == self._after:
            self.visitor.cut()
            await self.visitor.socket.wait_closed()
            self.visitor = await self.visitor.again().__aenter__()


@pytest.mark.parametrize("guest", [False, True], ids=["host", "guest"])
async def test_connection_cut_after_each_message_changes_nothing(database: Path, *, guest: bool) -> None:
    """
    However far a race has come when the connection of its host, or of a guest, breaks: the player comes back by the
    token, sends again what was not answered, is ready again where that was undone, and the race ends with the same log
    and the same standings as one without any break.
    """
    async with serving(database) as here:
        _, told = await short_race(here, "WHOLE", ENDLESS, ENDLESS)
        for after in count(1):
            cuts = (ENDLESS, after) if guest else (after, ENDLESS)
            broke, same = await short_race(here, f"CUT-{after}", *cuts)
            assert same == told, after
            if not broke:  # it was over before
                break
        assert after > (10 if guest else 20)


async def short_race(here: Serving, room: str, host_after: int, guest_after: int) -> tuple[bool, object]:
    """Race to the end; return whether a connection broke, and what came of the race."""
    async with here.visitor("Anna", options=KNOWN, room=room) as host, here.visitor("Bert", room=room) as guest:
        anna, bert = Shaky(host, host_after), Shaky(guest, guest_after)
        await mark(bert)
        assert isinstance(await anna.ask(Start(countdown=1)), Done)
        here.clock.advance(COUNTDOWN_MS)
        await anna.until(lambda view: view.playing)
        for command in PLAY:
            assert isinstance(await anna.ask(command), Played)
        await bert.until(lambda view: view.playing)
        for command in (Play(ply=0, move="02"), Resign(ply=0)):
            assert isinstance(await bert.ask(command), Played)
        for each in (anna, bert):
            await each.until(lambda view: view.phase == Phase.FINISHED)
        views = [each.visitor.view for each in (anna, bert)]
        reader = await Reader.open(here.server._config.database)
        records = [Record.unpack(await reader.record(views[0].attempts[seat]) or b"") for seat in (0, 1)]
        await reader.close()
        for each in (anna, bert):
            await each.visitor.socket.close()
    told = [([replace(row, lag_ms=None) for row in view.rows], view.table, view.hand) for view in views]
    return anna.broke or bert.broke, (told, [record.entries for record in records])


async def mark(shaky: Shaky) -> None:
    """Be ready, and be it again where a break has cleared the mark."""

    def is_ready(view: View) -> bool:
        return any(seat.player == view.player and seat.ready for seat in view.seats)

    async def marked(over: Visitor) -> None:
        await shaky.ask(Ready(ready=True))
        await shaky.until(lambda view: is_ready(view) or shaky.visitor is not over)

    while not is_ready(shaky.visitor.view):
        await marked(shaky.visitor)


# Twice


async def twice(visitor: Visitor, command: Command) -> Answer:
    """Send *command* twice, one behind the other; return what both are answered."""
    numbered = visitor.numbered(command)
    await visitor.send(numbered)
    first = await visitor.insist(numbered)
    second = await visitor.hears(Answer, id=numbered.id)
    assert first == second
    assert not isinstance(first, Refused), first
    return first


async def test_each_command_sent_twice_is_carried_out_once(database: Path) -> None:
    """
    From an open room to the rematch each command is sent twice: both are answered alike, and nothing happens twice.
    """
    options = Options(mixed=True, limit_ms=60_000)
    async with serving(database) as here, here.visitor("Anna") as anna, here.visitor("Bert") as bert:
        await twice(anna, Configure(options=options))
        await twice(anna, Lock(locked=True))
        await twice(bert, ChooseSuits(suits=4))
        await twice(anna, HandOver(player=bert.view.player))
        await bert.until(lambda view: view.host)
        await twice(bert, HandOver(player=anna.view.player))
        await twice(bert, Ready(ready=True))
        await twice(anna, Start(countdown=1))
        await twice(anna, Cancel(countdown=1))
        await twice(anna, Start(countdown=2))
        await here.pass_countdown(anna, bert)
        assert (anna.view.countdown, anna.view.options) == (2, options)
        first = [str(move) for move in winning_line(GameCode.parse(str(anna.view.code))) or ()][:2]
        for command in (*(Play(ply=0, move=move) for move in first), Undo(ply=0), Restart(ply=0), Resign(ply=0)):
            assert isinstance(await twice(anna, command), Played)
        assert anna.log == [*first, "undo", "restart", "resign"]
        await twice(bert, Resign(ply=0))
        await anna.until(lambda view: view.phase == Phase.FINISHED)
        race, attempts = anna.view.race, anna.view.attempts
        await twice(anna, Rematch(race=race))
        assert (await anna.until(lambda view: view.phase == Phase.OPEN)).race != race
        await twice(anna, Kick(player=bert.view.player))
        assert (await bert.closing())[0] == CloseCode.KICKED
        assert [seat.name for seat in anna.view.seats] == ["Anna"]
    await check_entries(database, attempts[0], anna.log)


async def test_each_command_of_freecell_sent_twice_is_carried_out_once(database: Path) -> None:
    """
    A hint, a move that the server chooses, and the gathering that wins: found in the log as what they came to.
    """
    code = solved_codes("freecell")[3]
    options = Options(code=str(code), hint=True)
    async with serving(database) as here, here.visitor("Anna", JsonCodec.subprotocol, options=options) as anna:
        await here.begin(anna)
        assert isinstance(await twice(anna, Hint(ply=0)), Hinted)
        best = await twice(anna, PlayBest(ply=0, source="1", count=1))
        assert isinstance(best, Played)
        await twice(anna, Restart(ply=0))
        line = [str(move) for move in winning_line(code) or ()]
        while (hand := anna.view.hand) and not hand.can.gather:
            await twice(anna, Play(ply=0, move=line[hand.moves]))
        gathered = await twice(anna, Gather(ply=0))
        assert isinstance(gathered, Played)
        assert gathered.hand.state == "solved"
        await anna.until(lambda view: view.phase == Phase.FINISHED)
        attempts = anna.view.attempts
    await check_entries(database, attempts[0], anna.log)


async def check_entries(database: Path, attempt: str, log: list[str]) -> None:
    """Compare a record with what was acknowledged."""
    reader = await Reader.open(database)
    record = Record.unpack(await reader.record(attempt) or b"")
    await reader.close()
    assert verify(record).ok
    assert [text for _, text in record.entries] == log


async def test_room_that_is_made_twice_is_one(database: Path) -> None:
    """
    A Create that is sent again leads to the room that the first has made.
    """
    async with plain.serving(database) as server, plain.socket(server) as lobby:
        await plain.hello(lobby)
        for number in (2, 2, 3):
            await plain.say(lobby, Create(id=number, nonce="a"))
        heard = [await plain.hear(lobby) for _ in range(4)]
        created = [event for event in heard if not isinstance(event, Rooms)]
        assert len({event.room for event in created if isinstance(event, Created)}) == 1
        assert [event.id for event in created if isinstance(event, Created)] == [2, 2, 3]


async def gone(visitor: Visitor, command: Command) -> tuple[list[Answer], int]:
    """Send *command*, which ends the connection, twice; return the answers and the code of the end."""
    heard = len(visitor.heard)
    for numbered in [visitor.numbered(command)] * 2:
        await visitor.send(numbered)
    code, _ = await visitor.closing()
    return [event for event in visitor.heard[heard:] if isinstance(event, Answer)], code


async def test_people_who_ask_twice_are_answered_once(database: Path) -> None:
    """
    A warm-up, another name, a goodbye, a deletion and the end of a room: what is sent twice is done once, and whoever
    is gone by it is gone once. Where both come before the connection ends both have the one answer.
    """
    async with serving(database) as here, here.visitor("Anna") as anna, here.visitor("Bert") as bert:
        await twice(anna, WarmUp())  # each lays a deal to throw away
        assert (anna.view.warming, anna.view.ply) == (True, 0)
        await twice(bert, Rename(name="Bertram"))
        await anna.until(lambda view: [seat.name for seat in view.seats] == ["Anna", "Bertram"])
        answers, code = await gone(bert, Leave())
        assert (set(answers), code) == ({Done(id=2)}, CloseCode.LEFT)
        await anna.until(lambda view: [seat.name for seat in view.seats] == ["Anna"])
        async with bert.again() as back:
            assert (back.view.name, back.view.seat) == ("Bertram", 1)
            answers, code = await gone(back, Forget())
            assert (set(answers), code) == ({Done(id=1)}, CloseCode.FORGOTTEN)
        await anna.until(lambda view: [seat.name for seat in view.seats] == ["Anna"])
        answers, code = await gone(anna, Close())
        assert ({type(each) for each in answers}, code) == ({Done}, CloseCode.ROOM_CLOSED)
        async with here.visitor("Carl") as carl:
            assert [seat.name for seat in carl.view.seats] == ["Carl"]


# Unread


async def test_reader_that_never_reads_is_cut_and_disturbs_nobody(
    database: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """
    In mid-race one of three reads nothing more: what waits for it stays within the limit and one write, it is cut,
    the others play on as if nothing were; it comes back to its seat.
    """
    caplog.set_level(logging.INFO)
    limits = Limits(send_buffer=4_096)
    async with (
        serving(database, limits) as here,
        here.visitor("Anna", options=KNOWN) as anna,
        here.visitor("Bert") as bert,
    ):
        shorten_sending(here.server)
        slow = here.visitor("Carl")
        slow.sock = narrow(here.server.port)
        await slow.__aenter__()
        await here.begin(anna, bert, slow)
        slow.socket.transport.pause_reading()
        for _ in range(1_000):
            for player in (anna, bert):
                await player.play("20" if player.view.ply % 2 else "02")
                here.clock.advance(60)
            if not all(seat.connected for seat in anna.view.seats):
                break
        assert [seat.connected for seat in anna.view.seats] == [True, True, False]
        found = re.search(r"cut a receiver with (\d+) bytes unread", caplog.text)
        assert found
        assert limits.send_buffer < int(found[1]) < 2 * limits.send_buffer
        slow.socket.transport.resume_reading()
        assert await slow.closing() == (1006, "")
        async with slow.again() as back:
            assert (back.view.seat, back.view.phase, back.view.playing) == (2, Phase.RUNNING, True)


# Stopped


async def test_stop_in_mid_race_is_told_and_costs_no_time(database: Path) -> None:
    """
    All are told that the server stops. Started again it has the race as it was; its time stands still until the first
    who plays is back, whatever spectators do, and goes on from where it stopped.
    """
    async with serving(database) as here:
        anna = await here.visitor("Anna", options=KNOWN).__aenter__()
        bert = await here.visitor("Bert", JsonCodec.subprotocol).__aenter__()
        await here.begin(anna, bert)
        here.clock.advance(2_500)
        await anna.play("02")
        here.clock.advance(1_234)
    for each in (anna, bert):
        assert (await each.closing())[0] == CloseCode.CLOSED
    async with serving(database) as here:
        here.clock.advance(STANDSTILL_MS - 1)
        async with here.visitor("Emil") as emil:
            assert (emil.view.phase, emil.view.elapsed_ms, emil.view.paused) == (Phase.RUNNING, 3_734, True)
            async with returned(here, anna) as back:
                assert (back.view.table, back.view.ply) == (anna.view.table, 1)
                assert (back.view.elapsed_ms, back.view.paused) == (3_734, False)
                assert not (await emil.until(lambda view: not view.paused)).paused
                here.clock.advance(1_000)
                await back.play("20")
                await back.ask(Resign(ply=0))
                async with returned(here, bert) as other:
                    await other.ask(Resign(ply=0))
                    rows = (await other.until(lambda view: view.phase == Phase.FINISHED)).rows
    assert [(row.seat, row.place, row.moves, row.elapsed_ms) for row in rows] == [(0, 1, 2, 4_734), (1, None, 0, 4_734)]


async def test_time_goes_on_by_itself_if_nobody_comes_back(database: Path) -> None:
    """
    After half a minute; who comes later finds that it has passed.
    """
    async with serving(database) as here, here.visitor("Anna", options=KNOWN) as anna:
        await here.begin(anna)
        await anna.play("02")
    async with serving(database) as here, here.visitor("Emil") as emil:
        here.clock.advance(STANDSTILL_MS)
        await emil.until(lambda view: not view.paused)
        here.clock.advance(700)
        async with returned(here, anna) as back:
            assert (back.view.elapsed_ms, back.view.paused) == (700, False)


def returned(here: Serving, visitor: Visitor) -> Visitor:
    """Return the visitor as one who comes back to another server."""
    return visitor.again(url=here.url())
