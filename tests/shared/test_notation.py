"""Standard FreeCell notation: other programs' lines in, and ours out, move by move."""

import pytest

from shared.errors import NotationError, Reason, Refusal, SameDealError
from shared.gamecode import GameCode
from shared.games import RULES
from shared.games.freecell import FreeCell
from shared.moves import Move
from shared.notation import parse, write
from shared.position import Position
from tests import vectors
from tests.games_for_tests import third_game
from tests.hostile import NO_TEXT
from tests.strategies import seeded_moves

FREECELL = RULES["freecell"]
LINES = list(vectors.solved("freecell_solutions.jsonl.gz"))
RUN = Position.parse("""\
Foundations: H-0 C-0 D-0 S-0
Freecells: - - KS KH
: QS JD TS 9D
: KC QD
: JS
:
: KD QC JH
: AS 2S 3S 4S 5S 6S 7S 8S 9S AH 2H 3H 4H 5H 6H 7H 8H 9H TH
: AD 2D 3D 4D 5D 6D 7D 8D TD AC 2C 3C 4C 5C 6C 7C 8C 9C TC
: QH JC
""")
"""Two free cells and one empty column: six cards go onto a card, three into that column."""

FULL = Position.parse("""\
Foundations: H-0 C-0 D-0 S-0
Freecells: QH JC KS KH
: QS JD TS 9D
: KC QD
: JS
: TC
: KD QC JH
: AS 2S 3S 4S 5S 6S 7S 8S 9S AH 2H 3H 4H 5H 6H 7H 8H 9H TH
: AD 2D 3D 4D 5D 6D 7D 8D TD AC 2C 3C 4C 5C 6C 7C 8C
: 9C
""")
"""The same cards with no room: one card at a time."""


def moves_of(texts: str) -> tuple[Move, ...]:
    """Return moves from move text."""
    return tuple(map(Move.parse, texts.split()))


@pytest.mark.parametrize("row", LINES, ids=lambda row: str(row["deal"]))
def test_solutions_are_read_and_written(row: vectors.Row) -> None:
    """Both ways for each line that other programs have found."""
    position = vectors.position_of(row)
    moves = tuple(Move.parse(vectors.move_text(move)) for move in row["moves"])
    assert parse(FREECELL, position, row["notation"]) == moves
    assert write(FREECELL, position, moves) == row["notation"]


@pytest.mark.parametrize("seed", range(40))
def test_play_by_chance_comes_back(seed: int) -> None:
    """Whatever was played is read from what is written of it, runs into empty columns included."""
    row = LINES[seed]
    position, half = vectors.position_of(row), len(row["moves"]) * 2 // 3
    for move in row["moves"][:half]:
        position = FREECELL.apply(position, Move.parse(vectors.move_text(move)))
    moves = list[Move]()
    start = position
    for step in range(25):
        legal = FREECELL.legal_moves(position)
        if not legal:
            break
        moves.append(legal[(seed * 31 + step * 17) % len(legal)])
        position = FREECELL.apply(position, moves[-1])
    assert parse(FREECELL, start, write(FREECELL, start, moves)) == tuple(moves)


def test_play_from_a_deal_comes_back() -> None:
    """From a first position too."""
    attempt = seeded_moves(GameCode("freecell", 4, 617), seed=1, count=60)
    moves = moves_of(" ".join(text for _, text in attempt.entries))
    deal = attempt.code.deal()
    assert parse(FREECELL, deal, write(FREECELL, deal, moves)) == moves


@pytest.mark.parametrize(
    ("notation", "moves"),
    [
        ("", ""),
        ("15", "15v2"),
        ("14", "14"),
        ("14v1", "14"),
        ("14v2", "14v2"),
        ("14v3", "14v3"),
        ("14v2 45", "14v2 45v2"),
        (" 8a\n\t84 ", "8a 84"),
        ("c4 2c", "c4 2c"),
    ],
)
def test_count_is_told_only_into_an_empty_column(notation: str, moves: str) -> None:
    """Onto a card goes the longest run that fits; into an empty column one card, or as many as `v` tells."""
    FREECELL.check(RUN, 4)
    assert parse(FREECELL, RUN, notation) == moves_of(moves)


def test_other_convention_is_understood() -> None:
    """Where one card into an empty column would make the rest illegal, the longest run was meant."""
    assert parse(FREECELL, RUN, "14 51") == moves_of("14v3 51")


@pytest.mark.parametrize(
    ("notation", "reason", "entry"),
    [
        ("14v4", Reason.TOO_MANY, 0),
        ("54v3 84", Reason.NOT_NEXT, 1),
        ("8a 25", Reason.NOT_NEXT, 1),
        ("8a 8b 8c", Reason.EMPTY_PILE, 2),
        ("8a 8c", Reason.CELL_TAKEN, 1),
        ("1h", Reason.NOT_HOME_YET, 0),
        ("cb", Reason.CELL_TO_CELL, 0),
        ("11", Reason.IDLE, 0),
        ("19", Reason.NO_PILE, 0),
        ("14 51 11", Reason.IDLE, 2),
        ("8a xx", Reason.BAD_NOTATION, 1),
        ("8a 15v2", Reason.BAD_NOTATION, 1),
        ("8av1", Reason.BAD_NOTATION, 0),
        ("8a h1", Reason.BAD_NOTATION, 1),
        ("14ve", Reason.BAD_NOTATION, 0),
        ("14v0", Reason.BAD_NOTATION, 0),
        ("14V2", Reason.BAD_NOTATION, 0),
        ("\u0661a", Reason.BAD_NOTATION, 0),
        ("1a\0", Reason.BAD_NOTATION, 0),
        ("undo", Reason.BAD_NOTATION, 0),
    ],
)
def test_first_wrong_entry_is_named(notation: str, reason: Reason, entry: int) -> None:
    """What is no notation, and what is none that may be played; of two readings the one that comes further."""
    with pytest.raises(SameDealError) as refused:
        parse(FREECELL, RUN, notation)
    assert (refused.value.reason, refused.value.entry) == (reason, entry)


def test_run_that_finds_no_room_is_too_many() -> None:
    """Two cards would go onto the jack, and there is room for one: that is what is said, not that a ten does not go."""
    FREECELL.check(FULL, 4)
    with pytest.raises(Refusal) as refused:
        parse(FREECELL, FULL, "15")
    assert (refused.value.reason, refused.value.params) == (Reason.TOO_MANY, {"count": 2, "limit": 1})


@pytest.mark.parametrize("text", [*NO_TEXT, "1a " * 40_001])
def test_what_is_no_text_is_refused(text: str) -> None:
    """Other types, and a text longer than any attempt."""
    with pytest.raises(NotationError) as refused:
        parse(FREECELL, RUN, text)
    assert refused.value.reason is Reason.BAD_NOTATION


class Unwritten(FreeCell):
    """FreeCell as if nobody else wrote its moves."""

    notation = False


def test_notation_is_for_games_that_are_written_so() -> None:
    """Simple Simon's moves are told in move text, foundations alone are no reason; a game of FreeCell's kind is."""
    with pytest.raises(NotationError, match=Reason.NO_NOTATION):
        parse(Unwritten(), FREECELL.deal(1, 4), "1a")
    simple_simon = RULES["simple-simon"]
    with pytest.raises(NotationError) as refused:
        parse(simple_simon, simple_simon.deal(1, 1), "12")
    assert (refused.value.reason, refused.value.params) == (Reason.NO_NOTATION, {"game": "simple-simon"})
    with third_game() as rules:
        assert parse(rules, rules.deal(1, 4), "1a 2b") == moves_of("1a 2b")
