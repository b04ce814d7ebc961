"""A race as a whole: every command in every phase, deadlines in their order, and what each may know of it."""

from typing import get_args

import pytest
from hypothesis import given, settings
from msgspec.structs import replace

from client.view import View
from server.race.outcome import Audience, Outcome
from server.race.race import HANDLERS
from server.race.said import Again, Begin, Command, Drop, Forgotten, Join, Measured, Renamed
from server.race.start import COUNTDOWN_MS
from shared.phase import Phase
from shared.protocol import messages
from shared.protocol.messages import (
    AnyCommand,
    Cancel,
    ChooseSuits,
    Close,
    Configure,
    Create,
    Finished,
    Forget,
    Gather,
    HandOver,
    Hello,
    Hint,
    Kick,
    Leave,
    Lock,
    Play,
    PlayBest,
    PlayCommand,
    Ready,
    Refused,
    Rematch,
    Rename,
    Resign,
    Restart,
    Start,
    Undo,
    WarmUp,
)
from shared.protocol.values import Options
from tests.server.racing import (
    ANNA,
    BERT,
    CARL,
    DORA,
    SHUTTLE,
    answer_to,
    attempt_of,
    began_ms,
    begin,
    counting_race,
    open_race,
    played,
    race_in,
    reason,
    running_race,
)
from tests.server.telling import Told, chances, happen, options

# Phases and commands

WRONG, STALE, HOST = "WRONG_PHASE", "STALE_PLY", "NOT_HOST"
SAID = [
    # sender, command                          OPEN               COUNTDOWN          RUNNING        FINISHED
    (ANNA, Configure(options=Options(suits=2)), "Done", WRONG, WRONG, WRONG),
    (BERT, Configure(options=Options(suits=2)), HOST, WRONG, WRONG, WRONG),
    (CARL, Configure(options=Options(seats=3)), HOST, WRONG, WRONG, WRONG),
    (ANNA, Configure(options=Options(suits=3)), "CODE_SUITS", WRONG, WRONG, WRONG),
    (ANNA, Configure(options=Options(game="\0")), "CODE_GAME", WRONG, WRONG, WRONG),
    (ANNA, Configure(options=Options(game="freecell", suits=1)), "CODE_SUITS", WRONG, WRONG, WRONG),
    (ANNA, Configure(options=Options(code="!")), "CODE_FORM", WRONG, WRONG, WRONG),
    (BERT, ChooseSuits(suits=2), "NOT_MIXED", WRONG, WRONG, WRONG),
    (CARL, WarmUp(), "Done", WRONG, WRONG, WRONG),
    (DORA, WarmUp(), "NO_SEAT", WRONG, WRONG, WRONG),
    (CARL, Ready(ready=True), "Done", WRONG, WRONG, WRONG),
    (BERT, Ready(ready=False), "Done", WRONG, WRONG, WRONG),
    (DORA, Ready(ready=True), "NO_SEAT", WRONG, WRONG, WRONG),
    (ANNA, Start(countdown=2), "Done", WRONG, WRONG, WRONG),
    (ANNA, Start(countdown=3), "STALE_COUNTDOWN", WRONG, WRONG, WRONG),
    (BERT, Start(countdown=2), HOST, WRONG, WRONG, WRONG),
    (DORA, Start(countdown=2), HOST, WRONG, WRONG, WRONG),
    (ANNA, Cancel(countdown=1), "Done", "Done", WRONG, WRONG),
    (ANNA, Cancel(countdown=2), WRONG, "STALE_COUNTDOWN", WRONG, WRONG),
    (BERT, Cancel(countdown=1), WRONG, HOST, WRONG, WRONG),
    # People
    (ANNA, Lock(locked=True), "Done", "Done", "Done", "Done"),
    (BERT, Lock(locked=True), HOST, HOST, HOST, HOST),
    (ANNA, HandOver(player=CARL), "Done", "Done", "Done", "Done"),
    (ANNA, HandOver(player=DORA), "NOT_HERE", "NOT_HERE", "NOT_HERE", "NOT_HERE"),
    (BERT, HandOver(player=CARL), HOST, HOST, HOST, HOST),
    (ANNA, Kick(player=BERT), "Done", "Done", "Done", "Done"),
    (ANNA, Kick(player=CARL), "Done", "Done", "Done", "Done"),
    (ANNA, Kick(player=DORA), "Done", "Done", "Done", "Done"),
    (ANNA, Kick(player=ANNA), "NOT_HERE", "NOT_HERE", "NOT_HERE", "NOT_HERE"),
    (ANNA, Kick(player="zoe"), "NOT_HERE", "NOT_HERE", "NOT_HERE", "NOT_HERE"),
    (BERT, Kick(player=CARL), HOST, HOST, HOST, HOST),
    (ANNA, Close(), "Done", "Done", "SOMEONE_PLAYS", "Done"),
    (CARL, Close(), HOST, HOST, HOST, HOST),
    (ANNA, Leave(), "Done", "Done", "Done", "Done"),
    (CARL, Leave(), "Done", "Done", "Done", "Done"),
    (DORA, Leave(), "Done", "Done", "Done", "Done"),
    (CARL, Again(race="race", next="next"), WRONG, WRONG, WRONG, "Done"),
    (DORA, Again(race="race", next="next"), WRONG, WRONG, WRONG, "NO_SEAT"),
    # Resends: what they ask for is so already
    (ANNA, Configure(options=Options(seats=3)), "Done", "Done", "Done", "Done"),
    (BERT, Ready(ready=True), "Done", "Done", "Done", "Done"),
    (CARL, Ready(ready=False), "Done", "Done", "Done", "Done"),
    (ANNA, Start(countdown=1), "STALE_COUNTDOWN", "Done", "Done", "Done"),
    (ANNA, Lock(locked=False), "Done", "Done", "Done", "Done"),
    (ANNA, HandOver(player=ANNA), "Done", "Done", "Done", "Done"),
    (BERT, HandOver(player=ANNA), HOST, HOST, HOST, HOST),
    (CARL, Again(race="before", next="next"), "Done", "Done", "Done", "STALE_RACE"),
    # Play; Anna's log has one move and, in FINISHED, her resigning behind it
    (ANNA, Play(ply=1, move="20"), WRONG, WRONG, "Played", STALE),
    (ANNA, Play(ply=1, move="22"), WRONG, WRONG, "IDLE", STALE),
    (ANNA, Play(ply=1, move="zz"), WRONG, WRONG, "BAD_MOVE", STALE),
    (ANNA, PlayBest(ply=1, source="2", count=1), WRONG, WRONG, "Played", STALE),
    (ANNA, PlayBest(ply=1, source="é", count=1), WRONG, WRONG, "BAD_MOVE", STALE),
    (ANNA, Undo(ply=1), WRONG, WRONG, "Played", STALE),
    (BERT, Undo(ply=0), WRONG, WRONG, "NO_UNDO", STALE),
    (ANNA, Restart(ply=1), WRONG, WRONG, "Played", STALE),
    (ANNA, Hint(ply=1), WRONG, WRONG, "NOT_ALLOWED", STALE),
    (ANNA, Gather(ply=1), WRONG, WRONG, "NO_GATHER", STALE),
    (ANNA, Resign(ply=1), WRONG, WRONG, "Played", "Played"),
    (ANNA, Play(ply=0, move="02"), WRONG, WRONG, "Played", "Played"),
    (ANNA, Play(ply=0, move="20"), WRONG, WRONG, STALE, STALE),
    (ANNA, Play(ply=2, move="20"), WRONG, WRONG, STALE, "NOT_PLAYING"),
    (ANNA, Play(ply=2, move="zz"), WRONG, WRONG, STALE, "BAD_MOVE"),
    (ANNA, PlayBest(ply=2, source="2", count=1), WRONG, WRONG, STALE, "NOT_PLAYING"),
    (ANNA, Undo(ply=2), WRONG, WRONG, STALE, "NOT_PLAYING"),
    (ANNA, Restart(ply=2), WRONG, WRONG, STALE, "NOT_PLAYING"),
    (ANNA, Hint(ply=2), WRONG, WRONG, STALE, "NOT_ALLOWED"),
    (ANNA, Gather(ply=2), WRONG, WRONG, STALE, "NOT_PLAYING"),
    (ANNA, Resign(ply=2), WRONG, WRONG, STALE, "NOT_PLAYING"),
    (ANNA, Play(ply=7, move="20"), WRONG, WRONG, STALE, STALE),
    (CARL, Play(ply=0, move="02"), WRONG, WRONG, "NO_SEAT", "NO_SEAT"),
    (DORA, Resign(ply=0), WRONG, WRONG, "NO_SEAT", "NO_SEAT"),
]


@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize("said", SAID, ids=lambda said: f"{said[0]} {type(said[1]).__name__}")
def test_every_command_is_answered_in_every_phase(
    said: tuple[str, messages.Command, str, str, str, str], phase: Phase
) -> None:
    """
    Whoever asks gets one answer with the id of the question; a refusal is all that comes of it.
    """
    sender, command, *expected = said
    race = race_in(phase)
    command = replace(command, id=99)

    after, outcome = race.handle(sender, command, began_ms(race) + 300 if race.run else 1)  # type: ignore[arg-type]

    answer = answer_to(outcome, sender)
    assert answer.id == 99
    told = answer.reason if isinstance(answer, Refused) else type(answer).__name__
    assert told == expected[list(Phase).index(phase)]
    if isinstance(answer, Refused):
        assert after == race
        assert not outcome.writes
        assert not outcome.moved
        snapshots = (race.snapshot(sender, began_ms(race) + 300),) if told == STALE else ()
        assert outcome.to(sender) == (answer, *snapshots)
        assert len(outcome.letters) == len(outcome.to(sender))


def test_table_has_every_command() -> None:
    """
    The table above leaves out no command that a race can be asked; a Rematch reaches it with the next race's id.
    """
    asked = set(get_args(AnyCommand)) - {Hello, Create, Rematch, Rename, Forget} | {Again}
    assert {type(command) for _, command, *_ in SAID} == asked
    assert {command for _, command in HANDLERS} == asked | {Join, Drop, Measured, Renamed, Forgotten, Begin}
    assert set(get_args(PlayCommand)) < asked


@pytest.mark.parametrize(
    ("first", "again"),
    [
        (Configure(options=Options(code="ss1 s2 aaaaabd")), Configure(options=Options(code="ss1 s2 aaaaabd"))),
        (Kick(player=BERT), Kick(player=BERT)),
        (HandOver(player=BERT), HandOver(player=BERT)),
        (Lock(locked=True), Lock(locked=True)),
        (Start(countdown=2), Start(countdown=2)),
    ],
    ids=lambda command: type(command).__name__,
)
def test_resend_is_done_and_changes_nothing(first: Command, again: Command) -> None:
    """
    What was carried out once and is asked again, since its answer got lost, is answered as done.
    """
    race, _ = race_in(Phase.OPEN).handle(ANNA, first, 1)
    after, outcome = race.handle(ANNA, replace(again, id=7), 2)
    assert after == race
    assert outcome == Outcome.done(ANNA, 7)


@pytest.mark.parametrize("phase", Phase)
def test_deal_is_taken_in_the_countdown_only(phase: Phase) -> None:
    """
    A deal that nobody waits for changes nothing, and no player is told of it.
    """
    race = race_in(phase)
    after, outcome = race.handle("", begin(race, 5), COUNTDOWN_MS)
    if phase is Phase.COUNTDOWN:
        assert (after.phase, outcome.begun is None) == (Phase.RUNNING, False)
    else:
        assert after == race
        assert reason(outcome, "") == "WRONG_PHASE"


# Deadlines


def test_zero_asks_for_a_deal() -> None:
    """
    Until it is there the race stays as it is, and a command that comes at zero waits for it.
    """
    race = counting_race(ANNA, BERT)
    assert race.next_deadline == COUNTDOWN_MS
    assert race.tick(COUNTDOWN_MS - 1) == (race, Outcome())
    assert race.tick(COUNTDOWN_MS) == (race, Outcome(draws=True))
    for command in (Cancel(countdown=1), Drop(), Undo(ply=0)):
        assert race.handle(ANNA, command, COUNTDOWN_MS) == (race, Outcome(draws=True))
    cancelled, _ = race.handle(ANNA, Cancel(countdown=1), COUNTDOWN_MS - 1)
    assert cancelled.phase is Phase.OPEN


def test_last_move_in_time_counts_and_the_next_does_not() -> None:
    """
    A deadline is settled before a command of its very moment, however late the timer is.
    """
    race = running_race(SHUTTLE, ANNA, BERT, options=Options(limit_ms=10_000), at_ms=3_000)
    race, outcome = race.handle(ANNA, Play(ply=0, move="02"), 12_999)
    assert [(row.at_ms, row.entry) for row in outcome.log] == [(5_000, "clock"), (9_999, "02")]

    race, outcome = race.handle(ANNA, Play(id=9, ply=1, move="20"), 13_000)

    assert race.phase is Phase.FINISHED
    assert [(row.attempt, row.at_ms, row.entry) for row in outcome.log] == [
        ("anna's", 10_000, "timeout"),
        ("bert's", 10_000, "timeout"),
        (None, 10_000, "end"),
    ]
    refused = answer_to(outcome, ANNA)
    assert isinstance(refused, Refused)
    assert (refused.id, refused.reason) == (9, "NOT_PLAYING")
    assert attempt_of(race, ANNA).ply == 1


def test_late_timer_does_not_move_the_end() -> None:
    """
    Whenever it is settled, an attempt is cut off at the moment it was due.
    """
    race = running_race(SHUTTLE, ANNA, options=Options(limit_ms=10_000), at_ms=3_000)
    on_time, late = race.tick(13_000), race.tick(99_000)
    assert on_time == late
    _, outcome = late
    assert [ended.elapsed_ms for ended in outcome.ended] == [10_000]
    assert outcome.finished is not None
    assert outcome.finished.at == "2026-01-01T00:00:10.000Z"
    assert late[0].tick(999_000) == (late[0], Outcome())


def test_deadlines_of_all_kinds_are_settled_in_their_order() -> None:
    """
    A timer that is minutes late stamps the log, passes the host on and ends the race, each at its own moment.
    """
    race = running_race(SHUTTLE, ANNA, BERT, options=Options(limit_ms=20_000), at_ms=3_000)
    race, _ = race.handle(ANNA, Drop(), 4_000)

    race, outcome = race.tick(999_000)

    assert [(row.at_ms, row.entry) for row in outcome.log] == [
        (5_000, "clock"),
        (10_000, "clock"),
        (15_000, "clock"),
        (20_000, "timeout"),
        (20_000, "timeout"),
        (20_000, "end"),
    ]
    assert [type(event).__name__ for event in outcome.to(Audience.ALL)] == ["Roster", "Finished"]
    assert race.roster.host == BERT


# What is told


def test_snapshot_of_a_running_race_is_the_own_attempt_and_the_standings() -> None:
    """
    A starter gets the own table, hand and code; who watches gets the standings.
    """
    race = played(running_race(SHUTTLE, ANNA, BERT, watching=(CARL,), at_ms=5_000), ANNA, "02", at_ms=50)

    anna, carl = race.snapshot(ANNA, 6_000), race.snapshot(CARL, 6_000)

    assert (anna.phase, anna.elapsed_ms, anna.seat, anna.code) == ("running", 1_000, 0, SHUTTLE)
    assert anna.table is not None
    assert anna.hand is not None
    assert (anna.hand.ply, anna.attempts, anna.seen) == (1, (), ())
    assert [(row.seat, row.place, row.moves) for row in anna.rows] == [(0, 1, 1), (1, None, 0)]
    assert (carl.seat, carl.rows, carl.elapsed_ms) == (2, anna.rows, 1_000)
    assert (carl.code, carl.table, carl.hand, carl.attempts, carl.seen) == (None, None, None, (), ())


def test_nobody_learns_from_a_rival() -> None:
    """
    Two races that differ only in which move Anna played look the same to everyone else, letter by letter.
    """
    one = running_race(SHUTTLE, ANNA, BERT, watching=(CARL,))
    told: list[list[object]] = []
    for move in ("35", "37"):
        race, outcome = one.handle(ANNA, Play(ply=0, move=move), began_ms(one) + 60)
        assert all(letter.to == ANNA for letter in outcome.letters)
        assert attempt_of(race, ANNA).progress == 5
        told.append([race.snapshot(player, 9_000) for player in (BERT, CARL, DORA)] + [race.standings(9_000)])
        assert race.snapshot(ANNA, 9_000) not in told[-1]
    assert told[0] == told[1]


@settings(max_examples=30)
@given(options, chances)
def test_whatever_happens_everyone_is_told_what_is_theirs_to_know(rules: Options, numbers: list[int]) -> None:
    """
    Through races of everything that players do, with drops, kicks, restarts and rematches in them: each command is
    answered once; nobody hears of another's moves or table, nor of a deal they do not start on, before the end or
    without a `live` room; a number that somebody sees was written as opened before; the log has no gap, and no two
    of its stamps lie more than five seconds apart.
    """
    told = Told(rules)
    for number in numbers:
        happen(told, number)


def test_finished_race_is_open_to_all() -> None:
    """
    After the end everyone may know the code and the attempts, in the order of the rows.
    """
    race = race_in(Phase.FINISHED)
    for player in (ANNA, CARL, DORA):
        snapshot = race.snapshot(player, 99_000)
        assert (snapshot.phase, snapshot.code, snapshot.attempts) == ("finished", SHUTTLE, ("anna's", "bert's"))
        assert [row.seat for row in snapshot.rows] == [0, 1]
        assert (snapshot.table is None) == (player != ANNA)


def test_countdown_is_told_as_what_remains() -> None:
    """
    Clocks of clients are not compared with the server's: who comes in the middle hears what is left.
    """
    race = counting_race(ANNA, BERT)
    assert [race.snapshot(ANNA, now_ms).remaining_ms for now_ms in (0, 1_000, 2_999, 3_000, 9_000)] == [
        3_000,
        2_000,
        1,
        0,
        0,
    ]
    assert race.snapshot(ANNA, 0).countdown == 1
    assert race_in(Phase.OPEN).snapshot(ANNA, 0).remaining_ms is None


def test_no_standings_before_the_start() -> None:
    """
    There is nobody to rank until attempts have begun.
    """
    assert race_in(Phase.OPEN).standings(0) is None
    assert race_in(Phase.COUNTDOWN).standings(0) is None
    running = race_in(Phase.RUNNING)
    told = running.standings(began_ms(running) + 5)
    assert told is not None
    assert (told.elapsed_ms, len(told.rows)) == (5, 2)


@pytest.mark.parametrize("phase", Phase)
def test_drawn_number_is_sealed_while_its_race_runs(phase: Phase) -> None:
    """
    At any suits, and in no other game; an exact deal is known to all and seals nothing.
    """
    race = race_in(phase)
    assert race.seals("simple-simon", 4) == (phase is Phase.RUNNING)
    assert not race.seals("simple-simon", 5)
    assert not race.seals("freecell", 4)
    assert not running_race(SHUTTLE, ANNA, BERT, options=Options(code=SHUTTLE)).seals("simple-simon", 4)


def test_lobby_lists_public_rooms_that_have_a_host() -> None:
    """
    A room by link, a locked one and one whose host is gone are not in the list.
    """
    options = Options(public=True, seats=2)
    race = open_race(ANNA, BERT, CARL, options=options)
    listed = race.listed()
    assert listed is not None
    assert (listed.room, listed.host, listed.phase, listed.seats, listed.watchers, listed.options) == (
        "ROOM",
        "Anna",
        "open",
        2,
        1,
        options,
    )
    assert race.handle(ANNA, Lock(locked=True), 1)[0].listed() is None
    assert race.handle(ANNA, Drop(), 1)[0].listed() is None
    assert open_race(ANNA, BERT).listed() is None
    assert open_race(options=options).listed() is None


def test_measured_delay_is_shown_and_never_credited() -> None:
    """
    The standings carry it beside the result; stamps and places are as they would be without.
    """
    race = running_race(SHUTTLE, ANNA, BERT)
    race, outcome = race.handle(BERT, Measured(lag_ms=80), began_ms(race) + 5)
    assert (outcome.moved, outcome.letters, outcome.writes) == (True, (), False)
    race, outcome = race.handle(BERT, Measured(lag_ms=80), began_ms(race) + 6)
    assert not outcome.moved
    race, outcome = race.handle(BERT, Play(ply=0, move="02"), began_ms(race) + 100)
    assert [row.at_ms for row in outcome.log] == [100]
    told = race.standings(began_ms(race) + 100)
    assert told is not None
    assert [(row.seat, row.lag_ms) for row in told.rows] == [(1, 80), (0, None)]
    race, outcome = race.handle(BERT, Resign(ply=1), began_ms(race) + 200)
    assert [ended.lag_ms for ended in outcome.ended] == [80]
    assert race.handle(BERT, Measured(lag_ms=9), began_ms(race) + 300) == (race, Outcome())


def test_view_of_one_who_has_just_come_is_their_snapshot() -> None:
    """
    A spectator's snapshot holds all that the others were told one by one.
    """
    told = Told()
    for player in (ANNA, BERT):
        told.say(player, Join(name=player.title()))
    told.say(BERT, Ready(ready=True))
    told.say(ANNA, Start(countdown=1))
    told.wait(COUNTDOWN_MS)
    told.say(ANNA, Play(ply=0, move="1"), 40)
    told.say(CARL, Join(name="Carl"))
    view = told.views[CARL]
    assert view == View(player=CARL, name="Carl").after(told.race.snapshot(CARL, told.now_ms))
    assert not any(isinstance(event, Finished) for _, event in told.heard)
