"""A position: what lies where, as an immutable value, and its text in Freecell Solver's form (DESIGN.md section 4)."""

import re
from collections import Counter
from collections.abc import Iterator

from msgspec import Struct

from shared.cards import ACE, KING, PACK, RANKS, SUITS, Card, fold, parse_cards, texts
from shared.errors import PositionError, Reason, excerpt
from shared.moves import FIRST_CELL

_LONGEST_TEXT = 2_000
_NO_ONE_HOME = bytes(len(SUITS))
_FOUNDATION = re.compile("([SHDC])-([0A23456789TJQK])")
_PRINTED_SUITS = "HCDS"


class Position(Struct, frozen=True):
    r"""Columns, cells and the cards that have gone home. A position of a game holds exactly its pack.

    >>> position = Position.parse("Foundations: H-0 C-0 D-0 S-Q\nFreecells: KS - - -\n: KH QH\n:")
    >>> position.columns, position.cells.hex(), position.home.hex()
    ((b'\x1d\x1c', b''), '0d000000', '0c000000')
    """

    columns: tuple[bytes, ...]
    """Left to right, each deepest card first; the last card is the free one."""
    cells: bytes = b""
    """One byte a cell, 0 where it is empty; b"" in a game without cells."""
    home: bytes = _NO_ONE_HOME
    """Cards gone of each suit, in the order of SUITS: up to 13, or 13 for each removed sequence."""

    def run(self, source: int, count: int) -> bytes:
        """Return the last *count* cards of a column, or the card of a cell."""
        if source < FIRST_CELL:
            return self.columns[source][-count:]
        place = source - FIRST_CELL
        return self.cells[place : place + 1]

    def cards(self) -> bytes:
        """Return every card of the position, wherever it is, in ascending order of its byte."""
        held = self.cells.replace(b"\0", b"")
        return bytes(sorted(b"".join((*self.columns, held, *self._gone()))))

    def _gone(self) -> Iterator[bytes]:
        for suit, count in enumerate(self.home):
            sequences, rest = divmod(count, KING)
            yield bytes(range(suit << 4 | ACE, (suit << 4 | KING) + 1)) * sequences
            yield bytes(range(suit << 4 | ACE, (suit << 4 | rest) + 1))

    def check_pack(self, suits: int) -> None:
        """Raise PositionError unless the position holds exactly the pack of so many suits (SS2)."""
        pack, held = Counter(fold(PACK, suits)), Counter(self.cards())
        if held != pack:
            raise PositionError(
                Reason.NOT_THE_PACK, suits=suits, missing=_listed(pack - held), extra=_listed(held - pack)
            )

    def __str__(self) -> str:
        lines = ["Foundations: " + " ".join(self._foundations())]
        if self.cells:
            lines.append("Freecells: " + " ".join(str(Card(card)) if card else "-" for card in self.cells))
        return "\n".join(lines + [" ".join([":", *texts(column)]) for column in self.columns])

    def _foundations(self) -> Iterator[str]:
        """Yield `H-0`, `S-7`; a suit whose sequence has left more than once is repeated (SS2)."""
        for suit in _PRINTED_SUITS:
            sequences, rest = divmod(self.home[SUITS.index(suit)], KING)
            yield from [f"{suit}-K"] * sequences
            if rest or not sequences:
                yield f"{suit}-{RANKS[rest - 1] if rest else 0}"

    @classmethod
    def parse(cls, text: str) -> "Position":
        """Read what `str` prints; raise PositionError or NotationError.

        Only the form is read, each kind of pile told once: `Rules.check` tells whether it is a position of a game.
        """
        if not isinstance(text, str) or len(text) > _LONGEST_TEXT or not text.isascii():
            raise PositionError(Reason.BAD_POSITION, text=excerpt(text))
        cells, home, columns = None, None, list[bytes]()
        for line in text.strip("\n").split("\n"):
            head, _, rest = line.rpartition(":")
            match head.strip():
                case "Foundations" if home is None:
                    home = _parse_foundations(rest)
                case "Freecells" if cells is None:
                    cells = bytes(0 if name == "-" else Card.parse(name) for name in rest.split())
                case "":
                    columns.append(parse_cards(rest.split()))
                case _:
                    raise PositionError(Reason.BAD_POSITION, text=excerpt(line))
        return cls(tuple(columns), cells or b"", home or _NO_ONE_HOME)


def _listed(cards: Counter[int]) -> str:
    return " ".join(texts(bytes(sorted(cards.elements())))) or "-"


def _parse_foundations(text: str) -> bytes:
    home = [0] * len(SUITS)
    for name in text.split():
        found = _FOUNDATION.fullmatch(name)
        if not found:
            raise PositionError(Reason.BAD_POSITION, text=excerpt(name))
        home[SUITS.index(found[1])] += RANKS.find(found[2]) + 1
    if max(home) > len(PACK):
        raise PositionError(Reason.BAD_POSITION, text=excerpt(text.strip()))
    return bytes(home)
