"""A server with real sockets, whose time passes when a test says so, and clients that speak to it."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from socket import socket as Socket  # noqa: N812  # what stands beside it is a WebSocket
from typing import Any, Self, TypeVar

from msgspec.structs import replace
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from client.view import View
from server.app import Server
from server.config import Config, Limits
from server.race.start import COUNTDOWN_MS
from shared.protocol.codec import Codec, MsgpackCodec, client_codec
from shared.protocol.messages import (
    Answer,
    AnyEvent,
    Began,
    Command,
    Done,
    Event,
    Hello,
    Hinted,
    Play,
    Played,
    PlyCommand,
    Ready,
    Snapshot,
    Start,
    Welcome,
)
from shared.protocol.values import Options
from tests.fake_clock import FakeClock
from tests.server.rooming import time_at_will
from tests.server.storing import prepare

Kind = TypeVar("Kind", bound=Event)


@asynccontextmanager
async def serving(database: Path, limits: Limits | None = None, **settings: Any) -> AsyncIterator["Serving"]:  # noqa: ANN401  # of Config
    """Lend a server whose timers, and whatever it counts by time, go by a clock of the test's."""
    prepare(database)
    config = Config(port=0, database=str(database), limits=limits or Limits(), **settings)
    async with time_at_will() as clock:
        server = await Server.start(config, clock=clock)
        try:
            yield Serving(server, clock)
        finally:
            await server.stop()


class Serving:
    """A server and its clock."""

    def __init__(self, server: Server, clock: FakeClock) -> None:
        self.server = server
        self.clock = clock

    def url(self, room: str = "ROOM") -> str:
        """Return the address of a room."""
        return f"ws://127.0.0.1:{self.server.port}/ws/{room}"

    def visitor(
        self,
        name: str,
        subprotocol: str = MsgpackCodec.subprotocol,
        client: str = "page",
        options: Options | None = None,
        room: str = "ROOM",
    ) -> "Visitor":
        """Return a client that is not connected yet; the first makes the room, with *options*."""
        hello = Hello(name=name, client=client, opens=True, options=options or Options())
        return Visitor(self.url(room), hello, subprotocol)

    async def begin(self, host: "Visitor", *guests: "Visitor") -> None:
        """Have the host start with all who are here, and wait for the deal."""
        for guest in guests:
            assert isinstance(await guest.ask(Ready(ready=True)), Done)
        assert isinstance(await host.ask(Start(countdown=host.view.countdown + 1)), Done)
        await self.pass_countdown(host, *guests)

    async def pass_countdown(self, *starters: "Visitor") -> None:
        """Let the time of the countdown pass; all *starters* hear the deal."""
        self.clock.advance(COUNTDOWN_MS)
        for starter in starters:
            await starter.hears(Began)


class Visitor:
    """A client on a bare socket. Enter it to connect, say hello and hear the snapshot."""

    socket: ClientConnection

    def __init__(self, url: str, hello: Hello, subprotocol: str, log: list[str] | None = None) -> None:
        self.view = View()
        self.heard: list[AnyEvent] = []
        self.token = hello.token
        self.log = [] if log is None else log
        """The entries that the server has acknowledged to this player, over all connections."""
        self.sock: Socket | None = None
        """What to connect over, where it is not any socket."""
        self._url = url
        self._hello = hello
        self._subprotocol = Subprotocol(subprotocol)
        self._codec: Codec[AnyEvent] = client_codec(subprotocol)
        self._ids = count(1)

    async def __aenter__(self) -> Self:
        self.socket = await connect(
            self._url, sock=self.sock, subprotocols=[self._subprotocol], compression=None, proxy=None
        )
        await self.send(self._hello)
        welcome = await self.hears(Welcome)
        self.token = welcome.token or self.token
        await self.hears(Snapshot)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.socket.close()

    def again(self, subprotocol: str | None = None, url: str | None = None) -> "Visitor":
        """Return a client that comes back as this one, perhaps in another encoding or to another server."""
        hello = replace(self._hello, name=None, token=self.token)
        return Visitor(url or self._url, hello, subprotocol or str(self._subprotocol), self.log)

    def cut(self) -> None:
        """Lose the connection as in a failing network."""
        self.socket.transport.abort()

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

    async def until(self, holds: Callable[[View], bool]) -> View:
        """Hear until the view *holds*, and return it."""
        while not holds(self.view):
            await self.hear()
        return self.view

    def numbered(self, command: Command) -> Command:
        """Return *command* under an id of its own and, in play, at the ply of the view."""
        asked = replace(command, id=next(self._ids))
        return replace(asked, ply=self.view.ply) if isinstance(asked, PlyCommand) else asked

    async def ask(self, command: Command) -> Answer:
        """Send *command*, numbered, and return its answer."""
        return await self.insist(self.numbered(command))

    async def insist(self, command: Command) -> Answer:
        """Send *command* as it is and return its answer; what it put into the log is noted."""
        await self.send(command)
        answer = await self.hears(Answer, id=command.id)
        if isinstance(answer, Played | Hinted) and answer.hand.ply > len(self.log):
            self.log += _entries(command, answer)
            assert len(self.log) == answer.hand.ply
        return answer

    async def play(self, *moves: str) -> None:
        """Play *moves*, each of which has to be accepted."""
        for move in moves:
            answer = await self.ask(Play(ply=0, move=move))
            assert isinstance(answer, Played), answer

    async def closing(self) -> tuple[int, str]:
        """Return code and reason with which the server closes."""
        return await closing(self.hear)


def _entries(command: Command, answer: Played | Hinted) -> tuple[str, ...]:
    """Return what a command is in the log."""
    if isinstance(command, Play):
        return (command.move,)
    word = type(command).__name__.lower()
    if isinstance(answer, Played) and word in ("gather", "playbest"):
        return answer.steps
    return (word,)


async def closing(hear: Callable[[], Awaitable[object]]) -> tuple[int, str]:
    """Hear until the server closes; return its code and reason."""
    while True:
        try:
            await hear()
        except ConnectionClosed as closed:
            return (closed.rcvd.code, closed.rcvd.reason) if closed.rcvd else (1006, "")
