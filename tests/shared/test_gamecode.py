"""Game codes: every way to write one, and every way to get it wrong."""

from contextlib import suppress
from random import Random
from time import perf_counter

import pytest

from shared.deal import HIGHEST
from shared.errors import CodeError, Reason
from shared.gamecode import ALPHABET, GameCode
from shared.games import RULES
from tests.hostile import NO_TEXT

REFUSED = [
    # No code at all
    ("", Reason.CODE_FORM, {"text": ""}),
    ("   ", Reason.CODE_FORM, {"text": "   "}),
    ("-", Reason.CODE_FORM, {"text": "-"}),
    ("SS", Reason.CODE_FORM, {"text": "SS"}),
    ("11982", Reason.CODE_FORM, {"text": "11982"}),
    ("#", Reason.CODE_FORM, {"text": "#"}),
    ("freecell", Reason.CODE_FORM, {"text": "freecell"}),
    ("freecell -5", Reason.CODE_FORM, {"text": "freecell -5"}),
    ("#1.5", Reason.CODE_FORM, {"text": "#1.5"}),
    ("# 1 2", Reason.CODE_FORM, {"text": "# 1 2"}),
    ("simple-simon 5", Reason.CODE_FORM, {"text": "simple-simon 5"}),
    ("S1-S1-AAAAABD", Reason.CODE_FORM, {"text": "S1-S1-AAAAABD"}),
    ("SSS1-S1-AAAAABD", Reason.CODE_FORM, {"text": "SSS1-S1-AAAAABD"}),
    ("SSx-S1-AAAAABD", Reason.CODE_FORM, {"text": "SSx-S1-AAAAABD"}),
    # Game and version
    ("XX1-S1-AAAAABD", Reason.CODE_GAME, {"game": "XX", "known": "SS FC"}),
    ("SS2-S1-AAAAABD", Reason.CODE_VERSION, {"version": 2, "right": 1}),
    ("SS2-", Reason.CODE_VERSION, {"version": 2, "right": 1}),
    ("FC10-AAAALWO", Reason.CODE_VERSION, {"version": 10, "right": 1}),
    ("FC0-AAAALWO", Reason.CODE_VERSION, {"version": 0, "right": 1}),
    # Suits
    ("SS1-S3-AAAAABD", Reason.CODE_SUITS, {"suits": "S3", "right": "S1 S2 S4"}),
    ("SS1-S0-AAAAABD", Reason.CODE_SUITS, {"suits": "S0", "right": "S1 S2 S4"}),
    ("SS1-AAAAABD", Reason.CODE_SUITS_MISSING, {"suits": "S1 S2 S4", "right": "SS1-S1-AAAAAAB"}),
    ("SS1-1-AAAAABD", Reason.CODE_SUITS_MISSING, {"suits": "S1 S2 S4", "right": "SS1-S1-AAAAAAB"}),
    ("SS1", Reason.CODE_SUITS_MISSING, {"suits": "S1 S2 S4", "right": "SS1-S1-AAAAAAB"}),
    ("FC1-S1-AAAALWO", Reason.CODE_NO_SUITS, {"suits": "S1", "right": "FC1-AAAAAAB"}),
    ("FC1-S4-AAAALWO", Reason.CODE_NO_SUITS, {"suits": "S4", "right": "FC1-AAAAAAB"}),
    ("FC1S4AAAALWO", Reason.CODE_NO_SUITS, {"suits": "S4", "right": "FC1-AAAAAAB"}),
    # Seven symbols
    ("SS1-S1-AAAAAB", Reason.CODE_LENGTH, {"length": 6, "right": 7}),
    ("SS1-S1-AAAAAABD", Reason.CODE_LENGTH, {"length": 8, "right": 7}),
    ("SS1-S1", Reason.CODE_LENGTH, {"length": 0, "right": 7}),
    ("FC1-", Reason.CODE_LENGTH, {"length": 0, "right": 7}),
    ("FC1", Reason.CODE_LENGTH, {"length": 0, "right": 7}),
    ("SS1-S1-AAAA9BD", Reason.CODE_SYMBOL, {"symbol": "9"}),
    ("FC1-AAAA.WO", Reason.CODE_SYMBOL, {"symbol": "."}),
    ("FC1-#11982X", Reason.CODE_SYMBOL, {"symbol": "#"}),
    # The number
    ("SS1-S1-AAAAAAA", Reason.CODE_NUMBER, {"number": "0", "highest": HIGHEST}),
    ("FC1-IAAAAAA", Reason.CODE_NUMBER, {"number": "8589934592", "highest": HIGHEST}),
    ("FC1-7777777", Reason.CODE_NUMBER, {"number": "34359738367", "highest": HIGHEST}),
    ("#0", Reason.CODE_NUMBER, {"number": "0", "highest": HIGHEST}),
    ("#8589934592", Reason.CODE_NUMBER, {"number": "8589934592", "highest": HIGHEST}),
    ("freecell " + "9" * 50, Reason.CODE_NUMBER, {"number": "999999999999999999999...", "highest": HIGHEST}),
]

OTHER_SCRIPTS = [
    "#\u0661\u0662",
    "#\uff11\uff12",
    "\uff33\uff33\uff11-\uff33\uff11-AAAAABD",
    "SS1-\u017f1-AAAAABD",
    "#\u00b2",
]
CONTROLS = [
    "SS1-S1-AAAA\0BD",
    "\0",
    "\u202eSS1-S1-AAAAABD",
    "SS1-\x1b[31m",
    "SS1\tS1\tAAAAABD",
    "FC1-AAAA\x07LWO",
    "SS1\n-S1",
]
HUGE = [
    "A" * 10**6,
    "#" + "1" * 10**6,
    "-" * 10**6,
    " " * 10**6,
    "SS1-S1-" + "A" * 10**6,
    "FREECELL " * 10**5,
    "\0" * 10**6,
]


def refused(text: object) -> CodeError:
    """Return the error that reading *text* as a code gives."""
    with pytest.raises(CodeError) as caught:
        GameCode.parse(text)  # type: ignore[arg-type] # some of what is sent is no text
    return caught.value


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("SS1-S1-AAAAABD", GameCode("simple-simon", 1, 35)),
        ("SS1-S2-AAAAABD", GameCode("simple-simon", 2, 35)),
        ("SS1-S4-AAAAABD", GameCode("simple-simon", 4, 35)),
        ("FC1-AAAALWO", GameCode("freecell", 4, 11982)),
        ("FC1-AAAAAAB", GameCode("freecell", 4, 1)),
        ("FC1-H777777", GameCode("freecell", 4, HIGHEST)),
        ("SS1-S4-EAAAAAA", GameCode("simple-simon", 4, 2**32)),
    ],
)
def test_code_names_game_suits_and_number(text: str, code: GameCode) -> None:
    """Seven symbols of base 32, the most significant first; FreeCell has no part for suits."""
    assert GameCode.parse(text) == code
    assert str(code) == text


@pytest.mark.parametrize(
    "text",
    [
        "SS1-S1-AAAAABD",
        "ss1-s1-aaaaabd",
        "  Ss1-S1-aAaAaBd\n",
        "SS1S1AAAAABD",
        "SS1 S1 AAAAABD",
        "SS1-S1AAAAABD",
        "SS1S1-AAAAABD",
        "ss1 - s1 - aaa aabd",
        "SS1--S1--AAAA--ABD",
        "SS1-S1-AAAAABD-",
        "SS1-S1-AAAAA8D",
    ],
)
def test_reading_is_kind(text: str) -> None:
    """Any case, hyphens and spaces missing or too many, and 8 for B do not matter; writing is canonical."""
    assert str(GameCode.parse(text)) == "SS1-S1-AAAAABD"


def test_look_alikes_are_read_as_letters() -> None:
    """In the seven symbols 0, 1 and 8 are O, I and B, which the alphabet has instead of them."""
    assert not set("0189") & set(ALPHABET)
    assert GameCode.parse("FC1-A0A1A8A") == GameCode.parse("FC1-AOAIABA")


@pytest.mark.parametrize(
    "text", ["#11982", "# 11982", "freecell 11982", "FreeCell #11982", " FREECELL11982 ", "#00011982"]
)
def test_bare_number_is_a_freecell_deal(text: str) -> None:
    """People know FreeCell deals by their number."""
    assert str(GameCode.parse(text)) == "FC1-AAAALWO"


@pytest.mark.parametrize(("text", "reason", "params"), REFUSED, ids=[repr(row[0])[:24] for row in REFUSED])
def test_refusal_says_what_is_wrong_and_what_would_be_right(
    text: str, reason: Reason, params: dict[str, object]
) -> None:
    """Each way to be no code has its reason, and the parameters of a sentence that helps."""
    error = refused(text)
    assert (error.reason, error.params, error.rule) == (reason, params, "")


@pytest.mark.parametrize("text", [*OTHER_SCRIPTS, *CONTROLS, *HUGE, *NO_TEXT], ids=lambda text: repr(text)[:24])
def test_hostile_text_is_refused_safely(text: object) -> None:
    """Other scripts' digits, control signs, megabytes and other types: one reason, and nothing raw to be shown."""
    error = refused(text)
    assert set(error.params) == {"text"} or error.reason is Reason.CODE_SYMBOL
    shown = [str(value) for value in error.params.values()]
    assert all(value.isascii() and value.isprintable() and len(value) <= 26 for value in shown)


@pytest.mark.parametrize("digits", ["12345678901234567890", "9" * 50])
def test_huge_version_is_no_number_to_send(digits: str) -> None:
    """Numbers in a refusal stay within what the wire can carry (section 7)."""
    assert refused(f"SS{digits}-S1-AAAAABD").reason is Reason.CODE_FORM
    assert refused("SS999999999-S1-AAAAABD").params == {"version": 999999999, "right": 1}


@pytest.mark.parametrize("text", HUGE, ids=lambda text: repr(text)[:24])
def test_megabyte_is_refused_within_a_millisecond(text: str) -> None:
    """The length is looked at first: a huge text costs no more than a short one."""

    def seconds() -> float:
        start = perf_counter()
        refused(text)
        return perf_counter() - start

    assert min(seconds() for _ in range(9)) < 0.001


def test_random_text_is_a_code_or_a_code_error() -> None:
    """Whatever is put together from the signs of codes is refused, or read as a code that prints and reads back."""
    random = Random(1)
    read = 0
    for _ in range(5_000):
        text = random.choice(["SS", "FC", "", "#"]) + "".join(
            random.choices("SFC1S4-AB D#8\0\x1b", k=random.randrange(14))
        )
        with suppress(CodeError):
            code = GameCode.parse(text)
            read += 1
            assert GameCode.parse(str(code)) == code
    assert 10 < read < 2_500


@pytest.mark.parametrize("suits", [1, 2, 4])
def test_random_numbers_print_and_read_back(suits: int) -> None:
    """Every number's code is its own, whatever the suits; so is FreeCell's."""
    random = Random(suits)
    for number in [1, HIGHEST, *(random.randrange(1, HIGHEST) for _ in range(500))]:
        for code in (GameCode("simple-simon", suits, number), GameCode("freecell", 4, number)):
            assert GameCode.parse(str(code)) == code


def test_parts_make_a_code() -> None:
    """A game, suits and a number do as well; without suits it is the usual count (SS2: one suit)."""
    assert GameCode.of("simple-simon", None, 35) == GameCode("simple-simon", 1, 35)
    assert GameCode.of("simple-simon", 4, 35) == GameCode("simple-simon", 4, 35)
    assert GameCode.of("freecell", None, HIGHEST) == GameCode.of("freecell", 4, HIGHEST)


@pytest.mark.parametrize(
    ("game", "suits", "number", "reason", "params"),
    [
        ("patience", None, 1, Reason.CODE_GAME, {"game": "patience", "known": "simple-simon freecell"}),
        ("FreeCell", None, 1, Reason.CODE_GAME, {"game": "FreeCell", "known": "simple-simon freecell"}),
        ("simple-simon", 3, 1, Reason.CODE_SUITS, {"suits": 3, "right": "1 2 4"}),
        ("freecell", 1, 1, Reason.CODE_SUITS, {"suits": 1, "right": "4"}),
        ("freecell", 4, 0, Reason.CODE_NUMBER, {"number": "0", "highest": HIGHEST}),
        ("freecell", 4, -1, Reason.CODE_NUMBER, {"number": "-1", "highest": HIGHEST}),
        ("simple-simon", 1, HIGHEST + 1, Reason.CODE_NUMBER, {"number": "8589934592", "highest": HIGHEST}),
    ],
)
def test_wrong_parts_are_refused(
    game: str, suits: int | None, number: int, reason: Reason, params: dict[str, object]
) -> None:
    """Games, suits and numbers that there are not are named, with those that there are."""
    with pytest.raises(CodeError) as caught:
        GameCode.of(game, suits, number)
    assert (caught.value.reason, caught.value.params) == (reason, params)


def test_code_deals_what_its_rules_deal() -> None:
    """The first position is that of the number in the code's suits, and the same each time."""
    code = GameCode.parse("SS1-S2-AAAAABD")
    assert code.rules is RULES["simple-simon"]
    assert code.deal() == RULES["simple-simon"].deal(35, 2)
    assert code.deal() is GameCode.parse("ss1s2aaaaabd").deal()


def test_codes_are_in_order() -> None:
    """Codes sort by game, suits and number."""
    texts = ["FC1-AAAAAAB", "FC1-AAAALWO", "SS1-S1-AAAAABD", "SS1-S4-AAAAAAB"]
    assert [str(code) for code in sorted(map(GameCode.parse, reversed(texts)))] == texts
