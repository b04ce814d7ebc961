"""What counts for the boards (DESIGN.md section 5): the one ranked rule set, `standard`."""

from msgspec.structs import replace

from shared.attempt import State
from shared.protocol.values import Options

MARKS = ("practice", "bot", "imported")
"""Columns of an attempt; one that has any of these marks is not ranked, whoever wrote it."""

STANDARD = Options()
"""Goal `time`, 15 minutes, undo and restart allowed, no hint, a number drawn from the pool."""


def is_ranked(options: Options, *, opened: bool, bot: bool) -> bool:
    """Return whether an attempt of a race with *options* counts.

    *opened*: some participant had opened the number before. What does not change play is free: game, suits, seats,
    and whether the lobby lists the room.
    """
    same = replace(options, game=STANDARD.game, suits=STANDARD.suits, seats=STANDARD.seats, public=STANDARD.public)
    return same == STANDARD and not opened and not bot


def counts(state: State, hints: int = 0) -> bool:
    """Return whether an attempt that was ranked at its start is so at its end: void ones are not, nor hinted ones."""
    return state is not State.VOID and not hints
