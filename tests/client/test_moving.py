"""Cards moved by the server's steps lie where the rules, which the client does not know, put them."""

from collections.abc import Iterator
from itertools import pairwise

import pytest

from client.moving import laid, moved
from shared.attempt import UNDO, Attempt
from shared.cards import TEXTS, parse_cards, texts
from shared.errors import NotationError, Reason
from shared.gamecode import GameCode
from shared.moves import Move
from shared.position import Position
from shared.protocol.values import Table
from tests import vectors
from tests.play import SOLUTIONS

FREECELL = Position((parse_cards(["3S"]), b""), parse_cards(["4H"]) + b"\0", bytes((2, 0, 0, 0)))


def won_games() -> Iterator[tuple[Attempt, list[str]]]:
    """Yield the start of every solved vector with its winning line."""
    for row in vectors.solved(*SOLUTIONS):
        rules = vectors.rules_of(row)
        start = Attempt(GameCode(rules.name, vectors.suits_of(row), 1), rules, vectors.position_of(row))
        yield start, [vectors.move_text(move) for move in row["moves"]]


def test_every_step_of_won_games_and_back_again() -> None:
    """
    Whole games, sequences and foundations included, and then their last moves taken back: the client's table is
    always the engine's.
    """
    games = 0
    for start, line in won_games():
        attempts = [start]
        for ms, text in enumerate(line):
            attempts.append(attempts[-1].play(Move.parse(text), ms))
            assert moved(attempts[-2].position, attempts[-2].steps(text)) == attempts[-1].position
        for before, after in pairwise(attempts[:-1]):  # after the winning move nothing is taken back
            assert moved(after.position, after.steps(UNDO)) == before.position
        games += 1
    assert games > 50


def test_second_sequence_of_a_suit_comes_back_whole() -> None:
    """
    With one suit a foundation holds several sequences: the upper one comes back, king first.
    """
    table = moved(Position((b"",), home=bytes((26, 0, 0, 0))), ["h1vdS"])
    assert texts(table.columns[0]) == [f"{rank}S" for rank in "KQJT98765432A"]
    assert table.home == bytes((13, 0, 0, 0))


@pytest.mark.parametrize(
    ("step", "columns", "cells", "home"),
    [
        ("1h", ("", ""), ("4H", ""), (3, 0, 0, 0)),
        ("12", ("", "3S"), ("4H", ""), (2, 0, 0, 0)),
        ("1b", ("", ""), ("4H", "3S"), (2, 0, 0, 0)),
        ("a1", ("3S 4H", ""), ("", ""), (2, 0, 0, 0)),
        ("h2S", ("3S", "2S"), ("4H", ""), (1, 0, 0, 0)),
        ("hbS", ("3S", ""), ("4H", "2S"), (1, 0, 0, 0)),
    ],
)
def test_one_step(step: str, columns: tuple[str, ...], cells: tuple[str, ...], home: tuple[int, ...]) -> None:
    """
    Each kind of pile gives and takes; what else lies on the table stays.
    """
    assert moved(FREECELL, [step]) == laid(Table(columns=columns, cells=cells, home=home))


def test_table_is_laid_as_told() -> None:
    """
    The wire's texts become columns, cells and counts; a card that is none is refused.
    """
    told = Table(columns=("KS QH", ""), cells=("", "AD"), home=(0, 2, 0, 0))
    position = laid(told)
    assert [texts(column) for column in position.columns] == [["KS", "QH"], []]
    assert [TEXTS.get(card, "") for card in position.cells] == ["", "AD"]
    assert position.home == bytes((0, 2, 0, 0))
    with pytest.raises(NotationError) as refused:
        laid(Table(columns=("KS QX",), home=(0, 0, 0, 0)))
    assert refused.value.reason is Reason.BAD_CARD
