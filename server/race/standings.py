"""The ranking of a race, live and final: one order, applied to whatever moment (DESIGN.md section 5)."""

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from server.log import DealLine
from shared.attempt import Attempt, Entry, State
from shared.moves import MOVES
from shared.protocol.values import Standing

Merit: TypeAlias = tuple[int, ...]
"""What attempts are sorted by, the smaller the better."""

UNTOUCHED: Merit = (2,)


class Line(Struct, frozen=True):
    """What the standings need of one who started; made once, since most are the same from one ranking to the next."""

    standing: Standing
    """What is told of it, but for its place."""
    merits: Mapping[str, Merit]
    """By the race's goal."""

    @classmethod
    def of(
        cls,
        seat: int,
        attempt: Attempt,
        over_ms: int | None = None,
        *,
        practice: bool = False,
        ranked: bool = False,
        lag_ms: int | None = None,
    ) -> "Line":
        """Return the line of an *attempt* that was over at *over_ms*, in race time."""
        standing = Standing(
            seat=seat,
            score=attempt.score,
            moves=attempt.moves,
            progress=attempt.progress,
            state=attempt.state,
            elapsed_ms=over_ms,
            suits=attempt.code.suits,
            clean=over_ms is not None and attempt.clean,
            practice=practice,
            ranked=ranked,
            lag_ms=lag_ms,
        )
        return cls(standing, merits_of(attempt, standing))


def merits_of(attempt: Attempt, standing: Standing) -> Mapping[str, Merit]:
    """Return what an attempt is sorted by for each goal of a race.

    Solved before unsolved before untouched. Solved: goal `time` by elapsed time, then moves; goal `score` by score,
    then fewer moves, then elapsed time. Unsolved: cards gone, then progress, then fewer moves.
    """
    if attempt.state is State.SOLVED:
        elapsed_ms = standing.elapsed_ms or 0
        return {
            "time": (0, elapsed_ms, standing.moves),
            "score": (0, -standing.score, standing.moves, elapsed_ms),
        }
    reached = (1, -sum(attempt.position.home), -standing.progress, standing.moves)
    return dict.fromkeys(("time", "score"), reached if has_moved(attempt) else UNTOUCHED)


def standings(lines: Sequence[Line], goal: str, *, mixed: bool = False) -> tuple[Standing, ...]:
    """Return one row a line, the best first; true ties share a place (1-2-2-4).

    An attempt without an accepted move has no place and comes last.
    """
    ranked = sorted([(line.merits[goal], line.standing.seat, line.standing) for line in lines])
    found = places([merit for merit, _, _ in ranked])
    return tuple(
        [
            replace(told, place=None if merit == UNTOUCHED else place, suits=told.suits if mixed else None)
            for (merit, _, told), place in zip(ranked, found, strict=True)
        ]
    )


def places(merits: Sequence[Merit]) -> tuple[int, ...]:
    """Return the places of *merits*, in order already: equals share one (1-2-2-4).

    >>> places([(1,), (5,), (5,), (7,)])
    (1, 2, 2, 4)
    """
    return tuple([1 + bisect_left(merits, merit) for merit in merits])


def deal_merit(line: DealLine, *, moved: bool) -> Merit:
    """Return the same of an attempt on a deal's page, where all are compared as by the goal `time`."""
    if line.won:
        return (0, line.elapsed_ms, line.moves)
    return (1, -line.home, -line.progress, line.moves) if moved else UNTOUCHED


def deal_placed(lines: Sequence[DealLine], moved: Collection[str]) -> tuple[DealLine, ...]:
    """Return *lines* in order with their places; those not *moved*, the ids of attempts, come last and have none."""
    merits = {line.attempt: deal_merit(line, moved=line.attempt in moved) for line in lines}
    ranked = sorted(lines, key=lambda line: merits[line.attempt])
    found = places([merits[line.attempt] for line in ranked])
    return tuple(
        replace(line, place=place if line.attempt in moved else None) for line, place in zip(ranked, found, strict=True)
    )


def has_moved(attempt: Attempt) -> bool:
    """Return whether any move was ever accepted, taken back or not."""
    return any_move(attempt.entries)


def any_move(entries: Sequence[Entry]) -> bool:
    """Return whether a log has a move."""
    return any(text in MOVES for _, text in entries)
