"""Standard FreeCell notation, as other programs write it (DESIGN.md section 4); never mixed with move text.

`26` onto a card is the longest run that fits. Only into an empty column the number of cards is a choice, told by
`v` and a hex digit.
"""

import re
from collections.abc import Iterable, Sequence

from shared.attempt import ENTRY_LIMIT
from shared.errors import NotationError, Reason, SameDealError, excerpt
from shared.moves import BETWEEN, Move, pile_of
from shared.position import Position
from shared.rules import Rules

_ENTRY = re.compile("([0-9a-d])([0-9a-dh])(?:v([1-9a-d]))?")
_LONGEST_TEXT = 6 * ENTRY_LIMIT


def parse(rules: Rules, position: Position, text: str) -> tuple[Move, ...]:
    """Read what other programs write of a game that is at *position*; every move of it is legal.

    Without `v` some of them mean one card into an empty column, others the longest run: the first reading under
    which the whole text is legal holds. Raise NotationError or Refusal; `entry` on it counts from 0.
    """
    if not rules.notation:
        raise NotationError(Reason.NO_NOTATION, game=rules.name)
    if not isinstance(text, str) or len(text) > _LONGEST_TEXT:
        raise NotationError(Reason.BAD_NOTATION, text=excerpt(text))
    entries = text.split()
    try:
        return _moves(rules, position, entries, longest=False)
    except SameDealError as one_card:
        try:
            return _moves(rules, position, entries, longest=True)
        except SameDealError as longest:
            raise max(one_card, longest, key=lambda error: error.entry or 0) from None


def write(rules: Rules, position: Position, moves: Iterable[Move]) -> str:
    """Return legal *moves* from *position* as other programs write them.

    >>> from shared.games import RULES
    >>> rules = RULES["freecell"]
    >>> write(rules, rules.deal(617, 4), map(Move.parse, "7a 7b 7c b7 1b 71v2".split()))
    '7a 7b 7c b7 1b 71'
    """
    entries = []
    for move in moves:
        counted = move.count > 1 and not position.columns[move.target]
        entries.append(str(move) if counted else str(BETWEEN[move.source][move.target][1]))
        position = rules.apply(position, move)
    return " ".join(entries)


def _moves(rules: Rules, position: Position, entries: Iterable[str], *, longest: bool) -> tuple[Move, ...]:
    moves = list[Move]()
    try:
        for entry in entries:
            move = _move(rules, position, entry, longest)
            refused = rules.refusal(position, move)
            if refused:
                raise refused
            moves.append(move)
            position = rules.apply(position, move)
    except SameDealError as error:
        error.entry = len(moves)
        raise
    return tuple(moves)


def _move(rules: Rules, position: Position, entry: str, longest: bool) -> Move:
    """Return the move that *entry* stands for at *position*, or one like it to refuse."""
    found = _ENTRY.fullmatch(entry)
    if not found:
        raise NotationError(Reason.BAD_NOTATION, text=excerpt(entry))
    source, target = pile_of(found[1]), pile_of(found[2])
    ways = BETWEEN[source][target]
    into_empty = target < len(position.columns) and not position.columns[target]
    if found[3]:
        if not into_empty:
            raise NotationError(Reason.BAD_NOTATION, text=excerpt(entry))
        return ways[int(found[3], 16)]
    if into_empty and not longest:
        return ways[1]
    return _longest(rules, position, ways[1:])


def _longest(rules: Rules, position: Position, ways: Sequence[Move]) -> Move:
    """Return the longest legal one of *ways*; where none is, one whose refusal says the most."""
    refusals = [(way, rules.refusal(position, way)) for way in ways]
    legal = [way for way, refused in refusals if refused is None]
    too_many = [way for way, refused in refusals if refused and refused.reason is Reason.TOO_MANY]
    return (legal or too_many or ways[:1])[-1]
