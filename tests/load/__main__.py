"""`python -m tests.load`: see the package."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import json

from server.commands.command import run
from tests.bench import engine
from tests.load.aims import AIMS, Measure, further_delivery, verdicts
from tests.load.compare import compared
from tests.load.logrows import row_measures
from tests.load.pages import MANY, page_measures
from tests.load.process import CORES
from tests.load.racing import FOLDER
from tests.load.report import table
from tests.load.rounds import rounds
from tests.load.scenario import CROWD, PAIR, SCENARIOS, Scenario
from tests.load.session import go_apart, keep_to
from tests.load.starts import start_measures
from tests.load.window import Row

PARTS = ("rows", "starts", "pages", "engine")
"""What else is measured: rows of the log, starts, pages of large databases, the engine alone."""

NAMES = [*(scenario.name for scenario in SCENARIOS), *PARTS]


def arguments() -> Namespace:
    """Return what is asked for."""
    parser = ArgumentParser(prog="python -m tests.load", description="The server under load.")
    parser.add_argument("command", nargs="?", choices=["compare"], help="instead of aims: two commits, round by round")
    parser.add_argument("commits", nargs="*", metavar="COMMIT", help="the one to compare with, then the other")
    parser.add_argument(
        "--scenario", action="append", choices=NAMES, help="only this, or only this part; several may be given"
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0, help="of each window")
    parser.add_argument("--attempts", type=int, default=MANY, help="in the larger database whose pages are asked for")
    asked = parser.parse_args()
    if asked.command and len(asked.commits) != 2:
        parser.error("compare takes two commits")
    return asked


async def main(asked: Namespace) -> int:
    """Measure what is asked for, print it, and keep each figure as a line of JSON."""
    keep_to(CORES[-1])
    FOLDER.mkdir(parents=True, exist_ok=True)
    names = asked.scenario or NAMES
    chosen = [scenario for scenario in SCENARIOS if scenario.name in names]
    if asked.command:
        print(await compared(asked.commits, chosen, asked.rounds, asked.seconds))
        return 0
    rows = await _scenarios(chosen, asked.rounds, asked.seconds)
    measures = [aim.measure(rows) for aim in AIMS if aim.scenario in names]
    if {CROWD.name, PAIR.name} <= {*names}:
        measures.append(further_delivery(rows))
    measures += await _parts(names, asked.rounds, asked.attempts)
    if measures:
        print(verdicts(measures))
    if "engine" in names:
        print(f"\n{engine.table()}")
    kept = FOLDER / "figures.jsonl"
    kept.write_bytes(b"".join(json.encode(figure) + b"\n" for figure in (*rows, *measures)))
    print(f"\nEach round's figures are in {kept}.")
    return 0


async def _scenarios(chosen: Sequence[Scenario], count: int, seconds: float) -> list[Row]:
    """Measure one scenario after the other, and print each."""
    found = list[Row]()
    for scenario in chosen:
        rows = await rounds(scenario, count, seconds)
        print(f"{scenario.name}: {scenario.shows}\n\n{table(rows)}\n", flush=True)
        found += rows
    return found


async def _parts(names: Sequence[str], count: int, attempts: int) -> list[Measure]:
    """Measure what needs nobody who plays, or only until a server is killed."""
    found = list[Measure]()
    with TemporaryDirectory(dir=FOLDER) as folder:
        if "rows" in names:
            found += await row_measures(Path(folder), count)
        if "starts" in names:
            found += await start_measures(Path(folder), count)
        if "pages" in names:
            found += await page_measures(Path(folder), attempts)
    return found


if __name__ == "__main__":
    wanted = arguments()
    go_apart()
    sys.exit(run(main(wanted)))
