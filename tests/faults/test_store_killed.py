"""A process that is killed in the middle of its appends."""

import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from server.log import StorageError
from server.storage.rebuild import rebuild
from server.storage.store import Store
from shared.errors import Reason
from tests.fake_clock import FakeClock
from tests.server.storing import opened_store, query, swept

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


@pytest.mark.parametrize("kills", [3, pytest.param(50, marks=pytest.mark.soak)])
async def test_what_is_acknowledged_outlives_every_kill(tmp_path: Path, kills: int) -> None:
    """
    After each kill -9 the logs hold what was acknowledged, each row once and without a gap, and go on from there; rooms
    are as they were last acknowledged or later, and the boards are what the attempts that have ended come to.
    """
    path = tmp_path / "race.db"
    chance = random.Random(3)
    rows: dict[str, int] = {}
    told: list[tuple[str, str]] = []
    for epoch in range(1, kills + 1):
        others: list[tuple[str, str]] = []
        for what, race, *count in acknowledged(path, chance.randrange(20, 800)):
            if count:
                rows[race] = max(rows.get(race, 0), int(count[0]))
            else:
                others.append((what, race))

        async with opened_store(path) as store:
            assert store.epoch == 2 * epoch
            live = {each.race.race: len(each.rows) for each in await store.live_races()}
            assert {race: min(count, live[race]) for race, count in rows.items()} == rows
            kept = dict(await store.read.rooms())["SHORT"]
            assert all(order(kept) >= order(race) for what, race in others if what == "room")
            told += others
            await check_short_races(store, told if epoch == kills else others)
            assert (await rebuild(store, mends=False)).differences == []
            await swept(store)
        assert query(path, "PRAGMA integrity_check") == [("ok",)]
    assert len(rows) == 8
    assert {what for what, _ in told} == {"room", "race", "end", "finish"}


async def check_short_races(store: Store, told: list[tuple[str, str]]) -> None:
    """Check that what was acknowledged of short races is there."""
    for what, race in told:
        if what != "room":
            found = await store.read.race(race)
            assert found is not None
            assert what != "end" or found.attempts[0].won
            assert what != "finish" or (found.finished and found.attempts[0].place == 1)


def order(race: str) -> list[int]:
    """Return what puts short races in their order: the epoch, and the number in it."""
    return [int(part) for part in race.split("-")]


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
