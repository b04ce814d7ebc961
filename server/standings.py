"""The ranking of a race, live and final: one order, applied to whatever moment (DESIGN.md section 5)."""

from collections.abc import Mapping, Sequence

from shared.attempt import Attempt, State
from shared.moves import MOVES
from shared.protocol.messages import Standing


def standings(attempts: Sequence[tuple[int, Attempt]], goal: str, over_ms: Mapping[int, int]) -> tuple[Standing, ...]:
    """Return one line a starter, the best first; true ties share a place (1-2-2-4).

    *attempts* are seats with their attempts, *over_ms* tells by seat when an attempt was over. An attempt without an
    accepted move has no place and comes last.
    """
    ranked = sorted(attempts, key=lambda pair: (merit(pair[1], goal, over_ms.get(pair[0], 0)), pair[0]))
    rows: list[Standing] = []
    last: tuple[int, ...] = ()
    place = 0
    for count, (seat, attempt) in enumerate(ranked, 1):
        worth = merit(attempt, goal, over_ms.get(seat, 0))
        place, last = (place if worth == last else count), worth
        rows.append(_row(seat, attempt, place if has_moved(attempt) else None, over_ms.get(seat)))
    return tuple(rows)


def merit(attempt: Attempt, goal: str, elapsed_ms: int) -> tuple[int, ...]:
    """Return what attempts are sorted by, the smaller the better.

    Solved before unsolved before untouched. Solved: goal `time` by elapsed time, then moves; goal `score` by score,
    then fewer moves, then elapsed time. Unsolved: cards gone, then progress, then fewer moves.
    """
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


def _row(seat: int, attempt: Attempt, place: int | None, over_ms: int | None) -> Standing:
    return Standing(
        seat=seat,
        place=place,
        score=attempt.score,
        moves=attempt.moves,
        progress=attempt.progress,
        state=attempt.state,
        elapsed_ms=over_ms,
    )
