"""A room whose database fails: whichever call it is, nothing is lost, nothing is doubled and the race goes on."""

import asyncio
import sqlite3
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from client.view import View
from server.log import LiveRace, StorageError
from server.race.race import Race
from server.race.restore import kept
from server.race.said import Begin
from server.race.start import COUNTDOWN_MS
from server.rooms.room import RETRY_MS
from shared.errors import Reason
from shared.phase import Phase
from shared.protocol.messages import (
    Began,
    Countdown,
    Event,
    Finished,
    Opened,
    Play,
    PlayCommand,
    Played,
    Ready,
    Refused,
    Resign,
    Roster,
    Snapshot,
    Start,
    Undo,
    Warming,
    WarmUp,
)
from shared.protocol.values import Options
from shared.record import Record, verify
from tests.faults.failing import Fault
from tests.server.rooming import House, Listener, NotingStore, house
from tests.server.storing import swept

ANNAS: tuple[PlayCommand, ...] = (Play(ply=0, move="02"), Undo(ply=1), Play(ply=2, move="35"), Resign(ply=3))
BERTS: tuple[PlayCommand, ...] = (Play(ply=0, move="02"), Play(ply=1, move="20"), Play(ply=2, move="02"))
LIMIT_MS = 10_000


class Game:
    """A whole race, played by clients that send again what was not stored."""

    def __init__(self, here: House, anna: Listener, bert: Listener) -> None:
        self.here = here
        self.anna = anna
        self.bert = bert
        self.refusals = 0
        """How often anything was not stored."""

    async def play(self) -> None:
        """Play to the end: Anna resigns, Bert runs out of time."""
        await self._begin()
        for annas, berts in zip(ANNAS, (*BERTS, None), strict=True):
            asked = [self._insist(self.anna, annas)]
            if berts:
                asked.append(self._insist(self.bert, berts))
            await asyncio.gather(*asked)
        self.here.clock.advance(LIMIT_MS)
        while self.bert.view.phase != "finished":
            await self.here.breath()
            self.here.clock.advance(RETRY_MS)

    async def _begin(self) -> None:
        """Have the host start until the race begins."""
        self.here.tell(self.bert, Ready(ready=True))
        for countdown in (1, 2, 3):
            self.here.tell(self.anna, Start(countdown=countdown))
            await self.bert.hears(Countdown, countdown=countdown)
            self.here.clock.advance(COUNTDOWN_MS)
            while self.bert.view.phase == "countdown":
                await self.bert.hears(Event)
            if self.bert.view.phase == "running":
                return
            assert [seat.ready for seat in self.bert.view.seats] == [True, True]
            self.refusals += 1
        pytest.fail("one fault does not keep a race from beginning twice")

    async def _insist(self, listener: Listener, command: PlayCommand) -> None:
        """Ask until it is done; every refusal comes with a snapshot of the attempt as it is without the command."""
        for _ in range(3):
            answer = await self.here.ask(listener, lambda number: replace(command, id=number))
            if isinstance(answer, Played):
                return
            assert isinstance(answer, Refused)
            assert answer.reason == Reason.NOT_STORED
            snapshot = await listener.hears(Snapshot)
            assert snapshot.hand is not None
            assert snapshot.hand.ply == command.ply
            self.refusals += 1
        pytest.fail("one fault does not keep a command from being stored twice")


async def record_of(store: NotingStore, attempt: str) -> Record:
    """Return the record of an attempt, which holds."""
    packed = await store.read.record(attempt)
    assert packed is not None
    record = Record.unpack(packed)
    assert verify(record).ok
    return record


FAULTS = [
    pytest.param(False, sqlite3.SQLITE_READONLY, 14, id="rolled back"),
    pytest.param(False, sqlite3.SQLITE_FULL, 14, id="unknown and not there"),
    pytest.param(True, sqlite3.SQLITE_IOERR_FSYNC, 9, id="unknown and there"),
]


@pytest.mark.parametrize(("after", "code", "told"), FAULTS)
async def test_whichever_call_fails_the_race_is_whole(prepared: Path, after: bool, code: int, told: int) -> None:
    """
    Call 1, 2, 3 … through a whole race fails: what was answered is stored once, in order, and all views are right.
    """
    fault = Fault(at=0, after=after, code=code)
    refused = 0
    async with house(prepared, options=Options(limit_ms=LIMIT_MS), factory=fault.factory()) as here:
        for at in range(1, CALLS + 1):
            await swept(here.store)
            here.open(f"race {at}")
            game = Game(here, await here.enter("anna"), await here.enter("bert"))
            game.bert.check = partial(check_struck, fault)
            fault.at = fault.calls + at

            await game.play()

            refused += bool(game.refusals)
            for listener in (game.anna, game.bert):
                snapshot = here.room.race.snapshot(listener.player.id, here.clock.now_ms())
                fresh = View(player=listener.player.id, name=listener.player.name).after(snapshot)
                assert replace(listener.view, elapsed_ms=fresh.elapsed_ms) == fresh, at
            anna, bert = [await record_of(here.store, f"{player}'s race {at}") for player in ("anna", "bert")]
            assert [text for _, text in anna.entries] == ["02", "undo", "35", "resign"], at
            assert [text for _, text in bert.entries] == ["02", "20", "02"], at
            await here.shut()
    assert refused == told


def check_struck(fault: Fault, event: Event) -> None:
    """See that the fault was in the race that is over now, not in what clears up behind it."""
    if isinstance(event, Finished):
        assert fault.struck
        fault.at = 0


CALLS = 21
"""Calls to SQLite in the race above: begin of 7, three of one move, end of 4, end of both of 7."""


# One fault at a time


async def test_batch_is_refused_as_one(prepared: Path) -> None:
    """
    Everyone whose command was in a failed commit hears so, with a snapshot; whoever came or went with it did so.
    """
    fault = Fault(at=0, code=sqlite3.SQLITE_BUSY)
    async with house(prepared, factory=fault.factory()) as here:
        anna, bert, carl = [await here.enter(name) for name in ("anna", "bert", "carl")]
        await here.begin(anna, bert)
        fault.at = fault.calls + 1
        dora = here.arrive("dora")
        here.tell(anna, Play(id=1, ply=0, move="02"))
        here.tell(bert, Play(id=2, ply=0, move="35"))
        here.tell(bert, Play(id=3, ply=9, move="35"))
        here.room.leave(carl, carl.player)

        for listener, numbers in ((anna, (1,)), (bert, (2, 3))):
            for number in numbers:
                assert (await listener.hears(Refused, id=number)).reason == Reason.NOT_STORED
                assert (await listener.hears(Snapshot)).hand is not None
        await dora.hears(Snapshot)
        await dora.hears(Roster)
        assert [seat.connected for seat in dora.view.seats] == [True, True, False]
        assert here.room.race.run is not None
        assert here.room.race.run.rows == 1
        here.tell(anna, Play(id=4, ply=0, move="02"))
        await anna.hears(Played, id=4)


async def test_older_tab_that_goes_with_a_failed_commit_leaves_the_player_there(prepared: Path) -> None:
    """
    The end of a connection that a newer one has replaced says nothing about the player, stored or not.
    """
    fault = Fault(at=0, code=sqlite3.SQLITE_BUSY)
    async with house(prepared, factory=fault.factory()) as here:
        older, bert = await here.enter("anna"), await here.enter("bert")
        await here.begin(older, bert)
        newer = await here.enter("anna")
        fault.at = fault.calls + 1
        here.tell(bert, Play(id=1, ply=0, move="02"))
        here.tell(older, Play(id=2, ply=0, move="02"))
        here.room.leave(older, older.player)
        await bert.hears(Refused, id=1)
        await here.idle()
        assert [seat.connected for seat in here.room.race.roster.told()] == [True, True]
        assert not any(isinstance(event, Refused) for event in newer.heard)


async def test_doubtful_commit_is_asked_for_until_the_database_answers(prepared: Path) -> None:
    """
    While nobody can tell whether a move is stored nobody hears of it; when it turns out to be, it is answered as done.
    """

    class Mute(NotingStore):
        asked = 0

        async def live_race(self, race: str) -> LiveRace | None:
            Mute.asked += 1
            if Mute.asked < 4:
                raise StorageError(Reason.BAD_DATABASE, cause="injected")
            return await super().live_race(race)

    fault = Fault(at=0, after=True)
    async with house(prepared, kind=Mute, factory=fault.factory()) as here:
        anna, bert = await here.enter("anna"), await here.enter("bert")
        await here.begin(anna, bert)
        anna.news()
        fault.at = fault.calls + 1
        here.tell(anna, Play(id=1, ply=0, move="02"))
        for asked in (1, 2, 3):
            while Mute.asked < asked:
                await here.turns()
            await here.turns()
            assert (Mute.asked, anna.news()) == (asked, [])
            here.clock.advance(RETRY_MS)
        assert (await anna.hears(Played, id=1)).hand.ply == 1


async def test_start_that_cannot_be_written_opens_the_race_again(prepared: Path) -> None:
    """
    All are told, ready marks stay, nobody has seen a deal, and the next countdown begins the race.
    """
    fault = Fault(at=0, code=sqlite3.SQLITE_BUSY)
    async with house(prepared, factory=fault.factory()) as here:
        anna, bert, carl = [await here.enter(name) for name in ("anna", "bert", "carl")]
        fault.at = fault.calls + 1
        await here.count_down(anna, bert)
        for listener in (anna, bert, carl):
            assert (await listener.hears(Opened)).countdown == 1
            assert not any(isinstance(event, Began) for event in listener.heard)
        assert here.room.race.phase is Phase.OPEN
        assert [seat.ready for seat in carl.view.seats] == [True, True, False]
        here.tell(anna, Start(countdown=2))
        await carl.hears(Countdown, countdown=2)
        here.clock.advance(COUNTDOWN_MS)
        assert (await bert.hears(Began)).code == "SS1-S1-AAAAAAE"


async def test_deal_that_cannot_be_drawn_opens_the_race_again(prepared: Path) -> None:
    """
    Reading what was opened may fail as well.
    """

    async def dry(_race: Race) -> Begin:
        raise StorageError(Reason.BAD_DATABASE, cause="injected")

    async with house(prepared, draw=dry) as here:
        anna, bert = await here.enter("anna"), await here.enter("bert")
        await here.count_down(anna, bert)
        await bert.hears(Opened)
        assert bert.view.phase == "open"


async def test_seat_that_a_vain_countdown_leaves_is_kept(prepared: Path) -> None:
    """
    Who came while it counted has a seat by its end, and is written with the next command, though that seats nobody.
    """

    async def dry(_race: Race) -> Begin:
        raise StorageError(Reason.BAD_DATABASE, cause="injected")

    async with house(prepared, draw=dry) as here:
        anna, bert = await here.enter("anna"), await here.enter("bert")
        here.tell(bert, Ready(ready=True))
        here.tell(anna, Start(countdown=1))
        await bert.hears(Countdown)
        carl = await here.enter("carl")
        here.clock.advance(COUNTDOWN_MS)
        await carl.hears(Opened)
        assert carl.view.seat == 2
        here.tell(carl, WarmUp(id=1))
        await carl.hears(Warming)
        assert dict(await here.store.read.rooms())["ROOM"] == kept(here.room.race)


async def test_end_that_cannot_be_written_is_tried_again(prepared: Path, caplog: pytest.LogCaptureFixture) -> None:
    """
    A limit that passes while the database is locked is settled at its own moment all the same, half a second later.
    """
    fault = Fault(at=0, code=sqlite3.SQLITE_BUSY)
    async with house(prepared, options=Options(limit_ms=LIMIT_MS), factory=fault.factory()) as here:
        anna, bert = await here.enter("anna"), await here.enter("bert")
        await here.begin(anna, bert)
        here.store.batches.clear()
        fault.at = fault.calls + 1
        here.clock.advance(LIMIT_MS)
        while "room ROOM: NOT_STORED" not in caplog.text:
            await here.turns()
        here.clock.advance(RETRY_MS - 1)
        await here.turns()
        assert len(here.store.batches) == 1
        assert here.room.race.phase is Phase.RUNNING
        here.clock.advance(1)
        rows = (await anna.hears(Finished)).rows
        assert [row.elapsed_ms for row in rows] == [LIMIT_MS, LIMIT_MS]


async def test_late_command_is_late_though_the_end_could_not_be_written(prepared: Path) -> None:
    """
    A move after the limit does not get in because the limit's own write has failed.
    """
    fault = Fault(at=0, code=sqlite3.SQLITE_BUSY)
    async with house(prepared, options=Options(limit_ms=LIMIT_MS), factory=fault.factory()) as here:
        anna, bert = await here.enter("anna"), await here.enter("bert")
        await here.begin(anna, bert)
        fault.at = fault.calls + 1
        here.clock.advance(LIMIT_MS)
        here.tell(anna, Play(id=1, ply=0, move="02"))
        assert (await anna.hears(Refused, id=1)).reason == Reason.NOT_STORED
        here.tell(anna, Play(id=2, ply=0, move="02"))
        assert (await anna.hears(Refused, id=2)).reason == Reason.NOT_PLAYING
        assert isinstance(anna.heard[-2], Finished)
