"""A server for tests of the client's connection: real sockets, and it does what the test says."""

from collections.abc import Awaitable, Callable, Sequence
from http import HTTPStatus
from types import TracebackType
from typing import Self, TypeAlias

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from shared.protocol.codec import server_codecs
from shared.protocol.messages import AnyCommand, Event, Hello, Snapshot, Welcome
from shared.protocol.values import Options, Seat

CODECS = server_codecs()
ANNA = Welcome(player="p1", name="Anna", token="secret")
ROOM = Snapshot(
    room="ROOM", race="r1", phase="open", options=Options(), seats=(Seat(seat=0, player="p1", name="Anna"),), seat=0
)


class Peer:
    """The server's end of one connection."""

    def __init__(self, connection: ServerConnection) -> None:
        self.connection = connection
        self._codec = CODECS[connection.subprotocol or next(iter(CODECS))]

    async def hear(self) -> AnyCommand:
        """Return the next command."""
        return self._codec.decode(await self.connection.recv())

    async def say(self, *events: Event) -> None:
        """Tell *events*."""
        for event in events:
            await self.connection.send(self._codec.encode(event))

    async def admit(self, *events: Event) -> Hello:
        """Hear the hello, say welcome, tell the room and *events*; return the hello."""
        hello = await self.hear()
        assert isinstance(hello, Hello)
        await self.say(ANNA if hello.token is None else Welcome(player="p1", name="Anna"), ROOM, *events)
        return hello

    def cut(self) -> None:
        """End the connection without a word."""
        self.connection.transport.abort()


Visit: TypeAlias = Callable[[Peer], Awaitable[None]]
"""What happens over one connection; when it returns, the connection is closed with 1000 unless it ended before."""


class Desk:
    """Serves one visit after the other, as many connections as there are; a status refuses one in the handshake."""

    def __init__(self, *visits: Visit | HTTPStatus, subprotocols: Sequence[str] = tuple(CODECS), port: int = 0) -> None:
        self.port = port
        self._visits = list(visits)
        self._subprotocols = [Subprotocol(name) for name in subprotocols]
        self._failed: Exception | None = None
        self._server: Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await serve(
            self._visited,
            "127.0.0.1",
            self.port,
            subprotocols=self._subprotocols or None,
            process_request=self._refused,
            compression=None,
            close_timeout=1,
        )
        self.port = next(iter(self._server.sockets)).getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server
        self._server.close()
        await self._server.wait_closed()
        if self._failed:
            raise self._failed
        assert error or not self._visits, "not every visit took place"

    @property
    def url(self) -> str:
        """Where the room is."""
        return f"ws://127.0.0.1:{self.port}/ws/ROOM"

    def _refused(self, connection: ServerConnection, _request: Request) -> Response | None:
        status = self._visits[0] if self._visits else HTTPStatus.GONE
        if not isinstance(status, HTTPStatus):
            return None
        del self._visits[:1]
        return connection.respond(status, "")

    async def _visited(self, connection: ServerConnection) -> None:
        visit = self._visits.pop(0)
        assert not isinstance(visit, HTTPStatus), "refused in the handshake"
        try:
            await visit(Peer(connection))
        except ConnectionClosed:
            pass  # the client has gone
        except Exception as error:
            self._failed = error
            raise
