"""Numbers and the order in which their cards are dealt: the de-facto standard, so others' deals must be ours."""

from itertools import chain
from random import Random

import pytest
from pysol_cards.cards import CardRenderer
from pysol_cards.deal_game import Game
from pysol_cards.random_base import RandomBase

from shared.cards import PACK, parse_cards, texts
from shared.deal import HIGHEST, dealt
from shared.games import RULES
from tests import vectors

BANDS = {"below 2^31": (1, 2**31), "from 2^31": (2**31, 2**32), "from 2^32": (2**32, 2**33)}
"""The three bands of numbers, in each of which a draw's value is made in another way."""

FIRST_AND_LAST = [1, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**32 + 1, HIGHEST]

OTHERS_NAMES = {"freecell": "freecell", "simple-simon": "simple_simon"}


def numbers_of(band: str) -> list[int]:
    """Return 334 numbers of a band, the same each time."""
    random = Random(band)
    return [random.randrange(*BANDS[band]) for _ in range(334)]


def others_columns(game: str, number: int) -> tuple[bytes, ...]:
    """Return the columns that the package `pysol_cards` deals, without its line of empty cells."""
    layout = Game(OTHERS_NAMES[game], number, RandomBase.DEALS_MS).calc_layout_string(CardRenderer(print_ts=True))
    return tuple(parse_cards(line.split()) for line in layout.splitlines() if "-" not in line)


@pytest.mark.parametrize("row", vectors.rows("deals_ms_freecell.jsonl.gz"), ids=lambda row: str(row["deal"]))
def test_deal_is_everyones_freecell_deal(row: vectors.Row) -> None:
    """The cards come as the vector's eight columns have them, row by row."""
    columns = row["columns"]
    by_rows = [column[height] for height in range(7) for column in columns if height < len(column)]
    assert texts(dealt(row["deal"])) == by_rows


@pytest.mark.parametrize("game", OTHERS_NAMES)
@pytest.mark.parametrize("band", BANDS)
def test_deals_are_those_of_pysol_cards(game: str, band: str) -> None:
    """In each band 334 random numbers, more than 1,000 in all, are dealt as another program deals them."""
    for number in numbers_of(band):
        assert RULES[game].deal(number, 4).columns == others_columns(game, number), number


@pytest.mark.parametrize("game", OTHERS_NAMES)
@pytest.mark.parametrize("number", FIRST_AND_LAST)
def test_first_and_last_deals_of_the_bands_are_those_of_pysol_cards(game: str, number: int) -> None:
    """The bands meet where they should."""
    assert RULES[game].deal(number, 4).columns == others_columns(game, number)


@pytest.mark.parametrize("number", FIRST_AND_LAST)
def test_every_deal_is_the_whole_pack(number: int) -> None:
    """Each card is dealt once."""
    assert sorted(dealt(number)) == sorted(PACK)


def test_deals_differ() -> None:
    """A number of 33 bits is used whole: those that differ by 2^31 or 2^32 are other deals."""
    numbers = list(chain.from_iterable((number, number + 2**31, number + 2**32) for number in range(1, 100)))
    assert len({dealt(number) for number in numbers}) == len(numbers)


def test_highest_number_has_33_bits() -> None:
    """Section 3 ends the numbers at 2^33 - 1, the greatest that the standard has."""
    assert HIGHEST == 8_589_934_591
