"""A pace that may be kept up, with a burst allowed: a bucket that refills with time."""

BURST_S = 5
"""So many seconds' worth may come at once."""


class Pace:
    """Counts what one sender sends."""

    __slots__ = ("_at_ms", "_left", "_most", "_per_ms")

    def __init__(self, per_s: float, now_ms: int, burst_s: float = BURST_S) -> None:
        self._per_ms = per_s / 1000
        self._most = per_s * burst_s
        self._left = self._most
        self._at_ms = now_ms

    def allows(self, now_ms: int) -> bool:
        """Count one at *now_ms*; return whether it keeps to the pace.

        >>> pace = Pace(0.4, now_ms=0)
        >>> [pace.allows(0), pace.allows(0), pace.allows(0), pace.allows(2_500)]
        [True, True, False, True]
        """
        self._left = min(self._most, self._left + (now_ms - self._at_ms) * self._per_ms)
        self._at_ms = now_ms
        if self._left < 1:
            return False
        self._left -= 1
        return True

    def is_full(self, now_ms: int) -> bool:
        """Return whether it has refilled: then it is as good as new."""
        return self._left + (now_ms - self._at_ms) * self._per_ms >= self._most
