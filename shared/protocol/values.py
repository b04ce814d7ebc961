"""What messages are made of: the values that commands and events carry (DESIGN.md section 7)."""

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from shared.forms import HIGHEST, Whole

Count: TypeAlias = Annotated[int, Meta(ge=0, le=HIGHEST)]
Gone: TypeAlias = Annotated[int, Meta(ge=0, le=52)]
Suits: TypeAlias = Annotated[int, Meta(ge=1, le=4)]
Word: TypeAlias = Annotated[str, Meta(max_length=64)]
Name: TypeAlias = Annotated[str, Meta(max_length=200)]
"""Code points of a player's name, of which one character may need many."""
Param: TypeAlias = Annotated[str, Meta(max_length=256)]
MoveText: TypeAlias = Annotated[str, Meta(min_length=2, max_length=4)]
StepText: TypeAlias = Annotated[str, Meta(min_length=2, max_length=5)]
PileText: TypeAlias = Annotated[str, Meta(min_length=1, max_length=1)]
ColumnText: TypeAlias = Annotated[str, Meta(max_length=3 * 52)]
CellText: TypeAlias = Annotated[str, Meta(max_length=2)]


class Options(Struct, frozen=True, kw_only=True):
    """How a race is played (DESIGN.md section 5)."""

    game: Word = "simple-simon"
    suits: Suits | None = None
    """None: the game's usual count."""
    code: Word | None = None
    """An exact deal instead of a drawn one; the room then says that it is known."""
    deals: Literal["pool", "any"] = "pool"
    """What numbers are drawn from."""
    mixed: bool = False
    """In Simple Simon each seat chooses its own suit count."""
    goal: Literal["time", "score"] = "time"
    limit_ms: Annotated[int, Meta(ge=10_000, le=86_400_000)] = 15 * 60_000
    seats: Annotated[int, Meta(ge=1, le=64)] = 8
    undo: bool = True
    restart: bool = True
    hint: bool = False
    public: bool = False
    """Whether the lobby lists the room."""
    view: Literal["after", "live"] = "after"
    """When spectators and finishers see the tables."""


class Table(Struct, frozen=True, kw_only=True):
    """A position to draw."""

    columns: tuple[ColumnText, ...]
    """Cards separated by spaces, the free one last."""
    cells: tuple[CellText, ...] = ()
    """A card or "" each."""
    home: tuple[Gone, ...]
    """Cards gone of spades, hearts, diamonds, clubs."""


class Can(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What may be asked now besides moves."""

    undo: bool = False
    restart: bool = False
    hint: bool = False
    gather: bool = False


class Standing(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of the live ranking."""

    seat: Count
    place: Count | None = None
    """None: no accepted move yet."""
    score: Whole
    moves: Count
    progress: Count
    state: Word
    elapsed_ms: Count | None = None
    """When the attempt was over, from the start of the race; None while it is played."""
    suits: Suits | None = None
    """The seat's own suit count in a `mixed` race."""
    clean: bool = False
    """Over without undo, restart or hint."""
    practice: bool = False
    """The player had opened the number before."""
    ranked: bool = False
    lag_ms: Count | None = None
    """The connection's measured delay; never credited."""


class Seat(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Who sits where."""

    seat: Count
    player: Word
    name: Name
    connected: bool = True
    ready: bool = False
    host: bool = False
    bot: bool = False
    suits: Suits | None = None
    """The seat's own suit count in a `mixed` race."""


class Watcher(Struct, frozen=True, kw_only=True):
    """A spectator."""

    player: Word
    name: Name


class Hand(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where an attempt stands, for its player."""

    ply: Count
    """Entries in its log so far."""
    score: Whole
    moves: Count
    progress: Count
    state: Word
    can: Can = Can()
    stuck: bool = False
    """FreeCell: no move is left (FC6)."""


class Choice(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where one run may go."""

    source: PileText
    count: Annotated[int, Meta(ge=1, le=13)]
    targets: tuple[PileText, ...]
    best: PileText | None = None
    """Its best target (SS10, FC7)."""


class Seen(Struct, frozen=True, kw_only=True):
    """A participant's table, as those see it who may."""

    seat: Count
    table: Table
    hand: Hand


class Listed(Struct, frozen=True, kw_only=True):
    """A public room in the lobby's list."""

    room: Word
    host: Name
    phase: Word
    seats: Count
    """Seats taken, of `options.seats`."""
    watchers: Count
    options: Options
