"""Every message of the wire, declared once (DESIGN.md section 7).

A command asks, an event tells. Both are maps whose `type` is the class's name; fields left at their default are
left out, unknown ones are ignored. A command's `id` comes back in its answer. Times are milliseconds, whole
numbers stay within ±(2^53 − 1), cards and moves are the texts of section 4.
"""

from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

from shared.forms import Whole
from shared.protocol.values import (
    Choice,
    ColumnText,
    Count,
    Hand,
    Listed,
    MoveText,
    Name,
    Options,
    Param,
    PileText,
    Seat,
    Seen,
    Standing,
    StepText,
    Suits,
    Table,
    Watcher,
    Word,
)


class Message(Struct, frozen=True, kw_only=True, tag=True, tag_field="type", omit_defaults=True):
    """What one frame holds."""


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
    """Further events to be sent: `choices`."""
    opens: bool = False
    """Make the room where there is none of this name."""
    options: Options = Options()
    """Those of a room that is made by that."""
    word: Annotated[str, Meta(max_length=256)] | None = None
    """The server's secret word, where it asks for one of whoever makes a room."""


class Configure(Command, frozen=True, kw_only=True):
    """The host sets the options of a race that is OPEN; every ready mark is cleared."""

    options: Options


class Create(Command, frozen=True, kw_only=True):
    """In the lobby: make a room."""

    nonce: Word
    """Chosen by the client: a resend finds the room that its first sending made."""
    options: Options = Options()


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


class ChooseSuits(Command, frozen=True, kw_only=True):
    """In a `mixed` race that is OPEN: choose the own suit count."""

    suits: Suits


class WarmUp(Command, frozen=True, kw_only=True):
    """While the race is OPEN: lay a throwaway deal to try the cards on. Play goes by the same commands."""


class Lock(Command, frozen=True, kw_only=True):
    """The host lets no newcomer in, or lets them in again."""

    locked: bool


class HandOver(Command, frozen=True, kw_only=True):
    """The host makes another connected participant the host."""

    player: Word


class Kick(Command, frozen=True, kw_only=True):
    """The host bars a player for the room's life; a running attempt stays theirs."""

    player: Word


class Close(Command, frozen=True, kw_only=True):
    """The host closes the room; not while anyone plays."""


class Rematch(Command, frozen=True, kw_only=True):
    """Open the next race in the same room."""

    race: Word
    """The id of the race it follows: a resend then does nothing."""


class Leave(Command, frozen=True, kw_only=True):
    """Give the seat up; while playing that is resigning. The connection closes."""


class Rename(Command, frozen=True, kw_only=True):
    """Take another name, wherever one is: in the lobby or in a room, and also while playing."""

    name: Name


class Forget(Command, frozen=True, kw_only=True):
    """Delete oneself: the name and the token are gone for good, the games stay. All connections close."""


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


class Renamed(Answer, frozen=True, kw_only=True):
    """The receiver has another name; also told, without an id, to their other connections."""

    name: Name


class Created(Answer, frozen=True, kw_only=True):
    """The room that Create made."""

    room: Word


class Rooms(Event, frozen=True, kw_only=True):
    """The lobby's list of public rooms, the newest 100, whenever it changes, at most once a second."""

    rooms: tuple[Listed, ...]


class Roster(Event, frozen=True, kw_only=True):
    """Who is here, whenever that changes, at most every 100 ms."""

    seats: tuple[Seat, ...]
    watchers: tuple[Watcher, ...] = ()
    locked: bool = False


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
    """To starters, and where the view is `live` to all; the table and the hand to starters only."""
    known: bool = False
    """The deal was chosen, not drawn."""
    table: Table | None = None
    hand: Hand | None = None


class Warming(Event, frozen=True, kw_only=True):
    """A throwaway deal of the receiver's own, gone at the countdown."""

    table: Table
    hand: Hand


class Choices(Event, frozen=True, kw_only=True):
    """Every run of the receiver's table that can move, and the cards that lie joined; to those who want it."""

    ply: Count
    choices: tuple[Choice, ...]
    joined: tuple[ColumnText, ...]
    """For each column a `1` for each card that moves with the one it lies on, else `0`."""


class Watched(Event, frozen=True, kw_only=True):
    """A participant's entry, in a `live` room, to spectators and those whose attempt is over."""

    seat: Count
    hand: Hand
    steps: tuple[StepText, ...] = ()
    table: Table | None = None


class Standings(Event, frozen=True, kw_only=True):
    """The lines of the live ranking that changed since the last, with the race time."""

    elapsed_ms: Count
    rows: tuple[Standing, ...]
    closes_ms: Count | None = None
    """When attempts are cut off, where that is before the limit."""


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
    watchers: tuple[Watcher, ...] = ()
    locked: bool = False
    seat: Count | None = None
    """The receiver's own; None for a spectator."""
    paused: bool = False
    """The server was restarted: race time stands still until a player is back, 30 seconds at most."""
    warming: bool = False
    """`table` and `hand` are those of a warm-up."""
    countdown: Count = 0
    remaining_ms: Count | None = None
    elapsed_ms: Count | None = None
    closes_ms: Count | None = None
    code: Word | None = None
    table: Table | None = None
    hand: Hand | None = None
    rows: tuple[Standing, ...] = ()
    seen: tuple[Seen, ...] = ()
    """The tables of a `live` room, to those who may see them."""
    attempts: tuple[Word, ...] = ()
    """The attempt's id of each row, once the race is over."""


HostCommand: TypeAlias = Start | Cancel | Lock | HandOver | Kick | Close
OwnCommand: TypeAlias = Rematch | Leave | Rename | Forget
PlayCommand: TypeAlias = Play | PlayBest | Undo | Restart | Hint | Gather | Resign
"""The commands that carry a ply."""

AnyCommand: TypeAlias = (
    Hello | Create | Configure | Ready | ChooseSuits | WarmUp | HostCommand | OwnCommand | PlayCommand
)
AnyEvent: TypeAlias = (
    Welcome
    | Renamed
    | Created
    | Rooms
    | Done
    | Refused
    | Snapshot
    | Roster
    | Configured
    | Warming
    | Countdown
    | Opened
    | Began
    | Played
    | Hinted
    | Choices
    | Watched
    | Standings
    | Finished
)
