"""What befalls the file of a server: no room on the disk, others who hold it, parts of it gone, a step cut short."""

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TypeAlias

import pytest

from server.log import StorageError
from server.storage.reader import Reader
from server.storage.store import Store
from shared.errors import Reason
from shared.protocol.codec import MsgpackCodec
from shared.protocol.messages import Began, Done, Hello, Play, Played, Refused, Start
from shared.protocol.values import Options
from tests.fake_clock import FakeClock
from tests.faults.mortal import ROOT, Brisk, Mortal
from tests.faults.test_server_killed import check_sound, entries_of
from tests.patience import GUARD_S
from tests.server.racing import SHUTTLE
from tests.server.storage.test_migrations import FIRST_RACES, at_step
from tests.server.storing import alter, prepare, query
from tests.server.visiting import Visitor

if sys.platform != "win32":
    import resource

SPARE = 40_000
"""Bytes that a disk has left."""

LOCK_S = 60
"""So long a server may wait for a lock, and for a busy machine besides."""

KEPT = 10
"""Entries that had reached the file itself when its -wal was lost."""


@asynccontextmanager
async def racing(server: Mortal) -> AsyncIterator[Visitor]:
    """Lend a player who races alone on a deal in which 02 and 20 may be played for ever."""
    hello = Hello(name="Anna", client="page", opens=True, options=Options(code=SHUTTLE))
    try:
        await server.start()
        async with Visitor(server.url, hello, MsgpackCodec.subprotocol) as anna:
            assert isinstance(await anna.ask(Start(countdown=1)), Done)
            await anna.hears(Began)
            yield anna
    finally:
        await server.end()


async def shuttle(player: Visitor) -> bool:
    """Play the next move; return whether it was taken, and if not see that it was refused for the right reason."""
    answer = await player.ask(Play(ply=0, move="20" if player.view.ply % 2 else "02"))
    if isinstance(answer, Played):
        return True
    assert isinstance(answer, Refused)
    assert answer.reason == Reason.NOT_STORED
    return False


async def logged(database: Path, race: str) -> list[str]:
    """Return the entries of the one who races, as the file has them."""
    reader = await Reader.open(database)
    try:
        stored = await reader.race(race)
        assert stored
        (entries,) = (await entries_of(reader, stored)).values()
    finally:
        await reader.close()
    return entries


# No room


async def check_full(server: Mortal, fill: Callable[[], None], free: Callable[[], None]) -> None:
    """Play until the disk is full, then until there is room again; nothing is said that is not so."""
    async with racing(server) as anna:
        fill()
        for _ in range(1_000):
            if not await shuttle(anna):
                break
        else:
            pytest.fail("it is never full")
        assert [await shuttle(anna) for _ in range(3)] == [False] * 3
        assert await logged(server.database, anna.view.race) == anna.log
        free()
        assert await shuttle(anna)
        await server.kill()
        assert await logged(server.database, anna.view.race) == anna.log
        check_sound(server.database)
        assert "failed" in server.log
        assert "Traceback" not in server.log


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such limit")
async def test_file_that_may_not_grow_costs_no_move(database: Path) -> None:
    """Where files may not grow any more moves are refused, and taken again once they may; none is lost or doubled."""
    server = Brisk(database)

    def limit(size: int) -> None:
        _, hard = resource.prlimit(server.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (size, hard))

    def fill() -> None:
        limit(Path(f"{database}-wal").stat().st_size + SPARE)

    await check_full(server, fill, lambda: limit(resource.RLIM_INFINITY))


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system of two megabytes, where this process may make one."""
    folder = tmp_path / "small"
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)], check=False, capture_output=True
    )
    if made.returncode:
        pytest.skip("only root may mount")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.skipif(not shutil.which("mount"), reason="there is no mount here")
async def test_full_disk_costs_no_move(small: Path) -> None:
    """On a disk that is really full the same holds; and a server that starts on it says why it does not."""
    database, filler = small / "race.db", small / "filler"

    def fill(spare: int = SPARE) -> None:
        left = os.statvfs(small)
        filler.write_bytes(bytes(max(0, left.f_bavail * left.f_frsize - spare)))

    await check_full(Brisk(database, log=small.with_name("server.log")), fill, filler.unlink)
    before = query(database, "SELECT entry FROM log ORDER BY seq")
    fill(0)
    assert why_not(database).endswith(", and no room is left on its disk.")
    filler.unlink()
    server = Brisk(database)
    try:
        await server.start()
        await server.stop()
    finally:
        await server.end()
    assert query(database, "SELECT entry FROM log WHERE entry <> 'clock' ORDER BY seq") == [
        entry for entry in before if entry != ("clock",)
    ]


# Held


@contextmanager
def held(database: Path) -> Iterator[None]:
    """Let another process write to *database*, and not come to an end with it."""
    program = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('BEGIN IMMEDIATE'); print(); input()"
    with subprocess.Popen(
        [sys.executable, "-c", program, str(database)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert process.stdin
        process.stdout.readline()
        try:
            yield
        finally:
            process.stdin.close()
            process.kill()


@pytest.mark.long
async def test_database_that_another_process_holds_costs_no_move(database: Path) -> None:
    """Who plays meanwhile is refused when waiting is over; a server that starts says why it does not."""
    other = database.with_name("other.db")
    prepare(other)
    async with racing(Brisk(database)) as anna:
        assert await shuttle(anna)
        with held(database), held(other):
            starting = asyncio.create_task(asyncio.to_thread(why_not, other))
            async with asyncio.timeout(LOCK_S):
                assert not await shuttle(anna)
            assert await starting == f"samedeal: The database can't be used: {other}: database is locked."
        assert await shuttle(anna)
        assert await logged(database, anna.view.race) == anna.log == ["02", "20"]


# Gone, or other than it was


def why_not(database: Path) -> str:
    """Return the one line with which a server says why it does not start."""
    ended = subprocess.run(
        [sys.executable, "-m", "samedeal", "serve", "--port", "0", "--database", str(database)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=GUARD_S,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (1, "")
    (line,) = ended.stderr.splitlines()
    return line


Killed: TypeAlias = tuple[Path, list[str]]
"""A database, and what was acknowledged of the race in it."""


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Killed:
    """The database of a server that was killed in mid-race, to be copied."""
    database = tmp_path_factory.mktemp("killed") / "race.db"

    async def play() -> list[str]:
        server = Brisk(database)
        async with racing(server) as anna:
            for _ in range(30):
                assert await shuttle(anna)
            await server.kill()
            return anna.log

    return database, asyncio.run(play())


def copied(database: Path, folder: Path) -> Path:
    """Return a copy of a database with what lies beside it."""
    for path in database.parent.glob("race.db*"):
        shutil.copy(path, folder)
    return folder / database.name


async def found_by_start(database: Path) -> list[str]:
    """Return the entries of the one race that a start finds unfinished; none where it finds no race."""
    store = await Store.open(database, clock=FakeClock())
    try:
        return [row.entry for race in await store.live_races() for row in race.rows if row.attempt]
    finally:
        await store.close()


def lose_log(database: Path) -> None:
    """Take away what was written beside the file of a killed server, and not into it."""
    Path(f"{database}-wal").unlink()


def test_log_of_writes_that_is_gone_takes_what_stood_in_it(killed: Killed, tmp_path: Path) -> None:
    """
    Without its -wal a killed server's database is what it was at some moment before, here ahead of the race: sound,
    and a start finds no race.
    """
    database = copied(killed[0], tmp_path)
    lose_log(database)
    assert asyncio.run(found_by_start(database)) == []
    check_sound(database)


async def test_race_whose_log_of_writes_is_gone_goes_on_from_what_is_left(database: Path) -> None:
    """
    The same where the file had a part of the race: none of that is lost, or in another place, and the player, who is
    shown how far it has come, plays on from there.
    """
    server = Brisk(database)
    async with racing(server) as anna:
        for _ in range(KEPT):
            assert await shuttle(anna)
        assert query(database, "PRAGMA wal_checkpoint")[0][0] == 0
        for _ in range(5):
            assert await shuttle(anna)
        await server.kill()
        lose_log(database)
        assert await logged(database, anna.view.race) == anna.log[:KEPT]
        check_sound(database)
        await server.start()
        async with anna.again() as back:
            assert (back.view.ply, back.view.playing) == (KEPT, True)
            del back.log[KEPT:]
            assert [await shuttle(back) for _ in range(3)] == [True] * 3
        await server.kill()
        assert await logged(database, back.view.race) == back.log
        check_sound(database)


@pytest.mark.parametrize("clean", [True, False], ids=["stopped", "killed"])
def test_file_that_was_cut_is_refused_by_its_name(killed: Killed, tmp_path: Path, *, clean: bool) -> None:
    """
    However much of the file is left, a start has all that was acknowledged, or says that the database is damaged. A
    file of one byte or none, with nothing beside it, is taken for a new one.
    """
    whole, log = copied(killed[0], tmp_path), killed[1]
    if clean:
        alter(whole, "UPDATE epochs SET started = started")  # whoever closes it last puts everything into one file
        assert not Path(f"{whole}-wal").exists()
    size, refused = whole.stat().st_size, 0
    for length in (0, 1, 99, 100, 512, 4_095, *range(4_096, size, 3 * 4_096), size - 1):
        folder = tmp_path / str(length)
        folder.mkdir()
        database = copied(whole, folder)
        os.truncate(database, length)
        cause = cause_of(database)
        if cause is None:
            assert asyncio.run(found_by_start(database)) == ([] if clean and length < 2 else log), length
        else:
            assert cause.startswith(f"{database}: "), length
            refused += 1
    assert refused > 5


def cause_of(database: Path) -> str | None:
    """Return why a start does not have *database*."""
    try:
        asyncio.run(found_by_start(database))
    except StorageError as error:
        return str(error.params["cause"])
    return None


# A step cut short


@pytest.mark.skipif(not hasattr(os, "fork"), reason="it is killed between fork and end")
@pytest.mark.parametrize("later", [6, pytest.param(1, marks=pytest.mark.soak)])
def test_step_that_is_killed_anywhere_is_taken_by_the_next_start(tmp_path: Path, later: int) -> None:
    """Whatever statement is the last that a process gets to, the next one brings the database up to date, all of it."""
    older = at_step(tmp_path / "older.db", "0001")
    with older:
        older.executescript(FIRST_RACES)
    older.close()
    folder = tmp_path / "killed"
    folder.mkdir()
    command = [sys.executable, "-m", "tests.faults.migrating", str(tmp_path / "older.db"), str(folder), str(later)]
    subprocess.run(command, cwd=ROOT, check=True, timeout=300)
    assert any(path.stat().st_size for path in folder.glob("*-journal")), "pages of a step had reached the file"
    databases = sorted(folder.glob("*.db"))
    assert len(databases) > 10
    for database in databases:
        assert asyncio.run(found_by_start(database)) == ["26"]
        assert query(database, "SELECT id FROM attempts ORDER BY id") == [("done",), ("goes on",)]
        check_sound(database)
