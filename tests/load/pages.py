"""The pages of a database of ten thousand attempts beside those of one of a million."""

import sqlite3
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from pathlib import Path

from sqlalchemy import create_engine

from migrations.upgrade import upgrade
from server.storage.boards import Board
from server.storage.reader import Reader
from shared.attempt import State
from tests.load.aims import Measure

FEW, MANY = 10**4, 10**6

EACH = 50
"""Attempts of a player."""

FAVOURITE = 100
"""Every so many attempts are one player's, whose page is asked for."""

DEALS = 10
"""Every so many attempts are at one deal."""

FAVOURED, FAR_DOWN = "p0", "p16"
"""That one, and one who is on no first page: the server has to count who is before them."""

AIM = 2.0
"""A page takes at most so many times as long."""

GAME, SUITS, DAY = "simple-simon", 1, "2026-01-01"

TIMES = 9
"""Each page is asked for so often, in turn on both databases."""

FILL = f"""
    PRAGMA synchronous = OFF;
    PRAGMA journal_mode = OFF;
    CREATE TEMPORARY TABLE n AS WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i < :last)
        SELECT i, i * 2654435761 % 1000003 AS chance FROM c;
    INSERT INTO players SELECT 'p' || i, 'Player ' || i, NULL, '{DAY}' FROM n WHERE i <= :last / {EACH};
    INSERT INTO rooms VALUES ('room', '{DAY}', NULL);
    INSERT INTO races SELECT i / 4, 'r' || (i / 4), 'room', 'SS1-S1-AAAAAAE', '{GAME}', {SUITS}, i, '{{"goal":"time"}}',
        '{DAY}', '{DAY}' FROM n WHERE i % 4 = 0;
    INSERT INTO attempts (id, race, player, seat, code, game, suits, number, started, start_ms, practice, ranked,
        state, won, score, moves, home, progress, elapsed_ms, clean, hints, pace, record)
    SELECT 'a' || i, 'r' || (i / 4), 'p' || iif(i % {FAVOURITE}, i / {EACH}, 0), i % 4, 'SS1-S1-AAAAAAE', '{GAME}',
        {SUITS}, iif(i % {DEALS}, i, 4), strftime('%Y-%m-%dT%H:%M:%SZ', 1767225600 + i, 'unixepoch'), 0, 0, 1,
        '{State.SOLVED}', 1, 851, 49, 4, 48, 60000 + chance, 1, 0, 60000 + chance, zeroblob(64) FROM n;
    INSERT INTO tallies SELECT 'p' || i, '{GAME}', {SUITS}, 'all', {EACH}, chance % {EACH},
        1000000 * (chance % {EACH}) / {EACH}, 60000 + chance, 50000 + chance, 60, '{DAY}', 'a' || i, '[]'
        FROM n WHERE i <= :last / {EACH};
    ANALYZE;
"""


def fill(path: Path, attempts: int) -> None:
    """Make a database of so many attempts at *path*, all of races that are over."""
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        upgrade(connection)
    engine.dispose()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(FILL.replace(":last", str(attempts - 1)))


def pages(reader: Reader) -> Iterator[tuple[str, Callable[[], Awaitable[object]]]]:
    """Yield each page's name, and what asks for it as the server does."""
    yield "deal's page", lambda: reader.deal(GAME, 4, SUITS)
    yield "player's page", lambda: reader.played(FAVOURED)
    for board in Board:
        yield f"leaderboard, {board}", lambda board=board: reader.board(board, GAME, SUITS, "all", FAR_DOWN)  # type: ignore[misc]


async def cpu_ms(page: Callable[[], Awaitable[object]]) -> float:
    """Return the processor's milliseconds for *page*, in this process."""
    before_s = time.process_time()
    await page()
    return (time.process_time() - before_s) * 1_000


async def page_measures(folder: Path, many: int = MANY, few: int = FEW) -> list[Measure]:
    """Make both databases in *folder*; return for each page how many times as long it takes on the larger."""
    readers = []
    for attempts in (few, many):
        path = folder / f"{attempts}.sqlite"
        fill(path, attempts)
        readers.append(await Reader.open(path))
    found = []
    for (name, small), (_, large) in zip(*map(pages, readers), strict=True):
        await small(), await large()
        times = [(await cpu_ms(small), await cpu_ms(large)) for _ in range(TIMES)]
        what = f"{name} at {many:,} attempts"
        found.append(Measure(what, "ms", tuple(larger for _, larger in times)))
        ratio = tuple(larger / smaller for smaller, larger in times)
        found.append(Measure(f"{what}, beside {few:,}", "× as long", ratio, AIM))
    for reader in readers:
        await reader.close()
    return found
