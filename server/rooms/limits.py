"""How much of something each address has open, or asks for, and whether that is too much."""

from collections import Counter

from server.rooms.addresses import Household
from server.rooms.pace import BURST_S, Pace

NEAR_FACTOR = 10
"""Loopback and private addresses may have so many times as much: many people share one, or one person tests."""


class Tally:
    """Counts what each address has open.

    >>> from server.rooms.addresses import household, parse_address
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


class Paces:
    """A pace for each address.

    >>> from server.rooms.addresses import household, parse_address
    >>> paces, far = Paces(1, burst_s=2), household(parse_address("203.0.113.9"))
    >>> [paces.allows(far, now_ms) for now_ms in (0, 0, 0, 1_000)]
    [True, True, False, True]
    """

    def __init__(self, per_s: float, burst_s: float = BURST_S) -> None:
        self._per_s = per_s
        self._burst_s = burst_s
        self._paces: dict[Household, Pace] = {}
        """Of those who have asked lately, whoever asked last at the end."""

    def allows(self, whose: Household, now_ms: int) -> bool:
        """Count one at *now_ms*; return whether they keep to the pace."""
        pace = self._paces.pop(whose, None)
        if pace is None:
            pace = Pace(self._per_s * (NEAR_FACTOR if whose.near else 1), now_ms, self._burst_s)
        self._paces[whose] = pace
        allowed = pace.allows(now_ms)
        self._forget(now_ms)
        return allowed

    def _forget(self, now_ms: int) -> None:
        """Forget up to two whose pace is as good as new: that is faster than others come."""
        for _ in range(2):
            whose, pace = next(iter(self._paces.items()))
            if not pace.is_full(now_ms):
                return
            del self._paces[whose]
