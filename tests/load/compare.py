"""Two commits under the same load, round by round."""

import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.load.process import ROOT
from tests.load.racing import FOLDER
from tests.load.report import ratios, spread
from tests.load.rounds import race_rows
from tests.load.scenario import Scenario
from tests.load.window import Row

FIGURES: tuple[tuple[str, Callable[[Row], float]], ...] = (
    ("CPU of a move", lambda row: row.cpu_us),
    ("CPU of a delivery", lambda row: row.delivery_us),
    ("moves a second", lambda row: row.moves_s),
    ("acknowledgement, p99", lambda row: row.p99_ms),
    ("memory of a connection", lambda row: row.memory_kb),
)


async def compared(commits: Sequence[str], scenarios: Sequence[Scenario], count: int, seconds: float) -> str:
    """Return how many times as much the second of two *commits* takes as the first, in Markdown.

    Both run with what is installed here. Which comes first changes from round to round.
    """
    with ExitStack() as stack:
        trees = [stack.enter_context(checkout(commit)) for commit in commits]
        names = [f"{place}: {commit}" for place, commit in enumerate(commits)]
        sides = list(zip(names, trees, strict=True))
        rows = list[Row]()
        for scenario in scenarios:
            for number in range(count):
                for name, tree in sides if number % 2 else reversed(sides):
                    rows += await race_rows(scenario, [number], seconds, tree, name)
    return side_by_side(rows, scenarios, *names)


@contextmanager
def checkout(commit: str) -> Iterator[Path]:
    """Lend the files of *commit*; raise CalledProcessError where there is none of that name."""
    with TemporaryDirectory(dir=FOLDER) as folder:
        tree = Path(folder) / "tree"
        git("worktree", "add", "--quiet", "--detach", str(tree), commit)
        try:
            yield tree
        finally:
            git("worktree", "remove", "--force", str(tree))


def git(*arguments: str) -> None:
    """Run git here."""
    subprocess.run(["git", *arguments], cwd=ROOT, check=True)


def side_by_side(rows: Sequence[Row], scenarios: Sequence[Scenario], first: str, second: str) -> str:
    """Return each figure of *second* through that of *first* in the same round, a line for each scenario."""
    lines = [
        f"| {second} beside {first} | {' | '.join(name for name, _ in FIGURES)} |",
        "|---" * (len(FIGURES) + 1) + "|",
    ]
    for scenario in scenarios:
        mine = [row for row in rows if row.scenario == scenario.name]
        found = [ratios(mine, figure, second, first) for _, figure in FIGURES]
        lines.append(f"| {scenario.name} | {' | '.join(spread(each, 2) if each else 'void' for each in found)} |")
    return "\n".join(lines)
