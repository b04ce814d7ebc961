"""A client that draws: it has piles of cards, moves so many from one to another, and knows no rule of any game."""

from shared.cards import SUITS, texts
from shared.position import Position

PILES = "1234567890abcd"


class Piles:
    """What is on the screen."""

    def __init__(self, position: Position) -> None:
        cells = [texts(bytes([card])) if card else [] for card in position.cells]
        columns = [texts(column) for column in position.columns]
        self.table = dict(zip(PILES, columns, strict=False)) | dict(zip(PILES[10:], cells, strict=False))
        self.foundations: dict[str, list[str]] = {suit: [] for suit in SUITS}
        assert not any(position.home), "it is laid out from a deal"

    def show(self, step: str) -> None:
        """Move cards as a step says: move text, with a suit behind it where cards leave a foundation."""
        named = step[-1] if step[-1] in SUITS else ""
        source, target, run = step[0], step[1], step[2:].removesuffix(named)
        count = int(run.removeprefix("v"), 16) if run else 1
        pile = self.foundations[named] if source == "h" else self.table[source]
        cards = pile[-count:]
        assert len(cards) == count, step
        del pile[-count:]
        (self.foundations[cards[0][1]] if target == "h" else self.table[target]).extend(cards)

    def shows(self, position: Position) -> bool:
        """Return whether this is what *position* looks like."""
        columns = [self.table[name] for name in PILES[: len(position.columns)]]
        cells = [self.table[name] for name in PILES[10 : 10 + len(position.cells)]]
        return (
            columns == [texts(column) for column in position.columns]
            and cells == [texts(bytes([card])) if card else [] for card in position.cells]
            and [len(self.foundations[suit]) for suit in SUITS] == list(position.home)
        )
