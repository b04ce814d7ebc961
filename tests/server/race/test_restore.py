"""What outlives a restart: a room as it is kept, and a running race made again of its log."""

import pytest
from hypothesis import given, settings
from msgspec.structs import replace

from server.log import LogRow
from server.race.race import Race
from server.race.restore import kept, opened_again, resumed
from server.race.roster import ABSENT_MS
from server.race.run import STANDSTILL_MS
from server.race.said import Again, Drop, Join
from server.race.start import COUNTDOWN_MS
from shared.attempt import State
from shared.phase import Phase
from shared.protocol.messages import (
    ChooseSuits,
    Configure,
    HandOver,
    Kick,
    Leave,
    Lock,
    Play,
    Ready,
    Resign,
    Restart,
    Start,
    Undo,
    WarmUp,
)
from shared.protocol.values import Options
from tests.server.racing import ANNA, BERT, CARL, DORA, attempt_of, open_race, race_in, run_of, said
from tests.server.telling import Told, chances, gathering, happen, options, playing


def but_for_absences(race: Race) -> Race:
    """Return *race* without what a restart may forget: who is connected since when, delays, countdowns, warm-ups."""
    roster = replace(
        race.roster,
        places=tuple(
            replace(place, since_ms=0, absent_ms=None, ready=False, suits=None) for place in race.roster.places
        ),
        watchers=(),
    )
    run = run_of(race)
    entrants = {
        player: replace(each, name=race.roster.places[each.seat].name, away_ms=None, lag_ms=None)
        for player, each in run.entrants.items()
    }
    run = replace(run, entrants=entrants, began_ms=0, stands_ms=None, goes_on_ms=0)
    return replace(race, roster=roster, run=run, countdown=0, zero_ms=0, warmed=0)


def check_restored(told: Told) -> None:
    """See that a server that starts at this moment would go on with the same race."""
    again = told.restored()
    assert kept(again) == kept(told.race)
    if told.race.phase is not Phase.RUNNING:
        assert (again.phase, again.run, again.options) == (Phase.OPEN, None, told.race.options)
        return
    assert but_for_absences(again) == but_for_absences(told.race)
    lines = [[replace(row, lag_ms=None) for row in run_of(race).standings()] for race in (again, told.race)]
    assert lines[0] == lines[1]
    assert again.next_deadline == told.now_ms + STANDSTILL_MS
    assert run_of(again).time_ms(told.now_ms + 1) == max(row.at_ms for row in told.rows)


@settings(max_examples=25)
@given(options, chances)
def test_whatever_happens_a_restart_goes_on_from_there(rules: Options, numbers: list[int]) -> None:
    """
    After every single thing that players and time do, a race that is rebuilt from what was written has the same
    attempts, standings, marks, seats, host and bars, and as many rows in its log; only who is there is forgotten.
    """
    told = Told(rules)
    for number in numbers:
        happen(told, number)
        check_restored(told)


# A room


def test_room_opens_again_with_its_people_and_rules() -> None:
    """
    Options, seats, names, bots, host, lock and bars are kept; all are away since just now, nobody is ready.
    """
    told = gathering(ANNA, BERT, CARL, DORA, options=Options(seats=3))
    told.say(BERT, Join(name="Bert", bot=True))
    told.say(ANNA, Configure(options=Options(game="freecell", seats=3)))
    told.say(ANNA, HandOver(player=BERT))
    told.say(BERT, Kick(player=CARL))
    told.say(BERT, Lock(locked=True))
    told.say(ANNA, Ready(ready=True))

    again = opened_again("ROOM", kept(told.race), "next", 7_000)

    assert (again.id, again.room, again.phase, again.options) == ("next", "ROOM", Phase.OPEN, told.race.options)
    assert [(place.player, place.name, place.bot) for place in again.roster.places] == [
        (ANNA, "Anna", False),
        (BERT, "Bert", True),
        (DORA, "Dora", False),
    ]
    assert [(place.absent_ms, place.ready) for place in again.roster.places] == [(7_000, False)] * 3
    assert (again.roster.host, again.roster.locked, again.roster.barred) == (BERT, True, frozenset({CARL}))
    assert again.next_deadline == 7_000 + ABSENT_MS


@pytest.mark.parametrize("phase", [Phase.OPEN, Phase.COUNTDOWN, Phase.FINISHED])
def test_whatever_does_not_run_is_open_again(phase: Phase) -> None:
    """
    Whoever comes back finds the seat; a Rematch that is sent again is answered as done.
    """
    again = opened_again("ROOM", kept(race_in(phase)), "next", 5)
    back = said(again, (BERT, Join(name="Bert")), (ANNA, Join(name="Anna")), now_ms=6)
    assert [place.player for place in back.roster.present()] == [ANNA, BERT]
    assert said(back, (ANNA, Again(race="race", next="third")), now_ms=7) == back


def test_equal_rooms_are_kept_as_equal_texts() -> None:
    """
    So that a room is written only when something of it has changed: not for drops, marks, suits, moves or warm-ups.
    """
    told = gathering(ANNA, BERT, options=Options(mixed=True))
    state = kept(told.race)
    for player, command in (
        (BERT, Drop()),
        (BERT, Join(name="Bert")),
        (BERT, ChooseSuits(suits=2)),
        (BERT, WarmUp()),
        (BERT, Ready(ready=True)),
        (ANNA, Start(countdown=1)),
    ):
        told.say(player, command)
        assert kept(told.race) == state
    told.wait(COUNTDOWN_MS)
    assert kept(told.race) == state
    bars = [replace(open_race(ANNA).roster, barred=frozenset(each)) for each in (("x", "y", "z"), ("z", "y", "x"))]
    assert len({kept(Race(id="race", room="ROOM", roster=roster)) for roster in bars}) == 1


@pytest.mark.parametrize(
    ("player", "command"),
    [
        (CARL, Join(name="Carl")),
        (BERT, Join(name="Robert")),
        (BERT, Leave()),
        (ANNA, Kick(player=BERT)),
        (ANNA, Lock(locked=True)),
        (ANNA, HandOver(player=BERT)),
        (ANNA, Configure(options=Options(public=True))),
    ],
    ids=lambda part: type(part).__name__,
)
def test_what_lasts_changes_what_is_kept(
    player: str, command: Join | Leave | Kick | Lock | HandOver | Configure
) -> None:
    """
    Seats, names, bars, lock, host and options.
    """
    race = open_race(ANNA, BERT)
    assert kept(said(race, (player, command))) != kept(race)


# A race


def test_attempts_go_on_where_they_were() -> None:
    """
    Undo still has its past, restarts and resigned attempts are what they were, the next row of the log is the next.
    """
    told = playing(ANNA, BERT, CARL)
    for command in (Play(ply=0, move="02"), Restart(ply=1), Play(ply=2, move="02"), Play(ply=3, move="20")):
        told.say(ANNA, command, 300)
    told.say(CARL, Resign(ply=0))
    before, rows = told.race, len(told.rows)

    told.restart()

    assert attempt_of(told.race, ANNA) == attempt_of(before, ANNA)
    assert attempt_of(told.race, CARL).state is State.RESIGNED
    told.say(ANNA, Join(name="Anna"), 1_000)
    told.say(ANNA, Undo(ply=4), 100)
    assert (told.rows[-1].seq, told.rows[-1].entry) == (rows, "undo")
    told.say(ANNA, Play(ply=3, move="20"))  # sent again, since its answer may have got lost
    assert told.views[ANNA].ply == 5
    told.check_views()


def test_marks_are_those_of_the_start() -> None:
    """
    Practice, ranked and bot are what was written with the begin, whatever is known by now.
    """
    told = gathering(ANNA, BERT)
    told.opened = {(BERT, "simple-simon", 4)}
    told.say(BERT, Join(name="Bert", bot=True))
    told.say(BERT, Ready(ready=True), 0)
    told.say(ANNA, Start(countdown=1), 0)
    told.wait(COUNTDOWN_MS)
    marks = [(row.practice, row.ranked) for row in run_of(told.race).standings()]
    told.restart()
    assert [(row.practice, row.ranked) for row in run_of(told.race).standings()] == marks
    entrants = run_of(told.race).entrants
    assert [(each.practice, each.bot) for each in entrants.values()] == [(False, False), (True, True)]


def test_who_was_never_there_is_still_void() -> None:
    """
    The log says who was absent at zero and who has come since: being there before a stop is not forgotten.
    """
    told = gathering(ANNA, BERT, CARL, options=Options(limit_ms=60_000))
    for player in (BERT, CARL):
        told.say(player, Ready(ready=True), 0)
    told.say(ANNA, Start(countdown=1), 0)
    for player in (BERT, CARL):
        told.say(player, Drop(), 0)
    told.wait(COUNTDOWN_MS)
    told.say(CARL, Join(name="Carl"))
    told.restart()
    told.wait(10**6)
    states = {attempt: ended.state for attempt, ended in told.ended.items()}
    assert states == {"anna's": State.TIMED_OUT, "bert's": State.VOID, "carl's": State.TIMED_OUT}


def test_abandonment_counts_from_when_the_race_stood() -> None:
    """
    Ten minutes of race time without a player after a restart, as after a drop.
    """
    told = playing(ANNA, BERT, options=Options(limit_ms=3_600_000))
    told.say(ANNA, Play(ply=0, move="02"), 4_000)
    told.restart()
    told.wait(STANDSTILL_MS + 600_000 - 1)
    assert told.race.phase is Phase.RUNNING
    told.wait(1)
    assert [(row.at_ms, row.entry) for row in told.rows[-3:]] == [
        (604_000, "abandon"),
        (604_000, "abandon"),
        (604_000, "end"),
    ]


def test_race_that_stands_is_stopped_where_it_stands() -> None:
    """
    A second restart before anyone is back loses no race time, and gains none.
    """
    told = playing(ANNA, BERT)
    told.say(ANNA, Play(ply=0, move="02"), 700)
    told.restart()
    told.wait(10_000)
    race, outcome = told.race.stamped(told.now_ms)
    assert [(row.at_ms, row.entry) for row in outcome.log] == [(700, "clock")]
    told.restart()
    told.say(BERT, Join(name="Bert"), 10_000)
    assert told.views[BERT].elapsed_ms == 700
    assert run_of(race).stands_ms == 700


def test_stamps_of_others_do_not_move_an_attempts_end() -> None:
    """
    Time stands at the greatest stamp in the log, whoever's row it is.
    """
    told = playing(ANNA, BERT)
    told.say(ANNA, Play(ply=0, move="02"), 100)
    live = told.live()
    rows = (*live.rows, LogRow("r1", 2, None, 4_321, "kick zoe"))
    again = resumed(told.restored(), replace(live, rows=rows), told.now_ms)
    assert (run_of(again).stands_ms, run_of(again).rows, attempt_of(again, ANNA).last_ms) == (4_321, 3, 100)
