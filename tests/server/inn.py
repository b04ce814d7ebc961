"""A listener of either kind, ours or that of `websockets.serve`, and what a test does with it."""

import asyncio
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any, TypeAlias

import uvloop
from websockets.asyncio.client import ClientConnection, connect
from websockets.datastructures import Headers
from websockets.frames import Frame, Opcode
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from server.clock import SystemClock
from server.config import Limits
from server.rooms.addresses import Hosts, Household, Proxies
from server.rooms.door import Door
from server.rooms.listener import Listener
from server.rooms.transport import Transport
from tests.patience import GUARD_S
from tests.server.reference import ServeListener

LOOPS = {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}
KINDS: dict[str, Any] = {"ours": Listener, "serve": ServeListener}

LIMITS = Limits(message=1_000, handshake_ms=1_000, messages_per_s=100_000)

Visit: TypeAlias = Callable[[Transport], Awaitable[None]]
"""The server's side of a connection."""


class Inn:
    """A listener, and what a test has it do."""

    def __init__(self, kind: Any, limits: Limits) -> None:  # noqa: ANN401  # the class of a listener
        self.door = Door(Proxies(()), Hosts("here", ()), limits, SystemClock())
        self.listener = kind(self.door, limits, ["two", "one"], self._answer, self._visit, _unread)
        self.asked = asyncio.Event()
        """Somebody has asked for `/slow`."""
        self.answers = asyncio.Event()
        """They are answered."""
        self._serve: Visit | None = None
        self._served: asyncio.Future[str] | None = None

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.listener.sockets[0].getsockname()[1])

    def serves(self, visit: Visit) -> "asyncio.Future[str]":
        """Have the next connection served by *visit*; return what is done when that is, with the path."""
        self._serve, self._served = visit, asyncio.get_running_loop().create_future()
        return self._served

    def hears(self) -> tuple[list[bytes | str], "asyncio.Future[str]"]:
        """Have the next connection listened to; return what comes, and what `serves` returns: then all has come."""
        got: list[bytes | str] = []

        async def listen(transport: Transport) -> None:
            got.extend(await heard(transport))

        return got, self.serves(listen)

    def client(self, path: str = "/ws", *, subprotocols: tuple[str, ...] = ("one",)) -> connect:
        """Return a WebSocket to open."""
        return connect(
            f"ws://127.0.0.1:{self.port}{path}",
            subprotocols=[Subprotocol(name) for name in subprotocols],
            compression="deflate",  # which nobody takes up
            proxy=None,
            close_timeout=1,
            ping_interval=None,
        )

    async def emptied(self) -> None:
        """Wait until the server has noticed that everyone is gone."""
        here = True
        while here:
            await asyncio.sleep(0)
            here = bool(self.door._open)

    async def talk(self, *parts: bytes) -> bytes:
        """Send bytes, one part after the other, and return all that comes back."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            for part in parts:
                writer.write(part)
                await asyncio.sleep(0.005)
            return await reader.read()
        except ConnectionError:
            return b""
        finally:
            writer.close()

    async def _answer(self, transport: asyncio.Transport, request: Request) -> Response | None:
        self.door.admit(transport, request)
        if request.path == "/broken":
            raise ZeroDivisionError
        if request.path == "/slow":
            self.asked.set()
            await self.answers.wait()
        return None if request.path in ("/ws", "/slow") else plain(HTTPStatus.OK, request.path)

    async def _visit(self, transport: Transport, path: str, _whose: Household) -> None:
        visit, served = self._serve, self._served
        assert visit
        assert served
        try:
            await visit(transport)
        except BaseException as error:  # noqa: BLE001  # told to the test, whatever it is
            served.set_exception(error)
        else:
            served.set_result(path)


def plain(status: HTTPStatus, text: str) -> Response:
    """Return an answer that is no WebSocket."""
    return Response(status, status.phrase, Headers({"Content-Length": str(len(text))}), text.encode())


def _unread(word: str) -> Response:
    return plain(HTTPStatus.METHOD_NOT_ALLOWED, word)


Body: TypeAlias = Callable[[Inn], Awaitable[None]]
Run: TypeAlias = Callable[..., None]


def runner(kind: str, loop: str) -> Run:
    """Return what runs a test's body with a listener of this *kind* on such a *loop*."""

    async def guarded(body: Body, limits: Limits) -> None:
        inn = Inn(KINDS[kind], limits)
        await inn.listener.open("127.0.0.1", 0)
        async with asyncio.timeout(GUARD_S):
            try:
                await body(inn)
            finally:
                inn.listener.close(1012, "the end")
                inn.door.cut_all()
                await inn.listener.wait_closed()

    def run(body: Body, limits: Limits = LIMITS) -> None:
        with asyncio.Runner(loop_factory=LOOPS[loop]) as made:
            made.run(guarded(body, limits))

    return run


async def heard(transport: Transport) -> list[bytes | str]:
    """Return all that comes until the end."""
    messages: list[bytes | str] = []

    def take(message: bytes | str) -> None:
        messages.append(message)

    await transport.receive(take)
    return messages


async def send_raw(client: ClientConnection, *frames: bytes) -> None:
    """Send bytes as they are, with one write."""
    client.transport.write(b"".join(frames))
    await asyncio.sleep(0)


def piece(opcode: Opcode, data: bytes, **bits: bool) -> bytes:
    """Return a frame of a client."""
    return Frame(opcode, data, **bits).serialize(mask=True)


def request(path: str = "/ws", method: str = "GET", **head: str) -> bytes:
    """Return a request for a WebSocket."""
    fields = {
        "Host": "127.0.0.1",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Protocol": "one",
    } | {name.replace("_", "-"): value for name, value in head.items()}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items()), "", ""]
    return "\r\n".join(lines).encode()
