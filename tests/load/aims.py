"""What section 9 of DESIGN.md asks for, beside what was measured."""

from collections.abc import Callable, Sequence
from statistics import median
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from tests.load.report import ratios, spread
from tests.load.scenario import CROWD, PAIR
from tests.load.window import Row

Figure: TypeAlias = Callable[[Row], float]


class Measure(Struct, frozen=True, tag="measure", tag_field="kind"):
    """One thing that was measured, once a round."""

    name: str
    unit: str
    values: tuple[float, ...]
    most: float | None = None
    """The aim: the median is at most so much; None: shown without one."""

    @property
    def verdict(self) -> str:
        """What comes of it."""
        if not self.values:
            return "void"
        if self.most is None:
            return ""
        return "met" if median(self.values) <= self.most else "missed"


class Aim(Struct, frozen=True):
    """A figure of the race server in one scenario, or its ratio to the anchor's in the same round."""

    name: str
    scenario: str
    unit: str
    most: float
    figure: Figure
    against: str | None = None
    """The anchor."""

    def measure(self, rows: Sequence[Row]) -> Measure:
        """Return what *rows* say of it."""
        mine = [row for row in rows if row.scenario == self.scenario]
        if self.against:
            values = ratios(mine, self.figure, "samedeal", self.against)
        else:
            values = [self.figure(row) for row in mine if row.server == "samedeal" and not row.void]
        return Measure(f"{self.scenario}: {self.name}", self.unit, tuple(values), self.most)


AIMS = (
    Aim("CPU of a move", "rooms", "E", 1.1, lambda row: row.cpu_us, "echo"),
    Aim("CPU of a move", "seats", "E", 1.1, lambda row: row.cpu_us, "echo"),
    Aim("acknowledgement, p99", "seats", "ms", 3, lambda row: row.p99_ms),
    Aim("acknowledgement, p99", "seats", "× the echo's", 2, lambda row: row.p99_ms, "echo"),
    Aim("CPU of a delivery", CROWD.name, "× broadcast's", 0.8, lambda row: row.delivery_us, "broadcast"),
    Aim("memory of a connection", "idle", "KB", 8, lambda row: row.memory_kb),
    Aim("acknowledgement, p99", "held", "ms", 50, lambda row: row.p99_ms),
)


def further_delivery(rows: Sequence[Row]) -> Measure:
    """Return what one more spectator adds to a move, beside what one adds to a broadcast: without the move itself."""
    few = {(row.server, row.round): row for row in rows if row.scenario == PAIR.name and not row.void}
    added = [
        replace(row, cpu_us=row.cpu_us - less.cpu_us, deliveries=row.deliveries - less.deliveries)
        for row in rows
        if row.scenario == CROWD.name and (less := few.get((row.server, row.round)))
    ]
    values = ratios(added, lambda row: row.delivery_us, "samedeal", "broadcast")
    return Measure(f"{CROWD.name}: CPU of a further delivery", "× broadcast's", tuple(values), 0.8)


def verdicts(measures: Sequence[Measure]) -> str:
    """Return what was measured and what was aimed at, a line each, in Markdown."""
    lines = ["| Measured | | aim | |", "|---|---|---|---|"]
    for each in measures:
        found = f"{spread(each.values, 2)} {each.unit}" if each.values else "no round"
        aim = "" if each.most is None else f"{each.most:.3g}"
        lines.append(f"| {each.name} | {found} | {aim} | {each.verdict} |")
    return "\n".join(lines)
