"""How SQLite finds what the reader asks for: by an index, in its order, so no page grows with what it leaves out."""

import sqlite3
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from server.storage.boards import Board
from server.storage.reader import Reader
from server.storage.store import Store
from tests.server.storing import GAME, NUMBER, STARTED, SUITS, end, filled, people, play_whole

Asked = Callable[[Reader], Awaitable[object]]

DAY = "2026-01-01"
DEAL = "SEARCH attempts USING COVERING INDEX ix_attempts_deal (game=? AND number=? AND suits=?)"
NAME = "SEARCH players USING INDEX sqlite_autoindex_players_1 (id=?)"
OPTIONS = "SEARCH races USING INDEX sqlite_autoindex_races_1 (id=?) LEFT-JOIN"
ATTEMPT = "SEARCH attempts USING INDEX sqlite_autoindex_attempts_1 (id=?)"
LIVE = "SCAN races USING INDEX ix_races_live"
OWN = "SEARCH tallies USING PRIMARY KEY (player=? AND game=? AND suits=? AND period=?)"

PLANS: dict[str, tuple[Asked, list[str]]] = {
    "deal": (lambda read: read.deal(GAME, NUMBER, SUITS), [DEAL, OPTIONS, NAME]),
    "whether a number is sealed": (lambda read: read.sealed(GAME, NUMBER), [LIVE]),
    "latest races": (
        lambda read: read.latest(),
        # From the last row on, no further than it takes to find five that are over.
        ["SCAN races", "SEARCH attempts USING INDEX sqlite_autoindex_attempts_2 (race=?)", NAME],
    ),
    "player's page": (
        lambda read: read.played("anna"),
        ["SEARCH attempts USING COVERING INDEX ix_attempts_player (player=?)", OPTIONS],
    ),
    "player's next page": (
        lambda read: read.played("anna", (STARTED, "race-anna")),
        ["SEARCH attempts USING COVERING INDEX ix_attempts_player (player=? AND (started,id)<(?,?))", OPTIONS],
    ),
    "token": (
        lambda read: read.player_by_token(b""),
        ["SEARCH players USING INDEX sqlite_autoindex_players_2 (token_hash=?)"],
    ),
    "player": (lambda read: read.player("anna"), [NAME]),
    "player's records": (
        lambda read: read.records_of("anna", (STARTED, "race-anna"), 100, over=True),
        [NAME, "SEARCH attempts USING INDEX ix_attempts_player (player=? AND (started,id)<(?,?))", OPTIONS],
    ),
    "whether a player plays": (
        lambda read: read.plays("anna"),
        [
            "SEARCH attempts USING INDEX sqlite_autoindex_attempts_2 (race=?)",
            "LIST SUBQUERY 1",
            LIVE,
        ],
    ),
    "live races": (
        lambda read: read.live_races(),
        [
            LIVE,
            LIVE,
            "SEARCH attempts USING INDEX sqlite_autoindex_attempts_2 (race=?)",
            "LIST SUBQUERY 1",
            LIVE,
            NAME,
            "SCAN log",  # it holds little but live races
            "LIST SUBQUERY 1",
            LIVE,
        ],
    ),
    "who opened": (
        lambda read: read.who_opened(["anna", "bert"], GAME, NUMBER),
        ["SEARCH opened USING PRIMARY KEY (player=? AND game=? AND number=?)"],
    ),
    "openings": (lambda read: read.openings("anna"), ["SEARCH opened USING PRIMARY KEY (player=?)"]),
    "open rooms": (lambda read: read.rooms(), ["SCAN rooms USING INDEX ix_rooms_open"]),
    "known": (
        lambda read: read.known(["a", "b"]),
        ["SEARCH attempts USING COVERING INDEX sqlite_autoindex_attempts_1 (id=?)"],
    ),
    "attempt": (lambda read: read.attempt("race-anna"), [ATTEMPT, NAME]),
    "record": (lambda read: read.record("race-anna"), [ATTEMPT]),
    "race": (
        lambda read: read.race("race"),
        [
            "SEARCH races USING INDEX sqlite_autoindex_races_1 (id=?)",
            "SEARCH attempts USING INDEX sqlite_autoindex_attempts_2 (race=?)",
            "LIST SUBQUERY 1",
            "SEARCH races USING COVERING INDEX sqlite_autoindex_races_1 (id=?)",
            NAME,
        ],
    ),
}
"""What is asked, and how it is found."""


async def plans(path: Path, asked: Asked) -> list[str]:
    """Return how SQLite finds what *asked* asks for."""
    reader = await Reader.open(path)
    statements: list[tuple[str, Any]] = []

    @event.listens_for(reader._engine.sync_engine, "before_cursor_execute")
    def note(*call: Any) -> None:  # noqa: ANN401  # as SQLAlchemy calls it
        statements.append(call[2:4])

    await asked(reader)
    await reader.close()
    connection = sqlite3.connect(path)
    found = [
        detail
        for statement, values in statements
        if statement.startswith("SELECT")
        for *_, detail in connection.execute(f"EXPLAIN QUERY PLAN {statement}", values)
    ]
    connection.close()
    return found


@pytest.fixture(scope="module")
def raced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database in which Anna has played as often as it takes to be on every board; it is only read."""

    async def play(store: Store) -> None:
        await people(store)
        for race in ("race", "r2", "r3", "r4", "r5"):
            await play_whole(store, race, end(race), ranked=True)

    return filled(tmp_path_factory, play)


@pytest.mark.parametrize("page", PLANS)
async def test_page_is_found_by_its_index(raced: Path, page: str) -> None:
    """A page is searched for, never scanned or sorted; what is scanned is an index of what is live or open alone."""
    asked, expected = PLANS[page]

    assert await plans(raced, asked) == expected


RANGES = {
    Board.AVERAGE: "average_ms>? AND average_ms<?",
    Board.SINGLE: "best_ms>? AND (best_ms,best_moves)<(?,?)",
    Board.SHARE: "(share,attempts)>(?,?)",
}


@pytest.mark.parametrize("board", Board)
async def test_board_is_read_from_its_index_alone(raced: Path, board: Board) -> None:
    """The top of a board comes in its index's order; one's own line and its place are found without the others."""

    async def asked(read: Reader) -> None:
        page = await read.board(board, GAME, SUITS, DAY, "anna", limit=0)
        assert page.own is not None

    top, name, own, own_name, *better = await plans(raced, asked)

    assert top.startswith(f"SEARCH tallies USING COVERING INDEX ix_tallies_{board} (game=? AND suits=? AND period=?")
    assert (name, own, own_name) == (NAME, OWN, NAME)
    place = f"ix_tallies_{board} (game=? AND suits=? AND period=? AND {RANGES[board]})"
    assert better == ["CO-ROUTINE anon_1", f"SEARCH tallies USING COVERING INDEX {place}", "SCAN anon_1"]
