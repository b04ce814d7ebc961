"""The ranking of a race, live and final: one order, applied to whatever moment (DESIGN.md section 5)."""

from collections.abc import Sequence

from msgspec import Struct

from shared.attempt import Attempt, State
from shared.moves import MOVES
from shared.protocol.values import Standing


class Line(Struct, frozen=True):
    """What the standings need of one who started."""

    seat: int
    attempt: Attempt
    over_ms: int | None = None
    """When the attempt was over, in race time."""
    practice: bool = False
    ranked: bool = False
    lag_ms: int | None = None


def standings(lines: Sequence[Line], goal: str, *, mixed: bool = False) -> tuple[Standing, ...]:
    """Return one row a line, the best first; true ties share a place (1-2-2-4).

    An attempt without an accepted move has no place and comes last.
    """
    worths = {line.seat: merit(line, goal) for line in lines}
    ranked = sorted(lines, key=lambda line: (worths[line.seat], line.seat))
    rows: list[Standing] = []
    last: tuple[int, ...] = ()
    place = 0
    for count, line in enumerate(ranked, 1):
        worth = worths[line.seat]
        place, last = (place if worth == last else count), worth
        rows.append(_row(line, place if has_moved(line.attempt) else None, mixed=mixed))
    return tuple(rows)


def merit(line: Line, goal: str) -> tuple[int, ...]:
    """Return what attempts are sorted by, the smaller the better.

    Solved before unsolved before untouched. Solved: goal `time` by elapsed time, then moves; goal `score` by score,
    then fewer moves, then elapsed time. Unsolved: cards gone, then progress, then fewer moves.
    """
    attempt, elapsed_ms = line.attempt, line.over_ms or 0
    if attempt.state is State.SOLVED:
        if goal == "time":
            return (0, elapsed_ms, attempt.moves)
        return (0, -attempt.score, attempt.moves, elapsed_ms)
    if not has_moved(attempt):
        return (2,)
    return (1, -sum(attempt.position.home), -attempt.progress, attempt.moves)


def has_moved(attempt: Attempt) -> bool:
    """Return whether any move was ever accepted, taken back or not."""
    return any(text in MOVES for _, text in attempt.entries)


def _row(line: Line, place: int | None, *, mixed: bool) -> Standing:
    attempt = line.attempt
    return Standing(
        seat=line.seat,
        place=place,
        score=attempt.score,
        moves=attempt.moves,
        progress=attempt.progress,
        state=attempt.state,
        elapsed_ms=line.over_ms,
        suits=attempt.code.suits if mixed else None,
        clean=line.over_ms is not None and attempt.clean,
        practice=line.practice,
        ranked=line.ranked,
        lag_ms=line.lag_ms,
    )
