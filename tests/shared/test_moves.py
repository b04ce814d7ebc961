"""Moves and their text."""

import pytest

from shared.errors import NotationError, Reason
from shared.moves import BETWEEN, FIRST_CELL, HOME, MOVES, PILES, Move, pile_of
from tests.hostile import NO_TEXT

HOSTILE = [
    "",
    "2",
    "26v",
    "26v0",
    "26v1",
    "26ve",
    "26vD",
    "26V3",
    "26v03",
    "26 v3",
    " 26",
    "26\n",
    "2\0",
    "A3",
    "2f",
    "2e",
    "26v\u0663",
    "\u0662\u0666",
    "\uff12\uff16",
    "\u202e26",
    "undo",
    "26v3" * 250_000,
]


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("26", Move(1, 5)),
        ("3a", Move(2, FIRST_CELL)),
        ("bh", Move(FIRST_CELL + 1, HOME)),
        ("20v5", Move(1, 9, 5)),
        ("01", Move(9, 0)),
        ("d0", Move(FIRST_CELL + 3, 9)),
        ("12va", Move(0, 1, 10)),
        ("12vd", Move(0, 1, 13)),
    ],
)
def test_text_names_source_target_and_count(text: str, move: Move) -> None:
    """Columns are 1 to 9 and 0, cells a to d, the foundations h; the count is lower-case hex, left out when 1."""
    assert Move.parse(text) == move
    assert str(move) == text


def test_every_move_prints_and_reads_back() -> None:
    """All moves between the 15 piles, of 1 to 13 cards, have texts of their own that read back."""
    assert len(MOVES) == 15 * 15 * 13
    assert all(str(move) == text and Move.parse(text) is move for text, move in MOVES.items())


def test_idle_move_is_a_move() -> None:
    """Source = target has a text: that it is idle is for the rules to say."""
    assert Move.parse("11") == Move(0, 0)


@pytest.mark.parametrize("text", [*HOSTILE, *NO_TEXT], ids=lambda value: repr(value)[:12])
def test_what_is_no_move_is_refused(text: str) -> None:
    """Counts of 0, 1 and above 13, capitals, spaces, other scripts and other types are BAD_MOVE."""
    with pytest.raises(NotationError) as caught:
        Move.parse(text)
    assert caught.value.reason is Reason.BAD_MOVE
    assert len(str(caught.value.params["text"])) <= 26


def test_moves_are_kept_by_source_target_and_count() -> None:
    """BETWEEN holds each move where its three numbers say."""
    assert BETWEEN[1][9][5] == Move.parse("20v5")
    assert BETWEEN[10][HOME][1] == Move.parse("ah")


@pytest.mark.parametrize("move", ["26", "20v5", "3a", "ah"])
def test_back_is_the_same_cards_the_other_way(move: str) -> None:
    """Back and back again is the move itself; source and target change places."""
    there = Move.parse(move)
    assert (there.back.source, there.back.target, there.back.count) == (there.target, there.source, there.count)
    assert there.back.back == there


def test_pile_of_reads_every_pile() -> None:
    """The fifteen piles are numbered as they are listed."""
    assert [pile_of(name) for name in PILES] == list(range(15))
    assert (pile_of("0"), pile_of("a"), pile_of("h")) == (9, FIRST_CELL, HOME)


@pytest.mark.parametrize("text", ["", "12", "e", "H", "\u0661", "\0", None, 3, b"1", []], ids=repr)
def test_what_is_no_pile_is_refused(text: str) -> None:
    """Only one of the fifteen signs names a pile."""
    with pytest.raises(NotationError) as caught:
        pile_of(text)
    assert caught.value.reason is Reason.BAD_MOVE
