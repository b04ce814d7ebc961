"""Frames: every message in both directions and both encodings, and everything that is none."""

import json
from collections.abc import Iterator
from itertools import chain
from time import process_time
from typing import Any, TypeAlias, get_args

import msgpack
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.inspect import (
    BoolType,
    DictType,
    IntType,
    LiteralType,
    NoneType,
    StrType,
    StructType,
    Type,
    UnionType,
    VarTupleType,
    type_info,
)

from shared.errors import ProtocolError, Reason
from shared.forms import HIGHEST
from shared.protocol.codec import LONGEST_WHY, Codec, Frame, JsonCodec, MsgpackCodec, client_codec, server_codecs
from shared.protocol.messages import AnyCommand, AnyEvent, Done, Message, Play
from tests import vectors

ROWS = vectors.rows("messages.jsonl")
COMMANDS = {kind.__name__: kind for kind in get_args(AnyCommand)}
EVENTS = {kind.__name__: kind for kind in get_args(AnyEvent)}
SUBPROTOCOLS = tuple(server_codecs())
PLAY = {"type": "Play", "id": 1, "ply": 0, "move": "26"}

Value: TypeAlias = Any
"""What JSON and msgpack tell: maps, lists and scalars."""


def reader(name: str, subprotocol: str) -> Codec[Any]:
    """Return the codec of the side that receives messages of this name."""
    return server_codecs()[subprotocol] if name in COMMANDS else client_codec(subprotocol)


def frame_of(value: Value, subprotocol: str) -> Frame:
    """Return the frame of *value*, whether it is a message or not, as another program makes it."""
    if subprotocol == MsgpackCodec.subprotocol:
        packed: bytes = msgpack.packb(value)
        return packed
    return json.dumps(value)


def refusal(codec: Codec[Any], frame: Frame) -> ProtocolError:
    """Return why *frame* is no message, once it is sure that the reason can be sent."""
    started = process_time()
    with pytest.raises(ProtocolError) as refused:
        codec.decode(frame)
    assert process_time() - started < 1
    why = str(refused.value)
    assert why.isascii()
    assert len(why) <= LONGEST_WHY + len("BAD_MESSAGE why=")
    return refused.value


def why_bad(codec: Codec[Any], frame: Frame) -> str:
    """Return what is wrong with *frame*, which must be a bad one."""
    refused = refusal(codec, frame)
    assert refused.reason is Reason.BAD_MESSAGE
    return str(refused.params["why"])


# What is a message


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["message"]["type"])
def test_message_is_the_same_in_every_direction(row: vectors.Row) -> None:
    """
    Both encodings of a vector are read as one message, and that message is written as the vector again.
    """
    name = row["message"]["type"]
    packed, text = bytes.fromhex(row["msgpack"]), json.dumps(row["message"], ensure_ascii=False, separators=(",", ":"))
    binary, plain = (reader(name, subprotocol) for subprotocol in SUBPROTOCOLS)
    message = msgspec.convert(row["message"], (COMMANDS | EVENTS)[name])

    assert binary.decode(packed) == message
    assert plain.decode(text) == message
    assert binary.encode(message) == packed
    assert plain.encode(message) == text


def test_texts_are_sent_as_they_are() -> None:
    """
    A name in any script needs no escapes, and an escaped one is read as the same.
    """
    codec: JsonCodec[AnyCommand] = JsonCodec(AnyCommand)
    hello = codec.decode(r'{"type":"Hello","name":"Zo\u00eb \ud83c\udca1"}')
    assert codec.encode(hello) == '{"type":"Hello","name":"Zoë 🂡"}'


@pytest.mark.parametrize("subprotocol", SUBPROTOCOLS)
def test_unknown_fields_are_ignored(subprotocol: str) -> None:
    """
    A newer client may say more than this server knows, and whatever it says there does no harm.
    """
    codec = server_codecs()[subprotocol]
    known = codec.decode(frame_of(PLAY, subprotocol))
    more: tuple[Value, ...] = (None, True, 2**63, -1.5, "x" * 5_000, [[[]]], {"a": {"b": []}}, 1e308)
    assert [codec.decode(frame_of(PLAY | {"more": each}, subprotocol)) for each in more] == [known] * len(more)


@pytest.mark.parametrize("subprotocol", SUBPROTOCOLS)
@pytest.mark.parametrize(
    ("number", "answered"),
    [(7, 7), (HIGHEST, HIGHEST), (HIGHEST + 1, 0), (-1, 0), (True, 0), (None, 0), ("7", 0), (7.0, 0), ([], 0)],
)
def test_unknown_command_can_be_answered(subprotocol: str, number: Value, answered: int) -> None:
    """
    What a newer client asks is no malformed frame: its name and its id come back, if they are such.
    """
    codec = server_codecs()[subprotocol]
    refused = refusal(codec, frame_of({"type": "Wave", "id": number}, subprotocol))
    assert (refused.reason, refused.params) == (Reason.UNKNOWN_COMMAND, {"command": "Wave", "id": answered})
    assert type(refused.params["id"]) is int


TWICE: list[tuple[Codec[AnyCommand], Frame]] = [
    (JsonCodec(AnyCommand), '{"type": "Undo", "type": "Play", "id": 1, "ply": 7, "ply": 0, "move": "26"}'),
    (
        MsgpackCodec(AnyCommand),
        bytes([0x86, *b"".join(map(msgpack.packb, ("type", "Undo", "ply", 7, *chain(*PLAY.items()))))]),
    ),
]
"""A Play, behind what else it would be if the first of two equal keys counted."""


@pytest.mark.parametrize(("codec", "frame"), TWICE)
def test_of_a_key_that_stands_twice_the_last_counts(codec: Codec[AnyCommand], frame: Frame) -> None:
    """
    In both encodings alike: no two readers of one message may take it for different ones.
    """
    assert codec.decode(frame) == Play(id=1, ply=0, move="26")


@pytest.mark.parametrize("subprotocol", SUBPROTOCOLS)
def test_sides_do_not_read_each_others_messages(subprotocol: str) -> None:
    """
    An event is no command, and a command is no event.
    """
    server, client = server_codecs()[subprotocol], client_codec(subprotocol)
    assert refusal(server, server.encode(Done(id=1))).reason is Reason.UNKNOWN_COMMAND
    assert refusal(client, client.encode(Play(id=1, ply=0, move="26"))).reason is Reason.UNKNOWN_COMMAND


def test_subprotocols_are_named_in_order() -> None:
    """
    A server prefers msgpack to JSON, and a client's codec is that of the name.
    """
    assert SUBPROTOCOLS == ("samedeal.v1.msgpack", "samedeal.v1.json")
    assert [client_codec(name).subprotocol for name in SUBPROTOCOLS] == list(SUBPROTOCOLS)
    assert all(codec.subprotocol == name for name, codec in server_codecs().items())


# What is none


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["message"]["type"])
def test_truncated_message_is_refused(row: vectors.Row) -> None:
    """
    Whatever byte a frame breaks off at, and whatever follows its end, it is no message.
    """
    name = row["message"]["type"]
    packed, text = bytes.fromhex(row["msgpack"]), json.dumps(row["message"], ensure_ascii=False)
    binary, plain = (reader(name, subprotocol) for subprotocol in SUBPROTOCOLS)
    assert {why_bad(binary, packed[:end]) for end in range(len(packed))} == {"no msgpack"}
    assert {why_bad(plain, text[:end]) for end in range(len(text))} == {"no JSON"}
    assert why_bad(binary, packed + b"\xc0") == "no msgpack"
    assert why_bad(plain, text + "{}") == "no JSON"


SAMPLES: dict[str, tuple[Value, ...]] = {
    "null": (None,),
    "bool": (True, False),
    "int": (0, 1),
    "float": (0.0, 1.0, 1.5, 1e300),
    "str": ("", "1", "26", "true", "Play"),
    "list": ([], [0], [[]], ["26"], [None]),
    "map": ({}, {"26": 0}),
}
"""Values of each kind."""


def kinds(kind: Type) -> set[str]:
    """Return the kinds of values that may stand where *kind* is declared."""
    match kind:
        case UnionType(types=choices):
            return {each for choice in choices for each in kinds(choice)}
        case NoneType():
            return {"null"}
        case BoolType():
            return {"bool"}
        case IntType():
            return {"int"}
        case StrType() | LiteralType():
            return {"str"}
        case VarTupleType():
            return {"list"}
        case StructType() | DictType():
            return {"map"}
    raise AssertionError(f"no kind of value is {kind}")


def beyond(kind: Type) -> Iterator[Value]:
    """Yield values of the right kind outside the limits of *kind*."""
    match kind:
        case IntType(ge=int(lowest), le=int(highest)):
            yield from (lowest - 1, highest + 1, -(2**63), 2**64 - 1)
        case StrType(min_length=shortest, max_length=int(longest)):
            yield "x" * (longest + 1)
            if shortest:
                yield "x" * (shortest - 1)
        case LiteralType():
            yield from ("", "TIME", "😀" * 400)
        case UnionType(types=choices):
            numbers = [list(beyond(choice)) for choice in choices if not isinstance(choice, NoneType)]
            yield from (value for each in numbers for value in each)


def wrong(kind: Type, value: Value) -> Iterator[Value]:
    """Yield everything that *value*, declared as *kind*, becomes with one wrong thing in it."""
    for name, samples in SAMPLES.items():
        if name not in kinds(kind):
            yield from samples
    yield from beyond(kind)
    yield from wrong_within(kind, value)


def wrong_within(kind: Type, value: Value) -> Iterator[Value]:
    """Yield *value* with one wrong thing in one of its parts, or without one."""
    match kind:
        case UnionType(types=choices) if isinstance(value, dict):
            yield from wrong_within(next(choice for choice in choices if isinstance(choice, StructType)), value)
        case StructType(fields=inside):
            for field in inside:
                if field.name in value:
                    yield from (value | {field.name: bad} for bad in wrong(field.type, value[field.name]))
                    if field.required:
                        yield {name: each for name, each in value.items() if name != field.name}
        case VarTupleType(item_type=item):
            for place, each in enumerate(value):
                yield from ([*value[:place], bad, *value[place + 1 :]] for bad in wrong(item, each))
        case DictType(key_type=key, value_type=each):
            yield from ({bad: 0} for bad in beyond(key))
            yield from ({"sent": bad} for bad in wrong(each, 0))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["message"]["type"])
def test_each_field_refuses_each_wrong_value(row: vectors.Row) -> None:
    """
    A wrong type, a number or text beyond its limits or a missing field, however deep, is refused and told.
    """
    message = row["message"]
    name = message["type"]
    bad = list(wrong(type_info((COMMANDS | EVENTS)[name]), message))
    assert len(bad) > 15 * (len(message) - 1)
    for subprotocol in SUBPROTOCOLS:
        codec = reader(name, subprotocol)
        assert all(why_bad(codec, frame_of(value, subprotocol)) for value in bad)


@pytest.mark.parametrize("subprotocol", SUBPROTOCOLS)
@pytest.mark.parametrize("kind", [None, True, 7, 1.5, ["Play"], {"Play": 1}])
def test_type_is_a_text(subprotocol: str, kind: Value) -> None:
    """
    A map without a type, or with one that is no text, is malformed: it is no unknown command.
    """
    codec = server_codecs()[subprotocol]
    assert "type" in why_bad(codec, frame_of(PLAY | {"type": kind}, subprotocol))
    assert "type" in why_bad(codec, frame_of({"id": 1}, subprotocol))


HOSTILE_TEXTS = {
    "empty": "",
    "blank": " ",
    "null": "null",
    "number": "1",
    "NaN": '{"type":"Play","ply":NaN,"move":"26"}',
    "NaN in an unknown field": '{"type":"Play","ply":0,"move":"26","more":NaN}',
    "infinity": '{"type":"Play","ply":Infinity,"move":"26"}',
    "minus infinity": '{"type":"Play","ply":0,"move":"26","more":[-Infinity]}',
    "overflow": '{"type":"Play","ply":1e999,"move":"26"}',
    "huge number": '{"type":"Play","ply":' + "9" * 16_000 + ',"move":"26"}',
    "huge number in an unknown field": '{"type":"Play","ply":0,"move":"26","more":' + "9" * 16_000 + "}",
    "half a surrogate pair": r'{"type":"Hello","name":"\ud83c"}',
    "the other half": r'{"type":"Hello","name":"\udca1"}',
    "a surrogate in an unknown field": r'{"type":"Play","ply":0,"move":"26","more":"\ud800"}',
    "a surrogate in a name of a field": r'{"type":"Play","ply":0,"move":"26","\ud800":0}',
    "a raw surrogate": '{"type":"Hello","name":"\ud800"}',
    "a byte order mark": '\ufeff{"type":"Undo","ply":0}',
    "a NUL": '\0{"type":"Undo","ply":0}',
    "deep lists": '{"type":"Undo","ply":' + "[" * 16_000 + "]" * 16_000 + "}",
    "deep maps": '{"type":"Undo","ply":0,"more":' + '{"a":' * 16_000 + "0" + "}" * 16_000 + "}",
    "endless lists": "[" * 16_000,
    "single quotes": "{'type':'Undo','ply':0}",
}


@pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_hostile_text_is_refused(text: str) -> None:
    """
    No text makes the codec slow, or raise anything but its own error.
    """
    assert why_bad(server_codecs()[JsonCodec.subprotocol], text)


UNDO = b"\x82\xa4type\xa4Undo\xa3ply"
HOSTILE_BYTES = {
    "empty": b"",
    "nil": b"\xc0",
    "a byte that means nothing": b"\xc1",
    "NaN": UNDO + b"\xcb\x7f\xf8\0\0\0\0\0\0",
    "infinity": UNDO + b"\xcb\x7f\xf0\0\0\0\0\0\0",
    "a whole number as a float": UNDO + b"\xca\0\0\0\0",
    "bytes": UNDO + b"\xc4\x010",
    "an extension": UNDO + b"\xd4\x05\0",
    "an extension of 4 GB": UNDO + b"\xc9\xff\xff\xff\xff\x05",
    "a date": UNDO + b"\xd6\xff\0\0\0\0",
    "a date beyond all calendars": UNDO + b"\xc7\x0c\xff" + b"\xff" * 12,
    "an extension as the type": b"\x82\xa4type\xd4\x05\0\xa3ply\0",
    "an extension as the whole": b"\xd6\x05abcd",
    "an extension as a field's name": b"\x83\xa4type\xa4Undo\xa3ply\0\xd4\x05\0\0",
    "a number as a field's name": b"\x83\xa4type\xa4Undo\xa3ply\0\x01\0",
    "a list as a field's name": b"\x83\xa4type\xa4Undo\xa3ply\0\x90\0",
    "bytes as a field's name": b"\x83\xa4type\xa4Undo\xc4\x03ply\0\xa3ply\0",
    "bytes as the type": b"\x82\xc4\x04type\xa4Undo\xa3ply\0",
    "no UTF-8": b"\x82\xa4type\xa5Hello\xa4name\xa2\xc3\x28",
    "a surrogate": b"\x82\xa4type\xa5Hello\xa4name\xa3\xed\xa0\x80",
    "a list of four thousand million": b"\xdd\xff\xff\xff\xff",
    "a map of four thousand million": b"\xdf\xff\xff\xff\xff",
    "a text of 4 GB": b"\xdb\xff\xff\xff\xffa",
    "deep lists": UNDO + b"\x91" * 16_000 + b"\xc0",
    "deep maps": b"\x81\xa1a" * 5_000 + b"\xc0",
    "lists in a field": UNDO + b"\x91" * 400 + b"\xc0",
    "the same twice": (UNDO + b"\0") * 2,
    "JSON": b'{"type":"Undo","ply":0}',
}


@pytest.mark.parametrize("packed", HOSTILE_BYTES.values(), ids=HOSTILE_BYTES)
def test_hostile_bytes_are_refused(packed: bytes) -> None:
    """
    No bytes make the codec slow, take memory that they only announce, or raise anything but its own error.
    """
    assert why_bad(server_codecs()[MsgpackCodec.subprotocol], packed)


def test_wrong_kind_of_frame_is_refused() -> None:
    """
    Text is for JSON and bytes are for msgpack, even where they would say the same.
    """
    binary, plain = (server_codecs()[subprotocol] for subprotocol in SUBPROTOCOLS)
    assert why_bad(binary, frame_of(PLAY, plain.subprotocol)) == "a text frame where a binary one is due"
    assert why_bad(plain, frame_of(PLAY, binary.subprotocol)) == "a binary frame where a text one is due"
    assert why_bad(plain, str(frame_of(PLAY, plain.subprotocol)).encode()) == "a binary frame where a text one is due"


def read(codec: Codec[Any], frame: Frame) -> Message | Reason:
    """Return the message in *frame*, or why there is none."""
    try:
        message: Message = codec.decode(frame)
    except ProtocolError as refused:
        return refused.reason
    return message


REFUSALS = (Reason.BAD_MESSAGE, Reason.UNKNOWN_COMMAND)


@given(st.binary(max_size=200))
def test_random_bytes_are_refused(packed: bytes) -> None:
    """
    Whatever the bytes, both sides answer with their own error.
    """
    for codec in (server_codecs()[MsgpackCodec.subprotocol], client_codec(MsgpackCodec.subprotocol)):
        assert read(codec, packed) in REFUSALS


@given(
    st.sampled_from(("type", "id", "ply", "move", "more")),
    st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=5),
)
def test_random_values_are_a_message_or_refused(field: str, value: Value) -> None:
    """
    A field may hold any JSON there is: the codec answers with a message or with its own error.
    """
    found = read(server_codecs()[JsonCodec.subprotocol], json.dumps(PLAY | {field: value}))
    assert isinstance(found, Play) or found in REFUSALS
