"""Cards and their texts."""

from collections import Counter

import pytest

from shared.cards import CARDS, PACK, TEXTS, Card, fold, parse_cards, texts
from shared.errors import NotationError, Reason
from tests.hostile import NO_TEXT

HOSTILE = [
    "",
    "K",
    "KHH",
    "kh",
    "Kh",
    "1H",
    "10H",
    "HK",
    "K H",
    " KH",
    "KH\n",
    "K\0",
    "\u0661H",
    "K\u2665",
    "\u202eKH",
    "?" * 10**6,
]


def test_card_is_one_byte_of_suit_and_rank() -> None:
    """The suit is in the high four bits, spades, hearts, diamonds, clubs; the rank from 1 in the low four."""
    assert [Card.parse(text) for text in ("AS", "KS", "AH", "TD", "KC")] == [0x01, 0x0D, 0x11, 0x2A, 0x3D]


def test_pack_is_the_ordinary_one() -> None:
    """Four suits of thirteen ranks, no card twice, none of them 0, which is no card."""
    cards = [Card(byte) for byte in PACK]
    assert len(set(cards)) == 52
    assert 0 not in PACK
    assert Counter(card.suit for card in cards) == dict.fromkeys(range(4), 13)
    assert Counter(card.rank for card in cards) == dict.fromkeys(range(1, 14), 4)


def test_hearts_and_diamonds_are_red() -> None:
    """Suits 1 and 2 are red, the others black."""
    assert [Card.parse(f"7{suit}").is_red for suit in "SHDC"] == [False, True, True, False]


@pytest.mark.parametrize("byte", PACK)
def test_text_of_a_card_reads_back(byte: int) -> None:
    """What prints a card reads as the same card."""
    text = str(Card(byte))
    assert Card.parse(text) == byte
    assert TEXTS[byte] == text
    assert CARDS[text] is Card.parse(text)


@pytest.mark.parametrize("text", [*HOSTILE, *NO_TEXT], ids=lambda value: repr(value)[:12])
def test_what_is_no_card_is_refused(text: str) -> None:
    """Anything but rank and suit in capitals is BAD_CARD, whatever its size, script or type."""
    with pytest.raises(NotationError) as caught:
        Card.parse(text)
    assert caught.value.reason is Reason.BAD_CARD
    assert len(str(caught.value.params["text"])) <= 26


def test_ss2_fold_makes_one_suit_and_two() -> None:
    """SS2: four of each spade in one suit; two of each spade and heart in two; an ordinary pack in four."""
    ranks = set(range(1, 14))
    assert Counter(fold(PACK, 1)) == dict.fromkeys(ranks, 4)
    assert Counter(fold(PACK, 2)) == dict.fromkeys([*ranks, *(0x10 | rank for rank in ranks)], 2)
    assert fold(PACK, 4) == PACK


def test_ss2_fold_counts_clubs_as_spades_and_diamonds_as_hearts() -> None:
    """SS2: the colour tells which of the two suits a card counts as."""
    assert texts(fold(parse_cards(["QS", "QH", "QD", "QC"]), 2)) == ["QS", "QH", "QH", "QS"]


@pytest.mark.parametrize("suits", [0, 3, 5])
def test_ss2_fold_knows_no_other_number_of_suits(suits: int) -> None:
    """SS2: only 1, 2 and 4 are numbers of suits."""
    with pytest.raises(KeyError):
        fold(PACK, suits)


def test_cards_keep_their_order_in_text() -> None:
    """A list of texts reads as bytes and prints as the same list."""
    names = ["KH", "2C", "2C", "AS"]
    assert texts(parse_cards(names)) == names
    assert parse_cards([]) == b""
    assert texts(b"") == []


def test_first_bad_card_of_a_list_is_named() -> None:
    """Reading a list stops at the first text that is no card, and shows it."""
    with pytest.raises(NotationError) as caught:
        parse_cards(["KH", "XX", "YY"])
    assert caught.value.params == {"text": "XX"}
