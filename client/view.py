"""What a client knows of a room, as a pure value: a snapshot, and every event since then folded in.

It knows no rule of any game: cards move as the server's steps say. Old snapshot + events = new snapshot.
"""

from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from client.moving import laid, moved
from shared.position import Position
from shared.protocol.messages import (
    AnyEvent,
    Began,
    Can,
    Configured,
    Countdown,
    Finished,
    Hand,
    Hinted,
    Opened,
    Options,
    Played,
    Roster,
    Seat,
    Snapshot,
    Standing,
    Standings,
    Welcome,
)

OPEN, COUNTDOWN, RUNNING, FINISHED = "open", "countdown", "running", "finished"
"""The phases of a race."""

PLAYING, SOLVED = "playing", "solved"
"""The states of an attempt that is under way, and of one that won."""


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
    seat: int | None = None
    """The client's own; None for a spectator."""
    countdown: int = 0
    remaining_ms: int | None = None
    """What was left of the countdown when it was last told; None outside it."""
    elapsed_ms: int | None = None
    """The race time that was last told; None before the start."""
    code: str | None = None
    table: Position | None = None
    hand: Hand | None = None
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
        return self.hand is not None and self.hand.state == PLAYING

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
            case Standings(elapsed_ms=elapsed_ms, rows=rows):
                return replace(self, elapsed_ms=elapsed_ms)._ranked(rows)
            case Welcome(player=player, name=name):
                return replace(self, player=player, name=name)
            case Snapshot():
                return self._anew(event)
            case Roster(seats=seats):
                seat = next((each.seat for each in seats if each.player == self.player), None)
                return replace(self, seats=seats, seat=seat)
            case Configured(options=options):
                return replace(self, options=options)
            case Countdown(countdown=countdown, remaining_ms=remaining_ms):
                return replace(self, phase=COUNTDOWN, countdown=countdown, remaining_ms=remaining_ms)
            case Opened(countdown=countdown):
                return replace(self, phase=OPEN, countdown=countdown, remaining_ms=None)
            case Began():
                return self._begun(event)
            case Finished():
                return self._over(event)
        return self  # Done and Refused are answers to one command: what changed comes as an event of its own

    def _after_entry(self, event: Played | Hinted) -> "View":
        """Apply what was answered to an own command, unless it is an answer to a resend of long ago."""
        if event.hand.ply <= self.ply:
            return self
        table = self.table
        if isinstance(event, Played):
            table = laid(event.table) if event.table else table and moved(table, event.steps)
        return replace(self, table=table, hand=event.hand)

    def _begun(self, event: Began) -> "View":
        begun = replace(self, phase=RUNNING, race=event.race, code=event.code, remaining_ms=None, elapsed_ms=0)
        return replace(begun, table=laid(event.table) if event.table else None, hand=event.hand)

    def _over(self, event: Finished) -> "View":
        over = replace(self, phase=FINISHED, race=event.race, code=event.code)
        return replace(over, attempts=_by_seat(event.rows, event.attempts))._ranked(event.rows)

    def _ranked(self, changed: Iterable[Standing]) -> "View":
        """Take in the changed lines of the standings; the own one also tells that time was up."""
        by_seat = {row.seat: row for row in (*self.rows, *changed)}
        rows = tuple(sorted(by_seat.values(), key=_rank))
        over = next((row.state for row in rows if row.seat == self.seat and row.state != PLAYING), None)
        if self.hand and self.playing and over:
            return replace(self, rows=rows, hand=replace(self.hand, state=over, can=Can(), stuck=False))
        return replace(self, rows=rows)

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
            seat=told.seat,
            countdown=told.countdown,
            remaining_ms=told.remaining_ms,
            elapsed_ms=told.elapsed_ms,
            code=told.code,
            table=laid(told.table) if told.table else None,
            hand=told.hand,
            rows=told.rows,
            attempts=_by_seat(told.rows, told.attempts),
        )


def _by_seat(rows: Iterable[Standing], attempts: Iterable[str]) -> dict[int, str]:
    return {row.seat: attempt for row, attempt in zip(rows, attempts, strict=False)}


def _rank(row: Standing) -> tuple[bool, int, int]:
    """Return what lines are sorted by: place, those without one last, seats among equals."""
    return row.place is None, row.place or 0, row.seat
