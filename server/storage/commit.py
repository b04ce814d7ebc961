"""Group commit: while one commit is under way the next one collects, and nobody hears before it is on the disk."""

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from typing import TypeAlias

import aiosqlite
from msgspec import Struct
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from server import metrics
from server.log import StorageError
from server.storage.database import cause
from server.storage.statements import Step
from shared.errors import Reason

LOGGER = logging.getLogger(__name__)

Bound: TypeAlias = str | int | None

COLUMNS = ("race", "seq", "epoch", "attempt", "at_ms", "entry")
"""What is written of a row of the log; its number is SQLite's."""

LONGEST = 250 * len(COLUMNS)
"""Values that one insert takes."""

CLEAN = {
    sqlite3.SQLITE_ERROR,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_TOOBIG,
    sqlite3.SQLITE_CONSTRAINT,
    sqlite3.SQLITE_MISMATCH,
}
"""Errors with which SQLite has written nothing. With any other (the disk is full, or fails) a commit may have reached
the file before: only reading tells."""


class Write(Struct, frozen=True):
    """What one caller wants in the database: all of it, or nothing."""

    values: list[Bound]
    """Rows of the log one behind the other, COLUMNS of each."""
    steps: Sequence[Step] = ()
    """What to do beside them."""


class GroupCommit:
    """Commits what many callers want in one transaction, one after the other."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._writer = Writer(engine)
        self._waiting: list[tuple[Write, asyncio.Future[None]]] = []
        self._task: asyncio.Task[None] | None = None
        self._closed = False

    async def store(self, write: Write) -> None:
        """Return when *write* is on the disk; raise StorageError if it is not, or may not be."""
        if self._closed:
            raise StorageError(Reason.NOT_STORED, cause="closed")
        loop = asyncio.get_running_loop()
        stored: asyncio.Future[None] = loop.create_future()
        self._waiting.append((write, stored))
        if self._task is None:
            # The task begins after this turn of the loop: all that the turn brings is in the first commit.
            self._task = loop.create_task(self._commit_groups())
        await stored

    async def close(self) -> None:
        """Take nothing more, commit what is waiting and close the connection."""
        self._closed = True
        if self._task is not None:
            await asyncio.wait([self._task])  # who gives up waiting stops no commit
        await self._writer.close()

    async def _commit_groups(self) -> None:
        while self._waiting:
            group, self._waiting = self._waiting, []
            failure = await self._commit([write for write, _ in group])
            for _, stored in group:
                if stored.done():  # its caller has been cancelled
                    continue
                if failure is None:
                    stored.set_result(None)
                else:
                    stored.set_exception(failure.again())
        self._task = None

    async def _commit(self, group: Sequence[Write]) -> StorageError | None:
        values: list[Bound] = []
        steps: list[Step] = []
        for write in group:
            values += write.values
            steps += write.steps
        try:
            with metrics.COMMITS.time():
                await self._writer.write(values, steps)
        except StorageError as error:
            metrics.FAILED_COMMITS.inc()
            LOGGER.error("a commit for %d writes failed: %s", len(group), error)
            return error
        metrics.ENTRIES.inc(len(values) // len(COLUMNS))
        return None


class Writer:
    """The one connection that writes. After a failure it is another one."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._connection: AsyncConnection | None = None
        self._driver: aiosqlite.Connection | None = None

    async def write(self, values: list[Bound], steps: Sequence[Step]) -> None:
        """Write all of it in one transaction; raise StorageError, which says what is known, if that failed."""
        try:
            with BEFORE_COMMIT:
                connection, driver = await self._open()
            if steps or not 0 < len(values) <= LONGEST:
                await self._transact(connection, driver, values, steps)
            else:
                # The path of every move. One hop to the driver's thread, which begins, inserts and commits.
                with IN_COMMIT:
                    await driver.execute_fetchall(insertion(len(values)), values)
        except StorageError:
            await self.close()
            raise

    async def close(self) -> None:
        """Close the connection and roll back what it has not committed; the next write opens another."""
        connection, driver, self._connection, self._driver = self._connection, self._driver, None, None
        if connection is None or driver is None:
            return
        # Closing rolls back as well, but late if something still refers to a statement.
        with suppress(sqlite3.Error, ValueError):
            await driver.rollback()
        with suppress(sqlite3.Error, SQLAlchemyError):
            await connection.invalidate()
            await connection.close()

    async def _open(self) -> tuple[AsyncConnection, aiosqlite.Connection]:
        if self._connection is None or self._driver is None:
            connection = await self._engine.connect()
            self._connection, self._driver = connection, await driver_of(connection)
        return self._connection, self._driver

    async def _transact(
        self,
        connection: AsyncConnection,
        driver: aiosqlite.Connection,
        values: list[Bound],
        steps: Sequence[Step],
    ) -> None:
        with BEFORE_COMMIT:
            transaction = await connection.begin()
            for start in range(0, len(values), LONGEST):
                part = values[start : start + LONGEST]
                await driver.execute_fetchall(insertion(len(part)), part)
            for step in steps:
                await step.run(connection)
        with IN_COMMIT:
            await transaction.commit()


async def driver_of(connection: AsyncConnection) -> aiosqlite.Connection:
    """Return what SQLAlchemy's connection stands on."""
    driver = (await connection.get_raw_connection()).driver_connection
    assert isinstance(driver, aiosqlite.Connection)
    return driver


@cache
def insertion(count: int) -> str:
    """Return the insert of rows with *count* values in all."""
    row = f"({', '.join('?' * len(COLUMNS))})"
    return f"INSERT INTO log ({', '.join(COLUMNS)}) VALUES {', '.join([row] * (count // len(COLUMNS)))}"


class Failing:
    """Turns whatever the driver raises within into a StorageError, with the reason that *judge* finds."""

    def __init__(self, judge: Callable[[Exception], Reason]) -> None:
        self._judge = judge

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception) and not isinstance(error, StorageError):
            raise StorageError(self._judge(error), cause=cause(error)) from error


def not_stored(_error: Exception) -> Reason:
    """Judge an error that came before a commit was asked for: closing the connection rolls back."""
    return Reason.NOT_STORED


def verdict(error: Exception) -> Reason:
    """Judge an error that came from a commit.

    >>> verdict(UnicodeEncodeError("utf-8", "?", 0, 1, "cannot be bound"))
    <Reason.NOT_STORED: 'NOT_STORED'>
    """
    error = getattr(error, "orig", error)
    if isinstance(error, sqlite3.Error):
        # The low byte is the kind of error, what stands above it says where.
        clean = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_IOERR) & 0xFF in CLEAN
    else:
        clean = isinstance(error, ValueError | OverflowError)  # could not be bound, or the connection was closed
    return Reason.NOT_STORED if clean else Reason.MAYBE_STORED


BEFORE_COMMIT, IN_COMMIT = Failing(not_stored), Failing(verdict)
