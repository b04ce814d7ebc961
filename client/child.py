"""Commands of this program as child processes, as people would type them, in a folder of their own."""

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

SAMEDEAL = (sys.executable, "-m", "samedeal")

LISTENS = "Same Deal listens on "
"""What a server says once it can be reached, followed by its address for browsers."""

START_S, STOP_S = 20, 5

T = TypeVar("T")


class ChildError(Exception):
    """A child process failed, or was not there in time."""


class Server:
    """A server that runs in *folder*; it ends with the context that `serving` made."""

    def __init__(self, process: Process, folder: Path, address: str) -> None:
        self.folder = folder
        self.address = address
        """Such as `http://127.0.0.1:8765`."""
        self._process = process

    def room(self, name: str) -> str:
        """Return where the room *name* is joined."""
        return f"{self.address.replace('http', 'ws', 1)}/ws/{name}"

    async def unless_ended(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what *work* returns; raise ChildError if the server ends before."""
        working, ending = asyncio.create_task(work), asyncio.create_task(self._process.wait())
        try:
            await asyncio.wait((working, ending), return_when=asyncio.FIRST_COMPLETED)
            if not working.done():
                raise ChildError(f"the server ended: {_last_words(self.folder)}")
            return working.result()
        finally:
            for task in (working, ending):
                task.cancel()
            await asyncio.gather(working, ending, return_exceptions=True)


@asynccontextmanager
async def serving(folder: Path, database: str) -> AsyncIterator[Server]:
    """Run `samedeal serve` on a free port; raise ChildError if it does not start."""
    with _log(folder).open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            *SAMEDEAL,
            "serve",
            "--port",
            "0",
            "--database",
            database,
            cwd=folder,
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=log,
        )
    try:
        yield Server(process, folder, await _address(process, folder))
    finally:
        await ended(process)


async def _address(process: Process, folder: Path) -> str:
    """Wait until the server says where it listens."""
    assert process.stdout, "piped"
    try:
        async with asyncio.timeout(START_S):
            async for line in process.stdout:
                _, found, rest = line.decode().partition(LISTENS)
                if found:
                    return rest.split()[0]
    except TimeoutError:
        raise ChildError(f"the server did not start within {START_S} seconds: is the machine busy?") from None
    raise ChildError(f"the server did not start: {_last_words(folder)}")


async def samedeal(folder: Path, *arguments: str) -> str:
    """Run one command in *folder* and return what it prints; raise ChildError if it fails."""
    process = await asyncio.create_subprocess_exec(
        *SAMEDEAL, *arguments, cwd=folder, stdin=DEVNULL, stdout=PIPE, stderr=PIPE
    )
    try:
        printed, complaint = await process.communicate()
    finally:
        await ended(process)
    if process.returncode:
        told = complaint.decode().strip() or printed.decode().strip()
        raise ChildError(f"samedeal {arguments[0]}: {told.removeprefix('samedeal: ')}")
    return printed.decode()


async def ended(process: Process) -> None:
    """End *process* if it still runs: kindly, and if that takes too long, not."""
    with suppress(ProcessLookupError):
        if process.returncode is None:
            process.terminate()
    try:
        await asyncio.wait_for(process.wait(), STOP_S)
    except TimeoutError:
        process.kill()
        await process.wait()


def _log(folder: Path) -> Path:
    return folder / "server.log"


def _last_words(folder: Path) -> str:
    lines = _log(folder).read_text(errors="replace").splitlines()
    return lines[-1].removeprefix("samedeal: ") if lines else "it said nothing."
