"""What waits in a room's inbox, and what a room needs of the connections that it comes over."""

from typing import Protocol

from msgspec import Struct

from server.race.said import Command, Join
from shared.errors import SameDealError
from shared.protocol.messages import Event


class Receiver(Protocol):
    """What a room needs of a session."""

    subprotocol: str
    """What it speaks."""
    bot: bool
    """Whether a bot plays here."""
    wants_choices: bool
    """Whether it asked for `Choices`."""

    def tell(self, event: Event) -> None:
        """Send one event."""
        ...

    def packed(self, event: Event) -> bytes:
        """Return the frame of *event*, the same for everyone who speaks the same subprotocol."""
        ...

    def send(self, frames: list[bytes]) -> None:
        """Send *frames* with one write."""
        ...

    def close(self, error: SameDealError) -> None:
        """Close the connection and say why."""
        ...


class Item(Struct, frozen=True):
    """One thing in the inbox, in stamp order."""

    player: str
    command: Command
    stamp_ms: int
    session: Receiver | None
    """The connection that it came over, or that came or went; None for what the server says of a player."""

    @property
    def arrives(self) -> Receiver | None:
        """The connection of someone who comes; None for all else."""
        return self.session if isinstance(self.command, Join) else None
