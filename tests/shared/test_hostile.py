"""Hostile texts, given to every parser there is: one error of ours each, soon, and nothing else."""

import json
from collections.abc import Callable, Iterator
from time import process_time
from typing import Any

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared import layout, notation
from shared.cards import Card
from shared.errors import SameDealError
from shared.gamecode import GameCode
from shared.games import RULES
from shared.moves import Move, pile_of
from shared.names import checked_name
from shared.pool import Pool
from shared.position import Position
from shared.record import Record, verify_text
from shared.recordfile import record_texts
from shared.texts import Texts
from tests.hostile import NO_TEXT

LONGEST_S = 1.0
"""Seconds of the processor. The dearest answer takes a fifteenth of it, where nothing counts the lines as they run."""

FREECELL = RULES["freecell"]
DEAL = FREECELL.deal(1, 4)
RECORD = {
    "format": "samedeal-record/1",
    "code": "FC1-AAAAAAB",
    "player": "Jo",
    "started": "2026-05-01T09:30:00Z",
    "entries": [[10, "6a"], [20, "ah"], [30, "undo"]],
    "result": {"won": False, "score": 0, "moves": 1, "elapsed_ms": 30},
}
LAYOUT = {"game": "freecell", "columns": [["KC"], ["KH"]], "foundations": {"S": 13, "H": 12, "D": 13, "C": 12}}
TEXTS = {"game": {"freecell": "FreeCell"}, "refusal": {"IDLE": "No."}}

PARSERS: dict[str, tuple[Callable[[Any], object], str | bytes]] = {
    "card": (Card.parse, "KH"),
    "move": (Move.parse, "20v5"),
    "pile": (pile_of, "h"),
    "code": (GameCode.parse, "SS1-S1-AAAAABD"),
    "position": (Position.parse, str(DEAL)),
    "notation": (lambda text: notation.parse(FREECELL, DEAL, text), "6a 6b 6c"),
    "name": (checked_name, "Jo"),
    "record": (Record.parse, json.dumps(RECORD)),
    "packed record": (Record.unpack, msgpack.packb(RECORD)),
    "layout": (layout.parse, json.dumps(LAYOUT)),
    "pool": (Pool.parse, Pool(FREECELL, (7,), {4: (b"\1",)}).pack()),
    "texts": (Texts.parse, json.dumps(TEXTS)),
}
"""Each parser with something that it reads."""

SIGNS = ["\0", "\u202e", "\ud800", "\u0663", "\uff11", "\u200b", "\ufeff", "\n", "\x85", '"', "\\", "\U0001f0a1"]
"""Nothing, turned round, half a character, other scripts' digits, unseen, a mark, lines, quotes, a picture."""

HOSTILE: list[object] = [
    *NO_TEXT,
    *SIGNS,
    *("9" * size for size in (100, 5_000, 1_000_000)),
    *(f"#{'9' * size}" for size in (10, 60, 5_000)),
    *(opening * size for opening in ("[", '{"a":', '{"entries":[[', "(") for size in (1_000, 1_000_000)),
    *(value + "," * 1_000_000 for value in ("", "KH", "26")),
    *(f'{{"a":{value}}}' for value in ("NaN", "Infinity", "-Infinity", "1e999", "-0", "0x10", "1_000", "9" * 10_000)),
    *(f'{{"a":"{text}"}}' for text in ("\\ud800", "\\u0000", "\\uXYZ0", "\\", "\n", "\0")),
    '{"a":1,"a":2}',
    "26 " * 1_000_000,
    ": KH\n" * 40_000,
    ":" * 1_000_000,
    "\n" * 1_000_000,
    "-" * 64,
    "SS" + "1" * 60,
    "Foundations: " + "S-K " * 400,
    json.dumps({**RECORD, "entries": [[0, "1a"]] * 1_000_000}),
    json.dumps({**RECORD, "entries": [[0, "1a"]] * 60_000}),
    json.dumps({**RECORD, "entries": [[0, "x" * 1_000_000]]}),
    json.dumps({**RECORD, "entries": [[float("nan"), "1a"]]}),
    json.dumps({**RECORD, "result": {**RECORD, "won": "yes"}}),
    json.dumps({**LAYOUT, "columns": [["KC"] * 52] * 4_000}),
    json.dumps({**LAYOUT, "columns": [[]] * 300_000}),
    json.dumps({**LAYOUT, "cells": [None] * 150_000}),
    b"\xff\xfe" + "KH".encode("utf-16-le"),
    b"\x81" * 1_000_000,
    b"\x91" * 1_000_000,
    b"\xdd\xff\xff\xff\xff",
    b"\xdf\xff\xff\xff\xff",
    b"\xc6\xff\xff\xff\xff",
    b"\xc9\xff\xff\xff\xff\x01",
    b"\xd6\xff\xff\xff\xff\xff",
    msgpack.packb({**RECORD, "entries": [[0, "1a"]] * 60_000}),
    msgpack.packb({**RECORD, "entries": [[0.5, "1a"]]}),
    msgpack.packb({1: 2, None: 3}, strict_types=True),
    b"\x1f\x8b" + b"\0" * 1_000,
]


def read(parse: Callable[[Any], object], text: object) -> object:
    """Return what is made of *text*, or the error; fail for any error that is not ours, and for a long wait."""
    start = process_time()
    try:
        made = parse(text)
    except SameDealError as error:
        made = error
    assert process_time() - start < LONGEST_S
    assert not isinstance(made, SameDealError) or (len(str(made)) < 5_000 and str(made).isascii())
    return made


def twisted(text: str | bytes) -> Iterator[str | bytes]:
    """Yield *text* cut at each place, and with each strange sign put in or over each place."""
    places = range(0, len(text), max(1, len(text) // 60))
    if isinstance(text, bytes):
        for place in range(len(text)):
            yield text[:place]
            yield from (text[:place] + bytes([byte]) + text[place + 1 :] for byte in (0, 0x7F, 0x80, 0xC1, 0xFF))
    else:
        yield from (text[:place] for place in range(len(text)))
        yield from (
            text[:place] + sign + text[rest:] for place in places for sign in SIGNS for rest in (place, place + 1)
        )


@pytest.mark.parametrize("name", PARSERS)
def test_good_text_is_read(name: str) -> None:
    """What the others are twisted from is good."""
    parse, good = PARSERS[name]
    assert not isinstance(read(parse, good), SameDealError)


@pytest.mark.parametrize("name", PARSERS)
def test_hostile_text_gets_one_error_soon(name: str) -> None:
    """Of other types, huge, nested, promising more than it holds: an error of ours, whose text is short and plain."""
    parse, _ = PARSERS[name]
    accepted = [text for text in HOSTILE if not isinstance(read(parse, text), SameDealError)]
    assert all(isinstance(text, str) and len(text) < 200 for text in accepted)


@pytest.mark.parametrize("name", PARSERS)
def test_twisted_text_gets_one_error_or_is_read(name: str) -> None:
    """Cut at each byte, with strange signs at each place."""
    parse, good = PARSERS[name]
    for text in twisted(good):
        read(parse, text)


@pytest.mark.parametrize("name", ["record", "layout", "texts"])
def test_json_that_is_cut_is_refused(name: str) -> None:
    """No part of it is taken for the whole."""
    parse, good = PARSERS[name]
    for end in range(len(good)):
        assert isinstance(read(parse, good[:end]), SameDealError)
        assert isinstance(read(parse, good[:end].encode() if isinstance(good, str) else good), SameDealError)


@pytest.mark.parametrize("name", PARSERS)
@given(data=st.data())
@settings(max_examples=settings().max_examples // 4)
def test_any_text_gets_one_error_or_is_read(name: str, data: st.DataObject) -> None:
    """Whatever hypothesis can think of, as text and as bytes, by itself and in place of a part."""
    parse, good = PARSERS[name]
    text = data.draw(st.one_of(st.text(), st.binary(), st.from_type(type(good))))
    read(parse, text)
    if isinstance(text, type(good)):
        place = data.draw(st.integers(0, len(good)))
        read(parse, good[:place] + text + good[place:])  # type: ignore[operator]  # both are of one type


@pytest.mark.parametrize("place", range(len(HOSTILE)))
def test_hostile_text_is_a_verdict_or_a_line(place: int) -> None:
    """What `samedeal verify` meets in a file is refused with a verdict; the file is read on."""
    text = HOSTILE[place]
    if isinstance(text, str):
        text = text.encode("utf-8", "surrogatepass")
    if isinstance(text, bytes):
        assert not verify_text(text).ok
        read(lambda chunks: list(record_texts(chunks)), [text, b"\n" + json.dumps(RECORD).encode()])
