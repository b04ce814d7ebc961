"""Time, from the one place that reads it: everything else is handed a `Clock`."""

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Two clocks in one: `now_ms` measures, `wall_ms` dates. Only dates may jump."""

    def now_ms(self) -> int:
        """Return milliseconds since some fixed moment; it never falls, whatever is done to the wall clock."""
        ...

    def wall_ms(self) -> int:
        """Return milliseconds of UTC since 1970."""
        ...


class SystemClock:
    """The machine's own clocks."""

    def now_ms(self) -> int:
        return time.monotonic_ns() // 1_000_000

    def wall_ms(self) -> int:
        return time.time_ns() // 1_000_000


def utc_text(wall_ms: int) -> str:
    """Return the text form in which dates are stored and sent; it sorts as time does.

    >>> utc_text(1_764_452_000_007)
    '2025-11-29T21:33:20.007Z'
    """
    return datetime.fromtimestamp(wall_ms / 1000, UTC).isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


def wall_ms_of(text: str) -> int:
    """Return the milliseconds of UTC since 1970 that `utc_text` printed.

    >>> wall_ms_of("2025-11-29T21:33:20.007Z")
    1764452000007
    """
    return round(datetime.fromisoformat(text).timestamp() * 1000)
