"""What is read of the database. A `Reader` needs no ownership: it may look on while a server writes."""

from collections import defaultdict
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, Self, TypeVar

from msgspec import convert, json
from msgspec.structs import replace
from sqlalchemy import ColumnElement, RowMapping, Select, case, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from migrations.schema import VERSION, attempts, log, opened, players, races, rooms
from server.log import (
    DealLine,
    LiveRace,
    Opening,
    Player,
    PlayerLine,
    RaceLine,
    StorageError,
    StoredAttempt,
    StoredRace,
)
from server.race.standings import any_move, deal_placed
from server.storage import queries
from server.storage.boards import TOP, Board, BoardLine, BoardPage, placed
from server.storage.database import database_errors, database_path, existing, reading_engine, stored_version, unusable
from server.storage.livelog import Damaged, logs_of, rebuilt
from server.storage.queries import ATTEMPT, RACE
from shared.errors import Reason, SameDealError
from shared.protocol.values import Options
from shared.record import Record

Value = TypeVar("Value")

MOST_IDS = 10_000
"""Ids in one statement: SQLite takes some 30,000 values."""


class Reader:
    """Reads one database; every method raises StorageError if it cannot."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._engine = reading_engine(path)

    @classmethod
    async def open(cls, where: str | Path) -> Self:
        """Open the database that *where* names; raise StorageError if it is not there or not of this version."""
        path = existing(database_path(where))
        found = stored_version(path)
        if found is None:
            raise unusable(path, "nothing is in it")
        if found != VERSION:
            # Only here: Alembic takes long to load.
            ours = import_module("migrations.steps").is_ours(found)
            raise StorageError(Reason.DATABASE_OLDER if ours else Reason.DATABASE_NEWER, path=str(path), version=found)
        return cls(path)

    async def close(self) -> None:
        """Close all connections."""
        await self._engine.dispose()

    # Players and rooms

    async def player(self, player: str) -> Player | None:
        """Return the player with this id."""
        return _only(await self._values(Player, select(players.c.id, players.c.name).where(players.c.id == player)))

    async def player_by_token(self, token_hash: bytes) -> Player | None:
        """Return the player whose token has this hash."""
        who = select(players.c.id, players.c.name).where(players.c.token_hash == token_hash)
        return _only(await self._values(Player, who))

    async def names(self, player_ids: Sequence[str]) -> dict[str, str | None]:
        """Return the name of each player; None for one who was deleted."""
        name = case((players.c.token_hash.is_not(None), players.c.name))
        found = dict[str, str | None]()
        async with self.snapshot() as connection:
            for start in range(0, len(player_ids), MOST_IDS):
                some = players.c.id.in_(player_ids[start : start + MOST_IDS])
                for player, called in await connection.execute(select(players.c.id, name).where(some)):
                    found[player] = called
        return found

    async def created(self, player: str) -> str | None:
        """Return the date on which a player came."""
        return _only(await self._column(select(players.c.created).where(players.c.id == player)))

    async def plays(self, player: str) -> bool:
        """Return whether an attempt of the player goes on."""
        live = select(races.c.id).where(_live())
        playing = select(attempts.c.id).where(attempts.c.race.in_(live))
        playing = playing.where(attempts.c.player == player, attempts.c.won.is_(None))
        return bool(await self._column(playing.limit(1)))

    async def rooms(self) -> tuple[tuple[str, str], ...]:
        """Return id and state of the rooms that are open."""
        async with self.snapshot() as connection:
            found = await connection.execute(select(rooms.c.id, rooms.c.state).where(rooms.c.state.is_not(None)))
            return tuple((id, state) for id, state in found)

    async def opened(self, player_ids: Collection[str], game: str) -> tuple[int, ...]:
        """Return the numbers of *game* that any of the players has opened, the one opened longest ago first."""
        numbers = select(opened.c.number).where(opened.c.player.in_(player_ids), opened.c.game == game)
        return await self._column(numbers.group_by(opened.c.number).order_by(func.max(opened.c.at), opened.c.number))

    async def who_opened(self, player_ids: Collection[str], game: str, number: int) -> frozenset[str]:
        """Return those of the players who have opened *number* of *game*."""
        who = select(opened.c.player).where(opened.c.player.in_(player_ids))
        return frozenset(await self._column(who.where(opened.c.game == game, opened.c.number == number)))

    async def openings(self, player: str) -> tuple[Opening, ...]:
        """Return what a player has opened, and when last."""
        return await self._values(Opening, select(opened).where(opened.c.player == player))

    # Races and attempts

    async def race(self, race: str) -> StoredRace | None:
        """Return the race with this id."""
        async with self.snapshot() as connection:
            return _only(await _races(connection, races.c.id == race))

    async def attempt(self, attempt: str) -> StoredAttempt | None:
        """Return the attempt with this id."""
        return _only(await self._values(StoredAttempt, ATTEMPT.where(attempts.c.id == attempt)))

    async def known(self, attempt_ids: Collection[str]) -> set[str]:
        """Return those of the ids that are an attempt's."""
        return set(await self._column(select(attempts.c.id).where(attempts.c.id.in_(attempt_ids))))

    async def record(self, attempt: str) -> bytes | None:
        """Return the packed record of an attempt; None until it has ended, or where none has this id."""
        if not attempt.isascii():  # no id, and perhaps no text that SQLite takes
            return None
        return _only(await self._column(select(attempts.c.record).where(attempts.c.id == attempt)))

    # Pages

    async def deal(self, game: str, number: int, suits: int, limit: int = 100) -> tuple[DealLine, ...]:
        """Return the attempts at a deal, of races that are over, best first: a deal's page."""
        async with self.snapshot() as connection:
            lines = await _select(connection, DealLine, queries.deal_page(game, number, suits, limit))
            moved = {line.attempt for line in lines if line.moves}
            # No move may be left of those that were made: then there was an undo or a restart, and the log tells.
            doubtful = [line.attempt for line in lines if not (line.moves or line.clean)]
            for attempt, packed in await connection.execute(queries.logs(doubtful)) if doubtful else ():
                if _has_move(packed):
                    moved.add(attempt)
        return deal_placed(lines, moved)

    async def sealed(self, game: str, number: int) -> bool:
        """Return whether a race on this number, which was drawn, is under way: then nobody looks at it."""
        found = await self._column(queries.drawn_now(game, number))
        return any(json.decode(options, type=Options).code is None for options in found)

    async def latest(self, limit: int = 5) -> tuple[RaceLine, ...]:
        """Return the latest races that are over, the last to begin first."""
        async with self.snapshot() as connection:
            lines = await _select(connection, RaceLine, queries.latest_races(limit))
            first = defaultdict(list)
            for race, name in await connection.execute(queries.first_in([line.race for line in lines])):
                first[race].append(name)
        return tuple(replace(line, first=tuple(first[line.race])) for line in lines)

    async def played(
        self, player: str, before: tuple[str, str] | None = None, limit: int = 50
    ) -> tuple[PlayerLine, ...]:
        """Return a player's attempts in races that are over, the latest start first: a player's page.

        The next page comes after *before*: `started` and `attempt` of this one's last line.
        """
        return await self._values(PlayerLine, queries.player_page(player, before, limit))

    async def records_of(
        self, player: str, before: tuple[str, str] | None, limit: int, *, over: bool
    ) -> tuple[tuple[StoredAttempt, bytes], ...]:
        """Return a player's attempts that have ended, and their records; pages as in `played`.

        *over*: none of a race that still runs.
        """
        async with self.snapshot() as connection:
            rows = await connection.execute(queries.records_of(player, before, limit, over=over))
            return tuple((_value(StoredAttempt, row), row["record"]) for row in rows.mappings())

    async def board(
        self, board: Board, game: str, suits: int, period: str, asker: str | None = None, limit: int = TOP
    ) -> BoardPage:
        """Return the top of a board, and the line of the player who asks."""
        place = (board, game, suits, period)
        async with self.snapshot() as connection:
            lines = await _select(connection, BoardLine, queries.board_page(*place, limit))
            lines = placed(board, lines)
            own = next((line for line in lines if line.player == asker), None)
            if own is None and asker is not None and len(lines) == limit:
                own = _only(await _select(connection, BoardLine, queries.own_line(*place, asker)))
            if own is not None and own.place is None:
                better = await connection.scalar(queries.count_better(*place, own)) or 0
                own = replace(own, place=1 + better if better < queries.FAR else None)
        return BoardPage(lines=lines, own=own)

    # The log

    async def live_races(self, race: str | None = None) -> tuple[LiveRace | Damaged, ...]:
        """Return the unfinished races with their logs, oldest first, or only the one with this id."""
        which = _live(race)
        rows = select(log.c.race, log.c.seq, log.c.attempt, log.c.at_ms, log.c.entry)
        async with self.snapshot() as connection:
            keys = await _keys(connection, which)
            found = await _races(connection, which)
            result = await connection.execute(rows.where(log.c.race.in_(select(races.c.key).where(which))))
        logs = logs_of(result.all(), {key: id for id, key in keys.items()})
        return tuple(rebuilt(race, logs.get(race.race, [])) for race in found)

    async def keys(self, race: str | None = None) -> dict[str, int]:
        """Return what stands in the log for each unfinished race, or only for the one with this id."""
        async with self.snapshot() as connection:
            return await _keys(connection, _live(race))

    async def highest(self, column: ColumnElement[int]) -> int:
        """Return the greatest number in *column*, 0 if it is empty."""
        return (await self._column(select(func.coalesce(func.max(column), 0))))[0]

    async def leftover(self, limit: int) -> tuple[int, ...]:
        """Return the numbers of up to *limit* rows of the log that belong to no unfinished race."""
        needed = log.c.race.in_(select(races.c.key).where(_live()))
        return await self._column(select(log.c.id).where(~needed).limit(limit))

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[AsyncConnection]:
        """Lend a connection on which all statements see the database as it is at one moment."""
        with database_errors(self._path):
            async with self._engine.connect() as connection:
                yield connection

    async def _values(self, kind: type[Value], statement: Select[Any]) -> tuple[Value, ...]:
        async with self.snapshot() as connection:
            return await _select(connection, kind, statement)

    async def _column(self, statement: Select[Value]) -> tuple[Value, ...]:
        async with self.snapshot() as connection:
            return tuple((await connection.scalars(statement)).all())


def _live(race: str | None = None) -> ColumnElement[bool]:
    unfinished = races.c.finished.is_(None)
    return unfinished if race is None else unfinished & (races.c.id == race)


async def _keys(connection: AsyncConnection, which: ColumnElement[bool]) -> dict[str, int]:
    found = await connection.execute(select(races.c.id, races.c.key).where(which))
    return {row.id: row.key for row in found}


async def _races(connection: AsyncConnection, which: ColumnElement[bool]) -> tuple[StoredRace, ...]:
    ids = select(races.c.id).where(which)
    found = (await connection.execute(RACE.where(which).order_by(races.c.key))).mappings().all()
    seated = defaultdict(list)
    for attempt in await _select(
        connection, StoredAttempt, ATTEMPT.where(attempts.c.race.in_(ids)).order_by(attempts.c.race, attempts.c.seat)
    ):
        seated[attempt.race].append(attempt)
    return tuple(_value(StoredRace, race, attempts=tuple(seated[race["race"]])) for race in found)


async def _select(connection: AsyncConnection, kind: type[Value], statement: Select[Any]) -> tuple[Value, ...]:
    return tuple(_value(kind, row) for row in (await connection.execute(statement)).mappings())


def _has_move(packed: bytes) -> bool:
    """Return whether a record has a move; one that can't be read proves none, as `rebuild` tells."""
    try:
        return any_move(Record.unpack(packed).entries)
    except SameDealError:
        return False


def _value(kind: type[Value], row: RowMapping, **more: object) -> Value:
    return convert(queries.fields(row) | more, kind)


def _only(found: Sequence[Value]) -> Value | None:
    return found[0] if found else None
