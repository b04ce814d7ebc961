"""Players' names: one normal form, counted as readers count, and nothing that garbles what stands around it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.errors import NameRefused, Reason
from shared.names import checked_name, name_key
from tests.hostile import NO_TEXT

FAMILY = "\N{MAN}\u200d\N{WOMAN}\u200d\N{GIRL}\u200d\N{BOY}"
FLAG = "\N{REGIONAL INDICATOR SYMBOL LETTER F}\N{REGIONAL INDICATOR SYMBOL LETTER I}"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Jo", "Jo"),
        ("J", "J"),
        ("x" * 20, "x" * 20),
        ("  Jo van Dam ", "Jo van Dam"),
        ("\u00a0Jo\u3000", "Jo"),
        ("Zoe\u0308", "Zo\u00eb"),
        ("e\u0301" * 20, "\u00e9" * 20),
        (FAMILY * 20, FAMILY * 20),
        (FLAG * 20, FLAG * 20),
        ("\u0915\u094d\u0937\u093f" * 20, "\u0915\u094d\u0937\u093f" * 20),
        ("\ud55c\uae00", "\ud55c\uae00"),
        ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"),
        ("e" + "\u0316" * 6, "e" + "\u0316" * 6),
        ("\u0f67\u0fa8\u0fb3\u0fba\u0fbc\u0fbb\u0f82", "\u0f67\u0fa8\u0fb3\u0fba\u0fbc\u0fbb\u0f82"),
        ("42", "42"),
        ("!", "!"),
    ],
)
def test_name_is_accepted_in_its_normal_form(text: str, name: str) -> None:
    """Letters of any script, digits, signs and emoji: NFC, no space at the ends, up to 20 grapheme clusters."""
    assert checked_name(text) == name
    assert checked_name(name) == name


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\u00a0",
        "\u200d",
        "\u0301",
        *"\u3164\u2800\u115f\u1160\uffa0\u00ad\u2060\ufeff\u180e\ufe0f\ufff9\ufffa\ufffb\ufffc",
        "\u3164 \u2800\u115f\u1160\uffa0",
        "x" * 21,
        "e\u0301" * 21,
        FAMILY * 21,
        "e" + "\u0301" * 200,
        "e" + "\u0316" * 7,
        "Zoe" + "\u0316\u0301" * 4 + "!",
        "e" + "\u0344" * 190,
        "x" * 1_000_000,
        *(f"J{sign}o" for sign in "\0\t\n\r\x1b\x7f\x85\ud800\udfff\u2028\u2029"),
        *(f"{sign}Jo" for sign in "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"),
        "Jo\n",
        *NO_TEXT,
    ],
)
def test_name_is_refused(text: str) -> None:
    """Nothing to see, too long, too deep, or with a control, direction or half character in it; or no text at all."""
    with pytest.raises(NameRefused) as refused:
        checked_name(text)
    assert refused.value.reason is Reason.BAD_NAME
    assert refused.value.params["longest"] == 20
    assert len(str(refused.value.params["name"])) < 30


@given(st.text())
def test_any_text_is_a_name_or_is_refused(text: str) -> None:
    """What comes back is stable; nothing but NameRefused is raised."""
    try:
        name = checked_name(text)
    except NameRefused:
        return
    assert checked_name(name) == name
    assert name.isprintable() or any(not sign.isprintable() for sign in text)


@pytest.mark.parametrize(
    ("name", "twin"),
    [
        ("zoë", "ZOË"),
        ("Zoë", "Zoe\u0308"),
        ("zoe", "\uff5a\uff4f\uff45"),
        ("Strasse", "Straße"),
        ("fish", "\ufb01sh"),
        *(
            ("Zoe", f"Zo{sign}e")
            for sign in "\u200d\u200c\u00ad\u2060\u034f\ufeff\ufe0f\u180e\u3164\uffa0\ufffa\ufffc\U000e0041"
        ),
        ("Zoe", "Zoe\u2800"),
        *(("Jo Z", f"Jo{gap}Z") for gap in ("  ", "\u00a0", "\u2003\u3000", " \u2800", "\u200b \u200b ")),
        (FAMILY, FAMILY.replace("\u200d", "")),
        ("\N{HEAVY BLACK HEART}", "\N{HEAVY BLACK HEART}\ufe0f"),
    ],
)
def test_names_that_read_alike_have_one_key(name: str, twin: str) -> None:
    """
    Case, width, ligatures, how an accent is spelt, kinds of space and what is not shown make no other name.
    """
    assert name_key(name) == name_key(twin)


def test_other_names_have_other_keys() -> None:
    """
    An accent is a difference, and so is a space, and a letter of another script, whatever it looks like.
    """
    assert len({name_key(name) for name in ("Zoe", "Zoë", "Zo", "Zoey", "Zo e", "Z\u043ee")}) == 6


@given(st.text())
def test_key_is_its_own_key(text: str) -> None:
    """Nothing more comes off when it is taken twice."""
    assert name_key(name_key(text)) == name_key(text)
