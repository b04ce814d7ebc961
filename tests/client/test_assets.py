"""What the client reads from the program's own files."""

from client.assets import solved_codes, texts, winning_line
from shared.attempt import State, replay
from shared.gamecode import GameCode
from shared.games import RULES
from tests.games_for_tests import third_game

OUTSIDE = 2**33 - 1
"""A number that no pool has."""


def test_line_wins_where_one_is_known() -> None:
    """
    The first deal of a pool is won by its line; a number outside it has none.
    """
    code = GameCode.parse("SS1-S1-AAH5YNX")
    line = winning_line(code)
    assert line is not None
    assert replay(code, [(0, str(move)) for move in line]).state is State.SOLVED
    for game in RULES:
        assert winning_line(GameCode.of(game, None, OUTSIDE)) is None


def test_game_without_a_pool_has_no_lines() -> None:
    """
    A third game needs no file of lines.
    """
    with third_game() as rules:
        assert winning_line(GameCode.of(rules.name, None, 1)) is None
        assert solved_codes(rules.name) == []


def test_solved_deals_have_lines() -> None:
    """
    Each game has thousands of deals whose line is known, the first and the last of them among these.
    """
    for game in RULES:
        codes = solved_codes(game)
        assert len(set(codes)) >= 5_000
        assert winning_line(codes[0])
        assert winning_line(codes[-1])


def test_sentences_are_there() -> None:
    """
    Every game has its name for people.
    """
    assert [texts().game(name) for name in RULES] == ["Simple Simon", "FreeCell"]
