"""The commands of the server's side: arguments in, exit status out (DESIGN.md section 10)."""

import asyncio
import contextlib
import errno
import gc
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from importlib import resources
from socket import gaierror

if sys.platform != "win32":
    import resource

from server import database, journal, settings
from server.app import Server, read_texts
from server.command import Parser, database_parser, run
from server.config import Config
from server.log import DealLine
from server.reader import Reader
from server.sharing import lan_addresses, qr_code
from shared.gamecode import GameCode
from shared.protocol.reference import reference
from shared.record import Record


def serve(arguments: Sequence[str]) -> int:
    """Run a server until it is told to stop (SIGTERM, Ctrl-C): exit status 0 then."""
    parser = Parser(
        prog="samedeal serve",
        description="Run a race server. What is set by no option is set by the environment variable behind it.",
    )
    settings.add_settings(parser)
    asked = parser.parse_args(arguments)
    if asked.lan and asked.host:
        parser.error("--lan listens on every address: leave --host out, or --lan")
    try:
        config = settings.config_of(asked, os.environ)
    except ValueError as error:
        parser.error(str(error))
    journal.begin()
    _allow_many_connections()
    return run(_serve(config))


async def _serve(config: Config) -> int:
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError):  # Windows has Ctrl-C only, which ends the loop itself
            loop.add_signal_handler(name, stopping.set)
    settings.prepare(config.database)
    try:
        server = await Server.start(config)
    except OSError as error:
        raise OSError(_unheard(config, error)) from error
    try:
        gc.freeze()  # what was made until now stays: no collection looks at it again
        _announce(config, server.port)
        await stopping.wait()
    finally:
        await server.stop()
    return 0


def _unheard(config: Config, error: OSError) -> str:
    """Return why the server can't listen, and what would help."""
    if error.errno == errno.EADDRINUSE:
        return f"port {config.port} is in use: stop the program that has it, or choose another with --port."
    if isinstance(error, gaierror):
        return f"can't listen on {config.listens_on}: no host of this name is known."
    # The loop's own text tells the address once more.
    return f"can't listen on {config.listens_on}, port {config.port}: {os.strerror(error.errno or errno.EIO)}."


def _announce(config: Config, port: int) -> None:
    """Print where the server is; on a network the addresses to share, too."""
    place = _place("127.0.0.1" if config.lan else config.host, port)
    print(f"Same Deal listens on http://{place} (ws://{place}/ws/ROOM)", flush=True)
    if config.lan:
        links = [f"http://{_place(str(address), port)}/" for address in lan_addresses()]
        shared = [f"{link}\n{qr_code(link)}" for link in links] or ["This machine is on no network."]
        print("Open and share on this network:\n", *shared, sep="\n", flush=True)


def _place(host: str, port: int) -> str:
    """Return host and port as they stand in a link."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _allow_many_connections() -> None:
    """Take as many open files as the system lets this process have: each connection is one."""
    if sys.platform != "win32":
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        with contextlib.suppress(ValueError, OSError):  # macOS calls it unlimited, and then refuses
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def protocol(arguments: Sequence[str]) -> int:
    """Print the reference page of the wire."""
    parser = Parser(prog="samedeal protocol", description="Print the wire's reference page.")
    parser.parse_args(arguments)
    print(protocol_page(), end="")
    return 0


def protocol_page() -> str:
    """Return the reference page of the wire, made from its declarations."""
    folder = resources.files("shared") / "protocol"
    sources = [(folder / name).read_text("utf-8") for name in ("messages.py", "values.py")]
    return reference(sources, read_texts().refusals)


def migrate(arguments: Sequence[str]) -> int:
    """Bring the database up to date."""
    asked = database_parser("migrate", "bring the database up to date").parse_args(arguments)
    return run(_migrate(asked.database))


async def _migrate(where: str) -> int:
    settings.prepare(where)
    path = database.database_path(where)
    owner = database.Ownership(path)
    try:
        await database.migrate(path)
    finally:
        owner.release()
    print(f"{path} is up to date.")
    return 0


def leaderboard(arguments: Sequence[str]) -> int:
    """Print a deal's attempts, best first."""
    parser = database_parser("leaderboard", "print a deal's attempts, best first")
    parser.add_argument("--deal", metavar="CODE", required=True, help="the game code of the deal")
    asked = parser.parse_args(arguments)
    return run(_leaderboard(asked.database, asked.deal))


async def _leaderboard(where: str, deal: str) -> int:
    code = GameCode.parse(deal)
    async with _reader(where) as reader:
        lines = await reader.deal(code.game, code.number, code.suits)
    print(f"{code}: {len(lines)} attempts" if lines else f"{code}: nobody has played this deal yet.")
    for place, line in enumerate(lines, 1):
        print(f"{place:>3}  {line.name:<20}  {_result(line):<24}  {line.attempt}{_marks(line)}")
    return 0


def _marks(line: DealLine) -> str:
    """Return what else there is to say of an attempt."""
    return "".join(f"  {mark}" for mark in ("ranked", "practice", "bot", "imported") if getattr(line, mark))


def _result(line: DealLine) -> str:
    if line.won:
        return f"{_clock(line.elapsed_ms)}  {line.moves} moves, {line.score}"
    return f"{line.state}, progress {line.progress}"


def _clock(elapsed_ms: int) -> str:
    """Return minutes, seconds and tenths.

    >>> _clock(754_321)
    '12:34.3'
    """
    minutes, rest_ms = divmod(elapsed_ms, 60_000)
    return f"{minutes}:{rest_ms // 1000:02}.{rest_ms // 100 % 10}"


def export(arguments: Sequence[str]) -> int:
    """Print the record of an attempt."""
    parser = database_parser("export", "print the record of an attempt")
    parser.add_argument("attempt", metavar="ID", help="the attempt's id")
    asked = parser.parse_args(arguments)
    return run(_export(asked.database, asked.attempt))


async def _export(where: str, attempt: str) -> int:
    async with _reader(where) as reader:
        packed = await reader.record(attempt)
    if packed is None:
        print(f"samedeal: no record of an attempt {attempt!r}: it is unknown, or still played.", file=sys.stderr)
        return 1
    print(Record.unpack(packed))
    return 0


@contextlib.asynccontextmanager
async def _reader(where: str) -> AsyncIterator[Reader]:
    reader = await Reader.open(where)
    try:
        yield reader
    finally:
        await reader.close()
