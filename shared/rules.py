"""What the games have in common: one interface, and one definition of legality.

A game tells which card may go on which (`follows`), which cards move together (`joins`) and how many may travel
(`longest`). From these three hooks, its number of columns and cells and whether players use foundations come
`refusal` (why a move may not be played) and `legal_moves` (all that may); nothing else decides legality.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import ClassVar

from shared.cards import PACK, TEXTS, Card, fold
from shared.deal import dealt
from shared.errors import PositionError, Reason, Refusal
from shared.moves import BETWEEN, FIRST_CELL, HOME, PILES, Move
from shared.position import Position


class Rules(ABC):
    """One game. Its methods are pure; an object holds only tables made from its hooks.

    `columns`, `cells` and `foundations` are also its layout for drawing: how many columns and cells there are to see,
    and whether the foundations are, from the start. Without them what has gone home (SS6) is seen once it has.
    """

    name: ClassVar[str]
    """The game's name everywhere: code, wire, command line."""
    prefix: ClassVar[str]
    """Two capital letters that begin its game codes (DESIGN.md section 3)."""
    version: ClassVar[int] = 1
    """The version in its game codes: another meaning of a number is another version."""
    suits: ClassVar[tuple[int, ...]] = (4,)
    """The suit counts that it is played with, the usual one first (SS2)."""
    rows: ClassVar[tuple[int, ...]]
    """The deal: each row gives one card to each of so many columns, from the left."""
    columns: ClassVar[int]
    cells: ClassVar[int] = 0
    foundations: ClassVar[bool] = False
    """Whether players move cards to the foundations (FC4)."""
    goes_home: ClassVar[int] = 1
    """How many cards go home at once: 13 where whole sequences leave (SS6)."""
    gives_hints: ClassVar[bool] = False
    notation: ClassVar[bool] = False
    """Whether other programs write its moves in standard FreeCell notation (DESIGN.md section 4)."""
    bare_numbers: ClassVar[bool] = False
    """Whether `#N`, and N behind the game's name, is its deal N (DESIGN.md section 3); of one game at most."""
    drawn: ClassVar[range | None] = None
    """The deal numbers that a race draws from (DESIGN.md section 3); None: those of the pool, or any without one."""
    losers: ClassVar[frozenset[int]] = frozenset()
    """The numbers in `drawn` that are known to be lost."""
    cites: ClassVar[Mapping[Reason, str]]
    """The numbered rule behind each reason for which the game refuses."""

    def __init__(self) -> None:
        """Raise TypeError for a game beyond the limits of what the others of these modules can take."""
        if self.columns > FIRST_CELL or self.cells > HOME - FIRST_CELL:
            raise TypeError(f"{self.name}: {FIRST_CELL} columns and {HOME - FIRST_CELL} cells are the most")
        if sum(self.rows) != len(PACK) or max(self.rows) > self.columns:
            raise TypeError(f"{self.name}: its rows deal not just the pack, or beyond its columns")
        if self.foundations and self.suits != (4,):
            raise TypeError(f"{self.name}: foundations are one a suit, so of each card there may be only one")
        self._takes = _table(self.follows)
        self._joins = _table(self.joins)
        self._takers = {
            card: bytes(self._takes[onto << 6 | card] for onto in range(64)).ljust(256, b"\0") for card in PACK
        }
        self._joined_in = lru_cache(maxsize=1 << 14)(self._count_joined)

    # The hooks

    @abstractmethod
    def follows(self, card: Card, onto: Card) -> bool:
        """Return whether *card* may be put on *onto* in a column."""

    def joins(self, card: Card, onto: Card) -> bool:
        """Return whether *card*, lying on *onto*, moves together with it: as it follows unless the game differs."""
        return self.follows(card, onto)

    @abstractmethod
    def longest(self, free_cells: int, empty_columns: int) -> int:
        """Return how many cards may travel at once; an empty target column is not among *empty_columns*."""

    def leaving(self, column: bytes) -> int:
        """Return how many cards at the end of *column*, just built on, leave the game by themselves (SS6)."""
        return 0

    @abstractmethod
    def score(self, position: Position, moves: int) -> int:
        """Return the score after so many *moves* of cards or runs."""

    @abstractmethod
    def progress(self, position: Position) -> int:
        """Return the progress of DESIGN.md section 5, by which people who have not won yet are compared."""

    @abstractmethod
    def preference(self, position: Position, move: Move) -> int | None:
        """Return the place of a legal *move* among the targets of its run, 0 the best; None: never offered."""

    def hint(self, position: Position, before: Position | None) -> Move | None:
        """Return a move to show; None where there is none or the game gives no hints.

        Never one that restores *before*, the position before the last move (None: nothing was played), whatever the
        order of its cells and columns. Over a longer way, hints alone may still come back to where they were.
        """
        return None

    def gather(self, position: Position) -> tuple[Move, ...]:
        """Return the foundation moves that bring all remaining cards home; () where that can't be done."""
        return ()

    def stuck(self, position: Position) -> bool:
        """Return whether the game tells that no move is left, and none is (FC6; Simple Simon never tells, SS7)."""
        return False

    # Deals and positions

    def deal(self, number: int, suits: int) -> Position:
        """Return the first position of deal *number* (1 … 2^33 − 1) in so many *suits* (SS1, FC1)."""
        cards = iter(fold(dealt(number), suits))
        columns: list[bytearray] = [bytearray() for _ in range(self.columns)]
        for row in self.rows:
            for column in columns[:row]:
                column.append(next(cards))
        return Position(tuple(map(bytes, columns)), bytes(self.cells))

    def check(self, position: Position, suits: int) -> None:
        """Raise PositionError unless *position* is one of this game: its piles, and exactly its pack (SS2)."""
        if suits not in self.suits:
            raise PositionError(Reason.WRONG_SUITS, suits=suits, allowed=" ".join(map(str, self.suits)))
        shape, right = (len(position.columns), len(position.cells)), (self.columns, self.cells)
        if shape != right:
            raise PositionError(
                Reason.WRONG_PILES, columns=shape[0], cells=shape[1], right_columns=right[0], right_cells=right[1]
            )
        if any(count % self.goes_home for count in position.home):
            raise PositionError(Reason.PART_SEQUENCE)
        for pile, column in enumerate(position.columns):
            if column and self.leaving(column):  # SS6: it would have left with the move that completed it
                raise PositionError(Reason.WHOLE_SEQUENCE, pile=PILES[pile])
        position.check_pack(suits)

    def won(self, position: Position) -> bool:
        """Return whether every card has gone home (SS7, FC6)."""
        return sum(position.home) == len(PACK)

    @property
    def full_progress(self) -> int:
        """The progress of whoever has won: what a bar of it is measured by."""
        return self.progress(Position((b"",) * self.columns, bytes(self.cells), bytes((len(PACK) // 4,)) * 4))

    # Legality

    def refusal(self, position: Position, move: Move) -> Refusal | None:
        """Return None if *move* may be played, else why not."""
        source, target, count = move.source, move.target, move.count
        if source == target:
            return self.refuse(Reason.IDLE)
        refused = self._lift_refusal(position, source, count)
        if refused:
            return refused
        card = position.columns[source][-count] if source < FIRST_CELL else position.cells[source - FIRST_CELL]
        if target < FIRST_CELL:
            return self._column_refusal(position, card, count, target)
        if target == HOME:
            return self._home_refusal(position, card, count)
        return self._cell_refusal(position, source, target, count)

    def _lift_refusal(self, position: Position, source: int, count: int) -> Refusal | None:
        """Say why *count* cards can't be lifted from *source*, wherever they would go."""
        if source < len(position.columns):
            column = position.columns[source]
            if not 0 < count <= len(column):
                return self._too_few(source, count, len(column))
            if count > 1:
                return self._run_refusal(column, count)
            return None
        if not FIRST_CELL <= source < FIRST_CELL + self.cells:
            known = source == HOME and self.foundations
            return self.refuse(Reason.FROM_FOUNDATION) if known else self._no_pile(source)
        held = 1 if position.cells[source - FIRST_CELL] else 0
        return None if 0 < count <= held else self._too_few(source, count, held)

    def _run_refusal(self, column: bytes, count: int) -> Refusal | None:
        onto = column[-count]
        for card in column[1 - count :]:
            if not self._joins[onto << 6 | card]:
                return self.refuse(Reason.NOT_A_RUN, card=TEXTS[card], onto=TEXTS[onto])
            onto = card
        return None

    def _column_refusal(self, position: Position, card: int, count: int, target: int) -> Refusal | None:
        if target >= len(position.columns):
            return self._no_pile(target)
        column = position.columns[target]
        if column and not self._takes[column[-1] << 6 | card]:
            return self.refuse(Reason.NOT_NEXT, card=TEXTS[card], onto=TEXTS[column[-1]])
        if count > 1:
            limit = self.longest(position.cells.count(0), position.columns.count(b"") - (not column))
            if count > limit:
                return self.refuse(Reason.TOO_MANY, count=count, limit=limit)
        return None

    def _cell_refusal(self, position: Position, source: int, target: int, count: int) -> Refusal | None:
        if target >= FIRST_CELL + self.cells:
            return self._no_pile(target)
        if source >= FIRST_CELL:
            return self.refuse(Reason.CELL_TO_CELL)
        if count > 1:
            return self.refuse(Reason.ONE_CARD, count=count)
        held = position.cells[target - FIRST_CELL]
        return self.refuse(Reason.CELL_TAKEN, cell=PILES[target], card=TEXTS[held]) if held else None

    def _home_refusal(self, position: Position, card: int, count: int) -> Refusal | None:
        if not self.foundations:
            return self._no_pile(HOME)
        if count > 1:
            return self.refuse(Reason.ONE_HOME, count=count)
        due = due_home(position.home, card)
        return None if card == due else self.refuse(Reason.NOT_HOME_YET, card=TEXTS[card], next=TEXTS[due])

    def _too_few(self, source: int, count: int, held: int) -> Refusal:
        if not held:
            return self.refuse(Reason.EMPTY_PILE, pile=PILES[source])
        return self.refuse(Reason.FEW_CARDS, pile=PILES[source], count=count, held=held)

    def _no_pile(self, pile: int) -> Refusal:
        return self.refuse(Reason.NO_PILE, pile=PILES[pile])

    def refuse(self, reason: Reason, **params: str | int) -> Refusal:
        """Return a refusal that cites this game's rule for *reason*."""
        return Refusal(reason, self.cites.get(reason, ""), **params)

    def legal_moves(self, position: Position) -> list[Move]:
        """Return every move that `refusal` lets through, by source, then count, then target.

        Targets: columns that have cards, empty ones, cells, the foundations; each from the left.
        """
        columns, cells, home = position.columns, position.cells, position.home
        tops = bytes([column[-1] if column else 0 for column in columns])
        empty, spare = _places(tops, 0), _places(cells, FIRST_CELL)
        onto_card = self.longest(len(spare), len(empty))
        onto_empty = self.longest(len(spare), len(empty) - 1) if empty else 0
        moves: list[Move] = []
        for source, count, card in self._heads(position):
            ways = BETWEEN[source]
            if count <= onto_card:
                takes = tops.translate(self._takers[card])
                target = takes.find(1)
                while target >= 0:
                    moves.append(ways[target][count])
                    target = takes.find(1, target + 1)
            if count <= onto_empty:
                moves += [ways[target][count] for target in empty]
            if count == 1:
                if spare and source < FIRST_CELL:
                    moves += [ways[target][1] for target in spare]
                if self.foundations and (card & 15) == home[card >> 4] + 1:  # `due_home`, without a call
                    moves.append(ways[HOME][1])
        return moves

    def _heads(self, position: Position) -> list[tuple[int, int, int]]:
        """Return source, count and first card of every run that can be lifted."""
        joins = self._joins
        heads: list[tuple[int, int, int]] = []
        for source, column in enumerate(position.columns):
            lower = 0
            for count, card in enumerate(reversed(column), 1):
                if lower and not joins[card << 6 | lower]:
                    break
                heads.append((source, count, card))
                lower = card
        for source, card in enumerate(position.cells, FIRST_CELL):
            if card:
                heads.append((source, 1, card))
        return heads

    def best_move(self, position: Position, source: int, count: int) -> Move:
        """Return the run's move to its best target (SS10, FC7); raise Refusal, NO_TARGET where none takes it."""
        refused = self._lift_refusal(position, source, count)
        if refused:
            raise refused
        ways = (by_count[count] for by_count in BETWEEN[source])
        best = self.best_of(position, (move for move in ways if self.refusal(position, move) is None))
        if best is None:
            raise self.refuse(Reason.NO_TARGET)
        return best

    def best_of(self, position: Position, moves: Iterable[Move]) -> Move | None:
        """Return the best of one run's legal *moves*, the leftmost among equals; None where none is ever offered."""
        ranked = [
            (place, move.target, move) for move in moves if (place := self.preference(position, move)) is not None
        ]
        return min(ranked)[2] if ranked else None

    # Play

    def apply(self, position: Position, move: Move) -> Position:
        """Return the position after *move*, which is not checked: ask `refusal` first."""
        source, target, count = move.source, move.target, move.count
        columns, cells, home = list(position.columns), position.cells, position.home
        if source < FIRST_CELL:
            column = columns[source]
            run, columns[source] = column[-count:], column[:-count]
        else:
            place = source - FIRST_CELL
            run, cells = cells[place : place + 1], cells[:place] + b"\0" + cells[place + 1 :]
        if target < FIRST_CELL:
            columns[target] = column = columns[target] + run
            leaving = self.leaving(column)
            if leaving:
                columns[target], home = column[:-leaving], with_home(home, column[-leaving:])
        elif target < HOME:
            place = target - FIRST_CELL
            cells = cells[:place] + run + cells[place + 1 :]
        else:
            home = with_home(home, run)
        return Position(tuple(columns), cells, home)

    def steps(self, before: Position, move: Move) -> tuple[Move, ...]:
        """Return what is seen to move: *move*, and what then leaves by itself (SS6) as a move to the foundations."""
        if move.target >= FIRST_CELL:
            return (move,)
        leaving = self.leaving(before.columns[move.target] + before.run(move.source, move.count))
        return (move, Move(move.target, HOME, leaving)) if leaving else (move,)

    def joined_cards(self, column: bytes) -> str:
        """Return `1` for each card of *column* that moves together with the one it lies on, else `0`."""
        return "0"[: len(column)] + "".join(str(self._joins[onto << 6 | card]) for onto, card in pairwise(column))

    def _joined(self, position: Position) -> int:
        """Return how many cards lie on a card that they join."""
        return sum(map(self._joined_in, position.columns))

    def _count_joined(self, column: bytes) -> int:
        return sum(self._joins[onto << 6 | card] for onto, card in pairwise(column))


def _places(row: bytes, first: int) -> list[int]:
    """Return the numbers of the piles of *row* that hold nothing, where its first pile is number *first*."""
    return [pile for pile, card in enumerate(row, first) if not card] if 0 in row else []


def due_home(home: bytes, card: int) -> int:
    """Return the card of the same suit as *card* that goes to its foundation next (FC4)."""
    return card & 48 | home[card >> 4] + 1


def with_home(home: bytes, run: bytes) -> bytes:
    """Return *home* with the cards of *run*, all of one suit, gone too."""
    suit = run[0] >> 4
    return home[:suit] + bytes((home[suit] + len(run),)) + home[suit + 1 :]


def _table(hook: Callable[[Card, Card], bool]) -> bytes:
    """Return the hook's answers as a table of 0 and 1 at `onto << 6 | card`."""
    answers = bytearray(1 << 12)
    for onto in map(Card, PACK):
        for card in map(Card, PACK):
            answers[onto << 6 | card] = hook(card, onto)
    return bytes(answers)
