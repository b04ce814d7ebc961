"""Time that passes when a test says so."""


class FakeClock:
    """A `Clock` that stands still.

    >>> clock = FakeClock()
    >>> clock.advance(250)
    >>> clock.now_ms(), clock.wall_ms()
    (250, 1767225600250)
    """

    def __init__(self, now_ms: int = 0, wall_ms: int = 1_767_225_600_000) -> None:
        self._now_ms = now_ms
        self._wall_ms = wall_ms

    def now_ms(self) -> int:
        return self._now_ms

    def wall_ms(self) -> int:
        return self._wall_ms

    def advance(self, ms: int) -> None:
        """Let *ms* milliseconds pass on both clocks."""
        self._now_ms += ms
        self._wall_ms += ms

    def set_wall(self, wall_ms: int) -> None:
        """Set the date alone, as an administrator does."""
        self._wall_ms = wall_ms
