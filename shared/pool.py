"""Pools: the numbers that races draw from, and winning lines of deals (DESIGN.md section 3).

A line is kept as one whole number. Each move is a digit of it, the first move the lowest: its place among the
legal moves of the position, in a base of as many as there are. So a forced move takes no room, nothing but a
legal move can come out, and the win tells where the line ends. The order of `Rules.legal_moves` is thereby part of
the form of a pool file.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Literal

import msgpack
from msgspec import Struct, to_builtins

from shared.deal import HIGHEST
from shared.errors import AssetError, Reason
from shared.forms import Form
from shared.gamecode import GameCode
from shared.games import RULES
from shared.moves import Move
from shared.position import Position
from shared.rules import Rules


class Draw(Struct, frozen=True):
    """A number to deal."""

    number: int
    practice: bool
    """Whether there was none left that had not been opened."""


class _File(Struct, frozen=True):
    """A pool file: msgpack, with the lines of each of `suits` in the order of `numbers`."""

    format: Literal["samedeal-pool/1"]
    edition: str
    """What its game's codes begin with, such as "SS1"."""
    suits: tuple[int, ...]
    numbers: tuple[int, ...]
    lines: tuple[tuple[bytes, ...], ...]


_FORM = Form(_File, AssetError, Reason.BAD_POOL)
_LARGEST = 16 << 20

LONGEST_LINE = 1_000
"""Moves; the longest in the files has 164."""

_LONGEST_PACKED = 2 * LONGEST_LINE
"""Bytes: no position has 65,536 legal moves. Taking a number apart takes the longer the larger it is."""


class Pool(Struct, frozen=True):
    """A game's numbers to draw from, and those with a line to the win. A game without a file has `Pool(rules)`."""

    rules: Rules
    numbers: tuple[int, ...] = ()
    """Ascending."""
    lines: dict[int, tuple[bytes, ...]] = {}
    """By the number of suits; each in the order of `numbers`."""

    @classmethod
    def parse(cls, packed: bytes) -> "Pool":
        """Read a pool file; raise AssetError."""
        file = _FORM.from_msgpack(packed, _LARGEST)
        rules = next((rules for rules in RULES.values() if edition(rules) == file.edition), None)
        numbers = (0, *file.numbers, HIGHEST + 1)
        if (
            rules is None
            or not set(file.suits) <= set(rules.suits)
            or len(set(file.suits)) < len(file.suits)
            or any(low >= high for low, high in pairwise(numbers))
            or [len(lines) for lines in file.lines] != [len(file.numbers)] * len(file.suits)
        ):
            raise AssetError(Reason.BAD_POOL, place="$")
        return cls(rules, file.numbers, dict(zip(file.suits, file.lines, strict=True)))

    def pack(self) -> bytes:
        """Return the bytes of the pool's file."""
        suits, lines = tuple(self.lines), tuple(self.lines.values())
        file = _File("samedeal-pool/1", edition(self.rules), suits, self.numbers, lines)
        packed: bytes = msgpack.packb(to_builtins(file, builtin_types=(bytes,)))
        return packed

    def draw(self, random_below: Callable[[int], int], opened: Sequence[int]) -> Draw:
        """Draw a number that is not among *opened*; when all are, the one opened longest ago, as practice.

        `random_below(n)` returns a whole number from 0 to n − 1 by chance. *opened* is in the order of opening, the
        oldest first; of a number that is there more than once the last place counts.
        """
        drawn, losers = self.rules.drawn or self.numbers or range(1, HIGHEST + 1), self.rules.losers
        out = {place for number in (*losers, *opened) if (place := _place(drawn, number)) is not None}
        if len(out) < len(drawn):
            return Draw(drawn[_pick(random_below(len(drawn) - len(out)), sorted(out))], practice=False)
        last = {number: turn for turn, number in enumerate(opened) if number not in losers}
        return Draw(min((number for number in drawn if number in last), key=last.__getitem__), practice=True)

    def line(self, code: GameCode) -> tuple[Move, ...] | None:
        """Return moves that win the deal of *code*, None where the pool has none; raise AssetError."""
        packed = self._packed(code)
        return None if packed is None else unpack_line(self.rules, code.deal(), packed)

    def has_line(self, code: GameCode) -> bool:
        """Return whether the pool has moves that win the deal of *code*, without playing them."""
        return self._packed(code) is not None

    def _packed(self, code: GameCode) -> bytes | None:
        place = _place(self.numbers, code.number)
        if place is None or code.game != self.rules.name or code.suits not in self.lines:
            return None
        return self.lines[code.suits][place]


def edition(rules: Rules) -> str:
    """Return what the game's codes begin with. The file of its pool has this name, and the ending `.pool`."""
    return f"{rules.prefix}{rules.version}"


def pack_line(rules: Rules, position: Position, moves: Sequence[Move]) -> bytes:
    """Return *moves*, legal from *position*, as the bytes of one whole number.

    >>> from shared.games import RULES
    >>> rules = RULES["freecell"]
    >>> pack_line(rules, rules.deal(1, 4), [Move.parse("6a"), Move.parse("1b")]).hex()
    '14'
    """
    digits = []
    for move in moves:
        legal = rules.legal_moves(position)
        digits.append((legal.index(move), len(legal)))
        position = rules.apply(position, move)
    number = 0
    for digit, base in reversed(digits):
        number = number * base + digit
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


def unpack_line(rules: Rules, position: Position, packed: bytes) -> tuple[Move, ...]:
    """Return the moves from *position* to the win that *packed* stands for; raise AssetError if it stands for none."""
    if len(packed) > _LONGEST_PACKED:
        raise _no_line()
    number, moves = int.from_bytes(packed, "big"), list[Move]()
    while not rules.won(position):
        legal = rules.legal_moves(position)
        if not legal or len(moves) == LONGEST_LINE:
            raise _no_line()
        number, digit = divmod(number, len(legal))
        moves.append(legal[digit])
        position = rules.apply(position, legal[digit])
    if number:
        raise _no_line()
    return tuple(moves)


def _place(numbers: Sequence[int], number: int) -> int | None:
    """Return where *number* stands among ascending *numbers*."""
    place = bisect_left(numbers, number)
    return place if place < len(numbers) and numbers[place] == number else None


def _pick(place: int, out: Sequence[int]) -> int:
    """Return the place that is number *place* among those not in *out*, which ascends."""
    for gone in out:
        if gone > place:
            break
        place += 1
    return place


def _no_line() -> AssetError:
    return AssetError(Reason.BAD_POOL, place="$.lines")
