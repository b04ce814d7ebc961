"""The reference page of the wire: complete, made from the declarations, and the one that is in the documents."""

import re
from pathlib import Path
from typing import get_args

import pytest
from msgspec.inspect import AnyType

from shared.errors import Reason
from shared.protocol.closing import CloseCode
from shared.protocol.messages import AnyCommand, AnyEvent
from shared.protocol.reference import _type, reference
from shared.texts import Texts

ROOT = Path(__file__).parents[3]
SOURCES = [(ROOT / "shared" / "protocol" / f"{name}.py").read_text("utf-8") for name in ("messages", "values")]
SENTENCES = Texts.parse((ROOT / "shared" / "locales" / "en.json").read_bytes()).refusals
PAGE = reference(SOURCES, SENTENCES)


def section(name: str) -> str:
    """Return what stands under a heading."""
    found = re.search(rf"^### {name}\n\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found, name
    return found[1]


def test_every_message_is_there_with_every_field() -> None:
    """Each command and event has a section that says what it is and names its fields."""
    for message in (*get_args(AnyCommand), *get_args(AnyEvent)):
        told = section(message.__name__)
        assert " ".join(message.__doc__.split()) in told
        assert re.findall(r"^\| `(\w+)` \|", told, re.MULTILINE) == list(message.__struct_fields__)


def test_types_limits_and_defaults_are_told() -> None:
    """A field's line says what may stand in it, how much of it, and what holds where it is left out."""
    assert "| `ply` | integer, 0 to 2^53 − 1 | required | Entries in the sender's log so far;" in section("Play")
    assert "| `move` | text of 2 to 4 | required |" in section("Play")
    assert '| `client` | text of at most 64 | `""` |' in section("Hello")
    assert "| `options` | [Options](#options) | its defaults |" in section("Hello")
    assert '| `goal` | `"score"` or `"time"` | `"time"` |' in section("Options")
    assert "| `score` | integer, −(2^53 − 1) to 2^53 − 1 | required |" in section("Hand")
    assert "| `rows` | list of [Standing](#standing) | required |" in section("Finished")
    assert "map of text of at most 64 to text of at most 256 or integer" in section("Refused")
    assert "| `undo` | boolean | `true` |" in section("Options")


def test_every_link_leads_somewhere() -> None:
    """Whatever a field is made of has a section of its own."""
    links = set(re.findall(r"\[(\w+)\]\(#(\w+)\)", PAGE))
    assert {name for name, _ in links} >= {"Options", "Table", "Hand", "Can", "Standing", "Seat", "Choice", "Listed"}
    for name, anchor in links:
        assert name.lower() == anchor
        assert section(name)


def test_codes_are_there_with_what_they_say() -> None:
    """Close codes and reasons are listed, each reason with its sentence."""
    for code in CloseCode:
        assert f"| {code.value} | `{code.name}` |" in PAGE
    for reason in Reason:
        assert f"| `{reason}` | {SENTENCES[reason]} |" in PAGE


def test_unknown_type_is_an_error() -> None:
    """A declaration that the page has no words for is noticed."""
    with pytest.raises(TypeError):
        _type(AnyType())


def test_document_is_up_to_date() -> None:
    """`samedeal protocol > docs/PROTOCOL.md` would change nothing."""
    assert (ROOT / "docs" / "PROTOCOL.md").read_text("utf-8") == PAGE
