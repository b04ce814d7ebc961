"""A race and everyone who is told of it, as a room would do it: what is written first, then the letters.

Whoever is connected has a client's view. Each event is looked at in the moment that it is told: nobody may learn
from it what is not theirs to know.
"""

from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
from hypothesis import strategies as st
from msgspec.structs import asdict, replace

from client.view import View
from server.log import Begun, Ended, LiveRace, LogRow, StoredAttempt, StoredRace
from server.race.outcome import Audience, Outcome, Recipient
from server.race.play import choices_of, hand_of, table_of
from server.race.race import Race
from server.race.restore import kept, opened_again, resumed
from server.race.run import BEGIN, CLOCK_MS
from server.race.said import Again, Begin, Command, Drop, Forgotten, Join, Measured, Renamed
from server.race.start import COUNTDOWN_MS
from server.rooms.room import NEW_TABLE
from server.storage.belongings import FORMER
from shared.attempt import State, replay
from shared.errors import Reason
from shared.gamecode import GameCode
from shared.phase import Phase
from shared.protocol import messages
from shared.protocol.messages import (
    Answer,
    Cancel,
    ChooseSuits,
    Configure,
    Event,
    Gather,
    HandOver,
    Hint,
    Hinted,
    Kick,
    Leave,
    Lock,
    Play,
    PlayBest,
    Played,
    Ready,
    Resign,
    Restart,
    Start,
    Undo,
    WarmUp,
    Watched,
    Welcome,
)
from shared.protocol.values import Options, Standing
from tests.server.racing import ANNA, BERT, CARL, DORA, begin

EVERYONE = (ANNA, BERT, CARL, DORA, "emil", "fred", "gina")


NOT_ENDED: dict[str, Any] = {
    **dict.fromkeys(("won", "score", "moves", "home", "progress", "elapsed_ms", "clean", "hints", "lag_ms", "place")),
    "state": State.PLAYING,
}
"""What the end of an attempt fills in."""


class Told:
    """One room's races, a clock of its own, and the views of those who are connected."""

    def __init__(self, options: Options | None = None, number: int = 35) -> None:
        self.race = Race(id="r1", room="ROOM", options=options or Options())
        self.number = number
        self.now_ms = 0
        self.views: dict[str, View] = {}
        """Of those who are connected."""
        self.heard: list[tuple[str, Event]] = []
        self.closed: dict[str, Reason] = {}
        self.forgotten: set[str] = set()
        """Who was deleted: nobody comes back as they."""
        self.shut = False
        self.opened: set[tuple[str, str, int]] = set()
        """Who has opened which number of which game."""
        self.rows: list[LogRow] = []
        """The log of the race."""
        self.begun: Begun | None = None
        """The race as it was written when it began."""
        self.ended: dict[str, Ended] = {}
        """What was written at the end of attempts, by their ids."""
        self._told_rows: dict[int, Standing] = {}
        self._ids = 0

    @property
    def playing(self) -> set[str]:
        """Whose attempts are under way."""
        return {player for player in EVERYONE if self.race.run and self.race.run.plays(player)}

    # What happens

    def say(self, sender: str, command: Command, after_ms: int = 10) -> Answer | None:
        """Have *sender* say something *after_ms* later; return the answer. Nothing comes of who is not connected."""
        self.wait(after_ms)
        if isinstance(command, Join):
            self.views[sender] = View().after(Welcome(player=sender, name=command.name))
        elif sender not in self.views:
            return None
        elif isinstance(command, Renamed):  # which the register has written, and told
            self.views[sender] = self.views[sender].after(messages.Renamed(name=command.name))
        elif isinstance(command, Drop | Forgotten):
            del self.views[sender]
        self._ids += 1
        before = len(self.heard)
        self._publish(*self.race.answer(sender, replace(command, id=self._ids), self.now_ms))
        if isinstance(command, Forgotten):
            self.forgotten.add(sender)
            self._publish(*self.race.answer(sender, Drop(), self.now_ms))
        return self._answered(sender, self.heard[before:], command)

    def wait(self, after_ms: int) -> None:
        """Let time pass, and settle what is due at its own moment."""
        end_ms = self.now_ms + after_ms
        while (due_ms := self.race.next_deadline) is not None and due_ms <= end_ms:
            self.now_ms = max(self.now_ms, due_ms)
            race, outcome = self.race.tick(self.now_ms)
            self._publish(race, outcome)
            if outcome.draws:
                self._publish(*self.race.answer("", self._dealt(), self.now_ms))
        self.now_ms = end_ms

    def _dealt(self) -> Begin:
        """Return the deal that was asked for: the exact one, or the next number."""
        options = self.race.options
        number = GameCode.parse(options.code).number if options.code else self.number
        self.number += not options.code
        opened = {player for player in self.race.starters if (player, options.game, number) in self.opened}
        return replace(begin(self.race, number), opened=frozenset(opened))

    def restart(self) -> None:
        """Stop the server and start another: nobody is connected, and the race is what was written of it."""
        self._turn_to(self.restored())
        self.views, self._told_rows = {}, {}

    def restored(self) -> Race:
        """Return the race as another server would make it of what was written."""
        race = opened_again(self.race.room, kept(self.race), f"{self.race.id}+", self.now_ms)
        return resumed(race, self.live(), self.now_ms) if self.race.phase is Phase.RUNNING else race

    def live(self) -> LiveRace:
        """Return the race as a store reads it."""
        begun = self.begun
        assert begun
        names = {place.player: place.name for place in self.race.roster.places}
        written = {name: getattr(begun, name) for name in ("race", "room", "code", "game", "suits", "number")}
        attempts = tuple(
            StoredAttempt(
                **(NOT_ENDED | self._ending(each.attempt)),
                **{name: written[name] for name in ("race", "game", "number")},
                **asdict(each),
                name=names[each.player],
                started=begun.started,
                imported=False,
            )
            for each in begun.attempts
        )
        race = StoredRace(**written, options=begun.options, started=begun.started, finished=None, attempts=attempts)
        return LiveRace(race, tuple(self.rows))

    def _ending(self, attempt: str) -> dict[str, Any]:
        """Return what the end of an attempt has filled in."""
        ended = self.ended.get(attempt)
        return {name: each for name, each in asdict(ended).items() if name in NOT_ENDED} if ended else {}

    def _answered(self, sender: str, heard: list[tuple[str, Event]], command: Command) -> Answer | None:
        """See that a command is answered once, to its sender and to nobody else."""
        answers = [(player, event) for player, event in heard if isinstance(event, Answer)]
        if isinstance(command, Join | Drop | Measured | Renamed | Forgotten):
            assert not answers
            return None
        ((player, answer),) = answers
        assert (player, answer.id) == (sender, self._ids)
        return answer

    # Commit, then tell

    def _publish(self, race: Race, outcome: Outcome) -> None:
        self._turn_to(race)
        self._write(outcome)
        for letter in outcome.letters:
            for player in self._recipients(letter.to):
                self._tell(player, letter.event)
        self._tell_standings(outcome)
        for player, reason in outcome.closes:
            if self.views.pop(player, None):
                self.closed[player] = reason
        self.shut = self.shut or outcome.shuts

    def _turn_to(self, race: Race) -> None:
        """Go on with *race*, of which nothing is written yet if it is another."""
        if race.id != self.race.id:
            self.rows, self.begun, self.ended, self._told_rows = [], None, {}, {}
        assert race.run is None or race.run.ends_ms == race.run.timed().ends_ms, "it knows when attempts end"
        self.race = race

    def _write(self, outcome: Outcome) -> None:
        """Take what is to be written, as far as a store would take it."""
        for row in sorted(outcome.log, key=lambda row: row.seq):
            assert row.seq == len(self.rows)
            last_ms = max((each.at_ms for each in self.rows), default=0)
            assert last_ms <= row.at_ms <= last_ms + CLOCK_MS, "a running race has the time in its log"
            assert (row.seq == 0) == (row.entry == BEGIN)
            self.rows.append(row)
        if outcome.begun:
            self.begun = outcome.begun
            self.opened |= {(each.player, self.begun.game, self.begun.number) for each in self.begun.attempts}
        self.opened |= {(each.player, each.game, each.number) for each in outcome.opened}
        for ended in outcome.ended:
            assert ended.attempt not in self.ended
            self.ended[ended.attempt] = ended

    def _recipients(self, to: Recipient) -> list[str]:
        race = self.race
        here = tuple(self.views)
        match to:
            case Audience.ALL:
                return [player for player in here if player not in race.roster.barred]
            case Audience.SPECTATORS:
                return [player for player in here if race.may_watch(player)]
            case Audience.STARTERS:
                return [player for player in here if player in race.starters]
            case Audience.OTHERS:
                return [player for player in here if player not in race.starters]
        return [player for player in here if player == to]

    def _tell_standings(self, outcome: Outcome) -> None:
        told = self.race.standings(self.now_ms)
        if not outcome.moved or told is None or self.race.phase is not Phase.RUNNING:
            return
        changed = tuple(row for row in told.rows if self._told_rows.get(row.seat) != row)
        self._told_rows = {row.seat: row for row in told.rows}
        for player in self._recipients(Audience.ALL) if changed else ():
            self._tell(player, replace(told, rows=changed))

    def _tell(self, player: str, event: Event) -> None:
        self.check_secrets(player, event)
        self.heard.append((player, event))
        self.views[player] = self.views[player].after(event)  # type: ignore[arg-type]  # letters hold events of all kinds
        choices = self.race.choices(player) if isinstance(event, NEW_TABLE) else None
        if choices:
            self._tell(player, choices)

    # What has to hold

    def check_views(self) -> None:
        """Old snapshot + events = new snapshot, for everyone, but for clocks, which only stand in what tells them."""
        for player, view in self.views.items():
            fresh = self.fresh(player)
            assert timeless(view) == timeless(fresh)
            assert (view.remaining_ms is None) == (fresh.remaining_ms is None)
            assert (view.elapsed_ms is None) == (fresh.elapsed_ms is None)

    def fresh(self, player: str) -> View:
        """Return the view of *player* had they just come."""
        view = self.views[player]
        choices = self.race.choices(player)
        fresh = View(player=view.player, name=view.name).after(self.race.snapshot(player, self.now_ms))
        return fresh.after(choices) if choices else fresh

    def check_secrets(self, player: str, event: Event) -> None:
        """See that *event* tells *player* of no table, hand, move or code but the own, and of no opening unwritten."""
        race = self.race
        live = race.may_watch(player)
        told = msgspec.to_builtins(event)
        if isinstance(event, Watched) or told.pop("seen", None):
            assert live
            self._check_opened(player)
        if isinstance(event, Watched):
            return
        if "table" in told and race.run:
            self._check_opened(player)
        if "attempts" in told or isinstance(event, messages.Finished):
            assert race.phase is Phase.FINISHED
        self._check_code(player, told)
        self._check_own(player, event, told)

    def _check_opened(self, player: str) -> None:
        code = self.race.begun().code
        assert (player, code.game, code.number) in self.opened

    def _check_code(self, player: str, told: dict[str, Any]) -> None:
        own = self.race.attempt_of(player)
        if "code" in told and not (own and told["code"] == str(own.code)):
            assert self.race.phase is Phase.FINISHED or self.race.may_watch(player)

    def _check_own(self, player: str, event: Event, told: dict[str, Any]) -> None:
        own = self.race.attempt_of(player)
        secrets = {"table", "hand", "steps", "move", "choices", "joined"} & told.keys()
        if own is None:
            assert not secrets, (player, event)
            return
        if isinstance(event, Played | Hinted):  # an answer is of its own moment, be it sent again
            own = replay(own.code, own.entries[: event.hand.ply])
        allowed = {
            "table": msgspec.to_builtins(table_of(own.position)),
            "hand": msgspec.to_builtins(hand_of(own, self.race.options)),
            "choices": msgspec.to_builtins(choices_of(own).choices),
            "joined": msgspec.to_builtins(choices_of(own).joined),
        }
        for secret in secrets & allowed.keys():
            assert told[secret] == allowed[secret], (player, event)


def gathering(*players: str, options: Options | None = None, number: int = 4) -> Told:
    """Return a room that these have entered, the first as host."""
    told = Told(options, number)
    for player in players:
        told.say(player, Join(name=player.title()))
    return told


def playing(*starters: str, options: Options | None = None, watching: tuple[str, ...] = (), number: int = 4) -> Told:
    """Return a race that runs since now."""
    told = gathering(*starters, *watching, options=options, number=number)
    for player in starters[1:]:
        told.say(player, Ready(ready=True), 0)
    told.say(starters[0], Start(countdown=1), 0)
    told.wait(COUNTDOWN_MS)
    assert told.race.phase is Phase.RUNNING
    return told


def timeless(view: View) -> View:
    """Return the view without what its clocks stood at."""
    return replace(view, elapsed_ms=None, remaining_ms=None)


# Play by chance


MINUTE = Options(limit_ms=60_000, seats=4)
OPTIONS = (
    MINUTE,
    replace(MINUTE, suits=4, mixed=True, goal="score"),
    replace(MINUTE, game="freecell", seats=2, hint=True),
    replace(MINUTE, suits=2, view="live", seats=3),
    replace(MINUTE, mixed=True, view="live", goal="score"),
    replace(MINUTE, game="freecell", suits=4, code="FC1-AAAABLD", view="live", hint=True),
    replace(MINUTE, suits=1, code="SS1-S1-AAAABLD"),
)

options = st.sampled_from(OPTIONS)

chances = st.integers(20, 220).flatmap(lambda many: st.lists(st.integers(0, 2**32), min_size=many, max_size=many))
"""What to tell `happen`, one after the other; as often few as many."""

LEAPS_MS = (0, 0, 1, 10, 40, 700, 3_000, 5_000, 15_000, 120_000)


def happen(told: Told, number: int) -> None:
    """Let something happen that *number* chooses: somebody says something, allowed or not, or time goes by."""
    random = Random(number)
    playing = sorted(told.playing & told.views.keys())
    player = random.choice(playing if playing and random.random() < 0.6 else EVERYONE)
    if player in told.forgotten:
        told.wait(random.choice(LEAPS_MS))
    elif player not in told.views or random.random() < 0.03:
        name = random.choice(EVERYONE) if random.random() < 0.1 else player
        told.say(player, Join(name=name.title(), bot=player == DORA), random.choice(LEAPS_MS[:-2]))
    elif random.random() < 0.06:
        told.wait(random.choice(LEAPS_MS))
    elif random.random() < 0.01:
        told.restart()
    else:
        told.say(player, random.choice(list(_sayable(told, player, random))), random.choice(LEAPS_MS[:6]))


def _sayable(told: Told, player: str, random: Random) -> Iterator[Command]:
    """Yield what *player* might say, much of it what does something in the race's phase."""
    race = told.race
    rival = random.choice([*told.views, *EVERYONE])
    if race.run is None or race.phase is Phase.FINISHED:
        yield from (Configure(options=random.choice(OPTIONS)), ChooseSuits(suits=random.choice((1, 2, 4))))
        yield from (WarmUp(), Start(countdown=race.countdown + 1), Cancel(countdown=race.countdown))
        yield from (Ready(ready=random.random() < 0.8),) * 6
        yield from (Again(race=race.id, next=f"{race.id}+"),) * 3
    yield from (HandOver(player=rival), Lock(locked=random.random() < 0.2), Measured(lag_ms=random.choice((3, 40))))
    yield random.choice((Drop(), Drop(), Leave(), Kick(player=rival), Ready(ready=False), Start(countdown=1)))
    yield Renamed(name=random.choice((player.title(), rival.title(), f"{player.title()} II")))
    if player not in told.playing and random.random() < 0.1:  # else the register refuses it
        yield Forgotten(name=FORMER)
    if player == race.roster.host and random.random() < 0.3:
        yield from (Kick(player=rival), Kick(player=rival), Lock(locked=random.random() < 0.2))
    attempt = race.attempt_of(player)
    if attempt is None:
        yield Undo(ply=0)
        return
    moves = [str(move) for move in attempt.rules.legal_moves(attempt.position)] or ["12"]
    for _ in range(12):
        ply = max(0, attempt.ply - random.choice((0, 0, 0, 0, 0, 1, 2, -1)))
        yield Play(ply=ply, move=random.choice(moves))
        yield PlayBest(ply=ply, source=random.choice("1234567890ab"), count=random.choice((1, 1, 2)))
    yield from (Undo(ply=attempt.ply), Undo(ply=attempt.ply), Hint(ply=attempt.ply), Gather(ply=attempt.ply))
    yield random.choice((Restart(ply=attempt.ply), Restart(ply=attempt.ply), Resign(ply=attempt.ply)))
