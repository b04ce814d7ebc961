"""The file, its owner and those who only read it."""

import asyncio
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from migrations.schema import log
from server.log import Batch, StorageError
from server.storage.database import Ownership, migrate
from server.storage.reader import Reader
from server.storage.store import Store
from shared.errors import Reason
from tests.fake_clock import FakeClock
from tests.server.storing import begin, end, opened_store, people


def files_in(directory: Path) -> set[str]:
    """Return the names of all files in *directory*."""
    return {path.name for path in directory.iterdir()}


async def test_commits_are_on_the_disk_before_they_are_acknowledged(database: Path) -> None:
    """The connection that writes has the settings that durability rests on."""
    async with opened_store(database, prepared=False) as store:
        await people(store)
        driver = store._commits._writer._driver
        assert driver is not None
        settings = [
            (await driver.execute_fetchall(f"PRAGMA {name}"))
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        ]

    assert [next(iter(found))[0] for found in settings] == ["wal", 2, 1, 5_000]


async def test_one_store_owns_a_database(database: Path) -> None:
    """A second store, also by another name of the file, is told at once that it is held; after a close it is free."""
    other = database.with_name("link.db")
    async with opened_store(database):
        other.symlink_to(database)
        for name in (database, str(database), f"sqlite:///{database}", f"sqlite+aiosqlite:///{other}", other):
            with pytest.raises(StorageError) as refused:
                await Store.open(name, clock=FakeClock())
            assert refused.value.reason is Reason.DATABASE_HELD

    async with opened_store(other):
        pass


async def test_reader_needs_no_ownership(database: Path) -> None:
    """While a server writes, another program reads what is committed, and cannot write."""
    async with opened_store(database) as store:
        await people(store)
        await store.append(begin("race"))
        reader = await Reader.open(database)

        await store.append(Batch(ended=(end("race"),)))

        assert await reader.record("race-anna") == b"record of race-anna"
        with pytest.raises(StorageError):
            async with reader.snapshot() as connection:
                await connection.execute(log.delete())
        await reader.close()


async def test_reader_makes_no_file(database: Path) -> None:
    """Reading a database that is not there, or not one of this version, is refused and makes none."""
    with pytest.raises(StorageError) as refused:
        await Reader.open(database)
    assert refused.value.reason is Reason.BAD_DATABASE
    assert files_in(database.parent) == set()

    sqlite3.connect(database).close()
    with pytest.raises(StorageError) as refused:
        await Reader.open(database)
    assert refused.value.params == {"cause": f"{database}: nothing is in it"}


@pytest.mark.parametrize("name", ["plain.db", "two words.db", "a?b#c%20d.db", "Bär 🂡.db", "file:x.db"])
async def test_any_name_of_a_file_will_do(tmp_path: Path, name: str) -> None:
    """Signs that mean something in addresses are only part of the name."""
    async with opened_store(tmp_path / name, prepared=False) as store:
        await people(store)

    reader = await Reader.open(tmp_path / name)
    assert await reader.rooms() == (("room", "{}"),)
    await reader.close()
    assert files_in(tmp_path) == {name, f"{name}.lock"}


@pytest.mark.parametrize("where", ["sqlite://", "sqlite:///:memory:", "postgresql+asyncpg://host/races", "://", "x://"])
async def test_what_is_no_file_is_refused(where: str) -> None:
    """A database that the store cannot own is refused before anything is made."""
    with pytest.raises(StorageError) as refused:
        await Store.open(where, clock=FakeClock())

    assert refused.value.reason is Reason.NOT_SQLITE


async def test_missing_directory_is_refused(tmp_path: Path) -> None:
    """A database in a directory that is not there is refused, and the directory is not made."""
    with pytest.raises(StorageError) as refused:
        await Store.open(tmp_path / "no" / "race.db", clock=FakeClock())

    assert refused.value.reason is Reason.BAD_DATABASE
    assert not (tmp_path / "no").exists()


NOBODY = 65_534


@pytest.fixture
def folder() -> Iterator[Path]:
    """Lend a folder, and be somebody whom the permissions of files bind, as they do not bind root."""
    with TemporaryDirectory() as name:
        root = sys.platform != "win32" and os.geteuid() == 0
        if root:
            os.chown(name, NOBODY, NOBODY)
            os.seteuid(NOBODY)
        try:
            yield Path(name)
        finally:
            if root:
                os.seteuid(0)


def refusal(where: str | Path) -> StorageError:
    """Return why a store does not open *where*."""
    with pytest.raises(StorageError) as refused:
        asyncio.run(Store.open(where, clock=FakeClock()))
    return refused.value


def reader_refusal(where: Path) -> StorageError:
    """Return why a reader does not open *where*."""
    with pytest.raises(StorageError) as refused:
        asyncio.run(Reader.open(where))
    return refused.value


@pytest.mark.skipif(sys.platform == "win32", reason="it has other permissions")
def test_lock_that_may_not_be_written_is_no_lock(folder: Path) -> None:
    """On a read-only lock file SQLite locks nothing: two servers would own one database, so not even one may."""
    lock = folder / "race.db.lock"
    lock.touch(mode=0o444)

    error = refusal(folder / "race.db")

    assert error.reason is Reason.BAD_DATABASE
    assert str(error.params["cause"]).startswith(f"{folder / 'race.db'}: race.db.lock beside it: ")
    assert files_in(folder) == {lock.name}


@pytest.mark.skipif(sys.platform == "win32", reason="it has other permissions")
def test_database_that_may_not_be_used_is_not_called_held(folder: Path) -> None:
    """A file that may not be read, one that may not be written and a closed folder are named for what they are."""
    path = folder / "race.db"
    asyncio.run(migrate(path))
    path.chmod(0)
    assert refusal(path).params["cause"] == f"{path}: unable to open database file"
    path.chmod(0o444)
    assert refusal(path).params["cause"] == f"{path}: attempt to write a readonly database"
    path.chmod(0o644)
    (folder / "race.db.lock").unlink(missing_ok=True)
    folder.chmod(0o555)
    assert refusal(path).params["cause"] == f"{path}: nothing may be written beside it"
    folder.chmod(0)
    assert refusal(path).reason is Reason.BAD_DATABASE
    assert reader_refusal(path).reason is Reason.BAD_DATABASE
    folder.chmod(0o755)


def test_lock_of_another_kind_is_named(database: Path) -> None:
    """Where the lock's file is something else, or a folder, that is said, and it is kept."""
    lock = database.with_name("race.db.lock")
    lock.write_text("Dear diary, " * 100, encoding="utf-8")
    assert refusal(database).params == {"cause": f"{database}: race.db.lock beside it: file is not a database"}
    assert lock.read_text(encoding="utf-8").startswith("Dear diary")
    lock.unlink()
    lock.mkdir()
    assert refusal(database).params == {"cause": f"{database}: race.db.lock beside it: unable to open database file"}


def test_lock_stays_empty_and_alone(database: Path) -> None:
    """What makes the lock exclusive is never written, and makes no other file."""
    owner = Ownership(database)
    assert files_in(database.parent) == {"race.db.lock"}
    owner.release()
    assert files_in(database.parent) == {"race.db.lock"}
    assert database.with_name("race.db.lock").stat().st_size == 0


def test_others_files_get_no_lock_beside_them(database: Path) -> None:
    """Neither a text nor another program's database is touched, migrated or given a lock."""
    database.write_text("root:x:0:0:root:/root:/bin/bash\n" * 30, encoding="utf-8")
    assert refusal(database).params == {"cause": f"{database}: file is not a database"}
    database.unlink()
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE bookmarks (address TEXT)")
    connection.close()
    before = database.read_bytes()
    assert refusal(database).reason is Reason.DATABASE_FOREIGN
    error = reader_refusal(database)
    assert (error.reason, error.params) == (Reason.DATABASE_FOREIGN, {"path": str(database)})
    assert database.read_bytes() == before
    assert files_in(database.parent) == {database.name}


@pytest.mark.parametrize(("version", "reason"), [("9999", "DATABASE_NEWER"), ("0001", "DATABASE_OLDER")])
def test_reader_tells_another_version(prepared: Path, version: str, reason: str) -> None:
    """Who only reads is told too whether program or database is the older one."""
    with sqlite3.connect(prepared) as connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (version,))
    connection.close()
    error = reader_refusal(prepared)
    assert error.reason == reason
    assert error.params == {"path": str(prepared), "version": version}


def test_paths_that_lead_nowhere_are_refused(tmp_path: Path) -> None:
    """The home of nobody, a link to itself and a NUL are no files."""
    (tmp_path / "loop.db").symlink_to(tmp_path / "loop.db")
    for where in ("~nosuchuser/x.db", tmp_path / "loop.db", "a\0b"):
        assert refusal(where).reason is Reason.BAD_DATABASE


def test_passwords_of_addresses_are_not_repeated() -> None:
    """Of an address that leads elsewhere only the kind is told."""
    assert refusal("postgresql://anna:sesame@host/races").params == {"url": "postgresql"}


async def test_id_that_is_no_text_is_nobodys(prepared: Path) -> None:
    """An id with bytes of no encoding, as a shell may pass them on, finds nothing."""
    reader = await Reader.open(prepared)
    assert await reader.record("\udcff") is None
    await reader.close()


@pytest.mark.parametrize("content", [b"", b"Dear diary, " * 100])
def test_failed_start_leaves_no_thread_behind(content: bytes, database: Path) -> None:
    """Where a database does not open, that is all that is said when the process ends."""
    database.write_bytes(content)
    program = """
import asyncio, sys
from server.log import StorageError
from server.storage.reader import Reader
from server.storage.store import Store
from tests.fake_clock import FakeClock
for open in (Reader.open, lambda where: Store.open(where, clock=FakeClock())):
    for where in sys.argv[1:]:
        try:
            asyncio.run(open(where))
        except StorageError:
            print("refused")
"""
    command = [sys.executable, "-c", program, str(database.parent), str(database.parent / "no" / "x.db")]
    ended = subprocess.run(
        [*command, *([str(database)] if content else [])], capture_output=True, text=True, timeout=60, check=True
    )
    assert ended.stderr == ""
    assert set(ended.stdout.split()) == {"refused"}
