"""A room: its race, who is connected, and an inbox. One task, one batch in flight.

What the inbox holds is handled by the pure race, written by the store and only then told. The new race replaces
the old one after the commit, so a failed write leaves everything as it was.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeAlias

from server import metrics
from server.clock import Clock
from server.config import Limits
from server.log import Batch, Player, RoomState, StorageError
from server.race.outcome import NOTHING, Audience, Outcome, Recipient
from server.race.race import Race
from server.race.restore import kept
from server.race.said import Again, Begin, Drop, Forgotten, Join, Measured, Renamed
from server.rooms.bulletins import Bulletins
from server.rooms.inbox import Item, Receiver
from server.storage.store import Store
from shared.errors import ProtocolError, Reason, SameDealError
from shared.phase import Phase
from shared.protocol.messages import (
    AnyCommand,
    Began,
    Create,
    Forget,
    Hello,
    Played,
    Refused,
    Rematch,
    Rename,
    Snapshot,
    Warming,
)

LOGGER = logging.getLogger(__name__)

RETRY_MS = 500
"""After a failed write deadlines are tried again so much later."""

DESERTED_MS = 600_000
"""A room in which nobody is connected and nothing is played closes after so long."""


Draw: TypeAlias = Callable[[Race], Awaitable[Begin]]
"""Draws a number that no starter has opened, and dates the start; raises StorageError."""


NEW_TABLE = (Snapshot, Began, Warming, Played)
"""The events after which the receiver's choices are others."""

NOT_HERE = (Hello, Create, Rename, Forget)
"""The commands that are none of a room's."""


class Room:
    """The shell round the races of one room, one after the other."""

    def __init__(
        self, race: Race, store: Store, clock: Clock, draw: Draw, new_id: Callable[[], str], limits: Limits
    ) -> None:
        self.race = race
        self.shut = False
        """Closed by its host: nobody comes in any more."""
        self.stopping = False
        self._store = store
        self._clock = clock
        self._draw = draw
        self._new_id = new_id
        self._limits = limits
        self._kept = ""
        """What the database has of the room."""
        self._inbox: list[Item] = []
        self._wake = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._wakes_ms: int | None = None
        """When the timer wakes the room up; None while there is none."""
        self._earliest_ms = 0
        """No deadline is tried before; moved on after a failed write."""
        self._empty_ms: int | None = clock.now_ms()
        """Since when nobody is connected."""
        self._sessions: dict[str, Receiver] = {}
        self._bulletins = Bulletins()

    # What sessions call

    def refusal(self, newcomer: Player) -> Reason | None:
        """Return why someone new would not be let in at this moment; None if they would."""
        return self.race.roster.refusal(newcomer.id, newcomer.name, self._limits.spectators)

    def join(self, session: Receiver, player: Player) -> None:
        """Take a connection in: its player gets a snapshot, and a connection they had before is closed."""
        join = Join(name=player.name, bot=session.bot, spectators=self._limits.spectators)
        self._put(Item(player.id, join, self._clock.now_ms(), session))

    def leave(self, session: Receiver, player: Player) -> None:
        """Note that a connection is gone."""
        self._put(Item(player.id, Drop(), self._clock.now_ms(), session))

    def measure(self, session: Receiver, player: Player, lag_ms: int) -> None:
        """Note the delay of a player's connection."""
        self._put(Item(player.id, Measured(lag_ms=lag_ms), self._clock.now_ms(), session))

    def receive(self, session: Receiver, player: Player, command: AnyCommand, stamp_ms: int) -> None:
        """Take a command in; refuse it at once where the inbox is full, or where it is none of a room's."""
        if len(self._inbox) >= self._limits.inbox:
            session.tell(Refused(id=command.id, reason=Reason.BUSY))
        elif isinstance(command, NOT_HERE):
            session.tell(Refused(id=command.id, reason=Reason.WRONG_PHASE, params={"phase": self.race.phase}))
        elif isinstance(command, Rematch):
            self._put(Item(player.id, Again(id=command.id, race=command.race, next=self._new_id()), stamp_ms, session))
        else:
            self._put(Item(player.id, command, stamp_ms, session))

    def hear_of(self, player: str, command: Renamed | Forgotten) -> None:
        """Note what has become of a player, if they are here, have a seat or are about to come in."""
        waits = any(item.player == player for item in self._inbox)
        if waits or player in self._sessions or self.race.roster.knows(player):
            self._put(Item(player, command, self._clock.now_ms(), None))

    def close(self, reason: Reason = Reason.CLOSED) -> None:
        """Close every connection: the room is not there any more. Who comes again finds a new one."""
        for session in (*self._sessions.values(), *(item.arrives for item in self._inbox if item.arrives)):
            session.close(SameDealError(reason))

    def _put(self, item: Item) -> None:
        self._inbox.append(item)
        self._wake.set()

    # The one task

    async def run(self) -> None:
        """Work until the host closes the room, or nobody has been here for a while and nothing is played."""
        while not self.shut and not self.stopping and not self._is_deserted():
            self._wait_until_due()
            await self._wake.wait()
            self._wake.clear()
            while not self.shut and (self._inbox or self._is_due()):
                await self._work()
            if self._bulletins.is_due(self._clock.now_ms()):
                self._publish(NOTHING)
        if self.shut:
            self.close(Reason.ROOM_CLOSED)
        elif self.stopping:
            await self._commit(*self.race.stamped(self._clock.now_ms()))

    def stop(self) -> None:
        """End after what is in the inbox, with the time in the log."""
        self.stopping = True
        self._wake.set()

    def _is_deserted(self) -> bool:
        closes_ms = self._closes_ms()
        return closes_ms is not None and self._clock.now_ms() >= closes_ms

    def _closes_ms(self) -> int | None:
        """Return when the room closes if nobody comes; None while it does not."""
        if self._empty_ms is None or self._inbox or self.race.phase not in (Phase.OPEN, Phase.FINISHED):
            return None
        return self._empty_ms + DESERTED_MS

    def _is_due(self) -> bool:
        due, now_ms = self.race.next_deadline, self._clock.now_ms()
        return due is not None and now_ms >= max(due, self._earliest_ms)

    def _wait_until_due(self) -> None:
        """Wake up by oneself when a deadline, the next standings or the room's own end is due, or before."""
        due = self.race.next_deadline
        tried_ms = None if due is None else max(due, self._earliest_ms)
        waits = [each for each in (tried_ms, self._closes_ms(), self._bulletins.due_ms) if each is not None]
        # An earlier timer stays: to wake up in vain once costs less than a timer anew for every move.
        if waits and (self._wakes_ms is None or min(waits) < self._wakes_ms):
            if self._timer:
                self._timer.cancel()
            self._wakes_ms = min(waits)
            delay_ms = max(0, self._wakes_ms - self._clock.now_ms())
            self._timer = asyncio.get_running_loop().call_later(delay_ms / 1000, self._time_is_up)

    def _time_is_up(self) -> None:
        self._wakes_ms = None
        self._wake.set()

    async def _work(self) -> None:
        """Handle what the inbox holds, commit it, tell it."""
        items, handled = self._taken(), list[Item]()
        race, outcomes = self.race, [NOTHING]
        for place, item in enumerate(items):
            race, settled = race.tick(item.stamp_ms)
            outcomes.append(settled)
            if settled.draws:
                self._inbox[:0] = items[place:]
                break
            if self._admit(item):
                race, outcome = race.answer(item.player, item.command, item.stamp_ms)
                # Who arrives hears nothing before the own snapshot, not even what was due by then.
                outcomes.insert(0 if item.arrives else len(outcomes), outcome)
                handled.append(item)
        if not self._inbox:  # what is there came earlier: it is handled before what is due now
            race, settled = race.tick(self._clock.now_ms())
            outcomes.append(settled)
        outcome = Outcome.joined(outcomes)
        if await self._commit(race, outcome):
            if outcome.draws:
                await self._begin()
            return
        self._refuse(handled)
        if outcome.draws:
            self._reopen()

    def _taken(self) -> list[Item]:
        """Take from the inbox up to the next arrival: who arrives hears nothing before the own snapshot."""
        arrivals = (place for place, item in enumerate(self._inbox) if place and item.arrives)
        count = next(arrivals, len(self._inbox))
        items, self._inbox = self._inbox[:count], self._inbox[count:]
        return items

    def _admit(self, item: Item) -> bool:
        """Keep the list of connections; False for what comes of one that a newer has replaced."""
        if item.session is None:
            return True
        current = self._sessions.get(item.player)
        if item.arrives:
            self._sessions[item.player] = item.session
            if current:
                current.close(ProtocolError(Reason.TAKEN_OVER))
        elif current is not item.session:
            return False
        elif isinstance(item.command, Drop):
            del self._sessions[item.player]
        self._empty_ms = None if self._sessions else self._clock.now_ms()
        return True

    async def _begin(self) -> None:
        """Draw a deal and start; where that can't be written the race is open again."""
        try:
            begin = await self._draw(self.race)
            race, outcome = self.race.answer("", begin, self._clock.now_ms())
            if await self._commit(race, outcome):
                return
        except StorageError:
            LOGGER.exception("no deal could be drawn in room %s", self.race.room)
        self._reopen()

    def _reopen(self) -> None:
        self.race, outcome = self.race.reopened()
        self._kept = ""  # who has a seat by that is not written yet
        self._publish(outcome)

    # Commit, then tell

    async def _commit(self, race: Race, outcome: Outcome) -> bool:
        """Write what is to be written; then, and only then, put the new race in place and tell everyone."""
        state = self._kept if self._is_kept(race) else kept(race)
        if (outcome.writes or state != self._kept) and not await self._is_stored(race, outcome, state):
            self._earliest_ms = self._clock.now_ms() + RETRY_MS
            return False
        self.race, self._kept, self.shut = race, state, outcome.shuts
        self._publish(outcome)
        return True

    def _is_kept(self, race: Race) -> bool:
        """Return whether the database has of *race* all that is kept, since nothing of that is other than before."""
        return bool(self._kept) and race.roster is self.race.roster and race.options is self.race.options

    async def _is_stored(self, race: Race, outcome: Outcome, state: str) -> bool:
        batch = Batch(
            rows=outcome.log,
            begun=outcome.begun,
            ended=outcome.ended,
            finished=outcome.finished,
            opened=outcome.opened,
            state=None if state == self._kept else RoomState(race.room, state),
        )
        try:
            await self._store.append(batch)
        except StorageError as error:
            LOGGER.warning("room %s: %s", race.room, error)
            self._kept = ""  # whatever is there by now: the next commit writes it anew
            # Without rows of the log nothing is lost by writing it once more.
            return error.unknown and bool(outcome.log) and await self._is_found(outcome)
        return True

    async def _is_found(self, outcome: Outcome) -> bool:
        """Return whether a write of unknown outcome is in the database after all; ask until it answers."""
        last = max(outcome.log, key=lambda row: row.seq)
        while True:
            try:
                live = await self._store.live_race(last.race)
                if live is not None:
                    return len(live.rows) > last.seq
                return outcome.finished is not None and await self._store.read.race(last.race) is not None
            except StorageError:
                LOGGER.exception("room %s waits for its database", self.race.room)
                await asyncio.sleep(RETRY_MS / 1000)

    def _refuse(self, items: Sequence[Item]) -> None:
        """Tell that commands were not stored. People come and go all the same, if that writes nothing."""
        for item in items:
            now_ms = self._clock.now_ms()
            if isinstance(item.command, Join | Drop | Measured | Renamed | Forgotten):
                race, outcome = self.race.answer(item.player, item.command, now_ms)
                if outcome.writes:
                    race, _ = self.race.answer(item.player, Drop(), now_ms)
                    outcome = Outcome(closes=((item.player, Reason.CLOSED),))
                self.race = race
            else:
                outcome = Outcome.refuse(item.player, StorageError(Reason.NOT_STORED), item.command.id)
                outcome += Outcome.to_one(item.player, self.race.snapshot(item.player, now_ms))
            self._publish(outcome)

    def _publish(self, outcome: Outcome) -> None:
        """Send what a commit owes: each event encoded once an encoding, all that one connection gets in one write."""
        owed, anew = dict[Receiver, list[bytes]](), dict[str, Receiver]()
        for letter in self._bulletins.letters(outcome, self.race, self._clock.now_ms()):
            if isinstance(letter.event, Refused):
                metrics.REFUSALS.labels(letter.event.reason).inc()
            frames, recipients = dict[str, bytes](), self._recipients(letter.to)
            for session in recipients.values():
                frame = frames.get(session.subprotocol)
                if frame is None:
                    frame = frames[session.subprotocol] = session.packed(letter.event)
                owed.setdefault(session, []).append(frame)
            if isinstance(letter.event, NEW_TABLE):
                anew |= recipients
        for player, session in anew.items():
            choices = self.race.choices(player) if session.wants_choices else None
            if choices:
                owed[session].append(session.packed(choices))
        for session, parts in owed.items():
            session.send(parts)
        for player, reason in outcome.closes:
            leaving = self._sessions.pop(player, None)
            if leaving:
                leaving.close(ProtocolError(reason))
        if not self._sessions and self._empty_ms is None:
            self._empty_ms = self._clock.now_ms()

    def _recipients(self, to: Recipient) -> Mapping[str, Receiver]:
        """Return the connections of those whom a letter goes to, by player."""
        race, here = self.race, self._sessions
        match to:
            case Audience.ALL:
                barred = race.roster.barred
                return {player: here[player] for player in here if player not in barred} if barred else here
            case Audience.SPECTATORS:
                return {player: here[player] for player in here if race.may_watch(player)}
            case Audience.STARTERS:
                return {player: here[player] for player in race.starters if player in here}
            case Audience.OTHERS:
                return {player: here[player] for player in here if player not in race.starters}
        return {to: here[to]} if to in here else {}
