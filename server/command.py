"""What the commands of the server's side have in common: where their database is, and how they run and fail."""

import argparse
import asyncio
import sys
from collections.abc import Callable, Coroutine
from typing import Any, NoReturn

if sys.platform != "win32":
    import uvloop

from server.settings import chosen_database


class Parser(argparse.ArgumentParser):
    """Tells wrong usage in one line, with status 2."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help.\n")


def database_parser(command: str, does: str) -> Parser:
    """Return a parser for a command that works on a database."""
    parser = Parser(prog=f"samedeal {command}", description=f"{does[0].upper()}{does[1:]}.")
    parser.add_argument(
        "--database",
        metavar="FILE",
        default=chosen_database(),
        help="the database, a path or sqlite:///PATH (SAMEDEAL_DATABASE; default: %(default)s)",
    )
    return parser


def run(command: Coroutine[Any, Any, int]) -> int:
    """Run *command* on the fastest loop there is; what it raises is for `samedeal.main` to tell."""
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        return runner.run(command)


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Return uvloop's loop; None, the standard one, on Windows, where uvloop does not run."""
    return None if sys.platform == "win32" else uvloop.new_event_loop
