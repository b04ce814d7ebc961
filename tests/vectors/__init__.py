"""Reads the vector files beside this module, in the engine's words; README.md says what each holds."""

import gzip
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from shared.cards import SUITS, parse_cards
from shared.games import RULES
from shared.position import Position
from shared.rules import Rules

HERE = Path(__file__).parent
GAMES = {"simple_simon": "simple-simon", "freecell": "freecell"}
FOREIGN_FROM = 32_000
"""From this number on, Simple Simon rows were dealt by another generator."""

Row: TypeAlias = dict[str, Any]
VectorMove: TypeAlias = list[Any]
"""`[source, count, target]`: a column counted from 0, a cell "a" to "d", or "f" for the foundations."""


@cache
def rows(name: str) -> tuple[Row, ...]:
    """Return the rows of the file *name*, which is JSON or gzipped JSON lines."""
    packed = (HERE / name).read_bytes()
    text = gzip.decompress(packed) if name.endswith(".gz") else packed
    return tuple(json.loads(line) for line in text.splitlines())


def solved(*names: str) -> Iterator[Row]:
    """Yield the rows of these files that have a line to the win."""
    return (row for name in names for row in rows(name) if row["status"] == "solved")


def rules_of(row: Row) -> Rules:
    """Return the rules of a row's game."""
    return RULES[GAMES[row["game"]]]


def suits_of(row: Row) -> int:
    """Return how many suits a row is played with."""
    suits: int = row.get("suits", 4)
    return suits


def own_number(row: Row) -> int | None:
    """Return the deal number of a row if it has one and its columns are our deal of that number, else None."""
    if "deal" not in row:
        return None
    number = int(row["deal"])
    foreign = row["game"] == "simple_simon" and (suits_of(row) != 4 or number >= FOREIGN_FROM)
    return None if foreign else number


def position_of(row: Row) -> Position:
    """Return the position that a row or a checkpoint tells; what it leaves out is empty."""
    columns = tuple(map(parse_cards, row["columns"]))
    if "game" in row:
        return Position(columns, bytes(rules_of(row).cells))
    if "cells" in row:
        cells = b"".join(parse_cards([name]) if name else b"\0" for name in row["cells"])
        return Position(columns, cells, bytes(row["foundations"][suit] for suit in SUITS))
    return Position(columns, b"", bytes(13 * row["removed"].count(suit) for suit in SUITS))


def move_text(move: VectorMove) -> str:
    """Return our text of a vector's move.

    >>> move_text([9, 12, 0]), move_text([0, 1, "f"]), move_text(["a", 1, 7])
    ('01vc', '1h', 'a8')
    """
    source, count, target = move
    run = f"v{count:x}" if count > 1 else ""
    return f"{_pile_text(source)}{_pile_text(target)}{run}"


def _pile_text(pile: int | str) -> str:
    if isinstance(pile, int):
        return "1234567890"[pile]
    return "h" if pile == "f" else pile
