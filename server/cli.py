"""The commands of the server's side: arguments in, exit status out (DESIGN.md section 10)."""

import argparse
import asyncio
import contextlib
import logging
import signal
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

from platformdirs import user_data_path

if sys.platform != "win32":
    import uvloop

from server import database
from server.app import Server
from server.config import Config
from server.log import DealLine
from server.reader import Reader
from shared.gamecode import GameCode
from shared.record import Record
from shared.texts import clock

DEFAULT_DATABASE = str(user_data_path("samedeal", appauthor=False) / "samedeal.sqlite3")


def serve(arguments: Sequence[str]) -> int:
    """Run a server until it is told to stop (SIGTERM, Ctrl-C): exit status 0 then."""
    parser = _parser("serve", "run a race server")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: this machine alone)")
    parser.add_argument("--port", type=_port, default=8765, help="the port, 0 for a free one (default: 8765)")
    asked = parser.parse_args(arguments)
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    return _run(_serve(Config(host=asked.host, port=asked.port, database=asked.database)))


async def _serve(config: Config) -> int:
    _make_folder(config.database)
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError):  # Windows has Ctrl-C only, which ends the loop itself
            loop.add_signal_handler(name, stopping.set)
    server = await Server.start(config)
    try:
        print(f"Same Deal listens on {_address(config.host, server.port)}", flush=True)
        await stopping.wait()
    finally:
        await server.stop()
    return 0


def _address(host: str, port: int) -> str:
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{port} (ws://{name}:{port}/ws/ROOM)"


def migrate(arguments: Sequence[str]) -> int:
    """Bring the database up to date."""
    asked = _parser("migrate", "bring the database up to date").parse_args(arguments)
    return _run(_migrate(asked.database))


async def _migrate(where: str) -> int:
    _make_folder(where)
    path = database.database_path(where)
    ownership = database.Ownership(path)
    try:
        await database.migrate(path)
    finally:
        ownership.release()
    print(f"{path} is up to date.")
    return 0


def leaderboard(arguments: Sequence[str]) -> int:
    """Print a deal's attempts, best first."""
    parser = _parser("leaderboard", "print a deal's attempts, best first")
    parser.add_argument("--deal", metavar="CODE", required=True, help="the game code of the deal")
    asked = parser.parse_args(arguments)
    return _run(_leaderboard(asked.database, asked.deal))


async def _leaderboard(where: str, text: str) -> int:
    code = GameCode.parse(text)
    async with _reader(where) as reader:
        lines = await reader.deal(code.game, code.number, code.suits)
    counted = f"{len(lines)} attempt{'s' if len(lines) > 1 else ''}"
    print(f"{code}: {counted}" if lines else f"{code}: nobody has played this deal yet.")
    for place, line in enumerate(lines, 1):
        mark = "  practice" if line.practice else ""
        print(f"{place:>3}  {line.name:<20}  {_result(line):<24}  {line.attempt}{mark}")
    return 0


def _result(line: DealLine) -> str:
    if line.won:
        return f"{clock(line.elapsed_ms)}  {line.moves} moves, {line.score}"
    return f"{line.state}, progress {line.progress}"


def export(arguments: Sequence[str]) -> int:
    """Print the record of an attempt."""
    parser = _parser("export", "print the record of an attempt")
    parser.add_argument("attempt", metavar="ID", help="the attempt's id")
    asked = parser.parse_args(arguments)
    return _run(_export(asked.database, asked.attempt))


async def _export(where: str, attempt: str) -> int:
    async with _reader(where) as reader:
        packed = await reader.record(attempt)
    if packed is None:
        print(f"samedeal: no record of an attempt {attempt!r}: it is unknown, or still played.", file=sys.stderr)
        return 1
    print(Record.unpack(packed))
    return 0


def _parser(command: str, does: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"samedeal {command}", description=f"{does[0].upper()}{does[1:]}.")
    parser.add_argument(
        "--database",
        metavar="FILE",
        default=DEFAULT_DATABASE,
        help="the database, a path or sqlite:///PATH (default: %(default)s)",
    )
    return parser


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= 65_535):
        raise argparse.ArgumentTypeError(f"{text!r} is no port: they are 0 to 65535")
    return int(text)


def _make_folder(where: str) -> None:
    """Make the folder that the database lies in where nobody says another; one that is asked for has to be there."""
    if where == DEFAULT_DATABASE:
        Path(where).parent.mkdir(parents=True, exist_ok=True)


@contextlib.asynccontextmanager
async def _reader(where: str) -> AsyncIterator[Reader]:
    reader = await Reader.open(where)
    try:
        yield reader
    finally:
        await reader.close()


def _run(command: Coroutine[Any, Any, int]) -> int:
    """Run *command* on the fastest loop there is."""
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        return runner.run(command)


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Return uvloop's loop; None, the standard one, on Windows, where uvloop does not run."""
    return None if sys.platform == "win32" else uvloop.new_event_loop
