"""FreeCell: rules FC1–FC10 of DESIGN.md section 2."""

from shared.cards import Card
from shared.errors import Reason
from shared.moves import BETWEEN, FIRST_CELL, HOME, Move
from shared.position import Position
from shared.rules import Rules, due_home


class FreeCell(Rules):
    """Eight columns, four cells, runs built down in alternating colours."""

    name, prefix = "freecell", "FC"
    columns, rows = 8, (8, 8, 8, 8, 8, 8, 4)  # FC1
    cells, foundations, gives_hints = 4, True, True
    notation, bare_numbers = True, True
    drawn = range(1, 1_000_001)
    losers = frozenset({11982, 146692, 186216, 455889, 495505, 512118, 517776, 781948})
    cites = {
        Reason.NO_PILE: "FC1",
        Reason.NOT_NEXT: "FC2",
        Reason.CELL_TAKEN: "FC3",
        Reason.CELL_TO_CELL: "FC3",
        Reason.ONE_CARD: "FC3",
        Reason.ONE_HOME: "FC4",
        Reason.NOT_HOME_YET: "FC4",
        Reason.FROM_FOUNDATION: "FC4",
        Reason.NOT_A_RUN: "FC5",
        Reason.TOO_MANY: "FC5",
        Reason.NO_TARGET: "FC7",
        Reason.NO_UNDO: "FC7",
        Reason.NO_HINT: "FC8",
        Reason.NO_GATHER: "FC10",
    }

    def follows(self, card: Card, onto: Card) -> bool:
        return onto.rank == card.rank + 1 and onto.is_red != card.is_red  # FC2

    def longest(self, free_cells: int, empty_columns: int) -> int:
        """Return the limit of FC5.

        >>> FreeCell().longest(2, 1), FreeCell().longest(2, 0)
        (6, 3)
        """
        return (free_cells + 1) << empty_columns

    def score(self, position: Position, moves: int) -> int:
        return sum(position.home)  # FC9

    def progress(self, position: Position) -> int:
        return sum(position.home) + self._joined(position)

    def preference(self, position: Position, move: Move) -> int | None:
        if move.target >= FIRST_CELL:
            return 0 if move.target == HOME else 3
        if position.columns[move.target]:
            return 1
        whole = move.source < FIRST_CELL and move.count == len(position.columns[move.source])
        return None if whole else 2  # FC7: never a whole column

    def stuck(self, position: Position) -> bool:
        return not self.won(position) and not self.legal_moves(position)  # FC6

    def gather(self, position: Position) -> tuple[Move, ...]:
        gathered: list[Move] = []
        while not self.won(position):
            home = self._homeward(position)
            if home is None:
                return ()
            gathered.append(home)
            position = self.apply(position, home)
        return tuple(gathered)

    def _homeward(self, position: Position) -> Move | None:
        """Return the first foundation move there is, columns before cells."""
        free = [(source, column[-1]) for source, column in enumerate(position.columns) if column]
        for source, card in (*free, *enumerate(position.cells, FIRST_CELL)):
            if card == due_home(position.home, card):
                return BETWEEN[source][HOME][1]
        return None

    def hint(self, position: Position, before: Position | None) -> Move | None:
        moves = self.legal_moves(position)
        ranked = [
            (*merit, place) for place, move in enumerate(moves) if (merit := self._merit(position, move)) is not None
        ]
        for *_, place in sorted(ranked):
            # FC8: into another cell or empty column than it came from, a card goes back all the same.
            if before is None or not _alike(self.apply(position, moves[place]), before):
                return moves[place]
        return None

    def _merit(self, position: Position, move: Move) -> tuple[int, int] | None:
        """Return the move's place in the order of FC8, then that of its target; None if it only moves a column aside.

        0 to a foundation, 1 frees the next foundation card, 2 empties a column, 3 all others.
        """
        target = self.preference(position, move)
        if target is None:
            return None
        if move.target != HOME and move.source < FIRST_CELL:
            left = position.columns[move.source][: -move.count]
            if left and left[-1] == due_home(position.home, left[-1]):
                return 1, target
            if not left and move.target < FIRST_CELL:
                return 2, target
        return 3 if target else 0, target


def _alike(one: Position, other: Position) -> bool:
    """Return whether two positions differ in nothing but the order of their cells and columns."""
    return (one.home, sorted(one.cells), sorted(one.columns)) == (
        other.home,
        sorted(other.cells),
        sorted(other.columns),
    )
