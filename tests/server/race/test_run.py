"""Attempts under way and at their end: what is written of them, and that it holds."""

from itertools import pairwise
from random import Random

import pytest
from msgspec.structs import replace

from server.race.outcome import Audience, Outcome
from server.race.race import Race
from server.race.run import CLOCK_MS, FINISH_WINDOW_MS
from server.race.said import Command
from server.race.start import COUNTDOWN_MS
from shared.attempt import Attempt, State
from shared.errors import Reason, Refusal
from shared.phase import Phase
from shared.protocol.messages import (
    Event,
    Finished,
    Gather,
    Hint,
    Hinted,
    Play,
    PlayBest,
    PlayCommand,
    Played,
    Refused,
    Resign,
    Restart,
    Snapshot,
    Undo,
)
from shared.protocol.values import Can, Hand, Options
from tests.server.racing import (
    ANNA,
    BERT,
    CARL,
    SHUTTLE,
    answer_to,
    attempt_of,
    began_ms,
    checked,
    entrant_of,
    final_rows,
    played,
    reason,
    run_of,
    running_race,
    winning_line,
)


def resign(race: Race, player: str, at_ms: int) -> tuple[Race, Outcome]:
    """Have *player* resign at a race time."""
    return race.handle(player, Resign(ply=attempt_of(race, player).ply), began_ms(race) + at_ms)


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
    can = Can(undo=True, restart=True)
    hand = Hand(ply=1, score=499, moves=1, progress=5, state="playing", can=can)
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


def test_race_ends_when_the_last_attempt_does() -> None:
    """
    Everyone resigned: no limit is waited for, and all of it is told to all.
    """
    race = played(running_race(SHUTTLE, ANNA, BERT), ANNA, "02", at_ms=50)
    race, outcome = race.handle(BERT, Resign(ply=0), COUNTDOWN_MS + 100)
    assert (race.phase, outcome.finished) == (Phase.RUNNING, None)

    race, outcome = race.handle(ANNA, Resign(ply=1), COUNTDOWN_MS + 200)

    assert race.phase is Phase.FINISHED
    assert race.next_deadline is None
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
        (30_000, "time", 15 * 60_000, 30_000 + FINISH_WINDOW_MS),
        (FINISH_WINDOW_MS, "time", 15 * 60_000, 2 * FINISH_WINDOW_MS),
        (200_000, "time", 15 * 60_000, 400_000),
        (14 * 60_000, "time", 15 * 60_000, 15 * 60_000),
        (30_000, "time", 40_000, 40_000),
        (30_000, "score", 15 * 60_000, 15 * 60_000),
    ],
)
def test_finish_window(solved_ms: int, goal: str, limit_ms: int, closes_ms: int) -> None:
    """
    After the first solver of a `time` race: two minutes, or the winner's time if that is more, within the limit.
    """
    options = Options(goal=goal, limit_ms=limit_ms)  # type: ignore[arg-type]  # one of the two
    code, line = winning_line("freecell")
    race = running_race(code, ANNA, BERT, options=options)
    assert run_of(race).closes_ms() == limit_ms

    race = played(race, ANNA, *line, at_ms=solved_ms)
    told = race.standings(began_ms(race) + solved_ms)
    assert told
    assert told.closes_ms == race.snapshot(BERT, began_ms(race) + solved_ms).closes_ms
    assert told.closes_ms == (closes_ms if closes_ms < limit_ms else None)

    assert attempt_of(race, ANNA).state is State.SOLVED
    race, _ = race.tick(began_ms(race) + closes_ms - 1)
    assert run_of(race).plays(BERT)
    race, outcome = race.tick(began_ms(race) + closes_ms)
    assert race.phase is Phase.FINISHED
    assert [(row.state, row.place, row.elapsed_ms) for row in final_rows(outcome)] == [
        ("solved", 1, solved_ms),
        ("timed_out", None, closes_ms),
    ]


def test_second_solver_does_not_move_the_window() -> None:
    """
    The window is counted from the first solver, whoever comes after.
    """
    code, line = winning_line("freecell")
    race = played(running_race(code, ANNA, BERT, CARL), BERT, *line, at_ms=10_000)
    race = played(race, ANNA, *line, at_ms=60_000)
    assert run_of(race).closes_ms() == 10_000 + FINISH_WINDOW_MS
    race, outcome = race.handle(CARL, Resign(ply=0), began_ms(race) + 70_000)
    assert race.phase is Phase.FINISHED
    assert [(row.seat, row.place) for row in final_rows(outcome)] == [(1, 1), (0, 2), (2, None)]


def test_winning_move_ends_the_attempt() -> None:
    """
    It is answered as solved, its result is written at once, and nothing may be asked after it.
    """
    code, line = winning_line("simple-simon")
    race = played(running_race(code, ANNA, BERT), ANNA, *line[:-1], at_ms=10)
    race, outcome = race.handle(ANNA, Play(ply=len(line) - 1, move=line[-1]), began_ms(race) + 20)

    answer = answer_to(outcome, ANNA)
    assert isinstance(answer, Played)
    assert (answer.hand.state, answer.hand.can, answer.hand.score) == ("solved", Can(), 900 - len(line))
    (ended,) = outcome.ended
    assert (ended.attempt, ended.won, ended.elapsed_ms, ended.home) == ("anna's", True, 20, 4)
    for command in (Undo(ply=len(line)), Restart(ply=len(line)), Resign(ply=len(line))):
        assert reason(race.handle(ANNA, command, began_ms(race) + 30)[1], ANNA) == "NOT_PLAYING"
    assert entrant_of(race, ANNA).over_ms == 20


# How attempts end


@pytest.mark.parametrize("game", ["simple-simon", "freecell"])
def test_win_is_written_with_its_record(game: str) -> None:
    """
    A clean win at 3.21 s, from the winning move's own batch.
    """
    code, line = winning_line(game)
    race = played(running_race(code, ANNA, BERT), ANNA, *line[:-1], at_ms=1_000)
    race, outcome = race.handle(ANNA, Play(ply=len(line) - 1, move=line[-1]), began_ms(race) + 3_210)
    (ended,) = outcome.ended
    record = checked(ended, race)
    assert (ended.won, ended.clean, ended.elapsed_ms) == (True, True, 3_210)
    assert ended.home == (4 if game == "simple-simon" else 52)
    assert record.started == "2026-01-01T00:00:00.000Z"
    assert record.entries[-1] == (3_210, line[-1])


def test_resigned_attempt_keeps_what_it_had() -> None:
    """
    The result is that of the position it was left at; the last entry is the resigning.
    """
    race = played(running_race(SHUTTLE, ANNA, BERT), ANNA, "02", "35", at_ms=500)
    race, outcome = resign(race, ANNA, 900)
    (ended,) = outcome.ended
    record = checked(ended, race)
    assert (ended.won, ended.moves, ended.score, ended.home, ended.clean) == (False, 2, 498, 0, True)
    assert record.entries[-1] == (900, "resign")


def test_timed_out_attempt_has_no_entry_for_it() -> None:
    """
    The log of the race tells it, the record ends with the last thing that the player did.
    """
    race = running_race(SHUTTLE, ANNA, BERT, options=Options(limit_ms=10_000))
    race = played(race, ANNA, "02", at_ms=700)
    race, outcome = race.tick(began_ms(race) + 10_000)
    anna, bert = (checked(ended, race) for ended in outcome.ended)
    assert anna.entries == ((700, "02"),)
    assert bert.entries == ()
    assert [ended.elapsed_ms for ended in outcome.ended] == [10_000, 10_000]
    assert [ended.state for ended in outcome.ended] == [State.TIMED_OUT, State.TIMED_OUT]


@pytest.mark.parametrize("spoiler", [Undo, Restart, Hint])
def test_clean_is_without_undo_restart_or_hint(spoiler: type[Undo | Restart | Hint]) -> None:
    """
    Any of them, however early, is told with the result.
    """
    code, line = winning_line("freecell")
    race = played(running_race(code, ANNA, options=Options(hint=True)), ANNA, line[0], at_ms=1)
    race, _ = race.handle(ANNA, spoiler(ply=1), began_ms(race) + 2)
    race, outcome = resign(race, ANNA, 3)
    assert not outcome.ended[0].clean
    checked(outcome.ended[0], race)


def test_refused_commands_do_not_spoil() -> None:
    """
    What was refused is no entry.
    """
    race = played(running_race(SHUTTLE, ANNA, BERT, options=Options(undo=False)), ANNA, "02", at_ms=1)
    race, _ = race.handle(ANNA, Undo(ply=1), began_ms(race) + 2)
    race, outcome = resign(race, ANNA, 3)
    assert outcome.ended[0].clean


# The whole


def test_race_is_over_when_nobody_plays() -> None:
    """
    Solved, resigned or cut off: as long as one attempt is played the race is not over.
    """
    code, line = winning_line("freecell")
    race = running_race(code, ANNA, BERT, CARL)
    assert not run_of(race).over
    race = played(race, ANNA, *line, at_ms=100)
    race, _ = resign(race, BERT, 200)
    assert not run_of(race).over
    race, _ = race.tick(10**9)
    assert run_of(race).over
    assert [each.attempt.state for each in run_of(race).entrants.values()] == [
        State.SOLVED,
        State.RESIGNED,
        State.TIMED_OUT,
    ]


def test_places_are_written_for_those_who_have_one() -> None:
    """
    Ties share theirs; who never moved has none.
    """
    race = running_race(SHUTTLE, ANNA, BERT, CARL, "dora", options=Options(limit_ms=10_000))
    race = played(race, CARL, "02", at_ms=10)
    race = played(race, ANNA, "35", at_ms=20)
    race = played(race, "dora", "02", "20", at_ms=20)
    race, outcome = race.tick(began_ms(race) + 10_000)
    assert outcome.finished is not None
    assert outcome.finished.places == (("anna's", 1), ("carl's", 1), ("dora's", 3))
    told = outcome.to(Audience.ALL)[0]
    assert isinstance(told, Finished)
    assert told.attempts == ("anna's", "carl's", "dora's", "bert's")


def test_strangers_have_no_attempt() -> None:
    """
    Who did not start cannot play, sit there or not.
    """
    run = run_of(running_race(SHUTTLE, ANNA, watching=(BERT,)))
    for player in (BERT, "nobody"):
        with pytest.raises(Refusal) as refused:
            run.play(player, Resign(ply=0), 0)
        assert refused.value.reason is Reason.NO_SEAT


def test_stamps_from_before_the_start_are_zero() -> None:
    """
    A command that was received while the start was being written counts from race time 0.
    """
    race = running_race(SHUTTLE, ANNA, at_ms=5_000)
    assert [run_of(race).time_ms(stamp_ms) for stamp_ms in (0, 4_999, 5_000, 5_001)] == [0, 0, 0, 1]
    _, outcome = race.handle(ANNA, Play(ply=0, move="02"), 4_990)
    assert outcome.log[0].at_ms == 0


def test_entry_limit_leaves_resigning() -> None:
    """
    After 20,000 entries a race can still end.
    """
    race = running_race(SHUTTLE, ANNA, BERT)
    run = run_of(race)
    entrant = run.entrants[ANNA]
    long = entrant.attempt.take([(0, ("02", "20")[ply % 2]) for ply in range(20_000)])
    race = replace(race, run=replace(run, entrants={**run.entrants, ANNA: replace(entrant, attempt=long)}))
    with pytest.raises(Refusal) as refused:
        run_of(race).play(ANNA, Play(ply=20_000, move="02"), 5_000)
    assert refused.value.reason is Reason.ENTRY_LIMIT
    race, outcome = resign(race, ANNA, 5_000)
    assert len(checked(outcome.ended[0], race).entries) == 20_001


# Anything that players do


def asked(attempt: Attempt, random: Random) -> PlayCommand:
    """Return something that a player might ask, allowed or not, new or sent again."""
    moves = [str(move) for move in attempt.rules.legal_moves(attempt.position)] or ["12"]
    ply = max(0, attempt.ply - random.choice((0, 0, 0, 0, 0, 1, 2, -1)))
    return random.choice(
        (
            *(Play(ply=ply, move=random.choice(moves)) for _ in range(8)),
            *(PlayBest(ply=ply, source=random.choice("1234567890ab"), count=random.randint(1, 2)) for _ in range(4)),
            *(Undo(ply=ply) for _ in range(3)),
            Hint(ply=ply),
            Gather(ply=ply),
            Restart(ply=ply) if random.random() < 0.2 else Undo(ply=ply),
            Resign(ply=ply) if random.random() < 0.05 else Undo(ply=ply),
        )
    )


@pytest.mark.parametrize("seed", range(8))
def test_log_of_a_race_replays_to_what_was_told(seed: int) -> None:
    """
    Whatever three players do to the end: rows count without a gap and in time, each attempt's rows are its record's
    entries, every record holds and agrees with the standings, and nothing is written twice.
    """
    random = Random(seed)
    code = random.choice(("FC1-AAAALWO", "SS1-S4-AAAAABD", "SS1-S1-AAAAABD"))
    race = running_race(code, ANNA, BERT, CARL, options=Options(hint=True, limit_ms=60_000))
    outcomes, now_ms = [], began_ms(race)
    while race.phase is Phase.RUNNING:
        now_ms += random.randrange(400)
        player = random.choice((ANNA, BERT, CARL))
        race, outcome = race.handle(player, asked(attempt_of(race, player), random), now_ms)
        outcomes.append(outcome)
    whole = Outcome.joined(outcomes)
    assert [row.seq for row in whole.log] == list(range(1, len(whole.log) + 1))
    assert [row.at_ms for row in whole.log] == sorted(row.at_ms for row in whole.log)
    assert whole.log[-1].entry == "end"
    assert len(whole.log) > 60
    assert max(after.at_ms - before.at_ms for before, after in pairwise(whole.log)) <= CLOCK_MS
    assert sorted(ended.attempt for ended in whole.ended) == ["anna's", "bert's", "carl's"]
    for ended in whole.ended:
        rows = [(row.at_ms, row.entry) for row in whole.log if row.attempt == ended.attempt and row.entry != "timeout"]
        assert tuple(rows) == checked(ended, race).entries
