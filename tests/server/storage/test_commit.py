"""How writes are committed: together, at once, and told to each who waits."""

import asyncio
import sqlite3
from pathlib import Path

import pytest

from server.clock import utc_text
from server.log import Batch, StorageError
from server.storage import commit
from server.storage.store import Store
from shared.errors import Reason
from tests.fake_clock import FakeClock
from tests.server.storing import begin, opened_store, people, play, query, rows_in


def most_values() -> int:
    """Return how many values SQLite, as it was built here, takes in one statement."""
    connection = sqlite3.connect(":memory:")
    most = connection.getlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER)
    connection.close()
    return most


async def test_large_batch_is_one_commit(database: Path) -> None:
    """More rows than SQLite takes in one insert are written all the same."""
    async with opened_store(database) as store:
        await people(store)
        await store.append(begin("race"))
        count = most_values() // len(commit.COLUMNS) + 1

        await store.append(play("race", 1, count))

        assert rows_in(database) == [(1, seq) for seq in range(count + 1)]


async def test_empty_batch_is_stored_at_once(database: Path) -> None:
    """A batch without anything in it is no error."""
    async with opened_store(database) as store:
        await store.append(Batch())


async def test_commits_collect_while_one_is_under_way(database: Path) -> None:
    """Fifty callers in one turn of the loop share a commit, and each finds its row there when it returns."""
    commits: list[int] = []

    class Counting(sqlite3.Connection):
        def execute(self, sql: str, *parameters: object) -> sqlite3.Cursor:
            if sql.startswith("INSERT INTO log"):
                commits.append(sql.count("?") // len(commit.COLUMNS))
            return super().execute(sql, *parameters)  # type: ignore[arg-type]  # as it was called

    async def append(race: str) -> None:
        await store.append(play(race, 1))
        assert (int(race), 1) in rows_in(database)

    async with opened_store(database, factory=Counting) as store:
        await people(store)
        for race in range(1, 51):
            await store.append(begin(str(race)))
        commits.clear()

        await asyncio.gather(*(append(str(race)) for race in range(1, 51)))

    assert commits == [50]


async def test_cancelled_caller_stops_nobody(database: Path) -> None:
    """A caller that gives up while its commit is under way changes neither the commit nor the others' answers."""
    async with opened_store(database) as store:
        await people(store)
        await store.append(begin("race"))
        impatient = asyncio.create_task(store.append(play("race", 1)))
        patient = asyncio.create_task(store.append(play("race", 2)))
        await asyncio.sleep(0)

        impatient.cancel()
        await patient

        assert impatient.cancelled()
        assert rows_in(database) == [(1, 0), (1, 1), (1, 2)]


async def test_rows_name_the_start_that_wrote_them(database: Path) -> None:
    """Each start of a server is an epoch of its own, dated, and its rows carry it."""
    clock = FakeClock()
    for epoch in (1, 2):
        store = await Store.open(database, clock=clock)
        if epoch == 1:
            await people(store)
            await store.append(begin("race"))
        await store.append(play("race", epoch))
        assert store.epoch == epoch
        await store.close()
        clock.advance(1_000)

    assert query(database, "SELECT seq, epoch FROM log") == [(0, 1), (1, 1), (2, 2)]
    assert query(database, "SELECT * FROM epochs") == [
        (1, utc_text(FakeClock().wall_ms())),
        (2, utc_text(FakeClock().wall_ms() + 1_000)),
    ]


async def test_closing_writes_what_is_waiting_and_takes_no_more(database: Path) -> None:
    """What was handed in before the end is on the disk after it, also what waited for a commit; nothing later is."""
    async with opened_store(database) as store:
        await people(store)
        await store.append(begin("race"))
        under_way = asyncio.create_task(store.append(play("race", 1)))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        waiting = asyncio.create_task(store.append(play("race", 2)))
        await asyncio.sleep(0)
        closing = asyncio.create_task(store.close())
        await asyncio.sleep(0)
        assert not under_way.done()

        await closing

    assert under_way.done()
    assert waiting.done()
    assert rows_in(database) == [(1, 0), (1, 1), (1, 2)]
    with pytest.raises(StorageError) as refused:
        await store.append(play("race", 3))
    assert refused.value.reason is Reason.NOT_STORED
