"""One who started: their attempt in a race, and the result that is written of it. A pure value."""

from functools import cached_property

from msgspec import Struct
from msgspec.structs import asdict, replace

from server.clock import utc_text
from server.log import Ended, Starter
from server.race.ranking import counts
from server.race.results import full_result
from server.race.standings import Line
from shared.attempt import Attempt, State
from shared.record import Record, Result


class Entrant(Struct, frozen=True, kw_only=True, dict=True):
    """An attempt in a race, with whose it is."""

    player: str
    name: str
    seat: int
    id: str
    """The attempt's."""
    attempt: Attempt
    practice: bool = False
    """The player had opened the number before."""
    ranked: bool = False
    """It counts for the boards, unless it turns out void or hints were used."""
    bot: bool = False
    """One of the player's connections was a bot's."""
    over_ms: int | None = None
    """When the attempt was over, in race time."""
    away_ms: int | None = None
    """Since when no connection of the player is open, in race time."""
    seen: bool = True
    """A connection was open at some moment since the start: without one the attempt is void."""
    lag_ms: int | None = None
    """The last measured delay of the connection."""

    @property
    def plays(self) -> bool:
        """Whether the attempt goes on."""
        return self.attempt.state is State.PLAYING

    def ended(self, state: State) -> "Entrant":
        """Return the entrant whose attempt is ended from outside; void where the player was never there."""
        return replace(self, attempt=self.attempt.end(state if self.seen else State.VOID))

    @cached_property
    def line(self) -> Line:
        """What the standings need."""
        ranked = self.ranked and counts(self.attempt.state)  # where hints are allowed nothing ranks
        return Line.of(
            self.seat,
            self.attempt,
            self.over_ms,
            practice=self.practice,
            ranked=ranked,
            lag_ms=self.lag_ms,
        )

    def starter(self) -> Starter:
        """Return the attempt as it is written when it begins."""
        return Starter(
            attempt=self.id,
            player=self.player,
            seat=self.seat,
            code=str(self.attempt.code),
            suits=self.attempt.code.suits,
            practice=self.practice,
            ranked=self.ranked,
            bot=self.bot,
        )

    def result(self, started_ms: int, at_ms: int) -> Ended:
        """Return the result and the record, written when the attempt is over at race time *at_ms*."""
        attempt = self.attempt
        result = full_result(attempt, at_ms)
        told = Result(won=result.won, score=result.score, moves=result.moves, elapsed_ms=at_ms)
        record = Record(
            code=attempt.code, player=self.name, started=utc_text(started_ms), entries=attempt.entries, result=told
        )
        return Ended(attempt=self.id, bot=self.bot, lag_ms=self.lag_ms, record=record.pack(), **asdict(result))
