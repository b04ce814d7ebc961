"""The page's constants: all that is declared, in one module."""

import json
import re
from pathlib import Path
from typing import Any, get_args

import pytest

from server.web.constants import constants
from shared.games import RULES
from shared.phase import Phase
from shared.protocol.closing import COMES_BACK, CloseCode
from shared.protocol.messages import AnyCommand, AnyEvent
from shared.protocol.values import Options
from tests.games_for_tests import BakersGame

WEB = Path(__file__).parents[3] / "client" / "web"

OWN = {"Shown"}
"""An event of the page's own."""


def names(kinds: Any) -> set[str]:  # noqa: ANN401  # a union of messages
    """Return what messages of these kinds are called."""
    return {kind.__name__ for kind in get_args(kinds)}


def declared(module: str) -> dict[str, Any]:
    """Return the constants of a module, each of which is JSON but for a comma at its end."""
    found = re.findall(r"export const (\w+) = (.*?);$", module, re.DOTALL | re.MULTILINE)
    return {name: json.loads(re.sub(r",\s*}$", "}", value)) for name, value in found}


def test_page_knows_all_codes_and_options() -> None:
    """What both sides go by is the same on both."""
    told = declared(constants(RULES.values()))

    assert (told["OPTIONS"]["goal"], told["OPTIONS"]["limit_ms"]) == ("time", Options().limit_ms)
    assert told["CLOSE"] == {f"{code.value}": code.name for code in CloseCode if code not in COMES_BACK}
    assert not {"1006", "1012", "1013"} & told["CLOSE"].keys(), "after these one comes back"


@pytest.mark.parametrize(
    ("game", "fact"),
    [
        ("simple-simon", {"foundations": False, "suits": [1, 2, 4], "top": 48, "leaves": 13}),
        ("freecell", {"foundations": True, "suits": [4], "top": 52, "leaves": 1}),
    ],
)
def test_page_knows_what_to_draw_of_a_game(game: str, fact: dict[str, Any]) -> None:
    """Piles, suits and bars of each game come from its rules."""
    assert fact.items() <= declared(constants(RULES.values()))["GAMES"][game].items()


def test_third_game_needs_no_javascript() -> None:
    """A game that is added is in the module."""
    rules = BakersGame()
    assert declared(constants([*RULES.values(), rules]))["GAMES"][rules.name]["prefix"] == rules.prefix


def test_page_speaks_as_the_wire_does() -> None:
    """The words that its modules are written with are commands, events and phases that there are."""
    modules = "\n".join(path.read_text(encoding="utf-8") for path in WEB.glob("*.js"))
    commands = set(re.findall(r'\btype: "([A-Z]\w+)"', modules)) - OWN
    events = set(re.findall(r'(?:\btype [!=]== "|^\s+)([A-Z][a-z]+)(?:"|: [(\w])', modules, re.MULTILINE)) - OWN
    assert {"Play", "PlayBest", "Ready"} < commands <= names(AnyCommand)
    assert {"Played", "Snapshot", "Standings"} < events <= names(AnyEvent)
    assert {"open", "running"} < set(re.findall(r'\bphase [!=]== "(\w+)"', modules)) <= set(Phase)
