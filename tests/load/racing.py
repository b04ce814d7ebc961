"""The race server and the bare servers, as processes for a measurement."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from client.child import LISTENS
from tests.load import anchor
from tests.load.process import ROOT, ServerProcess, serving

FOLDER = ROOT / "build" / "load"
"""What a measurement leaves, and its databases while it runs: on a real disk."""


@asynccontextmanager
async def racing(tree: Path = ROOT, database: Path | None = None) -> AsyncIterator[ServerProcess]:
    """Run the race server of the checkout *tree*, on a new database unless one is given."""
    with TemporaryDirectory(dir=FOLDER) as folder:
        where = database or Path(folder) / "load.sqlite"
        arguments = ("samedeal", "serve", "--port", "0", "--database", str(where))
        async with serving(arguments, says=LISTENS, log=FOLDER / "samedeal.log", tree=tree) as server:
            yield server


@asynccontextmanager
async def bare(kind: str) -> AsyncIterator[ServerProcess]:
    """Run the bare server of this kind."""
    async with serving((anchor.__name__, kind), says=anchor.LISTENS, log=FOLDER / f"{kind}.log") as server:
        yield server
