"""What a room tells everyone at most so often, the newest of it: who is here, and the live standings."""

from collections.abc import Sequence

from msgspec.structs import replace

from server.race.outcome import Audience, Letter, Outcome
from server.race.race import Race
from shared.phase import Phase
from shared.protocol.messages import Began, Countdown, Roster
from shared.protocol.values import Standing

STANDINGS_MS = 50
"""Live standings leave at most so often."""

ROSTER_MS = 100
"""Who is here is told at most so often: what a room of n tells n people about n would grow with every one who comes."""


class Bulletins:
    """What was told of these, and what is held back."""

    def __init__(self) -> None:
        self._people_unsaid = False
        """Who is here may be others since that was last told."""
        self._people_ms = -ROSTER_MS
        self._standings_unsaid = False
        """The standings may have changed since they were last told."""
        self._standings_ms = 0
        self._race = ""
        self._rows: dict[int, Standing] = {}
        """What was last told of each seat of that race."""

    @property
    def due_ms(self) -> int | None:
        """The stamp from which on something that is held back may be told; None where nothing is."""
        people = (self._people_unsaid, self._people_ms + ROSTER_MS)
        standings = (self._standings_unsaid, self._standings_ms + STANDINGS_MS)
        return min([at_ms for unsaid, at_ms in (people, standings) if unsaid], default=None)

    def is_due(self, now_ms: int) -> bool:
        """Return whether something that is held back may be told now."""
        due_ms = self.due_ms
        return due_ms is not None and now_ms >= due_ms

    def letters(self, outcome: Outcome, race: Race, now_ms: int) -> Sequence[Letter]:
        """Return what is told now of *outcome*, which led to *race*, and of what was held back."""
        self._standings_unsaid = self._standings_unsaid or outcome.moved
        return (*self._with_roster(outcome, race, now_ms), *self._standings_due(race, now_ms))

    def _with_roster(self, outcome: Outcome, race: Race, now_ms: int) -> Sequence[Letter]:
        """Return the letters with the newest roster in place of the last among them, or none until one is due.

        Before a countdown, which names who starts, and a deal, from which on standings name the seats, it always is.
        """
        rosters = [place for place, letter in enumerate(outcome.letters) if isinstance(letter.event, Roster)]
        if not rosters and not self._people_unsaid:
            return outcome.letters
        self._people_unsaid = True
        letters = [letter for letter in outcome.letters if not isinstance(letter.event, Roster)]
        begins = [place for place, letter in enumerate(letters) if isinstance(letter.event, Countdown | Began)]
        if begins or now_ms >= self._people_ms + ROSTER_MS:
            self._people_unsaid, self._people_ms = False, now_ms
            last = rosters[-1] - len(rosters) + 1 if rosters else len(letters)
            letters.insert(begins[0] if begins else last, Letter(Audience.ALL, race.told_roster()))
        return letters

    def _standings_due(self, race: Race, now_ms: int) -> tuple[Letter, ...]:
        """Return the lines of the standings that changed; what ends a race has them all."""
        if race.id != self._race:
            self._race, self._rows = race.id, {}
        if not self._standings_unsaid or now_ms < self._standings_ms + STANDINGS_MS:
            return ()
        self._standings_unsaid, self._standings_ms = False, now_ms
        told = race.standings(now_ms)
        if told is None or race.phase is Phase.FINISHED:
            return ()
        changed = tuple(row for row in told.rows if self._rows.get(row.seat) != row)
        self._rows = {row.seat: row for row in told.rows}
        return (Letter(Audience.ALL, replace(told, rows=changed)),) if changed else ()
