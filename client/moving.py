"""Cards moved as the server's steps say: pure, and without a rule of any game."""

from collections.abc import Iterable

from shared.cards import KING, SUITS, Card, parse_cards
from shared.moves import FIRST_CELL, HOME, Move
from shared.position import Position
from shared.protocol.values import Table


def laid(table: Table) -> Position:
    """Return the position that *table* tells; raise NotationError for a card that is none."""
    return Position(
        columns=tuple(parse_cards(column.split()) for column in table.columns),
        cells=bytes(Card.parse(card) if card else 0 for card in table.cells),
        home=bytes(table.home),
    )


def moved(position: Position, steps: Iterable[str]) -> Position:
    """Return the position after *steps*, each a move text, with the suit behind it of cards that come back from home.

    >>> from shared.gamecode import GameCode
    >>> deal = GameCode.parse("SS1-S4-AAAAAAE").deal()
    >>> moved(moved(deal, ["02"]), ["20"]) == deal
    True
    """
    for step in steps:
        position = _step(position, step)
    return position


def _step(position: Position, step: str) -> Position:
    suit = SUITS.find(step[-1])
    move = Move.parse(step if suit < 0 else step[:-1])
    position, run = _taken(position, move.source, move.count, suit)
    return _put(position, move.target, run)


def _taken(position: Position, pile: int, count: int, suit: int) -> tuple[Position, bytes]:
    """Return the position without the last *count* cards of *pile*, and those cards; *suit* tells which from home."""
    columns, cells, home = position.columns, position.cells, position.home
    if pile == HOME:
        top = (home[suit] - 1) % KING + 1  # a second sequence of a suit lies on the first
        run = bytes(suit << 4 | rank for rank in range(top, top - count, -1))
        return Position(columns, cells, _set(home, suit, home[suit] - count)), run
    run = position.run(pile, count)
    if pile >= FIRST_CELL:
        return Position(columns, _set(cells, pile - FIRST_CELL, 0), home), run
    return Position(_with_column(columns, pile, columns[pile][:-count]), cells, home), run


def _put(position: Position, pile: int, run: bytes) -> Position:
    """Return the position with *run* on *pile*."""
    columns, cells, home = position.columns, position.cells, position.home
    if pile == HOME:
        suit = run[0] >> 4
        return Position(columns, cells, _set(home, suit, home[suit] + len(run)))
    if pile >= FIRST_CELL:
        return Position(columns, _set(cells, pile - FIRST_CELL, run[0]), home)
    return Position(_with_column(columns, pile, columns[pile] + run), cells, home)


def _with_column(columns: tuple[bytes, ...], place: int, column: bytes) -> tuple[bytes, ...]:
    return (*columns[:place], column, *columns[place + 1 :])


def _set(row: bytes, place: int, value: int) -> bytes:
    return row[:place] + bytes((value,)) + row[place + 1 :]
