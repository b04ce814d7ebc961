"""The console script `samedeal`: names the commands and loads only the one that is asked for.

It is the one module that may reach both sides, so `server` and `client` never import each other. The engine's own
commands are here, since they need neither: they read and print, `shared` does the rest.
"""

import io
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from functools import cache
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeAlias

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from shared.errors import SameDealError
    from shared.gamecode import GameCode
    from shared.record import Verdict
    from shared.texts import Texts

__version__ = "0.1.0.dev0"

Command: TypeAlias = "Callable[[ArgumentParser, Sequence[str]], int]"

COMMANDS = {
    "serve": ("server.commands.cli:serve", "run a race server"),
    "protocol": ("server.commands.cli:protocol", "print the wire's reference page"),
    "demo": ("client.cli:demo", "show a whole race, here and now: server, bots, standings, leaderboard, replay"),
    "deal": ("samedeal:deal", "print the deals of game codes"),
    "verify": ("samedeal:verify", "replay records and tell whether they hold"),
    "legal": ("samedeal:legal", "print the legal moves of a position"),
    "replay": ("samedeal:replay", "draw the table of a record, move by move"),
    "leaderboard": ("server.commands.cli:leaderboard", "print leaderboards, or a deal's attempts, best first"),
    "export": ("server.commands.cli:export", "print the record of an attempt"),
    "import": ("samedeal:import_file", "store the records of a file, marked as imported and never ranked"),
    "backup": ("server.commands.upkeep:backup", "copy the database to a file, while a server may be using it"),
    "rebuild": (
        "server.commands.upkeep:rebuild",
        "compute every result and board from the logs, and put right what differs",
    ),
    "migrate": ("server.commands.cli:migrate", "bring the database up to date"),
}
"""Each command's function (`module:name`; a parser and arguments in, exit status out) and what `--help` says of it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit status: 0 fine, 1 refused or not ok, 2 wrong usage.

    >>> main(["--version"])
    samedeal 0.1.0.dev0
    0
    """
    _open_streams()
    command, *rest = (sys.argv[1:] if arguments is None else arguments) or [""]
    if command == "help":
        command, *rest = [*rest, "--help"]
    if command in ("-h", "--help", "--version"):
        return _tell(f"samedeal {__version__}" if command == "--version" else usage())
    if command not in COMMANDS:
        mistake = f"samedeal: {command!r} is no command.\n\n" if command else ""
        print(f"{mistake}{usage()}", file=sys.stderr)
        return 2
    return _run(command, rest)


def _open_streams() -> None:
    """Make the three streams fit for any name, and be there where whoever started the program closed them."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115  # for the whole run
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # not every terminal has a sign for every name


def _run(command: str, arguments: Sequence[str]) -> int:
    """Run *command*; where it is refused or fails, say why in one sentence."""
    from shared.errors import SameDealError

    try:
        status = load(command)(parser_of(command), arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        return _unread()
    except KeyboardInterrupt:
        return 130  # what shells call it
    except SameDealError as error:
        return _refused(error)
    except OSError as error:
        return _failed(error)
    return status


def _tell(text: str) -> int:
    """Print *text*, to whoever still reads."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        return _unread()
    except OSError as error:
        return _failed(error)
    return 0


def _failed(error: OSError) -> int:
    """Say what the system would not do."""
    place = f"samedeal: {error.filename}" if error.filename else "samedeal"
    print(f"{place}: {str(error.strerror or error).removesuffix('.')}.", file=sys.stderr)
    return 1


def _unread() -> int:
    """Give up what nobody reads any more: what is still buffered must not fail once more when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1


def load(command: str) -> Command:
    """Import the module of *command* and return the function that runs it."""
    module, _, name = COMMANDS[command][0].partition(":")
    function: Command = getattr(import_module(module), name)
    return function


def parser_of(command: str) -> "ArgumentParser":
    """Return the parser of *command*, to which it adds its arguments: wrong usage is one line, with status 2."""
    from argparse import ArgumentParser

    class Parser(ArgumentParser):
        def error(self, message: str) -> NoReturn:
            self.exit(2, f"{self.prog}: {message}; see {self.prog} --help.\n")

    does = COMMANDS[command][1]
    return Parser(prog=f"samedeal {command}", description=f"{does[0].upper()}{does[1:]}.")


def usage() -> str:
    """Return the text of `samedeal --help`."""
    lines = [f"  {command:13}{summary}" for command, (_, summary) in COMMANDS.items()]
    ways = ["usage: samedeal COMMAND ...", "       samedeal help [COMMAND]", "       samedeal --version"]
    return "\n".join([*ways, "", *lines])


def deal(parser: "ArgumentParser", arguments: Sequence[str]) -> int:
    """Print the first positions of game codes."""
    parser.add_argument("code", nargs="+", metavar="CODE", help="a game code, or a FreeCell number such as '#11982'")
    parser.add_argument("--json", action="store_true", help="print a JSON object a line")
    asked = parser.parse_args(arguments)
    codes = _codes(asked.code)
    if asked.json:
        print(*map(_deal_json, codes), sep="\n")
    else:
        print(*map(_deal_picture, codes), sep="\n\n")
    return 0


def _codes(words: Sequence[str]) -> list["GameCode"]:
    """Return the game codes that *words* come to: spaces may stand in a code as well as between two."""
    from shared.errors import CodeError
    from shared.gamecode import GameCode

    codes, left = [], list(words)
    while left:
        errors = []
        for count in range(len(left), 0, -1):
            try:
                codes.append(GameCode.parse(" ".join(left[:count])))
            except CodeError as error:
                errors.append(error)
            else:
                del left[:count]
                break
        else:
            raise min(reversed(errors), key=_farness)
    return codes


def _farness(error: "SameDealError") -> tuple[int, int]:
    """Return how far a text is from a code: of texts that are none, what is wrong with the nearest says the most."""
    from shared.errors import Reason
    from shared.gamecode import SYMBOLS

    formless = (Reason.CODE_LENGTH, Reason.CODE_SUITS_MISSING, Reason.CODE_FORM)
    if error.reason not in formless:
        return 0, 0
    return 1 + formless.index(error.reason), abs(int(error.params.get("length", 0)) - SYMBOLS)


def _deal_json(code: "GameCode") -> str:
    from shared.cards import texts

    columns = [texts(column) for column in code.deal().columns]
    told = {"code": str(code), "game": code.game, "suits": code.suits, "number": code.number, "columns": columns}
    return json.dumps(told, separators=(",", ":"))


def _deal_picture(code: "GameCode") -> str:
    from shared.layout import picture

    key = "terminal.dealSuits" if len(code.rules.suits) > 1 else "terminal.deal"
    named = _texts().text(key, game=_texts().game(code.game), number=code.number, suits=code.suits)
    return f"{code}  {named}\n\n{picture(code.rules, code.deal())}"


def replay(parser: "ArgumentParser", arguments: Sequence[str]) -> int:
    """Draw the table of a record, which is a file's, or an attempt's in a database or on a server."""
    from client.cli import replay as drawn
    from server.commands.command import add_source

    add_source(parser)

    def look_up(attempt: str, database: str | None, url: str | None) -> str | None:
        from server.commands.lookup import record_text

        return record_text(attempt, database, url)

    return drawn(parser, arguments, _chunks, look_up)


def import_file(parser: "ArgumentParser", arguments: Sequence[str]) -> int:
    """Store the records of a file that hold."""
    from server.commands.upkeep import import_file as stored

    return stored(parser, arguments, _chunks)


def legal(parser: "ArgumentParser", arguments: Sequence[str]) -> int:
    """Print the legal moves of a position, or whether one move is legal."""
    parser.add_argument("file", metavar="FILE", help="a position as JSON; - reads it from standard input")
    parser.add_argument("--check", metavar="MOVE", help="print ok, or why this move is not legal")
    asked = parser.parse_args(arguments)

    from shared.errors import SameDealError
    from shared.layout import parse
    from shared.moves import Move

    try:
        rules, position = parse(b"".join(islice(_chunks(asked.file), 2)))
    except SameDealError as error:
        return _refused(error, f"samedeal: {asked.file}")
    if asked.check is None:
        sys.stdout.writelines(f"{move}\n" for move in rules.legal_moves(position))
        return 0
    try:
        refused = rules.refusal(position, Move.parse(asked.check))
        if refused:
            raise refused
    except SameDealError as error:
        print(_told(error))
        return 1
    print("ok")
    return 0


def verify(parser: "ArgumentParser", arguments: Sequence[str]) -> int:
    """Replay records, or the moves of a game code, and print a verdict on each."""
    parser.add_argument("files", nargs="*", metavar="FILE", help="records, plain or gzipped; - reads standard input")
    parser.add_argument("--json", action="store_true", help="print a JSON object a line")
    parser.add_argument("--code", help="instead of files: a game code, with one of these")
    played = parser.add_mutually_exclusive_group()
    played.add_argument("--moves", metavar="TEXT", help="entries: move text, undo, restart, hint, resign")
    played.add_argument("--notation", metavar="TEXT", help="moves in standard FreeCell notation")
    asked = parser.parse_args(arguments)
    coded, told = asked.code is not None, asked.moves is not None or asked.notation is not None
    if bool(asked.files) == coded or told != coded:
        parser.error("give files, or --code with --moves or --notation")
    if asked.files:
        return max([_verify_file(name, as_json=asked.json) for name in asked.files])
    return _verify_code(asked.code, asked.moves, asked.notation, as_json=asked.json)


def _verify_file(name: str, *, as_json: bool) -> int:
    from shared.errors import RecordError
    from shared.record import Verdict, verify_text
    from shared.recordfile import record_texts

    try:
        texts = record_texts(_chunks(name))
        return max(_print_verdict(verify_text(text), name, line, as_json=as_json) for line, text in texts)
    except RecordError as error:
        if as_json:
            _print_verdict(Verdict.unread(error), name, None, as_json=True)
        return _refused(error, f"samedeal: {name}")


def _verify_code(text: str, moves: str, notation: str | None, *, as_json: bool) -> int:
    from shared.errors import SameDealError
    from shared.gamecode import GameCode
    from shared.notation import parse
    from shared.record import Verdict, verify_entries

    code = GameCode.parse(text)
    try:
        entries = moves.split() if notation is None else map(str, parse(code.rules, code.deal(), notation))
        verdict = verify_entries(code, [(0, entry) for entry in entries])
    except SameDealError as error:
        verdict = Verdict.unread(error)
    return _print_verdict(verdict, None, None, as_json=as_json)


def _print_verdict(verdict: "Verdict", file: str | None, line: int | None, *, as_json: bool) -> int:
    error, place = verdict.error, f"{file}:{line}: " if file else ""
    if as_json:
        print(json.dumps({"file": file, "line": line, **verdict.fields()}, separators=(",", ":")))
    elif error:
        entry = "" if error.entry is None else f"entry {error.entry}: "
        print(f"{place}not ok: {entry}{_told(error)}")
    else:
        print(f"{place}ok: {'won' if verdict.won else 'not won'}, score {verdict.score}, moves {verdict.moves}")
    return 1 if error else 0


def _chunks(name: str) -> Iterator[bytes]:
    """Yield the bytes of a file, - for standard input; raise RecordError where they can't be read."""
    from shared.errors import Reason, RecordError
    from shared.recordfile import CHUNK

    try:
        with nullcontext(sys.stdin.buffer) if name == "-" else Path(name).open("rb") as file:
            while chunk := file.read(CHUNK):
                yield chunk
    except (OSError, ValueError) as error:
        raise RecordError(Reason.UNREADABLE, why=getattr(error, "strerror", None) or str(error)) from None


def _told(error: "SameDealError") -> str:
    return f"{error.reason} {_texts().sentence(error)}" + (f" ({error.rule})" if error.rule else "")


def _refused(error: "SameDealError", place: str = "samedeal") -> int:
    print(f"{place}: {_texts().sentence(error)}", file=sys.stderr)
    return 1


@cache
def _texts() -> "Texts":
    from shared.texts import Texts, spoken

    files = {file.stem: file for file in (Path(__file__).parent / "shared" / "locales").glob("*.json")}
    language = spoken(os.environ, files)
    return Texts.parse(files[language].read_bytes(), language)


if __name__ == "__main__":
    sys.exit(main())
