"""A server as a child process: it can be killed and started again where it was."""

import subprocess
from pathlib import Path
from typing import Self

from client.child import LISTENS, SAMEDEAL

STOP_S = 8


class Server:
    """`samedeal serve` in *folder*, with a database there."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder = folder
        self.address = ""
        """Such as `http://127.0.0.1:8765`; it stays the same over restarts."""
        self._arguments = arguments
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def port(self) -> int:
        """The port listened on; 0 before the first start."""
        return int(self.address.rpartition(":")[2] or 0)

    def room(self, name: str) -> str:
        """Return where programs join the room *name*."""
        return f"{self.address.replace('http', 'ws', 1)}/ws/{name}"

    def start(self) -> None:
        """Start it and wait until it listens, on the port it had before where there was one."""
        command = [*SAMEDEAL, "serve", "--port", str(self.port)]
        with (self.folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                [*command, "--database", "race.db", *self._arguments],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert self._process.stdout, "piped"
        for line in self._process.stdout:
            _, found, rest = line.partition(LISTENS)
            if found:
                self.address = rest.split()[0]
                return
        raise RuntimeError((self.folder / "server.log").read_text(errors="replace"))

    def stop(self, *, kindly: bool = True) -> None:
        """End it; not *kindly*: at once, as a failing machine would."""
        process, self._process = self._process, None
        if process is None:
            return
        if kindly:
            process.terminate()
        else:
            process.kill()
        with process:  # closes its pipe
            process.wait(STOP_S)
