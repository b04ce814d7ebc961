"""A client's place in a room, over however many connections it takes.

Events are folded into a view. A connection that is lost is made again, into the same seat, and what was not answered
is sent again as it was: with the same id and ply a resend is harmless. A command in play is meant for one table, which
it does not name: where another lies there by now it is given up. Only a server that says so ends it.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from random import Random
from typing import NoReturn, Self, TypeAlias

from msgspec import Struct
from msgspec.structs import replace
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI
from websockets.typing import Subprotocol

from client.returning import Backoff, ClosedError, final_error
from client.view import View
from shared.errors import Reason, Refusal
from shared.protocol.codec import Codec, MsgpackCodec, client_codec
from shared.protocol.messages import Answer, AnyEvent, Command, Hello, PlyCommand, Refused, Snapshot, Welcome

KEEPALIVE_S = 10
"""So often a silent connection is asked whether it is still there, and so long its answer may take."""

CLOSE_S = 2
"""How long a server may take to say goodbye."""

AGAIN = 40
AGAIN_S = 1.0
"""After a lost connection at most so many commands are sent again each so many seconds: of more a server takes only the
first few hundred."""

BEHIND = 1_000
"""A listener that has left so many events unheard is cut off."""

PATIENT = Backoff()

Heard: TypeAlias = "asyncio.Queue[AnyEvent | Exception]"


class Asked(Struct, frozen=True):
    """A command that is not answered yet."""

    command: Command
    answer: "asyncio.Future[Answer]"
    race: str
    """What the client saw when it asked."""
    warming: bool


class Connection:
    """One player in one room. Enter it to join; `view` is always the newest.

    *hello* has the name of a new player or the token of one who comes back. Until the server has said welcome any
    failure is final; later ones are mended, however long it takes. *random* spreads the waits.
    """

    def __init__(
        self,
        url: str,
        hello: Hello,
        *,
        random: Random,
        subprotocol: str = MsgpackCodec.subprotocol,
        backoff: Backoff = PATIENT,
    ) -> None:
        self.view = View()
        self._url = url
        self._hello = hello
        self._random = random
        self._codec: Codec[AnyEvent] = client_codec(subprotocol)
        self._backoff = backoff
        self._socket: ClientConnection | None = None
        """The connection over which the room has told its snapshot."""
        self._last_id = 0
        self._unanswered: dict[int, Asked] = {}
        self._waiting: dict[asyncio.Future[View], Callable[[View], bool]] = {}
        self._listeners: set[Heard] = set()
        self._over: Exception | None = None
        self._task: asyncio.Task[NoReturn] | None = None

    async def __aenter__(self) -> Self:
        """Join the room: return once its snapshot is there; raise ClosedError where that fails."""
        self._task = asyncio.create_task(self._run())
        self._task.add_done_callback(self._end)
        try:
            await self.until(lambda view: bool(view.room))
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Give the connection up, not the seat: with the token a later one finds it again."""
        if self._task:
            self._task.cancel()
            await asyncio.wait([self._task])

    def drop(self) -> None:
        """Cut the connection as a failing network would. It is made again."""
        if self._socket:
            self._socket.transport.abort()

    @property
    def token(self) -> str | None:
        """The player's secret: whoever has it comes back into the same seat. None before the welcome."""
        return self._hello.token

    @property
    def connected(self) -> bool:
        """Whether the room hears this client at the moment."""
        return self._socket is not None

    async def ask(self, command: Command) -> Answer:
        """Send *command*, under an id of its own and again over each new connection, and return its answer.

        Raise the Refusal that the server answers with, one of a command in play that is not sent again since its table
        is gone, or ClosedError where no answer can come any more.
        """
        self._check_open()
        self._last_id += 1
        command = replace(command, id=self._last_id)
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._unanswered[command.id] = Asked(command, answer, self.view.race, self.view.warming)
        try:
            await self._send(command)
            return await answer
        finally:
            del self._unanswered[command.id]

    async def until(self, holds: Callable[[View], bool]) -> View:
        """Return the first view from now on that *holds*; raise ClosedError where none can come any more."""
        if holds(self.view):
            return self.view
        self._check_open()
        found: asyncio.Future[View] = asyncio.get_running_loop().create_future()
        self._waiting[found] = holds
        try:
            return await found
        finally:
            del self._waiting[found]

    async def events(self) -> AsyncIterator[AnyEvent]:
        """Yield every event from now on, each already in the view. Raise ClosedError where none can come any more.

        A listener that falls far behind is cut off with TOO_SLOW. It may begin anew: the view has missed nothing.
        """
        self._check_open()
        heard: Heard = asyncio.Queue()
        self._listeners.add(heard)
        try:
            while True:
                event = await heard.get()
                if isinstance(event, Exception):
                    raise event
                yield event
        finally:
            self._listeners.discard(heard)

    def _check_open(self) -> None:
        if self._over:
            raise self._over

    # The one task

    async def _run(self) -> NoReturn:
        """Talk to the server over one connection after the other; raise ClosedError when it is over."""
        failures = 0
        while True:
            lost = await self._talk()
            failures = 1 if self._socket else failures + 1
            self._socket = None
            error = final_error(lost, welcomed=bool(self.view.player))
            if error:
                raise error from lost
            await asyncio.sleep(self._backoff.delay_ms(failures, self._random) / 1000)

    async def _talk(self) -> Exception:
        """Connect, say hello and listen; return what ended it."""
        try:
            async with connect(
                self._url,
                subprotocols=[Subprotocol(self._codec.subprotocol)],
                compression=None,
                proxy=None,
                ping_interval=KEEPALIVE_S,
                ping_timeout=KEEPALIVE_S,
                close_timeout=CLOSE_S,
            ) as socket:
                if socket.subprotocol is None:
                    raise ClosedError(Reason.CLOSED, why=f"no {self._codec.subprotocol} at {self._url}")
                try:
                    await socket.send(self._codec.encode(self._hello))
                    while True:
                        await self._take(socket, self._codec.decode(await socket.recv()))
                except asyncio.CancelledError:
                    await socket.close()  # as one who leaves: left to `connect` it would count as a failure
                    raise
        except (ConnectionClosed, InvalidHandshake, InvalidURI, OSError) as lost:
            return lost

    async def _take(self, socket: ClientConnection, event: AnyEvent) -> None:
        """Fold *event* into the view, then tell everyone who waits for it."""
        self.view = self.view.after(event)
        for heard in tuple(self._listeners):
            self._tell(heard, event)
        for found, holds in self._waiting.items():
            if not found.done() and holds(self.view):
                found.set_result(self.view)
        if isinstance(event, Welcome) and event.token:
            self._hello = replace(self._hello, name=None, token=event.token)
        elif isinstance(event, Snapshot) and self._socket is not socket:
            await self._ask_again(socket)
            self._socket = socket
        elif isinstance(event, Answer) and event.id in self._unanswered:
            _settle(self._unanswered[event.id].answer, event)

    async def _ask_again(self, socket: ClientConnection) -> None:
        """Send what was not answered once more, in its order; give up what was meant for another table.

        What is asked meanwhile goes behind it.
        """
        last = sent = 0
        while asked := next((each for each in self._unanswered.values() if each.command.id > last), None):
            last = asked.command.id
            refused = self._outlived(asked)
            if refused and not asked.answer.done():
                asked.answer.set_exception(refused)
            if refused:
                continue
            if sent and sent % AGAIN == 0:
                await asyncio.sleep(AGAIN_S)
            await socket.send(self._codec.encode(asked.command))
            sent += 1

    def _outlived(self, asked: Asked) -> Refusal | None:
        """Return why a command must not be sent again: a late move of one race would be a move of the next."""
        view = self.view
        if not isinstance(asked.command, PlyCommand) or (asked.race, asked.warming) == (view.race, view.warming):
            return None
        if asked.race != view.race:
            return Refusal(Reason.STALE_RACE, sent=asked.race, now=view.race)
        return Refusal(Reason.WRONG_PHASE, phase=view.phase)

    async def _send(self, command: Command) -> None:
        """Send *command* over the connection there is; without one, or if it breaks, the next one sends it."""
        if self._socket:
            with suppress(ConnectionClosed):
                await self._socket.send(self._codec.encode(command))

    def _tell(self, heard: Heard, event: AnyEvent) -> None:
        if heard.qsize() < BEHIND:
            heard.put_nowait(event)
        else:
            self._listeners.discard(heard)
            heard.put_nowait(ClosedError(Reason.TOO_SLOW))

    def _end(self, task: "asyncio.Task[NoReturn]") -> None:
        """Tell everyone who waits that nothing comes any more."""
        self._socket = None
        self._over = over = _ending(task)
        for heard in self._listeners:
            heard.put_nowait(over)
        for asked in self._unanswered.values():
            if not asked.answer.done():
                asked.answer.set_exception(over)
        for found in self._waiting:
            if not found.done():
                found.set_exception(over)


def _settle(answer: "asyncio.Future[Answer]", event: Answer) -> None:
    """Hand an answer on; what was sent twice may be answered twice."""
    if answer.done():
        return
    if isinstance(event, Refused):
        answer.set_exception(Refusal(Reason(event.reason), event.rule, **event.params))
    else:
        answer.set_result(event)


def _ending(task: "asyncio.Task[NoReturn]") -> Exception:
    """Return what ended the task."""
    if task.cancelled():
        return ClosedError(Reason.CLOSED, why="closed by this side")
    error = task.exception()
    assert isinstance(error, Exception), "it returns nothing, and what is worse ends the loop"
    return error
