"""What the commands of the server's side have in common: where their database is, and how they run and fail."""

import argparse
import asyncio
import sys
from collections.abc import Callable, Coroutine
from typing import Any

if sys.platform != "win32":
    import uvloop

from server.commands.settings import DATABASE


def add_database(parser: argparse._ActionsContainer) -> None:
    """Let *parser* take a database."""
    default = DATABASE.replace("%", "%%")
    parser.add_argument(
        "--database",
        metavar="FILE",
        help=f"the database, a path or sqlite:///PATH (SAMEDEAL_DATABASE; default: {default})",
    )


def add_source(parser: argparse.ArgumentParser) -> None:
    """Let *parser* take a database, or the address of a server."""
    source = parser.add_mutually_exclusive_group()
    add_database(source)
    source.add_argument("--url", help="instead of a database: a server, such as http://127.0.0.1:8765")


def run(command: Coroutine[Any, Any, int]) -> int:
    """Run *command* on the fastest loop there is; what it raises is for `samedeal.main` to tell."""
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        return runner.run(command)


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Return uvloop's loop; None, the standard one, on Windows, where uvloop does not run."""
    return None if sys.platform == "win32" else uvloop.new_event_loop
