"""What the store says when SQLite fails at any of its calls, and whether that is true."""

import asyncio
import sqlite3
from collections.abc import Awaitable
from pathlib import Path

import pytest

from server.log import Batch, LogRow, Player, StorageError
from server.store import Store
from shared.errors import Reason
from tests.fake_clock import FakeClock
from tests.faults.failing import Fault
from tests.server.storing import begin, end, finish, opened_store, people, token_of

STORED = "stored"


class Races:
    """Three races that write like rooms do, one batch at a time each, and note what they were told."""

    def __init__(self, store: Store, number: int) -> None:
        self.store = store
        self.told: dict[str, str] = {}
        """What was to be written → STORED, NOT_STORED or MAYBE_STORED."""
        self.x, self.y, self.over = f"x{number}", f"y{number}", f"over{number}"
        self.rows = {self.x: 1, self.y: 1}
        """The seq of each race's next row."""

    async def run(self) -> None:
        """Play the races; what stands together is handed in in one turn of the loop and shares a commit."""
        append, over = self.store.append, self.over
        visitor = Player(f"visitor of {over}", "Eve")
        await asyncio.gather(
            self.tell(f"room of {over}", self.store.add_room(f"room of {over}")),
            self.tell(visitor.id, self.store.add_player(visitor, token_of(visitor))),
        )
        await asyncio.gather(*(self.tell(f"race {race}", append(begin(race))) for race in (self.x, self.y, over)))
        await self.reload(self.x, self.y)
        await asyncio.gather(self.move(self.x), self.move(self.y))
        await asyncio.gather(self.tell(f"end of {over}", append(Batch(ended=(end(over),)))), self.move(self.x))
        await asyncio.gather(self.tell(f"finish of {over}", append(finish(over, anna=1))), self.move(self.y))
        await self.move(self.x)

    async def tell(self, what: str, writing: Awaitable[None]) -> None:
        """Note what the store says of *writing*."""
        try:
            await writing
        except StorageError as error:
            self.told[what] = error.reason
        else:
            self.told[what] = STORED

    async def move(self, race: str) -> None:
        """Write the next row of *race*; if nobody knows whether it is there, look."""
        what = f"row {len(self.told)} of {race}"
        row = LogRow(race, self.rows[race], f"{race}-anna", 0, what)
        await self.tell(what, self.store.append(Batch(rows=(row,))))
        self.rows[race] += self.told[what] == STORED
        if self.told[what] == Reason.MAYBE_STORED:
            await self.reload(race)

    async def reload(self, *races: str) -> None:
        """Go on from what is stored."""
        for race in races:
            live = await self.store.live_race(race)
            self.rows[race] = len(live.rows) if live else 1


def stored(path: Path) -> set[str]:
    """Return what of all `Races` another program finds in the file, under the names that they gave it."""
    connection = sqlite3.connect(path)
    found = connection.execute(
        """
        SELECT id FROM rooms UNION SELECT id FROM players UNION SELECT 'race ' || id FROM races
        UNION SELECT entry FROM log UNION SELECT 'end of ' || race FROM attempts WHERE record IS NOT NULL
        UNION SELECT 'finish of ' || races.id FROM races JOIN attempts ON race = races.id
        WHERE finished <> '' AND place = 1
        """
    ).fetchall()
    connection.close()
    return {name for (name,) in found}


FAULTS = [
    pytest.param(False, sqlite3.SQLITE_IOERR_FSYNC, id="disk fails before"),
    pytest.param(True, sqlite3.SQLITE_IOERR_FSYNC, id="disk fails after"),
    pytest.param(False, sqlite3.SQLITE_BUSY, id="locked"),
]


@pytest.mark.parametrize(("after", "code"), FAULTS)
async def test_nobody_is_told_a_lie(tmp_path: Path, after: bool, code: int) -> None:
    """
    Whichever call fails: what was acknowledged is there, what was refused is not, and the store goes on.
    """
    path = tmp_path / "race.db"
    fault = Fault(at=0, after=after, code=code)
    told: dict[str, str] = {}
    async with opened_store(path, factory=fault.factory()) as store:
        await people(store)
        ahead = 0
        while fault.struck:
            ahead += 1
            races = Races(store, ahead)
            fault.at = fault.calls + ahead
            await races.run()
            told |= races.told
            there = stored(path)
            assert {what for what, said in told.items() if said == STORED} <= there
            assert not {what for what, said in told.items() if said == Reason.NOT_STORED} & there
    assert ahead > 25
    assert Reason.NOT_STORED in told.values()
    assert (Reason.MAYBE_STORED in told.values()) == (code != sqlite3.SQLITE_BUSY)

    async with opened_store(path) as store:
        assert {row.entry for live in await store.read.live_races() for row in live.rows} <= stored(path)


async def test_group_shares_its_fate(tmp_path: Path) -> None:
    """A failing commit is no success for any of those whom it was to serve, and the next one is."""
    fault = Fault(at=0)
    async with opened_store(tmp_path / "race.db", factory=fault.factory()) as store:
        await people(store)
        for race in ("a", "b", "c"):
            await store.append(begin(race))
        fault.at = fault.calls + 1
        batches = [Batch(rows=(LogRow(race, 1, None, 0, "clock"),)) for race in ("a", "b", "c")]

        told = await asyncio.gather(*(store.append(batch) for batch in batches), return_exceptions=True)

        assert [error.unknown for error in told if isinstance(error, StorageError)] == [True] * 3
        assert len({id(error) for error in told}) == 3
        assert [len(live.rows) for live in await store.read.live_races()] == [1, 1, 1]
        await asyncio.gather(*(store.append(batch) for batch in batches))
        assert [len(live.rows) for live in await store.read.live_races()] == [2, 2, 2]


async def test_begin_of_unknown_outcome_is_found_by_looking(tmp_path: Path) -> None:
    """A begin that was stored though its commit failed is there for `live_race` and goes on; another may begin anew."""
    for after in (True, False):
        fault = Fault(at=0, after=after)
        async with opened_store(tmp_path / f"{after}.db", factory=fault.factory()) as store:
            await people(store)
            fault.at = fault.calls + 6  # begin, the row, the race, its attempts, what they open, commit
            with pytest.raises(StorageError) as doubt:
                await store.append(begin("a"))

            live = await store.live_race("a")

            assert doubt.value.unknown
            assert (live is not None) == after
            await store.append(Batch(rows=(LogRow("a", 1, None, 0, "clock"),)) if after else begin("a"))


async def test_failed_transaction_is_not_committed_by_the_next(tmp_path: Path) -> None:
    """What a failed transaction had written is gone, even where its rollback fails, before another one commits."""
    fault = Fault(at=0)
    path = tmp_path / "race.db"

    class Stuck(fault.factory()):  # type: ignore[misc]  # made for this test
        def rollback(self) -> None:
            if fault.at:
                raise sqlite3.OperationalError("no rollback either")
            super().rollback()

    async with opened_store(path, factory=Stuck) as store:
        await people(store)
        await store.append(begin("a"))
        fault.at = fault.calls + 3  # begin, the row, the end
        with pytest.raises(StorageError) as refused:
            await store.append(Batch(rows=(LogRow("a", 1, "a-anna", 0, "26"),), ended=(end("a"),)))

        await store.append(Batch(rows=(LogRow("a", 1, "a-anna", 0, "35"),)))

        assert refused.value.reason is Reason.NOT_STORED
        live = await store.live_race("a")
        assert live is not None
        assert [row.entry for row in live.rows] == ["begin", "35"]
        assert await store.read.record("a-anna") is None


# Faults that SQLite itself makes


async def test_locked_database_refuses_and_recovers(tmp_path: Path) -> None:
    """While another program holds the file, writes are known not to be stored; after that they are."""

    class Impatient(sqlite3.Connection):
        def __init__(self, *where: str, **options: object) -> None:
            super().__init__(*where, **(options | {"timeout": 0.01}))  # type: ignore[arg-type]  # as they came

    path = tmp_path / "race.db"
    async with opened_store(path, factory=Impatient) as store:
        await people(store)
        await store.append(begin("a"))
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        for batch in (Batch(rows=(LogRow("a", 1, None, 0, "clock"),)), begin("b")):
            with pytest.raises(StorageError) as refused:
                await store.append(batch)
            assert refused.value.reason is Reason.NOT_STORED
        other.close()

        await store.append(Batch(rows=(LogRow("a", 1, None, 0, "clock"),)))

        live = await store.live_race("a")
        assert live is not None
        assert len(live.rows) == 2


async def test_full_database_refuses_and_recovers(tmp_path: Path) -> None:
    """When the file may not grow, writes fail without a lie, what was there stays, and room lets them go on."""

    class Full(sqlite3.Connection):
        pages = 0

        def execute(self, *statement: object) -> sqlite3.Cursor:
            if Full.pages:
                super().execute(f"PRAGMA max_page_count = {Full.pages}")
            return super().execute(*statement)  # type: ignore[arg-type]  # as they came

    path = tmp_path / "race.db"
    async with opened_store(path, factory=Full) as store:
        await people(store)
        await store.append(begin("a"))
        Full.pages = 1  # SQLite takes it for the number that there are: no page more
        acknowledged, told = await filled(store, "a")

        live = await store.live_race("a")
        assert live is not None
        assert told.unknown
        assert len(live.rows) == acknowledged
        Full.pages = 1_000_000
        await store.append(Batch(rows=(LogRow("a", acknowledged, None, 0, "x" * 500),)))


async def filled(store: Store, race: str) -> tuple[int, StorageError]:
    """Append rows to *race* until one fails; return how many it has and the error."""
    for seq in range(1, 1_000):
        try:
            await store.append(Batch(rows=(LogRow(race, seq, None, 0, "x" * 500),)))
        except StorageError as error:
            return seq, error
    pytest.fail("the database is never full")


async def test_entry_that_cannot_be_bound_is_refused(tmp_path: Path) -> None:
    """Text that has no UTF-8 form and a number beyond SQLite's are known not to be stored."""
    async with opened_store(tmp_path / "race.db") as store:
        await people(store)
        await store.append(begin("a"))
        for row in (LogRow("a", 1, None, 0, "\ud800"), LogRow("a", 1, None, 2**63, "26")):
            with pytest.raises(StorageError) as refused:
                await store.append(Batch(rows=(row,)))
            assert refused.value.reason is Reason.NOT_STORED

        await store.append(Batch(rows=(LogRow("a", 1, None, 2**63 - 1, "26"),)))


async def test_store_that_cannot_begin_lets_go(tmp_path: Path) -> None:
    """A store whose first write fails gives the database back: the next start has it."""
    path = tmp_path / "race.db"
    with pytest.raises(StorageError):
        await Store.open(path, clock=FakeClock(), factory=Fault(at=1).factory())

    async with opened_store(path) as store:
        assert store.epoch == 1
