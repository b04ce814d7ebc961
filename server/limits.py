"""How much of something each address has open, and whether that is too much."""

from collections import Counter

from server.addresses import Address, household, is_near

NEAR_FACTOR = 10
"""Loopback and private addresses may have so many times as much: many people share one, or one person tests."""


class Tally:
    """Counts what each address has open.

    >>> from server.addresses import parse_address
    >>> tally, far = Tally(1), parse_address("203.0.113.9")
    >>> tally.enter(far)
    >>> tally.is_full(far), tally.is_over(far)
    (True, False)
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._open = Counter[Address]()

    def enter(self, address: Address) -> None:
        """Count one more."""
        self._open[household(address)] += 1

    def leave(self, address: Address) -> None:
        """Count one less; what nobody has open is forgotten."""
        key = household(address)
        self._open[key] -= 1
        if not self._open[key]:
            del self._open[key]

    def is_full(self, address: Address) -> bool:
        """Return whether *address* has open as much as it may."""
        return self._open[household(address)] >= self.most(address)

    def is_over(self, address: Address, times: int = 1) -> bool:
        """Return whether *address* has more open than *times* what it may."""
        return self._open[household(address)] > times * self.most(address)

    def most(self, address: Address) -> int:
        """Return how much *address* may have open."""
        return self._most * (NEAR_FACTOR if is_near(address) else 1)
