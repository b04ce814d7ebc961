"""A pace that may be kept up: bursts are allowed, floods are not, and time makes up for both."""

from server.rooms.pace import BURST_S, Pace


def taken(pace: Pace, now_ms: int, many: int) -> int:
    """Return how many of so many that come at once keep to the pace."""
    return sum(pace.allows(now_ms) for _ in range(many))


def test_burst_of_five_seconds_may_come_at_once() -> None:
    """
    From the beginning, and again after a rest however long.
    """
    pace = Pace(50, now_ms=1_000)
    assert taken(pace, 1_000, 1_000) == 50 * BURST_S
    assert taken(pace, 10**9, 1_000) == 50 * BURST_S


def test_steady_pace_goes_on_for_ever() -> None:
    """
    Fifty a second, each second; of sixty a second the surplus is over the pace, once the burst is used up.
    """
    pace = Pace(50, now_ms=0)
    assert all(pace.allows(20 * number) for number in range(10_000))
    pace = Pace(50, now_ms=0)
    each_second = [taken(pace, 1_000 * second, 60) for second in range(40)]
    assert each_second[:20] == [60] * 20
    assert each_second[20:] == [50] * 20


def test_what_is_too_much_costs_nothing() -> None:
    """
    A flood that is refused does not push the next allowed moment away.
    """
    pace = Pace(1, now_ms=0)
    assert taken(pace, 0, 100) == BURST_S
    assert [pace.allows(at_ms) for at_ms in (500, 999, 1_000, 1_001)] == [False, False, True, False]


def test_pace_is_full_when_nothing_of_it_is_used() -> None:
    """
    At first, and again once time has made up for all that came.
    """
    pace = Pace(1, now_ms=0, burst_s=2)
    assert pace.is_full(0)
    assert taken(pace, 0, 9) == 2
    assert [pace.is_full(at_ms) for at_ms in (0, 1_999, 2_000)] == [False, False, True]
