"""What is made of figures: medians, ratios within a round, verdicts."""

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from tests.load.aims import AIMS, Aim, Measure, further_delivery, verdicts
from tests.load.compare import side_by_side
from tests.load.report import ratios, table
from tests.load.scenario import CROWD, PAIR, SCENARIOS
from tests.load.window import Row, share

ROW = Row(
    scenario="rooms",
    server="samedeal",
    round=0,
    seconds=2.0,
    moves=1_000,
    p50_ms=1.0,
    p99_ms=4.0,
    p999_ms=5.0,
    cpu_us=60.0,
    deliveries=4.0,
    bytes=64.0,
    memory_kb=12.0,
    server_core=0.9,
    load_core=0.5,
    engine_us=4.0,
)
AIM = Aim("CPU of a move", "rooms", "E", 1.5, lambda row: row.cpu_us, "echo")


def rows(*sides: tuple[str, Sequence[float]], **changes: Any) -> list[Row]:  # noqa: ANN401  # of each field its own type
    """Return a row for each cost of a move of each server, one a round."""
    return [
        replace(ROW, server=server, round=number, cpu_us=cost, **changes)
        for server, costs in sides
        for number, cost in enumerate(costs)
    ]


def test_ratios_pair_what_was_measured_in_one_round() -> None:
    """Each round's figure is divided by the anchor's of the same round; a round without both does not count."""
    found = ratios(rows(("samedeal", (30.0, 60.0, 90.0)), ("echo", (20.0, 60.0))), AIM.figure, "samedeal", "echo")

    assert found == [1.5, 1.0]


@pytest.mark.parametrize(("costs", "verdict"), [((20.0, 29.0, 90.0), "met"), ((20.0, 31.0, 90.0), "missed")])
def test_verdict_is_the_median_s(costs: tuple[float, ...], verdict: str) -> None:
    """An aim is met by the median over rounds, not by the best of them."""
    measure = AIM.measure(rows(("samedeal", costs), ("echo", (20.0, 20.0, 20.0))))

    assert measure.verdict == verdict


def test_round_in_which_the_load_was_busy_is_void() -> None:
    """A round above nine tenths of the load's core counts for nothing, and the table says so."""
    found = [*rows(("samedeal", (20.0,)), load_core=0.95), *rows(("echo", (20.0,)))]

    assert AIM.measure(found).verdict == "void"
    assert "| void rounds: the load was the slower | 1 | 0 |" in table(found)


def test_table_leaves_void_rounds_out() -> None:
    """A figure is the median over the rounds that count; where none does, that is said in its place."""
    half = [*rows(("samedeal", (20.0,))), *rows(("samedeal", (90.0,)), load_core=0.95)]
    found = [*half, *rows(("echo", (30.0,)), load_core=0.95)]

    assert "| CPU µs/move | 20.0 (20.0–20.0) | void |" in table(found)
    assert "| void rounds: the load was the slower | 1 | 1 |" in table(found)


def test_aims_are_of_the_race_server_alone() -> None:
    """Without an anchor the bare server's rows are left out."""
    aim = Aim("acknowledgement", "rooms", "ms", 3, lambda row: row.p99_ms)
    found = [*rows(("samedeal", (20.0,))), *rows(("echo", (20.0,)), p99_ms=1.0)]

    assert aim.measure(found).values == (4.0,)


def test_further_deliveries_leave_the_move_out() -> None:
    """What 100 more deliveries add, beside what they add to the broadcast, in rounds that have all four figures."""
    found = [
        *rows(("samedeal", (1_500.0, 9.0)), ("broadcast", (2_100.0,)), scenario=CROWD.name, deliveries=104.0),
        *rows(("samedeal", (1_000.0, 1.0)), ("broadcast", (100.0, 1.0)), scenario=PAIR.name, deliveries=4.0),
    ]

    assert further_delivery(found).values == (0.25,)


def test_waits_are_shared_out() -> None:
    """The share of the sorted waits is read off in milliseconds, the greatest at the end."""
    waits = [number / 1_000 for number in range(100)]

    assert [share(waits, part) for part in (0.5, 0.99, 0.999)] == [50.0, 99.0, 99.0]


def test_table_of_verdicts_names_everything() -> None:
    """What has an aim is judged, what has none is shown, what was void is said to be."""
    text = verdicts([Measure("one", "E", (1.0,), 2.0), Measure("two", "s", (1.0,)), Measure("three", "ms", (), 2.0)])

    assert text.splitlines()[2:] == [
        "| one | 1.00 (1.00–1.00) E | 2 | met |",
        "| two | 1.00 (1.00–1.00) s |  |  |",
        "| three | no round | 2 | void |",
    ]


def test_commits_stand_side_by_side() -> None:
    """The second commit's figures are divided by the first's, round by round; a scenario without both is void."""
    found = rows(("0: old", (60.0, 60.0, 60.0)), ("1: new", (30.0, 20.0, 40.0)))

    text = side_by_side(found, SCENARIOS[:2], "0: old", "1: new")

    assert "| 1: new beside 0: old | CPU of a move |" in text
    assert "| rooms | 0.50 (0.33–0.67) |" in text
    assert "| seats | void | void |" in text


def test_each_aim_has_its_scenario() -> None:
    """Whatever is aimed at is measured: no aim is of a scenario that there is not."""
    assert {aim.scenario for aim in AIMS} <= {scenario.name for scenario in SCENARIOS}
