"""What the store says when SQLite fails at any of its calls, and whether that is true."""

import asyncio
import shutil
import sqlite3
from collections.abc import Awaitable
from pathlib import Path

import pytest

from server.log import Batch, LiveRace, LogRow, Opening, Player, RoomState, StorageError
from server.storage.reader import Reader
from server.storage.store import Store
from shared.errors import Reason
from tests.fake_clock import FakeClock
from tests.faults.failing import Fault
from tests.server.storing import ENDED, GAME, begin, end, filled, finish, opened_store, people, query, token_of

STORED = "stored"
EVE = Player("eve", "Eve")


class Races:
    """Three races, one of them ranked, that write like rooms do, and note what they were told."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.told: dict[str, str] = {}
        """What was to be written → STORED, NOT_STORED or MAYBE_STORED."""
        self.rows = {"x": 1, "y": 1, "over": 1}
        """The seq of each race's next row."""

    async def run(self) -> None:
        """Play the races; what stands together is handed in in one turn of the loop and shares a commit."""
        store = self.store
        await asyncio.gather(
            self.tell("room", store.append(Batch(state=RoomState("another", "{}")))),
            self.tell("player", store.add_player(EVE, token_of(EVE))),
        )
        await asyncio.gather(
            *(self.tell(f"race {race}", store.append(begin(race, ranked=race == "over"))) for race in self.rows)
        )
        await self.reload("x", "y")
        await asyncio.gather(self.move("x", "1"), self.move("y", "1"))
        await asyncio.gather(self.tell("end", store.append(Batch(ended=(end("over"),)))), self.move("x", "2"))
        await asyncio.gather(self.tell("finish", store.append(finish("over", anna=1))), self.move("y", "2"))
        await self.move("x", "3")
        opening = Opening("anna", GAME, 7, ENDED)
        await asyncio.gather(
            self.tell("opening", store.append(Batch(opened=(opening,)))),
            self.tell("closing", store.forget_room("room")),
        )

    async def tell(self, what: str, writing: Awaitable[None]) -> None:
        """Note what the store says of *writing*."""
        try:
            await writing
        except StorageError as error:
            self.told[what] = error.reason
        else:
            self.told[what] = STORED

    async def move(self, race: str, label: str) -> None:
        """Write the next row of *race*; if nobody knows whether it is there, look."""
        what = f"{race}{label}"
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
    """Return what of `Races` another program finds in the file, under the names that it was written by."""
    found = query(
        path,
        """
        SELECT 'room' FROM rooms WHERE id = 'another' UNION SELECT 'player' FROM players WHERE name = 'Eve' UNION
        SELECT 'race ' || id FROM races UNION SELECT entry FROM log WHERE attempt IS NOT NULL
        UNION SELECT 'end' FROM attempts WHERE CAST(record AS TEXT) = 'record of over-anna'
        UNION SELECT 'tallies' FROM tallies WHERE best = 'over-anna' GROUP BY best HAVING sum(attempts) = 3
        UNION SELECT 'opening' FROM opened WHERE number = 7
        UNION SELECT 'closing' FROM rooms WHERE id = 'room' AND state IS NULL
        UNION SELECT 'finish' FROM races JOIN attempts ON attempts.race = races.id AND place = 1 WHERE finished <> ''
        """,
    )
    return {name for (name,) in found}


@pytest.fixture(scope="module")
def peopled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with a room and two players."""
    return filled(tmp_path_factory, people)


async def told_with(fault: Fault, path: Path) -> dict[str, str]:
    """Run the races against *fault* and return what they were told."""
    try:
        async with opened_store(path, factory=fault.factory()) as store:
            races = Races(store)
            await races.run()
            return races.told
    except StorageError:
        return {}


FAULTS = [
    pytest.param(False, sqlite3.SQLITE_IOERR_FSYNC, 1, id="disk fails before"),
    pytest.param(True, sqlite3.SQLITE_IOERR_FSYNC, 1, id="disk fails after"),
    pytest.param(False, sqlite3.SQLITE_FULL, 3, id="disk full"),
    pytest.param(False, sqlite3.SQLITE_BUSY, 1, id="locked"),
    pytest.param(False, sqlite3.SQLITE_READONLY, 3, id="read-only"),
    pytest.param(False, sqlite3.SQLITE_FULL, 1, id="disk full at each", marks=pytest.mark.soak),
    pytest.param(False, sqlite3.SQLITE_READONLY, 1, id="read-only at each", marks=pytest.mark.soak),
]
"""Whether the call is done all the same, what SQLite says, and how far apart the calls are that fail in turn: each, or
every third where only the word for it is another, but in a soak."""

CLEAN = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_READONLY)
"""With these SQLite has written nothing, whatever it was asked for."""


@pytest.mark.parametrize(("after", "code", "step"), FAULTS)
async def test_nobody_is_told_a_lie(peopled: Path, tmp_path: Path, after: bool, code: int, step: int) -> None:
    """
    Whichever call fails: what was acknowledged is there, what was refused is not, and the store goes on.
    """
    verdicts: set[str] = set()
    for at in range(1, 200, step):
        path = tmp_path / f"{at}.db"
        shutil.copy(peopled, path)
        fault = Fault(at, after=after, code=code)

        told = await told_with(fault, path)

        there = stored(path)
        acknowledged = {what for what, said in told.items() if said == STORED}
        refused = {what for what, said in told.items() if said == Reason.NOT_STORED}
        assert acknowledged <= there, at
        assert not refused & there, at
        assert ("end" in there) == ("tallies" in there), at
        reader = await Reader.open(path)
        live = [each for each in await reader.live_races() if isinstance(each, LiveRace)]
        rows = {row.entry for race in live for row in race.rows if row.attempt}
        await reader.close()
        assert rows == {what for what in there if what[0] in "xy"}, at
        verdicts.update(told.values())
        if not fault.struck:
            assert set(told.values()) == {STORED}
            break
    assert at > 20
    assert (Reason.MAYBE_STORED in verdicts) == (code not in CLEAN)
    assert Reason.NOT_STORED in verdicts


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
        assert [len(live.rows) for live in await store.live_races()] == [1, 1, 1]
        await asyncio.gather(*(store.append(batch) for batch in batches))
        assert [len(live.rows) for live in await store.live_races()] == [2, 2, 2]


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
        acknowledged, told = await until_full(store, "a")

        live = await store.live_race("a")
        assert live is not None
        assert told.unknown
        assert len(live.rows) == acknowledged
        Full.pages = 1_000_000
        await store.append(Batch(rows=(LogRow("a", acknowledged, None, 0, "x" * 500),)))


async def until_full(store: Store, race: str) -> tuple[int, StorageError]:
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
