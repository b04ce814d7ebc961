"""The file, its owner and those who only read it."""

import sqlite3
from pathlib import Path

import pytest

from migrations.schema import log
from server.log import Batch, StorageError
from server.reader import Reader
from server.store import Store
from shared.errors import Reason
from tests.fake_clock import FakeClock
from tests.server.storing import begin, end, opened_store, people


def files_in(directory: Path) -> set[str]:
    """Return the names of all files in *directory*."""
    return {path.name for path in directory.iterdir()}


async def test_commits_are_on_the_disk_before_they_are_acknowledged(database: Path) -> None:
    """The connection that writes has the settings that durability rests on."""
    async with opened_store(database) as store:
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
    assert "version None" in str(refused.value)


@pytest.mark.parametrize("name", ["plain.db", "two words.db", "a?b#c%20d.db", "Bär 🂡.db", "file:x.db"])
async def test_any_name_of_a_file_will_do(tmp_path: Path, name: str) -> None:
    """Signs that mean something in addresses are only part of the name."""
    async with opened_store(tmp_path / name) as store:
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

    assert refused.value.reason is Reason.BAD_DATABASE


async def test_missing_directory_is_refused(tmp_path: Path) -> None:
    """A database in a directory that is not there is refused, and the directory is not made."""
    with pytest.raises(StorageError) as refused:
        await Store.open(tmp_path / "no" / "race.db", clock=FakeClock())

    assert refused.value.reason is Reason.BAD_DATABASE
    assert not (tmp_path / "no").exists()
