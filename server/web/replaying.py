"""A log as it is watched: what each entry moved and what it led to, so that whoever draws it needs no rules."""

import asyncio
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from server.race.play import joined_of, table_of
from shared.attempt import Attempt, Entry
from shared.gamecode import GameCode
from shared.moves import PILES
from shared.protocol.values import Table

SLICE = 50
"""Entries that are played again before others have their turn: about a millisecond."""


class Laid(Struct, frozen=True):
    """The deal, before the first entry."""

    table: Table
    joined: tuple[str, ...]
    """For each column which of its cards move with the one they lie on, as in `Choices`."""
    start: Mapping[str, int]
    """Score and progress of who has not played yet."""


class Ply(Struct, frozen=True):
    """What one entry led to."""

    steps: tuple[str, ...]
    """What moves, as in `Played`; nothing in a restart, which lays the first table again."""
    score: int
    moves: int
    progress: int
    joined: Mapping[str, str]
    """As in `Laid`, of the columns where it has changed, by their piles."""


def laid(code: GameCode) -> Laid:
    """Return the deal of *code*."""
    attempt = Attempt.start(code)
    start = {"score": attempt.score, "progress": attempt.progress}
    return Laid(table_of(attempt.position), joined_of(attempt), start)


async def plies(code: GameCode, entries: Sequence[Entry]) -> tuple[Ply, ...]:
    """Return a ply for each of *entries*, which are those of a legal log; others' work goes on meanwhile."""
    attempt, found = Attempt.start(code), list[Ply]()
    joined = joined_of(attempt)
    for entry in entries:
        steps, attempt = attempt.steps(entry[1]), _after(attempt, entry)
        before, joined = joined, joined_of(attempt)
        changed = {PILES[pile]: now for pile, (was, now) in enumerate(zip(before, joined, strict=True)) if was != now}
        found.append(Ply(steps, attempt.score, attempt.moves, attempt.progress, changed))
        await _others(len(found))
    return tuple(found)


async def points(code: GameCode, entries: Sequence[Entry], start_ms: int) -> tuple[tuple[int, int, int], ...]:
    """Return how an attempt that began at *start_ms* went on: time, progress and what was home, whenever these changed.

    They are what the standings of its race told at those times, and show nothing of the deal.
    """
    attempt = Attempt.start(code)
    found = [(start_ms, *_reached(attempt))]
    for done, entry in enumerate(entries, 1):
        attempt = _after(attempt, entry)
        if _reached(attempt) != found[-1][1:]:
            found.append((start_ms + entry[0], *_reached(attempt)))
        await _others(done)
    return tuple(found)


def _reached(attempt: Attempt) -> tuple[int, int]:
    return attempt.progress, sum(attempt.position.home) // attempt.rules.goes_home


def _after(attempt: Attempt, entry: Entry) -> Attempt:
    """Return the attempt after one more entry, without its log: it is as good, and does not copy those before it."""
    return replace(attempt, entries=()).retake((entry,))


async def _others(done: int) -> None:
    """Let others have their turn after every slice."""
    if not done % SLICE:
        await asyncio.sleep(0)
