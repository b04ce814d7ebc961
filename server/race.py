"""A race as a pure value: roster, options, phase and, once it has begun, its run (DESIGN.md section 5).

`handle` answers every command in every phase with a new race and what is to be written and told; the caller keeps
the old race until that is committed. Time comes in as *now_ms*, by a clock that never falls.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeAlias, get_args

from msgspec import Struct
from msgspec.structs import replace

from server.outcome import Audience, Letter, Outcome
from server.play import PlayCommand, hand_of, table_of
from server.roster import Roster
from server.run import Entrant, Run
from shared.attempt import Attempt
from shared.errors import Reason, Refusal, SameDealError
from shared.gamecode import GameCode
from shared.protocol import messages
from shared.protocol.messages import Cancel, Configure, Configured, Countdown, Done, Event, Options, Ready, Start

COUNTDOWN_MS = 3_000


class Phase(StrEnum):
    """Where a race stands."""

    OPEN = "open"
    COUNTDOWN = "countdown"
    RUNNING = "running"
    FINISHED = "finished"


class Join(Struct, frozen=True, kw_only=True):
    """A player's connection is there. This and the next two are said by the room."""

    id: int = 0
    name: str


class Drop(Struct, frozen=True, kw_only=True):
    """A player's connection is gone. A drop is not a leave: the seat stays theirs."""

    id: int = 0


class Begin(Struct, frozen=True, kw_only=True):
    """The deal that `Outcome.draws` asked for."""

    id: int = 0
    number: int
    attempts: tuple[str, ...]
    """An id for each starter's attempt."""
    started_ms: int
    """The date, in milliseconds since 1970."""
    practice: frozenset[str] = frozenset()
    """The starters who had opened the number before."""


Command: TypeAlias = Configure | Ready | Start | Cancel | PlayCommand | Join | Drop | Begin


class Race(Struct, frozen=True, kw_only=True):
    """One race of a room."""

    id: str
    room: str
    options: Options = Options()
    phase: Phase = Phase.OPEN
    roster: Roster = Roster()
    countdown: int = 0
    """How many countdowns there were."""
    zero_ms: int = 0
    """When the countdown is over."""
    starters: tuple[str, ...] = ()
    """Who plays: fixed when the countdown begins."""
    run: Run | None = None

    def handle(self, sender: str, command: Command, now_ms: int) -> tuple["Race", Outcome]:
        """Return the race after *command*, and all that follows from it. A refusal changes nothing.

        Deadlines at or before *now_ms* are settled first, so that a late timer lets no late move in. Where that asks
        for a deal, the outcome's `draws` says so and *command* is not looked at: hand it in again after `Begin`.
        """
        if isinstance(command, Begin):
            return self.answer(sender, command, now_ms)
        race, settled = self.tick(now_ms)
        if settled.draws:
            return race, settled
        race, outcome = race.answer(sender, command, now_ms)
        return race, settled + outcome

    def answer(self, sender: str, command: Command, now_ms: int) -> tuple["Race", Outcome]:
        """Do the same where `tick` has settled what was due."""
        if self._holds(sender, command):
            return self, _done(sender, command)
        handler = HANDLERS.get((self.phase, type(command)))
        try:
            if handler is None:
                raise Refusal(Reason.WRONG_PHASE, phase=self.phase)
            return handler(self, sender, command, now_ms)
        except SameDealError as refusal:
            return self, self._refuse(sender, refusal, command.id, now_ms)

    def _holds(self, sender: str, command: Command) -> bool:
        """Return whether *command* asks for what is so already: then it is a resend, whatever has come of it since."""
        hosts = sender == self.roster.host
        match command:
            case Configure(options=options):
                return hosts and options == self.options
            case Ready(ready=ready):
                return any(place.player == sender and place.ready == ready for place in self.roster.places)
            case Start(countdown=countdown):
                return hosts and countdown == self.countdown and self.phase is not Phase.OPEN
            case Cancel(countdown=countdown):
                return hosts and countdown == self.countdown and self.phase is Phase.OPEN
        return False

    def _refuse(self, sender: str, refusal: SameDealError, command_id: int, now_ms: int) -> Outcome:
        refused = Outcome.refuse(sender, refusal, command_id)
        if refusal.reason is Reason.STALE_PLY:
            refused += Outcome(letters=(Letter(sender, self.snapshot(sender, now_ms)),))
        return refused

    def next_deadline(self) -> int | None:
        """Return the stamp at which `tick` has something to do, whatever happens until then; None for never."""
        if self.phase is Phase.COUNTDOWN:
            return self.zero_ms
        if self.phase is Phase.RUNNING and self.run:
            return self.run.began_ms + self.run.closes_ms()
        return None

    def tick(self, now_ms: int) -> tuple["Race", Outcome]:
        """Settle what was due by *now_ms*."""
        due = self.next_deadline()
        if due is None or now_ms < due:
            return self, Outcome()
        if self.phase is Phase.RUNNING and self.run:
            return self._after(*self.run.time_out(), due)
        if any(place.player in self.starters for place in self.roster.present()):
            return self, Outcome(draws=True)
        return self.reopened()

    def reopened(self) -> tuple["Race", Outcome]:
        """Return the race open again with its ready marks: the countdown came to nothing."""
        opened = messages.Opened(countdown=self.countdown)
        return replace(self, phase=Phase.OPEN, starters=()), _told(opened)

    # The roster

    def _join(self, sender: str, command: Join, now_ms: int) -> tuple["Race", Outcome]:
        race = self
        sits = self.roster.find(sender) is not None
        if sits or (self.phase is Phase.OPEN and len(self.roster.places) < self.options.seats):
            race = replace(self, roster=self.roster.joined(sender, command.name))
        told = Outcome(letters=(Letter(sender, race.snapshot(sender, now_ms)),))
        return race, told if race is self else told + race._roster_told()

    def _drop(self, sender: str, command: Drop, now_ms: int) -> tuple["Race", Outcome]:
        if self.roster.find(sender) is None:
            return self, Outcome()
        race = replace(self, roster=self.roster.dropped(sender, keeps_mark=self.phase is not Phase.OPEN))
        return race, race._roster_told()

    def _roster_told(self) -> Outcome:
        return _told(messages.Roster(seats=self.roster.told()))

    # Before the start

    def _configure(self, sender: str, command: Configure, now_ms: int) -> tuple["Race", Outcome]:
        self.roster.check_host(sender)
        GameCode.of(command.options.game, command.options.suits, 1)
        race = replace(self, options=command.options, roster=self.roster.unmarked())
        return race, _done(sender, command) + _told(Configured(options=race.options)) + race._roster_told()

    def _ready(self, sender: str, command: Ready, now_ms: int) -> tuple["Race", Outcome]:
        race = replace(self, roster=self.roster.marked(sender, ready=command.ready))
        outcome = _done(sender, command) + race._roster_told()
        present = race.roster.present()
        if len(present) > 1 and all(place.ready for place in present):
            race, counting = race._count_down(now_ms)
            outcome += counting
        return race, outcome

    def _start(self, sender: str, command: Start, now_ms: int) -> tuple["Race", Outcome]:
        self.roster.check_host(sender)
        self._check_countdown(command.countdown, self.countdown + 1)
        race = replace(self, roster=self.roster.marked(sender, ready=True))
        outcome = _done(sender, command) + race._roster_told()
        race, counting = race._count_down(now_ms)
        return race, outcome + counting

    def _count_down(self, now_ms: int) -> tuple["Race", Outcome]:
        """Begin the countdown with all who are ready."""
        race = replace(
            self,
            phase=Phase.COUNTDOWN,
            countdown=self.countdown + 1,
            zero_ms=now_ms + COUNTDOWN_MS,
            starters=self.roster.ready(),
        )
        return race, _told(Countdown(countdown=race.countdown, remaining_ms=COUNTDOWN_MS))

    def _cancel(self, sender: str, command: Cancel, now_ms: int) -> tuple["Race", Outcome]:
        self.roster.check_host(sender)
        self._check_countdown(command.countdown, self.countdown)
        race, opened = self.reopened()
        return race, _done(sender, command) + opened

    def _check_countdown(self, sent: int, due: int) -> None:
        if sent != due:
            raise Refusal(Reason.STALE_COUNTDOWN, sent=sent, due=due)

    def _begin(self, sender: str, command: Begin, now_ms: int) -> tuple["Race", Outcome]:
        code = GameCode.of(self.options.game, self.options.suits, command.number)
        places = self.roster.places
        entrants = {
            player: Entrant(
                player=player,
                name=places[seat].name,
                seat=seat,
                id=attempt,
                attempt=Attempt.start(code),
                practice=player in command.practice,
            )
            for player, attempt in zip(self.starters, command.attempts, strict=True)
            for seat in (self.roster.seat(player),)
        }
        run = Run(
            race=self.id,
            options=self.options,
            code=code,
            started_ms=command.started_ms,
            began_ms=now_ms,
            entrants=entrants,
        )
        run, outcome = run.begin(self.room)
        return replace(self, phase=Phase.RUNNING, run=run), outcome

    # Play

    def _play(self, sender: str, command: PlayCommand, now_ms: int) -> tuple["Race", Outcome]:
        run, outcome = self._running().play(sender, command, now_ms)
        return self._after(run, outcome, now_ms)

    def _after(self, run: Run, outcome: Outcome, now_ms: int) -> tuple["Race", Outcome]:
        """Return the race with *run* as it is now, finished when nobody plays any more."""
        if self.phase is Phase.FINISHED or not run.over:
            return replace(self, run=run), outcome
        run, finishing = run.finish(now_ms)
        return replace(self, phase=Phase.FINISHED, run=run), outcome + finishing

    def _running(self) -> Run:
        assert self.run is not None, "only RUNNING and FINISHED races are played"
        return self.run

    # What is told

    def standings(self, now_ms: int) -> messages.Standings | None:
        """Return the whole live ranking; None before the start."""
        run = self.run
        return messages.Standings(elapsed_ms=run.time_ms(now_ms), rows=run.standings()) if run else None

    def snapshot(self, player: str, now_ms: int) -> messages.Snapshot:
        """Return everything that *player* may know at this moment: of rivals no move, position or deal."""
        run = self.run
        counting = self.phase is Phase.COUNTDOWN
        told = messages.Snapshot(
            room=self.room,
            race=self.id,
            phase=self.phase,
            options=self.options,
            seats=self.roster.told(),
            seat=self.roster.find(player),
            countdown=self.countdown,
            remaining_ms=max(0, self.zero_ms - now_ms) if counting else None,
        )
        if run is None:
            return told
        rows = run.standings()
        told = replace(told, elapsed_ms=run.time_ms(now_ms), rows=rows)
        if self.phase is Phase.FINISHED:
            told = replace(told, code=str(run.code), attempts=run.attempts_of(rows))
        entrant = run.entrants.get(player)
        if entrant:
            attempt = entrant.attempt
            hand = hand_of(attempt, run.options)
            told = replace(told, code=str(run.code), table=table_of(attempt.position), hand=hand)
        return told


def _told(event: Event) -> Outcome:
    return Outcome(letters=(Letter(Audience.ALL, event),))


def _done(sender: str, command: Command) -> Outcome:
    return Outcome(letters=(Letter(sender, Done(id=command.id)),))


Handler: TypeAlias = Callable[[Race, str, Any, int], tuple[Race, Outcome]]

HANDLERS: dict[tuple[Phase, type], Handler] = {
    (Phase.OPEN, Configure): Race._configure,
    (Phase.OPEN, Ready): Race._ready,
    (Phase.OPEN, Start): Race._start,
    (Phase.COUNTDOWN, Cancel): Race._cancel,
    (Phase.COUNTDOWN, Begin): Race._begin,
    **{(phase, Join): Race._join for phase in Phase},
    **{(phase, Drop): Race._drop for phase in Phase},
    **{(phase, play): Race._play for phase in (Phase.RUNNING, Phase.FINISHED) for play in get_args(PlayCommand)},
}
"""What answers each command in each phase; a pair that is missing is refused WRONG_PHASE."""
