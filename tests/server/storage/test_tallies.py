"""The boards as the store writes them: with the ends of attempts, in the same commit."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from server.log import Batch, Player, StorageError
from server.storage import queries
from server.storage.boards import Board, Span, period
from server.storage.store import Store
from shared.attempt import State
from tests.server.storing import (
    BERT,
    GAME,
    SUITS,
    begin,
    end,
    finish,
    opened_store,
    people,
    play_whole,
    query,
    token_of,
)

DAY, WEEK, ALL = "2026-01-01", "2026-W01", "all"


def tallies_in(path: Path) -> list[tuple[object, ...]]:
    """Return player, period, attempts and solved of every tally."""
    return query(path, "SELECT player, period, attempts, solved FROM tallies ORDER BY player, period")


async def standing(store: Store, board: Board, span: str = ALL, **asked: Any) -> list[tuple[int | None, str]]:  # noqa: ANN401
    """Return places and names of a board."""
    page = await store.read.board(board, GAME, SUITS, span, **asked)
    return [(line.place, line.name) for line in page.lines]


async def test_attempt_counts_in_its_day_its_week_and_for_all_time(database: Path) -> None:
    """One ranked attempt makes one tally a period, of the day it began, and is the single best of each."""
    async with opened_store(database) as store:
        await people(store)
        await play_whole(store, "race", end("race"), ranked=True, started="2025-12-31T23:59:59.999Z")

        page = await store.read.board(Board.SINGLE, GAME, SUITS, ALL)

    assert tallies_in(database) == [("anna", "2025-12-31", 1, 1), ("anna", "2026-W01", 1, 1), ("anna", "all", 1, 1)]
    best = page.lines[0]
    assert (best.place, best.player, best.name, best.best, best.best_ms, best.best_moves) == (
        1,
        "anna",
        "Anna",
        "race-anna",
        60_000,
        49,
    )
    assert (best.average_ms, best.share, best.best_started) == (None, 1_000_000, "2025-12-31T23:59:59.999Z")


async def test_boards_hear_of_an_attempt_at_its_own_end(database: Path) -> None:
    """An attempt is counted when it ends, though its race goes on, and no later end counts it again."""
    async with opened_store(database) as store:
        await people(store)
        await store.append(begin("race", ranked=True))
        assert tallies_in(database) == []

        await store.append(Batch(ended=(end("race"),)))
        assert len(tallies_in(database)) == 3

        with pytest.raises(StorageError):
            await store.append(Batch(ended=(end("race"),)))
        await store.append(finish("race", anna=1))
        assert [attempts for _, _, attempts, _ in tallies_in(database)] == [1, 1, 1]


async def test_two_ends_in_one_commit_both_count(database: Path) -> None:
    """Two attempts of a player that end in the same commit, in two rooms, are added one to the other."""
    async with opened_store(database) as store:
        await people(store)
        for race in ("a", "b"):
            await store.append(begin(race, ranked=True))

        await asyncio.gather(*(store.append(Batch(ended=(end(race), end(race, BERT)))) for race in ("a", "b")))

    assert {row[:1] + row[2:] for row in tallies_in(database)} == {("anna", 2, 2), ("bert", 2, 2)}


UNCOUNTED: dict[str, tuple[dict[str, bool], dict[str, Any]]] = {
    "unranked": ({"ranked": False}, {}),
    "practice": ({"ranked": True, "practice": True}, {}),
    "bot": ({"ranked": True, "bot": True}, {}),
    "bot after the start": ({"ranked": True}, {"bot": True}),
    "void": ({"ranked": True}, {"state": State.VOID, "won": False}),
    "hints used": ({"ranked": True}, {"hints": 1}),
}


@pytest.mark.parametrize("kind", UNCOUNTED)
async def test_what_does_not_count_is_on_no_board(database: Path, kind: str) -> None:
    """Unranked, practice, a bot's, void, hinted: no tally is made, and the attempt does not say it is ranked."""
    marks, result = UNCOUNTED[kind]
    async with opened_store(database) as store:
        await people(store)
        await play_whole(store, "race", end("race", **result), **marks)

        attempt = await store.read.attempt("race-anna")

    assert tallies_in(database) == []
    assert attempt is not None
    assert not attempt.ranked


async def test_void_attempt_is_skipped(database: Path) -> None:
    """A void attempt between five others leaves their average as it is."""
    async with opened_store(database) as store:
        await people(store)
        for number in range(6):
            void: dict[str, Any] = {"state": State.VOID, "won": False} if number == 3 else {}
            await play_whole(store, f"r{number}", end(f"r{number}", **void), ranked=True, started=day(1, number))

        page = await store.read.board(Board.AVERAGE, GAME, SUITS, DAY)

        assert [(line.average_ms, line.attempts, line.solved) for line in page.lines] == [(60_000, 5, 5)]


async def test_average_of_a_period_is_of_attempts_that_began_in_it(database: Path) -> None:
    """Four attempts on Sunday and one on Monday are an average of all time, and of no day or week."""
    async with opened_store(database) as store:
        await people(store)
        for number in range(5):
            started = day(4, number) if number < 4 else day(5)
            await play_whole(store, f"r{number}", end(f"r{number}"), ranked=True, started=started)

        boards = [await standing(store, Board.AVERAGE, period(span, day(date))) for span in Span for date in (4, 5)]

        assert boards == [[], [], [], [], [(1, "Anna")], [(1, "Anna")]]


async def test_boards_are_apart_by_game_and_suits(database: Path) -> None:
    """Nobody is on the board of a game or a number of suits that they have not played."""
    async with opened_store(database) as store:
        await people(store)
        await play_whole(store, "race", end("race"), ranked=True)

        assert await standing(store, Board.SINGLE) == [(1, "Anna")]
        for game, suits in ((GAME, 2), ("freecell", 4)):
            assert (await store.read.board(Board.SINGLE, game, suits, ALL)).lines == ()


RESULTS = {
    "carl": (50, 60, 70, 80, 90),
    "dora": (10, 95, 95, 95, 95),
    "emil": (60, 60, 70, 80, 99),
    "fred": (40, 40, None, None, 40),
    "gina": (45, 46, 47, 48),
    "hugo": (40, 99, 99, 99, 99, 99),
}
"""Seconds of each attempt of some players, None where they failed."""


async def compete(store: Store) -> None:
    """Let the players of RESULTS play."""
    for name, times in RESULTS.items():
        player = Player(name, name.capitalize())
        await store.add_player(player, token_of(player))
        for number, seconds in enumerate(times):
            race = f"{name}{number}"
            await store.append(begin(race, who=(player,), ranked=True, started=day(1, number)))
            won = {"won": seconds is not None, "elapsed_ms": 1_000 * (seconds or 3), "moves": 70 - len(times)}
            await store.append(Batch(ended=(end(race, player, **won),)))


async def test_boards_are_in_their_orders(database: Path) -> None:
    """Averages by the middle three, singles by the fastest, shares by what was solved and then by attempts."""
    async with opened_store(database) as store:
        await people(store)
        await compete(store)

        assert await standing(store, Board.AVERAGE, DAY) == [
            (1, "Carl"),
            (1, "Emil"),
            (3, "Dora"),
            (4, "Hugo"),
            (5, "Fred"),
        ]
        assert await standing(store, Board.SINGLE, WEEK) == [
            (1, "Dora"),
            (2, "Hugo"),  # as fast as Fred, in fewer moves
            (3, "Fred"),
            (4, "Gina"),
            (5, "Carl"),
            (6, "Emil"),
        ]
        assert await standing(store, Board.SHARE) == [
            (1, "Hugo"),  # all solved, like the next three, but of more attempts
            (2, "Carl"),
            (2, "Dora"),
            (2, "Emil"),
            (5, "Fred"),
        ]


@pytest.mark.parametrize("board", Board)
async def test_own_line_is_told_with_its_place(database: Path, board: Board) -> None:
    """Whoever asks gets the own line, the same in the top and below it; who has none gets none."""
    async with opened_store(database) as store:
        await people(store)
        await compete(store)
        whole = await store.read.board(board, GAME, SUITS, ALL)

        assert whole.own is None
        for limit in (0, 1, 3, 6):
            for line in whole.lines:
                page = await store.read.board(board, GAME, SUITS, ALL, line.player, limit)
                assert page.lines == whole.lines[:limit]
                assert page.own == line
        assert (await store.read.board(board, GAME, SUITS, ALL, "anna", 1)).own is None
        assert (await store.read.board(board, GAME, SUITS, DAY, "nobody")).own is None


async def test_place_far_below_is_not_counted(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind so many that counting them would take too long one's own line is told without a place."""
    monkeypatch.setattr(queries, "FAR", 3)
    async with opened_store(database) as store:
        await people(store)
        await compete(store)

        places = {}
        for name in ("fred", "carl", "emil"):
            own = (await store.read.board(Board.SINGLE, GAME, SUITS, ALL, name, limit=0)).own
            assert own is not None
            places[name] = own.place

        assert places == {"fred": 3, "carl": None, "emil": None}


def day(date: int, minute: int = 0) -> str:
    """Return a minute of a day of January 2026, the 4th of which is a Sunday."""
    return f"2026-01-{date:02}T12:{minute:02}:00.000Z"
