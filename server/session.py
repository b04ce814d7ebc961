"""A session: one connection and the player behind it. It decodes and stamps; the room does the rest."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeAlias

from server.clock import Clock
from server.config import Limits
from server.log import Player
from server.room import Room
from server.transport import Transport
from shared.errors import ProtocolError, Reason, SameDealError
from shared.protocol.closing import CLOSES, TRY_AGAIN
from shared.protocol.codec import Codec, Frame
from shared.protocol.messages import AnyCommand, Hello, Refused, Welcome

LOGGER = logging.getLogger(__name__)

LONGEST_WHY = 120
"""Bytes, for the texts are ASCII: a close frame has room for 123."""

Introduce: TypeAlias = Callable[[Hello], Awaitable[tuple[Player, str | None]]]
"""Finds or makes the player of a Hello, with the token of a new one; raises SameDealError."""

Enter: TypeAlias = Callable[[], Awaitable[Room]]
"""Finds or opens the room that the connection is for; raises StorageError."""


class Session:
    """One connection to a room."""

    def __init__(self, transport: Transport, codec: Codec[AnyCommand], clock: Clock, limits: Limits) -> None:
        self.codec = codec
        self._transport = transport
        self._clock = clock
        self._limits = limits

    async def run(self, introduce: Introduce, enter: Enter) -> None:
        """Say hello, then hand every command to the room until the connection ends."""
        frames = self._transport.frames()
        try:
            player = await self._hello(frames, introduce)
            room = await enter()
            room.join(self, player)
            try:
                async for frame in frames:
                    self._receive(room, player, frame)
            finally:
                room.leave(self, player)
        except SameDealError as error:
            self.close(error)

    async def _hello(self, frames: AsyncIterator[Frame], introduce: Introduce) -> Player:
        try:
            async with asyncio.timeout(self._limits.hello_ms / 1000):
                frame = await anext(frames)
        except (TimeoutError, StopAsyncIteration):
            raise ProtocolError(Reason.NO_HELLO) from None
        hello = self._first(frame)
        player, token = await introduce(hello)
        self.send([self.codec.encode(Welcome(id=hello.id, player=player.id, name=player.name, token=token))])
        return player

    def _first(self, frame: Frame) -> Hello:
        try:
            message = self.codec.decode(frame)
        except ProtocolError as error:
            raise ProtocolError(Reason.NO_HELLO) if error.reason is Reason.UNKNOWN_COMMAND else error from None
        if not isinstance(message, Hello):
            raise ProtocolError(Reason.NO_HELLO)
        return message

    def _receive(self, room: Room, player: Player, frame: Frame) -> None:
        """Decode and stamp one command. A command that is none of ours is refused, anything else closes."""
        stamp_ms = self._clock.now_ms()
        try:
            command = self.codec.decode(frame)
            if isinstance(command, Hello):
                raise ProtocolError(Reason.BAD_MESSAGE, why="a second Hello")
        except ProtocolError as error:
            if error.reason is not Reason.UNKNOWN_COMMAND:
                raise
            refused = Refused(id=int(error.params["id"]), reason=error.reason, params=error.params)
            self.send([self.codec.encode(refused)])
            return
        if not room.receive(self, player, command, stamp_ms):
            self.send([self.codec.encode(Refused(id=command.id, reason=Reason.BUSY))])

    def send(self, frames: list[Frame]) -> None:
        """Send *frames* with one write; a receiver that leaves too much unread is cut, and may come back."""
        self._transport.send(frames)
        if self._transport.waiting() > self._limits.send_buffer:
            LOGGER.info("cut a receiver with %d bytes unread", self._transport.waiting())
            self._transport.cut()

    def close(self, error: SameDealError) -> None:
        """Close the connection with the code and the reason of *error*; what the server suffers from is not told."""
        code = CLOSES.get(error.reason)
        if code:
            self._transport.close(code, str(error)[:LONGEST_WHY])
        else:
            LOGGER.warning("a connection ends: %s", error)
            self._transport.close(TRY_AGAIN, error.reason)
