"""The moving pictures of the rules pages, played by the engine: each shows what the game really allows and refuses."""

import json
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from shared.cards import parse_cards, texts
from shared.errors import Refusal
from shared.games import RULES
from shared.moves import PILES, Move
from shared.position import Position
from shared.rules import Rules

LOCALES = Path(__file__).parents[1] / "shared" / "locales" / "rules"

Picture: TypeAlias = dict[str, Any]
"""`table` and `joined` to begin with; `plies`, each what was asked, and what was seen of it or why it was refused."""

PICTURES: dict[str, dict[str, Picture]] = json.loads((LOCALES / "pictures.json").read_text(encoding="utf-8"))
ALL = [(game, rule) for game, pictures in PICTURES.items() for rule in pictures]

SHOWN = {"simple-simon": {"SS3", "SS4", "SS6", "SS10"}, "freecell": {"FC2", "FC3", "FC4", "FC5", "FC10"}}
"""The rules that are shown, not only told."""


def laid(table: dict[str, Any]) -> Position:
    """Return the position that a picture begins with. It need not hold the whole pack."""
    columns = tuple(parse_cards(column.split()) for column in table["columns"])
    cells = b"".join(parse_cards([cell]) if cell else b"\0" for cell in table.get("cells", ()))
    return Position(columns, cells, bytes(table["home"]))


def asked(rules: Rules, position: Position, text: str) -> list[Move]:
    """Return the moves that *text* asks for: move text, `best PILE COUNT`, or `gather`."""
    if text == "gather":
        return list(rules.gather(position))
    if text.startswith("best "):
        _, source, count = text.split()
        return [rules.best_move(position, PILES.index(source), int(count))]
    return [Move.parse(text)]


def joined(rules: Rules, position: Position) -> list[str]:
    """Return which cards lie joined, as a picture has it."""
    return [rules.joined_cards(column) for column in position.columns]


def played(rules: Rules, position: Position, text: str) -> tuple[Position, dict[str, Any]]:
    """Return the position after *text*, and the ply that a picture has to show for it."""
    steps: list[str] = []
    try:
        for move in asked(rules, position, text):
            if refusal := rules.refusal(position, move):
                raise refusal
            steps += map(str, rules.steps(position, move))
            position = rules.apply(position, move)
    except Refusal as refusal:
        told = {"reason": refusal.reason.value, "rule": refusal.rule, "params": refusal.params}
        return position, {"ask": text, "refused": told}
    return position, {"ask": text, "steps": steps, "joined": joined(rules, position)}


@pytest.mark.parametrize(("game", "rule"), ALL)
def test_picture_shows_what_the_engine_does(game: str, rule: str) -> None:
    """
    Every ply of a picture is what the engine makes of what was asked, and the refusals cite the picture's own rule.
    """
    rules, picture = RULES[game], PICTURES[game][rule]
    position = laid(picture["table"])
    assert picture["joined"] == joined(rules, position)
    for ply in picture["plies"]:
        position, due = played(rules, position, ply["ask"])
        assert ply == due
        assert ply.get("refused", {"rule": rule})["rule"] == rule
        assert "refused" in ply or ply["steps"]


@pytest.mark.parametrize(("game", "rule"), ALL)
def test_picture_could_lie_on_a_table(game: str, rule: str) -> None:
    """
    No card is there twice, none that has gone home lies on the table, and the piles are no more than the game has.
    """
    rules, table = RULES[game], PICTURES[game][rule]["table"]
    position = laid(table)
    cards = texts(position.cards())
    assert len(set(cards)) == len(cards)
    assert len(position.columns) <= rules.columns
    assert len(position.cells) == rules.cells


def test_rules_that_move_are_shown() -> None:
    """
    Each game has its pictures, and each belongs to a rule that the page tells.
    """
    assert {game: set(pictures) for game, pictures in PICTURES.items()} == SHOWN
    told = json.loads((LOCALES / "en.json").read_text(encoding="utf-8"))
    assert all(rule in told[game] and f"{rule}Text" in told[game] for game, rule in ALL)
