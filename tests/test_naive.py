"""The engine against a second one that was written from the rules alone: same moves, same positions, same counts."""

from collections.abc import Iterator
from itertools import islice
from random import Random

import pytest

from shared.gamecode import GameCode
from shared.games import RULES
from shared.moves import FIRST_CELL, Move
from shared.position import Position
from shared.rules import Rules
from tests import naive, vectors
from tests.play import KINDS, starts, wander

COUNTS = vectors.rows("counts.jsonl")
FEATURES = {
    "simple-simon": {"empty column", "sequence gone", "run moves", "nothing moves", "onto empty"},
    "freecell": {"empty column", "cards home", "run moves", "no cell free", "onto empty", "from cell", "limit binds"},
}
"""What the positions compared must have shown, so that agreeing on them means something."""


def played_side_by_side(game: str, suits: int, seed: int) -> Iterator[tuple[Position, naive.Table]]:
    """Yield positions as both engines reach them by the same moves, without end and without repeats."""
    random, seen = Random(seed), set[Position]()
    for start in starts(game, suits, random):
        table = naive.read(game, str(start))
        for position, move in wander(RULES[game], start, random):
            if position not in seen:
                seen.add(position)
                yield position, table
            if move:
                table.play(str(move))


def features(rules: Rules, position: Position, moves: list[Move]) -> Iterator[str]:
    """Yield what is worth having met in *position*."""
    if b"" in position.columns:
        yield "empty column"
    if any(position.home):
        yield "cards home" if rules.foundations else "sequence gone"
    if not moves:
        yield "nothing moves"
    if rules.cells and 0 not in position.cells:
        yield "no cell free"
    if any(count > rules.longest(position.cells.count(0), 0) for _, count, _ in rules._heads(position)):
        yield "limit binds"
    for move in moves:
        if move.count > 1:
            yield "run moves"
        if move.source >= FIRST_CELL:
            yield "from cell"
        if move.target < FIRST_CELL and not position.columns[move.target]:
            yield "onto empty"


def agree(game: str, suits: int, seed: int, count: int) -> None:
    """Compare so many positions, and see that they were worth it."""
    rules, met = RULES[game], set[str]()
    for position, table in islice(played_side_by_side(game, suits, seed), count):
        assert naive.read(game, str(position)).key() == table.key(), position
        moves = rules.legal_moves(position)
        assert sorted(map(str, moves)) == sorted(table.legal()), position
        met.update(features(rules, position, moves))
    assert met >= FEATURES[game]


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("game", "suits"), KINDS)
def test_engines_agree_on_5_000_random_positions(game: str, suits: int, seed: int) -> None:
    """Legal moves and the positions that they lead to are the same in both engines (here 625 of them)."""
    agree(game, suits, seed, 5_000 // 8)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(3, 13))
@pytest.mark.parametrize(("game", "suits"), KINDS)
def test_engines_agree_on_100_000_random_positions(game: str, suits: int, seed: int) -> None:
    """The same for 100,000 positions (here 2,500 of them)."""
    agree(game, suits, seed, 100_000 // 40)


def reached(row: vectors.Row) -> tuple[Rules, Position]:
    """Return the position from which a row counts."""
    code = GameCode.parse(row["code"])
    position = code.deal()
    for text in row["moves"].split():
        position = code.rules.apply(position, Move.parse(text))
    return code.rules, position


def lines_of_play(rules: Rules, position: Position, depth: int) -> int:
    """Count as `naive.lines_of_play` does."""
    moves = rules.legal_moves(position)
    if depth == 1:
        return len(moves)
    return sum(lines_of_play(rules, rules.apply(position, move), depth - 1) for move in moves)


def positions_at(rules: Rules, position: Position, depth: int) -> int:
    """Count as `naive.positions_at` does."""
    layer = {position}
    for _ in range(depth):
        layer = {rules.apply(at, move) for at in layer for move in rules.legal_moves(at)}
    return len(layer)


def depths(row: vectors.Row, most_lines: int) -> list[int]:
    """Return the depths at which a row counts no more lines than that."""
    return [depth for depth, lines in enumerate(row["lines"], 1) if lines <= most_lines]


def check_counts(row: vectors.Row, most_lines: int) -> None:
    """Have the engine count what a row counts, up to so many lines."""
    rules, position = reached(row)
    for depth in depths(row, most_lines):
        assert lines_of_play(rules, position, depth) == row["lines"][depth - 1]
        assert positions_at(rules, position, depth) == row["positions"][depth - 1]


@pytest.mark.parametrize("row", COUNTS, ids=lambda row: row["code"])
def test_engine_counts_what_the_naive_one_counted(row: vectors.Row) -> None:
    """As many lines of play, and as many different positions, to every depth with up to 30,000 lines."""
    assert depths(row, 30_000)
    check_counts(row, 30_000)


@pytest.mark.soak
@pytest.mark.parametrize("row", COUNTS, ids=lambda row: row["code"])
def test_engine_counts_to_the_last_depth(row: vectors.Row) -> None:
    """The same to the last depth that was counted."""
    check_counts(row, max(row["lines"]))


def check_naive_counts(row: vectors.Row, most_lines: int) -> None:
    """Have the naive engine count what it once counted."""
    code = GameCode.parse(row["code"])
    table = naive.read(code.game, str(code.deal()))
    for text in row["moves"].split():
        assert text in table.legal()
        table.play(text)
    for depth in depths(row, most_lines):
        assert naive.lines_of_play(table, depth) == row["lines"][depth - 1]
        assert naive.positions_at(table, depth) == row["positions"][depth - 1]


@pytest.mark.parametrize("row", COUNTS, ids=lambda row: row["code"])
def test_naive_engine_still_counts_the_same(row: vectors.Row) -> None:
    """The counts are the naive engine's own, made again here to every depth with up to 1,000 lines."""
    check_naive_counts(row, 1_000)


@pytest.mark.soak
@pytest.mark.parametrize("row", COUNTS, ids=lambda row: row["code"])
def test_naive_engine_counts_to_the_last_depth(row: vectors.Row) -> None:
    """The same to the last depth."""
    check_naive_counts(row, max(row["lines"]))


@pytest.mark.parametrize("row", vectors.rows("walks.jsonl.gz"), ids=lambda row: f"{row['game']}-{row['ops'][0]}")
def test_naive_engine_knows_the_walks(row: vectors.Row) -> None:
    """The naive engine lists the same legal moves as the walks' author at every checkpoint."""
    for checkpoint in row["checkpoints"]:
        table = naive.read(vectors.GAMES[row["game"]], str(vectors.position_of(checkpoint)))
        assert sorted(table.legal()) == sorted(map(vectors.move_text, checkpoint["legal"]))
