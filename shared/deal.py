"""The de-facto standard deal: number → the 52 cards in the order in which they are dealt (DESIGN.md section 3)."""

from shared.cards import RANKS, parse_cards

HIGHEST = 2**33 - 1
"""Deal numbers are 1 … HIGHEST."""

_PACK = parse_cards(rank + suit for rank in RANKS for suit in "CDHS")


def dealt(number: int) -> bytes:
    """Return the pack as deal *number* gives it out, first card first.

    FreeCell deal 1 begins with the jack of diamonds:

    >>> from shared.cards import texts
    >>> texts(dealt(1))[:4]
    ['JD', '2D', '9H', 'JC']
    """
    pack, cards = bytearray(_PACK), bytearray()
    state, (mask, bit, plus) = number % 2**32, _band(number)
    for left in range(len(pack), 0, -1):
        state = (state * 214013 + 2531011) & 0xFFFFFFFF
        place = ((state >> 16 & mask | bit) + plus) % left
        cards.append(pack[place])
        pack[place] = pack[left - 1]
    return bytes(cards)


def _band(number: int) -> tuple[int, int, int]:
    """Return mask, bit set and addend of a draw's value in the three bands of numbers that the standard grew in."""
    if number >= 2**32:
        return 0xFFFF, 0, 1
    return 0x7FFF, 0x8000 if number >= 2**31 else 0, 0
