"""Positions and their text."""

import pytest

from shared.cards import PACK, parse_cards, texts
from shared.errors import NotationError, PositionError, Reason
from shared.gamecode import GameCode
from shared.position import Position
from tests import vectors
from tests.hostile import NO_TEXT

MIDGAME = """\
Foundations: H-0 C-2 D-K S-Q
Freecells: KS - TH -
: KH QH
:
: 2H"""

HOSTILE = [
    "Foundation: H-0",
    "Foundations: H-0 X-2",
    "Foundations: H-1",
    "Foundations: H-10",
    "Foundations: H0",
    "Foundations: -",
    "Foundations: S-K S-K S-K S-K S-A",
    "Foundations: H-2\nFoundations: S-A\n:",
    "Foundations: H-0\n:\nFoundations: H-0",
    "Freecells: KH -\nFreecells: - -\n:",
    "Freecells:\nFreecells: KH\n:",
    "Freecells: KH KH KH: KH",
    "board: KH",
    ": KH : QH",
    ": K\u2665",
    ":\u00a0KH",
    "Foundations: H-\u0663",
    ": KH\u202e",
    ": KH\n" * 1_000,
    ": " * 500_000,
    "Foundations:" * 3 + "\0",
]
CARDS_THAT_ARE_NONE = [": K\0", ": KH QX", "Freecells: KH --", "Freecells: - 0", ": 10H", "KH,QH", ": kh", ": K\x1bH"]


def whole(home: str = "H-K C-K D-K S-J", rest: str = ": KS QS") -> Position:
    """Return a position near its end."""
    return Position.parse(f"Foundations: {home}\n{rest}")


def test_position_prints_foundations_cells_and_columns() -> None:
    """The text is Freecell Solver's: foundations, free cells, then a column a line, the deepest card first."""
    position = Position(
        columns=(parse_cards(["KH", "QH"]), b"", parse_cards(["2H"])),
        cells=parse_cards(["KS"]) + b"\0" + parse_cards(["TH"]) + b"\0",
        home=bytes([12, 0, 13, 2]),
    )
    assert str(position) == MIDGAME
    assert Position.parse(MIDGAME) == position


def test_position_without_cells_prints_no_line_for_them() -> None:
    """Simple Simon has no cells, and an empty line of them would be read as a game that has."""
    position = Position((b"", parse_cards(["AS"])), b"", bytes([0, 13, 0, 0]))
    assert str(position) == "Foundations: H-K C-0 D-0 S-0\n:\n: AS"
    assert Position.parse(str(position)) == position


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "S-0"), (5, "S-5"), (13, "S-K"), (26, "S-K S-K"), (29, "S-K S-K S-3"), (52, "S-K S-K S-K S-K")],
)
def test_ss2_removed_suits_are_repeated(count: int, text: str) -> None:
    """SS2: with repeated cards a suit whose sequence has left more than once is named as often."""
    position = Position((b"",), b"", bytes([count, 0, 0, 0]))
    assert str(position) == f"Foundations: H-0 C-0 D-0 {text}\n:"
    assert Position.parse(str(position)) == position


@pytest.mark.parametrize("row", vectors.rows("walks.jsonl.gz"), ids=lambda row: f"{row['game']}-{row['ops'][0]}")
def test_positions_of_the_walks_read_back(row: vectors.Row) -> None:
    """What prints a position reads as the same position, in both games and all suits."""
    for checkpoint in row["checkpoints"]:
        position = vectors.position_of(checkpoint)
        assert Position.parse(str(position)) == position


@pytest.mark.parametrize(
    "text",
    [
        "\n" + MIDGAME + "\n\n",
        MIDGAME.replace("\n", "\r\n"),
        MIDGAME.replace(": KH QH", "KH  QH"),
        MIDGAME.replace("H-0 C-2 D-K S-Q", "S-Q D-K C-2"),
    ],
    ids=["blank lines around", "carriage returns", "no colon", "other order"],
)
def test_reading_is_kind_to_spaces_and_order(text: str) -> None:
    """Blank lines around, carriage returns, a column without its colon and suits in another order do not matter."""
    assert Position.parse(text) == Position.parse(MIDGAME)


@pytest.mark.parametrize("text", [*HOSTILE, *NO_TEXT], ids=lambda value: repr(value)[:24])
def test_what_is_no_position_is_refused(text: str) -> None:
    """Unknown lines or one twice, foundations out of form, other scripts, other types, huge texts are BAD_POSITION."""
    with pytest.raises(PositionError) as caught:
        Position.parse(text)
    assert caught.value.reason is Reason.BAD_POSITION
    assert len(str(caught.value.params["text"])) <= 26


@pytest.mark.parametrize("text", CARDS_THAT_ARE_NONE)
def test_bad_card_in_a_position_is_named(text: str) -> None:
    """A card out of form is refused as a card is."""
    with pytest.raises(NotationError) as caught:
        Position.parse(text)
    assert caught.value.reason is Reason.BAD_CARD


def test_run_is_the_end_of_a_column_or_the_card_of_a_cell() -> None:
    """`run` gives the cards that would move."""
    position = Position.parse(MIDGAME)
    assert texts(position.run(0, 1)) == ["QH"]
    assert texts(position.run(0, 2)) == ["KH", "QH"]
    assert texts(position.run(10, 1)) == ["KS"]
    assert texts(position.run(12, 1)) == ["TH"]


def test_cards_are_all_there_wherever_they_lie() -> None:
    """Columns, cells, foundations and removed sequences together."""
    position = Position.parse("Foundations: S-2 H-K H-K\nFreecells: KD -\n: AC AC")
    two_sequences = [f"{rank}H" for rank in "A23456789TJQK" for _ in range(2)]
    assert sorted(texts(position.cards())) == sorted(["AS", "2S", *two_sequences, "KD", "AC", "AC"])
    assert list(position.cards()) == sorted(position.cards())


@pytest.mark.parametrize("code", ["SS1-S1-AAAAABD", "SS1-S2-AAAAABD", "SS1-S4-AAAAABD", "FC1-AAAALWO"])
def test_ss2_first_position_holds_exactly_its_pack(code: str) -> None:
    """SS2: 52 cards, and those of the code's number of suits."""
    parsed = GameCode.parse(code)
    parsed.deal().check_pack(parsed.suits)


@pytest.mark.parametrize(
    ("position", "suits"),
    [
        (whole(), 4),
        (whole(home="H-K S-K S-K", rest=": " + " ".join(f"{rank}H" for rank in "A23456789TJQK")), 2),
        (whole(home="S-K S-K S-K S-K", rest=":"), 1),
    ],
)
def test_ss2_whole_pack_passes(position: Position, suits: int) -> None:
    """SS2: cards that are gone count as well as those that lie there."""
    position.check_pack(suits)


@pytest.mark.parametrize(
    ("position", "suits", "missing", "extra"),
    [
        (whole(rest=": KS"), 4, "QS", "-"),
        (whole(rest=": KS QS QS"), 4, "-", "QS"),
        (whole(rest=": KS QH"), 4, "QS", "QH"),
        (whole(home="S-K S-K S-K", rest=":"), 1, "AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS", "-"),
        (whole(home="S-K S-K S-K S-K", rest=": AS"), 1, "-", "AS"),
    ],
)
def test_ss2_wrong_pack_is_refused(position: Position, suits: int, missing: str, extra: str) -> None:
    """SS2: what is missing and what is too much is named, repeated cards counted."""
    with pytest.raises(PositionError) as caught:
        position.check_pack(suits)
    assert caught.value.reason is Reason.NOT_THE_PACK
    assert caught.value.params == {"suits": suits, "missing": missing, "extra": extra}


def test_equal_positions_are_equal_values() -> None:
    """A position can be compared and be the key of a set: its parts are bytes."""
    code = GameCode.parse("FC1-AAAALWO")
    one, other = code.rules.deal(code.number, 4), code.rules.deal(code.number, 4)
    assert one == other
    assert len({one, other}) == 1
    assert {type(part) for part in (*one.columns, one.cells, one.home)} == {bytes}


def test_whole_pack_in_one_column_reads_back() -> None:
    """No length of a column is out of form: whether the game has it is for the rules to say."""
    position = Position((PACK,))
    assert Position.parse(str(position)) == position
