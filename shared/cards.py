"""Cards: one byte each, so that a column is `bytes`.

The suit is in the high four bits (spades 0, hearts 1, diamonds 2, clubs 3), the rank (ace 1 … king 13) in the
low four. 0 is no card: an empty cell.
"""

from collections.abc import Iterable

from shared.errors import NotationError, Reason, excerpt

SUITS = "SHDC"
RANKS = "A23456789TJQK"
ACE, KING = 1, 13


class Card(int):
    """A card with names for its parts. Inside a column it is the plain byte.

    >>> Card.parse("TH").rank, Card.parse("TH").is_red, str(Card(0x0D))
    (10, True, 'KS')
    """

    __slots__ = ()

    @classmethod
    def parse(cls, text: str) -> "Card":
        """Read `KH`, `TS`, `AC` (DESIGN.md section 4); raise NotationError for anything else."""
        try:
            return CARDS[text]
        except (KeyError, TypeError):
            raise NotationError(Reason.BAD_CARD, text=excerpt(text)) from None

    @property
    def rank(self) -> int:
        """1 for an ace to 13 for a king."""
        return self & 15

    @property
    def suit(self) -> int:
        """The place in `SUITS`."""
        return self >> 4

    @property
    def is_red(self) -> bool:
        """True for hearts and diamonds."""
        return self.suit in (1, 2)

    def __str__(self) -> str:
        return RANKS[self.rank - 1] + SUITS[self.suit]


CARDS = {rank + suit: Card(s << 4 | r) for s, suit in enumerate(SUITS) for r, rank in enumerate(RANKS, ACE)}
"""Every card by its text."""

TEXTS = {int(card): text for text, card in CARDS.items()}
"""Every card's text by its byte."""

PACK = bytes(CARDS.values())
"""The 52 cards, suit by suit."""

_FOLDS = {
    1: bytes.maketrans(PACK, bytes(card & 15 for card in PACK)),
    2: bytes.maketrans(PACK, bytes((card & 15) | (0x10 if Card(card).is_red else 0) for card in PACK)),
    4: bytes.maketrans(b"", b""),
}


def fold(cards: bytes, suits: int) -> bytes:
    """Return the same ranks in 1, 2 or 4 suits (SS2): all as spades; clubs as spades and diamonds as hearts; as is.

    >>> texts(fold(parse_cards(["KC", "2D"]), 2))
    ['KS', '2H']
    """
    return cards.translate(_FOLDS[suits])


def parse_cards(names: Iterable[str]) -> bytes:
    """Read cards, the deepest first; raise NotationError for the first that is none."""
    return bytes([Card.parse(name) for name in names])


def texts(cards: bytes) -> list[str]:
    """Return the texts of *cards*, in order."""
    return [TEXTS[card] for card in cards]
