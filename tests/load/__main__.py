"""`python -m tests.load`: see the package."""

import sys
from argparse import ArgumentParser

from server.commands.command import run
from tests.load.process import CORES
from tests.load.report import ratios, spread, table
from tests.load.rounds import rounds
from tests.load.scenario import SCENARIOS
from tests.load.session import come_first, go_apart


async def main() -> int:
    """Measure what is asked for, and print it."""
    parser = ArgumentParser(prog="python -m tests.load", description="The server under load.")
    parser.add_argument("--scenario", action="append", choices=[scenario.name for scenario in SCENARIOS])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0, help="of each window")
    asked = parser.parse_args()
    come_first(CORES[-1])
    for scenario in SCENARIOS:
        if asked.scenario and scenario.name not in asked.scenario:
            continue
        rows = await rounds(scenario, asked.rounds, asked.seconds)
        print(table(rows))
        if scenario.anchor == "echo":
            print(f"CPU per move in E: {spread(ratios(rows, lambda row: row.cpu_us, 'samedeal', 'echo'), 2)}\n")
    return 0


go_apart()
sys.exit(run(main()))
