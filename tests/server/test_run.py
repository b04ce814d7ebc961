"""Attempts under way and at their end: what is written of them, and that it holds."""

from random import Random

import pytest
from msgspec.structs import replace

from server.log import Ended
from server.outcome import Audience, Outcome
from server.play import PlayCommand
from server.race import Phase, Race
from server.run import Run
from shared.attempt import Attempt, State
from shared.errors import Reason, Refusal
from shared.protocol.messages import (
    Finished,
    Gather,
    Hint,
    Options,
    Play,
    PlayBest,
    Resign,
    Restart,
    Undo,
)
from shared.record import Record, verify
from tests.server.racing import (
    ANNA,
    BERT,
    CARL,
    SHUTTLE,
    attempt_of,
    began_ms,
    played,
    running_race,
    winning_line,
)


def run_of(race: Race) -> Run:
    """Return the run of a race that has begun."""
    assert race.run is not None
    return race.run


def checked(ended: Ended, race: Race) -> Record:
    """Return the record of an attempt's end, once all that is told of it is seen to agree."""
    run = run_of(race)
    entrant = next(each for each in run.entrants.values() if each.id == ended.attempt)
    record, attempt = Record.unpack(ended.record), entrant.attempt
    verdict = verify(record)
    assert verdict.error is None
    assert record.result is not None
    assert (record.code, record.player, record.entries) == (run.code, entrant.name, attempt.entries)
    assert (verdict.won, verdict.score, verdict.moves) == (ended.won, ended.score, ended.moves)
    assert (record.result.won, record.result.elapsed_ms) == (ended.won, ended.elapsed_ms)
    assert (ended.state, ended.progress, entrant.over_ms) == (attempt.state, attempt.progress, ended.elapsed_ms)
    row = next(row for row in run.standings() if row.seat == entrant.seat)
    assert (row.score, row.moves, row.progress, row.state, row.elapsed_ms) == (
        ended.score,
        ended.moves,
        ended.progress,
        ended.state,
        ended.elapsed_ms,
    )
    return record


def resign(race: Race, player: str, at_ms: int) -> tuple[Race, Outcome]:
    """Have *player* resign at a race time."""
    return race.handle(player, Resign(ply=attempt_of(race, player).ply), began_ms(race) + at_ms)


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
    assert sorted(ended.attempt for ended in whole.ended) == ["anna's", "bert's", "carl's"]
    for ended in whole.ended:
        rows = [(row.at_ms, row.entry) for row in whole.log if row.attempt == ended.attempt and row.entry != "timeout"]
        assert tuple(rows) == checked(ended, race).entries
