"""The commands of the server's side: arguments in, exit status out (DESIGN.md section 10)."""

import asyncio
import contextlib
import errno
import gc
import os
import shutil
import signal
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from importlib import resources
from socket import gaierror

if sys.platform != "win32":
    import resource

from server.app import Server, read_texts
from server.commands import journal, settings
from server.commands.command import add_database, add_source, run
from server.commands.lookup import source
from server.commands.printing import UNRANKED, board_lines, boards_title, deal_lines, race_lines
from server.config import Config
from server.storage import database
from server.storage.boards import Board, Span
from server.web.sharing import fitting_code, lan_addresses
from shared.gamecode import GameCode
from shared.games import RULES
from shared.protocol.reference import reference


def serve(parser: ArgumentParser, arguments: Sequence[str]) -> int:
    """Run a server until it is told to stop (SIGTERM, Ctrl-C): exit status 0 then."""
    parser.description = f"{parser.description} What no option sets is set by the environment variable behind it."
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
    gc.disable()  # what is made at a start is hardly ever garbage: looking for some takes a quarter of its time
    try:
        server = await Server.start(config)
    except OSError as error:
        raise OSError(_unheard(config, error)) from error
    finally:
        gc.freeze()  # what was made until now stays: no collection looks at it again
        gc.enable()
    try:
        _announce(config, server.port)
        await stopping.wait()
    finally:
        await server.stop()
    _say("Same Deal has stopped. Races that were under way go on after the next start.")
    return 0


def _say(*lines: str) -> None:
    """Print *lines*; a server goes on, and ends well, where nobody reads them any more, or no room is left for them."""
    try:
        print(*lines, sep="\n", flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _unheard(config: Config, error: OSError) -> str:
    """Return why the server can't listen, and what would help."""
    if error.errno == errno.EADDRINUSE:
        return f"port {config.port} is in use: stop the program that has it, or choose another with --port."
    if isinstance(error, gaierror):
        return f"can't listen on {config.listens_on}: no host of this name is known."
    # The loop's own text tells the address once more.
    return f"can't listen on {config.listens_on}, port {config.port}: {os.strerror(error.errno or errno.EIO)}."


def _announce(config: Config, port: int) -> None:
    """Print where the server is, and what to open: on a network the addresses to share."""
    place = _place("127.0.0.1" if config.lan else config.host, port)
    _say(f"Same Deal listens on http://{place} (for programs: ws://{place}/ws/ROOM)")
    _say(f"Its database is {database.database_path(config.database)}")
    if not config.lan:
        _say("Open that address in a browser. With --lan it is there for others on your network, too.")
    else:
        links = [f"http://{_place(str(address), port)}/" for address in lan_addresses()]
        columns = shutil.get_terminal_size().columns
        shared = [f"{link}\n{fitting_code(link, columns)}" for link in links] or ["This machine is on no network."]
        _say("Open and share on this network:\n", *shared)


def _place(host: str, port: int) -> str:
    """Return host and port as they stand in a link."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _allow_many_connections() -> None:
    """Take as many open files as the system lets this process have: each connection is one."""
    if sys.platform != "win32":
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        with contextlib.suppress(ValueError, OSError):  # macOS calls it unlimited, and then refuses
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def protocol(parser: ArgumentParser, arguments: Sequence[str]) -> int:
    """Print the reference page of the wire."""
    parser.parse_args(arguments)
    print(protocol_page(), end="")
    return 0


def protocol_page() -> str:
    """Return the reference page of the wire, made from its declarations."""
    folder = resources.files("shared") / "protocol"
    sources = [(folder / name).read_text("utf-8") for name in ("messages.py", "values.py")]
    return reference(sources, read_texts().refusals)


def migrate(parser: ArgumentParser, arguments: Sequence[str]) -> int:
    """Bring the database up to date."""
    add_database(parser)
    return run(_migrate(settings.chosen_database(parser.parse_args(arguments).database)))


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


def leaderboard(parser: ArgumentParser, arguments: Sequence[str]) -> int:
    """Print leaderboards, or a deal's attempts, best first."""
    parser.add_argument("--deal", metavar="CODE", help="the game code of a deal, instead of the leaderboards of a game")
    parser.add_argument("--game", choices=tuple(RULES), default=next(iter(RULES)), help="default: %(default)s")
    parser.add_argument(
        "--suits", type=int, metavar="N", help="how many, where the game leaves a choice; default: what is usual"
    )
    parser.add_argument("--period", choices=tuple(map(str, Span)), default=Span.ALL, help="by UTC; default: all")
    parser.add_argument("--board", choices=tuple(map(str, Board)), help="only this one; default: all of them")
    add_source(parser)
    asked = parser.parse_args(arguments)
    if asked.suits not in (None, *RULES[asked.game].suits):
        parser.error(f"{asked.game} has no deals with {asked.suits} suits")
    return run(_leaderboard(asked))


async def _leaderboard(asked: Namespace) -> int:
    deal = None if asked.deal is None else GameCode.parse(asked.deal)
    code, span = GameCode.of(asked.game, asked.suits, 1), Span(asked.period)
    async with source(asked) as lookup:
        if deal is not None:
            print(*deal_lines(str(deal), await lookup.deal(deal)), sep="\n")
            return 0
        title = boards_title(code, read_texts().game(code.game), span)
        boards = [Board(asked.board)] if asked.board else list(Board)
        found = [await lookup.board(board, code, span) for board in boards]
        told = [line for board, lines in zip(boards, found, strict=True) for line in board_lines(board, title, lines)]
        latest = race_lines(await lookup.latest())
    print(*told, *(() if any(found) else UNRANKED), *latest, sep="\n")
    return 0


def export(parser: ArgumentParser, arguments: Sequence[str]) -> int:
    """Print the record of an attempt."""
    parser.add_argument("attempt", metavar="ID", help="the attempt's id")
    add_source(parser)
    return run(_export(parser.parse_args(arguments)))


async def _export(asked: Namespace) -> int:
    async with source(asked) as lookup:
        record = await lookup.record(asked.attempt)
    if record is None:
        print(f"samedeal: no record of an attempt {asked.attempt!r}: it is unknown, or still played.", file=sys.stderr)
        return 1
    print(record)
    return 0
