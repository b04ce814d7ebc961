"""What can be set, with what holds where nothing is said."""

from msgspec import Struct


class Limits(Struct, frozen=True, kw_only=True):
    """What one connection or room may take up (DESIGN.md section 11)."""

    message: int = 16_384
    """Bytes of a message received."""
    send_buffer: int = 262_144
    """Bytes that a receiver may leave unread."""
    inbox: int = 256
    """Commands that wait in a room."""
    hello_ms: int = 10_000
    """Time until the first message."""
    messages_per_s: int = 50
    """Messages of one connection; five seconds' worth may come at once."""
    rooms: int = 1_000
    """Rooms in all."""


class Config(Struct, frozen=True, kw_only=True):
    """How a server runs."""

    host: str = "127.0.0.1"
    port: int = 8765
    """0: one that is free."""
    database: str
    """A file, as a path or as `sqlite+aiosqlite:///PATH`."""
    word: str | None = None
    """A secret that whoever wants to make a room has to say."""
    limits: Limits = Limits()
