"""A session: one connection and the player behind it. It decodes and stamps; the lobby or a room does the rest."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Protocol, TypeAlias

from msgspec import Struct

from server import metrics
from server.clock import Clock
from server.config import Limits
from server.log import Player, StorageError
from server.rooms.addresses import LOOPBACK, Household
from server.rooms.frames import framed
from server.rooms.pace import Pace
from server.rooms.transport import Transport
from shared.errors import ProtocolError, Reason, SameDealError
from shared.protocol.closing import CLOSES, CloseCode
from shared.protocol.codec import Codec, Frame
from shared.protocol.messages import AnyCommand, Event, Forget, Hello, Refused, Rename, Welcome

LOGGER = logging.getLogger(__name__)

RANKING_CLIENTS = {"page", "terminal"}
"""What people play with; whatever else says hello is a bot, and never ranks."""

OWN = (Rename, Forget)
"""The commands that are about their player alone."""


class Hall(Protocol):
    """The lobby or a room: where a session's commands go."""

    def join(self, session: "Session", player: Player) -> None:
        """Take a connection in."""
        ...

    def leave(self, session: "Session", player: Player) -> None:
        """Note that a connection is gone."""
        ...

    def measure(self, session: "Session", player: Player, lag_ms: int) -> None:
        """Note the delay of a connection."""
        ...

    def receive(self, session: "Session", player: Player, command: AnyCommand, stamp_ms: int) -> None:
        """Take a command in, or refuse it."""
        ...


class Register(Protocol):
    """Who is connected: where a session's commands go that are about its player alone."""

    def enter(self, session: "Session", player: Player) -> None:
        """Note a connection of a player."""
        ...

    def leave(self, session: "Session", player: Player) -> None:
        """Note that a connection is gone."""
        ...

    async def answer(self, session: "Session", player: Player, command: Rename | Forget) -> None:
        """Carry a command out, or refuse it."""
        ...


class Introduced(Struct, frozen=True):
    """What a Hello leads to."""

    player: Player
    token: str | None
    """The secret of a new player."""
    hall: Hall
    register: Register


Introduce: TypeAlias = Callable[[Hello], Awaitable[Introduced]]
"""Finds or makes the player of a Hello, and where they want to go; raises SameDealError with a reason that closes."""


class Session:
    """One connection."""

    __slots__ = (
        "_clock",
        "_codec",
        "_lag_ms",
        "_limits",
        "_pace",
        "_transport",
        "bot",
        "subprotocol",
        "wants_choices",
        "whose",
        "word",
    )

    def __init__(
        self,
        transport: Transport,
        codec: Codec[AnyCommand],
        clock: Clock,
        limits: Limits,
        whose: Household = LOOPBACK,
    ) -> None:
        self.subprotocol = codec.subprotocol
        self.whose = whose
        """Where the connection comes from, behind whatever proxies."""
        self._codec = codec
        self._transport = transport
        self._clock = clock
        self._limits = limits
        self._pace = Pace(limits.messages_per_s, clock.now_ms())
        self._lag_ms: int | None = None
        self.bot = True
        """Whether a bot plays here."""
        self.wants_choices = False
        """Whether it asked for `Choices`."""
        self.word: str | None = None
        """What it said where rooms take a word."""

    def greeted(self, hello: Hello) -> None:
        """Take in what is said first. The rest of it is not kept: there may be many who only wait."""
        self.bot = hello.client not in RANKING_CLIENTS
        self.wants_choices = "choices" in hello.wants
        self.word = hello.word

    async def run(self, introduce: Introduce) -> None:
        """Say hello, then hand every command on until the connection ends."""
        try:
            player, hall, register = await self._come_in(introduce)
            del introduce  # nor is this kept by the thousands who only wait
            hall.join(self, player)
            register.enter(self, player)
            try:
                take: Callable[[Frame], Rename | Forget | None] = partial(self._receive, hall, player)
                own: Rename | Forget | None = await self._transport.receive(take)
                while own:
                    await register.answer(self, player, own)
                    own = await self._transport.receive(take)
            finally:
                hall.leave(self, player)
                register.leave(self, player)
        except SameDealError as error:
            self.close(error)

    async def _come_in(self, introduce: Introduce) -> tuple[Player, Hall, Register]:
        """Hear a hello and answer it: neither is kept, nor what was secret in them."""
        hello = await self._greeting()
        self.greeted(hello)
        introduced = await introduce(hello)
        player = introduced.player
        self.tell(Welcome(id=hello.id, player=player.id, name=player.name, token=introduced.token))
        return player, introduced.hall, introduced.register

    async def _greeting(self) -> Hello:
        hello = None
        with suppress(TimeoutError):
            async with asyncio.timeout(self._limits.hello_ms / 1000):
                hello = await self._transport.receive(self._first)
        if hello is None:
            raise ProtocolError(Reason.NO_HELLO)
        return hello

    def _first(self, frame: Frame) -> Hello:
        try:
            message = self._codec.decode(frame)
        except ProtocolError as error:
            raise ProtocolError(Reason.NO_HELLO) if error.reason is Reason.UNKNOWN_COMMAND else error from None
        if not isinstance(message, Hello):
            raise ProtocolError(Reason.NO_HELLO)
        return message

    def _receive(self, hall: Hall, player: Player, frame: Frame) -> Rename | Forget | None:
        """Decode and stamp one command; return one that is about the player alone, where nobody waits for the rest.

        A command that is none of ours is refused, anything else closes.
        """
        stamp_ms = self._clock.now_ms()
        if not self._pace.allows(stamp_ms):
            raise ProtocolError(Reason.TOO_FAST, limit=self._limits.messages_per_s)
        try:
            command = self._codec.decode(frame)
        except ProtocolError as error:
            if error.reason is not Reason.UNKNOWN_COMMAND:
                raise
            number, command_name = int(error.params["id"]), error.params["command"]
            self.tell(Refused(id=number, reason=error.reason, params={"command": command_name}))
            return None
        if isinstance(command, Hello):
            raise ProtocolError(Reason.BAD_MESSAGE, why="a second Hello")
        if isinstance(command, OWN):
            return command
        hall.receive(self, player, command, stamp_ms)
        self._measure(hall, player)
        return None

    def _measure(self, hall: Hall, player: Player) -> None:
        """Hand the connection's delay on when there is a new measurement of it."""
        lag_ms = self._transport.lag_ms()
        if lag_ms != self._lag_ms and lag_ms is not None:
            self._lag_ms = lag_ms
            hall.measure(self, player, lag_ms)

    def tell(self, event: Event) -> None:
        """Send one event."""
        if isinstance(event, Refused):
            metrics.REFUSALS.labels(event.reason).inc()
        self.send([self.packed(event)])

    def packed(self, event: Event) -> bytes:
        """Return the frame of *event*, the same for everyone who speaks the same subprotocol."""
        return framed(self._codec.encode(event))

    def send(self, frames: list[bytes]) -> None:
        """Send *frames* with one write; a receiver that leaves too much unread is cut, and may come back."""
        self._transport.send(frames)
        if self._transport.waiting() > self._limits.send_buffer:
            LOGGER.info("cut a receiver with %d bytes unread", self._transport.waiting())
            self._transport.cut()

    def close(self, error: SameDealError) -> None:
        """Close the connection with the code and the reason of *error*."""
        metrics.REFUSALS.labels(error.reason).inc()
        if isinstance(error, StorageError):  # what it says of the database is nobody's business
            self._transport.close(CloseCode.BUSY, error.reason)
        else:
            # Without a code of its own it is about a hello that can't be followed.
            self._transport.close(CLOSES.get(error.reason, CloseCode.BAD_MESSAGE), str(error)[:120])
