"""A table drawn for a terminal: the layout's picture with signs and colours, and what was moved lit."""

import pytest

from client.screen import Pen
from client.table import drawn
from shared.cards import parse_cards
from shared.games import RULES
from shared.position import Position
from tests.games_for_tests import Cellless

LIT, RED, FAINT, OFF = "\x1b[30;43m", "\x1b[31m", "\x1b[2m", "\x1b[0m"

FREECELL, SIMON = RULES["freecell"], RULES["simple-simon"]
FREECELL_TABLE = Position((parse_cards(["KS", "QH", "JS"]), b""), parse_cards(["4H"]) + b"\0\0\0", bytes((2, 3, 0, 0)))
SIMON_TABLE = Position((parse_cards(["2S", "AS"]), parse_cards(["TH"])), b"", bytes((0, 0, 0, 13)))


def test_signs_stand_where_the_texts_stood() -> None:
    """
    Each card has its place in the picture, the ten in two figures.
    """
    assert drawn(SIMON, SIMON_TABLE, Pen(signs=True)) == [
        "      h",
        "     K♣",
        "",
        "  1   2",
        " 2♠ 10♥",
        " A♠",
    ]


def test_without_signs_cards_are_their_texts() -> None:
    """
    Cells, foundations and columns can be read in ASCII too.
    """
    assert drawn(FREECELL, FREECELL_TABLE, Pen()) == [
        "  a   b   c   d       h",
        " 4H  --  --  --      2S  3H  --  --",
        "",
        "  1   2",
        " KS",
        " QH",
        " JS",
    ]


@pytest.mark.parametrize(
    ("steps", "lit"),
    [
        ((), []),
        (("21v2",), ["QH", "JS"]),
        (("b1",), ["JS"]),
        (("1a",), ["4H"]),
        (("ha", "h1S"), ["JS"]),
        (("1h",), []),
        (("21v2", "1hvd"), []),
    ],
)
def test_what_the_last_step_moved_is_lit(steps: tuple[str, ...], lit: list[str]) -> None:
    """
    Cards that came to a column or a cell are lit, a whole run if it was one; nothing else is.
    """
    picture = "\n".join(drawn(FREECELL, FREECELL_TABLE, Pen(inks=True), steps))
    assert [part.partition(OFF)[0] for part in picture.split(LIT)[1:]] == lit


def test_lit_cards_are_found_below_nothing() -> None:
    """
    Without cells, before the first sequence leaves, the columns begin at the top.
    """
    start = Position((parse_cards(["2S"]), parse_cards(["TH"])), b"")
    assert drawn(SIMON, start, Pen(inks=True), ("12",)) == [f"  {FAINT}1{OFF}   {FAINT}2{OFF}", f" 2S  {LIT}TH{OFF}"]


def test_lit_cards_are_found_below_foundations_alone() -> None:
    """
    A game without cells still has its foundations above the columns.
    """
    start = Position((parse_cards(["2S"]), parse_cards(["TH", "9S"])), b"")
    assert drawn(Cellless(), start, Pen(inks=True), ("12",))[-1] == f"     {LIT}9S{OFF}"


def test_long_column_is_drawn_from_its_end() -> None:
    """
    Where only so many lines have room its last cards are there, below a mark, and lit as ever; short columns are whole.
    """
    assert drawn(FREECELL, FREECELL_TABLE, Pen(), room=3) == drawn(FREECELL, FREECELL_TABLE, Pen())
    start = Position((parse_cards(["2S", "3S"]), parse_cards(["KS", "QS", "TH", "9S"])), b"")
    assert drawn(SIMON, start, Pen(), room=2) == ["  1   2", " 2S  ..", " 3S  9S"]
    assert drawn(SIMON, start, Pen(inks=True), ("12",), room=2)[1:] == [f" 2S  {FAINT}..{OFF}", f" 3S  {LIT}9S{OFF}"]


def test_red_cards_are_red() -> None:
    """
    Hearts and diamonds, and nothing else.
    """
    picture = "\n".join(drawn(FREECELL, FREECELL_TABLE, Pen(inks=True)))
    assert [part.partition(OFF)[0] for part in picture.split(RED)[1:]] == ["4H", "3H", "QH"]
