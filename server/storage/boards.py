"""The rules of the leaderboards (DESIGN.md section 5), as pure functions and values.

A player's ranked attempts of a game and suits in one period come to a `Tally`; a board is an order of tallies.
"""

from bisect import insort
from collections.abc import Sequence
from datetime import date
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from server.clock import wall_ms_of
from server.race.ranking import STANDARD
from server.race.standings import places

LAST = 5
"""An average is of so many attempts; whoever has fewer is on no board but that of single bests."""

TOP = 100
"""Lines of a board."""


class Span(StrEnum):
    """How long a period is."""

    DAY = "day"
    WEEK = "week"
    ALL = "all"


class Board(StrEnum):
    """What a board puts players in order by."""

    AVERAGE = "average"
    """The mean of the middle three of the last five attempts."""
    SINGLE = "single"
    """The fastest solved attempt, then the fewer moves."""
    SHARE = "share"
    """How many of the attempts were solved; of equal shares the one of more attempts."""


def period(span: Span, at: str) -> str:
    """Return the name of the period that *at*, UTC text, falls in: a UTC day, an ISO week (Monday to Sunday), all time.

    >>> [period(span, "2027-01-03T23:59:59.999Z") for span in Span]
    ['2027-01-03', '2026-W53', 'all']
    """
    match span:
        case Span.DAY:
            return at[:10]
        case Span.WEEK:
            year, week, _ = date.fromisoformat(at[:10]).isocalendar()
            return f"{year:04}-W{week:02}"
        case Span.ALL:
            return "all"


class Counted(Struct, frozen=True, kw_only=True):
    """An attempt that counts: it has ended and is ranked."""

    attempt: str
    started: str
    won: bool
    elapsed_ms: int
    moves: int

    @property
    def worth_ms(self) -> int:
        """What it is in an average: its time, or the limit, however it failed."""
        return self.elapsed_ms if self.won else STANDARD.limit_ms


class Single(Struct, frozen=True, order=True):
    """A player's best attempt. Of equals the first to be started stands."""

    elapsed_ms: int
    moves: int
    started: str
    attempt: str


class Tally(Struct, frozen=True, kw_only=True):
    """What attempts come to, in whatever order they ended."""

    attempts: int = 0
    solved: int = 0
    best: Single | None = None
    latest: tuple[tuple[int, int], ...] = ()
    """Start, in milliseconds since 1970, and worth of the LAST attempts, the earliest first."""

    def add(self, counted: Counted) -> "Tally":
        """Return the tally with one attempt more."""
        best = self.best
        if counted.won:
            single = Single(counted.elapsed_ms, counted.moves, counted.started, counted.attempt)
            best = min(best or single, single)
        latest = list(self.latest)
        insort(latest, (wall_ms_of(counted.started), counted.worth_ms))
        return Tally(
            attempts=self.attempts + 1, solved=self.solved + counted.won, best=best, latest=tuple(latest[-LAST:])
        )

    @property
    def average_ms(self) -> int | None:
        """The average of the last five; None where there are fewer."""
        return mean_of_middle([worth_ms for _, worth_ms in self.latest]) if len(self.latest) == LAST else None

    @property
    def share(self) -> int:
        """Solved attempts in a million, rounded down."""
        return 1_000_000 * self.solved // self.attempts


def mean_of_middle(worths_ms: Sequence[int]) -> int:
    """Return the mean of what the best and the worst leave, to the nearest millisecond.

    >>> mean_of_middle([61_000, 900_000, 58_000, 70_000, 58_001])
    63000
    """
    middle = sorted(worths_ms)[1:-1]
    return (2 * sum(middle) + len(middle)) // (2 * len(middle))


class BoardLine(Struct, frozen=True, kw_only=True):
    """One line of a board: the same for all of them, each has them in its own order."""

    place: int | None = None
    """Equals share one; None for one's own line far below the top."""
    player: str
    name: str
    attempts: int
    solved: int
    share: int
    average_ms: int | None
    best_ms: int | None
    best_moves: int | None
    best_started: str | None
    best: str | None
    """The attempt that is the best: its replay."""


class BoardPage(Struct, frozen=True, kw_only=True):
    """The top of a board, and the line of whoever asks, wherever that is; None where they have none."""

    lines: tuple[BoardLine, ...]
    own: BoardLine | None


def merit(board: Board, line: BoardLine) -> tuple[int, ...]:
    """Return what the lines of *board* are sorted by, the smaller the better."""
    match board:
        case Board.AVERAGE:
            return (line.average_ms or 0,)
        case Board.SINGLE:
            return (line.best_ms or 0, line.best_moves or 0)
        case Board.SHARE:
            return (-line.share, -line.attempts)


def placed(board: Board, lines: Sequence[BoardLine]) -> tuple[BoardLine, ...]:
    """Return the top *lines* of *board*, in order already, with their places: 1-2-2-4."""
    found = places([merit(board, line) for line in lines])
    return tuple(replace(line, place=place) for line, place in zip(lines, found, strict=True))
