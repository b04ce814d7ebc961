"""Play for tests: positions as games reach them, early and late, in every game and number of suits."""

from collections.abc import Iterator
from functools import cache
from random import Random

from shared.games import RULES
from shared.moves import HOME, Move
from shared.position import Position
from shared.rules import Rules
from tests import vectors

KINDS = tuple((name, suits) for name, rules in RULES.items() for suits in rules.suits)
"""Every game with every number of suits."""

SOLUTIONS = (
    "simple_simon_1suit_solutions.jsonl.gz",
    "simple_simon_2suit_solutions.jsonl.gz",
    "simple_simon_4suit_solutions.jsonl.gz",
    "freecell_solutions.jsonl.gz",
)

LONGEST_WALK = 60


def starts(game: str, suits: int, random: Random) -> Iterator[Position]:
    """Yield positions without end: first ones of random deals, and points on lines that are known to win."""
    lines = _won_lines(game, suits)
    while True:
        number = random.randrange(1, 2 ** random.choice((15, 31, 32, 33)))
        yield RULES[game].deal(number, suits)
        if lines:
            yield random.choice(random.choice(lines))


@cache
def _won_lines(game: str, suits: int) -> tuple[tuple[Position, ...], ...]:
    rows = [row for row in vectors.solved(*SOLUTIONS) if vectors.rules_of(row).name == game]
    return tuple(tuple(_line(row)) for row in rows if vectors.suits_of(row) == suits)


def _line(row: vectors.Row) -> Iterator[Position]:
    rules, position = vectors.rules_of(row), vectors.position_of(row)
    for move in row["moves"]:
        yield position
        position = rules.apply(position, Move.parse(vectors.move_text(move)))


def wander(rules: Rules, position: Position, random: Random) -> Iterator[tuple[Position, Move | None]]:
    """Yield each position and the move played there, None at the end: by chance, but for a leaning to progress."""
    leaning = random.random()
    for _ in range(random.randrange(LONGEST_WALK)):
        moves = rules.legal_moves(position)
        if not moves:
            break
        better = [move for move in moves if move.target == HOME or _gains(rules, position, move)]
        move = random.choice(better if better and random.random() < leaning else moves)
        yield position, move
        position = rules.apply(position, move)
    yield position, None


def _gains(rules: Rules, position: Position, move: Move) -> bool:
    return rules.progress(rules.apply(position, move)) > rules.progress(position)


def positions(rules: Rules, suits: int, seed: int, count: int) -> list[Position]:
    """Return so many different positions that play reaches, the same for the same seed."""
    random, found = Random(seed), dict[Position, None]()
    for start in starts(rules.name, suits, random):
        for position, _ in wander(rules, start, random):
            found[position] = None
            if len(found) == count:
                return list(found)
    raise AssertionError("starts never end")
