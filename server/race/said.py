"""What a room says to its race, besides what players ask: a pure vocabulary."""

from typing import TypeAlias

from msgspec import Struct

from server.config import Limits
from shared.protocol.messages import (
    Cancel,
    ChooseSuits,
    Close,
    Configure,
    HandOver,
    Kick,
    Leave,
    Lock,
    PlayCommand,
    Ready,
    Start,
    WarmUp,
)


class Join(Struct, frozen=True, kw_only=True):
    """A player's connection is there."""

    id: int = 0
    name: str
    bot: bool = False
    spectators: int = Limits().spectators
    """How many the room takes."""


class Drop(Struct, frozen=True, kw_only=True):
    """A player's connection is gone. A drop is not a leave: the seat stays theirs."""

    id: int = 0


class Measured(Struct, frozen=True, kw_only=True):
    """The delay of a player's connection."""

    id: int = 0
    lag_ms: int


class Begin(Struct, frozen=True, kw_only=True):
    """The deal that `Outcome.draws` asked for."""

    id: int = 0
    number: int
    attempts: tuple[str, ...]
    """An id for each starter's attempt."""
    started_ms: int
    """The date, in milliseconds since 1970."""
    opened: frozenset[str] = frozenset()
    """The starters who had opened the number before."""


class Again(Struct, frozen=True, kw_only=True):
    """A player's Rematch, with the id of the race to come."""

    id: int = 0
    race: str
    """The race it follows."""
    next: str


class Renamed(Struct, frozen=True, kw_only=True):
    """A player has another name."""

    id: int = 0
    name: str


class Forgotten(Struct, frozen=True, kw_only=True):
    """A player is deleted."""

    id: int = 0
    name: str
    """What stands in the place of theirs."""


Command: TypeAlias = (
    Configure
    | Ready
    | ChooseSuits
    | WarmUp
    | Start
    | Cancel
    | Lock
    | HandOver
    | Kick
    | Close
    | Leave
    | PlayCommand
    | Join
    | Drop
    | Measured
    | Renamed
    | Forgotten
    | Begin
    | Again
)
"""What a race answers: what players ask, Rematch apart, and what is declared above."""
