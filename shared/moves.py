"""Moves: a source pile, a target pile and a count, and the text of them.

A pile is a small int: 0–9 a column, 10–13 a cell, 14 the foundations. Move text (DESIGN.md section 4) names
columns `1`–`9` and `0`, cells `a`–`d` and the foundations `h`; `v` and a hex digit tell a count above one.
"""

from msgspec import Struct

from shared.errors import NotationError, Reason, excerpt

PILES = "1234567890abcdh"
"""The text of each pile, by its number."""

FIRST_CELL = 10
HOME = 14
"""The foundations: in Simple Simon the place where sequences go by themselves (SS6)."""

LONGEST_RUN = 13
"""King to ace; no run is longer, in whatever game."""


class Move(Struct, frozen=True, order=True):
    """What a player asks for. It names piles and a count, never a card: identical cards exist (SS2).

    >>> Move.parse("20v5")
    Move(source=1, target=9, count=5)
    >>> str(Move(10, 14))
    'ah'
    """

    source: int
    target: int
    count: int = 1

    @staticmethod
    def parse(text: str) -> "Move":
        """Read move text; raise NotationError. Whether it may be played is for the rules to say."""
        try:
            return MOVES[text]
        except (KeyError, TypeError):
            raise NotationError(Reason.BAD_MOVE, text=excerpt(text)) from None

    @property
    def back(self) -> "Move":
        """The same cards the other way."""
        return Move(self.target, self.source, self.count)

    def __str__(self) -> str:
        return _TEXTS[self.source][self.target][self.count]


_RUNS = ("v0", "", *(f"v{count:x}" for count in range(2, LONGEST_RUN + 1)))
_TEXTS = tuple(tuple(tuple(source + target + run for run in _RUNS) for target in PILES) for source in PILES)
"""`_TEXTS[source][target][count]`: the text of every move, made once."""

BETWEEN = tuple(
    tuple(tuple(Move(source, target, count) for count in range(LONGEST_RUN + 1)) for target in range(len(PILES)))
    for source in range(len(PILES))
)
"""`BETWEEN[source][target][count]`: every move there is, made once (making one costs more than finding it)."""

MOVES = {str(move): move for row in BETWEEN for cell in row for move in cell[1:]}
"""Every move by its text: the grammar of move text, written out."""


def pile_of(text: str) -> int:
    """Return the number of the pile that *text* names; raise NotationError."""
    if not isinstance(text, str) or len(text) != 1 or text not in PILES:
        raise NotationError(Reason.BAD_MOVE, text=excerpt(text))
    return PILES.index(text)
