"""What the tests of the store write."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from sqlalchemy import create_engine

from migrations.upgrade import upgrade
from server.log import Batch, Begun, Ended, Finished, LogRow, Player, RoomState, Starter
from server.storage.store import Store
from shared.attempt import State
from shared.gamecode import GameCode
from tests.fake_clock import FakeClock
from tests.patience import GUARD_S

ANNA, BERT = Player("anna", "Anna"), Player("bert", "Bert")
GAME, SUITS, NUMBER = "simple-simon", 1, 35
STARTED, ENDED = "2026-01-01T00:00:03.000Z", "2026-01-01T00:09:00.000Z"


_tables: list[bytes] = []
"""An empty database, once one has been made: the steps to its tables take longer than most tests."""


def prepare(path: Path) -> None:
    """Make an empty database of *path*, unless it is there."""
    if not _tables:
        _tables.append(made())
    if not path.exists():
        path.write_bytes(_tables[0])


def made() -> bytes:
    """Take all steps to an empty database; return its file."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "race.db"
        engine = create_engine(f"sqlite:///{path}")
        with engine.begin() as connection:
            upgrade(connection)
        engine.dispose()
        return path.read_bytes()


@asynccontextmanager
async def opened_store(path: Path, *, prepared: bool = True, **options: Any) -> AsyncIterator[Store]:  # noqa: ANN401  # what open takes
    """Lend a store on *path*, closed at the end; where it is not *prepared*, its tables are the store's own work."""
    if prepared:
        prepare(path)
    store = await Store.open(path, clock=FakeClock(), **options)
    try:
        yield store
    finally:
        await store.close()


def filled(folders: pytest.TempPathFactory, fill: Callable[[Store], Awaitable[None]]) -> Path:
    """Return a database that was filled once, for all the tests of a module: they look at it, or at copies."""
    path = folders.mktemp("filled") / "race.db"

    async def write() -> None:
        async with opened_store(path) as store:
            await fill(store)

    asyncio.run(write())
    return path


async def people(store: Store) -> None:
    """Store a room, and Anna and Bert, whose tokens hash to their names."""
    await store.append(Batch(state=RoomState("room", "{}")))
    for player in (ANNA, BERT):
        await store.add_player(player, token_of(player))


def token_of(player: Player) -> bytes:
    """Return a hash for *player*."""
    return player.id.encode().ljust(32, b".")


def begin(
    race: str,
    *,
    number: int = NUMBER,
    started: str = STARTED,
    who: tuple[Player, ...] = (ANNA, BERT),
    **marks: bool,
) -> Batch:
    """Return the begin of a race, with its row 0; the attempts, all with the same *marks*, are called RACE-PLAYER."""
    code = str(GameCode.of(GAME, SUITS, number))
    starters = tuple(
        Starter(attempt=f"{race}-{player.id}", player=player.id, seat=seat, code=code, suits=SUITS, **marks)
        for seat, player in enumerate(who)
    )
    begun = Begun(
        race=race,
        room="room",
        code=code,
        game=GAME,
        suits=SUITS,
        number=number,
        options='{"goal":"time"}',
        started=started,
        attempts=starters,
    )
    return Batch(rows=(LogRow(race, 0, None, 0, "begin"),), begun=begun)


def moves(race: str, first: int, count: int = 1, player: Player = ANNA) -> tuple[LogRow, ...]:
    """Return *count* rows of moves, numbered from *first*."""
    return tuple(LogRow(race, seq, f"{race}-{player.id}", 100 * seq, "26") for seq in range(first, first + count))


def play(race: str, first: int, count: int = 1) -> Batch:
    """Return a batch of moves."""
    return Batch(rows=moves(race, first, count))


def end(race: str, player: Player = ANNA, **changes: Any) -> Ended:  # noqa: ANN401  # of each field its own type
    """Return the end of an attempt, won in 49 moves unless *changes* say otherwise."""
    result: dict[str, Any] = {
        "state": State.SOLVED,
        "won": True,
        "score": 851,
        "moves": 49,
        "home": 4,
        "progress": 48,
        "elapsed_ms": 60_000,
        "clean": True,
    }
    attempt = f"{race}-{player.id}"
    return Ended(attempt=attempt, record=b"record of " + attempt.encode(), **(result | changes))


def finish(race: str, **places: int) -> Batch:
    """Return the end of a race, with the place of each player."""
    return Batch(
        finished=Finished(
            race=race, at=ENDED, places=tuple((f"{race}-{player}", place) for player, place in places.items())
        )
    )


async def play_whole(store: Store, race: str, result: Ended, **options: Any) -> None:  # noqa: ANN401  # what begin takes
    """Store a race of Anna alone, from its begin to its end."""
    await store.append(begin(race, who=(ANNA,), **options))
    await store.append(Batch(ended=(result,)))
    await store.append(finish(race))


async def swept(store: Store) -> None:
    """Return as soon as no row of a finished race is left."""
    async with asyncio.timeout(GUARD_S):
        while await store.read.leftover(1):
            pass


def query(path: Path, statement: str, *values: str) -> list[tuple[Any, ...]]:
    """Return what another program reads of a database at this moment."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(statement, values).fetchall()


def alter(path: Path, statement: str) -> None:
    """Change a database as no server of ours does."""
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(statement).rowcount > 0


def rows_in(path: Path) -> list[tuple[int, int]]:
    """Return race key and seq of all rows of the log."""
    return query(path, "SELECT race, seq FROM log ORDER BY race, seq")
