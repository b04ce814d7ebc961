"""Refusals and errors: data, not English.

Every error of the project is a `SameDealError`: a stable reason code, the numbered rule it rests on (or none)
and the parameters that a sentence needs. The sentences are in `locales/`, one for each reason and language.
"""

from enum import StrEnum


class Reason(StrEnum):
    """Why something was refused. A code never changes its meaning; DESIGN.md lists them with their parameters."""

    # A move on the table
    IDLE = "IDLE"
    NO_PILE = "NO_PILE"
    EMPTY_PILE = "EMPTY_PILE"
    FEW_CARDS = "FEW_CARDS"
    NOT_A_RUN = "NOT_A_RUN"
    NOT_NEXT = "NOT_NEXT"
    TOO_MANY = "TOO_MANY"
    ONE_CARD = "ONE_CARD"
    CELL_TAKEN = "CELL_TAKEN"
    CELL_TO_CELL = "CELL_TO_CELL"
    ONE_HOME = "ONE_HOME"
    NOT_HOME_YET = "NOT_HOME_YET"
    FROM_FOUNDATION = "FROM_FOUNDATION"
    NO_TARGET = "NO_TARGET"
    # An attempt
    NOT_PLAYING = "NOT_PLAYING"
    NO_UNDO = "NO_UNDO"
    NO_HINT = "NO_HINT"
    NO_GATHER = "NO_GATHER"
    ENTRY_LIMIT = "ENTRY_LIMIT"
    TIME_FELL = "TIME_FELL"
    # Game codes
    CODE_FORM = "CODE_FORM"
    CODE_GAME = "CODE_GAME"
    CODE_VERSION = "CODE_VERSION"
    CODE_SUITS = "CODE_SUITS"
    CODE_NO_SUITS = "CODE_NO_SUITS"
    CODE_LENGTH = "CODE_LENGTH"
    CODE_SYMBOL = "CODE_SYMBOL"
    CODE_NUMBER = "CODE_NUMBER"
    CODE_SUITS_MISSING = "CODE_SUITS_MISSING"
    # Other text forms
    BAD_CARD = "BAD_CARD"
    BAD_MOVE = "BAD_MOVE"
    BAD_NOTATION = "BAD_NOTATION"
    NO_NOTATION = "NO_NOTATION"
    BAD_POSITION = "BAD_POSITION"
    BAD_LAYOUT = "BAD_LAYOUT"
    WRONG_SUITS = "WRONG_SUITS"
    WRONG_PILES = "WRONG_PILES"
    PART_SEQUENCE = "PART_SEQUENCE"
    WHOLE_SEQUENCE = "WHOLE_SEQUENCE"
    NOT_THE_PACK = "NOT_THE_PACK"
    NOT_JSON = "NOT_JSON"
    KEY_TWICE = "KEY_TWICE"
    BAD_RECORD = "BAD_RECORD"
    BAD_FORMAT = "BAD_FORMAT"
    BAD_TIME = "BAD_TIME"
    BAD_RESULT = "BAD_RESULT"
    TOO_LARGE = "TOO_LARGE"
    UNREADABLE = "UNREADABLE"
    BAD_GZIP = "BAD_GZIP"
    ENDLESS_LINE = "ENDLESS_LINE"
    NO_RECORDS = "NO_RECORDS"
    BAD_POOL = "BAD_POOL"
    BAD_TEXTS = "BAD_TEXTS"
    # Messages
    BAD_MESSAGE = "BAD_MESSAGE"
    UNKNOWN_COMMAND = "UNKNOWN_COMMAND"
    NO_HELLO = "NO_HELLO"
    BAD_NAME = "BAD_NAME"
    BAD_TOKEN = "BAD_TOKEN"
    TAKEN_OVER = "TAKEN_OVER"
    TOO_SLOW = "TOO_SLOW"
    CLOSED = "CLOSED"
    TOO_FAST = "TOO_FAST"
    FORGOTTEN = "FORGOTTEN"
    # Requests
    NOT_FOUND = "NOT_FOUND"
    NOT_OPEN = "NOT_OPEN"
    BAD_METHOD = "BAD_METHOD"
    BAD_QUERY = "BAD_QUERY"
    BAD_HOST = "BAD_HOST"
    BAD_ORIGIN = "BAD_ORIGIN"
    TOO_MANY_CONNECTIONS = "TOO_MANY_CONNECTIONS"
    TOO_MANY_REQUESTS = "TOO_MANY_REQUESTS"
    # Rooms
    NO_ROOM = "NO_ROOM"
    ROOM_LOCKED = "ROOM_LOCKED"
    ROOM_FULL = "ROOM_FULL"
    ROOM_CLOSED = "ROOM_CLOSED"
    TOO_MANY_ROOMS = "TOO_MANY_ROOMS"
    WRONG_WORD = "WRONG_WORD"
    TWIN_NAME = "TWIN_NAME"
    KICKED = "KICKED"
    LEFT = "LEFT"
    NOT_HERE = "NOT_HERE"
    SOMEONE_PLAYS = "SOMEONE_PLAYS"
    STILL_PLAYING = "STILL_PLAYING"
    # A race
    WRONG_PHASE = "WRONG_PHASE"
    NOT_HOST = "NOT_HOST"
    NO_SEAT = "NO_SEAT"
    NOT_ALLOWED = "NOT_ALLOWED"
    STALE_COUNTDOWN = "STALE_COUNTDOWN"
    STALE_RACE = "STALE_RACE"
    NOT_MIXED = "NOT_MIXED"
    SEATS_TAKEN = "SEATS_TAKEN"
    SEALED = "SEALED"
    STALE_PLY = "STALE_PLY"
    BUSY = "BUSY"
    # The database
    NOT_STORED = "NOT_STORED"
    MAYBE_STORED = "MAYBE_STORED"
    DATABASE_HELD = "DATABASE_HELD"
    DATABASE_NEWER = "DATABASE_NEWER"
    DATABASE_OLDER = "DATABASE_OLDER"
    DATABASE_FOREIGN = "DATABASE_FOREIGN"
    NOT_SQLITE = "NOT_SQLITE"
    BAD_DATABASE = "BAD_DATABASE"


class SameDealError(Exception):
    """The base of every error of the project."""

    entry: int | None = None
    """Which entry of a log was refused, counted from 0; None where no log was read."""

    def __init__(self, reason: Reason, rule: str = "", **params: str | int) -> None:
        super().__init__(reason, rule, params)
        self.reason = reason
        self.rule = rule
        """The numbered rule of DESIGN.md section 2, such as "FC5"; empty where no rule of a game is at stake."""
        self.params = params

    def __str__(self) -> str:
        """Return code, rule and parameters on one line, for logs and tracebacks.

        >>> str(Refusal(Reason.TOO_MANY, "FC5", count=4, limit=2))
        'TOO_MANY (FC5) count=4 limit=2'
        """
        rule = f" ({self.rule})" if self.rule else ""
        return f"{self.reason}{rule}" + "".join(f" {name}={value}" for name, value in self.params.items())


class Refusal(SameDealError):
    """A move or command that may not be played now. It changes nothing."""


class CodeError(SameDealError):
    """A text that is no game code (DESIGN.md section 3)."""


class NotationError(SameDealError):
    """A text that is no card, no move or no standard FreeCell notation (section 4)."""


class PositionError(SameDealError):
    """A text or a layout that is no position of the game (section 4)."""


class RecordError(SameDealError):
    """A text or an object that is no record, or a result that its entries do not bear out (section 4)."""


class NameRefused(SameDealError):
    """A text that may not be a player's name (section 5)."""


class AssetError(SameDealError):
    """Bytes that are no pool or no texts: a file that is part of the program is damaged."""


class ProtocolError(SameDealError):
    """A frame that is no message, or one that may not come now: the connection is closed (section 7)."""


def excerpt(value: object, longest: int = 24) -> str:
    r"""Return at most *longest* printable ASCII characters that show what was sent, however hostile it was.

    >>> excerpt("SS9\u202e-" + "A" * 100)
    'SS9\\u202e-AAAAAAAAAAA...'
    """
    if not isinstance(value, str):
        return type(value).__name__
    shown = ascii(value[:longest])[1:-1]
    fits = len(value) <= longest and len(shown) <= longest
    return shown if fits else shown[: longest - 3].rstrip("\\") + "..."
