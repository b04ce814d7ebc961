"""FreeCell, rule by rule (DESIGN.md section 2): each test is named after the rule that it shows."""

import pytest

from shared.cards import PACK, Card, parse_cards, texts
from shared.errors import Refusal
from shared.games.freecell import FreeCell
from shared.moves import Move
from shared.position import Position
from tests import vectors
from tests.tables import after, laid, legal, refusal

RULES = FreeCell()
FULL = "KS KH KD KC"
"""Four cells with a card in each."""


def best(*columns: str, of: str, cells: str = "", home: str = "") -> str:
    """Return the move that double-clicking makes, *of* being the source's name and the count ("1v2", "a")."""
    source, _, count = of.partition("v")
    position = laid(RULES, *columns, cells=cells, home=home)
    return str(RULES.best_move(position, "12345678  abcd".index(source), int(count or 1)))


def hint(position: Position, last: str = "") -> str:
    """Return the hint's text, "" for none; *last* is the move that led here, if any."""
    before = RULES.apply(position, Move.parse(last).back) if last else None
    move = RULES.hint(position, before)
    return str(move) if move else ""


def test_fc1_deal_has_eight_columns_four_cells_and_four_foundations() -> None:
    """FC1: 7 cards in the first four columns, 6 in the others, cells and foundations empty."""
    position = RULES.deal(11982, 4)
    assert [len(column) for column in position.columns] == [7, 7, 7, 7, 6, 6, 6, 6]
    assert (position.cells, position.home) == (bytes(4), bytes(4))
    assert sorted(position.cards()) == sorted(PACK)


@pytest.mark.parametrize(
    "row",
    [*vectors.rows("deals_ms_freecell.jsonl.gz"), *vectors.rows("freecell_solutions.jsonl.gz")],
    ids=lambda row: str(row["deal"]),
)
def test_fc1_deal_is_everyones(row: vectors.Row) -> None:
    """FC1, section 3: every number of the vectors gives their columns."""
    assert [texts(column) for column in RULES.deal(row["deal"], 4).columns] == row["columns"]


@pytest.mark.parametrize(("text", "pile"), [("19", "9"), ("10", "0"), ("91", "9"), ("0a", "0"), ("9h", "9")])
def test_fc1_there_are_no_more_columns(text: str, pile: str) -> None:
    """FC1: columns 9 and 10 are Simple Simon's."""
    assert refusal(RULES, laid(RULES, "5H"), text) == f"NO_PILE (FC1) pile={pile}"


@pytest.mark.parametrize(("card", "onto"), [("5H", "6S"), ("5H", "6C"), ("5D", "6C"), ("5S", "6H"), ("QC", "KD")])
def test_fc2_card_goes_on_the_other_colour_one_higher(card: str, onto: str) -> None:
    """FC2: one rank lower and the other colour."""
    assert refusal(RULES, laid(RULES, card, onto), "12") == ""


@pytest.mark.parametrize(
    ("card", "onto"),
    [("5H", "6H"), ("5H", "6D"), ("5S", "6C"), ("5H", "4S"), ("5H", "7S"), ("5H", "5S"), ("KH", "AS"), ("AH", "KS")],
)
def test_fc2_no_other_card_takes_it(card: str, onto: str) -> None:
    """FC2: the same colour, or another rank, does not fit; ace low, king high."""
    assert refusal(RULES, laid(RULES, card, onto), "12") == f"NOT_NEXT (FC2) card={card} onto={onto}"


def test_fc2_follows_looks_at_rank_and_colour() -> None:
    """FC2: of all 52 × 52 pairs those one rank apart in two colours fit."""
    pairs = [(card, onto) for card in map(Card, PACK) for onto in map(Card, PACK) if RULES.follows(card, onto)]
    assert len(pairs) == 12 * 4 * 2
    assert all(onto.rank - card.rank == 1 and onto.is_red != card.is_red for card, onto in pairs)


@pytest.mark.parametrize("card", ["KH", "AS", "7C"])
def test_fc2_empty_column_takes_any_card(card: str) -> None:
    """FC2: from a column or from a cell."""
    position = laid(RULES, card, "", cells=f"- {card}")
    assert refusal(RULES, position, "12") == ""
    assert refusal(RULES, position, "b2") == ""


def test_fc3_cell_holds_one_card_of_any_kind() -> None:
    """FC3: a free cell takes a card; a cell that holds one takes no other; no cell takes two."""
    position = laid(RULES, "9C 6S 5H", cells="- 4D - -")
    assert after(RULES, position, "1a").cells == parse_cards(["5H", "4D"]) + bytes(2)
    assert refusal(RULES, position, "1b") == "CELL_TAKEN (FC3) cell=b card=4D"
    assert refusal(RULES, position, "1av2") == "ONE_CARD (FC3) count=2"


def test_fc3_card_leaves_a_cell_for_a_column_or_a_foundation() -> None:
    """FC3: and the cell is free again."""
    position = laid(RULES, "9C", "", "5S", cells="4D AH", home="D3")
    assert [move for move in legal(RULES, position) if move[0] in "ab"] == ["a3", "a2", "ah", "b2", "bh"]
    assert after(RULES, position, "a3", "bh").cells == bytes(4)


@pytest.mark.parametrize("target", "bcd")
def test_fc3_not_to_another_cell(target: str) -> None:
    """FC3: whether the other cell is free or taken."""
    assert refusal(RULES, laid(RULES, cells="4D 4H"), f"a{target}") == "CELL_TO_CELL (FC3)"


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("b1", "EMPTY_PILE pile=b"),
        ("bh", "EMPTY_PILE pile=b"),
        ("bc", "EMPTY_PILE pile=b"),
        ("21", "EMPTY_PILE pile=2"),
        ("2a", "EMPTY_PILE pile=2"),
        ("a1v2", "FEW_CARDS pile=a count=2 held=1"),
        ("13v3", "FEW_CARDS pile=1 count=3 held=2"),
        ("aa", "IDLE"),
        ("11v2", "IDLE"),
        ("hh", "IDLE"),
    ],
)
def test_there_must_be_cards_to_move(text: str, refused: str) -> None:
    """Section 2: an empty pile gives none, a short one not enough; source = target is idle before all else."""
    assert refusal(RULES, laid(RULES, "9C 8H", "", cells="4D"), text) == refused


@pytest.mark.parametrize("source", ["1", "a"])
def test_fc4_foundation_is_built_up_in_suit(source: str) -> None:
    """FC4: ace to king, from a column or a cell; a card out of turn is told which one is next."""
    for held, home in [("AS", ""), ("2S", "S1"), ("KS", "S12")]:
        position = laid(RULES, f"9H {held}", cells=held, home=home)
        assert refusal(RULES, position, f"{source}h") == ""
        assert after(RULES, position, f"{source}h").home[0] == position.home[0] + 1
    early = laid(RULES, "9H 3S", cells="3S", home="S1 H2")
    assert refusal(RULES, early, f"{source}h") == "NOT_HOME_YET (FC4) card=3S next=2S"


def test_fc4_one_card_goes_home_at_a_time() -> None:
    """FC3, FC4: a run does not, even where its last card could."""
    assert refusal(RULES, laid(RULES, "3H 2S", home="S1"), "1hv2") == "ONE_HOME (FC4) count=2"


@pytest.mark.parametrize("text", ["h1", "ha", "h2", "h1v2"])
def test_fc4_card_does_not_come_back(text: str) -> None:
    """FC4: whatever the target."""
    assert refusal(RULES, laid(RULES, "3H", "", home="S2"), text) == "FROM_FOUNDATION (FC4)"


def test_fc5_run_descends_in_alternating_colours() -> None:
    """FC5: the first pair that breaks is named."""
    position = laid(RULES, "9C 8H 7S 6D", "9S", "")
    assert refusal(RULES, position, "12v3") == ""
    assert refusal(RULES, laid(RULES, "9C 8H 7D", "9S"), "12v2") == "NOT_A_RUN (FC5) card=7D onto=8H"
    assert refusal(RULES, laid(RULES, "8H 6S", "9S"), "12v2") == "NOT_A_RUN (FC5) card=6S onto=8H"


RUN = "KH QS JH TS 9H 8S 7H 6S 5H 4S 3H 2S"
"""Twelve cards that move together if there is room."""


@pytest.mark.parametrize(
    ("free_cells", "empty_columns", "onto_card", "into_empty"),
    [
        (0, 0, 1, 0),
        (1, 0, 2, 0),
        (4, 0, 5, 0),
        (0, 1, 2, 1),
        (2, 1, 6, 3),
        (4, 1, 10, 5),
        (1, 2, 8, 4),
        (0, 3, 8, 4),
        (2, 2, 12, 6),
    ],
)
def test_fc5_limit(free_cells: int, empty_columns: int, onto_card: int, into_empty: int) -> None:
    """FC5: (free cells + 1) × 2^(empty columns), the target not among them: with 2 and 1, 6 onto a card, 3 into it."""
    cells = " ".join((["-"] * free_cells + ["KC"] * 4)[:4])
    empty = [""] * empty_columns
    for count in range(2, 12):
        run = RUN.split()[-count:]
        onto = RUN.split()[-count - 1]
        position = laid(RULES, f"2D {' '.join(run)}", f"3D {onto}", *empty, cells=cells)
        refused = refusal(RULES, position, f"12v{count:x}")
        assert refused == ("" if count <= onto_card else f"TOO_MANY (FC5) count={count} limit={onto_card}")
        if empty_columns:
            refused = refusal(RULES, position, f"13v{count:x}")
            assert refused == ("" if count <= into_empty else f"TOO_MANY (FC5) count={count} limit={into_empty}")


def test_fc5_source_that_would_become_empty_does_not_count() -> None:
    """FC5: the column that a run leaves is not empty on the way."""
    position = laid(RULES, "7H 6S", "8C", cells=FULL)
    assert refusal(RULES, position, "12v2") == "TOO_MANY (FC5) count=2 limit=1"


def test_fc5_list_of_moves_keeps_the_limit() -> None:
    """FC5: with 1 free cell and 1 empty column 4 go onto a card and 2 into the column."""
    position = laid(RULES, "2D 6S 5H 4S 3H 2S", "2D 7H", "", "2D 6H", "2D 4D", cells="KS KH KD -", filler="2D")
    runs = [move for move in legal(RULES, position) if move[0] == "1"]
    assert runs == ["13", "1d", "13v2"]
    assert refusal(RULES, position, "12v5") == "TOO_MANY (FC5) count=5 limit=4"
    assert refusal(RULES, position, "14v4") == "NOT_NEXT (FC2) card=5H onto=6H"


def test_fc6_won_when_all_52_are_home() -> None:
    """FC6: 52 on the foundations, not 51."""
    assert RULES.won(laid(RULES, home="S13 H13 D13 C13", filler=""))
    assert not RULES.won(laid(RULES, "KC", home="S13 H13 D13 C12", filler=""))


def test_fc6_program_says_that_no_move_is_left() -> None:
    """FC6: no move at all, cells full; one free cell is a move; a won game is not stuck."""
    lost = laid(RULES, cells=FULL, filler="2D 3D 3H 5S")
    assert legal(RULES, lost) == []
    assert RULES.stuck(lost)
    assert not RULES.stuck(laid(RULES, cells="KS KH KD -", filler="5S"))
    assert not RULES.stuck(laid(RULES, home="S13 H13 D13 C13", filler=""))


def test_fc7_best_target_is_the_foundation() -> None:
    """FC7: before a column that takes the card, an empty one and a cell."""
    assert best("9H 2S", "3H", "", of="1", home="S1") == "1h"
    assert best("9H", "3H", "", of="a", cells="2S", home="S1") == "ah"


def test_fc7_then_a_column_that_takes_the_run() -> None:
    """FC7: the leftmost, before an empty column."""
    assert best("9H 2S", "", "3H", "3D", of="1") == "13"
    assert best("9H 3D 2S", "", "4S", "4C", of="1v2") == "13v2"
    assert best("9H", "", "3H", of="a", cells="2S") == "a3"


def test_fc7_then_an_empty_column_but_not_for_a_whole_one() -> None:
    """FC7: a whole column to an empty one would change nothing; a card of a cell may go there."""
    assert best("9H 2S", "5H", "", "", of="1") == "13"
    assert best("9H 3D 2S", "5H", "", of="1v2") == "13v2"
    assert best("2S", "5H", "", of="1") == "1a"
    assert best("9H", "5H", "", of="a", cells="2S") == "a3"


def test_fc7_then_the_lowest_free_cell() -> None:
    """FC7: for one card."""
    assert best("9H 2S", "5H", of="1", cells="KS - KD -") == "1b"


@pytest.mark.parametrize(
    ("columns", "of", "cells", "refused"),
    [
        (("9H 2S", "5H"), "1", FULL, "NO_TARGET (FC7)"),
        (("9H 3D 2S", "5H"), "1v2", "", "NO_TARGET (FC7)"),
        (("3D 2S", "5H", ""), "1v2", "", "NO_TARGET (FC7)"),
        (("9H 4S 3D 2S", "5H"), "1v3", "KS KH KD -", "NO_TARGET (FC7)"),
        (("9H", "5H"), "a", "2S KH", "NO_TARGET (FC7)"),
        (("9H 2S", "5H"), "1v2", "", "NOT_A_RUN (FC5) card=2S onto=9H"),
        (("9H 2S", "5H"), "b", "", "EMPTY_PILE pile=b"),
    ],
)
def test_fc7_no_target(columns: tuple[str, ...], of: str, cells: str, refused: str) -> None:
    """FC7: nothing takes it, or only too few at once (FC5), or it is no run at all."""
    filled = laid(RULES, *columns, cells=cells)
    assert filled.columns[len(columns)] == parse_cards(["AC"])
    with pytest.raises(Refusal) as caught:
        best(*columns, of=of, cells=cells)
    assert str(caught.value) == refused


@pytest.mark.parametrize(
    ("columns", "home", "shown"),
    [
        (("9H 2H 6C", "2S", "5H"), "S1 H1", "2h"),
        (("5H", "9H 2H 6C"), "H1", "2a"),
        (("9S 8D", "KC 9C", "9H 3H 6C", "5H", ""), "H1", "43"),
        (("KC 9C", "", "9S 8D"), "", "31"),
        (("5H", "KC 9C", "9S 8D"), "", "32"),
        (("9S 8D", "KC 9H", ""), "", "13"),
        (("9S 8D", "KC 9H"), "", "1a"),
    ],
    ids=["home", "frees the next one", "empties a column", "onto a card", "cell last", "empty column", "cell"],
)
def test_fc8_hint_goes_by_its_preferences(columns: tuple[str, ...], home: str, shown: str) -> None:
    """FC8: each case has moves of the later kinds too, but none of the earlier ones."""
    assert hint(laid(RULES, *columns, home=home, filler="KS KH")) == shown


def test_fc8_freeing_move_goes_to_the_best_place() -> None:
    """FC8: of the moves that free the next card, onto a card before an empty column before a cell."""
    assert hint(laid(RULES, "2H 6C", "7D 8C", "", filler="KS", home="H1")) == "13"
    assert hint(laid(RULES, "2H 6C", "", "7D", filler="KS", home="H1")) == "13"


def test_fc8_never_back_the_way_the_last_move_came() -> None:
    """FC8: the move that would undo the last one is not shown, though another that is worse is."""
    position = laid(RULES, "9S 6H", "9C 5S", "7C", cells=FULL, filler="KS")
    assert hint(position) == "13"
    assert hint(position, last="13") == "13"
    assert hint(position, last="31") == "21"
    assert hint(laid(RULES, "9S 6H", "7C", cells=FULL, filler="KS"), last="21") == ""


def test_fc8_another_cell_or_empty_column_leads_back_too() -> None:
    """FC8: what came out of a cell or an empty column is not shown the way into any other; what did not, is."""
    celled = laid(RULES, "9S 6H", cells="- KS", filler="TS")
    assert (hint(celled), hint(celled, last="a1"), hint(celled, last="b3")) == ("1a", "2a", "1a")
    emptied = laid(RULES, "9S 8D", "", "", cells=FULL, filler="KH TS")
    assert (hint(emptied), hint(emptied, last="31"), hint(emptied, last="41")) == ("12", "42", "12")


def test_fc8_no_hint_where_no_move_is_left() -> None:
    """FC8: none to show."""
    assert hint(laid(RULES, cells=FULL, filler="KS")) == ""


def test_fc8_column_is_not_moved_aside() -> None:
    """FC8: a whole column to an empty one empties nothing, and is not shown, though it is legal."""
    position = laid(RULES, "KS", "", cells=FULL, filler="KD")
    assert legal(RULES, position)[0] == "12"
    assert hint(position) == "a2"


@pytest.mark.parametrize(("home", "score"), [("", 0), ("S3", 3), ("S13 H2 D1", 16), ("S13 H13 D13 C13", 52)])
def test_fc9_score_is_the_cards_at_home(home: str, score: int) -> None:
    """FC9: 0 to 52; moves are counted beside it and cost nothing."""
    assert RULES.score(laid(RULES, home=home), 0) == score
    assert RULES.score(laid(RULES, home=home), 300) == score


@pytest.mark.parametrize(
    ("columns", "home", "progress"),
    [
        ((), "", 0),
        (("7H 6S 5H",), "", 2),
        (("7H 6D 5S",), "", 1),
        (("5H 6S",), "", 0),
        (("KS QH JC",), "S2 H1", 5),
        ((), "S13 H13 D13 C13", 52),
    ],
)
def test_progress_counts_cards_home_and_cards_on_one_that_takes_them(
    columns: tuple[str, ...], home: str, progress: int
) -> None:
    """Section 5: 0 to 52."""
    assert RULES.progress(laid(RULES, *columns, home=home)) == progress


def test_fc10_no_card_moves_by_itself() -> None:
    """FC10: an ace stays where it lies, and a whole sequence in a column too."""
    position = after(RULES, laid(RULES, "9H AS", "KD", cells="AH"), "2b")
    assert (position.home, position.cells[:2]) == (bytes(4), parse_cards(["AH", "KD"]))
    assert RULES.leaving(parse_cards([f"{rank}S" for rank in "KQJT98765432A"])) == 0
    assert [str(step) for step in RULES.steps(position, Move.parse("1h"))] == ["1h"]


def test_fc10_gather_brings_all_home() -> None:
    """FC10: foundation moves alone, columns before cells, until all are home."""
    position = laid(RULES, "KH QH", "KS", cells="QS KD", home="S11 H11 D12 C13", filler="")
    moves = RULES.gather(position)
    assert [str(move) for move in moves] == ["1h", "1h", "ah", "2h", "bh"]
    assert RULES.won(after(RULES, position, *map(str, moves)))


@pytest.mark.parametrize(
    ("columns", "cells", "home"),
    [
        (("QH KH", "KS QS"), "", "S11 H11 D13 C13"),
        (("KS",), "", "S13 H13 D13 C13"),
        (("2S 3S",), "AS", ""),
        ((), "", "S13 H13 D13 C13"),
    ],
    ids=["one is buried", "nothing fits", "stops half-way", "won"],
)
def test_fc10_gather_only_when_every_card_can_go(columns: tuple[str, ...], cells: str, home: str) -> None:
    """FC10: not for some of them, and not when none is left."""
    assert RULES.gather(laid(RULES, *columns, cells=cells, home=home, filler="")) == ()
