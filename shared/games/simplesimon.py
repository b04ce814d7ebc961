"""Simple Simon: rules SS1–SS10 of DESIGN.md section 2."""

from shared.cards import ACE, KING, Card
from shared.errors import Reason
from shared.moves import Move
from shared.position import Position
from shared.rules import Rules

START_SCORE = 500
SEQUENCE_SCORE = 100
UNLIMITED = 52
SEQUENCES = frozenset(bytes(range(suit << 4 | KING, suit << 4, -1)) for suit in range(4))
"""King to ace of each suit."""


class SimpleSimon(Rules):
    """Ten columns built down in any suit; runs of one suit move together; no cells, no stock."""

    name, prefix = "simple-simon", "SS"
    suits = (1, 2, 4)  # SS2
    columns, rows = 10, (9, 8, 7, 6, 5, 4, 3, 10)  # SS1
    goes_home = KING  # SS6
    cites = {
        Reason.NO_PILE: "SS1",
        Reason.NOT_NEXT: "SS3",
        Reason.NOT_A_RUN: "SS4",
        Reason.NO_HINT: "SS7",
        Reason.NO_UNDO: "SS9",
        Reason.NO_TARGET: "SS10",
    }

    def follows(self, card: Card, onto: Card) -> bool:
        return onto.rank == card.rank + 1  # SS3

    def joins(self, card: Card, onto: Card) -> bool:
        return onto == card + 1  # SS4

    def longest(self, free_cells: int, empty_columns: int) -> int:
        return UNLIMITED  # SS4

    def leaving(self, column: bytes) -> int:
        return KING if column[-1] & 15 == ACE and column[-KING:] in SEQUENCES else 0  # SS6

    def score(self, position: Position, moves: int) -> int:
        return START_SCORE - moves + sum(position.home) // KING * SEQUENCE_SCORE  # SS8

    def progress(self, position: Position) -> int:
        return self._joined(position) + sum(position.home) // KING * (KING - 1)

    def preference(self, position: Position, move: Move) -> int | None:
        column, target = position.columns[move.source], position.columns[move.target]
        if not target:
            return 1 if move.count < len(column) else None  # SS10: never a whole column
        return 0 if target[-1] == column[-move.count] + 1 else 2
