"""The ranking of a race, live and final: one order, applied to whatever moment (DESIGN.md section 5)."""

from bisect import bisect_left
from collections.abc import Collection, Sequence
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from server.log import DealLine
from shared.attempt import Attempt, Entry, State
from shared.moves import MOVES
from shared.protocol.values import Standing


class Line(Struct, frozen=True, dict=True):
    """What the standings need of one who started."""

    seat: int
    attempt: Attempt
    over_ms: int | None = None
    """When the attempt was over, in race time."""
    practice: bool = False
    ranked: bool = False
    lag_ms: int | None = None

    @cached_property
    def standing(self) -> Standing:
        """What is told of it, but for its place: worked out once, since most lines are the same from one ranking on."""
        attempt = self.attempt
        return Standing(
            seat=self.seat,
            score=attempt.score,
            moves=attempt.moves,
            progress=attempt.progress,
            state=attempt.state,
            elapsed_ms=self.over_ms,
            suits=attempt.code.suits,
            clean=self.over_ms is not None and attempt.clean,
            practice=self.practice,
            ranked=self.ranked,
            lag_ms=self.lag_ms,
        )


def standings(lines: Sequence[Line], goal: str, *, mixed: bool = False) -> tuple[Standing, ...]:
    """Return one row a line, the best first; true ties share a place (1-2-2-4).

    An attempt without an accepted move has no place and comes last.
    """
    ranked = sorted((merit(line, goal), line.seat, line) for line in lines)
    found = places([each for each, _, _ in ranked])
    return tuple(
        _row(line, place if has_moved(line.attempt) else None, mixed=mixed)
        for (_, _, line), place in zip(ranked, found, strict=True)
    )


def places(merits: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Return the places of *merits*, in order already: equals share one (1-2-2-4).

    >>> places([(1,), (5,), (5,), (7,)])
    (1, 2, 2, 4)
    """
    return tuple(1 + bisect_left(merits, merit) for merit in merits)


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
    return (1, -sum(attempt.position.home), -line.standing.progress, attempt.moves)


def deal_merit(line: DealLine, *, moved: bool) -> tuple[int, ...]:
    """Return the same of an attempt on a deal's page, where all are compared as by the goal `time`."""
    if line.won:
        return (0, line.elapsed_ms, line.moves)
    return (1, -line.home, -line.progress, line.moves) if moved else (2,)


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


def _row(line: Line, place: int | None, *, mixed: bool) -> Standing:
    told = line.standing
    return replace(told, place=place, suits=told.suits if mixed else None)
