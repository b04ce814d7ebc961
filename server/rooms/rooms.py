"""The rooms that there are: made, found, listed, run each by one task, and made again after a restart."""

import asyncio
import logging
import secrets
from collections.abc import Iterator, Mapping
from itertools import islice

from msgspec import MsgspecError

from server.clock import Clock
from server.config import Config
from server.identity import RandomBytes, new_id
from server.log import LiveRace, StorageError
from server.race.race import Race
from server.race.restore import opened_again, resumed
from server.race.said import Begin, Forgotten, Renamed
from server.race.start import checked_options
from server.rooms.addresses import Household
from server.rooms.limits import Tally
from server.rooms.room import Room
from server.rooms.roomcode import room_code
from server.storage.belongings import FORMER
from server.storage.store import Store
from shared.deal import HIGHEST
from shared.errors import ProtocolError, Reason, Refusal, SameDealError
from shared.gamecode import GameCode
from shared.pool import Pool
from shared.protocol.values import Listed, Options

LOGGER = logging.getLogger(__name__)

LISTED = 100
"""So many rooms the lobby lists at most: whoever is in it gets the whole list anew whenever it changes."""

DAMAGE = (SameDealError, MsgspecError, ValueError)
"""What reading raises where the database has what no server of ours has written."""


class Rooms:
    """Every room of a server, by its code or name in capitals."""

    def __init__(
        self, store: Store, pools: Mapping[str, Pool], clock: Clock, random_bytes: RandomBytes, config: Config
    ) -> None:
        self._store = store
        self._pools = pools
        self._clock = clock
        self._random_bytes = random_bytes
        self._limits = config.limits
        self._word = config.word
        self._rooms: dict[str, Room] = {}
        self._makers: dict[str, Household] = {}
        """Where the rooms that were made since the start were made from."""
        self._made = Tally(self._limits.address_rooms)
        self._tasks: set[asyncio.Task[None]] = set()

    def find(self, name: str) -> Room | None:
        """Return the room with this code or name, in whatever case; None where there is none."""
        return self._rooms.get(name.upper())

    def races(self) -> Iterator[Race]:
        """Return the race of every room as it is now."""
        return (room.race for room in self._rooms.values())

    def create(self, options: Options, maker: Household, name: str | None = None) -> Room:
        """Make a room with a new code, or with a *name*, for someone of *maker*'s; raise CodeError or Refusal."""
        options = self.check_makes(options, maker)
        name = name.upper() if name else room_code(self._below, self._rooms)
        self._made.enter(maker)
        self._makers[name] = maker
        return self._open(Race(id=self._new_id(), room=name, options=options))

    def check_makes(self, options: Options, maker: Household) -> Options:
        """Return the options that a room of *maker*'s would have now; raise CodeError or Refusal."""
        options = checked_options(options)
        if len(self._rooms) >= self._limits.rooms:
            raise Refusal(Reason.TOO_MANY_ROOMS, limit=self._limits.rooms)
        if self._made.is_full(maker):
            raise Refusal(Reason.TOO_MANY_ROOMS, limit=self._made.most(maker))
        return options

    def check_word(self, word: str | None) -> None:
        """Raise ProtocolError unless *word* is what this server asks of whoever makes a room."""
        if self._word is not None and not secrets.compare_digest((word or "").encode(), self._word.encode()):
            raise ProtocolError(Reason.WRONG_WORD)

    async def restore(self) -> None:
        """Make all rooms again that the database has, and go on with every race that was running.

        What is damaged is left out, and the server's log says why: all else goes on.
        """
        live = {each.race.room: each for each in await self._store.live_races()}
        for name, state in await self._store.read.rooms():
            try:
                race = opened_again(name, state, self._new_id(), self._clock.now_ms())
            except DAMAGE as error:
                LOGGER.error("room %s is left out: %s", name, error)
            else:
                self._open(self._resumed(race, live[name]) if name in live else race)
        await self._catch_up()

    async def _catch_up(self) -> None:
        """Tell the rooms what became of their people, where a server died before it had written that to a room."""
        seated = [(room, place) for room in self._rooms.values() for place in room.race.roster.places]
        names = await self._store.read.names([place.player for _, place in seated])
        for room, place in seated:
            name = names.get(place.player, place.name)
            if name is None:
                room.hear_of(place.player, Forgotten(name=FORMER))
            elif name != place.name:
                room.hear_of(place.player, Renamed(name=name))

    def _resumed(self, race: Race, live: LiveRace) -> Race:
        """Return the race that was running; *race*, the open one, where its log can't be played again."""
        try:
            return resumed(race, live, self._clock.now_ms())
        except DAMAGE as error:
            LOGGER.error("race %s of room %s is left out: %s", live.race.race, race.room, error)
            return race

    def _open(self, race: Race) -> Room:
        room = Room(race, self._store, self._clock, self._draw, self._new_id, self._limits)
        self._rooms[race.room] = room
        task = asyncio.create_task(self._run(room))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return room

    async def _run(self, room: Room) -> None:
        name, forgets = room.race.room, False
        try:
            await room.run()
            forgets = not room.stopping
        except Exception:
            LOGGER.exception("room %s broke", name)
            room.close()
        finally:
            # At once: whoever comes from now on finds no room, or a new one of this name.
            del self._rooms[name]
            maker = self._makers.pop(name, None)
            if maker:
                self._made.leave(maker)
        if forgets:
            await self._forget(name)

    async def _forget(self, name: str) -> None:
        try:
            await self._store.forget_room(name)
        except StorageError as error:
            LOGGER.error("room %s will be there again after a restart: %s", name, error)

    async def stop(self) -> None:
        """Let every room finish what it has in hand, leave its time in the log, and end."""
        for room in self._rooms.values():
            room.stop()
        await asyncio.gather(*self._tasks)

    def listed(self) -> tuple[Listed, ...]:
        """Return the newest public rooms, the fullest first."""
        newest = (room.race.listed() for room in reversed(self._rooms.values()))
        oldest_first = tuple(islice(filter(None, newest), LISTED))[::-1]
        return tuple(sorted(oldest_first, key=lambda listing: -listing.seats))

    def check_name(self, player: str, name: str) -> None:
        """Raise Refusal where someone else has *name*, or one like it, in a room that the player is in."""
        rosters = (race.roster for race in self.races())
        if any(roster.knows(player) and roster.has_twin(player, name) for roster in rosters):
            raise Refusal(Reason.TWIN_NAME)

    def plays(self, player: str) -> bool:
        """Return whether an attempt of the player goes on."""
        return any(race.run is not None and race.run.plays(player) for race in self.races())

    def hear_of(self, player: str, command: Renamed | Forgotten) -> None:
        """Tell every room that it concerns what has become of a player."""
        for room in self._rooms.values():
            room.hear_of(player, command)

    def is_sealed(self, game: str, number: int) -> bool:
        """Return whether a race on this drawn number runs: then nobody may look at it, at any suits."""
        return any(room.race.seals(game, number) for room in self._rooms.values())

    async def _draw(self, race: Race) -> Begin:
        """Return the deal that a race begins on, and which of its starters have opened its number before."""
        number = await self._number(race)
        opened = await self._store.read.who_opened(race.starters, race.options.game, number)
        return Begin(
            number=number,
            attempts=tuple(self._new_id() for _ in race.starters),
            started_ms=self._clock.wall_ms(),
            opened=frozenset(opened),
        )

    async def _number(self, race: Race) -> int:
        """Return the exact number that was asked for, or draw one that no starter has opened."""
        options = race.options
        if options.code is not None:
            return GameCode.parse(options.code).number
        opened = await self._store.read.opened(race.starters, options.game)
        if options.deals == "pool":
            return self._pools[options.game].draw(self._below, opened).number
        while (number := 1 + self._below(HIGHEST)) in opened:
            pass
        return number

    def _below(self, limit: int) -> int:
        """Return a whole number below *limit* by chance."""
        return int.from_bytes(self._random_bytes(16), "big") % limit

    def _new_id(self) -> str:
        return new_id(self._random_bytes)
