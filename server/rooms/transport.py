"""A WebSocket connection as sessions use it, on top of `websockets.serve`."""

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed
from websockets.protocol import State

from shared.protocol.codec import Frame


class Transport(Protocol):
    """What a session needs of a connection."""

    def frames(self) -> AsyncIterator[Frame]:
        """Return what is received until the connection is closed, by whichever side."""
        ...

    def send(self, frames: Sequence[Frame]) -> None:
        """Send *frames* with one write, at once or when the receiver reads; drop them if it is gone."""
        ...

    def waiting(self) -> int:
        """Return how many bytes the receiver has not taken yet."""
        ...

    def lag_ms(self) -> int | None:
        """Return the last measured round trip; None before the first."""
        ...

    def close(self, code: int, reason: str) -> None:
        """Close the connection and say why."""
        ...

    def cut(self) -> None:
        """End the connection without a word: for a receiver that does not read."""
        ...


class ServeTransport:
    """The `Transport` of a connection that `websockets.serve` accepted."""

    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection

    async def frames(self) -> AsyncIterator[Frame]:
        try:
            async for frame in self._connection:
                yield frame
        except ConnectionClosed:
            return

    def send(self, frames: Sequence[Frame]) -> None:
        protocol = self._connection.protocol
        if protocol.state is not State.OPEN:
            return
        for frame in frames:
            if isinstance(frame, str):
                protocol.send_text(frame.encode())
            else:
                protocol.send_binary(frame)
        self._write()

    def _write(self) -> None:
        """Hand on what the protocol wants sent."""
        if not self._connection.transport.is_closing():
            self._connection.transport.write(b"".join(self._connection.protocol.data_to_send()))

    def waiting(self) -> int:
        return self._connection.transport.get_write_buffer_size()

    def lag_ms(self) -> int | None:
        return round(self._connection.latency * 1000) or None

    def close(self, code: int, reason: str) -> None:
        # At once: the connection is closed as soon as its session returns, without a code of ours.
        if self._connection.protocol.state is State.OPEN:
            self._connection.protocol.send_close(code, reason)
            self._write()

    def cut(self) -> None:
        self._connection.transport.abort()
