"""A race from its first seat to its end: every command in every phase, and everything that deadlines do."""

from typing import get_args

import pytest
from msgspec.structs import replace

from server.outcome import Audience, Outcome
from server.phase import Phase
from server.play import PlayCommand
from server.race import Race
from server.run import FINISH_WINDOW_MS
from server.said import Command, Drop, Join
from server.start import COUNTDOWN_MS
from shared.attempt import State
from shared.protocol import messages
from shared.protocol.messages import (
    AnyCommand,
    Began,
    Cancel,
    Configure,
    Configured,
    Countdown,
    Done,
    Event,
    Finished,
    Gather,
    Hello,
    Hint,
    Hinted,
    Opened,
    Play,
    PlayBest,
    Played,
    Ready,
    Refused,
    Resign,
    Restart,
    Roster,
    Snapshot,
    Start,
    Undo,
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
    begun,
    counting_race,
    entrant_of,
    open_race,
    played,
    reason,
    running_race,
    winning_line,
)

MINUTE_MS = 60_000

# Phases and commands


def race_in(phase: Phase) -> Race:
    """Return a race in *phase*, after one countdown: Anna, the host, and Bert start, Carl sits, Dora does not."""
    counting = counting_race(ANNA, BERT, watching=(CARL,), options=Options(seats=3))
    if phase is Phase.OPEN:
        return counting.handle(ANNA, Cancel(countdown=1), 0)[0]
    if phase is Phase.COUNTDOWN:
        return counting
    race, _ = begun(counting, 4, COUNTDOWN_MS)
    race = played(race, ANNA, "02", at_ms=100)
    if phase is Phase.RUNNING:
        return race
    for player in (ANNA, BERT):
        race, _ = race.handle(player, Resign(ply=attempt_of(race, player).ply), COUNTDOWN_MS + 200)
    return race


WRONG, STALE = "WRONG_PHASE", "STALE_PLY"
SAID = [
    # sender, command                          OPEN               COUNTDOWN          RUNNING        FINISHED
    (ANNA, Configure(options=Options(suits=2)), "Done", WRONG, WRONG, WRONG),
    (BERT, Configure(options=Options(suits=2)), "NOT_HOST", WRONG, WRONG, WRONG),
    (CARL, Configure(options=Options(seats=3)), "NOT_HOST", WRONG, WRONG, WRONG),
    (ANNA, Configure(options=Options(suits=3)), "CODE_SUITS", WRONG, WRONG, WRONG),
    (ANNA, Configure(options=Options(game="\0")), "CODE_GAME", WRONG, WRONG, WRONG),
    (ANNA, Configure(options=Options(game="freecell", suits=1)), "CODE_SUITS", WRONG, WRONG, WRONG),
    (CARL, Ready(ready=True), "Done", WRONG, WRONG, WRONG),
    (BERT, Ready(ready=False), "Done", WRONG, WRONG, WRONG),
    (DORA, Ready(ready=True), "NO_SEAT", WRONG, WRONG, WRONG),
    (ANNA, Start(countdown=2), "Done", WRONG, WRONG, WRONG),
    (ANNA, Start(countdown=3), "STALE_COUNTDOWN", WRONG, WRONG, WRONG),
    (BERT, Start(countdown=2), "NOT_HOST", WRONG, WRONG, WRONG),
    (DORA, Start(countdown=2), "NOT_HOST", WRONG, WRONG, WRONG),
    (ANNA, Cancel(countdown=1), "Done", "Done", WRONG, WRONG),
    (ANNA, Cancel(countdown=2), WRONG, "STALE_COUNTDOWN", WRONG, WRONG),
    (BERT, Cancel(countdown=1), WRONG, "NOT_HOST", WRONG, WRONG),
    # Resends: what they ask for is so already
    (ANNA, Configure(options=Options(seats=3)), "Done", "Done", "Done", "Done"),
    (BERT, Ready(ready=True), "Done", "Done", "Done", "Done"),
    (CARL, Ready(ready=False), "Done", "Done", "Done", "Done"),
    (ANNA, Start(countdown=1), "STALE_COUNTDOWN", "Done", "Done", "Done"),
    (BERT, Start(countdown=1), "NOT_HOST", WRONG, WRONG, WRONG),
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
    The table above leaves no command out.
    """
    assert {type(command) for _, command, *_ in SAID} == set(get_args(AnyCommand)) - {Hello}
    assert set(get_args(PlayCommand)) < set(get_args(AnyCommand))


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


# Seats


def test_first_to_come_is_host_and_seats_are_numbered() -> None:
    """
    Who comes hears the whole room, then everyone hears who is there.
    """
    race, _ = Race(id="race", room="ROOM").handle(ANNA, Join(name="Anna"), 0)
    race, outcome = race.handle(BERT, Join(name="Bert"), 0)

    seats = (
        messages.Seat(seat=0, player=ANNA, name="Anna", host=True),
        messages.Seat(seat=1, player=BERT, name="Bert"),
    )
    snapshot, roster = (letter.event for letter in outcome.letters)
    assert snapshot == Snapshot(room="ROOM", race="race", phase="open", options=Options(), seats=seats, seat=1)
    assert roster == Roster(seats=seats)
    assert [letter.to for letter in outcome.letters] == [BERT, Audience.ALL]


def test_who_finds_no_seat_watches() -> None:
    """
    When the seats are taken, or the countdown has begun, newcomers watch: the roster does not know them.
    """
    full = open_race(ANNA, BERT, options=Options(seats=2))
    for race in (full, counting_race(ANNA, BERT), race_in(Phase.RUNNING), race_in(Phase.FINISHED)):
        after, outcome = race.handle(DORA, Join(name="Dora"), 0)
        assert after == race
        assert [letter.to for letter in outcome.letters] == [DORA]
        (snapshot,) = outcome.to(DORA)
        assert isinstance(snapshot, Snapshot)
        assert (snapshot.seat, snapshot.hand, snapshot.table) == (None, None, None)
        gone, silent = after.handle(DORA, Drop(), 0)
        assert (gone, silent) == (race, Outcome())


@pytest.mark.parametrize("phase", Phase)
def test_seat_is_kept_for_who_drops(phase: Phase) -> None:
    """
    A drop is not a leave: who comes back sits where they sat, in every phase, under their own name.
    """
    race = race_in(phase)
    dropped, outcome = race.handle(BERT, Drop(), COUNTDOWN_MS - 1)
    assert outcome.to(Audience.ALL) == (Roster(seats=dropped.roster.told()),)
    assert [seat.connected for seat in dropped.roster.told()] == [True, False, True]

    back, outcome = dropped.handle(BERT, Join(name="Robert"), COUNTDOWN_MS - 1)

    assert [(seat.seat, seat.name, seat.connected) for seat in back.roster.told()][1] == (1, "Bert", True)
    assert outcome.to(BERT) == (back.snapshot(BERT, COUNTDOWN_MS - 1),)


def test_drop_clears_the_ready_mark() -> None:
    """
    Nobody starts who is not there: in OPEN the mark goes with the connection, later the starters are fixed.
    """
    race, _ = open_race(ANNA, BERT, ready=(BERT,)).handle(BERT, Drop(), 0)
    race, _ = race.handle(BERT, Join(name="Bert"), 0)
    assert race.roster.ready() == ()

    counting, _ = counting_race(ANNA, BERT).handle(BERT, Drop(), 0)
    assert counting.starters == (ANNA, BERT)
    assert counting.roster.places[1].ready


def test_host_passes_on_and_back() -> None:
    """
    Whoever has sat there longest of those who are present is host; with nobody present nobody is.
    """
    race = open_race(ANNA, BERT, CARL)
    hosts = [race.roster.host]
    for player, command in (
        (ANNA, Drop()),
        (BERT, Drop()),
        (CARL, Drop()),
        (CARL, Join(name="")),
        (ANNA, Join(name="")),
    ):
        race, _ = race.handle(player, command, 0)
        hosts.append(race.roster.host)
    assert hosts == [ANNA, BERT, CARL, None, CARL, ANNA]
    assert [seat.host for seat in race.roster.told()] == [True, False, False]


def test_new_host_may_start() -> None:
    """
    When the host has dropped the next one's word counts, and the old one's does no longer.
    """
    race, _ = open_race(ANNA, BERT, CARL).handle(ANNA, Drop(), 0)
    assert reason(race.handle(ANNA, Start(countdown=1), 0)[1], ANNA) == "NOT_HOST"
    race, _ = race.handle(BERT, Start(countdown=1), 0)
    assert race.starters == (BERT,)


# Before the start


def test_options_clear_every_ready_mark() -> None:
    """
    Nobody starts a race that is another than they agreed to; the same options again are no change.
    """
    race = open_race(ANNA, BERT, CARL, ready=(BERT,))
    options = Options(game="freecell", goal="score")
    race, outcome = race.handle(ANNA, Configure(id=1, options=options), 0)
    assert outcome.to(Audience.ALL) == (Configured(options=options), Roster(seats=race.roster.told()))
    assert (race.options, race.roster.ready()) == (options, ())

    race, _ = race.handle(BERT, Ready(ready=True), 0)
    again, outcome = race.handle(ANNA, Configure(id=2, options=options), 0)
    assert again == race
    assert len(outcome.letters) == 1
    assert outcome.to(ANNA) == (Done(id=2),)


def test_host_starts_by_hand() -> None:
    """
    The host's word makes the own seat ready and begins the countdown with all who are; the others watch.
    """
    race = open_race(ANNA, BERT, CARL, ready=(BERT,))

    race, outcome = race.handle(ANNA, Start(id=1, countdown=1), 500)

    assert (race.phase, race.starters, race.zero_ms) == (Phase.COUNTDOWN, (ANNA, BERT), 500 + COUNTDOWN_MS)
    assert outcome.to(ANNA) == (Done(id=1),)
    assert outcome.to(Audience.ALL) == (
        Roster(seats=race.roster.told()),
        Countdown(countdown=1, remaining_ms=COUNTDOWN_MS),
    )
    assert not outcome.writes
    assert [seat.ready for seat in race.roster.told()] == [True, True, False]


def test_all_ready_start_by_themselves() -> None:
    """
    Two or more present seats that are all ready need no host; one alone does.
    """
    alone = open_race(ANNA, ready=(ANNA,))
    assert alone.phase is Phase.OPEN

    race = open_race(ANNA, BERT, CARL, ready=(ANNA, CARL))
    assert race.phase is Phase.OPEN
    race, outcome = race.handle(BERT, Ready(id=1, ready=True), 0)
    assert (race.phase, race.starters) == (Phase.COUNTDOWN, (ANNA, BERT, CARL))
    assert outcome.to(Audience.ALL)[-1] == Countdown(countdown=1, remaining_ms=COUNTDOWN_MS)


def test_absent_seats_hold_nobody_up() -> None:
    """
    All present seats have to be ready: one whose player is gone has not.
    """
    race, _ = open_race(ANNA, BERT, CARL, ready=(ANNA,)).handle(CARL, Drop(), 0)
    race, _ = race.handle(BERT, Ready(ready=True), 0)
    assert (race.phase, race.starters) == (Phase.COUNTDOWN, (ANNA, BERT))


def test_cancelled_countdown_opens_the_race_again() -> None:
    """
    Ready marks stay; the old Start, sent again, begins nothing, and the next countdown has another number.
    """
    race = counting_race(ANNA, BERT)
    race, outcome = race.handle(ANNA, Cancel(id=1, countdown=1), 100)
    assert outcome.to(Audience.ALL) == (Opened(countdown=1),)
    assert outcome.to(ANNA) == (Done(id=1),)
    assert (race.phase, race.starters, race.roster.ready()) == (Phase.OPEN, (), (ANNA, BERT))
    assert race.next_deadline() is None

    assert reason(race.handle(ANNA, Start(countdown=1), 200)[1], ANNA) == "STALE_COUNTDOWN"
    again, outcome = race.handle(ANNA, Cancel(id=2, countdown=1), 200)
    assert (again, outcome.letters[0].event, len(outcome.letters)) == (race, Done(id=2), 1)
    race, _ = race.handle(ANNA, Start(countdown=2), 200)
    assert (race.phase, race.countdown, race.zero_ms) == (Phase.COUNTDOWN, 2, 200 + COUNTDOWN_MS)


def test_resent_ready_does_not_start_again() -> None:
    """
    After a cancelled countdown all are ready still: a mark that is sent again is no new word.
    """
    race, _ = counting_race(ANNA, BERT).handle(ANNA, Cancel(countdown=1), 0)
    race, _ = race.handle(BERT, Ready(ready=True), 0)
    assert race.phase is Phase.OPEN
    for ready in (False, True):
        race, _ = race.handle(BERT, Ready(ready=ready), 0)
    assert race.phase is Phase.COUNTDOWN


def test_resent_start_does_not_begin_anew() -> None:
    """
    The countdown goes on from where it is.
    """
    race = counting_race(ANNA, BERT)
    after, outcome = race.handle(ANNA, Start(id=2, countdown=1), 1_000)
    assert after == race
    assert len(outcome.letters) == 1
    assert answer_to(outcome, ANNA) == Done(id=2)


# The end of the countdown


def test_zero_asks_for_a_deal() -> None:
    """
    Until it is there the race stays as it is, and a command that comes at zero waits for it.
    """
    race = counting_race(ANNA, BERT)
    assert race.next_deadline() == COUNTDOWN_MS
    assert race.tick(COUNTDOWN_MS - 1) == (race, Outcome())
    assert race.tick(COUNTDOWN_MS) == (race, Outcome(draws=True))
    for command in (Cancel(countdown=1), Drop(), Undo(ply=0)):
        assert race.handle(ANNA, command, COUNTDOWN_MS) == (race, Outcome(draws=True))
    cancelled, _ = race.handle(ANNA, Cancel(countdown=1), COUNTDOWN_MS - 1)
    assert cancelled.phase is Phase.OPEN


def test_all_starters_get_the_same_deal_at_once() -> None:
    """
    Code, table and hand go to all starters in one event; whoever watches hears that it runs, and no more.
    """
    race, outcome = begun(counting_race(ANNA, BERT, watching=(CARL,)), 35, COUNTDOWN_MS + 20)

    full, blind = outcome.to(Audience.STARTERS)[0], outcome.to(Audience.OTHERS)[0]
    assert isinstance(full, Began)
    assert full.code == "SS1-S1-AAAAABD"
    assert full.table is not None
    assert len(full.table.columns) == 10
    assert full.hand is not None
    assert (full.hand.ply, full.hand.score, full.hand.can) == (0, 500, messages.Can(restart=True))
    assert blind == Began(race="race", limit_ms=15 * MINUTE_MS)
    assert len(outcome.letters) == 2
    assert attempt_of(race, ANNA).position == attempt_of(race, BERT).position
    assert race.next_deadline() == COUNTDOWN_MS + 20 + 15 * MINUTE_MS


def test_start_is_written_with_its_attempts() -> None:
    """
    One batch has the race, an attempt for each starter, who had opened the number before, and row 0 of the log.
    """
    race = counting_race(ANNA, BERT, options=Options(suits=2, goal="score"))
    deal = replace(begin(race, 35), practice=frozenset({BERT}))
    race, outcome = race.handle("", deal, COUNTDOWN_MS)

    begun = outcome.begun
    assert begun is not None
    assert (begun.race, begun.room, begun.code, begun.suits, begun.number) == ("race", "ROOM", "SS1-S2-AAAAABD", 2, 35)
    assert begun.started == "2026-01-01T00:00:00.000Z"
    assert '"goal":"score"' in begun.options
    assert [(each.attempt, each.player, each.seat, each.practice) for each in begun.attempts] == [
        ("anna's", ANNA, 0, False),
        ("bert's", BERT, 1, True),
    ]
    assert [(row.race, row.seq, row.attempt, row.at_ms, row.entry) for row in outcome.log] == [
        ("race", 0, None, 0, "begin")
    ]


def test_countdown_without_starters_comes_to_nothing() -> None:
    """
    If no starter is connected at zero the race is OPEN again; that others are there does not matter.
    """
    race = counting_race(ANNA, BERT, watching=(CARL,))
    for player in (ANNA, BERT):
        race, _ = race.handle(player, Drop(), 10)

    opened, outcome = race.tick(COUNTDOWN_MS)
    assert (opened.phase, opened.starters) == (Phase.OPEN, ())
    assert outcome == Outcome(letters=outcome.letters)
    assert outcome.to(Audience.ALL) == (Opened(countdown=1),)

    back, _ = race.handle(BERT, Join(name="Bert"), 20)
    assert back.tick(COUNTDOWN_MS)[1].draws


def test_absent_starter_starts_all_the_same() -> None:
    """
    Who dropped in the countdown has an attempt, and finds it on coming back.
    """
    race, _ = counting_race(ANNA, BERT).handle(BERT, Drop(), 10)
    race, outcome = begun(race, 4, COUNTDOWN_MS)
    assert outcome.begun is not None
    assert len(outcome.begun.attempts) == 2
    race, outcome = race.handle(BERT, Join(name="Bert"), COUNTDOWN_MS + 700)
    snapshot = outcome.to(BERT)[0]
    assert isinstance(snapshot, Snapshot)
    assert (snapshot.code, snapshot.elapsed_ms) == (SHUTTLE, 700)
    assert snapshot.hand is not None
    assert snapshot.hand.ply == 0


# Play


def test_move_is_logged_and_answered() -> None:
    """
    A move is one row in race time; its player hears what moves and where they stand, nobody hears anything else.
    """
    race = running_race(SHUTTLE, ANNA, BERT, at_ms=5_000)

    race, outcome = race.handle(ANNA, Play(id=3, ply=0, move="02"), 6_234)

    assert [(row.race, row.seq, row.attempt, row.at_ms, row.entry) for row in outcome.log] == [
        ("race", 1, "anna's", 1_234, "02")
    ]
    assert (outcome.moved, outcome.ended, outcome.finished) == (True, (), None)
    can = messages.Can(undo=True, restart=True)
    hand = messages.Hand(ply=1, score=499, moves=1, progress=5, state="playing", can=can)
    assert outcome.to(ANNA) == (Played(id=3, hand=hand, steps=("02",)),)
    assert len(outcome.letters) == 1


def test_stale_ply_is_refused_and_changes_nothing() -> None:
    """
    A command for a ply ahead of the log gets STALE_PLY and a snapshot; race and log stay as they were.
    """
    race = running_race("FC1-AAAAAAY", ANNA, BERT)

    after, outcome = race.handle(ANNA, Play(id=1, ply=7, move="2a"), 4_000)

    assert after == race
    assert outcome.log == ()
    assert outcome.to(ANNA) == (
        Refused(id=1, reason="STALE_PLY", params={"sent": 7, "now": 0}),
        race.snapshot(ANNA, 4_000),
    )


def test_log_counts_all_entries_of_a_race() -> None:
    """
    Rows of all attempts count on from one another, each with its attempt and its race time.
    """
    race = running_race(SHUTTLE, ANNA, BERT, at_ms=5_000)
    rows = []
    for player, at_ms in ((ANNA, 6_000), (BERT, 6_000), (BERT, 6_001), (ANNA, 7_000)):
        ply = attempt_of(race, player).ply
        race, outcome = race.handle(player, Play(ply=ply, move=("02", "20")[ply % 2]), at_ms)
        rows += [(row.seq, row.attempt, row.at_ms, row.entry) for row in outcome.log]
    assert rows == [
        (1, "anna's", 1_000, "02"),
        (2, "bert's", 1_000, "02"),
        (3, "bert's", 1_001, "20"),
        (4, "anna's", 2_000, "20"),
    ]


# The end


def test_last_move_in_time_counts_and_the_next_does_not() -> None:
    """
    A deadline is settled before a command of its very moment, however late the timer is.
    """
    race = running_race(SHUTTLE, ANNA, BERT, options=Options(limit_ms=10_000), at_ms=3_000)
    race, outcome = race.handle(ANNA, Play(ply=0, move="02"), 12_999)
    assert [row.at_ms for row in outcome.log] == [9_999]

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


def test_race_ends_when_the_last_attempt_does() -> None:
    """
    Everyone resigned: no limit is waited for, and all of it is told to all.
    """
    race = played(running_race(SHUTTLE, ANNA, BERT), ANNA, "02", at_ms=50)
    race, outcome = race.handle(BERT, Resign(ply=0), COUNTDOWN_MS + 100)
    assert (race.phase, outcome.finished) == (Phase.RUNNING, None)

    race, outcome = race.handle(ANNA, Resign(ply=1), COUNTDOWN_MS + 200)

    assert race.phase is Phase.FINISHED
    assert race.next_deadline() is None
    told = outcome.to(Audience.ALL)[0]
    assert isinstance(told, Finished)
    assert (told.code, told.attempts) == (SHUTTLE, ("anna's", "bert's"))
    assert [(row.seat, row.place, row.state, row.elapsed_ms) for row in told.rows] == [
        (0, 1, "resigned", 200),
        (1, None, "resigned", 100),
    ]
    assert outcome.finished is not None
    assert outcome.finished.places == (("anna's", 1),)
    assert [letter.to for letter in outcome.letters] == [ANNA, Audience.ALL]


@pytest.mark.parametrize(
    ("solved_ms", "goal", "limit_ms", "closes_ms"),
    [
        (30_000, "time", 15 * MINUTE_MS, 30_000 + FINISH_WINDOW_MS),
        (FINISH_WINDOW_MS, "time", 15 * MINUTE_MS, 2 * FINISH_WINDOW_MS),
        (200_000, "time", 15 * MINUTE_MS, 400_000),
        (14 * MINUTE_MS, "time", 15 * MINUTE_MS, 15 * MINUTE_MS),
        (30_000, "time", 40_000, 40_000),
        (30_000, "score", 15 * MINUTE_MS, 15 * MINUTE_MS),
    ],
)
def test_finish_window(solved_ms: int, goal: str, limit_ms: int, closes_ms: int) -> None:
    """
    After the first solver of a `time` race: two minutes, or the winner's time if that is more, within the limit.
    """
    options = Options(goal=goal, limit_ms=limit_ms)  # type: ignore[arg-type]  # one of the two
    code, line = winning_line("freecell")
    race = running_race(code, ANNA, BERT, options=options)
    assert race.next_deadline() == began_ms(race) + limit_ms

    race = played(race, ANNA, *line, at_ms=solved_ms)

    assert attempt_of(race, ANNA).state is State.SOLVED
    assert race.next_deadline() == began_ms(race) + closes_ms
    race, outcome = race.tick(began_ms(race) + closes_ms)
    assert race.phase is Phase.FINISHED
    assert [(row.state, row.place, row.elapsed_ms) for row in entrant_rows(outcome)] == [
        ("solved", 1, solved_ms),
        ("timed_out", None, closes_ms),
    ]


def entrant_rows(outcome: Outcome) -> tuple[messages.Standing, ...]:
    """Return the standings with which a race ends."""
    told = outcome.to(Audience.ALL)[-1]
    assert isinstance(told, Finished)
    return told.rows


def test_second_solver_does_not_move_the_window() -> None:
    """
    The window is counted from the first solver, whoever comes after.
    """
    code, line = winning_line("freecell")
    race = played(running_race(code, ANNA, BERT, CARL), BERT, *line, at_ms=10_000)
    race = played(race, ANNA, *line, at_ms=60_000)
    assert race.next_deadline() == began_ms(race) + 10_000 + FINISH_WINDOW_MS
    race, outcome = race.handle(CARL, Resign(ply=0), began_ms(race) + 70_000)
    assert race.phase is Phase.FINISHED
    assert [(row.seat, row.place) for row in entrant_rows(outcome)] == [(1, 1), (0, 2), (2, None)]


def test_winning_move_ends_the_attempt() -> None:
    """
    It is answered as solved, its result is written at once, and nothing may be asked after it.
    """
    code, line = winning_line("simple-simon")
    race = played(running_race(code, ANNA, BERT), ANNA, *line[:-1], at_ms=10)
    race, outcome = race.handle(ANNA, Play(ply=len(line) - 1, move=line[-1]), began_ms(race) + 20)

    answer = answer_to(outcome, ANNA)
    assert isinstance(answer, Played)
    assert (answer.hand.state, answer.hand.can, answer.hand.score) == ("solved", messages.Can(), 900 - len(line))
    (ended,) = outcome.ended
    assert (ended.attempt, ended.won, ended.elapsed_ms, ended.home) == ("anna's", True, 20, 4)
    for command in (Undo(ply=len(line)), Restart(ply=len(line)), Resign(ply=len(line))):
        assert reason(race.handle(ANNA, command, began_ms(race) + 30)[1], ANNA) == "NOT_PLAYING"
    assert entrant_of(race, ANNA).over_ms == 20


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
    assert (anna.hand.ply, anna.attempts) == (1, ())
    assert [(row.seat, row.place, row.moves) for row in anna.rows] == [(0, 1, 1), (1, None, 0)]
    assert (carl.seat, carl.rows, carl.elapsed_ms) == (2, anna.rows, 1_000)
    assert (carl.code, carl.table, carl.hand, carl.attempts) == (None, None, None, ())


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


def test_only_their_own_player_hears_of_moves() -> None:
    """
    Through a whole race, whatever names a move, a table or the code before the end goes to one starter, or to all
    with the deal.
    """
    code, line = winning_line("freecell")
    race = running_race(code, ANNA, BERT, watching=(CARL,), options=Options(hint=True))
    commands: list[tuple[str, Command]] = [(ANNA, Play(ply=ply, move=move)) for ply, move in enumerate(line)]
    commands[5:5] = [
        (BERT, Hint(ply=0)),
        (BERT, PlayBest(ply=1, source="1", count=1)),
        (BERT, Undo(ply=2)),
        (BERT, Restart(ply=3)),
        (BERT, Play(ply=9, move="12")),
    ]
    kinds: set[type[Event]] = set()
    for now_ms, (player, command) in enumerate(commands, began_ms(race)):
        race, outcome = race.handle(player, command, now_ms)
        for letter in outcome.letters:
            kinds.add(type(letter.event))
            assert letter.to == player
    assert kinds == {Played, Hinted, Refused, Snapshot}


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
