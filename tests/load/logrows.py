"""What a row of the log costs, in the store that writes it."""

from pathlib import Path

from tests.load.aims import Measure
from tests.server.storage.test_store_speed import BATCH, as_one, bare_us, store_us

AIM_US = 3.5

DRIVER_US = 3.04
"""What the driver alone takes on the machine that the aim is for."""


async def row_measures(folder: Path, rounds: int) -> list[Measure]:
    """Write rows in batches, with the store and, beside it, with the bare driver."""
    found = [
        (await bare_us(folder / f"bare{number}.sqlite"), await store_us(folder / f"store{number}.sqlite", as_one))
        for number in range(rounds)
    ]
    return [
        Measure(f"CPU of a row of the log, {BATCH} a commit", "µs", tuple(store for _, store in found), AIM_US),
        Measure(
            "the same beside the driver alone",
            "×",
            tuple(store / driver for driver, store in found),
            AIM_US / DRIVER_US,
        ),
    ]
