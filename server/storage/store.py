"""The store: the only place that writes to the database.

What a room hands to `append` is on the disk when it returns. What is read comes from `Store.read`.
"""

import asyncio
import logging
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Self

from migrations.schema import epochs, races
from server.clock import Clock, utc_text
from server.log import Batch, LiveRace, LogRow, Player, StorageError
from server.storage import statements
from server.storage.commit import Bound, GroupCommit, Write
from server.storage.database import Ownership, database_path, failed, migrate, writing_engine
from server.storage.livelog import Damaged
from server.storage.reader import Reader
from server.storage.statements import Step
from shared.errors import Reason

LOGGER = logging.getLogger(__name__)

SWEEP_ROWS = 100
"""Rows of finished races that one commit removes: few, since moves wait for it."""

SCAN_ROWS = 5_000
"""Rows of finished races that one search finds."""


class Store:
    """Owns one database. Every method raises StorageError if it fails."""

    def __init__(self, path: Path, clock: Clock, factory: type[sqlite3.Connection]) -> None:
        self.read = Reader(path)
        """Answers questions; its own connections never wait for the one that writes."""
        self.epoch = 0
        """Which start of a server this is; from 1."""
        self._clock = clock
        self._ownership = Ownership(path)
        self._commits = GroupCommit(writing_engine(path, factory))
        self._keys: dict[str, int] = {}
        self._next_key = 1
        self._finished = asyncio.Event()
        self._sweeping: asyncio.Task[None] | None = None

    @classmethod
    async def open(
        cls, where: str | Path, *, clock: Clock, factory: type[sqlite3.Connection] = sqlite3.Connection
    ) -> Self:
        """Own the database that *where* names (see `database_path`), bring its tables up to date, begin an epoch.

        *factory* makes the connection that writes. Raise StorageError if another process owns the database, a newer
        program has written it or it cannot be used.
        """
        path = database_path(where)
        store = cls(path, clock, factory)
        try:
            await migrate(path)
            await store._begin(path)
        except BaseException:
            await store.close()
            raise
        return store

    async def close(self) -> None:
        """Commit what is waiting, then let go of the database: whoever gives up before keeps it while they live."""
        if self._sweeping is not None:
            self._sweeping.cancel()
            await asyncio.wait([self._sweeping])
        await self._commits.close()
        await self.read.close()
        self._ownership.release()

    async def append(self, batch: Batch) -> None:
        """Return when the whole *batch* is on the disk.

        Raise StorageError if nothing of it is, or, where the error says `unknown`, if that cannot be told: then read
        the race again with `live_race`.
        """
        keys, key = self._keys, self._next_key
        if batch.begun is not None:
            keys = keys | {batch.begun.race: key}
            self._next_key += 1
        await self._commits.store(Write(bound(batch.rows, keys, self.epoch), list(self._steps(batch, key))))
        if batch.begun is not None:
            self._keys[batch.begun.race] = keys[batch.begun.race]
        if batch.finished is not None:
            self._keys.pop(batch.finished.race, None)
            self._finished.set()

    def _steps(self, batch: Batch, key: int) -> Iterator[Step]:
        """Yield what of *batch* is not rows of the log, what others refer to first; a race begins as *key*."""
        if batch.state is not None:
            yield statements.keep(batch.state, self.now())
        if batch.begun is not None:
            yield from statements.begin(key, batch.begun)
        if batch.opened:
            yield statements.open_all(batch.opened)
        yield from statements.ends(batch.ended, batch.finished)

    async def live_races(self) -> tuple[LiveRace, ...]:
        """Return every unfinished race with its log, oldest first: what a start rebuilds.

        One whose log is damaged is left out, and the server's own log says so: the others go on.
        """
        found = await self.read.live_races()
        for each in found:
            if isinstance(each, Damaged):
                LOGGER.error("race %s of room %s is left out: %s", each.race, each.room, each.cause)
        return tuple(each for each in found if isinstance(each, LiveRace))

    async def live_race(self, race: str) -> LiveRace | None:
        """Return what is stored of an unfinished race, None if nothing is: what holds after an unknown outcome."""
        self._keys.update(await self.read.keys(race))
        for found in await self.read.live_races(race):
            if isinstance(found, Damaged):
                raise StorageError(Reason.BAD_DATABASE, cause=f"race {race}: {found.cause}")
            return found
        return None

    async def add_player(self, player: Player, token_hash: bytes) -> None:
        """Store a new player, known from now on by the hash of their token."""
        await self.change([statements.add_player(player, token_hash, self.now())])

    async def rename(self, player: str, name: str) -> None:
        """Give a player another name."""
        await self.change([statements.rename_player(player, name)])

    async def forget_room(self, room: str) -> None:
        """Close a room: no restart opens it. Its row stays, for its races, and its code may be used again."""
        await self.change([statements.close_room(room)])

    async def change(self, steps: Iterable[Step]) -> None:
        """Do *steps* in one commit."""
        await self._commits.store(Write([], tuple(steps)))

    async def _begin(self, path: Path) -> None:
        self.epoch = 1 + await self.read.highest(epochs.c.epoch)
        self._next_key = 1 + await self.read.highest(races.c.key)
        self._keys = await self.read.keys()
        try:
            await self.change([statements.begin_epoch(self.epoch, self.now())])
        except StorageError as error:  # the first thing written: perhaps nothing may be
            raise failed(path, str(error.params.get("cause", error))) from error
        self._finished.set()  # a killed server may have left rows of finished races
        self._sweeping = asyncio.create_task(self._sweep())

    async def _sweep(self) -> None:
        """Remove the rows of finished races in small commits, between those of the live ones."""
        while await self._finished.wait():
            self._finished.clear()
            try:
                while rows := await self.read.leftover(SCAN_ROWS):
                    for start in range(0, len(rows), SWEEP_ROWS):
                        await self.change([statements.remove(rows[start : start + SWEEP_ROWS])])
            except StorageError as error:
                LOGGER.error("rows of finished races stay for now: %s", error)

    def now(self) -> str:
        """Return the date that what is written now bears."""
        return utc_text(self._clock.wall_ms())


def bound(rows: Sequence[LogRow], keys: Mapping[str, int], epoch: int) -> list[Bound]:
    """Return *rows* as the log's insert takes them."""
    values: list[Bound] = []
    try:
        for row in rows:
            values += (keys[row.race], row.seq, epoch, row.attempt, row.at_ms, row.entry)
    except KeyError as error:
        raise StorageError(Reason.NOT_STORED, cause=f"race {error.args[0]} is not live") from error
    return values
