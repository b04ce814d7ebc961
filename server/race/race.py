"""A race as a pure value: people, options, phase and, once it has begun, its run (DESIGN.md section 5).

`handle` answers every command in every phase with a new race and what is to be written and told; the caller keeps
the old race until that is committed. Time comes in as *now_ms*, by a clock that never falls.
"""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, TypeAlias, get_args

from msgspec import Struct
from msgspec.structs import replace

from server.race import people, start
from server.race.outcome import NOTHING, Outcome
from server.race.play import choices_of, hand_of, table_of
from server.race.roster import Roster
from server.race.run import Run
from server.race.said import Again, Begin, Command, Drop, Forgotten, Join, Measured, Renamed
from shared.attempt import Attempt
from shared.errors import Reason, Refusal, SameDealError
from shared.phase import Phase
from shared.protocol import messages
from shared.protocol.messages import (
    Cancel,
    Choices,
    ChooseSuits,
    Close,
    Configure,
    HandOver,
    Kick,
    Leave,
    Lock,
    PlayCommand,
    Ready,
    Start,
    WarmUp,
)
from shared.protocol.values import Listed, Options


class Race(Struct, frozen=True, kw_only=True, dict=True):
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
    warm_ups: Mapping[str, Attempt] = {}
    """Throwaway attempts by player."""
    warmed: int = 0
    """How many there were."""
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
            return self, Outcome.done(sender, command.id)
        handler = HANDLERS.get((self.phase, type(command)))
        try:
            if handler is None:
                raise Refusal(Reason.WRONG_PHASE, phase=self.phase)
            return handler(self, sender, command, now_ms)
        except SameDealError as refusal:
            refused = Outcome.refuse(sender, refusal, command.id)
            if refusal.reason is Reason.STALE_PLY:
                refused += Outcome.to_one(sender, self.snapshot(sender, now_ms))
            return self, refused

    def _holds(self, sender: str, command: Command) -> bool:
        """Return whether *command* asks for what is so already: then it is a resend, whatever has come of it since."""
        hosts = sender == self.roster.host
        match command:
            case Configure(options=options):
                return hosts and start.is_same(options, self.options)
            case ChooseSuits(suits=suits):
                chosen = (place.suits for place in self.roster.places if place.player == sender)
                return self.options.mixed and next(chosen, None) == suits
            case Ready(ready=ready):
                starts = ready and self.phase is Phase.OPEN and self.roster.all_ready()
                return not starts and any(each.player == sender and each.ready == ready for each in self.roster.places)
            case Start(countdown=countdown):
                return hosts and countdown == self.countdown and self.phase is not Phase.OPEN
            case Cancel(countdown=countdown):
                return hosts and countdown == self.countdown and self.phase is Phase.OPEN
            case Lock(locked=locked):
                return hosts and locked == self.roster.locked
            case Kick(player=player):
                return hosts and player in self.roster.barred
            case HandOver(player=player):
                return player == self.roster.host and sender in (self.roster.host, self.roster.giver)
            case Again(race=race):
                return race != self.id and self.phase is not Phase.FINISHED
        return False

    # Deadlines

    @cached_property
    def next_deadline(self) -> int | None:
        """The stamp at which `tick` has something to do, whatever happens until then; None for never."""
        return min([due_ms for due_ms, _ in self._deadlines()], default=None)

    def tick(self, now_ms: int) -> tuple["Race", Outcome]:
        """Settle what was due by *now_ms*, the earliest first; stop where a deal has to be drawn."""
        race, told = self, NOTHING
        while not told.draws and race.next_deadline is not None and race.next_deadline <= now_ms:
            due_ms, settle = min(race._deadlines(), key=lambda deadline: deadline[0])
            race, outcome = settle(race, due_ms)
            told += outcome
        return race, told

    def _deadlines(self) -> list[tuple[int, "Settle"]]:
        """Return what is due when."""
        due: list[tuple[int | None, Settle]] = [(self.roster.hostless_ms, Race._pass_on)]
        match self.phase:
            case Phase.OPEN:
                due.append((self.roster.lapses_ms, Race._lapse))
            case Phase.COUNTDOWN:
                due.append((self.zero_ms, Race._zero))
            case Phase.RUNNING:
                due.append((self.begun().next_ms, Race._run_on))
        return [(due_ms, settle) for due_ms, settle in due if due_ms is not None]

    def _pass_on(self, now_ms: int) -> tuple["Race", Outcome]:
        return self.peopled(self.roster.hosted())

    def _lapse(self, now_ms: int) -> tuple["Race", Outcome]:
        race, told = self.peopled(self.roster.lapsed(now_ms))
        race, counting = start.once_all_ready(race, now_ms)
        return race, told + counting

    def _zero(self, now_ms: int) -> tuple["Race", Outcome]:
        if any(place.player in self.starters for place in self.roster.present()):
            return self, Outcome(draws=True)
        return self.reopened()

    def _run_on(self, now_ms: int) -> tuple["Race", Outcome]:
        run, outcome = self.begun().tick(now_ms)
        return self.ran(run, outcome, now_ms)

    def reopened(self, roster: Roster | None = None) -> tuple["Race", Outcome]:
        """Return the race open again with *roster* and the ready marks of who stayed: the countdown came to nothing."""
        opened = Outcome.to_all(messages.Opened(countdown=self.countdown))
        roster = (roster or self.roster).recounted(self.zero_ms - start.COUNTDOWN_MS)
        race, told = replace(self, phase=Phase.OPEN, starters=()).peopled(roster)
        return race, opened if race.roster == self.roster else opened + told

    # People

    def peopled(self, roster: Roster) -> tuple["Race", Outcome]:
        """Return the race with another roster, which everyone is told. While it is OPEN no seat stays free."""
        if self.phase is Phase.OPEN:
            roster = roster.filled(self.options.seats)
        seated = {place.player for place in roster.places}
        warm_ups = {player: attempt for player, attempt in self.warm_ups.items() if player in seated}
        race = replace(self, roster=roster, warm_ups=warm_ups)
        return race, Outcome.to_all(race.told_roster())

    # Play

    def _play(self, sender: str, command: PlayCommand, now_ms: int) -> tuple["Race", Outcome]:
        run, outcome = self.begun().play(sender, command, now_ms)
        return self.ran(run, outcome, now_ms)

    def ran(self, run: Run, outcome: Outcome, now_ms: int) -> tuple["Race", Outcome]:
        """Return the race with *run* as it is now, finished when nobody plays any more."""
        race = replace(self, run=run)
        if self.phase is Phase.FINISHED or not outcome.ended:
            return race, outcome
        for player in run.entrants:
            if self.begun().plays(player) and not run.plays(player):
                outcome += race._let_go(player, now_ms)
        if not run.over:
            return race, outcome
        run, finishing = run.finish(now_ms)
        return replace(self, phase=Phase.FINISHED, run=run), outcome + finishing

    def _let_go(self, player: str, now_ms: int) -> Outcome:
        """Return what follows for one whose attempt is over: a barred player goes, in a `live` race others may look."""
        if player in self.roster.barred:
            return Outcome(closes=((player, Reason.KICKED),))
        live = self.options.view == "live"
        return Outcome.to_one(player, self.snapshot(player, now_ms)) if live else NOTHING

    def begun(self) -> Run:
        """Return the run of a race that has one."""
        assert self.run is not None, "only RUNNING and FINISHED races have begun"
        return self.run

    # What is told

    def may_watch(self, player: str) -> bool:
        """Return whether *player* sees every table: in a `live` race all who do not play, if they may be here."""
        live = self.options.view == "live" and self.run is not None
        return live and player not in self.roster.barred and not self.begun().plays(player)

    def seals(self, game: str, number: int) -> bool:
        """Return whether nobody may look at this number of *game*, at any suits, since a race on it runs."""
        if self.phase is not Phase.RUNNING or self.options.code is not None:
            return False
        code = self.begun().code
        return (code.game, code.number) == (game, number)

    def listed(self) -> Listed | None:
        """Return the room's line in the lobby; None where it is not public."""
        return self.at_the_door() if self.options.public else None

    def at_the_door(self) -> Listed | None:
        """Return what whoever has the link is told; None where the room is locked, or has nobody in it."""
        roster = self.roster
        host = next((place.name for place in roster.present() if place.player == roster.host), None)
        if roster.locked or host is None:
            return None
        return Listed(
            room=self.room,
            host=host,
            phase=self.phase,
            seats=len(roster.places),
            watchers=len(roster.watchers),
            options=self.options,
        )

    def stamped(self, now_ms: int) -> tuple["Race", Outcome]:
        """Leave a stamp in the log of a race that runs, so that its time goes on from here after a stop."""
        if self.phase is not Phase.RUNNING:
            return self, NOTHING
        run, outcome = self.begun().stamped(now_ms)
        return replace(self, run=run), outcome

    def standings(self, now_ms: int) -> messages.Standings | None:
        """Return the whole live ranking; None before the start."""
        run = self.run
        if run is None:
            return None
        time_ms, closes_ms = run.time_ms(now_ms), run.closes_early_ms()
        return messages.Standings(elapsed_ms=time_ms, rows=run.standings(), closes_ms=closes_ms)

    def told_roster(self) -> messages.Roster:
        """Return who is here, as the wire tells it."""
        roster = self.roster
        return messages.Roster(seats=roster.told(), watchers=roster.told_watchers(), locked=roster.locked)

    def choices(self, player: str) -> Choices | None:
        """Return every run of the player's table that can move; None where the player has no table."""
        attempt = self.attempt_of(player)
        return choices_of(attempt) if attempt else None

    def attempt_of(self, player: str) -> Attempt | None:
        """Return the player's attempt, throwaway or not."""
        if self.run is None:
            return self.warm_ups.get(player)
        entrant = self.run.entrants.get(player)
        return entrant.attempt if entrant else None

    def snapshot(self, player: str, now_ms: int) -> messages.Snapshot:
        """Return everything that *player* may know at this moment: of rivals no move, position or deal."""
        counting, barred = self.phase is Phase.COUNTDOWN, player in self.roster.barred
        people = self.told_roster()
        told = messages.Snapshot(
            room=self.room,
            race=self.id,
            phase=self.phase,
            options=self.options,
            seats=() if barred else people.seats,
            watchers=() if barred else people.watchers,
            locked=people.locked and not barred,
            seat=self.roster.find(player),
            countdown=self.countdown,
            remaining_ms=max(0, self.zero_ms - now_ms) if counting else None,
            warming=self.run is None and player in self.warm_ups,
        )
        attempt, run = self.attempt_of(player), self.run
        if attempt:
            told = replace(told, table=table_of(attempt.position), hand=hand_of(attempt, self.options))
        if run is None:
            return told
        open_to_all = self.phase is Phase.FINISHED or self.may_watch(player)
        code = attempt.code if attempt else run.code if open_to_all else None
        rows = () if barred else run.standings()
        return replace(
            told,
            elapsed_ms=run.time_ms(now_ms),
            closes_ms=run.closes_early_ms() if self.phase is Phase.RUNNING else None,
            paused=run.stands_ms is not None,
            code=code and str(code),
            rows=rows,
            attempts=run.ids(rows) if self.phase is Phase.FINISHED else (),
            seen=run.seen() if self.may_watch(player) else (),
        )


Handler: TypeAlias = Callable[[Race, str, Any, int], tuple[Race, Outcome]]

Settle: TypeAlias = Callable[[Race, int], tuple[Race, Outcome]]
"""Does what is due, at its own moment."""

PLAYS = get_args(PlayCommand)

HANDLERS: dict[tuple[Phase, type], Handler] = {
    **{(phase, Join): people.join for phase in Phase},
    **{(phase, Drop): people.drop for phase in Phase},
    **{(phase, Measured): people.measured for phase in Phase},
    **{(phase, Renamed): people.renamed for phase in Phase},
    **{(phase, Forgotten): people.forgotten for phase in Phase},
    **{(phase, Leave): people.leave for phase in Phase},
    **{(phase, Kick): people.kick for phase in Phase},
    **{(phase, HandOver): people.hand_over for phase in Phase},
    **{(phase, Lock): people.lock for phase in Phase},
    **{(phase, Close): people.close for phase in Phase},
    (Phase.OPEN, Configure): start.configure,
    (Phase.OPEN, ChooseSuits): start.choose_suits,
    (Phase.OPEN, WarmUp): start.warm_up,
    (Phase.OPEN, Ready): start.ready,
    (Phase.OPEN, Start): start.start,
    (Phase.COUNTDOWN, Cancel): start.cancel,
    (Phase.COUNTDOWN, Begin): start.begin,
    (Phase.FINISHED, Again): start.again,
    **{(Phase.OPEN, play): start.try_out for play in PLAYS},
    **{(phase, play): Race._play for phase in (Phase.RUNNING, Phase.FINISHED) for play in PLAYS},
}
"""What answers each command in each phase; a pair that is missing is refused WRONG_PHASE."""
