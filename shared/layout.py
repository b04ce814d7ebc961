"""A position as people and programs hand it over: read from JSON, drawn as on a table (DESIGN.md section 10)."""

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

from shared.cards import KING, PACK, RANKS, SUITS, TEXTS, parse_cards, texts
from shared.errors import PositionError, Reason, excerpt
from shared.forms import Form
from shared.games import RULES
from shared.moves import FIRST_CELL, PILES
from shared.position import Position
from shared.rules import Rules

Suit: TypeAlias = Annotated[str, Meta(pattern=r"\A[SHDC]\Z")]
Column: TypeAlias = Annotated[tuple[str, ...], Meta(max_length=len(PACK))]


class _Layout(Struct, frozen=True):
    """What is left out is empty, and `suits` the game's usual number."""

    game: str
    suits: int | None = None
    columns: tuple[Column, ...] = ()
    cells: tuple[str | None, ...] = ()
    foundations: dict[Suit, Annotated[int, Meta(ge=0, le=KING)]] = {}
    """How many cards of a suit have gone home."""
    removed: Annotated[tuple[Suit, ...], Meta(max_length=len(SUITS))] = ()
    """The suit of each sequence that has left (SS6)."""


_FORM = Form(_Layout, PositionError, Reason.BAD_LAYOUT)


def parse(text: bytes | str) -> tuple[Rules, Position]:
    """Read the JSON of a position; raise SameDealError unless it is one of its game, with exactly the pack.

    >>> rules, position = parse('{"game": "simple-simon", "columns": [["2S", "AS"]], "removed": ["S", "S", "S"]}')
    Traceback (most recent call last):
    shared.errors.PositionError: NOT_THE_PACK suits=1 missing=3S 4S 5S 6S 7S 8S 9S TS JS QS KS extra=-
    """
    layout = _FORM.from_json(text)
    rules = RULES.get(layout.game)
    if rules is None:
        raise PositionError(Reason.CODE_GAME, game=excerpt(layout.game), known=" ".join(RULES))
    columns = tuple(map(parse_cards, layout.columns))
    cells = b"".join(b"\0" if name is None else parse_cards([name]) for name in layout.cells)
    position = Position(
        columns + (b"",) * (rules.columns - len(columns)),
        cells.ljust(rules.cells, b"\0"),
        bytes(layout.foundations.get(suit, 0) + KING * layout.removed.count(suit) for suit in SUITS),
    )
    rules.check(position, rules.suits[0] if layout.suits is None else layout.suits)
    return rules, position


def picture(rules: Rules, position: Position) -> str:
    """Return the picture of a position: the columns side by side, above them the cells and what has gone home.

    >>> freecell = RULES["freecell"]
    >>> print(picture(freecell, freecell.deal(1, 4)))
    a   b   c   d       h
    --  --  --  --      --  --  --  --
    <BLANKLINE>
    1   2   3   4   5   6   7   8
    JD  2D  9H  JC  5D  7H  7C  5H
    KD  KC  9S  5S  AD  QC  KH  3H
    2S  KS  9D  QD  JS  AS  AH  3C
    4C  5C  TS  QH  4H  AC  4D  7S
    3S  TD  4S  TH  8H  2C  JH  7D
    6D  8S  8D  QS  6C  3D  8C  TC
    6S  9C  2H  6H
    """
    columns = [[name, *texts(column)] for name, column in zip(PILES, position.columns, strict=False)]
    return "\n".join(map(_line, (*_head(rules, position), *zip_longest(*columns, fillvalue=""))))


def head_lines(rules: Rules, position: Position) -> int:
    """Return how many lines of the picture stand above the columns' names.

    Cells and foundations always have theirs; where sequences leave instead (SS6) there are some once one has left.
    """
    return len(_head(rules, position))


def _head(rules: Rules, position: Position) -> list[list[str]]:
    """Return what stands above the columns, a row a line: names of piles, their cards, and nothing."""
    cells = [TEXTS.get(card, "--") for card in position.cells]
    gone = list(_gone(rules, position))
    return [[*PILES[FIRST_CELL:][: len(cells)], "", "h"], [*cells, "", *gone], []] if cells or gone else []


def _line(names: Iterable[str]) -> str:
    return "".join(f"{name:4}" for name in names).rstrip()


def _gone(rules: Rules, position: Position) -> Iterator[str]:
    """Yield the top card of each foundation; where sequences leave, of each sequence."""
    for suit, count in zip(SUITS, position.home, strict=True):
        sequences, rest = divmod(count, KING)
        yield from [f"K{suit}"] * sequences
        if rest or (rules.foundations and not sequences):
            yield f"{RANKS[rest - 1]}{suit}" if rest else "--"
