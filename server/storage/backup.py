"""Backups: a database as it is at one moment, in one file, while a server goes on writing. Restoring is the same."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from server.storage.database import BUSY_S, LOCK, Ownership, database_errors, existing, stored_version, unusable

JOURNALS = ("-wal", "-shm", "-journal")
"""What SQLite keeps beside a database, by what stands behind its name."""

PART = ".part"
"""Stands behind the name of a copy that is being made."""


def backup(source: Path, target: Path) -> None:
    """Copy the database *source* to *target*; one that is there is replaced, when the copy is whole and sound.

    A server may write to *source* meanwhile, and never waits. Copied back over a server's database, a backup is
    restored; owner and mode of what is replaced stay. Raise StorageError: either is no database of ours, they are one,
    one has the name of a file that belongs to the other, or a server owns *target*.
    """
    _check(source)
    if _is_beside(source, target) or _is_beside(target, source):
        raise unusable(target, f"what is called {max(source.name, target.name, key=len)} belongs to the other file")
    if target.is_dir():
        raise unusable(target, "it is a folder: name a file")
    if target.exists():
        _check(target)
        if source.samefile(target):
            raise unusable(target, "it is the database itself")
    part = target.with_name(f"{target.name}{PART}")
    with _owned(target):
        try:
            part.unlink(missing_ok=True)
            _copy(source, part, target)
            _keep_owner(part, target)
            _replace(part, target)
        except OSError as error:
            raise unusable(target, error.strerror or str(error)) from error
        finally:
            part.unlink(missing_ok=True)


def _check(path: Path) -> None:
    """Raise StorageError unless *path* is a database of ours, of whatever version."""
    if stored_version(existing(path)) is None:
        raise unusable(path, "nothing is in it")


def _is_beside(path: Path, database: Path) -> bool:
    """Return whether *path* is one of the files that belong to *database*, which are made and thrown away with it."""
    return str(path) in [f"{database}{ending}" for ending in (*JOURNALS, LOCK, PART)]


def _reading(path: Path) -> sqlite3.Connection:
    # Not read-only: to read a database that is being written, SQLite has to write to the files beside it.
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=BUSY_S)


@contextmanager
def _owned(target: Path) -> Iterator[None]:
    """Keep servers away from *target*; a file that none ever owned needs no lock, and gets none."""
    if not Path(f"{target}{LOCK}").exists():
        yield
        return
    ownership = Ownership(target)
    try:
        yield
    finally:
        ownership.release()


def _copy(source: Path, part: Path, target: Path) -> None:
    with database_errors(target):
        made = sqlite3.connect(part)
    with database_errors(source), closing(made) as copy, closing(_reading(source)) as original:
        # All pages in one step: this is one transaction that reads, so what is written meanwhile is not in it.
        original.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")  # so the copy is one file
        found = [line for (line,) in copy.execute("PRAGMA quick_check(1)")]
        if found != ["ok"]:
            raise unusable(source, f"it is damaged: {found[0]}")
    shutil.copymode(target if target.exists() else source, part)


def _keep_owner(part: Path, target: Path) -> None:
    """Give *part* to whom *target* belongs; where it has been thrown away, to whose server it was."""
    if os.name != "posix":
        return
    known = next((path for path in (target, Path(f"{target}{LOCK}")) if path.exists()), part)
    was, made = known.stat(), part.stat()
    if (was.st_uid, was.st_gid) == (made.st_uid, made.st_gid):
        return
    try:
        os.chown(part, was.st_uid, was.st_gid, follow_symlinks=False)
    except PermissionError as error:
        if was.st_uid != made.st_uid:
            raise unusable(target, "it belongs to someone else: let them restore it, or root") from error


def _replace(part: Path, target: Path) -> None:
    """Put *part* in the place of *target*, of which nothing may stay: an old journal would be applied to the copy."""
    for beside in JOURNALS:
        Path(f"{target}{beside}").unlink(missing_ok=True)
    part.replace(target)
    if os.name == "posix":
        folder = os.open(target.parent, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)
