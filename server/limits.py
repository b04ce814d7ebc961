"""How much of something each address has open, and whether that is too much."""

from collections import Counter

from server.addresses import Household

NEAR_FACTOR = 10
"""Loopback and private addresses may have so many times as much: many people share one, or one person tests."""


class Tally:
    """Counts what each address has open.

    >>> from server.addresses import household, parse_address
    >>> tally, far = Tally(1), household(parse_address("203.0.113.9"))
    >>> tally.enter(far)
    >>> tally.is_full(far), tally.is_over(far)
    (True, False)
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._open = Counter[Household]()

    def enter(self, whose: Household) -> None:
        """Count one more."""
        self._open[whose] += 1

    def leave(self, whose: Household) -> None:
        """Count one less; what nobody has open is forgotten."""
        self._open[whose] -= 1
        if not self._open[whose]:
            del self._open[whose]

    def is_full(self, whose: Household) -> bool:
        """Return whether they have open as much as they may."""
        return self._open[whose] >= self.most(whose)

    def is_over(self, whose: Household, times: int = 1) -> bool:
        """Return whether they have more open than *times* what they may."""
        return self._open[whose] > times * self.most(whose)

    def most(self, whose: Household) -> int:
        """Return how much they may have open."""
        return self._most * (NEAR_FACTOR if whose.near else 1)
