"""A position drawn for a terminal: the layout's picture, with suit signs and colours where there are some."""

from collections.abc import Iterable, Iterator

from client.screen import Ink, Pen
from shared import layout
from shared.cards import CARDS
from shared.moves import FIRST_CELL, HOME, Move
from shared.position import Position
from shared.rules import Rules

SLOT = 4
"""Characters from one pile to the next in the layout's picture."""


MORE = ".."
"""Stands for the cards of a column that are not drawn."""


def drawn(rules: Rules, position: Position, pen: Pen, moved: Iterable[str] = (), room: int | None = None) -> list[str]:
    r"""Return the lines of a picture of *position*. The cards that the steps *moved* brought to their place are lit.

    Of a column that has more cards than *room* lines hold, the last ones are drawn: the free card is always seen.

    >>> from shared.gamecode import GameCode
    >>> code = GameCode.parse("SS1-S4-AAAAAAB")
    >>> print(*drawn(code.rules, code.deal(), Pen(signs=True))[:4], sep="\n")
      1   2   3   4   5   6   7   8   9   0
     J♦  2♦  9♥  J♣  5♦  7♥  7♣  5♥  K♦  6♥
     K♣  9♠  5♠  A♦  Q♣  K♥  3♥  2♠  2♥
     K♠  9♦  Q♦  J♠  A♠  A♥  3♣  9♣
    """
    head = layout.head_lines(rules, position)
    lit = set(_lit(position, moved, head))
    rows = [list(_slots(line, row, pen, lit)) for line, row in enumerate(layout.picture(rules, position).split("\n"))]
    if room is not None:
        rows = _cut(rows, position, head + 1, room, pen)
    return ["".join(row).rstrip() for row in rows]


def _cut(rows: list[list[str]], position: Position, top: int, room: int, pen: Pen) -> list[list[str]]:
    """Return *rows*, of which the columns' cards begin at *top*, without what of them *room* lines don't hold."""
    kept = [list(row) for row in rows[: top + room]]
    for slot, column in enumerate(position.columns):
        hidden = len(column) - room
        if hidden > 0:
            kept[top][slot] = _slot(MORE, pen, Ink.FAINT)
            for line in range(top + 1, top + room):
                kept[line][slot] = rows[line + hidden][slot]
    return kept


def _slots(line: int, row: str, pen: Pen, lit: set[tuple[int, int]]) -> Iterator[str]:
    """Yield the row's slots anew: cards as *pen* writes them, names of piles faint."""
    for slot in range(0, len(row), SLOT):
        text = row[slot : slot + SLOT].strip()
        if text in CARDS:
            card = pen.card(text)
            inks = (Ink.LIT,) if (line, slot // SLOT) in lit else (Ink.RED,) if CARDS[text].is_red else ()
        else:
            card, inks = text, (Ink.FAINT,)
        yield _slot(card, pen, *inks)


def _slot(text: str, pen: Pen, *inks: Ink) -> str:
    return " " * (SLOT - 1 - len(text)) + pen.paint(text, *inks) + " "


def _lit(position: Position, moved: Iterable[str], head: int) -> Iterator[tuple[int, int]]:
    """Yield line and slot of the cards that the last of the steps *moved* brought to their place."""
    for step in list(moved)[-1:]:
        move = Move.parse(step[:2] + step[2:].rstrip("SHDC"))
        if move.target < FIRST_CELL:
            height = len(position.columns[move.target])
            yield from ((head + 1 + depth, move.target) for depth in range(height - move.count, height))
        elif move.target < HOME:
            yield 1, move.target - FIRST_CELL
