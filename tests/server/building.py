"""The rooms of a server on a real database, people who go into them, and time that passes when a test says so."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

from server.app import read_pools
from server.config import Config
from server.log import Player
from server.race.start import COUNTDOWN_MS
from server.rooms.room import Room
from server.rooms.rooms import Rooms
from server.storage.store import Store
from shared.pool import Pool
from shared.protocol.messages import (
    Began,
    Close,
    Done,
    Kick,
    Lock,
    Play,
    Ready,
    Resign,
    Snapshot,
    Start,
)
from tests.fake_clock import FakeClock
from tests.server.rooming import Listener, kept_open, people, time_at_will

POOLS = read_pools()


class Building:
    """A server's rooms on a database, and people who go into them."""

    def __init__(self, store: Store, rooms: Rooms, clock: FakeClock) -> None:
        self.store = store
        self.rooms = rooms
        self.clock = clock

    async def enter(self, room: Room, name: str) -> Listener:
        """Let a player of this name into a room."""
        listener = Listener(Player(name, name.title()))
        room.join(listener, listener.player)
        await listener.hears(Snapshot)
        return listener

    async def begin(self, room: Room, *names: str, countdown: int = 1) -> list[Listener]:
        """Let these in and start their race."""
        starters = [await self.enter(room, name) for name in names]
        for starter in starters[1:]:
            room.receive(starter, starter.player, Ready(ready=True), self.clock.now_ms())
        room.receive(starters[0], starters[0].player, Start(id=9, countdown=countdown), self.clock.now_ms())
        await starters[0].hears(Done, id=9)
        self.clock.advance(COUNTDOWN_MS)
        for starter in starters:
            await starter.hears(Began)
        return starters

    async def until(self, holds: Callable[[], bool]) -> None:
        """Let the rooms and the database's threads run until something holds."""
        while not holds():
            await self.store.read.rooms()

    def say(self, room: Room, listener: Listener, command: Play | Resign | Lock | Kick | Close) -> None:
        """Hand a command in."""
        room.receive(listener, listener.player, command, self.clock.now_ms())


@asynccontextmanager
async def building(
    path: Path, *, pools: dict[str, Pool] | None = None, new: bool = True, stops: bool = True, word: str | None = None
) -> AsyncIterator[Building]:
    """Lend the rooms of a server on a database, restored; at the end it stops, or breaks off as if killed."""
    async with time_at_will() as clock, kept_open(await Store.open(path, clock=clock)) as store:
        if new:
            await people(store)
        rooms = Rooms(store, pools or POOLS, clock, Random(5).randbytes, Config(database=str(path), word=word))
        await rooms.restore()
        try:
            yield Building(store, rooms, clock)
            if stops:
                await rooms.stop()
        finally:
            for task in rooms._tasks:
                task.cancel()
