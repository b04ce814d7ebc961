"""What counts for the boards: the one rule set `standard`, on a number that nobody had opened, by people."""

from typing import Any

import pytest
from msgspec.structs import fields, replace

from server.race.ranking import STANDARD, is_ranked
from shared.protocol.values import Options

SPOILERS: dict[str, Any] = {
    "code": "SS1-S1-AAAAABD",
    "deals": "any",
    "mixed": True,
    "goal": "score",
    "limit_ms": 15 * 60_000 + 1,
    "undo": False,
    "restart": False,
    "hint": True,
    "view": "live",
}
"""An option of each kind that changes play, or what others see of it."""

FREE: dict[str, Any] = {"game": "freecell", "suits": 4, "seats": 64, "public": True}


@pytest.mark.parametrize("option", SPOILERS)
def test_any_other_rule_set_does_not_rank(option: str) -> None:
    """
    One option that changes play is enough.
    """
    assert not is_ranked(replace(STANDARD, **{option: SPOILERS[option]}), opened=False, bot=False)


def test_what_does_not_change_play_is_free() -> None:
    """
    Game and suits have boards of their own; seats and the lobby's list are the host's affair.
    """
    assert is_ranked(Options(), opened=False, bot=False)
    assert is_ranked(replace(STANDARD, **FREE), opened=False, bot=False)
    assert {field.name for field in fields(Options)} == SPOILERS.keys() | FREE.keys()


def test_neither_bots_nor_numbers_that_were_opened_rank() -> None:
    """
    Whatever the options.
    """
    assert not is_ranked(STANDARD, opened=True, bot=False)
    assert not is_ranked(STANDARD, opened=False, bot=True)
