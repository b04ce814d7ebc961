"""What is read of the database. A `Reader` needs no ownership: it may look on while a server writes."""

from collections import defaultdict
from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from contextlib import asynccontextmanager
from operator import attrgetter
from pathlib import Path
from typing import Any, Self, TypeVar

from msgspec import convert
from sqlalchemy import ColumnElement, RowMapping, Select, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from migrations.schema import VERSION, attempts, log, opened, players, races, rooms, version
from server.database import database_errors, present_path, reading_engine
from server.log import DealLine, LiveRace, LogRow, Player, StorageError, StoredAttempt, StoredRace
from shared.errors import Reason

Value = TypeVar("Value")

RACE = select(races.c.id.label("race"), *(column for column in races.c if column.name not in ("key", "id")))

ATTEMPT = select(
    attempts.c.id.label("attempt"),
    players.c.name,
    *(column for column in attempts.c if column.name not in ("id", "pace", "record")),
).join(players)


class Reader:
    """Reads one database; every method raises StorageError if it cannot."""

    def __init__(self, path: Path) -> None:
        self._engine = reading_engine(path)

    @classmethod
    async def open(cls, where: str | Path) -> Self:
        """Open the database that *where* names; raise StorageError if it is not there or not of this version."""
        reader = cls(present_path(where))
        try:
            async with reader._snapshot() as connection:
                found = await connection.run_sync(version)
            if found != VERSION:
                raise StorageError(Reason.BAD_DATABASE, cause=f"version {found} where {VERSION} is expected")
        except StorageError:
            await reader.close()
            raise
        return reader

    async def close(self) -> None:
        """Close all connections."""
        await self._engine.dispose()

    async def player_by_token(self, token_hash: bytes) -> Player | None:
        """Return the player whose token has this hash."""
        who = select(players.c.id, players.c.name).where(players.c.token_hash == token_hash)
        return _only(await self._values(Player, who))

    async def rooms(self) -> tuple[str, ...]:
        """Return the ids of all rooms, oldest first."""
        return await self._column(select(rooms.c.id).order_by(rooms.c.created, rooms.c.id))

    async def opened(self, player_ids: Collection[str], game: str) -> tuple[int, ...]:
        """Return the numbers of *game* that any of the players has opened, the one opened longest ago first."""
        numbers = select(opened.c.number).where(opened.c.player.in_(player_ids), opened.c.game == game)
        return await self._column(numbers.group_by(opened.c.number).order_by(func.max(opened.c.at), opened.c.number))

    async def openers(self, player_ids: Collection[str], game: str, number: int) -> frozenset[str]:
        """Return those of the players who have opened this number of *game*."""
        which = (opened.c.player.in_(player_ids), opened.c.game == game, opened.c.number == number)
        return frozenset(await self._column(select(opened.c.player).where(*which)))

    async def race(self, race: str) -> StoredRace | None:
        """Return the race with this id."""
        async with self._snapshot() as connection:
            return _only(await _races(connection, races.c.id == race))

    async def latest_race(self, room: str) -> StoredRace | None:
        """Return the race that was begun last in *room*."""
        last = select(func.max(races.c.key)).where(races.c.room == room).scalar_subquery()
        async with self._snapshot() as connection:
            return _only(await _races(connection, races.c.key == last))

    async def attempt(self, attempt: str) -> StoredAttempt | None:
        """Return the attempt with this id."""
        return _only(await self._values(StoredAttempt, ATTEMPT.where(attempts.c.id == attempt)))

    async def record(self, attempt: str) -> bytes | None:
        """Return the packed record of an attempt; None until it has ended."""
        return _only(await self._column(select(attempts.c.record).where(attempts.c.id == attempt)))

    async def deal(self, game: str, number: int, suits: int, limit: int = 100) -> tuple[DealLine, ...]:
        """Return the attempts at a deal that have ended, best first: a deal's page."""
        return await self._values(DealLine, deal_page(game, number, suits, limit))

    async def live_races(self, race: str | None = None) -> tuple[LiveRace, ...]:
        """Return the unfinished races with their logs, oldest first, or only the one with this id.

        Raise StorageError where the rows of a race do not count from 0 without a gap.
        """
        which = _live(race)
        rows = select(log.c.race, log.c.seq, log.c.attempt, log.c.at_ms, log.c.entry)
        async with self._snapshot() as connection:
            keys = await _keys(connection, which)
            found = await _races(connection, which)
            result = await connection.execute(rows.where(log.c.race.in_(select(races.c.key).where(which))))
        logs = _logs(result.all(), {key: id for id, key in keys.items()})
        return tuple(LiveRace(race, _in_order(race.race, logs[race.race])) for race in found)

    async def keys(self, race: str | None = None) -> dict[str, int]:
        """Return what stands in the log for each unfinished race, or only for the one with this id."""
        async with self._snapshot() as connection:
            return await _keys(connection, _live(race))

    async def highest(self, column: ColumnElement[int]) -> int:
        """Return the greatest number in *column*, 0 if it is empty."""
        return (await self._column(select(func.coalesce(func.max(column), 0))))[0]

    async def leftover(self, limit: int) -> tuple[int, ...]:
        """Return the numbers of up to *limit* rows of the log that belong to no unfinished race."""
        needed = log.c.race.in_(select(races.c.key).where(_live()))
        return await self._column(select(log.c.id).where(~needed).limit(limit))

    @asynccontextmanager
    async def _snapshot(self) -> AsyncIterator[AsyncConnection]:
        """Lend a connection on which all statements see the database as it is at one moment."""
        with database_errors():
            async with self._engine.connect() as connection:
                yield connection

    async def _values(self, kind: type[Value], statement: Select[Any]) -> tuple[Value, ...]:
        async with self._snapshot() as connection:
            return _values(kind, (await connection.execute(statement)).mappings())

    async def _column(self, statement: Select[Value]) -> tuple[Value, ...]:
        async with self._snapshot() as connection:
            return tuple((await connection.scalars(statement)).all())


def deal_page(game: str, number: int, suits: int, limit: int) -> Select[Any]:
    """Return what selects DealLines, best first, from the index that has them in this order."""
    shown = (name for name in DealLine.__struct_fields__ if name not in ("attempt", "name", "options"))
    over = select(
        attempts.c.id.label("attempt"), players.c.name, races.c.options, *(attempts.c[name] for name in shown)
    )
    deal = (attempts.c.game == game, attempts.c.number == number, attempts.c.suits == suits)
    best = (attempts.c.home.desc(), attempts.c.progress.desc(), attempts.c.pace, attempts.c.moves, attempts.c.id)
    return over.join(players).join(races).where(attempts.c.pace.is_not(None), *deal).order_by(*best).limit(limit)


def _live(race: str | None = None) -> ColumnElement[bool]:
    unfinished = races.c.finished.is_(None)
    return unfinished if race is None else unfinished & (races.c.id == race)


async def _keys(connection: AsyncConnection, which: ColumnElement[bool]) -> dict[str, int]:
    found = await connection.execute(select(races.c.id, races.c.key).where(which))
    return {row.id: row.key for row in found}


async def _races(connection: AsyncConnection, which: ColumnElement[bool]) -> tuple[StoredRace, ...]:
    ids = select(races.c.id).where(which)
    found = (await connection.execute(RACE.where(which).order_by(races.c.key))).mappings().all()
    in_them = await connection.execute(ATTEMPT.where(attempts.c.race.in_(ids)).order_by(attempts.c.seat))
    seated = defaultdict(list)
    for attempt in _values(StoredAttempt, in_them.mappings()):
        seated[attempt.race].append(attempt)
    return tuple(_value(StoredRace, race, attempts=tuple(seated[race["race"]])) for race in found)


def _logs(rows: Iterable[tuple[int, int, str | None, int, str]], races: dict[int, str]) -> dict[str, list[LogRow]]:
    logs = defaultdict(list)
    for key, seq, attempt, at_ms, entry in rows:
        logs[races[key]].append(LogRow(races[key], seq, attempt, at_ms, entry))
    return logs


def _in_order(race: str, rows: list[LogRow]) -> tuple[LogRow, ...]:
    rows.sort(key=attrgetter("seq"))
    if any(row.seq != seq for seq, row in enumerate(rows)):
        raise StorageError(Reason.BAD_DATABASE, cause=f"the log of race {race} has a gap, or rows of two writers")
    return tuple(rows)


def _values(kind: type[Value], rows: Iterable[RowMapping]) -> tuple[Value, ...]:
    return tuple(_value(kind, row) for row in rows)


def _value(kind: type[Value], row: RowMapping, **more: object) -> Value:
    # SQLAlchemy's names are strings of a kind of their own.
    return convert({str(name): value for name, value in row.items()} | more, kind)


def _only(found: Sequence[Value]) -> Value | None:
    return found[0] if found else None
