"""A WebSocket from its handshake to its end: websockets' sans-I/O protocol on a transport of the loop's.

Messages of one short frame, which all moves are, are taken apart right here. Whatever is long, in pieces, of control
or wrong is left to `ServerProtocol`, which is only ever handed whole frames: so it always stands at the beginning of
one, and nobody has to tell it of those that it never saw.
"""

import asyncio
import logging
import os
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from websockets.frames import DATA_OPCODES, CloseCode, Opcode
from websockets.frames import Frame as Piece
from websockets.protocol import Event, State
from websockets.server import ServerProtocol

from server import metrics
from server.config import Limits
from server.rooms.door import Door
from server.rooms.frames import HEAD, MASKED, SHORT, WHOLE, WHOLE_TEXT, end_of
from shared.protocol.codec import Frame

try:
    from websockets.speedups import apply_mask
except ImportError:  # nobody has compiled it here
    from websockets.utils import apply_mask

LOGGER = logging.getLogger(__name__)

Taken = TypeVar("Taken")

KEEPALIVE_S = 20
"""So often a connection is pinged; one that has not answered by the next time is closed."""


class WebSocket(asyncio.Protocol):
    """The `Transport` over an open WebSocket. It closes by itself where the client breaks the protocol."""

    __slots__ = (
        "_begun",
        "_door",
        "_is_text",
        "_lag_ms",
        "_limits",
        "_lost",
        "_open",
        "_pace",
        "_ping",
        "_pinged_s",
        "_protocol",
        "_rest",
        "_take",
        "_taken",
        "_timer",
        "_transport",
    )

    def __init__(
        self,
        transport: asyncio.Transport,
        protocol: ServerProtocol,
        door: Door,
        limits: Limits,
        lost: Callable[["WebSocket"], None],
    ) -> None:
        """Go on where a handshake has ended; *lost* is told when the connection is gone."""
        self._transport = transport
        self._protocol = protocol
        self._door = door
        self._limits = limits
        self._lost = lost
        self._pace = door.pace()
        self._open = True
        """Until either side says goodbye."""
        self._take: Callable[[Frame], object] | None = None
        """Who takes messages at the moment."""
        self._taken: asyncio.Future[Any] | None = None
        """What that has come to: `receive` waits for it."""
        self._rest = b""
        """What has come and is not taken apart yet."""
        self._begun: bytearray | None = None
        """What has come of a message in pieces."""
        self._is_text = False
        """Whether that one is of text."""
        self._ping = b""
        """What is in the last ping; nothing once it is answered."""
        self._pinged_s = 0.0
        self._lag_ms: int | None = None
        self._timer = self._after(KEEPALIVE_S, self._keep_alive)
        """Pings next; behind a goodbye it cuts the connection off."""

    @property
    def subprotocol(self) -> str:
        """What the handshake has agreed on."""
        assert self._protocol.subprotocol is not None, "without one there is no handshake"
        return self._protocol.subprotocol

    # What sessions call

    async def receive(self, take: Callable[[Frame], Taken | None]) -> Taken | None:
        if self._protocol.state is State.CLOSED:
            return None
        taken: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._take, self._taken = take if self._open else None, taken
        try:
            self._read_on()
            found: Taken | None = await taken
            return found
        finally:
            self._take = self._taken = None

    def send(self, frames: Sequence[bytes]) -> None:
        if self._open and not self._transport.is_closing():
            self._transport.write(b"".join(frames))

    def waiting(self) -> int:
        return self._transport.get_write_buffer_size()

    def lag_ms(self) -> int | None:
        return self._lag_ms

    def close(self, code: int, reason: str) -> None:
        if self._open:
            self._protocol.send_close(code, reason)
            self._flush()
            self._read_on()

    def cut(self) -> None:
        self._open, self._take = False, None
        self._transport.abort()

    # What the loop calls

    def data_received(self, data: bytes) -> None:
        data, self._rest = self._rest + data, b""
        data = self._take_apart(data)
        if not self._open:
            self._feed(data)  # the client's goodbye is in it, or to come
        elif data:
            self._rest = data
            if not self._take:
                self._transport.pause_reading()

    def eof_received(self) -> None:
        self._protocol.receive_eof()
        self._flush()

    def connection_lost(self, exc: Exception | None) -> None:
        self._open = False
        self._timer.cancel()
        self._protocol.receive_eof()
        metrics.CLOSES.labels(metrics.close_label(self._protocol.close_code)).inc()
        self._door.leave(self._transport)
        self._lost(self)
        if self._taken and not self._taken.done():
            self._taken.set_result(None)

    def _read_on(self) -> None:
        """Take apart what was left lying, and let more come."""
        self.data_received(b"")
        self._transport.resume_reading()

    # Frames

    def _take_apart(self, data: bytes) -> bytes:
        """Hand on the messages in *data* for as long as someone takes them; return what is left."""
        start, end = 0, len(data)
        while self._take and start < end:
            body = start + HEAD
            short = body <= end and data[start] in WHOLE and MASKED <= data[start + 1] < MASKED + SHORT
            if short and self._begun is None:
                stop = body + data[start + 1] - MASKED
                if stop > end:
                    break
                payload = apply_mask(data[body:stop], data[start + 2 : body])
                if self._passes():
                    self._hand_on(payload, is_text=data[start] == WHOLE_TEXT)
            else:
                stop = end_of(data, start, self._limits.message)
                if stop > end:
                    break
                self._feed(data[start:stop])
            start = stop
        return data[start:]

    def _passes(self) -> bool:
        """Count a frame; cut the connection where there are far too many, or where answers to them are not read."""
        if not self._door.floods(self._transport, self._pace):
            return True
        LOGGER.info("cut a connection that floods")
        self.cut()
        return False

    def _hand_on(self, payload: bytes, *, is_text: bool) -> None:
        """Have a message taken; what it comes to is what `receive` returns or raises."""
        assert self._take, "asked before"
        assert self._taken, "set with it"
        try:
            message = payload.decode() if is_text else payload
        except UnicodeDecodeError as error:
            self._fail(CloseCode.INVALID_DATA, f"{error.reason} at position {error.start}")
            return
        try:
            result = self._take(message)
        except Exception as error:  # noqa: BLE001  # `receive` raises it, whatever it is
            self._take = None
            self._taken.set_exception(error)
        else:
            if result is not None:
                self._take = None
                self._taken.set_result(result)

    # The protocol

    def _feed(self, data: bytes) -> None:
        """Have the protocol take in a frame; behind a goodbye, whatever comes."""
        if data:
            self._protocol.receive_data(data)
            self._flush()
            for event in self._protocol.events_received():
                if self._passes():
                    self._heed(event)

    def _heed(self, event: Event) -> None:
        """Do what there is to do about a frame that the protocol found good, and has answered where that is due."""
        assert isinstance(event, Piece), "the request has been heard"
        if event.opcode is Opcode.PONG and self._ping and event.data == self._ping:
            self._ping = b""
            self._lag_ms = round((asyncio.get_running_loop().time() - self._pinged_s) * 1000) or None
        elif event.opcode in DATA_OPCODES and self._take:
            if self._begun is None:
                self._begun, self._is_text = bytearray(), event.opcode is Opcode.TEXT
            self._begun += event.data
            if event.fin:
                payload, self._begun = bytes(self._begun), None
                self._hand_on(payload, is_text=self._is_text)

    def _fail(self, code: CloseCode, why: str) -> None:
        self._protocol.fail(code, why)
        self._flush()

    def _flush(self) -> None:
        """Send what the protocol has to say. Behind a goodbye nothing is taken, and the other side has its time."""
        send_out(self._protocol, self._transport)
        if self._open and self._protocol.state is not State.OPEN:
            self._open, self._take = False, None
            self._timer.cancel()
            self._timer = self._after(self._limits.handshake_ms / 1000, self.cut)

    def _keep_alive(self) -> None:
        """Ping, unless the last ping was not answered: then close."""
        if self._ping:
            self._fail(CloseCode.INTERNAL_ERROR, "keepalive ping timeout")
            return
        self._ping, self._pinged_s = os.urandom(4), asyncio.get_running_loop().time()
        self._timer = self._after(KEEPALIVE_S, self._keep_alive)
        self._protocol.send_ping(self._ping)
        self._flush()

    def _after(self, seconds: float, call: Callable[[], None]) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(seconds, call)


def send_out(protocol: ServerProtocol, transport: asyncio.Transport) -> None:
    """Write what *protocol* has to say, and that it says no more where it says so."""
    for data in protocol.data_to_send():
        if transport.is_closing():
            return
        if data:
            transport.write(data)
        else:
            transport.write_eof()
