"""A second engine, slow and plain: lists of card texts, and the rules as DESIGN.md section 2 words them.

It shares nothing with shared/ but move text and the way a position prints, so that a mistake would have to be made
twice, in two ways, to stay unseen.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from itertools import pairwise

RANKS = "A23456789TJQK"
COLUMN_NAMES = "1234567890"
CELL_NAMES = "abcd"


def rank(card: str) -> int:
    """Return 1 for an ace to 13 for a king."""
    return RANKS.index(card[0]) + 1


def red(card: str) -> bool:
    """Return whether *card* is a heart or a diamond."""
    return card[1] in "HD"


class Table(ABC):
    """What lies where. `play` changes it."""

    def __init__(self, columns: list[list[str]], cells: list[str], gone: dict[str, int]) -> None:
        self.columns = columns
        self.cells = cells
        """A card's text each, or "" for an empty one."""
        self.gone = gone
        """How many cards of each suit have left the columns and cells for good."""

    def copy(self) -> "Table":
        """Return the same table again, to be changed apart."""
        return type(self)([list(column) for column in self.columns], list(self.cells), dict(self.gone))

    def key(self) -> tuple[object, ...]:
        """Return what is equal for equal positions."""
        return tuple(map(tuple, self.columns)), tuple(self.cells), tuple(sorted(self.gone.items()))

    @abstractmethod
    def is_run(self, cards: list[str]) -> bool:
        """Return whether *cards*, two or more and the deepest first, move together."""

    @abstractmethod
    def goes_on(self, card: str, onto: str) -> bool:
        """Return whether *card* may go on *onto* in a column."""

    @abstractmethod
    def most(self, target: list[str]) -> int:
        """Return how many cards can go to the column *target* at once."""

    @abstractmethod
    def after_building(self, column: list[str]) -> None:
        """Take away what leaves by itself from a column that was just built on."""

    def legal(self) -> Iterator[str]:
        """Yield the text of every legal move, in no order that matters."""
        for source, name in zip(self.columns, COLUMN_NAMES, strict=False):
            for count in range(1, len(source) + 1):
                cards = source[-count:]
                if count == 1 or self.is_run(cards):
                    yield from self._moves_of(name, cards)
        for card, name in zip(self.cells, CELL_NAMES, strict=False):
            if card:
                yield from self._moves_of(name, [card])

    def _moves_of(self, source: str, cards: list[str]) -> Iterator[str]:
        run = f"v{len(cards):x}" if len(cards) > 1 else ""
        for target, name in zip(self.columns, COLUMN_NAMES, strict=False):
            fits = not target or self.goes_on(cards[0], target[-1])
            if name != source and fits and len(cards) <= self.most(target):
                yield source + name + run
        if len(cards) == 1:
            yield from (source + target for target in self.other_targets(source, cards[0]))

    def other_targets(self, source: str, card: str) -> Iterator[str]:
        """Yield the cells and the foundations that take *card*."""
        return iter(())

    def play(self, text: str) -> None:
        """Do what move text says, which must be legal."""
        source, target, count = text[0], text[1], int(text[3:] or "1", 16)
        cards = self._lift(source, count)
        if target == "h":
            self.gone[cards[0][1]] += 1
        elif target in CELL_NAMES:
            self.cells[CELL_NAMES.index(target)] = cards[0]
        else:
            column = self.columns[COLUMN_NAMES.index(target)]
            column.extend(cards)
            self.after_building(column)

    def _lift(self, source: str, count: int) -> list[str]:
        if source in CELL_NAMES:
            place = CELL_NAMES.index(source)
            card, self.cells[place] = self.cells[place], ""
            return [card]
        column = self.columns[COLUMN_NAMES.index(source)]
        cards = column[-count:]
        del column[-count:]
        return cards


class SimpleSimonTable(Table):
    """SS1 to SS6."""

    def is_run(self, cards: list[str]) -> bool:
        ranks = [rank(card) for card in cards]
        return len({card[1] for card in cards}) == 1 and ranks == list(range(ranks[0], ranks[0] - len(cards), -1))

    def goes_on(self, card: str, onto: str) -> bool:
        return rank(card) == rank(onto) - 1

    def most(self, target: list[str]) -> int:
        return 13

    def after_building(self, column: list[str]) -> None:
        end = column[-13:]
        if "".join(card[0] for card in reversed(end)) == RANKS and len({card[1] for card in end}) == 1:
            del column[-13:]
            self.gone[end[0][1]] += 13


class FreeCellTable(Table):
    """FC1 to FC5."""

    def is_run(self, cards: list[str]) -> bool:
        return all(self.goes_on(card, onto) for onto, card in pairwise(cards))

    def goes_on(self, card: str, onto: str) -> bool:
        return rank(card) == rank(onto) - 1 and red(card) != red(onto)

    def most(self, target: list[str]) -> int:
        empty_columns = [column for column in self.columns if not column and column is not target]
        return int((self.cells.count("") + 1) * 2 ** len(empty_columns))

    def after_building(self, column: list[str]) -> None:
        """Nothing leaves by itself (FC10)."""

    def other_targets(self, source: str, card: str) -> Iterator[str]:
        if source not in CELL_NAMES:
            yield from (name for name, held in zip(CELL_NAMES, self.cells, strict=True) if not held)
        if rank(card) == self.gone[card[1]] + 1:
            yield "h"


TABLES: dict[str, type[Table]] = {"simple-simon": SimpleSimonTable, "freecell": FreeCellTable}


def read(game: str, text: str) -> Table:
    r"""Return the table that a printed position shows.

    >>> read("simple-simon", "Foundations: H-0 C-0 D-0 S-K S-K\n: KS QS\n:").gone["S"]
    26
    """
    gone, cells, columns = dict.fromkeys("SHDC", 0), list[str](), list[list[str]]()
    for line in text.splitlines():
        head, _, rest = line.partition(":")
        if head == "Foundations":
            for suit, top in (pair.split("-") for pair in rest.split()):
                gone[suit] += 0 if top == "0" else rank(top)
        elif head == "Freecells":
            cells = ["" if card == "-" else card for card in rest.split()]
        else:
            columns.append(rest.split())
    return TABLES[game](columns, cells, gone)


def lines_of_play(table: Table, depth: int) -> int:
    """Return in how many ways *depth* moves can be played from here."""
    return sum(lines_of_play(after, depth - 1) for after in _nexts(table)) if depth else 1


def positions_at(table: Table, depth: int) -> int:
    """Return how many different positions *depth* moves can lead to."""
    layer = {table.key(): table}
    for _ in range(depth):
        layer = {after.key(): after for table in layer.values() for after in _nexts(table)}
    return len(layer)


def _nexts(table: Table) -> Iterator[Table]:
    for text in list(table.legal()):
        after = table.copy()
        after.play(text)
        yield after
