"""A room whose database fails while people come and go, hosts decide, and one race follows another."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from client.view import View
from server.race.restore import kept
from server.race.said import Forgotten, Renamed
from server.race.start import COUNTDOWN_MS
from shared.errors import Reason
from shared.phase import Phase
from shared.protocol.messages import (
    AnyCommand,
    Configure,
    Done,
    Event,
    Finished,
    HandOver,
    Kick,
    Leave,
    Lock,
    Opened,
    Play,
    Played,
    Ready,
    Refused,
    Rematch,
    Resign,
    Roster,
    Snapshot,
    Standings,
    Start,
    Warming,
    WarmUp,
    Watched,
)
from shared.protocol.values import Options
from tests.faults.failing import Fault
from tests.server.rooming import House, Listener, house
from tests.server.storing import query, swept

BUSY, FULL, FSYNC = sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_FSYNC
FAULTS = [
    pytest.param(False, BUSY, id="rolled back"),
    pytest.param(False, FULL, id="unknown and not there"),
    pytest.param(True, FSYNC, id="unknown and there"),
]


def state_of(path: Path) -> object:
    """Return what the file has of the room."""
    return query(path, "SELECT state FROM rooms WHERE id = 'ROOM'")[0][0]


def is_fresh(here: House, listener: Listener) -> bool:
    """Return whether a view is what a snapshot would make it, but for clocks and standings under way."""
    snapshot = here.room.race.snapshot(listener.player.id, here.clock.now_ms())
    fresh = View(player=listener.player.id, name=listener.player.name).after(snapshot)
    view = listener.view
    return replace(view, elapsed_ms=fresh.elapsed_ms, remaining_ms=fresh.remaining_ms, rows=fresh.rows) == fresh


HOSTS: tuple[AnyCommand, ...] = (
    Lock(locked=True),
    Configure(options=Options(suits=2)),
    Kick(player="carl"),
    HandOver(player="bert"),
    Leave(),
)
"""What Anna asks, one after the other."""

CALLS = 5 * 3
"""Calls to SQLite for these: begin, the room, commit."""


@pytest.mark.parametrize(("after", "code"), FAULTS)
async def test_whichever_call_fails_the_hosts_word_is_stored_or_refused(prepared: Path, after: bool, code: int) -> None:
    """
    Call 1, 2, 3 … fails while a host locks, sets options, kicks, hands over and leaves: what is refused has changed
    nothing for anyone, and done again it is done; in the end the file has the room as everyone sees it.
    """
    fault = Fault(at=0, after=after, code=code)
    refused = 0
    async with house(prepared, factory=fault.factory()) as here:
        for at in range(1, CALLS + 1):
            here.open(f"race {at}")
            anna, bert, _ = [await here.enter(name) for name in ("anna", "bert", "carl")]
            fault.at = fault.calls + at
            for command in HOSTS:
                before = here.room.race
                answer = await here.ask(anna, asking(command))
                if isinstance(answer, Refused):
                    assert answer.reason == Reason.NOT_STORED
                    assert here.room.race == before, at
                    refused += 1
                    answer = await here.ask(anna, asking(command))
                assert isinstance(answer, Done), at
                assert state_of(prepared) == kept(here.room.race), at
            assert fault.struck, at
            race = here.room.race
            assert [place.player for place in race.roster.places] == ["bert"]
            assert (race.roster.host, race.roster.locked, race.roster.barred) == ("bert", True, frozenset({"carl"}))
            assert race.options.suits == 2
            while not is_fresh(here, bert):
                await here.turns()
            await here.shut()
    assert refused == CALLS


def asking(command: AnyCommand) -> Callable[[int], AnyCommand]:
    """Return what asks *command* under a given id."""
    return lambda number: replace(command, id=number)


async def test_refused_bar_is_not_in_the_file_for_long(prepared: Path) -> None:
    """
    A write that failed may be there all the same: whatever is written next writes the room as it is.
    """
    fault = Fault(at=0, after=True)
    async with house(prepared, factory=fault.factory()) as here:
        anna, _ = await here.enter("anna"), await here.enter("bert")
        fault.at = fault.calls + 3  # the commit
        here.tell(anna, Kick(id=1, player="bert"))
        assert (await anna.hears(Refused, id=1)).reason == Reason.NOT_STORED
        assert '"bert"' in str(state_of(prepared)).partition("barred")[2]
        here.tell(anna, Ready(id=2, ready=True))
        await anna.hears(Done, id=2)
        assert state_of(prepared) == kept(here.room.race)


@pytest.mark.parametrize("command", [Renamed(name="Ann"), Forgotten(name="former player")], ids=["name", "deletion"])
async def test_what_has_become_of_a_player_is_not_undone(command: Renamed | Forgotten, prepared: Path) -> None:
    """
    The database of players has it already: a room that can't be written says it all the same, and is written next.
    """
    fault = Fault(at=0)
    async with house(prepared, factory=fault.factory()) as here:
        anna, bert = await here.enter("anna"), await here.enter("bert")
        fault.at = fault.calls + 3  # the commit
        here.room.hear_of("anna", command)
        while "Anna" in [seat.name for seat in bert.view.seats]:
            await bert.hears(Roster)
        assert "Anna" in str(state_of(prepared))
        here.tell(bert, WarmUp(id=1))
        await bert.hears(Warming)
        assert state_of(prepared) == kept(here.room.race)
        assert "Anna" not in str(state_of(prepared))
        assert anna.closed is None


async def test_what_nobody_asked_is_not_refused(prepared: Path) -> None:
    """
    A measured delay that stands in a failed commit is noted all the same, and its player hears nothing of it.
    """
    fault = Fault(at=0, code=BUSY)
    async with house(prepared, factory=fault.factory()) as here:
        anna, bert = await here.enter("anna"), await here.enter("bert")
        await here.begin(anna, bert)
        fault.at = fault.calls + 1
        here.tell(anna, Play(id=1, ply=0, move="02"))
        here.room.measure(bert, bert.player, 70)
        assert (await anna.hears(Refused, id=1)).reason == Reason.NOT_STORED
        here.tell(anna, Play(id=2, ply=0, move="02"))
        await anna.hears(Played, id=2)
        assert not any(isinstance(event, Refused) for event in bert.heard)
        assert here.room.race.begun().entrants["bert"].lag_ms == 70


async def test_nobody_is_shown_a_table_whose_opening_is_not_stored(prepared: Path) -> None:
    """
    Who comes to a `live` room while it cannot be written is sent away for now, and the others hear nothing of them.
    """
    fault = Fault(at=0, code=BUSY)
    async with house(prepared, options=Options(view="live"), factory=fault.factory()) as here:
        anna, bert = await here.enter("anna"), await here.enter("bert")
        await here.begin(anna, bert)
        fault.at = fault.calls + 1
        carl = here.arrive("carl")
        while carl.closed is None:
            await here.turns()
        assert (carl.closed, carl.heard) == (Reason.CLOSED, [])
        here.tell(anna, Play(ply=0, move="02"))
        await bert.hears(Standings)
        assert here.room.race.roster.watchers == ()
        back = await here.enter("carl")
        assert sorted(back.view.seen) == [0, 1]


async def test_second_tab_that_is_sent_away_leaves_nobody_there(prepared: Path) -> None:
    """
    The older connection was closed for it: without either the player is not in the room.
    """
    fault = Fault(at=0, code=BUSY)
    async with house(prepared, options=Options(view="live"), factory=fault.factory()) as here:
        anna, bert = await here.enter("anna"), await here.enter("bert")
        await here.begin(anna, bert)
        older = await here.enter("carl")
        fault.at = fault.calls + 1
        newer = here.arrive("carl")
        while newer.closed is None:
            await here.turns()
        assert (older.closed, newer.closed) == (Reason.TAKEN_OVER, Reason.CLOSED)
        assert here.room.race.roster.watchers == ()


async def test_first_coming_that_is_not_stored_is_none(prepared: Path) -> None:
    """
    A starter who was absent at zero is in the log when they are in the room, and the log has no gap.
    """
    fault = Fault(at=0, code=BUSY)
    async with house(prepared, factory=fault.factory()) as here:
        anna, bert = await here.enter("anna"), await here.enter("bert")
        here.tell(bert, Ready(ready=True))
        here.tell(anna, Start(id=1, countdown=1))
        await anna.hears(Done, id=1)
        here.room.leave(bert, bert.player)
        here.clock.advance(COUNTDOWN_MS)
        await anna.hears(Standings)
        fault.at = fault.calls + 1
        back = here.arrive("bert")
        while back.closed is None:
            await here.idle()
        assert not here.room.race.begun().entrants["bert"].seen
        again = await here.enter("bert")
        here.tell(again, Play(id=2, ply=0, move="02"))
        await again.hears(Played, id=2)
        live = await here.store.live_race("race")
        assert live is not None
        assert [row.entry for row in live.rows] == ["begin", "absent bert", "came bert", "02"]


async def test_leaving_that_is_not_stored_is_no_leaving(prepared: Path) -> None:
    """
    The attempt goes on, the connection stays, and the answer is a refusal with a snapshot.
    """
    fault = Fault(at=0, code=BUSY)
    async with house(prepared, factory=fault.factory()) as here:
        anna, bert = await here.enter("anna"), await here.enter("bert")
        await here.begin(anna, bert)
        fault.at = fault.calls + 1
        here.tell(bert, Leave(id=1))
        assert (await bert.hears(Refused, id=1)).reason == Reason.NOT_STORED
        assert (await bert.hears(Snapshot)).hand is not None
        assert (bert.closed, bert.view.playing) == (None, True)
        here.tell(bert, Leave(id=2))
        await bert.hears(Done, id=2)
        assert bert.closed is Reason.LEFT


async def last_to_play(here: House, race: str) -> tuple[Listener, Listener]:
    """Return Anna, who is the last to play in a race of this name, and Bert, who has resigned."""
    here.open(race)
    anna, bert = await here.enter("anna"), await here.enter("bert")
    await here.begin(anna, bert)
    here.tell(bert, Resign(id=1, ply=0))
    await bert.hears(Played, id=1)
    return anna, bert


@pytest.mark.parametrize(("after", "code"), FAULTS)
async def test_end_and_rematch_are_stored_as_one(prepared: Path, after: bool, code: int) -> None:
    """
    A commit that ends one race and opens the next is found by the rows of the one that ends.
    """
    fault = Fault(at=0, after=after, code=code)
    async with house(prepared, factory=fault.factory()) as here:
        anna, bert = await last_to_play(here, "without")
        calls = fault.calls
        here.tell(anna, Resign(id=2, ply=0))
        here.tell(anna, Rematch(id=3, race="without"))
        await anna.hears(Done, id=3)
        commit = fault.calls - calls
        await swept(here.store)
        await here.shut()

        anna, bert = await last_to_play(here, "with")
        fault.at = fault.calls + commit
        here.tell(anna, Resign(id=2, ply=0))
        here.tell(anna, Rematch(id=3, race="with"))
        if not after:
            for number in (2, 3):
                assert (await anna.hears(Refused, id=number)).reason == Reason.NOT_STORED
            assert here.room.race.phase is Phase.RUNNING
            here.tell(anna, Resign(id=2, ply=0))
            here.tell(anna, Rematch(id=3, race="with"))
        await anna.hears(Done, id=3)
        assert fault.struck
        assert (here.room.race.phase, here.room.race.id != "with") == (Phase.OPEN, True)
        while not is_fresh(here, bert):
            await here.turns()
        assert [type(event) for event in bert.heard if isinstance(event, Finished)] == [Finished]
        race = await here.store.read.race("with")
        assert race is not None
        assert race.finished is not None


async def test_countdown_whose_last_moment_is_not_stored_opens_the_race(prepared: Path) -> None:
    """
    What was asked just before zero is refused, and the race begins with the next countdown.
    """
    fault = Fault(at=0, code=BUSY)
    async with house(prepared, factory=fault.factory()) as here:
        anna, bert = await here.enter("anna"), await here.enter("bert")
        here.tell(bert, Ready(ready=True))
        here.tell(anna, Start(id=1, countdown=1))
        await anna.hears(Done, id=1)
        here.clock.advance(COUNTDOWN_MS - 1)
        fault.at = fault.calls + 1
        here.tell(anna, Lock(id=2, locked=True))
        here.clock.advance(1)
        here.tell(bert, Play(id=3, ply=0, move="02"))
        assert (await anna.hears(Refused, id=2)).reason == Reason.NOT_STORED
        await anna.hears(Opened)
        assert (await bert.hears(Refused, id=3)).reason == Reason.WRONG_PHASE
        assert (here.room.race.phase, here.room.race.roster.locked) == (Phase.OPEN, False)
        here.tell(anna, Start(id=4, countdown=2))
        await anna.hears(Done, id=4)
        here.clock.advance(COUNTDOWN_MS)
        await anna.hears(Standings)


async def test_nothing_of_a_live_room_is_shown_before_it_is_stored(prepared: Path) -> None:
    """
    An entry that fails is watched by nobody.
    """
    fault = Fault(at=0, code=BUSY)
    async with house(prepared, options=Options(view="live", seats=2), factory=fault.factory()) as here:
        anna, bert, carl = [await here.enter(name) for name in ("anna", "bert", "carl")]
        await here.begin(anna, bert)
        while len([event for event in carl.heard if isinstance(event, Watched)]) < 2:
            await here.turns()
        shown: list[Event] = []
        carl.check = shown.append
        fault.at = fault.calls + 1
        here.tell(anna, Play(id=1, ply=0, move="02"))
        await anna.hears(Refused, id=1)
        await here.idle()
        assert not any(isinstance(event, Watched | Roster) for event in shown)
        here.tell(anna, Play(id=2, ply=0, move="02"))
        assert (await carl.hears(Watched, seat=0, steps=("02",))).hand.ply == 1
