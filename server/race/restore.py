"""What outlives a restart: a room as it is kept between races, and a running race made again from its log. Pure."""

from collections.abc import Iterable

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from server.clock import wall_ms_of
from server.log import LiveRace, LogRow, StoredAttempt
from server.race.entrant import Entrant
from server.race.race import Race
from server.race.roster import Place, Roster
from server.race.run import ABSENT, BOT, CAME, STANDSTILL_MS, Run
from shared.attempt import Entry, replay
from shared.gamecode import GameCode
from shared.phase import Phase
from shared.protocol.values import Options


class Kept(Struct, frozen=True, kw_only=True):
    """A room as its row in the database has it."""

    options: Options = Options()
    places: tuple[tuple[str, str, bool], ...] = ()
    """Player, name and whether it is a bot, by seat."""
    host: str | None = None
    giver: str | None = None
    locked: bool = False
    barred: tuple[str, ...] = ()


def kept(race: Race) -> str:
    """Return what is kept of a race's room, as JSON text; equal rooms give equal texts."""
    roster = race.roster
    return msgspec.json.encode(
        Kept(
            options=race.options,
            places=tuple((place.player, place.name, place.bot) for place in roster.places),
            host=roster.host,
            giver=roster.giver,
            locked=roster.locked,
            barred=tuple(sorted(roster.barred)),
        )
    ).decode()


def opened_again(room: str, state: str, race_id: str, now_ms: int) -> Race:
    """Return a room's race after a restart: OPEN, everyone absent since just now, no ready mark."""
    found = msgspec.json.decode(state, type=Kept)
    places = tuple(
        Place(player=player, name=name, bot=bot, bot_now=bot, since_ms=now_ms, absent_ms=now_ms)
        for player, name, bot in found.places
    )
    roster = Roster(
        places=places, host=found.host, giver=found.giver, locked=found.locked, barred=frozenset(found.barred)
    )
    return Race(id=race_id, room=room, options=found.options, roster=roster)


def resumed(race: Race, live: LiveRace, now_ms: int) -> Race:
    """Return *race*, just opened again, as the running race that *live* has the log of.

    Race time stands at the log's greatest stamp until the first of those who play is back, 30 s at the most.
    """
    stored = live.race
    options = msgspec.json.decode(stored.options, type=Options)
    stands_ms = max((row.at_ms for row in live.rows), default=0)
    entrants = {each.player: _entrant(each, live.rows, stands_ms) for each in stored.attempts}
    run = Run(
        race=stored.race,
        options=options,
        code=GameCode.parse(stored.code),
        started_ms=wall_ms_of(stored.started),
        began_ms=now_ms - stands_ms,
        entrants=entrants,
        rows=len(live.rows),
        logged_ms=stands_ms,
        stands_ms=stands_ms,
        goes_on_ms=now_ms + STANDSTILL_MS,
    ).timed()
    return replace(
        race,
        id=stored.race,
        options=options,
        phase=Phase.RUNNING,
        starters=tuple(entrants),
        run=run,
    )


def _entrant(stored: StoredAttempt, rows: Iterable[LogRow], stands_ms: int) -> Entrant:
    """Play an attempt's rows again. None says that its time was up: that ends the whole race with it."""
    noted = [row.entry for row in rows if row.attempt is None]
    bot = stored.bot or f"{BOT} {stored.player}" in noted
    entries: list[Entry] = [(row.at_ms - stored.start_ms, row.entry) for row in rows if row.attempt == stored.attempt]
    entrant = Entrant(
        player=stored.player,
        name=stored.name,
        seat=stored.seat,
        id=stored.attempt,
        attempt=replay(GameCode.parse(stored.code), entries),
        practice=stored.practice,
        ranked=stored.ranked and not bot,
        bot=bot,
        away_ms=stands_ms,
        seen=f"{ABSENT} {stored.player}" not in noted or f"{CAME} {stored.player}" in noted,
        lag_ms=stored.lag_ms,
    )
    return entrant if entrant.plays else replace(entrant, over_ms=stored.elapsed_ms)
