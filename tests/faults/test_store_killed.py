"""A process that is killed in the middle of its appends."""

import random
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from server.log import StorageError
from server.store import Store
from shared.errors import Reason
from tests.fake_clock import FakeClock
from tests.server.storing import opened_store, swept

ROOT = Path(__file__).parents[2]


@contextmanager
def appending(path: Path) -> Iterator["subprocess.Popen[str]"]:
    """Lend a process that appends to *path*, once it has begun to; kill it at the end."""
    command = [sys.executable, "-m", "tests.faults.appending", str(path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def acknowledged(path: Path, enough: int) -> list[list[str]]:
    """Return what a process says that it has written, killed after *enough* lines and read to its last one."""
    with appending(path) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(enough)]
        process.kill()
        lines += process.stdout.readlines()
    assert process.returncode == -9
    return [line.split() for line in lines if line.endswith("\n")]


def stored(path: Path) -> set[tuple[str, str]]:
    """Return what another program finds of the begins and ends of races, as the process names them."""
    connection = sqlite3.connect(path)
    found = connection.execute(
        """
        SELECT 'race', id FROM races UNION SELECT 'end', race FROM attempts WHERE won AND record IS NOT NULL
        UNION SELECT 'finish', races.id FROM races JOIN attempts ON race = races.id WHERE finished <> '' AND place = 1
        """
    ).fetchall()
    connection.close()
    return set(found)


def checked(path: Path) -> str:
    """Return what SQLite finds wrong with the file, or "ok"."""
    connection = sqlite3.connect(path)
    (found, *_), *_ = connection.execute("PRAGMA integrity_check").fetchall()
    connection.close()
    return str(found)


@pytest.mark.parametrize("kills", [3, pytest.param(50, marks=pytest.mark.soak)])
async def test_what_is_acknowledged_outlives_every_kill(tmp_path: Path, kills: int) -> None:
    """
    After each kill -9 the logs hold what was acknowledged, each row once and without a gap, and go on from there.
    """
    path = tmp_path / "race.db"
    chance = random.Random(3)
    rows: dict[str, int] = {}
    others: set[tuple[str, str]] = set()
    for epoch in range(1, kills + 1):
        for what, race, *count in acknowledged(path, chance.randrange(20, 800)):
            if count:
                rows[race] = max(rows.get(race, 0), int(count[0]))
            else:
                others.add((what, race))

        async with opened_store(path) as store:
            assert store.epoch == 2 * epoch
            live = {each.race.race: len(each.rows) for each in await store.read.live_races()}
            assert {race: min(count, live[race]) for race, count in rows.items()} == rows
            assert others <= stored(path)
            await swept(store)
        assert checked(path) == "ok"
    assert len(rows) == 8
    assert {what for what, _ in others} == {"race", "end", "finish"}


async def test_killed_owner_leaves_the_database_free(tmp_path: Path) -> None:
    """While a process owns the database no other gets it; the instant it is killed the next one may."""
    path = tmp_path / "race.db"
    with appending(path) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        with pytest.raises(StorageError) as refused:
            await Store.open(path, clock=FakeClock())
        assert refused.value.reason is Reason.DATABASE_HELD

    async with opened_store(path) as store:
        assert store.epoch == 2
