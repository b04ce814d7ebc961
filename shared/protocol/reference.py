"""The reference page of the wire, in Markdown, made from its declarations and the text of their modules."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias, get_args

from msgspec import NODEFAULT, Struct
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
from shared.protocol.closing import CloseCode
from shared.protocol.codec import JsonCodec, MsgpackCodec
from shared.protocol.messages import AnyCommand, AnyEvent

Docs: TypeAlias = Mapping[str, str]
"""What the text of a module says: of a class by its name, of a field by `Class.field`."""

INTRO = """# The wire

Made by `samedeal protocol` from the declarations in `shared/protocol/`.

The lobby is at `/ws`, a room at `/ws/ROOM`. A client asks for one of two subprotocols, which carry the same messages:
`{msgpack}` in binary frames, `{json}` in text frames. A message is a map. Its `type` is one of the names
below; fields at their default are left out, unknown ones are ignored. The first message is `Hello`. A command's `id`
comes back in its answer. Times are milliseconds, cards and moves are texts (`KH`, `26`, `20v5`)."""


def reference(sources: Iterable[str], sentences: Docs) -> str:
    """Return the page. *sources* are the texts of `messages` and `values`, *sentences* what each reason means."""
    docs = {name: text for source in sources for name, text in _docs(source)}
    commands, events = _structs(get_args(AnyCommand)), _structs(get_args(AnyEvent))
    values = _parts([*commands, *events])
    sections = (
        INTRO.format(msgpack=MsgpackCodec.subprotocol, json=JsonCodec.subprotocol),
        "## Commands",
        *(_section(each, docs) for each in commands),
        "## Events",
        *(_section(each, docs) for each in events),
        "## Values",
        *(_section(each, docs) for each in values),
        "## Close codes",
        _table(("Code", "Reason"), ((str(code.value), f"`{code.name}`") for code in CloseCode)),
        "## Reasons",
        _table(("Reason", "What it says"), ((f"`{reason}`", sentences.get(reason, "")) for reason in Reason)),
    )
    return "\n\n".join(sections) + "\n"


def _docs(source: str) -> Iterator[tuple[str, str]]:
    """Yield what a module's text says of its classes and, in the line below each, of their fields."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef):
            yield node.name, _flat(ast.get_docstring(node) or "")
            for field, below in zip(node.body, node.body[1:], strict=False):
                match field, below:
                    case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                        yield f"{node.name}.{name}", _flat(text)


def _flat(text: str) -> str:
    return " ".join(text.split())


def _structs(kinds: Iterable[type[Struct]]) -> list[StructType]:
    return [info for kind in kinds if isinstance(info := type_info(kind), StructType)]


def _parts(kinds: Iterable[StructType]) -> list[StructType]:
    """Return the structs that the fields of *kinds* are made of, however deep."""
    found: dict[type, StructType] = {}
    waiting: list[Type] = [field.type for kind in kinds for field in kind.fields]
    while waiting:
        match waiting.pop():
            case StructType() as struct if struct.cls not in found:
                found[struct.cls] = struct
                waiting += [field.type for field in struct.fields]
            case UnionType(types=types):
                waiting += types
            case VarTupleType(item_type=item):
                waiting.append(item)
    return sorted(found.values(), key=lambda each: each.cls.__name__)


def _section(kind: StructType, docs: Docs) -> str:
    name = kind.cls.__name__
    rows = [
        (f"`{field.name}`", _type(field.type), _default(field), _field_doc(kind.cls, field.name, docs))
        for field in kind.fields
    ]
    table = f"\n\n{_table(('Field', 'Type', 'Default', ''), rows)}" if rows else ""
    return f"### {name}\n\n{docs[name]}{table}"


def _field_doc(cls: type, field: str, docs: Docs) -> str:
    """Return what is said of a field where it is declared, be it in a class above."""
    return next((docs[key] for above in cls.__mro__ if (key := f"{above.__name__}.{field}") in docs), "")


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |".replace("|  |", "| |") for line in lines
    )


def _default(field: Field) -> str:
    if field.required:
        return "required"
    if isinstance(field.default, Struct):
        return "its defaults"
    return "–" if field.default in (NODEFAULT, None, ()) else f"`{_literal(field.default)}`"


def _literal(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else f'"{value}"' if isinstance(value, str) else str(value)


def _type(kind: Type) -> str:
    """Return what may stand in a field, in words."""
    match kind:
        case BoolType():
            return "boolean"
        case IntType(ge=low, le=high):
            return f"integer, {_bound(low)} to {_bound(high)}"
        case StrType(min_length=low, max_length=high):
            return f"text of {low} to {high}" if low else f"text of at most {high}"
        case LiteralType(values=values):
            return " or ".join(f"`{_literal(value)}`" for value in values)
        case VarTupleType(item_type=item):
            return f"list of {_type(item)}"
        case DictType(key_type=key, value_type=value):
            return f"map of {_type(key)} to {_type(value)}"
        case UnionType(types=types):
            return " or ".join(_type(each) for each in types if not isinstance(each, NoneType))
        case StructType(cls=cls):
            return f"[{cls.__name__}](#{cls.__name__.lower()})"
    raise TypeError(kind)


def _bound(limit: int | None) -> str:
    if limit is None or abs(limit) != HIGHEST:
        return str(limit)
    return "2^53 − 1" if limit > 0 else "−(2^53 − 1)"
