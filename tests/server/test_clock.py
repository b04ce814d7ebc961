"""The clocks and the text form of dates."""

import time
from datetime import UTC, datetime

import pytest

from server.clock import Clock, SystemClock, utc_text
from tests.fake_clock import FakeClock


def test_measured_time_never_falls() -> None:
    """The measuring clock of the system goes on in milliseconds, at the pace of Python's monotonic clock."""
    clock = SystemClock()

    before = time.monotonic()
    stamps = [clock.now_ms() for _ in range(10_000)]
    after = time.monotonic()

    assert stamps == sorted(stamps)
    assert int(before * 1000) <= stamps[0] <= stamps[-1] <= int(after * 1000)


def test_date_is_that_of_the_system() -> None:
    """The dating clock says the milliseconds since 1970."""
    before = time.time_ns() // 1_000_000

    assert before <= SystemClock().wall_ms() <= time.time_ns() // 1_000_000


@pytest.mark.parametrize(
    ("wall_ms", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (1_764_452_000_000, "2025-11-29T21:33:20.000Z"),
        (1_767_225_599_999, "2025-12-31T23:59:59.999Z"),
    ],
)
def test_date_as_text_is_utc_with_milliseconds(wall_ms: int, text: str) -> None:
    """A date is written in UTC with exactly three places, and reads back."""
    assert utc_text(wall_ms) == text
    assert datetime.fromisoformat(text) == datetime.fromtimestamp(wall_ms / 1000, UTC)


def test_every_millisecond_has_its_own_text_in_order() -> None:
    """Dates sort as text: no rounding makes two equal or swaps them."""
    texts = [utc_text(1_764_452_000_000 + ms) for ms in range(2_000)]

    assert texts == sorted(set(texts))


def test_fake_clock_stands_until_it_is_advanced() -> None:
    """A test's clock moves by what it is told; the date can be set without disturbing what is measured."""
    clock = FakeClock(now_ms=5, wall_ms=1_000)
    held: Clock = clock

    clock.advance(20)
    clock.set_wall(7)

    assert (held.now_ms(), held.wall_ms()) == (25, 7)
