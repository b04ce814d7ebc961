"""Positions as JSON, in the form that `samedeal legal` reads, and as pictures."""

import json
from typing import Any

import pytest
from hypothesis import given, settings

from shared.cards import SUITS, texts
from shared.errors import Reason, SameDealError
from shared.gamecode import GameCode
from shared.games import RULES
from shared.games.simplesimon import SimpleSimon
from shared.layout import head_lines, parse, picture
from shared.position import Position
from tests import vectors
from tests.games_for_tests import Cellless
from tests.hostile import NO_TEXT
from tests.strategies import positions_in_play

FREECELL, SIMPLE_SIMON = RULES["freecell"], RULES["simple-simon"]
KINGS = {"game": "freecell", "columns": [["KC"], ["KH"]], "foundations": {"S": 13, "H": 12, "D": 13, "C": 12}}


def layout_of(code: GameCode, position: Position) -> dict[str, Any]:
    """Return a position in the fields of its game."""
    fields: dict[str, Any] = {
        "game": code.game,
        "suits": code.suits,
        "columns": [texts(column) for column in position.columns],
    }
    if code.rules.cells:
        fields["cells"] = [texts(bytes([card]))[0] if card else None for card in position.cells]
        fields["foundations"] = dict(zip(SUITS, position.home, strict=True))
    else:
        fields["removed"] = list(
            "".join(suit * (count // 13) for suit, count in zip(SUITS, position.home, strict=True))
        )
    return fields


@given(positions_in_play())
@settings(max_examples=settings().max_examples // 2)
def test_any_position_is_read(reached: tuple[GameCode, Position]) -> None:
    """Whatever play leads to; empty columns at the right, empty cells, and fields that hold nothing may be left out."""
    code, position = reached
    fields = layout_of(code, position)
    assert parse(json.dumps(fields)) == parse(json.dumps(fields, indent=1).encode()) == (code.rules, position)

    while fields["columns"] and not fields["columns"][-1]:
        fields["columns"].pop()
    while fields.get("cells") and fields["cells"][-1] is None:
        fields["cells"].pop()
    fields["foundations"] = {suit: count for suit, count in fields.get("foundations", {}).items() if count}
    assert parse(json.dumps({name: value for name, value in fields.items() if value})) == (code.rules, position)


def test_positions_of_other_hands_are_read() -> None:
    """Those of the walks, with cells and foundations or with removed suits, among keys that are not ours."""
    for row in vectors.rows("walks.jsonl.gz"):
        for checkpoint in row["checkpoints"]:
            fields = {**checkpoint, "game": vectors.rules_of(row).name, "suits": vectors.suits_of(row)}
            assert parse(json.dumps(fields)) == (vectors.rules_of(row), vectors.position_of(checkpoint))


def test_suits_left_out_are_the_usual() -> None:
    """One for Simple Simon; FreeCell's 4 may be told."""
    one = layout_of(GameCode("simple-simon", 1, 35), SIMPLE_SIMON.deal(35, 1))
    del one["suits"]
    assert parse(json.dumps(one)) == (SIMPLE_SIMON, SIMPLE_SIMON.deal(35, 1))
    assert parse(json.dumps(KINGS)) == parse(json.dumps({**KINGS, "suits": 4, "colour": "red"}))


@pytest.mark.parametrize(
    ("changes", "reason", "params"),
    [
        ({"game": None}, Reason.BAD_LAYOUT, {"place": "$.game"}),
        ({"game": "klondike"}, Reason.CODE_GAME, {"game": "klondike", "known": "simple-simon freecell"}),
        ({"game": "FreeCell"}, Reason.CODE_GAME, {"game": "FreeCell", "known": "simple-simon freecell"}),
        ({"suits": 2}, Reason.WRONG_SUITS, {"suits": 2, "allowed": "4"}),
        ({"suits": "4"}, Reason.BAD_LAYOUT, {"place": "$.suits"}),
        ({"suits": True}, Reason.BAD_LAYOUT, {"place": "$.suits"}),
        ({"columns": "KC KH"}, Reason.BAD_LAYOUT, {"place": "$.columns"}),
        ({"columns": [["KC"], "KH"]}, Reason.BAD_LAYOUT, {"place": "$.columns[1]"}),
        ({"columns": [["KC"], [None]]}, Reason.BAD_LAYOUT, {"place": "$.columns[1][0]"}),
        ({"columns": [["KC"], ["KH"] * 53]}, Reason.BAD_LAYOUT, {"place": "$.columns[1]"}),
        ({"columns": [["KC"], ["KX"]]}, Reason.BAD_CARD, {"text": "KX"}),
        ({"columns": [["KC"], ["kh"]]}, Reason.BAD_CARD, {"text": "kh"}),
        ({"cells": [""]}, Reason.BAD_CARD, {"text": ""}),
        ({"cells": ["KD", 7]}, Reason.BAD_LAYOUT, {"place": "$.cells[1]"}),
        ({"foundations": {"X": 1}}, Reason.BAD_LAYOUT, {"place": "$.foundations"}),
        ({"foundations": {"S\n": 1}}, Reason.BAD_LAYOUT, {"place": "$.foundations"}),
        ({"foundations": {"S": 14}}, Reason.BAD_LAYOUT, {"place": "$.foundations[...]"}),
        ({"foundations": {"S": -1}}, Reason.BAD_LAYOUT, {"place": "$.foundations[...]"}),
        ({"foundations": {"S": 1.0}}, Reason.BAD_LAYOUT, {"place": "$.foundations[...]"}),
        ({"removed": ["S", "H", "D", "C", "S"]}, Reason.BAD_LAYOUT, {"place": "$.removed"}),
        ({"removed": ["Spades"]}, Reason.BAD_LAYOUT, {"place": "$.removed[0]"}),
        ({"columns": [["KC"], ["KC"]]}, Reason.NOT_THE_PACK, {"suits": 4, "missing": "KH", "extra": "KC"}),
        ({"columns": [["KC"]]}, Reason.NOT_THE_PACK, {"suits": 4, "missing": "KH", "extra": "-"}),
        ({"removed": ["S"]}, Reason.NOT_THE_PACK, {}),
        ({"columns": [["KC"], ["KH"], [], [], [], [], [], [], []]}, Reason.WRONG_PILES, {}),
        ({"cells": [None] * 5}, Reason.WRONG_PILES, {}),
        ({"game": "simple-simon", "suits": 4}, Reason.PART_SEQUENCE, {}),
        ({"game": "simple-simon", "suits": 3}, Reason.WRONG_SUITS, {"suits": 3, "allowed": "1 2 4"}),
        ({"game": "simple-simon", "cells": ["KD"]}, Reason.WRONG_PILES, {}),
    ],
)
def test_what_is_no_position_is_refused(changes: dict[str, Any], reason: Reason, params: dict[str, Any]) -> None:
    """Another shape, other cards, other piles: the reason says which, the parameters where."""
    fields = {name: value for name, value in {**KINGS, **changes}.items() if value is not None}
    with pytest.raises(SameDealError) as refused:
        parse(json.dumps(fields))
    assert refused.value.reason is reason
    assert params.items() <= refused.value.params.items()


@pytest.mark.parametrize("text", ["", "[]", "{", "null", '{"game": "freecell", "game": "freecell"}', *NO_TEXT])
def test_what_is_no_json_object_is_refused(text: str) -> None:
    """Nothing but one of our errors comes."""
    with pytest.raises(SameDealError):
        parse(text)


def test_picture_of_cells_and_foundations() -> None:
    """Cells and foundations stand above the columns, as on the table; empty places are seen."""
    _, position = parse(json.dumps({**KINGS, "columns": [["KC"], [], ["KH"]], "cells": [None, None]}))
    assert picture(FREECELL, position).splitlines() == [
        "a   b   c   d       h",
        "--  --  --  --      KS  QH  KD  QC",
        "",
        "1   2   3   4   5   6   7   8",
        "KC      KH",
    ]
    _, position = parse(json.dumps(KINGS | {"columns": [["KC"]], "cells": ["KH"]}))
    assert picture(FREECELL, position).splitlines()[1] == "KH  --  --  --      KS  QH  KD  QC"


def test_picture_of_sequences() -> None:
    """Simple Simon shows what has left, once there is something; a suit may have left more than once."""
    last = ["KS", "QS", "JS", "TS", "9S", "8S", "7S", "6S", "5S", "4S", "3S", "2S"]
    fields = {"game": "simple-simon", "suits": 2, "columns": [last, [], ["AS"]], "removed": ["H", "S", "H"]}
    lines = picture(*parse(json.dumps(fields))).splitlines()
    assert lines[:5] == [
        "    h",
        "    KS  KH  KH",
        "",
        "1   2   3   4   5   6   7   8   9   0",
        "KS      AS",
    ]
    assert len(lines) == 16
    assert picture(SIMPLE_SIMON, SIMPLE_SIMON.deal(35, 1)).startswith("1   2   3")


class Celled(SimpleSimon):
    """Simple Simon with two cells."""

    cells = 2


def test_picture_is_what_the_game_says() -> None:
    """Foundations are seen without cells, cells without foundations: neither is the sign of the other."""
    cellless, celled = Cellless(), Celled()
    assert picture(cellless, cellless.deal(1, 4)).splitlines()[:4] == [
        "    h",
        "    --  --  --  --",
        "",
        "1   2   3   4   5   6   7   8",
    ]
    deal = celled.deal(35, 1)
    assert picture(celled, deal).splitlines()[:3] == ["a   b       h", "--  --", ""]
    gone = Position(deal.columns, deal.cells, bytes([26, 0, 0, 0]))
    assert picture(celled, gone).splitlines()[1] == "--  --      KS  KS"
    assert [head_lines(SIMPLE_SIMON, Position((), b"", bytes([count, 0, 0, 0]))) for count in (0, 13)] == [0, 3]
