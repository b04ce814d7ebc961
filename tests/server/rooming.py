"""A room with a real store, players who listen, and time that passes when a test says so."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import pytest

from client.view import View
from server.config import Limits
from server.log import Batch, Player
from server.race.race import Race
from server.race.said import Begin
from server.race.start import COUNTDOWN_MS
from server.rooms.frames import framed
from server.rooms.room import Draw, Room
from server.storage.store import Store
from shared.errors import Reason, SameDealError
from shared.protocol.codec import MsgpackCodec, client_codec, server_codecs
from shared.protocol.messages import Answer, AnyCommand, Began, Event, Ready, Snapshot, Start, Welcome
from shared.protocol.values import Options
from tests.fake_clock import FakeClock
from tests.patience import GUARD_S
from tests.server.racing import STARTED_MS
from tests.server.unframing import unframed

Kind = TypeVar("Kind", bound=Event)
Opened = TypeVar("Opened", bound=Store)

Build: TypeAlias = Callable[[str], Room]
"""Makes the room of a race."""


class Listener:
    """A connection's end of a session: it keeps what is sent, and folds it into a client's view."""

    bot = False

    def __init__(
        self, player: Player, subprotocol: str = MsgpackCodec.subprotocol, *, wants_choices: bool = False
    ) -> None:
        self.player = player
        self.wants_choices = wants_choices
        self.subprotocol = subprotocol
        self.writes: list[list[bytes]] = []
        self.heard: list[Event] = []
        self.view = View().after(Welcome(player=player.id, name=player.name))
        self.closed: Reason | None = None
        self.check: Callable[[Event], None] = lambda event: None
        """What a test looks at in the moment that an event is sent."""
        self._codec = server_codecs()[subprotocol]
        self._read = client_codec(subprotocol)
        self._sent = asyncio.Event()
        self._next = 0

    def packed(self, event: Event) -> bytes:
        return framed(self._codec.encode(event))

    def send(self, frames: list[bytes]) -> None:
        assert frames
        assert self.closed is None
        self.writes.append(frames)
        for frame in unframed(frames):
            event = self._read.decode(frame)
            self.check(event)
            self.heard.append(event)
            self.view = self.view.after(event)
        self._sent.set()

    def tell(self, event: Event) -> None:
        self.send([self.packed(event)])

    def close(self, error: SameDealError) -> None:
        self.closed = error.reason

    async def hears(self, kind: type[Kind], **fields: Any) -> Kind:  # noqa: ANN401  # of each field its own type
        """Return the next event of this kind that has these fields; those before it are passed over."""
        while True:
            while self._next < len(self.heard):
                event = self.heard[self._next]
                self._next += 1
                if isinstance(event, kind) and all(getattr(event, name) == fields[name] for name in fields):
                    return event
            self._sent.clear()
            await self._sent.wait()

    def news(self) -> list[Event]:
        """Return what was heard and not looked at yet."""
        news, self._next = self.heard[self._next :], len(self.heard)
        return news


class NotingStore(Store):
    """A store that notes what it is given."""

    batches: list[Batch]

    async def append(self, batch: Batch) -> None:
        self.batches.append(batch)
        await super().append(batch)


class House:
    """A store and one room after another, each with its task."""

    room: Room
    task: "asyncio.Task[None]"

    def __init__(self, store: NotingStore, clock: FakeClock, build: Build) -> None:
        self.store = store
        self.clock = clock
        self._build = build
        self._ids = count(1)
        self.open("race")

    def open(self, race: str) -> None:
        """Open a room for *race*."""
        self.room = self._build(race)
        self.task = asyncio.create_task(self.room.run())

    async def shut(self) -> None:
        """End the room's task; raise what it raised."""
        self.task.cancel()
        await asyncio.wait([self.task])
        if not self.task.cancelled():
            self.task.result()

    async def enter(self, name: str, subprotocol: str = MsgpackCodec.subprotocol) -> Listener:
        """Let a player of this name in, and wait for their snapshot."""
        listener = self.arrive(name, subprotocol)
        await listener.hears(Snapshot)
        return listener

    def arrive(
        self, name: str, subprotocol: str = MsgpackCodec.subprotocol, *, wants_choices: bool = False
    ) -> Listener:
        """Let a player of this name in."""
        listener = Listener(Player(name, name.title()), subprotocol, wants_choices=wants_choices)
        self.room.join(listener, listener.player)
        return listener

    def tell(self, listener: Listener, command: AnyCommand) -> None:
        """Hand a command in, stamped now."""
        self.room.receive(listener, listener.player, command, self.clock.now_ms())

    async def ask(self, listener: Listener, command: Callable[[int], AnyCommand]) -> Answer:
        """Hand a command in under an id of its own, and return its answer."""
        number = next(self._ids)
        self.tell(listener, command(number))
        return await listener.hears(Answer, id=number)

    async def count_down(self, *starters: Listener, countdown: int = 1) -> None:
        """Have the first of *starters*, the host, start once the others are ready; the deal is asked for."""
        for starter in starters[1:]:
            self.tell(starter, Ready(ready=True))
        self.tell(starters[0], Start(id=999, countdown=countdown))
        await starters[0].hears(Answer, id=999)
        self.clock.advance(COUNTDOWN_MS)

    async def begin(self, *starters: Listener) -> None:
        """Begin the race for *starters*, the first of whom is the host."""
        await self.count_down(*starters)
        for starter in starters:
            await starter.hears(Began)

    async def breath(self) -> None:
        """Give the database's threads a moment."""
        await self.store.read.rooms()

    async def idle(self) -> None:
        """Wait until the room has nothing more to do: nothing can come any more but by what is said, or by time."""
        await self.turns()
        while self.room._inbox or self.store._commits._task or self.room._wake.is_set():
            await self.turns()
        await self.turns()

    async def turns(self, many: int = 20) -> None:
        """Let everything that is ready run."""
        for _ in range(many):
            await asyncio.sleep(0)


NAMES = ("anna", "bert", "carl", "dora")


@asynccontextmanager
async def house(
    path: Path,
    number: int = 4,
    options: Options | None = None,
    inbox: int = 256,
    limits: Limits | None = None,
    kind: type[NotingStore] = NotingStore,
    draw: Draw | None = None,
    **store_options: Any,  # noqa: ANN401
) -> AsyncIterator[House]:
    """Lend a house on a database at *path*, whose races are dealt *number*; its timers go by its clock."""
    NotingStore.batches = []
    async with time_at_will() as clock, kept_open(await kind.open(path, clock=clock, **store_options)) as store:
        await people(store)

        def build(race: str) -> Room:
            ids = map("race {}".format, count(2))
            made = Race(id=race, room="ROOM", options=options or Options())
            return Room(made, store, clock, draw or dealer(number), ids.__next__, limits or Limits(inbox=inbox))

        lent = House(store, clock, build)
        try:
            yield lent
        finally:
            await lent.shut()


@contextmanager
def told_at_once() -> Iterator[None]:
    """Let rooms tell who is here whenever it changes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("server.rooms.bulletins.ROSTER_MS", 0)
        yield


@asynccontextmanager
async def time_at_will() -> AsyncIterator[FakeClock]:
    """Lend a clock that stands still, by which the loop's timers go; a test that waits in vain is given up.

    Who is in a room is told at once meanwhile: what stands still would hold it back for ever.
    """
    clock, loop = FakeClock(), asyncio.get_running_loop()
    real_time = loop.time
    loop.time = lambda: clock.now_ms() / 1000  # type: ignore[method-assign]  # timers follow the clock
    guard = threading.Timer(GUARD_S, give_up, (loop, asyncio.current_task()))
    guard.start()
    try:
        with told_at_once():
            yield clock
    finally:
        guard.cancel()
        loop.time = real_time  # type: ignore[method-assign]  # as above


@asynccontextmanager
async def kept_open(store: Opened) -> AsyncIterator[Opened]:
    """Close *store* at the end."""
    try:
        yield store
    finally:
        await store.close()


async def people(store: Store) -> None:
    """Store everyone who comes into rooms."""
    everyone = (store.add_player(Player(name, name.title()), name.encode().ljust(32)) for name in NAMES)
    await asyncio.gather(*everyone)


def give_up(loop: asyncio.AbstractEventLoop, test: "asyncio.Task[None]") -> None:
    """Cancel a test that waits in vain, from outside its loop, whose time stands still."""
    loop.call_soon_threadsafe(test.cancel, "it has waited in vain")


def dealer(number: int) -> Draw:
    """Return what deals *number*; attempts are called after player and race."""

    async def deal(race: Race) -> Begin:
        attempts = tuple(f"{player}'s {race.id}" for player in race.starters)
        return Begin(number=number, attempts=attempts, started_ms=STARTED_MS)

    return deal
