"""A server process under measurement: on a core of its own, with its clock and its memory."""

import asyncio
import os
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from client.child import ended
from tests.load.session import keep_to

ROOT = Path(__file__).parents[2]

START_S = 60

CORES = sorted(os.sched_getaffinity(0)) if sys.platform == "linux" else [0]
"""Those that we may use: the server has the first, the load the last."""

MANY = 1_000_000
LIMITS = {
    f"SAMEDEAL_LIMIT_{name}": str(MANY)
    for name in (
        "MESSAGES_PER_S",
        "INBOX",
        "CONNECTIONS",
        "ADDRESS_ROOMS",
        "ROOMS",
        "SPECTATORS",
        "REQUESTS",
        "DEAL_REQUESTS",
        "DEAL_ANSWERS",
    )
} | {"SAMEDEAL_LIMIT_HELLO_MS": "600000", "SAMEDEAL_LIMIT_HANDSHAKE_MS": "600000"}
"""All limits hold, and none is reached."""


class ServerProcess:
    """A server that listens on `port`; it ends with the context that `serving` made."""

    def __init__(self, process: Process, port: int) -> None:
        self.port = port
        self._process = process
        # The clock that counts all threads of another process (clock_getcpuclockid).
        self._clock = ~process.pid << 3 | 2
        self.start_s = self.cpu_s()
        """The processor time that it took until it listened."""

    def cpu_s(self) -> float:
        """Return the processor time it has used, user and system, all threads."""
        return time.clock_gettime(self._clock)

    def kill(self) -> None:
        """End it at once, as a failing machine would."""
        self._process.kill()

    def memory_kb(self) -> int:
        """Return its resident memory."""
        status = Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii")
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))


@asynccontextmanager
async def serving(
    arguments: tuple[str, ...], *, says: str, log: Path, tree: Path = ROOT
) -> AsyncIterator[ServerProcess]:
    """Run `python -m` *arguments* of the checkout *tree*; the line with *says* in it ends in the port.

    Raise RuntimeError where it does not come so far.
    """
    with log.open("wb") as complaints:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", *arguments),
            cwd=tree,
            env=os.environ | LIMITS | {"PYTHONPATH": str(tree)},
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=complaints,
            start_new_session=True,
        )
    keep_to(CORES[0], process.pid)
    try:
        port = await _port(process, says, log)
        yield ServerProcess(process, port)
    finally:
        await ended(process)


async def _port(process: Process, says: str, log: Path) -> int:
    assert process.stdout, "piped"
    with suppress(TimeoutError):
        async with asyncio.timeout(START_S):
            async for line in process.stdout:
                _, found, rest = line.decode().partition(says)
                if found:
                    return int(rest.split()[0].rpartition(":")[2])
    raise RuntimeError(f"a server did not start: see {log}")
