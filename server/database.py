"""The database's file: where it is, how SQLite is set up on it, and which process owns it."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import URL, AsyncAdaptedQueuePool, Connection, NullPool, Pool, event, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

from migrations.upgrade import UnknownVersionError, upgrade
from server.log import StorageError
from shared.errors import Reason

BUSY_S = 5.0
"""How long a statement waits while another program has the file locked, before it fails."""

STATEMENTS = 300
"""Prepared statements that a connection keeps: the log's insert needs one for each number of rows."""

WRITING = (
    "PRAGMA journal_mode = WAL",  # readers and the writer never wait for each other
    "PRAGMA synchronous = FULL",  # a commit is on the disk before it is acknowledged
    "PRAGMA foreign_keys = ON",
)
READING = ("PRAGMA query_only = ON",)


class Ownership:
    """The right to write to a database, for one process at a time; the system takes it back from a killed one.

    It is an exclusive lock on an empty SQLite file beside the database: that is the same on every system. Whoever
    only reads needs none.
    """

    def __init__(self, path: Path) -> None:
        """Take the right to *path*, or raise StorageError at once."""
        with database_errors():
            sqlite3.connect(path).close()  # what can't be opened is refused here, on no thread that outlives us
            self._lock = sqlite3.connect(f"{path}.lock", timeout=0, isolation_level=None)
        try:
            self._lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            self._lock.close()
            raise StorageError(Reason.DATABASE_HELD, path=str(path)) from error

    def release(self) -> None:
        """Let go of it. The file stays: removing it could take it from under the next owner."""
        self._lock.close()


def database_path(where: str | Path) -> Path:
    """Return the file that *where* names, by its path or as `sqlite:///PATH`; raise StorageError if it names none."""
    if isinstance(where, Path) or "://" not in where:
        return Path(where).expanduser().resolve()
    try:
        url = make_url(where)
    except ArgumentError as error:
        raise StorageError(Reason.BAD_DATABASE, cause="not a URL") from error
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:"):
        raise StorageError(Reason.BAD_DATABASE, cause=f"{url.drivername} without a file")
    return Path(str(url.database)).expanduser().resolve()


def present_path(where: str | Path) -> Path:
    """Return the file that *where* names; raise StorageError if it is not there."""
    path = database_path(where)
    if not path.is_file():
        raise StorageError(Reason.BAD_DATABASE, cause=f"no file {path}")
    return path


def writing_engine(path: Path, factory: type[sqlite3.Connection]) -> AsyncEngine:
    """Return an engine whose connections write, each made by *factory* and closed when it is given back."""
    return _engine(URL.create("sqlite+aiosqlite", database=str(path)), "BEGIN IMMEDIATE", WRITING, factory=factory)


def reading_engine(path: Path) -> AsyncEngine:
    """Return an engine that keeps a few connections; they only read, and never make a file."""
    url = URL.create("sqlite+aiosqlite", database=path.as_uri(), query={"mode": "rw", "uri": "true"})
    return _engine(url, "BEGIN", READING, pool=AsyncAdaptedQueuePool)


async def migrate(path: Path) -> None:
    """Make the tables of *path* what this program expects, in one transaction; raise StorageError if it cannot."""
    # Without foreign keys: a step may have to make a table anew.
    engine = _engine(URL.create("sqlite+aiosqlite", database=str(path)), "BEGIN IMMEDIATE", ())
    try:
        with database_errors():
            async with engine.begin() as connection:
                await connection.run_sync(upgrade)
    except UnknownVersionError as error:
        raise StorageError(Reason.DATABASE_NEWER, version=error.found) from error
    finally:
        await engine.dispose()


@contextmanager
def database_errors() -> Iterator[None]:
    """Turn what SQLite and SQLAlchemy raise into StorageError, for all but writes to the log."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error) as error:
        raise StorageError(Reason.BAD_DATABASE, cause=cause(error)) from error


def cause(error: Exception) -> str:
    """Return what the driver said, without the statement and what was bound to it."""
    return str(getattr(error, "orig", error))


def _engine(
    url: URL,
    begin: str,
    pragmas: tuple[str, ...],
    pool: type[Pool] = NullPool,
    factory: type[sqlite3.Connection] = sqlite3.Connection,
) -> AsyncEngine:
    # No isolation level: the driver begins nothing by itself, so a lone insert commits within its one call.
    how = {"isolation_level": None, "timeout": BUSY_S, "cached_statements": STATEMENTS, "factory": factory}
    engine = create_async_engine(url, connect_args=how, poolclass=pool, hide_parameters=True)

    @event.listens_for(engine.sync_engine, "connect")
    def set_up(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
        cursor = connection.cursor()
        for pragma in pragmas:
            cursor.execute(pragma)
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def begin_transaction(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine
