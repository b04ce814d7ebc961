"""The database's file: where it is, how SQLite is set up on it, and which process owns it."""

import os
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from sqlalchemy import URL, AsyncAdaptedQueuePool, Connection, NullPool, Pool, event, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

from migrations.upgrade import UnknownVersionError, upgrade
from server.log import StorageError
from shared.errors import Reason, excerpt

BUSY_S = 5.0
"""How long a statement waits while another program has the file locked, before it fails."""

ROOM = 65_536
"""Bytes that a start needs: less than that is a full disk."""

STATEMENTS = 300
"""Prepared statements that a connection keeps: the log's insert needs one for each number of rows."""

WRITING = (
    "PRAGMA journal_mode = WAL",  # readers and the writer never wait for each other
    "PRAGMA synchronous = FULL",  # a commit is on the disk before it is acknowledged
    "PRAGMA foreign_keys = ON",
)
READING = ("PRAGMA query_only = ON",)

OURS = {"alembic_version", "epochs"}
"""Tables that every database of ours has, of whatever version."""


LOCK = ".lock"
"""Stands behind a database's name in that of the file by which one process owns it."""

LOCKING = (
    "PRAGMA journal_mode = MEMORY",  # no file of its own beside the lock
    "BEGIN EXCLUSIVE",
    "PRAGMA user_version = 1",  # of a file that may not be written, BEGIN EXCLUSIVE only reads: this fails there
)
"""What makes a lock exclusive. It is never committed: the file stays empty."""


class Ownership:
    """The right to write to a database, for one process at a time; the system takes it back from a killed one.

    It is an exclusive lock on an empty SQLite file beside the database: that is the same on every system. Whoever
    only reads needs none.
    """

    def __init__(self, path: Path) -> None:
        """Take the right to *path*, or raise StorageError at once: beside another program's file no lock is made."""
        if os.path.exists(path):  # noqa: PTH110  # Path.exists raises where a folder may not be entered
            stored_version(path)
        lock = Path(f"{path}{LOCK}")
        _make_for_owner(lock)
        try:
            self._lock = sqlite3.connect(lock, timeout=0, isolation_level=None)
        except sqlite3.Error as error:
            raise unusable(path, _beside(lock, error)) from error
        try:
            for statement in LOCKING:
                self._lock.execute(statement)
        except sqlite3.Error as error:
            self._lock.close()
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
                raise StorageError(Reason.DATABASE_HELD, path=str(path)) from error
            raise unusable(path, _beside(lock, error)) from error

    def release(self) -> None:
        """Let go of it. The file stays: removing it could take it from under the next owner."""
        self._lock.close()


def _make_for_owner(path: Path) -> None:
    """Make *path*, empty, where root is about to make it in someone else's folder: theirs, for their server."""
    if sys.platform == "win32" or os.geteuid() != 0:
        return
    with suppress(OSError):  # it is there, or can't be made: whoever uses it next says why
        folder = path.parent.stat()
        if folder.st_uid != 0:
            made = os.open(path, os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
            os.fchown(made, folder.st_uid, folder.st_gid)
            os.close(made)


def _beside(helper: Path, error: Exception) -> str:
    """Return what is wrong with a database of which a *helper* beside it can't be used."""
    # A folder that is not ours, or on a disk of which the system only reads.
    closed = not os.access(helper.parent, os.W_OK, effective_ids=os.access in os.supports_effective_ids)
    return "nothing may be written beside it" if closed else f"{helper.name} beside it: {cause(error)}"


def database_path(where: str | Path) -> Path:
    """Return the file that *where* names, by its path or as `sqlite:///PATH`; raise StorageError if it names none."""
    if isinstance(where, str) and "://" in where:
        where = _url_path(where)
    try:
        return Path(where).expanduser().resolve()
    except (OSError, RuntimeError, ValueError) as error:  # a home of nobody, a link to itself, a NUL
        raise unusable(Path(where), str(error)) from error


def _url_path(where: str) -> str:
    try:
        url = make_url(where)
    except ArgumentError as error:
        raise StorageError(Reason.NOT_SQLITE, url=excerpt(where.partition("://")[0])) from error
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:"):
        raise StorageError(Reason.NOT_SQLITE, url=excerpt(url.drivername))  # no more of it: there may be a password
    return str(url.database)


def existing(path: Path) -> Path:
    """Return *path*; raise StorageError where there is no file."""
    if not os.path.isfile(path):  # noqa: PTH113  # Path.is_file raises where a folder may not be entered
        raise unusable(path, "there is no such file")
    return path


def stored_version(path: Path) -> str | None:
    """Return the step that the database *path* stands at; None where nothing is in it yet.

    Raise StorageError where it can't be read or is another program's. Asked before an engine connects: a connection
    of an engine that fails to open leaves a thread behind that may outlive the loop.
    """
    wal = Path(f"{path}-wal")
    if os.path.isfile(wal) and wal.stat().st_size and path.stat().st_size < 2:  # noqa: PTH113  # as in `existing`
        # SQLite would take it for new, and throw away what was acknowledged last.
        raise unusable(path, f"it was emptied, and {wal.name} beside it has the last writes: put a backup in its place")
    where = f"{path.as_uri()}?mode=rw"
    with database_errors(path), closing(sqlite3.connect(where, uri=True, timeout=BUSY_S)) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        if tables and not tables >= OURS:
            raise StorageError(Reason.DATABASE_FOREIGN, path=str(path))
        found = connection.execute("SELECT version_num FROM alembic_version").fetchone() if tables else None
    return str(found[0]) if found else None


def writing_engine(path: Path, factory: type[sqlite3.Connection]) -> AsyncEngine:
    """Return an engine whose connections write, each made by *factory* and closed when it is given back."""
    return _engine(URL.create("sqlite+aiosqlite", database=str(path)), "BEGIN IMMEDIATE", WRITING, factory=factory)


def reading_engine(path: Path) -> AsyncEngine:
    """Return an engine that keeps a few connections; they only read, and never make a file."""
    url = URL.create("sqlite+aiosqlite", database=path.as_uri(), query={"mode": "rw", "uri": "true"})
    return _engine(url, "BEGIN", READING, pool=AsyncAdaptedQueuePool)


async def migrate(path: Path) -> None:
    """Make the tables of *path* what this program expects, in one transaction; raise StorageError if it cannot."""
    _make_for_owner(path)
    # Without foreign keys: a step may have to make a table anew.
    engine = _engine(URL.create("sqlite+aiosqlite", database=str(path)), "BEGIN IMMEDIATE", ())
    try:
        with database_errors(path):
            async with engine.begin() as connection:
                await connection.run_sync(upgrade)
    except UnknownVersionError as error:
        raise StorageError(Reason.DATABASE_NEWER, path=str(path), version=error.found) from error
    finally:
        await engine.dispose()


@contextmanager
def database_errors(path: Path) -> Iterator[None]:
    """Turn what SQLite and SQLAlchemy raise about *path* into StorageError, for all but writes to the log."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error) as error:
        raise failed(path, cause(error)) from error


def failed(path: Path, why: str) -> StorageError:
    """Return the error for what SQLite said of the file *path*; of a full disk it often only says that it fails."""
    with suppress(OSError):
        if shutil.disk_usage(path.parent).free < ROOM:
            why = f"{why}, and no room is left on its disk"
    return unusable(path, why)


def unusable(path: Path, why: str) -> StorageError:
    """Return the error that says why the file *path* can't be used."""
    return StorageError(Reason.BAD_DATABASE, cause=f"{path}: {why}")


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
