"""Bots: players that are programs. They see what every client sees and ask for the same things."""

import asyncio
from collections.abc import Callable, Sequence
from random import Random
from typing import TypeAlias

from msgspec import Struct

from client.connection import Connection
from client.view import View
from shared.errors import Reason, Refusal
from shared.protocol.messages import Play, PlyCommand

Mind: TypeAlias = Callable[[View], PlyCommand]
"""Says what to do next in a view whose own attempt is under way."""

PASSING = frozenset(
    (
        Reason.STALE_PLY,
        Reason.STALE_RACE,
        Reason.BUSY,
        Reason.NOT_STORED,
        Reason.NOT_PLAYING,
        Reason.WRONG_PHASE,
    )
)
"""Refusals after which a bot looks again: the view was old, or the server was in trouble."""


class Pace(Struct, frozen=True, kw_only=True):
    """How fast a bot plays."""

    move_ms: float
    """For a move, on average."""
    spread: float = 0.0
    """0: always the same; 1: anything from at once to twice as long."""

    def wait_ms(self, random: Random) -> float:
        """Return how long to think about the next move.

        >>> Pace(move_ms=100).wait_ms(Random(1))
        100.0
        """
        return self.move_ms * random.uniform(1 - self.spread, 1 + self.spread)


def following(line: Sequence[str]) -> Mind:
    """Return the mind that plays *line*, move texts from the deal on.

    It goes by the moves that count, so it finds its place again whatever was lost, taken back or begun anew.
    """

    def mind(view: View) -> Play:
        assert view.hand, "asked only while it plays"
        return Play(ply=view.ply, move=line[view.hand.moves])

    return mind


async def play(connection: Connection, mind: Mind, pace: Pace, random: Random) -> View:
    """Play the own attempt, once it has begun, to its end; return the view of that.

    Raise Refusal for a command that could not have been right, ClosedError where the connection is over.
    """
    view = await connection.until(lambda view: view.hand is not None)
    while view.playing:
        await asyncio.sleep(pace.wait_ms(random) / 1000)
        view = connection.view
        if view.playing:
            await _act(connection, mind(view))
            view = connection.view
    return view


async def _act(connection: Connection, command: PlyCommand) -> None:
    try:
        await connection.ask(command)
    except Refusal as refused:
        if refused.reason not in PASSING:
            raise
