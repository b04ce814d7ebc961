"""Scenarios as data: who is connected, who moves, and how fast."""

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace


class Scenario(Struct, frozen=True, kw_only=True):
    """A crowd, and what is measured beside it in the same round."""

    name: str
    shows: str
    """What it is, for people."""
    rooms: int = 0
    seats: int = 0
    """Of each room, all taken."""
    movers: int = 0
    """Of the seats of each room, those who move; the others only listen."""
    spectators: int = 0
    """Of each room."""
    idle: int = 0
    """Connections in the lobby."""
    every_ms: int | None = None
    """A mover's pace; None: the next move goes as soon as the last is acknowledged."""
    anchor: Literal["echo", "broadcast"] | None = None
    """The bare server that does the same with as many connections; `broadcast` where one moves: all hear it."""

    @property
    def moving(self) -> int:
        """The number of those who move."""
        return self.rooms * self.movers

    @property
    def listening(self) -> int:
        """The number of those who are in rooms and do not move."""
        return self.rooms * (self.seats - self.movers + self.spectators)

    @property
    def connections(self) -> int:
        """The number of all."""
        return self.moving + self.listening + self.idle


CROWD = Scenario(
    name="spectators",
    shows="one who moves in a room with 250 spectators, so fast that each move is told to all",
    rooms=1,
    seats=1,
    movers=1,
    spectators=250,
    every_ms=60,
    anchor="broadcast",
)
PAIR = replace(
    CROWD, name="two", shows="the same with 2 spectators: what more of them cost is the difference", spectators=2
)

SCENARIOS = (
    Scenario(name="rooms", shows="16 rooms of 4, all move", rooms=16, seats=4, movers=4, anchor="echo"),
    Scenario(name="seats", shows="64 rooms of 4, one of each moves", rooms=64, seats=4, movers=1, anchor="echo"),
    Scenario(
        name="paced",
        shows="16 rooms of 4, each player moves once a second",
        rooms=16,
        seats=4,
        movers=4,
        every_ms=1_000,
        anchor="echo",
    ),
    CROWD,
    PAIR,
    Scenario(
        name="idle",
        shows="2,000 connections in the lobby, and one who moves",
        rooms=1,
        seats=1,
        movers=1,
        idle=2_000,
        every_ms=50,
        anchor="echo",
    ),
    Scenario(
        name="held",
        shows="10,000 connections in the lobby, while 1,000 players move once a second",
        rooms=250,
        seats=4,
        movers=4,
        idle=10_000,
        every_ms=1_000,
    ),
)
