"""Positions laid out for a test, and what the rules say about a move there."""

from shared.cards import SUITS, parse_cards
from shared.errors import Refusal
from shared.moves import Move
from shared.position import Position
from shared.rules import Rules

FILLER = "AC"
"""Fills columns that a test does not speak of: nothing goes on an ace."""


def laid(rules: Rules, *columns: str, cells: str = "", home: str = "", filler: str = FILLER) -> Position:
    """Return a position of these columns (and more, with *filler* in each), cells ("4D -") and *home* ("S3 H13").

    It need not hold the pack: the rules look only at what a move concerns.
    """
    piles = tuple(parse_cards(column.split()) for column in columns)
    held = b"".join(parse_cards([name]) if name != "-" else b"\0" for name in cells.split())
    gone = {pair[0]: int(pair[1:]) for pair in home.split()}
    return Position(
        piles + (parse_cards(filler.split()),) * (rules.columns - len(piles)),
        held.ljust(rules.cells, b"\0"),
        bytes(gone.get(suit, 0) for suit in SUITS),
    )


def refusal(rules: Rules, position: Position, text: str) -> str:
    """Return the refusal of a move as a line of reason, rule and parameters; "" where it is legal."""
    refused = rules.refusal(position, Move.parse(text))
    assert refused is None or isinstance(refused, Refusal)
    return "" if refused is None else str(refused)


def legal(rules: Rules, position: Position) -> list[str]:
    """Return the texts of the legal moves, in the engine's order."""
    return [str(move) for move in rules.legal_moves(position)]


def after(rules: Rules, position: Position, *texts: str) -> Position:
    """Return the position after these moves, each of which must be legal."""
    for text in texts:
        assert refusal(rules, position, text) == "", text
        position = rules.apply(position, Move.parse(text))
    return position
