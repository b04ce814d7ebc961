"""The list engine is slow or quick for the right reasons: it plays by the same rules."""

import pytest

from shared.attempt import replay
from shared.gamecode import GameCode
from shared.moves import Move
from tests import vectors
from tests.bench.engine import as_cards
from tests.bench.lists import ListTable

WON = [row for row in vectors.rows("lines.jsonl") if row["code"].startswith("SS1")]


@pytest.mark.parametrize("row", WON, ids=lambda row: row["code"])
def test_list_engine_wins_by_the_same_lines(row: vectors.Row) -> None:
    """SS3 to SS8: every move is played, and the score at the end is the engine's."""
    code, entries = GameCode.parse(row["code"]), [(0, text) for text in row["line"].split()]
    attempt, table = replay(code, entries), ListTable(as_cards(code.deal()))
    for _, text in entries:
        move = Move.parse(text)
        assert table.play(move.source, move.count, move.target)
    assert (table.score, table.sequences) == (attempt.score, 4)


@pytest.mark.parametrize("move", [(0, 1, 0), (0, 1, 10), (-1, 1, 2), (0, 0, 1), (0, 9, 1), (0, 2, 9), (0, 1, 1)])
def test_list_engine_refuses(move: tuple[int, int, int]) -> None:
    """What is idle, nowhere, too many, no run (SS4) or does not fit (SS3)."""
    columns = as_cards(GameCode.parse("SS1-S4-AAAAAAB").deal())
    assert not ListTable(columns).play(*move)
