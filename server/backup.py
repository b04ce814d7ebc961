"""Backups: a database as it is at one moment, in one file, while a server goes on writing. Restoring is the same."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from server.database import BUSY_S, Ownership, cause, existing
from server.log import StorageError
from shared.errors import Reason


def backup(source: Path, target: Path) -> None:
    """Copy the database *source* to *target*; one that is there is replaced, when the copy is whole and sound.

    A server may write to *source* meanwhile, and never waits. Copied back over a server's database, a backup is
    restored. Raise StorageError: either is no database of ours, they are one, or a server owns *target*.
    """
    _check(source)
    if target.exists():
        _check(target)
        if source.samefile(target):
            raise _refusal(target, "it is the database itself")
    part = target.with_name(f"{target.name}.part")
    with _owned(target):
        try:
            part.unlink(missing_ok=True)
            _copy(source, part)
            _replace(part, target)
        except OSError as error:
            raise _refusal(target, error.strerror or str(error)) from error
        finally:
            part.unlink(missing_ok=True)


def _check(path: Path) -> None:
    """Raise StorageError unless *path* is a database of ours, of whatever version."""
    with _errors(path), closing(_reading(existing(path))) as connection:
        connection.execute("SELECT version_num FROM alembic_version")


def _reading(path: Path) -> sqlite3.Connection:
    # Not read-only: to read a database that is being written, SQLite has to write to the files beside it.
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=BUSY_S)


@contextmanager
def _owned(target: Path) -> Iterator[None]:
    """Keep servers away from *target*; a file that none ever owned needs no lock, and gets none."""
    if not Path(f"{target}.lock").exists():
        yield
        return
    ownership = Ownership(target)
    try:
        yield
    finally:
        ownership.release()


def _copy(source: Path, part: Path) -> None:
    with _errors(source), closing(_reading(source)) as original, closing(sqlite3.connect(part)) as copy:
        # All pages in one step: this is one transaction that reads, so what is written meanwhile is not in it.
        original.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")  # so the copy is one file
        found = [line for (line,) in copy.execute("PRAGMA quick_check(1)")]
        if found != ["ok"]:
            raise _refusal(source, f"it is damaged: {found[0]}")
    shutil.copymode(source, part)


def _replace(part: Path, target: Path) -> None:
    """Put *part* in the place of *target*, of which nothing may stay: an old journal would be applied to the copy."""
    for beside in ("-wal", "-shm", "-journal"):
        Path(f"{target}{beside}").unlink(missing_ok=True)
    part.replace(target)
    if os.name == "posix":
        folder = os.open(target.parent, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)


@contextmanager
def _errors(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise _refusal(path, cause(error)) from error


def _refusal(path: Path, why: str) -> StorageError:
    return StorageError(Reason.BAD_DATABASE, cause=f"{path}: {why}")
