"""What grows with a database and what must not: pages, boards, the end of an attempt, a start."""

import asyncio
import sqlite3
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median

import pytest
import uvloop

from server.log import Batch, LogRow
from server.storage.boards import Board
from server.storage.reader import Reader
from tests.server.storing import ANNA, GAME, NUMBER, SUITS, begin, end, moves, opened_store, people

ROUNDS = 40
DAY = "2026-01-01"
FEW, MANY = 1_000, 200_000
"""Players, of whom each has a tally, and an attempt at one deal. At fifty attempts each MANY are ten million."""


async def timed_ms(work: Callable[[], Awaitable[object]], rounds: int = ROUNDS) -> float:
    """Return the processor's milliseconds for *work*, in this process: the median of some rounds."""
    spent = []
    for _ in range(rounds):
        before = time.process_time()
        await work()
        spent.append((time.process_time() - before) * 1e3)
    return median(spent)


async def filled(path: Path, players: int) -> None:
    """Make a database in which so many players have played, all at one deal, and Anna is in the middle."""
    async with opened_store(path) as store:
        await people(store)
        await store.append(begin("race", who=(ANNA,)))
        await store.append(Batch(ended=(end("race", elapsed_ms=60_000 + players // 2),)))
    connection = sqlite3.connect(path)
    with connection:
        connection.executescript(
            f"""
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {players})
            INSERT INTO players SELECT 'p' || i, 'Player ' || i, NULL, '{DAY}' FROM n;
            INSERT INTO attempts (id, player, seat, code, game, suits, number, started, start_ms, practice, ranked,
                imported, state, won, score, moves, home, progress, elapsed_ms, clean, hints, pace)
            SELECT 'a' || id, id, 0, code, game, suits, number, started, 0, 0, 0, 1, state, won, score, moves, home,
                progress, 60000 + substr(p.id, 2), clean, hints, 60000 + substr(p.id, 2)
            FROM (SELECT id FROM players WHERE id LIKE 'p%') p, (SELECT code, game, suits, number, started, state, won,
                score, moves, home, progress, clean, hints FROM attempts WHERE id = 'race-anna');
            INSERT INTO tallies SELECT id, '{GAME}', {SUITS}, 'all', 50, 25, 500000, 60000 + substr(id, 2),
                50000 + substr(id, 2), 60, '{DAY}', 'a' || id, '[]' FROM players WHERE id LIKE 'p%';
            INSERT INTO tallies SELECT 'anna', '{GAME}', {SUITS}, 'all', 50, 25, 500000, 60000 + {players} / 2,
                50000 + {players} / 2, 60, '{DAY}', 'race-anna', '[]';
            UPDATE races SET finished = '{DAY}';
            """
        )
    connection.close()


async def pages_ms(path: Path) -> dict[str, float]:
    """Return what each page of a database takes."""
    reader = await Reader.open(path)
    asked: dict[str, Callable[[], Awaitable[object]]] = {
        "deal": lambda: reader.deal(GAME, NUMBER, SUITS),
        "player": lambda: reader.played("anna"),
    }
    for board in Board:
        asked[board] = lambda board=board: reader.board(board, GAME, SUITS, "all", "anna")  # type: ignore[misc]
    found = {name: await timed_ms(page) for name, page in asked.items()}
    await reader.close()
    return found


@pytest.mark.bench
def test_pages_do_not_grow_with_attempts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With two hundred times the players and attempts no page takes twice as long, one's own place included."""
    for players in (FEW, MANY):
        asyncio.run(filled(tmp_path / f"{players}.db", players))

    few, many = (uvloop.run(pages_ms(tmp_path / f"{players}.db")) for players in (FEW, MANY))

    with capsys.disabled():
        for page, ms in few.items():
            print(f"\n{page}: {ms:.2f} ms with {FEW} players, {many[page]:.2f} ms with {MANY}", end="")
    assert all(many[page] <= 2 * ms for page, ms in few.items())


async def ends_ms(path: Path, *, ranked: bool) -> float:
    """Return what the end of an attempt takes, ranked or not."""
    number = 0

    async def end_one() -> None:
        await store.append(Batch(ended=(end(f"r{number}"),)))

    async with opened_store(path) as store:
        await people(store)
        spent = []
        for number in range(100):
            await store.append(begin(f"r{number}", ranked=ranked))
            spent.append(await timed_ms(end_one, 1))
    return median(spent)


@pytest.mark.bench
def test_end_of_an_attempt_with_its_tallies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An attempt that counts in three periods ends in at most four times what one that does not count takes."""
    plain = uvloop.run(ends_ms(tmp_path / "plain.db", ranked=False))
    ranked = uvloop.run(ends_ms(tmp_path / "ranked.db", ranked=True))

    with capsys.disabled():
        print(f"\nCPU of an attempt's end: unranked {plain:.2f} ms, with its tallies {ranked:.2f} ms", end="")
    assert ranked <= 4 * plain


async def start_ms(path: Path, races: int, rows: int) -> float:
    """Return what reading so many live races takes."""
    async with opened_store(path) as store:
        await people(store)
        for number in range(races):
            race = f"race{number:012}"
            await store.append(begin(race))
            await store.append(Batch(rows=(*moves(race, 1, rows - 2), LogRow(race, rows - 1, None, 0, "clock"))))
        live = await store.live_races()
        assert [len(each.rows) for each in live] == [rows] * races
        return await timed_ms(store.live_races, 5)


@pytest.mark.bench
def test_thousand_live_races_are_read_in_less_than_a_second(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a start reads of a thousand races with a hundred rows each takes well under a second."""
    ms = uvloop.run(start_ms(tmp_path / "race.db", 1_000, 100))

    with capsys.disabled():
        print(f"\nCPU of reading 1000 live races of 100 rows: {ms:.0f} ms", end="")
    assert ms < 1_000
