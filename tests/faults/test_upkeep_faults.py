"""Work on a database that takes several commits: cut short anywhere, it is finished by asking again."""

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from server.log import Batch, StorageError
from server.storage import belongings, imports, rebuild
from server.storage.store import Store
from tests.faults.failing import Fault
from tests.server.racing import winning_line
from tests.server.storage.test_belongings import recorded
from tests.server.storage.test_imports import record, texts
from tests.server.storing import ANNA, alter, begin, finish, opened_store, people, query

Work = Callable[[Store], Awaitable[object]]

COUNT = 5
"""Attempts, or records: three pages of two, so three commits."""


async def importing(store: Store) -> None:
    """Import records."""
    moves = winning_line("simple-simon")[1][:2]
    records = (record(f"Player {number}", moves, told=False) for number in range(COUNT))
    async for _ in imports.import_records(store, texts(*records)):
        pass


async def deleting(store: Store) -> None:
    """Delete Anna."""
    await belongings.forget(store, ANNA.id)


WORKS: dict[str, Work] = {"import": importing, "delete": deleting, "rebuild": rebuild.rebuild}

TABLES = ("players", "attempts", "tallies", "opened")


def rows_of(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return everything that such work may change."""
    return {name: query(path, f"SELECT * FROM {name} ORDER BY 1, 2, 3") for name in TABLES}


@pytest.fixture(scope="module")
def wrong(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with many attempts of Anna, all of whose results and tallies have been altered."""
    path = tmp_path_factory.mktemp("wrong") / "race.db"
    asyncio.run(played(path))
    alter(path, "UPDATE attempts SET score = 1, moves = 9")
    alter(path, "UPDATE tallies SET attempts = 1")
    return path


async def played(path: Path) -> None:
    """Store COUNT races of Anna."""
    async with opened_store(path) as store:
        await people(store)
        races = [f"r{number:03}" for number in range(COUNT)]
        await asyncio.gather(*(store.append(begin(race, who=(ANNA,), ranked=True)) for race in races))
        await asyncio.gather(*(store.append(Batch(ended=(recorded(race),))) for race in races))
        await asyncio.gather(*(store.append(finish(race)) for race in races))


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("work", WORKS)
async def test_work_that_was_cut_short_is_finished_by_asking_again(
    wrong: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, work: str, after: bool
) -> None:
    """Whichever call to the database fails, done or not, the second time leads to what one time leads to."""
    for module in (belongings, imports, rebuild):
        monkeypatch.setattr(module, "PAGE", 2)
    whole = tmp_path / "whole.db"
    shutil.copy(wrong, whole)
    async with opened_store(whole) as store:
        await WORKS[work](store)
    right = rows_of(whole)
    assert right != rows_of(wrong)

    failures, struck, at = 0, True, 0
    while struck:
        at += 1
        path, fault = tmp_path / f"{at}.db", Fault(at=0, after=after)
        shutil.copy(wrong, path)
        async with opened_store(path, factory=fault.factory()) as store:
            fault.at = fault.calls + at
            try:
                await WORKS[work](store)
            except StorageError:
                failures += 1
            struck, fault.at = fault.struck, 0
            await WORKS[work](store)
        assert rows_of(path) == right, at
    assert failures > 5
