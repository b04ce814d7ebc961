"""A connection as sessions use it."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from shared.protocol.codec import Frame

Taken = TypeVar("Taken")


class Transport(Protocol):
    """What a session needs of a connection."""

    async def receive(self, take: Callable[[Frame], Taken | None]) -> Taken | None:
        """Hand every message to *take* the moment it is there, until that returns something; return it.

        None when the connection is gone, whichever side has closed it. What *take* raises is raised here. Between two
        calls nothing is read: what comes meanwhile waits where it is.
        """
        ...

    def send(self, frames: Sequence[bytes]) -> None:
        """Send what `framed` has made with one write, at once or when the receiver reads; drop it if that is gone."""
        ...

    def waiting(self) -> int:
        """Return how many bytes the receiver has not taken yet."""
        ...

    def lag_ms(self) -> int | None:
        """Return the last measured round trip; None before the first."""
        ...

    def close(self, code: int, reason: str) -> None:
        """Close the connection and say why; what comes from now on is dropped."""
        ...

    def cut(self) -> None:
        """End the connection without a word: for a receiver that does not read."""
        ...
