"""A log as it is watched: what each entry moved and what it led to, so that whoever draws it needs no rules."""

import asyncio
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from shared.attempt import Attempt, Entry
from shared.gamecode import GameCode

SLICE = 50
"""Entries that are played again before others have their turn: about a millisecond."""


class Ply(Struct, frozen=True):
    """What one entry led to."""

    steps: tuple[str, ...]
    """What moves, as in `Played`; nothing in a restart, which lays the first table again."""
    score: int
    moves: int
    progress: int


async def plies(code: GameCode, entries: Sequence[Entry]) -> tuple[Ply, ...]:
    """Return a ply for each of *entries*, which are those of a legal log; others' work goes on meanwhile."""
    attempt, found = Attempt.start(code), list[Ply]()
    for at_ms, text in entries:
        steps = attempt.steps(text)
        # Without its log an attempt is as good, and taking one entry does not copy those before it.
        attempt = replace(attempt, entries=()).take(((at_ms, text),))
        found.append(Ply(steps, attempt.score, attempt.moves, attempt.progress))
        if not len(found) % SLICE:
            await asyncio.sleep(0)
    return tuple(found)
