"""What a client knows of a room, as a pure value: a snapshot, and every event since then folded in.

It knows no rule of any game: cards move as the server's steps say. Old snapshot + events = new snapshot.
"""

from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from client.moving import laid, moved
from shared.attempt import State
from shared.phase import Phase
from shared.position import Position
from shared.protocol.messages import (
    AnyEvent,
    Began,
    Choices,
    Configured,
    Countdown,
    Finished,
    Hinted,
    Opened,
    Played,
    Renamed,
    Roster,
    Snapshot,
    Standings,
    Warming,
    Watched,
    Welcome,
)
from shared.protocol.values import Can, Choice, Hand, Options, Seat, Standing, Table, Watcher


class Seen(Struct, frozen=True):
    """A participant's table, in a room that shows them."""

    table: Position
    hand: Hand


class View(Struct, frozen=True, kw_only=True):
    """A room as one client sees it. The empty view is that of a client to whom nothing was told yet."""

    player: str = ""
    """The client's own id."""
    name: str = ""
    room: str = ""
    race: str = ""
    phase: str = ""
    options: Options = Options()
    seats: tuple[Seat, ...] = ()
    watchers: tuple[Watcher, ...] = ()
    locked: bool = False
    seat: int | None = None
    """The client's own; None for a spectator."""
    countdown: int = 0
    remaining_ms: int | None = None
    """What was left of the countdown when it was last told; None outside it."""
    elapsed_ms: int | None = None
    """The race time that was last told; None before the start."""
    closes_ms: int | None = None
    """The race time at which attempts are cut off, where that is before the limit."""
    paused: bool = False
    """Race time stands still until someone who plays is back."""
    code: str | None = None
    warming: bool = False
    """What lies on the table is a throwaway deal."""
    table: Position | None = None
    hand: Hand | None = None
    choices: tuple[Choice, ...] = ()
    """Where the runs of the own table may go, as far as it was asked for."""
    joined: tuple[str, ...] = ()
    """For each column of the own table which cards lie joined, told with the choices."""
    seen: Mapping[int, Seen] = {}
    """The tables of a `live` room by seat, where the client may see them."""
    rows: tuple[Standing, ...] = ()
    """The standings, the best first."""
    attempts: Mapping[int, str] = {}
    """The attempts' ids by seat, once the race is over."""

    @property
    def ply(self) -> int:
        """Entries in the own log; 0 where there is none."""
        return self.hand.ply if self.hand else 0

    @property
    def playing(self) -> bool:
        """Whether the own attempt is under way."""
        return self.hand is not None and self.hand.state == State.PLAYING

    @property
    def host(self) -> bool:
        """Whether this client is the host."""
        return any(seat.host for seat in self.seats if seat.seat == self.seat)

    def name_of(self, seat: int) -> str:
        """Return the name of who sits there."""
        return next((each.name for each in self.seats if each.seat == seat), "")

    def after(self, event: AnyEvent) -> "View":
        """Return the view once *event* has been told."""
        match event:
            case Played() | Hinted():
                return self._after_entry(event)
            case Choices():
                return self._with_choices(event)
            case Watched():
                return self._with_seen(event)
            case Standings(elapsed_ms=elapsed_ms, rows=rows, closes_ms=closes_ms):
                return replace(self, elapsed_ms=elapsed_ms, closes_ms=closes_ms, paused=False)._ranked(rows)
            case Welcome(player=player, name=name):
                return replace(self, player=player, name=name)
            case Renamed(name=name):
                return replace(self, name=name)
            case Snapshot():
                return self._anew(event)
            case Roster(seats=seats, watchers=watchers, locked=locked):
                seat = next((each.seat for each in seats if each.player == self.player), None)
                return replace(self, seats=seats, watchers=watchers, locked=locked, seat=seat)
            case Configured(options=options):
                return replace(self._bare(), options=options)
            case Warming(table=table, hand=hand):
                return replace(self._bare(), warming=True, table=laid(table), hand=hand)
            case Countdown() | Opened() | Began() | Finished():
                return self._after_phase(event)
        return self  # Done and Refused are answers to one command: what changed comes as an event of its own

    def _bare(self) -> "View":
        """Return the view without what lies on the own table."""
        return replace(self, warming=False, table=None, hand=None, choices=(), joined=())

    def _after_entry(self, event: Played | Hinted) -> "View":
        """Apply what was answered to an own command, unless it is an answer to a resend of long ago."""
        if event.hand.ply <= self.ply:
            return self
        if isinstance(event, Hinted):  # the table stays, and with it the choices
            return replace(self, hand=event.hand)
        table = _after_steps(self.table, event.table, event.steps)
        return replace(self, table=table, hand=event.hand, choices=(), joined=())

    def _with_choices(self, event: Choices) -> "View":
        """Take choices in, unless they are those of another table: then what is on its way brings its own."""
        return replace(self, choices=event.choices, joined=event.joined) if event.ply == self.ply else self

    def _with_seen(self, event: Watched) -> "View":
        """Apply an entry on a table that is watched, unless it was seen before."""
        before = self.seen.get(event.seat)
        if before and event.hand.ply <= before.hand.ply:
            return self
        table = _after_steps(before.table if before else None, event.table, event.steps)
        if table is None:  # told with what was before the own attempt ended: a snapshot with all tables follows
            return self
        return replace(self, seen={**self.seen, event.seat: Seen(table, event.hand)})

    def _after_phase(self, event: Countdown | Opened | Began | Finished) -> "View":
        match event:
            case Countdown(countdown=countdown, remaining_ms=remaining_ms):
                return replace(self._bare(), phase=Phase.COUNTDOWN, countdown=countdown, remaining_ms=remaining_ms)
            case Opened(countdown=countdown):
                return replace(self, phase=Phase.OPEN, countdown=countdown, remaining_ms=None)
            case Began(race=race, code=code, table=table, hand=hand):
                begun = replace(self, phase=Phase.RUNNING, race=race, remaining_ms=None, elapsed_ms=0)
                return replace(begun, code=code, table=laid(table) if table else None, hand=hand)
        # With suits of one's own the own code is another than the race's.
        over = replace(self, phase=Phase.FINISHED, race=event.race, code=self.code or event.code)
        over = replace(over, closes_ms=None, paused=False)
        return replace(over, attempts=_by_seat(event.rows, event.attempts))._ranked(event.rows)

    def _ranked(self, changed: Iterable[Standing]) -> "View":
        """Take in the changed lines of the standings, which also tell that time was up."""
        by_seat = {row.seat: row for row in (*self.rows, *changed)}
        rows = tuple(sorted(by_seat.values(), key=_rank))
        seen = {seat: replace(each, hand=_ended(each.hand, by_seat.get(seat))) for seat, each in self.seen.items()}
        view = replace(self, rows=rows, seen=seen)
        hand = self.hand and _ended(self.hand, None if self.seat is None else by_seat.get(self.seat))
        return view if hand == self.hand else replace(view, hand=hand, choices=())

    def _anew(self, told: Snapshot) -> "View":
        """Forget all but who this client is: a snapshot holds everything that it may know."""
        return View(
            player=self.player,
            name=self.name,
            room=told.room,
            race=told.race,
            phase=told.phase,
            options=told.options,
            seats=told.seats,
            watchers=told.watchers,
            locked=told.locked,
            seat=told.seat,
            countdown=told.countdown,
            remaining_ms=told.remaining_ms,
            elapsed_ms=told.elapsed_ms,
            closes_ms=told.closes_ms,
            paused=told.paused,
            code=told.code,
            warming=told.warming,
            table=laid(told.table) if told.table else None,
            hand=told.hand,
            seen={each.seat: Seen(laid(each.table), each.hand) for each in told.seen},
            rows=told.rows,
            attempts=_by_seat(told.rows, told.attempts),
        )


def _after_steps(before: Position | None, table: Table | None, steps: Iterable[str]) -> Position | None:
    """Return what lies there after *steps*, or the whole *table* where it is told; None where nothing was known."""
    return laid(table) if table else before and moved(before, steps)


def _ended(hand: Hand, row: Standing | None) -> Hand:
    """Return *hand* with nothing to ask for any more, if *row* says that the server has ended the attempt."""
    if row is None or hand.state != State.PLAYING or row.state == State.PLAYING:
        return hand
    return replace(hand, state=row.state, can=Can(), stuck=False)


def _by_seat(rows: Iterable[Standing], attempts: Iterable[str]) -> dict[int, str]:
    return {row.seat: attempt for row, attempt in zip(rows, attempts, strict=False)}


def _rank(row: Standing) -> tuple[bool, int, int]:
    """Return what lines are sorted by: place, those without one last, seats among equals."""
    return row.place is None, row.place or 0, row.seat
