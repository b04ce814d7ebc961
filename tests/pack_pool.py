"""Make a game's pool file from winning lines in move text.

    python -m tests.pack_pool GAME LINES > shared/data/EDITION.pool

LINES is gzipped JSON lines, `{"number": 32019, "line": "3a 3h …"}` for a game with one number of suits, else
`{"number": …, "lines": {"S1": …, "S2": …}}`. Each line is replayed to its win while it is packed.
"""

import gzip
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from msgspec.json import decode

from shared.attempt import State, replay
from shared.gamecode import GameCode
from shared.games import RULES
from shared.moves import Move
from shared.pool import Pool, pack_line


def pool_of(game: str, rows: Iterable[dict[str, Any]]) -> Pool:
    """Return the pool of *game* with these rows' lines."""
    rules = RULES[game]
    numbers, lines = [], {suits: list[bytes]() for suits in rules.suits}
    for row in sorted(rows, key=lambda row: int(row["number"])):
        numbers.append(row["number"])
        for suits in rules.suits:
            line = row["lines"][f"S{suits}"] if len(rules.suits) > 1 else row["line"]
            lines[suits].append(packed(GameCode(game, suits, row["number"]), line))
    return Pool(rules, tuple(numbers), {suits: tuple(each) for suits, each in lines.items()})


def packed(code: GameCode, line: str) -> bytes:
    """Return a line as the pool keeps it."""
    texts = line.split()
    if replay(code, [(0, text) for text in texts]).state is not State.SOLVED:
        raise ValueError(f"the line of {code} does not win")
    return pack_line(code.rules, code.deal(), [Move.parse(text) for text in texts])


if __name__ == "__main__":
    game, lines = sys.argv[1:]
    with gzip.open(Path(lines)) as file:
        sys.stdout.buffer.write(pool_of(game, map(decode, file)).pack())
