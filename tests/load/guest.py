"""Connections that load a server: those that listen, and those that move."""

import asyncio
from abc import abstractmethod
from asyncio import Future, get_running_loop
from collections.abc import Sequence
from time import perf_counter

from picows import WSFrame, WSListener, WSMsgType, WSTransport, ws_connect

from shared.protocol.codec import MsgpackCodec, client_codec
from shared.protocol.messages import Command, Refused

READ_BUFFER = 2_048
"""Bytes that a connection of ours keeps: ten thousand of them are held."""

AT_ONCE = 32
"""Connections that are being made at the same time."""

KIND = 6
"""A frame of ours begins with a map's head, the text `type` and, here, the head of the type's name."""

CODEC = client_codec(MsgpackCodec.subprotocol)

PLAY = b"\x84\xa4type\xa4Play\xa2id\x01\xa3ply\xcd%b\xa4move\xa2%b"
SHUTTLE = (b"02", b"20")
"""Legal by turns and for ever on the deal of `rooms.DEAL`."""


class Trouble(Exception):
    """The load is not what was meant: a refusal, a lost connection."""


class Guest(WSListener):
    """A connection that counts what it hears."""

    def __init__(self, broken: "Future[None]") -> None:
        self.frames = 0
        self.bytes = 0
        self._broken = broken
        self._awaited: dict[str, Future[bytes]] = {}
        """What somebody waits for, by the type of message."""

    def on_ws_connected(self, transport: WSTransport) -> None:
        self._transport = transport

    def on_ws_disconnected(self, transport: WSTransport) -> None:
        self.fail("a connection was lost")

    def fail(self, why: str) -> None:
        """End the measurement: its figures would mean something else."""
        if not self._broken.done():
            self._broken.set_exception(Trouble(why))

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        if frame.msg_type is WSMsgType.CLOSE:
            self.fail(f"closed: {frame.get_close_reason()}")
        if frame.msg_type is not WSMsgType.BINARY:
            return
        self.frames += 1
        self.bytes += frame.payload_size
        self.hear(frame.get_payload_as_bytes())

    def hear(self, message: bytes) -> None:
        """Take one message in."""
        kind = message[KIND + 1 : KIND + 1 + (message[KIND] & 31)].decode("ascii")
        if kind == Refused.__name__:
            self.fail(f"refused: {CODEC.decode(message)}")
        awaited = self._awaited.pop(kind, None)
        if awaited:
            awaited.set_result(message)

    def leave(self) -> None:
        """Cut the connection."""
        self._transport.disconnect(graceful=False)

    def awaits(self, kind: type) -> "Future[bytes]":
        """Return the next message of *kind*."""
        return self._awaited.setdefault(kind.__name__, get_running_loop().create_future())

    def say(self, command: Command) -> None:
        """Send one command."""
        self.send(CODEC.encode(command))

    def send(self, message: bytes | str) -> None:
        """Send one binary message."""
        assert isinstance(message, bytes), "msgpack"
        self._transport.send(WSMsgType.BINARY, message)


class Mover(Guest):
    """A connection that does one thing after the other, and counts how long each is not acknowledged."""

    def __init__(self, broken: "Future[None]", every_ms: int | None) -> None:
        super().__init__(broken)
        self.waits_s: list[float] = []
        """From each move to its acknowledgement."""
        self._every_s = None if every_ms is None else every_ms / 1000
        self._moves = 0
        self._since_s = 0.0
        self._due_s = 0.0

    @abstractmethod
    def move(self, number: int) -> bytes:
        """Return the message that makes a move, counted from 0."""

    @abstractmethod
    def is_answer(self, message: bytes) -> bool:
        """Return whether it acknowledges the move."""

    def begin(self, after_s: float) -> None:
        """Make the first move."""
        self._due_s = perf_counter() + after_s
        get_running_loop().call_later(after_s, self._go)

    def _go(self) -> None:
        """Move. What a timer of ours is late by is not the server's."""
        self._since_s = perf_counter()
        self._transport.send(WSMsgType.BINARY, self.move(self._moves))

    def hear(self, message: bytes) -> None:
        if not self.is_answer(message):
            super().hear(message)
            return
        now_s = perf_counter()
        self.waits_s.append(now_s - self._since_s)
        self._moves += 1
        if self._every_s is None:
            self._go()
            return
        self._due_s += self._every_s
        if self._due_s > now_s:
            get_running_loop().call_later(self._due_s - now_s, self._go)
        else:
            self._go()
            self._since_s = self._due_s  # it has waited since then, for the server


class Racer(Mover):
    """A player who moves the same two cards to and fro."""

    def move(self, number: int) -> bytes:
        return PLAY % (number.to_bytes(2, "big"), SHUTTLE[number & 1])

    def is_answer(self, message: bytes) -> bool:
        return message.startswith(b"Played", KIND + 1)


class Caller(Mover):
    """A client of a bare server: what it says comes back."""

    def __init__(self, broken: "Future[None]", every_ms: int | None, size: int) -> None:
        super().__init__(broken, every_ms)
        self._message = bytes(size)

    def move(self, number: int) -> bytes:
        return self._message

    def is_answer(self, message: bytes) -> bool:
        return True


class Hearer(Guest):
    """A client of a bare server that says nothing."""

    def hear(self, message: bytes) -> None:
        """It has been counted: that is all."""


async def connect(guests: Sequence[Guest], url: str) -> None:
    """Connect all of *guests*, some at a time."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(guest: Guest) -> None:
        async with gate:
            await ws_connect(
                lambda: guest,
                url,
                extra_headers={"Sec-WebSocket-Protocol": MsgpackCodec.subprotocol},
                read_buffer_init_size=READ_BUFFER,
                websocket_handshake_timeout=60,
                use_aiofastnet=False,
            )

    await asyncio.gather(*map(one, guests))
