"""The engine's speed under pytest-benchmark, and the table of ratios."""

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from tests.bench.engine import measures, table

pytestmark = pytest.mark.bench

NUMBER_OF_MEASURES = 9


@pytest.mark.parametrize("number", range(NUMBER_OF_MEASURES))
def test_speed(benchmark: BenchmarkFixture, number: int) -> None:
    """Each measure by itself; a run does what is measured `units` times."""
    measure = measures()[number]
    benchmark.name = f"{measure.name}, {measure.units} times"
    benchmark(measure.run)


def test_ratios(capsys: pytest.CaptureFixture[str]) -> None:
    """All measures side by side with the list engine; the table says which aims of section 9 are missed."""
    assert len(measures()) == NUMBER_OF_MEASURES
    text = table()
    with capsys.disabled():
        print(f"\n{text}")
