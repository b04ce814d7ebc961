"""A client's view: what each event changes, and that old snapshot + events = new snapshot, against the real race."""

import pytest
from hypothesis import given, settings
from msgspec.structs import replace

from client.moving import laid
from client.view import Seen as SeenTable
from client.view import View
from server.race.said import Command, Drop, Join
from server.race.start import COUNTDOWN_MS
from shared.attempt import State
from shared.phase import Phase
from shared.protocol.messages import (
    AnyEvent,
    Began,
    Cancel,
    Choices,
    ChooseSuits,
    Configure,
    Configured,
    Countdown,
    Created,
    Done,
    Finished,
    Hinted,
    Opened,
    Play,
    Played,
    Ready,
    Refused,
    Renamed,
    Resign,
    Rooms,
    Roster,
    Snapshot,
    Standings,
    Start,
    Warming,
    Watched,
    Welcome,
)
from shared.protocol.values import Can, Choice, Hand, Options, Seat, Seen, Standing, Table, Watcher
from tests import vectors
from tests.play import SOLUTIONS
from tests.server.racing import ANNA, BERT, CARL
from tests.server.telling import Told, chances, gathering, happen, options, playing


@settings(max_examples=40)
@given(options, chances)
def test_old_snapshot_and_events_make_the_new_snapshot(rules: Options, numbers: list[int]) -> None:
    """
    For players, spectators, finishers and who was kicked, through races of everything that players do, resends,
    drops, warm-ups, restarts and rematches included, in rooms that show the tables and in others: after each thing
    that happens every view is what a fresh snapshot would make it.
    """
    told = Told(rules)
    for number in numbers:
        happen(told, number)
        told.check_views()


def test_before_the_start_views_follow_too() -> None:
    """
    Joins, drops, options, ready marks, a countdown stopped and one that comes to nothing: old snapshot + events =
    new snapshot at each of them.
    """
    told = Told()
    steps: list[tuple[str, Command]] = [
        (ANNA, Join(name="Anna")),
        (BERT, Join(name="Bert")),
        (BERT, Configure(options=Options(suits=2))),  # not the host
        (ANNA, Configure(options=Options(suits=4))),
        (ANNA, Ready(ready=True)),
        (BERT, Ready(ready=True)),
        (CARL, Join(name="Carl")),
        (ANNA, Cancel(countdown=1)),
        (BERT, Start(countdown=2)),  # not the host
        (ANNA, Start(countdown=2)),
        (ANNA, Drop()),
        (BERT, Drop()),
    ]
    phases = []
    for player, command in steps:
        told.say(player, command)
        told.check_views()
        phases.append(told.race.phase)
    assert phases == [Phase.OPEN] * 5 + [Phase.COUNTDOWN] * 2 + [Phase.OPEN] * 2 + [Phase.COUNTDOWN] * 3
    told.wait(COUNTDOWN_MS)  # nobody is there at zero
    told.check_views()
    assert told.views[CARL].phase == Phase.OPEN


@pytest.mark.parametrize("solutions", SOLUTIONS[2:])
def test_won_race_is_seen_by_all(solutions: str) -> None:
    """
    One solves, the other resigns: states, places and the attempts' ids are in every view, and the table is bare.
    """
    solved = next(row for row in vectors.solved(solutions) if vectors.own_number(row))
    options = Options(game=vectors.rules_of(solved).name, suits=vectors.suits_of(solved))
    told = playing(ANNA, BERT, options=options, watching=(CARL,), number=vectors.own_number(solved) or 0)
    for ply, move in enumerate(solved["moves"]):
        told.say(ANNA, Play(ply=ply, move=vectors.move_text(move)))
        told.check_views()
    told.say(BERT, Resign(ply=0))
    told.check_views()
    anna, carl = told.views[ANNA], told.views[CARL]
    assert [(row.seat, row.place, row.state) for row in carl.rows] == [(0, 1, "solved"), (1, None, "resigned")]
    assert carl.attempts == {0: "anna's", 1: "bert's"}
    assert anna.table is not None
    assert not any(anna.table.columns)
    assert carl.table is None


def test_own_suits_are_the_own_code_to_the_end() -> None:
    """
    Where suits are mixed a starter's code stays the starter's own, also when the race's is told to all.
    """
    told = gathering(ANNA, BERT, options=Options(mixed=True))
    told.say(BERT, ChooseSuits(suits=4))
    told.say(BERT, Ready(ready=True))
    told.say(ANNA, Start(countdown=1))
    told.wait(COUNTDOWN_MS)
    for player in (ANNA, BERT):
        told.say(player, Resign(ply=0))
    told.say(CARL, Join(name="Carl"))
    codes = {player: view.code for player, view in told.views.items()}
    assert codes == {ANNA: "SS1-S1-AAAAAAE", BERT: "SS1-S4-AAAAAAE", CARL: "SS1-S1-AAAAAAE"}


# One event at a time

SEATS = (Seat(seat=0, player=ANNA, name="Anna", host=True), Seat(seat=1, player=BERT, name="Bert"))
WATCHERS = (Watcher(player=CARL, name="Carl"),)
TABLE = Table(columns=("KS QS", "", "JS"), home=(0, 0, 0, 0))
CHOICES = Choices(ply=0, choices=(Choice(source="3", count=1, targets=("1", "2"), best="1"),), joined=("01", "", "0"))


def row(seat: int, place: int | None, state: str = State.PLAYING) -> Standing:
    """Return a line of the standings."""
    return Standing(seat=seat, place=place, score=500, moves=0, progress=0, state=state)


def hand(ply: int, state: str = State.PLAYING) -> Hand:
    """Return an own attempt with everything lit that its end puts out."""
    return Hand(ply=ply, score=500, moves=ply, progress=3, state=state, can=Can(undo=True), stuck=True)


def test_own_seat_and_names_come_from_the_roster() -> None:
    """
    Who one is, is told by Welcome; where one sits, by the roster; a stranger to it watches.
    """
    anna = View().after(Welcome(player=ANNA, name="Anna")).after(Roster(seats=SEATS))
    assert (anna.seat, anna.host, anna.name_of(1), anna.name_of(7)) == (0, True, "Bert", "")
    bert = View().after(Welcome(player=BERT, name="Bert")).after(Roster(seats=SEATS))
    assert (bert.seat, bert.host) == (1, False)
    carl = View().after(Welcome(player=CARL, name="Carl")).after(Roster(seats=SEATS))
    assert (carl.seat, carl.host) == (None, False)


def test_answer_to_a_resend_changes_nothing() -> None:
    """
    A ply that is not above the view's own was applied before: a client applies each once.
    """
    view = View().after(Began(race="r1", limit_ms=60_000, code="SS1-S1-AAAAABD", table=TABLE, hand=hand(0)))
    once = view.after(Played(hand=hand(1), steps=("31",)))
    assert once.table != view.table
    assert once.after(Played(hand=hand(1), steps=("31",))) == once
    assert once.after(Hinted(hand=hand(1), move="13")) == once
    assert once.after(Hinted(hand=hand(2), move="13")) == replace(once, hand=hand(2))


def test_answers_to_one_command_change_nothing() -> None:
    """
    Done, Refused and Created speak to whoever asked, the lobby's list is of other rooms: the view is as it was.
    """
    view = View(player=ANNA, phase=Phase.RUNNING)
    answers: list[AnyEvent] = [Done(id=1), Refused(id=2, reason="BUSY"), Created(id=3, room="GUGU"), Rooms(rooms=())]
    assert [view.after(answer) for answer in answers] == [view] * 4


def test_those_who_watch_see_no_deal() -> None:
    """
    Began tells spectators that it runs and no more; code and ids come with the end.
    """
    view = View(player=CARL).after(Began(race="r1", limit_ms=60_000))
    assert (view.phase, view.elapsed_ms, view.code, view.table, view.hand, view.playing) == (
        Phase.RUNNING,
        0,
        None,
        None,
        None,
        False,
    )
    over = view.after(Finished(race="r1", code="SS1-S1-AAAAABD", rows=(row(1, 1, State.SOLVED),), attempts=("a1",)))
    assert (over.phase, over.code, over.attempts, over.table) == (Phase.FINISHED, "SS1-S1-AAAAABD", {1: "a1"}, None)


def test_changed_lines_are_merged_and_ranked() -> None:
    """
    Lines that did not change stay; the order is by place, then seat, those without a place last.
    """
    view = View().after(Standings(elapsed_ms=1, rows=(row(0, None), row(1, None), row(2, None), row(3, None))))
    view = view.after(Standings(elapsed_ms=2, rows=(row(3, 1),)))
    view = view.after(Standings(elapsed_ms=3, rows=(row(2, 2), row(0, 2))))
    assert [(line.seat, line.place) for line in view.rows] == [(3, 1), (0, 2), (2, 2), (1, None)]
    assert view.elapsed_ms == 3


def test_own_line_tells_that_time_was_up() -> None:
    """
    Nothing else tells a player that the server ended the attempt: no command is offered any more.
    """
    view = replace(View(player=BERT, seat=1, hand=hand(4)), seats=SEATS)
    others = view.after(Standings(elapsed_ms=9, rows=(row(0, 1, State.SOLVED), row(1, 2))))
    assert others.hand == hand(4)
    own = others.after(Standings(elapsed_ms=9, rows=(row(1, 2, "timed_out"),)))
    assert own.hand == Hand(ply=4, score=500, moves=4, progress=3, state="timed_out")
    solved = replace(view, hand=hand(4, State.SOLVED)).after(Standings(elapsed_ms=9, rows=(row(1, 1, State.SOLVED),)))
    assert solved.hand == hand(4, State.SOLVED)


def test_own_name_is_another() -> None:
    """
    Nothing else changes by it: who is here is told to everyone.
    """
    before = View(player=ANNA, name="Anna", room="ROOM", seats=SEATS, seat=0)
    assert before.after(Renamed(name="Ann")) == replace(before, name="Ann")


def test_snapshot_replaces_all_but_who_one_is() -> None:
    """
    Nothing of before survives a snapshot, and the client's own id and name do.
    """
    before = View(player=ANNA, name="Anna", code="SS1-S1-AAAAABD", rows=(row(0, 1),), attempts={0: "a"}, hand=hand(3))
    told = Snapshot(room="ROOM", race="r2", phase=Phase.OPEN, options=Options(suits=2), seats=SEATS, seat=0)
    full = replace(
        before,
        choices=CHOICES.choices,
        joined=("0",),
        seen={1: SeenTable(laid(TABLE), hand(1))},
        warming=True,
        paused=True,
    )
    full = replace(full, watchers=WATCHERS, locked=True, elapsed_ms=5, remaining_ms=6, countdown=7)
    assert full.after(told) == View(
        player=ANNA,
        name="Anna",
        room="ROOM",
        race="r2",
        phase=Phase.OPEN,
        options=Options(suits=2),
        seats=SEATS,
        seat=0,
    )


def began(view: View | None = None) -> View:
    """Return the view of a starter at the start."""
    return (view or View()).after(Began(race="r1", limit_ms=60_000, code="SS1-S1-AAAAABD", table=TABLE, hand=hand(0)))


def test_choices_are_those_of_the_table_that_lies_there() -> None:
    """
    They go with the table, stay over a hint, and come late for a table that has changed; time up leaves none.
    """
    view = began().after(CHOICES)
    assert (view.choices, view.joined) == (CHOICES.choices, CHOICES.joined)
    moved = view.after(Played(hand=hand(1), steps=("31",)))
    assert (moved.choices, moved.joined) == ((), ())
    assert moved.after(CHOICES) == moved
    assert moved.after(replace(CHOICES, ply=1)).choices == CHOICES.choices
    assert view.after(Hinted(hand=hand(1), move="31")).choices == CHOICES.choices
    over = replace(view, seat=1).after(Standings(elapsed_ms=9, rows=(row(1, 2, "timed_out"),)))
    assert (over.choices, over.joined) == ((), CHOICES.joined)


def test_warm_up_lies_there_until_the_countdown() -> None:
    """
    A table, a hand and choices as in a race, without a code; they go with the countdown, and with other options.
    """
    view = View(phase=Phase.OPEN).after(Warming(table=TABLE, hand=hand(0))).after(CHOICES)
    assert (view.warming, view.ply, view.table, view.code) == (True, 0, laid(TABLE), None)
    assert view.after(Played(hand=hand(1), steps=("31",))).warming
    another = view.after(Played(hand=hand(1), steps=("31",))).after(Warming(table=TABLE, hand=hand(0)))
    assert (another.ply, another.table, another.choices) == (0, laid(TABLE), ())
    endings: list[AnyEvent] = [Countdown(countdown=1, remaining_ms=3_000), Configured(options=Options())]
    for event in endings:
        bare = view.after(event)
        assert (bare.warming, bare.table, bare.hand, bare.choices, bare.joined) == (False, None, None, (), ())
    assert view.after(Opened(countdown=1)).warming


def test_watched_tables_follow_their_steps() -> None:
    """
    From a first table on, each entry once; what is not known yet cannot be followed, and is left to a snapshot.
    """
    first = Watched(seat=1, hand=hand(0), table=TABLE)
    view = began(View(seat=0)).after(first)
    assert view.seen == {1: SeenTable(laid(TABLE), hand(0))}
    moved = view.after(Watched(seat=1, hand=hand(1), steps=("31",)))
    assert moved.seen[1].table.columns[2] == b""
    assert moved.after(Watched(seat=1, hand=hand(1), steps=("31",))) == moved
    assert moved.after(Watched(seat=0, hand=hand(4), steps=("31",))) == moved
    hinted = moved.after(Watched(seat=1, hand=hand(2)))
    assert (hinted.seen[1].table, hinted.seen[1].hand.ply) == (moved.seen[1].table, 2)
    again = moved.after(Watched(seat=1, hand=hand(3), table=TABLE))
    assert again.seen[1].table == laid(TABLE)
    over = moved.after(Standings(elapsed_ms=9, rows=(row(1, 2, "timed_out"),)))
    assert over.seen[1].hand == Hand(ply=1, score=500, moves=1, progress=3, state="timed_out")
    assert over.table == moved.table


def test_time_that_stood_still_goes_on_with_the_standings() -> None:
    """
    Nothing else tells those who wait that a player is back; the end does too.
    """
    told = Snapshot(
        room="ROOM", race="r1", phase=Phase.RUNNING, options=Options(), seats=SEATS, elapsed_ms=700, paused=True
    )
    view = View(player=CARL).after(told)
    assert view.paused
    assert view.after(Roster(seats=SEATS)).paused
    assert not view.after(Standings(elapsed_ms=700, rows=(row(0, 1),))).paused
    assert not view.after(Finished(race="r1", code="SS1-S1-AAAAABD", rows=(), attempts=())).paused


def test_who_watches_and_whether_it_is_locked_come_with_the_roster() -> None:
    """
    And with a snapshot, which also brings the tables of a `live` room.
    """
    view = View(player=CARL).after(Roster(seats=SEATS, watchers=WATCHERS, locked=True))
    assert (view.watchers, view.locked, view.seat) == (WATCHERS, True, None)
    assert not view.after(Roster(seats=SEATS)).locked
    seen = (Seen(seat=0, table=TABLE, hand=hand(2)),)
    told = Snapshot(
        room="ROOM",
        race="r1",
        phase=Phase.RUNNING,
        options=Options(),
        seats=SEATS,
        watchers=WATCHERS,
        locked=True,
        seen=seen,
    )
    view = View(player=CARL).after(told)
    assert (view.watchers, view.locked, view.seen) == (WATCHERS, True, {0: SeenTable(laid(TABLE), hand(2))})
