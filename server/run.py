"""A race under way or over: the attempts of those who started, on one deal. A pure value."""

from collections.abc import Iterable, Mapping

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from server.clock import utc_text
from server.log import Begun, Ended, Finished, LogRow, Starter
from server.outcome import Audience, Letter, Outcome
from server.play import PlayCommand, act, answer, hand_of, table_of
from server.standings import standings
from shared.attempt import HINT, RESTART, UNDO, Attempt, State
from shared.errors import Reason, Refusal
from shared.gamecode import GameCode
from shared.protocol import messages
from shared.protocol.messages import Began, Options, Standing
from shared.record import Record, Result

FINISH_WINDOW_MS = 120_000
"""After the first solver of a `time` race there is at least so much time left, within the limit."""

BEGIN, END, TIMEOUT = "begin", "end", "timeout"
"""The log's words for what no player does."""


class Entrant(Struct, frozen=True, kw_only=True):
    """One who started, and their attempt."""

    player: str
    name: str
    seat: int
    id: str
    """The attempt's."""
    attempt: Attempt
    over_ms: int | None = None
    """When the attempt was over, in race time."""
    practice: bool = False
    """The player had opened the number before."""


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

    def time_ms(self, now_ms: int) -> int:
        """Return the race time of a stamp; 0 for one from before the start."""
        return max(0, now_ms - self.began_ms)

    @property
    def over(self) -> bool:
        """Whether nobody plays any more."""
        return all(entrant.attempt.state is not State.PLAYING for entrant in self.entrants.values())

    def closes_ms(self) -> int:
        """Return the race time at which attempts are cut off: the limit, or the end of the finish window."""
        limit, first = self.options.limit_ms, self._first_solved_ms()
        if first is None or self.options.goal != "time":
            return limit
        return min(limit, first + max(FINISH_WINDOW_MS, first))

    def _first_solved_ms(self) -> int | None:
        solved = (each.over_ms for each in self.entrants.values() if each.attempt.state is State.SOLVED)
        return min((at_ms for at_ms in solved if at_ms is not None), default=None)

    def standings(self) -> tuple[Standing, ...]:
        """Return the ranking of this moment, the best first."""
        return standings(
            [(each.seat, each.attempt) for each in self.entrants.values()],
            self.options.goal,
            {each.seat: each.over_ms for each in self.entrants.values() if each.over_ms is not None},
        )

    def attempts_of(self, rows: Iterable[Standing]) -> tuple[str, ...]:
        """Return the id of each row's attempt."""
        by_seat = {each.seat: each.id for each in self.entrants.values()}
        return tuple(by_seat[row.seat] for row in rows)

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
            attempts=tuple(self._starter(each) for each in self.entrants.values()),
        )
        deal = self.code.deal()
        blind = Began(race=self.race, limit_ms=self.options.limit_ms)
        full = replace(
            blind, code=str(self.code), table=table_of(deal), hand=hand_of(Attempt.start(self.code), self.options)
        )
        letters = (Letter(Audience.STARTERS, full), Letter(Audience.OTHERS, blind))
        run, rows = self._logged([(None, 0, BEGIN)])
        return run, Outcome(begun=begun, log=rows, letters=letters, moved=True)

    def _starter(self, entrant: Entrant) -> Starter:
        return Starter(
            attempt=entrant.id,
            player=entrant.player,
            seat=entrant.seat,
            code=str(self.code),
            suits=self.code.suits,
            practice=entrant.practice,
        )

    def play(self, player: str, command: PlayCommand, now_ms: int) -> tuple["Run", Outcome]:
        """Carry out a starter's command; raise Refusal or NotationError."""
        entrant = self.entrants.get(player)
        if entrant is None:
            raise Refusal(Reason.NO_SEAT)
        at_ms = self.time_ms(now_ms)
        acted = act(entrant.attempt, command, self.options, at_ms)
        told = Outcome(letters=(Letter(player, answer(acted, command.id, self.options)),))
        if acted.resent:
            return self, told
        entries = acted.after.entries[acted.before.ply :]
        run, rows = self._logged([(entrant.id, at_ms, text) for _, text in entries])
        run, ended = run._with(replace(entrant, attempt=acted.after), at_ms)
        return run, told + Outcome(log=rows, moved=True) + ended

    def _with(self, entrant: Entrant, at_ms: int) -> tuple["Run", Outcome]:
        """Return the run with one entrant anew, whose result is written if the attempt is over now."""
        outcome = Outcome()
        if entrant.attempt.state is not State.PLAYING:
            entrant = replace(entrant, over_ms=at_ms)
            outcome = Outcome(ended=(self._ended(entrant, at_ms),))
        return replace(self, entrants={**self.entrants, entrant.player: entrant}), outcome

    def time_out(self) -> tuple["Run", Outcome]:
        """Cut off whoever still plays, at the moment it was due."""
        at_ms, run, outcome = self.closes_ms(), self, Outcome(moved=True)
        for entrant in self.entrants.values():
            if entrant.attempt.state is State.PLAYING:
                run, rows = run._logged([(entrant.id, at_ms, TIMEOUT)])
                run, ended = run._with(replace(entrant, attempt=entrant.attempt.end(State.TIMED_OUT)), at_ms)
                outcome += Outcome(log=rows) + ended
        return run, outcome

    def finish(self, now_ms: int) -> tuple["Run", Outcome]:
        """Write the places and tell everyone everything."""
        at_ms = self.time_ms(now_ms)
        rows = self.standings()
        by_seat = {entrant.seat: entrant.id for entrant in self.entrants.values()}
        places = tuple((by_seat[row.seat], row.place) for row in rows if row.place is not None)
        told = messages.Finished(race=self.race, code=str(self.code), rows=rows, attempts=self.attempts_of(rows))
        run, log = self._logged([(None, at_ms, END)])
        ending = Finished(race=self.race, at=utc_text(self.started_ms + at_ms), places=places)
        return run, Outcome(log=log, finished=ending, letters=(Letter(Audience.ALL, told),))

    def _ended(self, entrant: Entrant, at_ms: int) -> Ended:
        """Return an attempt's result and its log as a record."""
        attempt = entrant.attempt
        won = attempt.state is State.SOLVED
        result = Result(won=won, score=attempt.score, moves=attempt.moves, elapsed_ms=at_ms)
        record = Record(
            code=self.code,
            player=entrant.name,
            started=utc_text(self.started_ms),
            entries=attempt.entries,
            result=result,
        )
        return Ended(
            attempt=entrant.id,
            state=attempt.state,
            won=won,
            score=attempt.score,
            moves=attempt.moves,
            home=sum(attempt.position.home) // attempt.rules.goes_home,
            progress=attempt.progress,
            elapsed_ms=at_ms,
            clean=not any(text in (UNDO, RESTART, HINT) for _, text in attempt.entries),
            record=record.pack(),
        )

    def _logged(self, lines: list[tuple[str | None, int, str]]) -> tuple["Run", tuple[LogRow, ...]]:
        """Return the run that has *lines* (attempt, race time, entry) in its log, and their rows."""
        rows = tuple(LogRow(self.race, seq, *line) for seq, line in enumerate(lines, self.rows))
        return replace(self, rows=self.rows + len(rows)), rows
