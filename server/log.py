"""What a race writes, as pure values, and the error that says that it was not written.

`Batch` goes to `Store.append`; the values under "What was written" come back from the store.
Dates are UTC text (`clock.utc_text`), stamps are milliseconds of race time.
"""

from msgspec import Struct

from shared.attempt import State
from shared.errors import Reason, SameDealError


class StorageError(SameDealError):
    """The database refused, failed, or cannot be used."""

    @property
    def unknown(self) -> bool:
        """Whether what was to be written may be in the database all the same.

        False: it is known to have rolled back, so what was there before still holds. True: read it again.
        """
        return self.reason is Reason.MAYBE_STORED

    def again(self) -> "StorageError":
        """Return an equal error: each caller that a failed commit served raises its own."""
        error = StorageError(self.reason, self.rule, **self.params)
        error.__cause__ = self.__cause__
        return error


class LogRow(Struct, frozen=True, gc=False):
    """One row of a race's log."""

    race: str
    seq: int
    """The rows of a race count from 0 without a gap; this, not time, is their order."""
    attempt: str | None
    """Whose entry it is; None for the race's own rows (`begin`, `clock`, `kick`, `end`)."""
    at_ms: int
    """Race time; never falls within an attempt."""
    entry: str


class Starter(Struct, frozen=True, kw_only=True):
    """An attempt at the moment it begins."""

    attempt: str
    player: str
    seat: int
    code: str
    suits: int
    """With the option `mixed` each starter has a code and suits of their own, on the race's number."""
    start_ms: int = 0
    """Race time at which the attempt starts."""
    practice: bool = False
    """Whether the player had opened the number before."""
    ranked: bool = False
    bot: bool = False


class Begun(Struct, frozen=True, kw_only=True):
    """A race that starts. Its starters thereby open the number: their openings are written with it."""

    race: str
    room: str
    code: str
    game: str
    suits: int
    number: int
    options: str
    """The room's options as JSON text."""
    started: str
    attempts: tuple[Starter, ...]


class FullResult(Struct, frozen=True, kw_only=True):
    """What an attempt came to. All of it follows from its log and the time of its end (`results`)."""

    state: State
    won: bool
    score: int
    moves: int
    home: int
    """Sequences gone (Simple Simon) or cards home (FreeCell)."""
    progress: int
    elapsed_ms: int
    clean: bool
    """No undo, restart or hint."""
    hints: int = 0
    """How many were shown."""


class Ended(FullResult, frozen=True, kw_only=True):
    """An attempt's end: its result, and its log as a packed record."""

    attempt: str
    bot: bool = False
    """A bot has played, if only after the start."""
    lag_ms: int | None = None
    """The connection's measured delay, shown beside the result."""
    record: bytes
    """The record of DESIGN.md section 4, as msgpack."""


class Finished(Struct, frozen=True, kw_only=True):
    """A race's end. The rows of its log may go: the records have them."""

    race: str
    at: str
    places: tuple[tuple[str, int], ...] = ()
    """Attempt and place; an attempt without an accepted move has none."""


class Opening(Struct, frozen=True):
    """A player opens a number of a game: some position, record or line of it is about to be sent to them."""

    player: str
    game: str
    number: int
    at: str


class RoomState(Struct, frozen=True):
    """What outlives a restart of a room between races: options, people, bars, as JSON text."""

    room: str
    state: str


class Batch(Struct, frozen=True, kw_only=True):
    """All that one commit writes for one room: the whole of it, or nothing."""

    rows: tuple[LogRow, ...] = ()
    begun: Begun | None = None
    ended: tuple[Ended, ...] = ()
    finished: Finished | None = None
    opened: tuple[Opening, ...] = ()
    state: RoomState | None = None


# What was written


class Player(Struct, frozen=True):
    """Someone who plays here. The token is known by its hash only, and not told."""

    id: str
    name: str


class StoredAttempt(Struct, frozen=True, kw_only=True):
    """An attempt as it stands in the database; the fields that its end fills in are None until then."""

    attempt: str
    race: str | None
    """None: imported."""
    player: str
    name: str
    seat: int
    code: str
    game: str
    suits: int
    number: int
    started: str
    start_ms: int
    practice: bool
    ranked: bool
    """Whether it counts for the boards; before its end, whether nothing speaks against it yet."""
    bot: bool
    imported: bool
    state: State
    won: bool | None
    score: int | None
    moves: int | None
    home: int | None
    progress: int | None
    elapsed_ms: int | None
    clean: bool | None
    hints: int | None
    lag_ms: int | None
    place: int | None


class StoredRace(Struct, frozen=True, kw_only=True):
    """A race as it stands in the database, with its attempts by seat."""

    race: str
    room: str
    code: str
    game: str
    suits: int
    number: int
    options: str
    started: str
    finished: str | None
    attempts: tuple[StoredAttempt, ...]

    @property
    def best_first(self) -> list[StoredAttempt]:
        """The attempts by their places, those without one last."""
        return sorted(self.attempts, key=lambda each: (each.place is None, each.place, each.seat))


class LiveRace(Struct, frozen=True):
    """An unfinished race with its whole log, in order: what it is rebuilt from."""

    race: StoredRace
    rows: tuple[LogRow, ...]


class PlayedLine(Struct, frozen=True, kw_only=True):
    """What every page shows of an attempt that has ended."""

    attempt: str
    race: str | None
    """None: imported."""
    started: str
    state: State
    won: bool
    score: int
    moves: int
    home: int
    progress: int
    elapsed_ms: int
    clean: bool
    hints: int
    lag_ms: int | None
    practice: bool
    ranked: bool
    bot: bool
    imported: bool
    options: str | None
    """The race's options as JSON text; nobody knows those of an imported attempt."""


class DealLine(PlayedLine, frozen=True, kw_only=True):
    """One line of a deal's page."""

    player: str
    name: str
    place: int | None = None
    """Among the lines; None where no move was ever accepted."""


class RaceLine(Struct, frozen=True, kw_only=True):
    """One line of the latest races: a race that is over, and who was first."""

    race: str
    code: str
    finished: str
    first: tuple[str, ...] = ()
    """Names; several share a place, and nobody has one where nobody moved."""


class PlayerLine(PlayedLine, frozen=True, kw_only=True):
    """One line of a player's page."""

    game: str
    suits: int
    number: int
    place: int | None
    """In the race."""
