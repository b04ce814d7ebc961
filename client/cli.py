"""The commands of the client's side: arguments in, exit status out (DESIGN.md section 10)."""

import argparse
import asyncio
import re
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from random import Random
from typing import TypeAlias

from client import replay as replaying
from client.assets import texts
from client.child import ChildError
from client.demo import GAME, LONGEST_S, Plan, run
from client.keys import Keys
from client.screen import Screen
from shared.errors import SameDealError
from shared.games import RULES
from shared.record import Record
from shared.recordfile import record_texts

ENDINGS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""What else ends a command as Ctrl-C does, leaving nothing behind."""


TERMINAL = "/dev/tty"
"""Whatever the standard streams are, the terminal of whoever started the program."""

ID = re.compile("[A-Za-z0-9_]+")
"""What no file is called that has an ending or lies in a folder: it is taken for an attempt's id."""

Read: TypeAlias = Callable[[str], Iterator[bytes]]
"""Yields the bytes of a file, - for standard input; raises RecordError where they can't be read."""

LookUp: TypeAlias = Callable[[str, str | None, str | None], str | None]
"""Returns the record of an attempt as JSON text, from a database or a server's address; None where there is none."""


def replay(parser: argparse.ArgumentParser, arguments: Sequence[str], read: Read, look_up: LookUp) -> int:
    """Draw a record's table: step by step on a terminal, timed with --speed, else every moment.

    *parser* takes a database or a server's address already; *look_up* asks it, *read* opens a file.
    """
    what = "an attempt's id, or a file with a record as JSON, gzipped too; of several the first; - reads standard input"
    parser.add_argument("what", metavar="ID|FILE", help=what)
    parser.add_argument("--speed", type=_speed, help="show it by itself, so many times as fast as it was played")
    asked = parser.parse_args(arguments)
    text: str | bytes | None
    if _is_file(asked):
        try:
            _, text = next(record_texts(read(asked.what)))
            return _shown(text, asked)
        except SameDealError as error:
            return _failed(f"{asked.what}: {texts().sentence(error)}")
    text = look_up(asked.what, asked.database, asked.url)
    if text is None:
        return _failed(f"no record of an attempt {asked.what!r}: it is unknown, or still played.")
    return _shown(text, asked)


def _is_file(asked: argparse.Namespace) -> bool:
    """Return whether a file is meant: nothing else is named, and it is there or is called like none but a file."""
    named = asked.database is not None or asked.url is not None
    return not named and (Path(asked.what).exists() or not ID.fullmatch(asked.what))


def _shown(text: str | bytes, asked: argparse.Namespace) -> int:
    record = Record.parse(text)
    with Screen.of(sys.stdout) as screen, ExitStack() as opened:
        if not screen.live:
            replaying.print_all(record, screen)
        elif asked.speed is not None:
            asyncio.run(replaying.run_through(record, screen, partial(_pause_s, asked.speed)))
        else:
            _end_as_by_ctrl_c()  # the terminal is left as it was
            # The input that had the record has no keys.
            other = opened.enter_context(Path(TERMINAL).open(encoding="utf-8")) if asked.what == "-" else None
            replaying.step_through(record, screen, Keys(other))
    return 0


def _end_as_by_ctrl_c() -> None:
    for name in ENDINGS:
        signal.signal(name, signal.default_int_handler)  # also where Ctrl-C is ignored, as in the background of a shell


def _pause_s(speed: float, last: replaying.Moment, moment: replaying.Moment) -> float:
    return (moment.at_ms - last.at_ms) / 1000 / speed


def _speed(text: str) -> float:
    """Return how many times as fast; raise ArgumentTypeError, which says what would be right."""
    with suppress(ValueError):
        if 0.01 <= float(text) <= 1_000:
            return float(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no number from 0.01 to 1000")


def demo(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> int:
    """Run a whole race, here and now, and tell it."""
    parser.description = (
        "Show a whole race, here and now: a server with a database of its own, bots that play over real sockets, "
        "standings as they change, then the deal's leaderboard and a replay of the winner."
    )
    parser.add_argument("--game", choices=tuple(RULES), default=GAME, help=f"default: {GAME}")
    parser.add_argument(
        "--suits", type=int, metavar="N", help="how many, where the game leaves a choice; default: what is usual"
    )
    parser.add_argument("--players", type=int, choices=range(2, 9), default=3, metavar="N", help="2 to 8, default: 3")
    parser.add_argument("--seed", type=int, help="the same speeds each time (the deal is drawn all the same)")
    parser.add_argument("--fast", action="store_true", help="play as fast as the server answers")
    parser.add_argument("--keep", metavar="FOLDER", type=Path, help="leave database and record in this folder")
    asked = parser.parse_args(arguments)
    if asked.suits not in (None, *RULES[asked.game].suits):
        parser.error(f"{asked.game} has no deals with {asked.suits} suits")
    plan = Plan(game=asked.game, suits=asked.suits, players=asked.players, fast=asked.fast, keep=asked.keep)
    _end_as_by_ctrl_c()
    if asked.keep:
        asked.keep.mkdir(parents=True, exist_ok=True)
    try:
        with Screen.of(sys.stdout) as screen:
            asyncio.run(run(plan, screen, Random(asked.seed)))
    except ChildError as error:
        return _failed(str(error))
    except TimeoutError:
        return _failed(f"the demo was broken off after {LONGEST_S} seconds.")
    return 0


def _failed(why: str) -> int:
    print(f"samedeal: {why}", file=sys.stderr)
    return 1
