"""Simple Simon, rule by rule (DESIGN.md section 2): each test is named after the rule that it shows."""

import pytest

from shared.cards import PACK, Card, fold, parse_cards, texts
from shared.errors import Refusal
from shared.games.simplesimon import SEQUENCES, SimpleSimon
from shared.moves import Move
from tests import vectors
from tests.tables import after, laid, legal, refusal

RULES = SimpleSimon()
DEALS = [
    row
    for name in ("deals_pysol_simple_simon.jsonl.gz", "simple_simon_4suit_solutions.jsonl.gz")
    for row in vectors.rows(name)
    if vectors.own_number(row)
]
SPADES = "KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S"
"""A sequence of spades that lacks its ace."""


def best(*columns: str, of: str, filler: str = "AC") -> str:
    """Return the move that double-clicking makes, *of* being the source and the count ("1v2")."""
    source, _, count = of.partition("v")
    return str(RULES.best_move(laid(RULES, *columns, filler=filler), int(source) - 1, int(count or 1)))


def test_ss1_deal_has_ten_columns_and_nothing_else() -> None:
    """SS1: columns of 8,8,8,7,6,5,4,3,2,1; no cells; 52 cards."""
    position = RULES.deal(1, 4)
    assert [len(column) for column in position.columns] == [8, 8, 8, 7, 6, 5, 4, 3, 2, 1]
    assert (position.cells, position.home) == (b"", bytes(4))
    assert sorted(position.cards()) == sorted(PACK)


@pytest.mark.parametrize("row", DEALS, ids=lambda row: str(row["deal"]))
def test_ss1_deal_is_everyones(row: vectors.Row) -> None:
    """SS1, section 3: a number below 32,000 is dealt as PySolFC and Freecell Solver deal it."""
    assert [texts(column) for column in RULES.deal(int(row["deal"]), 4).columns] == row["columns"]


@pytest.mark.parametrize(
    ("text", "refused"), [("1a", "a"), ("1d", "d"), ("1h", "h"), ("a1", "a"), ("h1", "h"), ("hb", "h"), ("1hv2", "h")]
)
def test_ss1_no_cells_and_no_foundations_to_move_to(text: str, refused: str) -> None:
    """SS1: there are only columns; sequences leave by themselves, and nobody moves a card to or from there."""
    position = laid(RULES, "3S 2S", "AH")
    assert refusal(RULES, position, text) == f"NO_PILE (SS1) pile={refused}"


def test_ss1_only_the_end_of_a_column_moves() -> None:
    """SS1: the last card is the free one; one further up takes all below it along, or stays."""
    position = laid(RULES, "9H 2S 7D", "TC")
    assert refusal(RULES, position, "12v3") == "NOT_A_RUN (SS4) card=2S onto=9H"


def test_ss2_suit_counts() -> None:
    """SS2: 1, 2 and 4 suits, one by default."""
    assert RULES.suits == (1, 2, 4)


@pytest.mark.parametrize("suits", [1, 2, 4])
def test_ss2_one_number_has_the_same_ranks_in_all_suits(suits: int) -> None:
    """SS2, section 3: fewer suits only paint the cards of the four-suit deal over."""
    four = RULES.deal(35, 4)
    assert RULES.deal(35, suits).columns == tuple(fold(column, suits) for column in four.columns)
    assert sorted(RULES.deal(35, suits).cards()) == sorted(fold(PACK, suits))


@pytest.mark.parametrize("onto", ["6S", "6H", "6D", "6C"])
def test_ss3_card_goes_on_one_rank_higher_of_any_suit(onto: str) -> None:
    """SS3: rank counts, suit does not."""
    assert refusal(RULES, laid(RULES, "9C 5H", onto), "12") == ""


@pytest.mark.parametrize(
    ("card", "onto"),
    [("5H", "4H"), ("5H", "5S"), ("5H", "7H"), ("KH", "AH"), ("KH", "QH"), ("2H", "AH"), ("AH", "KH"), ("AS", "AH")],
)
def test_ss3_no_other_card_takes_it(card: str, onto: str) -> None:
    """SS3: ace low, king high: nothing goes on an ace, and a king on no card."""
    assert refusal(RULES, laid(RULES, f"9C {card}", onto), "12") == f"NOT_NEXT (SS3) card={card} onto={onto}"


def test_ss3_follows_looks_at_ranks_only() -> None:
    """SS3: of all 52 × 52 pairs, those one rank apart fit."""
    pairs = [(card, onto) for card in map(Card, PACK) for onto in map(Card, PACK) if RULES.follows(card, onto)]
    assert len(pairs) == 12 * 4 * 4
    assert all(onto.rank - card.rank == 1 for card, onto in pairs)


def test_ss4_run_of_one_suit_moves_together() -> None:
    """SS4: cards that end a column and descend by one in one suit travel as one."""
    position = after(RULES, laid(RULES, "2C 7H 6H 5H", "8S"), "12v3")
    assert [texts(column) for column in position.columns[:2]] == [["2C"], ["8S", "7H", "6H", "5H"]]


@pytest.mark.parametrize(
    ("column", "count", "card", "onto"),
    [
        ("7H 6D 5D", 3, "6D", "7H"),
        ("7H 6H 5S", 2, "5S", "6H"),
        ("7H 5H", 2, "5H", "7H"),
        ("5H 6H", 2, "6H", "5H"),
        ("7H 7H", 2, "7H", "7H"),
        ("AH KH", 2, "KH", "AH"),
        ("AS KH", 2, "KH", "AS"),
    ],
)
def test_ss4_other_cards_do_not_move_together(column: str, count: int, card: str, onto: str) -> None:
    """SS4: another suit, a gap, the wrong way, an ace under a king: the first pair that breaks is named."""
    position = laid(RULES, column, "8S", "")
    for target in "23":
        assert refusal(RULES, position, f"1{target}v{count}") == f"NOT_A_RUN (SS4) card={card} onto={onto}"


def test_ss4_mixed_run_is_not_split_by_the_program() -> None:
    """SS4: with eight empty columns a mixed run still has to be moved part by part."""
    position = laid(RULES, "7H 6H 5S 4S", "8S", filler="")
    assert refusal(RULES, position, "12v4") == "NOT_A_RUN (SS4) card=5S onto=6H"
    assert {move for move in legal(RULES, position) if move[2:] == "v4"} == set()


def test_ss4_no_run_is_too_long() -> None:
    """SS4: twelve cards go at once, with no empty column to help."""
    position = laid(RULES, f"AH {SPADES[3:]}", "KS", filler="2H")
    assert refusal(RULES, position, "12vb") == ""


@pytest.mark.parametrize("text", ["12", "12v2", "12v3"])
def test_ss5_empty_column_takes_any_run(text: str) -> None:
    """SS5: one card, several, or the whole column."""
    assert refusal(RULES, laid(RULES, "9D 8D 7D", ""), text) == ""


def test_ss5_king_goes_to_an_empty_column() -> None:
    """SS3, SS5: an empty column is the only place for a king."""
    assert [move for move in legal(RULES, laid(RULES, "3S KH", "", "QS")) if move[0] == "1"] == ["12"]


def test_ss5_whole_column_to_an_empty_one_costs_a_move() -> None:
    """SS5, SS8: it is legal, changes nothing of use, and counts."""
    position = laid(RULES, "9D 8D", "")
    assert after(RULES, position, "12v2").columns[:2] == (b"", parse_cards(["9D", "8D"]))
    assert RULES.score(position, 1) == 499


def test_ss6_finished_sequence_leaves_at_once() -> None:
    """SS6: the move that completes king to ace of one suit takes all 13 away; here the column becomes empty by it."""
    position = after(RULES, laid(RULES, SPADES, "5H AS"), "21")
    assert position.columns[:2] == (b"", parse_cards(["5H"]))
    assert position.home == bytes([13, 0, 0, 0])


def test_ss6_cards_above_the_sequence_stay() -> None:
    """SS6: only the 13 cards leave."""
    position = after(RULES, laid(RULES, f"3D {SPADES}", "AS"), "21")
    assert position.columns[:2] == (parse_cards(["3D"]), b"")


def test_ss6_sequence_completed_by_a_run_leaves() -> None:
    """SS6: several cards may complete it."""
    position = after(RULES, laid(RULES, "KD QD JD TD 9D 8D", "4C 7D 6D 5D 4D 3D 2D AD"), "21v7")
    assert position.columns[:2] == (b"", parse_cards(["4C"]))
    assert position.home == bytes([0, 0, 13, 0])


def test_ss6_repeated_suit_leaves_again() -> None:
    """SS2, SS6: with repeated cards a suit can leave several times."""
    position = after(RULES, laid(RULES, SPADES, "AS", home="S13"), "21")
    assert position.home == bytes([26, 0, 0, 0])


@pytest.mark.parametrize(
    ("column", "last"),
    [
        (SPADES, "AH"),
        (SPADES.replace("7S", "7C"), "AS"),
        (SPADES.replace("KS", "KC"), "AS"),
        (SPADES[3:], "AS"),
    ],
    ids=["ace of another suit", "a card of another suit", "king of another suit", "no king"],
)
def test_ss6_less_than_a_sequence_stays(column: str, last: str) -> None:
    """SS6: 13 cards, all of one suit, king to ace; anything less stays."""
    position = after(RULES, laid(RULES, column, last), "21")
    assert texts(position.columns[0]) == [*column.split(), last]
    assert position.home == bytes(4)


def test_ss6_there_are_four_sequences() -> None:
    """SS6: one of each suit, king first."""
    assert sorted(texts(sequence)[0] + texts(sequence)[-1] for sequence in SEQUENCES) == [
        "KCAC",
        "KDAD",
        "KHAH",
        "KSAS",
    ]
    assert {len(sequence) for sequence in SEQUENCES} == {13}


@pytest.mark.parametrize("home", ["S13 H13 D13 C13", "S26 H26", "S52"])
def test_ss7_won_when_four_sequences_have_left(home: str) -> None:
    """SS7: in 4, 2 and 1 suits."""
    assert RULES.won(laid(RULES, home=home, filler=""))


@pytest.mark.parametrize("home", ["", "S13", "S13 H13 D13", "S26 H13", "S39"])
def test_ss7_not_won_before(home: str) -> None:
    """SS7: three sequences are not enough."""
    assert not RULES.won(laid(RULES, home=home, filler=""))


def test_ss7_program_never_says_that_a_deal_is_lost() -> None:
    """SS7: not even where no move is left; and it shows no hint and gathers nothing."""
    lost = laid(RULES, "KS", "KH", "KD", "KC", filler="TD")
    assert legal(RULES, lost) == []
    assert not RULES.stuck(lost)
    assert RULES.hint(RULES.deal(1, 4), None) is None
    assert RULES.gather(laid(RULES, f"{SPADES} AS")) == ()


@pytest.mark.parametrize(
    ("moves", "home", "score"),
    [(0, "", 500), (1, "", 499), (30, "S13", 570), (49, "S13 H13 D13 C13", 851), (59, "S52", 841), (700, "", -200)],
)
def test_ss8_score(moves: int, home: str, score: int) -> None:
    """SS8: 500, less one for each move, and 100 for each sequence; no floor; won in 49 moves = 851."""
    assert RULES.score(laid(RULES, home=home), moves) == score


def test_ss10_same_suit_comes_first() -> None:
    """SS10: a column of the same suit before an empty one and before any other, wherever they stand."""
    assert best("9H 5D", "6S", "", "6D", "6C", of="1") == "14"


def test_ss10_then_an_empty_column() -> None:
    """SS10: without one of the same suit an empty column before a card of another suit."""
    assert best("9H 5D", "6S", "", "6C", of="1") == "13"


def test_ss10_then_any_column() -> None:
    """SS10: without an empty column the other suit does."""
    assert best("9H 5D", "7S", "6C", "6S", of="1") == "13"


def test_ss10_whole_column_never_goes_to_an_empty_one() -> None:
    """SS10: it would change nothing; another suit is taken instead."""
    assert best("5D 4D", "", "6C", of="1v2") == "13v2"
    assert best("5D 4D", "", "6C", "5S", of="1v1") == "12"


@pytest.mark.parametrize(
    ("columns", "move"),
    [
        (("9H 5D", "6D", "6D"), "12"),
        (("9H 5D", "2S", "", ""), "13"),
        (("9H 5D", "2S", "6C", "6S"), "13"),
        (("6D", "9H 5D", "6D"), "21"),
    ],
)
def test_ss10_leftmost_among_equals(columns: tuple[str, ...], move: str) -> None:
    """SS10: of targets as good, the leftmost, be it left of the source or right."""
    assert best(*columns, of=move[0]) == move


def test_ss10_run_from_the_touched_card() -> None:
    """SS10: the card touched decides how many travel, and so where they go."""
    assert best("9H 5D 4D", "6D", "5S", of="1v2") == "12v2"
    assert best("9H 5D 4D", "6D", "5S", of="1v1") == "13"


@pytest.mark.parametrize(
    ("columns", "of", "refused"),
    [
        (("9H 5D", "7S"), "1", "NO_TARGET (SS10)"),
        (("5D", "", "7S"), "1", "NO_TARGET (SS10)"),
        (("9H 5D", "6D"), "1v2", "NOT_A_RUN (SS4) card=5D onto=9H"),
        (("5D", "6D"), "1v2", "FEW_CARDS pile=1 count=2 held=1"),
        (("", "6D"), "1", "EMPTY_PILE pile=1"),
    ],
)
def test_ss10_no_target(columns: tuple[str, ...], of: str, refused: str) -> None:
    """SS10: where nothing takes the run it says so; what is no run is refused as such."""
    with pytest.raises(Refusal) as caught:
        best(*columns, of=of)
    assert str(caught.value) == refused


@pytest.mark.parametrize(
    ("columns", "home", "progress"),
    [
        ((), "", 0),
        (("7H 6H 5H",), "", 2),
        (("7H 6D 5D", "3S 2S"), "", 2),
        (("5H 6H", "AS KS"), "", 0),
        ((SPADES,), "", 11),
        ((SPADES, "2H AH"), "S13 D13", 36),
        ((), "S52", 48),
    ],
)
def test_progress_counts_joined_cards_and_sequences(columns: tuple[str, ...], home: str, progress: int) -> None:
    """Section 5: cards on the next higher one of their suit, and 12 for each sequence gone: 0 to 48."""
    assert RULES.progress(laid(RULES, *columns, home=home)) == progress


def test_idle_move_is_the_only_pointless_one_refused() -> None:
    """Section 2: source = target is idle; moving a card to and fro is legal for ever."""
    position = laid(RULES, "6S 5D", "6C")
    assert refusal(RULES, position, "11") == "IDLE"
    assert after(RULES, position, "12", "21", "12", "21") == position


def test_removed_sequence_is_seen_to_leave() -> None:
    """SS6: what is seen is the move, then the sequence on its way out."""
    steps = RULES.steps(laid(RULES, SPADES, "5H AS"), Move.parse("21"))
    assert [str(step) for step in steps] == ["21", "1hvd"]
