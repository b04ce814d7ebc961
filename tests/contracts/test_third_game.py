"""Baker's Game as a third game: one rules class and one line in the registry, put there and taken away again."""

import pytest

from samedeal import main
from shared.errors import CodeError, Reason
from shared.gamecode import GameCode
from shared.games import RULES
from tests.games_for_tests import BakersGame, third_game
from tests.tables import laid, refusal


def test_registry_has_the_game_only_while_it_is_there() -> None:
    """Its codes are read while its line stands in RULES, and are no game's before and after."""
    assert unknown("BG1-AAAAABD").params == {"game": "BG", "known": "SS FC"}
    with third_game() as rules:
        assert GameCode.parse("bg1-aaaaabd").deal() == rules.deal(35, 4) == RULES["freecell"].deal(35, 4)
        assert unknown("BG2-AAAAABD").reason is Reason.CODE_VERSION
        assert unknown("XX1-AAAAABD").params == {"game": "XX", "known": "SS FC BG"}
    assert unknown("BG1-AAAAABD").params == {"game": "BG", "known": "SS FC"}


@pytest.mark.parametrize("command", ["demo", "leaderboard"])
def test_help_offers_the_game_and_says_nothing_of_one(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Its name stands among the choices; no option is explained by another game."""
    with third_game() as rules, pytest.raises(SystemExit):
        main([command, "--help"])
    told = capsys.readouterr().out
    assert rules.name in told
    assert "Simple Simon" not in told


def unknown(text: str) -> CodeError:
    """Return the error that reading a code gives."""
    with pytest.raises(CodeError) as caught:
        GameCode.parse(text)
    return caught.value


def test_bakers_game_is_built_down_in_suit() -> None:
    """Its one hook is asked for building and for moving runs alike."""
    rules = BakersGame()
    assert refusal(rules, laid(rules, "6H", "7H"), "12") == ""
    assert refusal(rules, laid(rules, "6H", "7S"), "12") == "NOT_NEXT (FC2) card=6H onto=7S"
    assert refusal(rules, laid(rules, "9C 6H 5H", "7H"), "12v2") == ""
    assert refusal(rules, laid(rules, "9C 6H 5S", "7H"), "12v2") == "NOT_A_RUN (FC5) card=5S onto=6H"
    assert refusal(rules, laid(rules, "6H 5H 4H", "7H", cells="KS KH KD -"), "12v3") == "TOO_MANY (FC5) count=3 limit=2"
