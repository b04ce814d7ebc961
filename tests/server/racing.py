"""Races for tests, as they come to stand in one phase or another."""

from collections.abc import Iterator

from msgspec.structs import replace

from server.log import Ended
from server.race.entrant import Entrant
from server.race.outcome import Audience, Outcome
from server.race.race import Race
from server.race.run import Run
from server.race.said import Begin, Command, Join
from server.race.start import COUNTDOWN_MS
from shared.attempt import Attempt
from shared.gamecode import GameCode
from shared.phase import Phase
from shared.protocol.messages import Answer, Cancel, Finished, Play, Ready, Refused, Resign, Start
from shared.protocol.values import Options, Standing
from shared.record import Record, verify
from tests import vectors

ANNA, BERT, CARL, DORA = "anna", "bert", "carl", "dora"
STARTED_MS = 1_767_225_600_000
"""The date at which the races of tests begin, 2026-01-01T00:00:00Z."""

SHUTTLE = "SS1-S1-AAAAAAE"
"""A deal on which `02` and `20` are legal for ever, by turns."""

SOLUTIONS = {"simple-simon": "simple_simon_4suit_solutions.jsonl.gz", "freecell": "freecell_solutions.jsonl.gz"}


def open_race(*players: str, ready: tuple[str, ...] = (), options: Options | None = None) -> Race:
    """Return a race in which *players* sit, the first of them as host, and some are ready."""
    race = Race(id="race", room="ROOM", options=options or Options())
    for player in players:
        race, _ = race.handle(player, Join(name=player.title()), 0)
    for player in ready:
        race, _ = race.handle(player, Ready(ready=True), 0)
    return race


def counting_race(*starters: str, watching: tuple[str, ...] = (), options: Options | None = None) -> Race:
    """Return a race in which the countdown for *starters* has begun at 0; the first of them is the host."""
    race = open_race(*starters, *watching, ready=starters[1:], options=options)
    race, outcome = race.handle(starters[0], Start(countdown=race.countdown + 1), 0)
    assert race.starters == starters, outcome
    return race


def running_race(
    code: str, *starters: str, watching: tuple[str, ...] = (), options: Options | None = None, at_ms: int = COUNTDOWN_MS
) -> Race:
    """Return a race on the deal of *code* that begins at *at_ms*; race time is counted from there."""
    deal = GameCode.parse(code)
    chosen = replace(options or Options(), game=deal.game, suits=deal.suits)
    race, _ = begun(counting_race(*starters, watching=watching, options=chosen), deal.number, at_ms)
    return race


def begun(race: Race, number: int, at_ms: int) -> tuple[Race, Outcome]:
    """Hand the deal in that the end of the countdown asked for."""
    _, settled = race.tick(at_ms)
    assert settled.draws
    return race.handle("", begin(race, number), at_ms)


def begin(race: Race, number: int) -> Begin:
    """Return the deal for *race*; attempts are called after their players."""
    return Begin(number=number, attempts=tuple(f"{player}'s" for player in race.starters), started_ms=STARTED_MS)


def race_in(phase: Phase) -> Race:
    """Return a race in *phase*, after one countdown: Anna, the host, and Bert start, Carl sits, Dora watches."""
    options = Options(seats=3)
    counting = counting_race(ANNA, BERT, watching=(CARL, DORA), options=options)
    if phase is Phase.OPEN:
        return counting.handle(ANNA, Cancel(countdown=1), 0)[0]
    if phase is Phase.COUNTDOWN:
        return counting
    race = played(begun(counting, 4, COUNTDOWN_MS)[0], ANNA, "02", at_ms=100)
    return race if phase is Phase.RUNNING else resigned(race, ANNA, BERT, at_ms=200)


def resigned(race: Race, *players: str, at_ms: int) -> Race:
    """Return the race after these starters have resigned, all at one race time."""
    for player in players:
        race, _ = race.handle(player, Resign(ply=attempt_of(race, player).ply), began_ms(race) + at_ms)
    return race


def said(race: Race, *lines: tuple[str, Command], now_ms: int = 1) -> Race:
    """Return the race after all that was said, at once."""
    for player, command in lines:
        race, _ = race.handle(player, command, now_ms)
    return race


def played(race: Race, player: str, *moves: str, at_ms: int) -> Race:
    """Return the race after these moves of *player*, all at one race time."""
    for text in moves:
        race, outcome = race.handle(player, Play(ply=attempt_of(race, player).ply, move=text), began_ms(race) + at_ms)
        assert outcome.log, outcome
    return race


def began_ms(race: Race) -> int:
    """Return the stamp of race time 0."""
    assert race.run is not None
    return race.run.began_ms


def entrant_of(race: Race, player: str) -> Entrant:
    """Return a starter."""
    assert race.run is not None
    return race.run.entrants[player]


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


def final_rows(outcome: Outcome) -> tuple[Standing, ...]:
    """Return the standings with which a race ends."""
    told = outcome.to(Audience.ALL)[-1]
    assert isinstance(told, Finished)
    return told.rows


def attempt_of(race: Race, player: str) -> Attempt:
    """Return the attempt of a starter."""
    return entrant_of(race, player).attempt


def answer_to(outcome: Outcome, player: str) -> Answer:
    """Return the one answer in *outcome*, which must be for *player*."""
    answers = [letter for letter in outcome.letters if isinstance(letter.event, Answer)]
    assert [letter.to for letter in answers] == [player]
    answer = answers[0].event
    assert isinstance(answer, Answer)
    return answer


def reason(outcome: Outcome, player: str) -> str:
    """Return why *player* was refused, which must be all that came of it."""
    assert not outcome.writes
    refused = answer_to(outcome, player)
    assert isinstance(refused, Refused), refused
    return refused.reason


def winning_line(game: str) -> tuple[str, tuple[str, ...]]:
    """Return a code and moves that win its deal."""
    return next(winning_lines(game))


def winning_lines(game: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield codes with moves that win their deals."""
    for row in vectors.solved(SOLUTIONS[game]):
        number = vectors.own_number(row)
        if number:
            yield str(GameCode.of(game, 4, number)), tuple(map(vectors.move_text, row["moves"]))
