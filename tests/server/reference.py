"""`Listener` and `Transport` once more, by websockets' own server: what the tests of both hold ours to."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from socket import socket as Socket  # noqa: N812  # what stands beside it is a WebSocket
from typing import TypeAlias

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed, InvalidMessage
from websockets.frames import Frame as Piece
from websockets.protocol import Event, State
from websockets.typing import Subprotocol

from server.config import Limits
from server.rooms.addresses import Household
from server.rooms.door import Door
from server.rooms.listener import Answer, Unread
from server.rooms.transport import Taken
from shared.protocol.codec import Frame

ServeVisit: TypeAlias = Callable[["ServeTransport", str, Household], Awaitable[None]]

PIECE = 4_096
"""Bytes of what has come that are taken apart before it is asked whether the sender floods."""


class ServeTransport:
    """The `Transport` of a connection that `websockets.serve` accepted."""

    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection
        self.subprotocol = str(connection.subprotocol)
        self._closed = False

    async def receive(self, take: Callable[[Frame], Taken | None]) -> Taken | None:
        try:
            async for frame in self._connection:
                taken = None if self._closed else take(frame)
                if taken is not None:
                    return taken
        except ConnectionClosed:
            pass
        return None

    def send(self, frames: Sequence[bytes]) -> None:
        if self._connection.protocol.state is State.OPEN and not self._connection.transport.is_closing():
            self._connection.transport.write(b"".join(frames))

    def waiting(self) -> int:
        return self._connection.transport.get_write_buffer_size()

    def lag_ms(self) -> int | None:
        return round(self._connection.latency * 1000) or None

    def close(self, code: int, reason: str) -> None:
        if self._connection.protocol.state is State.OPEN:
            self._connection.protocol.send_close(code, reason)
            self._connection.send_data()
            self._closed = True
            # It waits by itself only for goodbyes that are said by its own `close`.
            asyncio.get_running_loop().call_later(self._connection.close_timeout or 0, self.cut)

    def cut(self) -> None:
        self._connection.transport.abort()


class ServeListener:
    """A `Listener` on `websockets.serve`."""

    def __init__(
        self, door: Door, limits: Limits, subprotocols: Sequence[str], answer: Answer, visit: ServeVisit, unread: Unread
    ) -> None:
        self._door = door
        self._limits = limits
        self._subprotocols = [Subprotocol(name) for name in subprotocols]
        self._answer = answer
        self._visit = visit
        self._unread = unread
        self._server: Server | None = None

    async def open(self, host: str, port: int) -> None:
        """Begin to listen."""
        within_s = self._limits.handshake_ms / 1000
        self._server = await serve(
            self._visited,
            host,
            port,
            subprotocols=self._subprotocols,
            process_request=lambda connection, request: self._answer(connection.transport, request),
            compression=None,
            max_size=self._limits.message,
            open_timeout=within_s,
            close_timeout=within_s,
            server_header=None,
            create_connection=visitors(self._door, self._unread),
        )

    @property
    def sockets(self) -> Sequence[Socket]:
        """What is listened on."""
        assert self._server
        return self._server.sockets

    def close(self, code: int, reason: str) -> None:
        """Let nobody in any more, and close every WebSocket."""
        assert self._server
        self._server.close(code=code, reason=reason)

    async def wait_closed(self) -> None:
        """Return when everyone is gone."""
        assert self._server
        await self._server.wait_closed()

    async def _visited(self, connection: ServerConnection) -> None:
        assert connection.request
        whose = self._door.whose(connection.transport)
        await self._visit(ServeTransport(connection), connection.request.path, whose)


def visitors(door: Door, refuse: Unread) -> type[ServerConnection]:
    """Return the kind of connection that reports to *door*.

    *refuse* makes the answer to what the library takes for no request, given its first word: the library makes none.
    """

    class Visitor(ServerConnection):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            super().connection_made(transport)
            self._pace = door.pace()
            self._start: bytes | None = None
            door.enter(self.transport)

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            door.leave(self.transport)

        def data_received(self, data: bytes) -> None:
            self._start = self._start or data[:16]
            for start in range(0, len(data), PIECE):
                if not self.transport.is_closing():
                    super().data_received(data[start : start + PIECE])

        def send_data(self) -> None:
            # Where no request can be made of what has come, all that there is to send is the end.
            failure = self.protocol.handshake_exc
            if self._start and isinstance(failure, InvalidMessage) and not isinstance(failure.__cause__, EOFError):
                self.transport.write(refuse(self._start.partition(b" ")[0].decode("ascii", "replace")).serialize())
                self._start = b""
            super().send_data()

        def process_event(self, event: Event) -> None:
            if isinstance(event, Piece) and door.floods(self.transport, self._pace):
                self.transport.abort()
            else:
                super().process_event(event)

    return Visitor
