"""What the client reads from the program's own files: sentences, and lines that win."""

from functools import cache
from importlib import resources

from shared.gamecode import GameCode
from shared.moves import Move
from shared.pool import Pool, edition
from shared.texts import Texts

SHARED = resources.files("shared")


@cache
def texts() -> Texts:
    """Return what the program says."""
    return Texts.parse((SHARED / "locales" / "en.json").read_bytes())


def winning_line(code: GameCode) -> tuple[Move, ...] | None:
    """Return moves that win the deal of *code*; None where none are known."""
    file = SHARED / "data" / f"{edition(code.rules)}.pool"
    return Pool.parse(file.read_bytes()).line(code) if file.is_file() else None
