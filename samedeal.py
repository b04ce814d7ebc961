"""The console script `samedeal`: names the commands and loads only the one that is asked for.

It is the one module that may reach both sides, so `server` and `client` never import each other.
"""

import sys
from collections.abc import Callable, Sequence
from importlib import import_module

__version__ = "0.1.0.dev0"

COMMANDS = {
    "serve": ("server.cli:serve", "run a race server"),
    "migrate": ("server.cli:migrate", "bring the database up to date"),
    "protocol": ("server.cli:protocol", "print the wire's reference page"),
    "demo": ("client.cli:demo", "a whole race, here and now: server, bots, standings, leaderboard, replay"),
    "deal": ("client.cli:deal", "print the deal of a game code"),
    "verify": ("client.cli:verify", "replay records and tell whether they hold"),
    "legal": ("client.cli:legal", "print the legal moves of a position"),
    "leaderboard": ("server.cli:leaderboard", "print a deal's attempts, best first"),
    "export": ("server.cli:export", "print the record of an attempt"),
}
"""Each command's function (`module:name`, arguments in, exit status out) and what `--help` says of it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit status: 0 fine, 1 refused or not ok, 2 wrong usage.

    >>> main(["--version"])
    samedeal 0.1.0.dev0
    0
    """
    command, *rest = (sys.argv[1:] if arguments is None else arguments) or [""]
    if command in ("-h", "--help"):
        print(usage())
        return 0
    if command == "--version":
        print(f"samedeal {__version__}")
        return 0
    if command not in COMMANDS:
        print(f"samedeal: {command!r} is no command.\n\n{usage()}", file=sys.stderr)
        return 2
    return load(command)(rest)


def load(command: str) -> Callable[[Sequence[str]], int]:
    """Import the module of *command* and return the function that runs it."""
    module, _, name = COMMANDS[command][0].partition(":")
    function: Callable[[Sequence[str]], int] = getattr(import_module(module), name)
    return function


def usage() -> str:
    """Return the text of `samedeal --help`."""
    lines = [f"  {command:13}{summary}" for command, (_, summary) in COMMANDS.items()]
    return "\n".join(["usage: samedeal COMMAND …", "       samedeal --version", "", *lines])


if __name__ == "__main__":
    sys.exit(main())
