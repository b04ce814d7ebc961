"""A race under way or over: the attempts of those who started, on one deal. A pure value."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from server.clock import utc_text
from server.log import Begun, Ended, Finished, LogRow, Opening
from server.race.entrant import Entrant
from server.race.outcome import NOTHING, Audience, Letter, Outcome
from server.race.play import act, answer, hand_of, table_of
from server.race.standings import standings
from shared.attempt import State
from shared.errors import Reason, Refusal
from shared.gamecode import GameCode
from shared.protocol import messages
from shared.protocol.messages import Answer, Began, Hinted, PlayCommand, Played, Resign, Watched
from shared.protocol.values import Options, Seen, Standing

FINISH_WINDOW_MS = 120_000
"""After the first solver of a `time` race there is at least so much time left, within the limit."""

CLOCK_MS = 5_000
"""A running race leaves a stamp in its log at least so often: after a crash race time goes on from there."""

ABANDONED_MS = 600_000
"""When nobody who still plays was connected for so long, their attempts are abandoned."""

STANDSTILL_MS = 30_000
"""After a restart race time waits so long for the first player to come back."""

BEGIN, END, CLOCK, KICK = "begin", "end", "clock", "kick"
ABSENT, CAME, BOT = "absent", "came", "bot"
"""A starter who was not there at zero, their first coming, that of a bot; each with the player's id behind it."""

ENDS = {State.TIMED_OUT: "timeout", State.ABANDONED: "abandon"}
"""The log's words for what no player does."""


class Run(Struct, frozen=True, kw_only=True):
    """What there is once a race has begun."""

    race: str
    options: Options
    code: GameCode
    started_ms: int
    """The date of race time 0, in milliseconds since 1970."""
    began_ms: int
    """The stamp of race time 0, by the clock that stamps commands."""
    entrants: Mapping[str, Entrant]
    """By player, in the order of their seats."""
    rows: int = 0
    """How many rows the race's log has."""
    logged_ms: int = 0
    """The race time of the last of them."""
    stands_ms: int | None = None
    """The race time at which a restart stopped the clock; None while it goes."""
    goes_on_ms: int = 0
    """The stamp at which the clock goes on by itself."""
    ends_ms: int = 0
    """The race time at which `tick` ends attempts as things stand; worked out by `timed`, where they change."""

    # Time

    def time_ms(self, now_ms: int) -> int:
        """Return the race time of a stamp; 0 for one from before the start."""
        return max(0, now_ms - self.began_ms) if self.stands_ms is None else self.stands_ms

    def closes_ms(self) -> int:
        """Return the race time at which attempts are cut off: the limit, or the end of the finish window."""
        limit, first = self.options.limit_ms, self._first_solved_ms()
        if first is None or self.options.goal != "time":
            return limit
        return min(limit, first + max(FINISH_WINDOW_MS, first))

    def closes_early_ms(self) -> int | None:
        """Return when attempts are cut off before the limit; None where they are not."""
        closes_ms = self.closes_ms()
        return closes_ms if closes_ms < self.options.limit_ms else None

    def _first_solved_ms(self) -> int | None:
        solved = (each.over_ms for each in self.entrants.values() if each.attempt.state is State.SOLVED)
        return min((at_ms for at_ms in solved if at_ms is not None), default=None)

    def deserted_ms(self) -> int | None:
        """Return the race time at which attempts are abandoned; None while someone who plays is connected."""
        away = [each.away_ms for each in self.playing()]
        return None if not away or None in away else max(at_ms or 0 for at_ms in away) + ABANDONED_MS

    @property
    def next_ms(self) -> int:
        """The stamp at which `tick` has something to do."""
        if self.stands_ms is not None:
            return self.goes_on_ms
        return self.began_ms + min(self.ends_ms, self.logged_ms + CLOCK_MS)

    def timed(self) -> "Run":
        """Return the run that knows when attempts end, by those who play and who of them is here."""
        closes_ms, deserted_ms = self.closes_ms(), self.deserted_ms()
        return replace(self, ends_ms=closes_ms if deserted_ms is None else min(closes_ms, deserted_ms))

    def tick(self, now_ms: int) -> tuple["Run", Outcome]:
        """Settle what was due first, at its own moment."""
        if self.stands_ms is not None:
            return self.gone_on(now_ms), Outcome(moved=True)
        at_ms = self.next_ms - self.began_ms
        if at_ms == self.closes_ms():
            return self._cut(State.TIMED_OUT, at_ms)
        if at_ms == self.deserted_ms():
            return self._cut(State.ABANDONED, at_ms)
        return self.stamped(now_ms)

    def stamped(self, now_ms: int) -> tuple["Run", Outcome]:
        """Leave the time in the log."""
        run, rows = self._logged(None, self.time_ms(now_ms), CLOCK)
        return run, Outcome(log=rows)

    def gone_on(self, now_ms: int) -> "Run":
        """Let race time go on from where a restart stopped it."""
        return replace(self, began_ms=now_ms - (self.stands_ms or 0), stands_ms=None)

    # Who plays

    def playing(self) -> Iterator[Entrant]:
        """Return those whose attempts go on."""
        return (each for each in self.entrants.values() if each.plays)

    @property
    def over(self) -> bool:
        """Whether nobody plays any more."""
        return next(self.playing(), None) is None

    def plays(self, player: str) -> bool:
        """Return whether the player's attempt goes on."""
        entrant = self.entrants.get(player)
        return entrant is not None and entrant.plays

    def came(self, player: str, now_ms: int, *, bot: bool = False) -> tuple["Run", Outcome]:
        """Note that a starter is connected; the first of those who play sets a standing clock going.

        Whoever lets a bot play does not rank, by whatever they play before and after.
        """
        entrant = self.entrants.get(player)
        if entrant is None:
            return self, NOTHING
        goes_on = self.stands_ms is not None and entrant.plays
        run = (self.gone_on(now_ms) if goes_on else self)._with(player, away_ms=None)
        turns_bot = bot and not entrant.bot
        words = [word for word, is_new in ((CAME, not entrant.seen), (BOT, turns_bot)) if is_new and entrant.plays]
        if not words:
            return run, Outcome(moved=goes_on)
        run = run._with(player, seen=True, bot=entrant.bot or bot, ranked=entrant.ranked and not bot)
        run, rows = run._logged(None, run.time_ms(now_ms), *(f"{word} {player}" for word in words))
        return run, Outcome(log=rows, moved=goes_on or turns_bot)

    def went(self, player: str, now_ms: int) -> "Run":
        """Note that a starter's connection is gone."""
        return self._with(player, away_ms=self.time_ms(now_ms)) if player in self.entrants else self

    def measured(self, player: str, lag_ms: int) -> "Run":
        """Note the delay of a starter's connection."""
        return self._with(player, lag_ms=lag_ms) if self.plays(player) else self

    def called(self, player: str, name: str) -> "Run":
        """Give a starter another name."""
        return self._with(player, name=name) if player in self.entrants else self

    # Start, play, end

    def begin(self, room: str) -> tuple["Run", Outcome]:
        """Write the start, the attempts and what is opened; then the deal goes to all starters together."""
        begun = Begun(
            race=self.race,
            room=room,
            code=str(self.code),
            game=self.code.game,
            suits=self.code.suits,
            number=self.code.number,
            options=msgspec.json.encode(self.options).decode(),
            started=utc_text(self.started_ms),
            attempts=tuple(each.starter() for each in self.entrants.values()),
        )
        absent = (f"{ABSENT} {each.player}" for each in self.entrants.values() if not each.seen)
        run, rows = self._logged(None, 0, BEGIN, *absent)
        return run, Outcome(begun=begun, log=rows, letters=tuple(self._deals()), moved=True)

    def _deals(self) -> Iterator[Letter]:
        """Yield the deal: one event for all starters, or one each where the suits are mixed."""
        blind = Began(race=self.race, limit_ms=self.options.limit_ms, known=self.options.code is not None)
        live = self.options.view == "live"
        yield Letter(Audience.OTHERS, replace(blind, code=str(self.code)) if live else blind)
        codes = {each.player: each.attempt for each in self.entrants.values()}
        shared = len({attempt.code for attempt in codes.values()}) == 1
        for player, attempt in codes.items():
            table, hand = table_of(attempt.position), hand_of(attempt, self.options)
            full = replace(blind, code=str(attempt.code), table=table, hand=hand)
            yield Letter(Audience.STARTERS if shared else player, full)
            if shared:
                return

    def play(self, player: str, command: PlayCommand, now_ms: int) -> tuple["Run", Outcome]:
        """Carry out a starter's command; raise Refusal or NotationError."""
        entrant = self.entrants.get(player)
        if entrant is None:
            raise Refusal(Reason.NO_SEAT)
        if self.stands_ms is not None:
            return self.gone_on(now_ms).play(player, command, now_ms)
        at_ms = max(self.time_ms(now_ms), entrant.attempt.last_ms)
        acted = act(entrant.attempt, command, self.options, at_ms)
        answered = answer(acted, command.id, self.options)
        if acted.resent:
            return self, Outcome.to_one(player, answered)
        texts = [text for _, text in acted.after.entries[acted.before.ply :]]
        run, rows = self._logged(entrant.id, at_ms, *texts)
        run, ended = run._kept(replace(entrant, attempt=acted.after), at_ms)
        letters = (Letter(player, answered), *self._watched(entrant.seat, answered))
        return run, Outcome(log=rows, moved=True, letters=letters, ended=ended)

    def resign(self, player: str, now_ms: int) -> tuple["Run", Outcome]:
        """Resign for someone who leaves and did not ask for it: they hear no answer. Nothing where they do not play."""
        if not self.plays(player):
            return self, NOTHING
        run, outcome = self.play(player, Resign(ply=self.entrants[player].attempt.ply), now_ms)
        return run, replace(outcome, letters=tuple(letter for letter in outcome.letters if letter.to != player))

    def _watched(self, seat: int, answered: Answer) -> tuple[Letter, ...]:
        """Return what those see of an entry who may see it."""
        if self.options.view != "live" or not isinstance(answered, Played | Hinted):
            return ()
        seen = Watched(seat=seat, hand=answered.hand)
        if isinstance(answered, Played):
            seen = replace(seen, steps=answered.steps, table=answered.table)
        return (Letter(Audience.SPECTATORS, seen),)

    def _kept(self, entrant: Entrant, at_ms: int) -> tuple["Run", tuple[Ended, ...]]:
        """Return the run with one entrant anew, whose result is to be written if the attempt is over now."""
        if entrant.plays:
            return self._having(entrant), ()
        entrant = replace(entrant, over_ms=at_ms)
        return self._having(entrant).timed(), (entrant.result(self.started_ms, at_ms),)

    def _cut(self, state: State, at_ms: int) -> tuple["Run", Outcome]:
        """End the attempts that go on, at the moment it was due."""
        run, outcome = self, Outcome(moved=True)
        for entrant in self.playing():
            run, rows = run._logged(entrant.id, at_ms, ENDS[state])
            run, ended = run._kept(entrant.ended(state), at_ms)
            outcome += Outcome(log=rows, ended=ended)
        return run, outcome

    def kicked(self, player: str, now_ms: int) -> tuple["Run", Outcome]:
        """Note a kick in the log, as the race's own entry."""
        run, rows = self._logged(None, self.time_ms(now_ms), f"{KICK} {player}")
        return run, Outcome(log=rows)

    def finish(self, now_ms: int) -> tuple["Run", Outcome]:
        """Write the places and tell everyone everything."""
        at_ms = self.time_ms(now_ms)
        rows = self.standings()
        ids = self.ids(rows)
        places = tuple((attempt, row.place) for attempt, row in zip(ids, rows, strict=True) if row.place is not None)
        told = messages.Finished(race=self.race, code=str(self.code), rows=rows, attempts=ids)
        run, log = self._logged(None, at_ms, END)
        ending = Finished(race=self.race, at=utc_text(self.started_ms + at_ms), places=places)
        return run, Outcome(log=log, finished=ending, letters=(Letter(Audience.ALL, told),))

    # What is told

    def standings(self) -> tuple[Standing, ...]:
        """Return the ranking of this moment, the best first."""
        lines = [each.line for each in self.entrants.values()]
        return standings(lines, self.options.goal, mixed=self.options.mixed)

    def ids(self, rows: Iterable[Standing]) -> tuple[str, ...]:
        """Return the attempt's id of each row of the standings."""
        by_seat = {each.seat: each.id for each in self.entrants.values()}
        return tuple(by_seat[row.seat] for row in rows)

    def seen(self) -> tuple[Seen, ...]:
        """Return every table, for those who may see them."""
        return tuple(
            Seen(seat=each.seat, table=table_of(each.attempt.position), hand=hand_of(each.attempt, self.options))
            for each in self.entrants.values()
        )

    def opening(self, player: str, now_ms: int) -> Opening:
        """Return that *player*, a spectator of a `live` race, is about to see its deal."""
        return Opening(player, self.code.game, self.code.number, utc_text(self.started_ms + self.time_ms(now_ms)))

    def _with(self, player: str, **changes: Any) -> "Run":  # noqa: ANN401 (fields of Entrant)
        return self._having(replace(self.entrants[player], **changes)).timed()

    def _having(self, entrant: Entrant) -> "Run":
        return replace(self, entrants={**self.entrants, entrant.player: entrant})

    def _logged(self, attempt: str | None, at_ms: int, *entries: str) -> tuple["Run", tuple[LogRow, ...]]:
        """Return the run that has *entries* of one moment in its log, and their rows."""
        rows = tuple([LogRow(self.race, seq, attempt, at_ms, entry) for seq, entry in enumerate(entries, self.rows)])
        return replace(self, rows=self.rows + len(rows), logged_ms=max(self.logged_ms, at_ms)), rows
