"""Refusals and errors: a reason, a rule, parameters, and nothing raw."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared import errors
from shared.errors import Reason, Refusal, SameDealError, excerpt
from tests.hostile import NO_TEXT

KINDS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, SameDealError)]


def test_codes_are_their_names() -> None:
    """A reason's code is what the source, the wire and the documents call it; no two are the same."""
    assert all(reason == reason.name and reason.isupper() for reason in Reason)
    assert len({str(reason) for reason in Reason}) == len(Reason)


@pytest.mark.parametrize("kind", KINDS)
def test_error_carries_reason_rule_and_parameters(kind: type[SameDealError]) -> None:
    """Every error of the project is a SameDealError with the same parts; no log was read, so no entry is named."""
    error = kind(Reason.TOO_MANY, "FC5", count=4, limit=2)
    assert (error.reason, error.rule, error.params, error.entry) == (
        Reason.TOO_MANY,
        "FC5",
        {"count": 4, "limit": 2},
        None,
    )
    assert str(error) == "TOO_MANY (FC5) count=4 limit=2"


def test_error_without_rule_or_parameters_is_its_code() -> None:
    """On one line, for logs."""
    assert str(Refusal(Reason.IDLE)) == "IDLE"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("", ""),
        ("26v1", "26v1"),
        ("it's", "it's"),
        ("x" * 24, "x" * 24),
        ("x" * 25, f"{'x' * 21}..."),
        ("x" * 10**6, f"{'x' * 21}..."),
        ("a\0b\n\x1b", r"a\x00b\n\x1b"),
        ("\u202e26", r"\u202e26"),
        ("\u0661", r"\u0661"),
        ("\U0001f0a1" * 24, r"\U0001f0a1\U0001f0a1..."),
        ("\\" * 24, "..."),
        (b"26", "bytes"),
        (None, "NoneType"),
        (26, "int"),
        (["26"], "list"),
    ],
)
def test_excerpt_shows_what_was_sent(value: object, shown: str) -> None:
    """The text, its odd signs as Python would write them, cut short; of other things only what they are."""
    assert excerpt(value) == shown


@given(st.one_of(st.text(), st.text("\\'\"\0\x1b\n\u202e\ud800", max_size=60), st.sampled_from(NO_TEXT)))
def test_excerpt_is_short_plain_ascii(value: object) -> None:
    """Whatever was sent: no control signs, no other script, one short line."""
    shown = excerpt(value)
    assert shown.isascii()
    assert shown.isprintable()
    assert len(shown) <= 24
