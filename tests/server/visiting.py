"""A server with real sockets, whose time passes when a test says so, and clients that speak to it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any, Self, TypeVar

from msgspec.structs import replace
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from client.view import View
from server.app import Server
from server.config import Config, Limits
from shared.protocol.codec import Codec, MsgpackCodec, client_codec
from shared.protocol.messages import Answer, AnyEvent, Command, Event, Hello, PlyCommand, Snapshot, Welcome
from tests.fake_clock import FakeClock

Kind = TypeVar("Kind", bound=Event)


@asynccontextmanager
async def serving(database: Path, place: int = 0, limits: Limits | None = None) -> AsyncIterator["Serving"]:
    """Lend a server that draws the number at this place of a pool that nobody has opened; timers go by its clock."""
    clock, loop = FakeClock(), asyncio.get_running_loop()
    real_time = loop.time
    loop.time = lambda: clock.now_ms() / 1000  # type: ignore[method-assign]  # timers follow the clock
    config = Config(host="127.0.0.1", port=0, database=str(database), limits=limits or Limits())
    server = await Server.start(config, clock=clock, random_below=lambda _below: place)
    try:
        yield Serving(server, clock)
    finally:
        await server.stop()
        loop.time = real_time  # type: ignore[method-assign]  # as above


class Serving:
    """A server and its clock."""

    def __init__(self, server: Server, clock: FakeClock) -> None:
        self.server = server
        self.clock = clock

    def url(self, room: str = "ROOM") -> str:
        """Return the address of a room."""
        return f"ws://127.0.0.1:{self.server.port}/ws/{room}"

    def visitor(self, hello: Hello, subprotocol: str = MsgpackCodec.subprotocol, room: str = "ROOM") -> "Visitor":
        """Return a client that is not connected yet."""
        return Visitor(self.url(room), hello, subprotocol)


class Visitor:
    """A client on a bare socket. Enter it to connect, say hello and hear the snapshot."""

    socket: ClientConnection

    def __init__(self, url: str, hello: Hello, subprotocol: str) -> None:
        self.view = View()
        self.heard: list[AnyEvent] = []
        self.token = hello.token
        self._url = url
        self._hello = hello
        self._subprotocol = Subprotocol(subprotocol)
        self._codec: Codec[AnyEvent] = client_codec(subprotocol)
        self._ids = count(1)

    async def __aenter__(self) -> Self:
        self.socket = await connect(self._url, subprotocols=[self._subprotocol], compression=None)
        await self.send(self._hello)
        welcome = await self.hears(Welcome)
        self.token = welcome.token or self.token
        await self.hears(Snapshot)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.socket.close()

    def again(self, subprotocol: str | None = None) -> "Visitor":
        """Return a client that comes back as this one."""
        return Visitor(self._url, Hello(token=self.token), subprotocol or str(self._subprotocol))

    async def send(self, command: Command) -> None:
        """Send *command* as it is."""
        await self.socket.send(self._codec.encode(command))

    async def hear(self) -> AnyEvent:
        """Return the next event, folded into the view."""
        event = self._codec.decode(await self.socket.recv())
        self.heard.append(event)
        self.view = self.view.after(event)
        return event

    async def hears(self, kind: type[Kind], **fields: Any) -> Kind:  # noqa: ANN401  # of each field its own type
        """Return the next event of this kind that has these fields."""
        while True:
            event = await self.hear()
            if isinstance(event, kind) and all(getattr(event, name) == fields[name] for name in fields):
                return event

    async def ask(self, command: Command) -> Answer:
        """Send *command*, in play at the own ply, and return its answer."""
        asked = replace(command, id=next(self._ids))
        if isinstance(asked, PlyCommand) and asked.ply == 0:
            asked = replace(asked, ply=self.view.ply)
        await self.send(asked)
        return await self.hears(Answer, id=asked.id)

    async def closing(self) -> tuple[int, str]:
        """Return code and reason with which the server closes."""
        return await closing(self.hear)


async def closing(hear: Callable[[], Awaitable[object]]) -> tuple[int, str]:
    """Hear until the server closes; return its code and reason."""
    while True:
        try:
            await hear()
        except ConnectionClosed as closed:
            return (closed.rcvd.code, closed.rcvd.reason) if closed.rcvd else (1006, "")
