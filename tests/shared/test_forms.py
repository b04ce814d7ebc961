"""Bytes from outside: one struct, or one error that says where it went wrong."""

import json
from collections.abc import Callable

import msgpack
import pytest
from msgspec import Struct

from shared.errors import Reason, RecordError
from shared.forms import LARGEST, Form
from tests.hostile import NO_TEXT


class Leg(Struct):
    """A part of a trip."""

    stop: str
    minutes: int


class Trip(Struct):
    """Something with parts, as a record is."""

    name: str
    legs: tuple[Leg, ...] = ()


def strings(trip: Trip) -> int:
    """Count the strings in the JSON of a trip that tells its legs."""
    return 3 + 3 * len(trip.legs)


LOOSE, COUNTED = Form(Trip, RecordError, Reason.BAD_RECORD), Form(Trip, RecordError, Reason.BAD_RECORD, strings)

TRIP = {"name": "north", "legs": [{"stop": "A", "minutes": 4}, {"stop": "B", "minutes": 9}]}
MADE = Trip("north", (Leg("A", 4), Leg("B", 9)))


@pytest.mark.parametrize("form", [LOOSE, COUNTED])
def test_both_encodings_are_read(form: Form[Trip]) -> None:
    """JSON as text or bytes, and msgpack, make the same struct; fields that it does not have are ignored."""
    assert form.from_json(json.dumps(TRIP)) == form.from_json(json.dumps(TRIP).encode()) == MADE
    assert form.from_json(json.dumps({**TRIP, "colour": {"name": "red"}}, indent=1)) == MADE
    assert form.from_msgpack(msgpack.packb({**TRIP, "colour": None})) == MADE


@pytest.mark.parametrize("form", [LOOSE, COUNTED])
@pytest.mark.parametrize(
    ("trip", "place"),
    [
        ([], "$"),
        ({}, "$.name"),
        ({"name": 7}, "$.name"),
        ({"name": None}, "$.name"),
        ({"name": "n", "legs": {}}, "$.legs"),
        ({"name": "n", "legs": [{"stop": "A", "minutes": 1}, {"stop": "B"}]}, "$.legs[1].minutes"),
        ({"name": "n", "legs": [{"stop": "A", "minutes": 1.5}]}, "$.legs[0].minutes"),
        ({"name": "n", "legs": [{"stop": "A", "minutes": True}]}, "$.legs[0].minutes"),
        ({"name": "n", "legs": [{"stop": "A", "minutes": "1"}]}, "$.legs[0].minutes"),
    ],
)
def test_wrong_shape_tells_the_place(form: Form[Trip], trip: object, place: str) -> None:
    """Missing, of another type, nearly right: the JSON path is the same in both encodings."""
    reads: tuple[Callable[[], Trip], ...] = (
        lambda: form.from_json(json.dumps(trip)),
        lambda: form.from_msgpack(msgpack.packb(trip)),
    )
    for read in reads:
        with pytest.raises(RecordError) as refused:
            read()
        assert (refused.value.reason, refused.value.params) == (Reason.BAD_RECORD, {"place": place})


@pytest.mark.parametrize("form", [LOOSE, COUNTED])
@pytest.mark.parametrize(
    "text",
    [
        '{"name": "a", "name": "b"}',
        '{"name": "a", "na\\u006de": "b"}',
        '{"name": "a", "legs": [{"stop": "A", "minutes": 1, "stop": "B"}]}',
        '{"name": "a", "legs": [], "x": {"name": 1, "name": 2}}',
        '{"name": "a", "legs": [], "legs": []}',
    ],
)
def test_no_key_stands_twice(form: Form[Trip], text: str) -> None:
    """Two parsers might take one value each, so neither is taken, wherever the key is and however it is spelt."""
    with pytest.raises(RecordError) as refused:
        form.from_json(text)
    assert refused.value.reason is Reason.KEY_TWICE


def test_no_key_stands_twice_in_msgpack() -> None:
    """The same in the other encoding; the key is named."""
    twice = b"\x82" + msgpack.packb("name") + msgpack.packb("a") + msgpack.packb("name") + msgpack.packb("b")
    with pytest.raises(RecordError) as refused:
        LOOSE.from_msgpack(twice)
    assert (refused.value.reason, refused.value.params) == (Reason.KEY_TWICE, {"key": "name"})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "nul",
        '{"name": "a"} {"name": "b"}',
        '{"name": "a", "x": NaN}',
        '{"name": "a", "x": Infinity}',
        '{"name": "\\ud800"}',
        '{"name": "\ud800"}',
        b'{"name": "\xff"}',
        b"\xff\xfe{\0}\0",
        '{"name": "a", "x": ' + "[" * 100_000,
        '{"name": "a", "x": ' + "[" * 100_000 + "]" * 100_000 + "}",
        '{"name": "a", "x": ' + "9" * 100_000 + "}",
        '{"name": "a\0"}',
    ],
)
def test_what_is_no_json_is_said_to_be_none(text: str | bytes) -> None:
    """Cut short, garbled, nested without end, with numbers or characters that JSON does not have."""
    with pytest.raises(RecordError) as refused:
        LOOSE.from_json(text)
    assert refused.value.reason is Reason.NOT_JSON


@pytest.mark.parametrize(
    "packed",
    [
        b"",
        b"\xc1",
        msgpack.packb(TRIP)[:-1],
        msgpack.packb(TRIP) + b"\0",
        b"\x91" * 100_000,
        b"\xdd\xff\xff\xff\xff",
        b"\xdb\xff\xff\xff\xff",
        b"\x81\xa4name\xa1\xff",
        b"\x81\x90\x01",
        b"\x81\xc0\x01",
        b"\xd6\xff\0\0\0\0",
        b"\xd7\xff" + b"\xff" * 8,
    ],
)
def test_what_is_no_msgpack_is_refused(packed: bytes) -> None:
    """Cut short, with more than one value, nested without end, of promised lengths that never come, or an extension."""
    with pytest.raises(RecordError) as refused:
        LOOSE.from_msgpack(packed)
    assert (refused.value.reason, refused.value.params) == (Reason.BAD_RECORD, {"place": "$"})


@pytest.mark.parametrize("largest", [0, 100, LARGEST])
def test_size_has_a_limit(largest: int) -> None:
    """A byte above it nothing is parsed any more."""
    with pytest.raises(RecordError) as refused:
        LOOSE.from_msgpack(b"\0" * (largest + 1), largest)
    assert (refused.value.reason, refused.value.params) == (Reason.TOO_LARGE, {"limit": largest})


@pytest.mark.parametrize("spaces", [0, 1])
def test_json_may_be_as_large_as_the_limit(spaces: int) -> None:
    """The limit itself is read, one more is not."""
    text = '{"name": "a"}'.ljust(LARGEST + spaces)
    if spaces:
        with pytest.raises(RecordError):
            LOOSE.from_json(text)
    else:
        assert LOOSE.from_json(text) == Trip("a")


@pytest.mark.parametrize("value", [value for value in NO_TEXT if not isinstance(value, bytes)])
def test_other_types_are_refused(value: bytes) -> None:
    """Only text and bytes are read."""
    for read in (LOOSE.from_json, LOOSE.from_msgpack):
        with pytest.raises(RecordError):
            read(value)
