"""The declarations: what every message has to have, and the vectors that show each of them."""

from collections.abc import Iterator
from typing import Any, get_args

import msgspec
import pytest
from msgspec.inspect import (
    BoolType,
    DictType,
    Field,
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

from shared.errors import Reason
from shared.forms import HIGHEST
from shared.names import LONGEST, checked_name
from shared.protocol import messages, values
from shared.protocol.messages import AnyCommand, AnyEvent, Command, Event, Hello, Message, Refused
from shared.protocol.values import Standing
from tests import vectors

BASES = {"Command", "PlyCommand", "Event", "Answer"}
COMMANDS: tuple[type[Command], ...] = get_args(AnyCommand)
EVENTS: tuple[type[Event], ...] = get_args(AnyEvent)
MESSAGES: tuple[type[Message], ...] = (*COMMANDS, *EVENTS)
PARTS = [kind for kind in vars(values).values() if isinstance(kind, type) and kind.__module__ == values.__name__]
"""What they are made of."""


def declared(kind: type[Message]) -> Iterator[type[Message]]:
    """Yield every message below *kind*, but for those that are only there to be built on."""
    for below in kind.__subclasses__():
        yield from declared(below)
        if below.__name__ not in BASES:
            yield below


def fields(kind: type[msgspec.Struct]) -> tuple[Field, ...]:
    """Return what a struct is made of."""
    shape = type_info(kind)
    assert isinstance(shape, StructType)
    return shape.fields


def parts(kind: Type, value: Any) -> Iterator[tuple[type, set[str]]]:  # noqa: ANN401  # what JSON tells
    """Yield the structs within a value that is declared as *kind*, each with the fields that it is told with."""
    match kind:
        case StructType(cls=cls, fields=inside):
            yield cls, set(value)
            for field in inside:
                if field.name in value:
                    yield from parts(field.type, value[field.name])
        case UnionType(types=choices) if isinstance(value, dict):
            yield from parts(next(each for each in choices if isinstance(each, StructType)), value)
        case VarTupleType(item_type=item):
            for each in value:
                yield from parts(item, each)


def scalars(kind: Type) -> Iterator[Type]:
    """Yield the types of the texts, numbers and marks within a type."""
    match kind:
        case StructType(fields=inside):
            for field in inside:
                yield from scalars(field.type)
        case UnionType(types=choices):
            for choice in choices:
                yield from scalars(choice)
        case VarTupleType(item_type=item):
            yield from scalars(item)
        case DictType(key_type=key, value_type=value):
            yield from scalars(key)
            yield from scalars(value)
        case _:
            yield kind


PARTS_TOLD = [
    part
    for row in vectors.rows("messages.jsonl")
    for part in parts(type_info(getattr(messages, row["message"]["type"])), row["message"])
]


def test_every_message_is_read_by_one_side() -> None:
    """
    What is declared as a command is what servers read, what is declared as an event is what clients read.
    """
    assert set(declared(Command)) == set(COMMANDS)
    assert set(declared(Event)) == set(EVENTS)


def test_every_message_has_a_vector() -> None:
    """
    The vectors show each message, with all of its fields and with none that may be left out.
    """
    shown: dict[str, set[str]] = {kind.__name__: set() for kind in MESSAGES}
    bare: set[str] = set()
    for row in vectors.rows("messages.jsonl"):
        kind = next(kind for kind in MESSAGES if kind.__name__ == row["message"]["type"])
        shown[kind.__name__] |= set(row["message"])
        if all(field.required or field.name not in row["message"] for field in fields(kind) if field.name != "id"):
            bare.add(kind.__name__)
    for kind in MESSAGES:
        assert shown[kind.__name__] == {"type", *(field.name for field in fields(kind))}, kind
    # One comes with a name or a token, the other tells what moves.
    assert bare == {kind.__name__ for kind in MESSAGES} - {"Hello", "Played"}


@pytest.mark.parametrize("kind", PARTS)
def test_every_part_has_a_vector(kind: type[msgspec.Struct]) -> None:
    """
    What messages are made of is shown with all of its fields too, and with none that may be left out.
    """
    shown = [told for part, told in PARTS_TOLD if part is kind]
    sparing = kind.__struct_config__.omit_defaults
    assert set().union(*shown) == set(kind.__struct_fields__)
    bare = {field.name for field in fields(kind) if field.required or not sparing}
    assert bare in shown or not bare  # what has nothing to tell is left out itself


@pytest.mark.parametrize("kind", MESSAGES)
def test_every_scalar_has_its_limits(kind: type[Message]) -> None:
    """
    Numbers stay where every JSON reader sees the same one, texts have a length, and there is no fraction.
    """
    for scalar in scalars(type_info(kind)):
        match scalar:
            case IntType(ge=lowest, le=highest):
                assert lowest is not None
                assert highest is not None
                assert -HIGHEST <= lowest <= highest <= HIGHEST
            case StrType(max_length=longest):
                assert longest is not None
            case _:
                assert isinstance(scalar, BoolType | LiteralType | NoneType)


@pytest.mark.parametrize("kind", MESSAGES)
def test_message_is_named_by_its_type(kind: type[Message]) -> None:
    """
    The `type` on the wire is the class's name, and commands and answers carry an id.
    """
    config = kind.__struct_config__
    assert (config.tag_field, config.tag, config.frozen) == ("type", kind.__name__, True)
    answers = issubclass(kind, messages.Answer)
    assert ("id" in kind.__struct_fields__) == (issubclass(kind, Command) or answers)


def test_only_what_differs_is_sent() -> None:
    """
    Fields at their default are left out.
    """
    row = Standing(seat=0, score=500, moves=0, progress=2, state="playing")
    assert msgspec.to_builtins(row) == {"seat": 0, "score": 500, "moves": 0, "progress": 2, "state": "playing"}
    assert msgspec.to_builtins(Refused(reason=Reason.BUSY)) == {"type": "Refused", "reason": "BUSY"}


def test_longest_name_fits() -> None:
    """
    Twenty families of seven code points each are a name, and Hello takes them.
    """
    family = "\N{WOMAN}\u200d\N{WOMAN}\u200d\N{GIRL}\u200d\N{BOY}"
    name = checked_name(family * LONGEST)
    assert msgspec.convert({"type": "Hello", "name": name}, AnyCommand) == Hello(name=name)
