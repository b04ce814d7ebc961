"""Players that are programs, beside the pages of a test: in a thread, since Playwright holds the test's own."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from contextlib import AsyncExitStack
from random import Random
from threading import Thread
from typing import Any, Self, TypeVar

from client import bot
from client.assets import solved_codes, winning_line
from client.connection import Connection
from client.view import View
from shared.gamecode import GameCode
from shared.protocol.messages import Answer, Command, Hello, PlyCommand, Ready, Start
from shared.protocol.values import Options, Seat
from tests.browser.serving import Server

T = TypeVar("T")

PATIENCE_S = 60

EASY = str(solved_codes("simple-simon")[0])
"""A deal whose winning line is known."""


def line_of(code: str) -> list[str]:
    """Return move texts that win the deal of *code*, which has to be of a pool."""
    line = winning_line(GameCode.parse(code))
    assert line, "the pool knows it"
    return [str(move) for move in line]


class Rival:
    """One player beside the pages."""

    def __init__(self, connection: Connection, rivals: "Rivals") -> None:
        self._connection = connection
        self._rivals = rivals

    @property
    def view(self) -> View:
        """What this player sees."""
        return self._connection.view

    @property
    def token(self) -> str:
        """The player's secret."""
        assert self._connection.token, "told with the welcome"
        return self._connection.token

    def ask(self, command: Command) -> Answer:
        """Send a command and return its answer; raise Refusal."""
        return self._rivals.run(self._connection.ask(command))

    def until(self, holds: Callable[[View], bool]) -> View:
        """Wait for a view that *holds*, and return it."""
        return self._rivals.run(self._connection.until(holds))

    def seat_of(self, name: str, holds: Callable[[Seat], bool] = lambda seat: True) -> Seat:
        """Wait until *name* has a seat that *holds*, and return it: of who is here all are told a little later."""
        view = self.until(lambda view: any(seat.name == name and holds(seat) for seat in view.seats))
        return next(seat for seat in view.seats if seat.name == name)

    def ready(self) -> None:
        """Set the ready mark."""
        self.ask(Ready(ready=True))

    def start(self) -> None:
        """As the host, begin the countdown."""
        self.ask(Start(countdown=self.view.countdown + 1))

    def play(self, *moves: str, move_ms: float = 0) -> None:
        """Play moves one after the other, once the race runs."""
        self.play_aside(*moves, move_ms=move_ms).result(PATIENCE_S)

    def play_aside(self, *moves: str, move_ms: float = 0) -> "Future[None]":
        """Begin to play *moves* while the test does other things."""
        return self._rivals.begin(_play(self._connection, moves, move_ms))

    def win(self, move_ms: float = 0) -> "Future[None]":
        """Begin to play the deal's winning line, which the pool has to know."""
        view = self.until(lambda view: view.code is not None)
        return self.play_aside(*line_of(str(view.code)), move_ms=move_ms)

    def drop(self) -> None:
        """Cut the line; it comes back by itself."""
        self._rivals.run(_do(self._connection.drop))


class Rivals:
    """All players beside the pages of one test."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, daemon=True)
        self._stack = AsyncExitStack()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.run(self._stack.aclose())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def begin(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Do *work* in the thread, beside the test."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do *work* in the thread and return what it returns."""
        return self.begin(work).result(PATIENCE_S)

    def join(
        self,
        room: str,
        name: str,
        *,
        options: Options | None = None,
        client: str = "terminal",
        token: str | None = None,
    ) -> Rival:
        """Join *room*; with *options* make it where there is none."""
        hello = Hello(
            name=None if token else name,
            token=token,
            client=client,
            opens=options is not None,
            options=options or Options(),
        )
        connection = Connection(self._server.room(room), hello, random=Random(1))
        self.run(self._stack.enter_async_context(connection))
        return Rival(connection, self)


async def _do(work: Callable[[], None]) -> None:
    work()


async def _play(connection: Connection, moves: Sequence[str], move_ms: float) -> None:
    view = await connection.until(lambda view: view.hand is not None and view.code is not None)
    assert view.hand
    first = view.hand.moves
    mind, pace, last = bot.following([*[""] * first, *moves]), bot.Pace(move_ms=move_ms), first + len(moves)
    while connection.view.playing and connection.view.hand and connection.view.hand.moves < last:
        await asyncio.sleep(pace.wait_ms(Random(1)) / 1000)
        command: PlyCommand = mind(connection.view)
        await connection.ask(command)
