"""Where connections come in: each is asked what it wants, and answered or made a WebSocket."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from http import HTTPStatus
from socket import socket as Socket  # noqa: N812  # what stands beside it is a WebSocket
from typing import TypeAlias, cast

from websockets.exceptions import InvalidMessage
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from server.config import Limits
from server.rooms.addresses import Household
from server.rooms.door import Door
from server.rooms.websocket import WebSocket, send_out

LOGGER = logging.getLogger(__name__)

BACKLOG = 1_000
"""So many connections may wait to be let in."""

HEAD_END = b"\r\n\r\n"

Answer: TypeAlias = Callable[[asyncio.Transport, Request], Awaitable[Response | None]]
"""Returns the answer to a request; None for one that may become a WebSocket."""

Visit: TypeAlias = Callable[[WebSocket, str, Household], Awaitable[None]]
"""Serves a WebSocket that was opened at a path, until its end."""

Unread: TypeAlias = Callable[[str], Response]
"""Returns the answer to what begins with a word and is no request."""


class Listener:
    """Everyone who came in by one address."""

    def __init__(
        self, door: Door, limits: Limits, subprotocols: Sequence[str], answer: Answer, visit: Visit, unread: Unread
    ) -> None:
        self.door = door
        self.limits = limits
        self.unread = unread
        self._subprotocols = [Subprotocol(name) for name in subprotocols]
        self._answer = answer
        self._visit = visit
        self._server: asyncio.Server | None = None
        self._stopping = False
        self._here: set[Handshake | WebSocket] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._less = asyncio.Event()
        """Set when one of these is gone."""

    async def open(self, host: str, port: int) -> None:
        """Begin to listen; raise OSError where that can't be."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: Handshake(self), host, port, backlog=BACKLOG)

    @property
    def sockets(self) -> Sequence[Socket]:
        """What is listened on."""
        assert self._server is not None, "made by open"
        return self._server.sockets

    def close(self, code: int, reason: str) -> None:
        """Let nobody in any more, and close every WebSocket."""
        assert self._server is not None, "made by open"
        self._stopping = True
        self._server.close()
        for connection in tuple(self._here):
            if isinstance(connection, WebSocket):
                connection.close(code, reason)

    async def wait_closed(self) -> None:
        """Return when everyone is gone."""
        while self._here or self._tasks:
            self._less.clear()
            await self._less.wait()

    # What connections call

    def protocol(self) -> ServerProtocol:
        """Return what reads a request, and what becomes of it."""
        return ServerProtocol(subprotocols=self._subprotocols, max_size=self.limits.message)

    def enter(self, connection: "Handshake | WebSocket") -> None:
        """Note a connection."""
        self._here.add(connection)

    def leave(self, connection: "Handshake | WebSocket") -> None:
        """Note that it is gone, or another in its place."""
        self._here.discard(connection)
        self._less.set()

    def work(self, work: Awaitable[None]) -> None:
        """Have something done beside what comes in."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._worked)

    def _worked(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        self._less.set()

    async def answer(self, protocol: ServerProtocol, transport: asyncio.Transport, request: Request) -> Response:
        """Return the answer to a request, be it that the WebSocket is open."""
        try:
            answered = await self._answer(transport, request)
        except Exception:
            LOGGER.exception("a request broke")
            return protocol.reject(HTTPStatus.INTERNAL_SERVER_ERROR, "Something went wrong here.\n")
        if answered is not None:
            return answered
        if self._stopping:
            return protocol.reject(HTTPStatus.SERVICE_UNAVAILABLE, "The server stops; come back soon.\n")
        return protocol.accept(request)

    async def visit(self, connection: WebSocket, path: str, whose: Household) -> None:
        """Serve a WebSocket, and close it."""
        try:
            await self._visit(connection, path, whose)
        finally:
            connection.close(1000, "")


class Handshake(asyncio.Protocol):
    """A connection from its first byte to the answer to its request, and to its end where that is no WebSocket."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._protocol = listener.protocol()
        self._first = b""
        """The first bytes that came."""
        self._tail = b""
        """The last few, in which the end of the head may have begun."""
        self._early = b""
        """What has come behind the head, before the answer."""
        self._asked = False
        """The head is there, and not answered yet."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        within_s = self._listener.limits.handshake_ms / 1000
        self._timer = asyncio.get_running_loop().call_later(within_s, self._transport.abort)
        self._listener.enter(self)
        self._listener.door.enter(self._transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._timer.cancel()
        self._listener.door.leave(self._transport)
        self._listener.leave(self)

    def data_received(self, data: bytes) -> None:
        if self._asked:
            self._early += data
            self._transport.pause_reading()
            return
        self._first = self._first or data[:16]
        found = (self._tail + data).find(HEAD_END)
        end = len(data) if found < 0 else found + len(HEAD_END) - len(self._tail)
        self._tail = (self._tail + data)[1 - len(HEAD_END) :]
        self._protocol.receive_data(data[:end])
        for request in self._protocol.events_received():
            assert isinstance(request, Request), "the first event, and nothing behind the head was fed"
            self._asked, self._early = True, data[end:]
            self._listener.work(self._answer(request))
        self._say()

    def eof_received(self) -> None:
        self._protocol.receive_eof()
        self._say()

    async def _answer(self, request: Request) -> None:
        response = await self._listener.answer(self._protocol, self._transport, request)
        if self._transport.is_closing():
            return
        self._asked = False
        self._protocol.send_response(response)
        self._say()
        if self._protocol.state is State.OPEN:
            self._open(request.path)
        else:
            self._transport.resume_reading()

    def _open(self, path: str) -> None:
        """Hand the connection on to the WebSocket that it is now."""
        self._timer.cancel()
        listener = self._listener
        # A protocol anew: that of the handshake would keep the request, some kilobytes, for as long as it lives.
        protocol = ServerProtocol(state=State.OPEN, max_size=listener.limits.message)
        protocol.subprotocol = self._protocol.subprotocol
        opened = WebSocket(self._transport, protocol, listener.door, listener.limits, listener.leave)
        self._transport.set_protocol(opened)
        listener.leave(self)
        listener.enter(opened)
        listener.work(listener.visit(opened, path, listener.door.whose(self._transport)))
        opened.data_received(self._early)

    def _say(self) -> None:
        """Send what the protocol has to say. To what is no request it would say nothing."""
        failure = self._protocol.handshake_exc
        if self._first and isinstance(failure, InvalidMessage) and not isinstance(failure.__cause__, EOFError):
            word = self._first.partition(b" ")[0].decode("ascii", "replace")
            self._transport.write(self._listener.unread(word).serialize())
            self._first = b""
        send_out(self._protocol, self._transport)
