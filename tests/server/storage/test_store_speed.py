"""What a row of the log costs: the store beside the bare driver, in turn, in one run."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median

import aiosqlite
import pytest
import uvloop

from server.log import Batch, LogRow
from server.storage.commit import insertion
from server.storage.store import Store
from tests.server.storing import begin, moves, opened_store, people

BATCH, COMMITS, ROUNDS = 30, 1_000, 5

Commit = Callable[[tuple[LogRow, ...]], Awaitable[object]]


async def cpu_us(commit: Commit) -> float:
    """Return the processor's microseconds for a row, in this process, at BATCH rows a commit."""
    batches = [moves("race", 1 + BATCH * number, BATCH) for number in range(COMMITS)]
    before = time.process_time()
    for rows in batches:
        await commit(rows)
    return (time.process_time() - before) / (BATCH * COMMITS) * 1e6


async def bare_us(path: Path) -> float:
    """Measure the least that the driver takes: one insert of all rows, which begins and commits by itself."""
    async with aiosqlite.connect(path, isolation_level=None) as driver:
        await driver.execute("PRAGMA journal_mode = WAL")
        await driver.execute("PRAGMA synchronous = FULL")
        await driver.execute(
            "CREATE TABLE log (id INTEGER PRIMARY KEY, race INTEGER, seq INTEGER, epoch INTEGER, "
            "attempt TEXT, at_ms INTEGER, entry TEXT)"
        )

        async def commit(rows: tuple[LogRow, ...]) -> None:
            values: list[str | int | None] = []
            for row in rows:
                values += (1, row.seq, 1, row.attempt, row.at_ms, row.entry)
            await driver.execute(insertion(len(values)), values)

        return await cpu_us(commit)


async def store_us(path: Path, append: Callable[[Store, tuple[LogRow, ...]], Awaitable[object]]) -> float:
    """Measure the store, each BATCH rows handed over by *append*."""
    async with opened_store(path) as store:
        await people(store)
        await store.append(begin("race"))
        return await cpu_us(lambda rows: append(store, rows))


def as_one(store: Store, rows: tuple[LogRow, ...]) -> Awaitable[object]:
    """Append *rows* as one room's batch."""
    return store.append(Batch(rows=rows))


def as_many(store: Store, rows: tuple[LogRow, ...]) -> Awaitable[object]:
    """Append *rows* as many rooms would, one each."""
    return asyncio.gather(*(store.append(Batch(rows=(row,))) for row in rows))


@pytest.mark.bench
def test_row_costs_little_more_than_the_driver_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """At thirty rows a commit the store takes at most a third more of the processor than the bare driver."""
    bare, one, many = [], [], []
    for number in range(ROUNDS):
        bare.append(uvloop.run(bare_us(tmp_path / f"bare{number}.db")))
        one.append(uvloop.run(store_us(tmp_path / f"one{number}.db", as_one)))
        many.append(uvloop.run(store_us(tmp_path / f"many{number}.db", as_many)))

    with capsys.disabled():
        print(f"\nCPU of a row at {BATCH} rows a commit: driver {median(bare):.2f} us, ", end="")
        print(f"store {median(one):.2f} us, {BATCH} callers (their tasks included) {median(many):.2f} us")
    assert median(ours / theirs for ours, theirs in zip(one, bare, strict=True)) <= 1.34
