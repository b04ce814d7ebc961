"""Backups, made while a server writes, and restored."""

import asyncio
import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from server.log import Batch, StorageError
from server.storage.backup import backup
from server.storage.database import Ownership, migrate
from server.storage.reader import Reader
from shared.errors import Reason
from tests.server.storing import alter, begin, end, finish, opened_store, people, play, query, rows_in

SERVER, STRANGER = 65_533, 65_532
"""Users that nobody is."""


def files_in(folder: Path) -> set[str]:
    """Return the names of all files in *folder*."""
    return {path.name for path in folder.iterdir()}


def is_sound(path: Path) -> bool:
    """Return whether SQLite finds nothing wrong with a database."""
    return query(path, "PRAGMA integrity_check") == [("ok",)] and not query(path, "PRAGMA foreign_key_check")


def protect(path: Path) -> None:
    """Let only its owner read a file."""
    path.chmod(0o600)


def remove(path: Path) -> None:
    """Throw a database away, and forget what lies beside it."""
    path.unlink()


def tear(path: Path) -> None:
    """Overwrite the last pages of a database."""
    torn = bytearray(path.read_bytes())
    torn[-3 * 4096 :] = b"\xff" * 3 * 4096
    path.write_bytes(torn)


async def test_backup_has_what_was_acknowledged_while_a_server_writes(database: Path, tmp_path: Path) -> None:
    """
    Each backup made during play is sound, in one file, has every row that was acknowledged before it began, and no
    half of a commit; the server is never refused a write.
    """
    copy = tmp_path / "copies" / "copy.db"
    copy.parent.mkdir()
    written, before = 1, 0
    copying = True

    async def write() -> None:
        nonlocal written
        while copying:
            await store.append(play("race", written, 3))
            written += 3

    async with opened_store(database) as store:
        await people(store)
        await store.append(begin("race"))
        writing = asyncio.create_task(write())
        for _ in range(5):
            before = written
            await asyncio.to_thread(backup, database, copy)
            assert files_in(copy.parent) == {"copy.db"}
            rows = [seq for _, seq in rows_in(copy)]
            assert rows == list(range(len(rows)))
            assert len(rows) >= before
            assert len(rows) % 3 == 1
            assert is_sound(copy)
        copying = False
        await writing
    assert written > before


@pytest.mark.parametrize("thrown_away", [False, True])
async def test_restored_backup_goes_on_where_it_was_made(database: Path, tmp_path: Path, thrown_away: bool) -> None:
    """
    After a crash the backup is put back over the database, or where it was before someone threw it away: a server
    starts on it, its races go on, and nothing of the later time, not even what lies in a journal, is left.
    """
    copy = tmp_path / "copy.db"
    async with opened_store(database) as store:
        await people(store)
        await store.append(begin("live"))
        await store.append(play("live", 1, 4))
        await store.append(begin("over"))
        await store.append(Batch(ended=(end("over"),)))
        await store.append(finish("over", anna=1))
        await asyncio.to_thread(backup, database, copy)
        await store.append(play("live", 5, 9))
        for name in ("race.db", "race.db-wal", "race.db-shm"):  # as a killed server leaves them
            shutil.copy(database.with_name(name), tmp_path / f"killed-{name}")
    for name in ("race.db", "race.db-wal", "race.db-shm"):
        shutil.copy(tmp_path / f"killed-{name}", database.with_name(name))
    if thrown_away:
        remove(database)

    backup(copy, database)

    assert not database.with_name("race.db-wal").exists()
    async with opened_store(database) as store:
        live = await store.live_race("live")
        assert live is not None
        assert len(live.rows) == 5
        assert await store.read.record("over-anna") == b"record of over-anna"
        await store.append(play("live", 5))
        assert store.epoch == 2
    assert is_sound(database)


async def test_owned_database_is_not_replaced(database: Path, tmp_path: Path) -> None:
    """While a server runs nothing is copied over its database; the backup is refused and leaves nothing behind."""
    copy = tmp_path / "copy.db"
    async with opened_store(database) as store:
        await people(store)
        backup(database, copy)

        with pytest.raises(StorageError) as refused:
            backup(copy, database)

        assert refused.value.reason is Reason.DATABASE_HELD
        await store.append(begin("race"))
    assert not any("part" in name for name in files_in(tmp_path))


async def test_restored_database_is_free_again(database: Path, tmp_path: Path) -> None:
    """Restoring holds the database only as long as it lasts."""
    copy = tmp_path / "copy.db"
    async with opened_store(database):
        backup(database, copy)
    backup(copy, database)

    Ownership(database).release()


async def test_backup_replaces_an_older_one(database: Path, tmp_path: Path) -> None:
    """A backup to the same file has the newer state, and no lock or journal beside it."""
    folder = tmp_path / "copies"
    folder.mkdir()
    async with opened_store(database) as store:
        await people(store)
        backup(database, folder / "copy.db")
        await store.append(begin("race"))
        backup(database, folder / "copy.db")

    assert rows_in(folder / "copy.db") == [(1, 0)]
    assert files_in(folder) == {"copy.db"}


async def test_backup_needs_no_file_beside_it(database: Path, tmp_path: Path) -> None:
    """A backup can be read where nothing can be written: it asks for no journal of its own."""
    async with opened_store(database):
        backup(database, tmp_path / "copy.db")

    connection = sqlite3.connect(f"{(tmp_path / 'copy.db').as_uri()}?mode=ro", uri=True)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    connection.close()


async def test_backup_is_readable_by_the_same_people(database: Path, tmp_path: Path) -> None:
    """A database that only its owner may read has backups that only its owner may read."""
    async with opened_store(database):
        pass
    protect(database)

    backup(database, tmp_path / "copy.db")

    assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o600


@pytest.fixture
def theirs() -> Iterator[Path]:
    """The place of a database in a folder of a user whom a server runs as, while we are root."""
    if os.name != "posix" or os.geteuid() != 0:
        pytest.skip("only root can make files for others")
    with TemporaryDirectory() as name:
        os.chown(name, SERVER, SERVER)
        yield Path(name) / "race.db"


def owner(path: Path) -> tuple[int, int, int]:
    """Return whose a file is, and who may do what with it."""
    found = path.stat()
    return found.st_uid, found.st_gid, found.st_mode & 0o777


def serves(path: Path) -> bool:
    """Return whether the user whom the server runs as can own and write a database."""
    os.seteuid(SERVER)
    try:
        Ownership(path).release()
        alter(path, "UPDATE alembic_version SET version_num = version_num")
    finally:
        os.seteuid(0)
    return True


@pytest.mark.parametrize("thrown_away", [False, True])
def test_root_restores_a_database_to_its_owner(prepared: Path, theirs: Path, thrown_away: bool) -> None:
    """
    Owner and mode of the file that is replaced stay; where it is gone its lock tells whose it was. The server can
    write to it as before.
    """
    asyncio.run(migrate(theirs))
    Ownership(theirs).release()
    theirs.chmod(0o640)
    before = owner(theirs)
    if thrown_away:
        remove(theirs)

    backup(prepared, theirs)

    assert owner(theirs)[:2] == before[:2] == (SERVER, SERVER)
    assert thrown_away or owner(theirs) == before
    assert serves(theirs)


def test_what_root_makes_in_a_folder_is_its_owners(theirs: Path) -> None:
    """A new database and the lock of one lock no server out; where the folder is root's they are root's."""
    asyncio.run(migrate(theirs))
    Ownership(theirs).release()

    assert {owner(path)[:2] for path in theirs.parent.iterdir()} == {(SERVER, SERVER)}
    assert serves(theirs)


def test_database_of_someone_else_is_not_taken_from_them(prepared: Path, theirs: Path) -> None:
    """Who may write to the folder, but can't give files away, is told so; nothing is changed."""
    asyncio.run(migrate(theirs))
    theirs.parent.chmod(0o777)
    theirs.chmod(0o666)
    copy = theirs.with_name("copy.db")
    backup(prepared, copy)
    os.chown(copy, STRANGER, STRANGER)
    before = theirs.read_bytes()
    os.seteuid(STRANGER)
    try:
        with pytest.raises(StorageError, match="belongs to someone else"):
            backup(copy, theirs)
    finally:
        os.seteuid(0)
    assert theirs.read_bytes() == before


async def test_what_is_no_database_of_ours_is_neither_copied_nor_replaced(database: Path, tmp_path: Path) -> None:
    """A source that is missing or of something else is refused; so is a target of something else, or the same."""
    async with opened_store(database):
        pass
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear diary, " * 100)
    other = tmp_path / "other.db"
    sqlite3.connect(other).execute("CREATE TABLE mine (thing TEXT)").connection.close()
    link = tmp_path / "link.db"
    link.symlink_to(database)
    before = {path: path.read_bytes() for path in (database, letter, other)}

    for source, target in [
        (tmp_path / "nowhere.db", tmp_path / "copy.db"),
        (letter, tmp_path / "copy.db"),
        (other, tmp_path / "copy.db"),
        (database, letter),
        (database, other),
        (database, database),
        (database, link),
        (database, tmp_path),
        (database, tmp_path / "no" / "copy.db"),
    ]:
        with pytest.raises(StorageError) as refused:
            backup(source, target)
        reason = Reason.DATABASE_FOREIGN if other in (source, target) else Reason.BAD_DATABASE
        assert refused.value.reason is reason

    assert {path: path.read_bytes() for path in before} == before
    assert not (tmp_path / "copy.db").exists()


@pytest.mark.parametrize("ending", ["-wal", "-shm", "-journal", ".lock", ".part"])
def test_files_beside_a_database_are_no_copies_of_it(prepared: Path, ending: str) -> None:
    """
    A copy that took such a name would be thrown away by the next server; a database that has one is not thrown away
    by its own copying, be it what an interrupted copying has left.
    """
    beside = prepared.with_name(f"{prepared.name}{ending}")
    with pytest.raises(StorageError, match="belongs to the other file"):
        backup(prepared, beside)
    assert not beside.exists()

    prepared.rename(beside)
    before = beside.read_bytes()
    with pytest.raises(StorageError, match="belongs to the other file"):
        backup(beside, prepared)
    assert beside.read_bytes() == before
    assert not prepared.exists()


def test_place_without_a_folder_is_named(prepared: Path, tmp_path: Path) -> None:
    """Where the copy can't be made, that is said of the copy, not of the database."""
    with pytest.raises(StorageError) as refused:
        backup(prepared, tmp_path / "no" / "copy.db")
    assert refused.value.params == {"cause": f"{tmp_path / 'no' / 'copy.db'}: unable to open database file"}


async def test_damaged_database_does_not_replace_a_good_backup(database: Path, tmp_path: Path) -> None:
    """A copy in which SQLite finds damage is thrown away: the older backup stays."""
    copy = tmp_path / "copy.db"
    async with opened_store(database) as store:
        await people(store)
        await store.append(begin("race"))
        await store.append(play("race", 1, 2_000))
    backup(database, copy)
    good = copy.read_bytes()
    tear(database)

    with pytest.raises(StorageError) as refused:
        backup(database, copy)

    assert "damaged" in str(refused.value)
    assert copy.read_bytes() == good


async def test_reader_reads_a_backup(database: Path, tmp_path: Path) -> None:
    """A backup is a database like any other, for all who only read."""
    async with opened_store(database) as store:
        await people(store)
    backup(database, tmp_path / "copy.db")

    reader = await Reader.open(tmp_path / "copy.db")
    assert await reader.rooms() == (("room", "{}"),)
    await reader.close()
