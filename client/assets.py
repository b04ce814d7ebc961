"""What the client reads from the program's own files: sentences, and lines that win."""

from collections.abc import Sequence
from functools import cache
from importlib import resources

from shared.gamecode import GameCode
from shared.games import RULES
from shared.moves import Move
from shared.pool import Pool, edition
from shared.rules import Rules
from shared.texts import Texts

SHARED = resources.files("shared")


@cache
def texts() -> Texts:
    """Return what the program says."""
    return Texts.parse((SHARED / "locales" / "en.json").read_bytes())


def winning_line(code: GameCode) -> tuple[Move, ...] | None:
    """Return moves that win the deal of *code*; None where none are known."""
    return _pool(code.rules).line(code)


def solved_codes(game: str) -> Sequence[GameCode]:
    """Return the deals of *game* whose winning line is known, with its usual suits."""
    rules = RULES[game]
    return [GameCode(game, rules.suits[0], number) for number in _pool(rules).numbers]


@cache
def _pool(rules: Rules) -> Pool:
    file = SHARED / "data" / f"{edition(rules)}.pool"
    return Pool.parse(file.read_bytes()) if file.is_file() else Pool(rules)
