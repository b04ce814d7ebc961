"""Every message of the wire, declared once (DESIGN.md section 7).

A command asks, an event tells. Both are maps whose `type` is the class's name; fields left at their default are
left out, unknown ones are ignored. A command's `id` comes back in its answer. Times are milliseconds, whole
numbers stay within ±(2^53 − 1), cards and moves are the texts of section 4.
"""

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from shared.forms import HIGHEST, Whole

Count: TypeAlias = Annotated[int, Meta(ge=0, le=HIGHEST)]
Gone: TypeAlias = Annotated[int, Meta(ge=0, le=52)]
Word: TypeAlias = Annotated[str, Meta(max_length=64)]
Name: TypeAlias = Annotated[str, Meta(max_length=200)]
"""Code points of a player's name, of which one character may need many."""
Param: TypeAlias = Annotated[str, Meta(max_length=256)]
MoveText: TypeAlias = Annotated[str, Meta(min_length=2, max_length=4)]
StepText: TypeAlias = Annotated[str, Meta(min_length=2, max_length=5)]
PileText: TypeAlias = Annotated[str, Meta(min_length=1, max_length=1)]
ColumnText: TypeAlias = Annotated[str, Meta(max_length=3 * 52)]
CellText: TypeAlias = Annotated[str, Meta(max_length=2)]


class Message(Struct, frozen=True, kw_only=True, tag=True, tag_field="type", omit_defaults=True):
    """What one frame holds."""


class Options(Struct, frozen=True, kw_only=True):
    """How a race is played (DESIGN.md section 5)."""

    game: Word = "simple-simon"
    suits: Annotated[int, Meta(ge=1, le=4)] | None = None
    """None: the game's usual count."""
    goal: Literal["time", "score"] = "time"
    limit_ms: Annotated[int, Meta(ge=10_000, le=86_400_000)] = 15 * 60_000
    seats: Annotated[int, Meta(ge=1, le=64)] = 8
    undo: bool = True
    restart: bool = True
    hint: bool = False


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


class Seat(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Who sits where."""

    seat: Count
    player: Word
    name: Name
    connected: bool = True
    ready: bool = False
    host: bool = False


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


# Commands: what a client asks


class Command(Message, frozen=True, kw_only=True):
    """The base of all commands."""

    id: Count = 0
    """Chosen by the client; the answer carries it."""


class Hello(Command, frozen=True, kw_only=True):
    """The first message of every connection."""

    name: Name | None = None
    """Makes a new player of this name, who gets a token."""
    token: Word | None = None
    """Proves who comes back; instead of a name."""
    client: Word = ""
    """What speaks: `page`, `terminal`, `bot`."""
    locale: Word = "en"
    wants: tuple[Word, ...] = ()
    """Further events to be sent."""


class Configure(Command, frozen=True, kw_only=True):
    """The host sets the options of a race that is OPEN; every ready mark is cleared."""

    options: Options


class Ready(Command, frozen=True, kw_only=True):
    """Set or clear the own ready mark."""

    ready: bool


class Start(Command, frozen=True, kw_only=True):
    """The host begins the countdown."""

    countdown: Count
    """The number of the countdown to begin, one more than the last: a resend then does nothing."""


class Cancel(Command, frozen=True, kw_only=True):
    """The host stops the countdown of this number."""

    countdown: Count


class PlyCommand(Command, frozen=True, kw_only=True):
    """A command in play."""

    ply: Count
    """Entries in the sender's log so far; a stale ply is refused unless it is a resend."""


class Play(PlyCommand, frozen=True, kw_only=True):
    """Play one move."""

    move: MoveText


class PlayBest(PlyCommand, frozen=True, kw_only=True):
    """Play the run of *count* cards at the end of *source* to its best target (SS10, FC7)."""

    source: PileText
    count: Annotated[int, Meta(ge=1, le=13)]


class Undo(PlyCommand, frozen=True, kw_only=True):
    """Take the last move back (SS9, FC7)."""


class Restart(PlyCommand, frozen=True, kw_only=True):
    """Lay the first position again."""


class Hint(PlyCommand, frozen=True, kw_only=True):
    """Ask for a move to be shown (FC8)."""


class Gather(PlyCommand, frozen=True, kw_only=True):
    """Play all remaining cards home (FC10)."""


class Resign(PlyCommand, frozen=True, kw_only=True):
    """End the own attempt as it is."""


# Events: what happened


class Event(Message, frozen=True, kw_only=True):
    """The base of all events."""


class Answer(Event, frozen=True, kw_only=True):
    """The base of what answers a command."""

    id: Count = 0


class Welcome(Answer, frozen=True, kw_only=True):
    """Answers Hello."""

    player: Word
    name: Name
    token: Word | None = None
    """The secret of a new player, told this once: whoever has it is this player."""


class Done(Answer, frozen=True, kw_only=True):
    """The command was carried out; what changed is told to everyone by an event of its own."""


class Refused(Answer, frozen=True, kw_only=True):
    """The command was refused and changed nothing."""

    reason: Word
    rule: Word = ""
    params: dict[Word, Param | Whole] = {}


class Played(Answer, frozen=True, kw_only=True):
    """An entry of the receiver's own attempt is in the log."""

    hand: Hand
    steps: tuple[StepText, ...] = ()
    """What moves, in order: move texts, with the suit behind what comes back from the foundations (`h3S`)."""
    table: Table | None = None
    """The whole position, after a restart."""


class Hinted(Answer, frozen=True, kw_only=True):
    """A move to show."""

    hand: Hand
    move: MoveText


class Roster(Event, frozen=True, kw_only=True):
    """Who is here, whenever that changes."""

    seats: tuple[Seat, ...]


class Configured(Event, frozen=True, kw_only=True):
    """The options of the race, whenever they change."""

    options: Options


class Countdown(Event, frozen=True, kw_only=True):
    """The race begins when the remaining time is over."""

    countdown: Count
    remaining_ms: Count


class Opened(Event, frozen=True, kw_only=True):
    """The race is open again: the countdown was cancelled, or the start could not be written."""

    countdown: Count


class Began(Event, frozen=True, kw_only=True):
    """The race runs; everyone who starts has the same deal."""

    race: Word
    limit_ms: Count
    code: Word | None = None
    """To starters only, as are the next two."""
    table: Table | None = None
    hand: Hand | None = None


class Standings(Event, frozen=True, kw_only=True):
    """The lines of the live ranking that changed since the last."""

    elapsed_ms: Count
    """Race time."""
    rows: tuple[Standing, ...]


class Finished(Event, frozen=True, kw_only=True):
    """The race is over and all of it is open to read."""

    race: Word
    code: Word
    rows: tuple[Standing, ...]
    attempts: tuple[Word, ...]
    """The attempt's id of each row."""


class Snapshot(Event, frozen=True, kw_only=True):
    """Everything its receiver may know at one moment."""

    room: Word
    race: Word
    phase: Word
    options: Options
    seats: tuple[Seat, ...]
    seat: Count | None = None
    """The receiver's own; None for a spectator."""
    countdown: Count = 0
    remaining_ms: Count | None = None
    elapsed_ms: Count | None = None
    code: Word | None = None
    table: Table | None = None
    hand: Hand | None = None
    rows: tuple[Standing, ...] = ()
    attempts: tuple[Word, ...] = ()
    """The attempt's id of each row, once the race is over."""


AnyCommand: TypeAlias = (
    Hello | Configure | Ready | Start | Cancel | Play | PlayBest | Undo | Restart | Hint | Gather | Resign
)
AnyEvent: TypeAlias = (
    Welcome
    | Done
    | Refused
    | Played
    | Hinted
    | Roster
    | Configured
    | Countdown
    | Opened
    | Began
    | Standings
    | Finished
    | Snapshot
)
