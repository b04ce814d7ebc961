"""The sentences: one for each reason, with no parameter that is not there, and none too many."""

import ast
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from shared.attempt import HINT, RESTART, UNDO, State
from shared.errors import AssetError, Reason, Refusal, SameDealError
from shared.games import RULES
from shared.moves import MOVES
from shared.phase import Phase
from shared.texts import PLACEHOLDER, Texts, clock, plural, spoken
from tests.hostile import NO_TEXT

ROOT = Path(__file__).parents[2]
LOCALES = sorted((ROOT / "shared" / "locales").glob("*.json"))
SOURCES = [path for package in ("client", "server", "shared") for path in (ROOT / package).rglob("*.py")]
FORM_REASONS = {Reason.BAD_LAYOUT, Reason.BAD_POOL, Reason.BAD_RECORD, Reason.BAD_TEXTS}
"""Raised by `Form`, which is told which of them to raise, with `place`."""


def raised() -> Iterator[tuple[Reason, frozenset[str]]]:
    """Yield each reason with the names of its parameters, wherever the source raises or refuses with it."""
    yield from ((reason, frozenset({"place"})) for reason in FORM_REASONS)
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and is_refusing(node.func):
                names = frozenset(keyword.arg for keyword in node.keywords if keyword.arg)
                yield from ((reason, names) for reason in map(reason_of, node.args) if reason)


def is_refusing(function: ast.expr) -> bool:
    """Return whether this makes an error: one of our classes, or a method called refuse or _error."""
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in ("refuse", "_error") or name.endswith(("Error", "Refusal", "Refused"))


def reason_of(argument: ast.expr) -> Reason | None:
    """Return the reason that an argument names."""
    is_reason = isinstance(argument, ast.Attribute) and getattr(argument.value, "id", "") == "Reason"
    return Reason[argument.attr] if is_reason and isinstance(argument, ast.Attribute) else None


RAISED = sorted(set(raised()), key=str)


@pytest.fixture(params=LOCALES, ids=lambda path: str(path.stem))
def keys(request: pytest.FixtureRequest) -> dict[str, dict[str, str]]:
    """The sentences of one language, as they stand in its file."""
    parsed: dict[str, dict[str, str]] = json.loads(request.param.read_bytes())
    assert Texts.parse(request.param.read_bytes()) == Texts(parsed)
    return parsed


def rules_behind(reason: Reason) -> set[str]:
    """Return the numbered rules that a game cites for a reason."""
    return {rules.cites[reason] for rules in RULES.values() if reason in rules.cites}


def test_there_is_english() -> None:
    """At least one language is there, and it is the one that others fall back on."""
    assert "en" in [path.stem for path in LOCALES]


def test_every_reason_has_a_sentence_and_no_other_has(keys: dict[str, dict[str, str]]) -> None:
    """No key is missing or unused. One more for a reason is for a rule that a game cites for it."""
    contexts = {f"{reason}_{rule}" for reason in Reason for rule in rules_behind(reason)}
    assert set(keys["refusal"]) - contexts == set(map(str, Reason))
    assert set(keys["game"]) == set(RULES)


def test_placeholders_are_parameters_that_are_given(keys: dict[str, dict[str, str]]) -> None:
    """Wherever the source refuses for a reason, it gives all that the reason's sentences ask for."""
    for reason, given in RAISED:
        for name in [reason, *(f"{reason}_{rule}" for rule in rules_behind(reason))]:
            asked = set(PLACEHOLDER.findall(keys["refusal"].get(name, "")))
            assert asked <= given, f"{name} asks for {asked - given}"


def test_sentence_is_one_sentence(keys: dict[str, dict[str, str]]) -> None:
    """It begins like one, ends like one, and nothing of it is left open."""
    for sentence in keys["refusal"].values():
        bare = PLACEHOLDER.sub("X", sentence)
        assert bare.lstrip("'«")[0].isupper()
        assert bare.endswith(".")
        assert ". " not in bare
        assert not set(bare) & set("{}\n")


def test_source_is_searched() -> None:
    """The refusals that the tests above compare with have been found: in the rules, in texts, on the wire."""
    found = dict(RAISED)
    assert found[Reason.TOO_MANY] == {"count", "limit"}
    assert found[Reason.CODE_SUITS] == {"suits", "right"}
    assert found[Reason.STALE_PLY] == {"sent", "now"}
    assert found[Reason.BAD_RECORD] == {"place"}
    assert found[Reason.NOT_JSON] == set()


@pytest.fixture(name="english")
def read_english() -> Texts:
    """The English sentences."""
    return Texts.parse((ROOT / "shared" / "locales" / "en.json").read_bytes())


def test_sentence_is_that_of_the_rule(english: Texts) -> None:
    """What FreeCell asks for is not what Simple Simon asks for; without a rule it is said in general."""
    cards = {"card": "5S", "onto": "6S"}
    told = [english.sentence(Refusal(Reason.NOT_NEXT, rule, **cards)) for rule in ("FC2", "SS3", "", "BG2")]
    assert told[0] == "5S does not go on 6S: it needs the other colour, one rank higher, or an empty column."
    assert told[1] == "5S does not go on 6S: it needs one rank higher, or an empty column."
    assert told[2] == told[3] == "5S does not go on 6S: choose a card that takes it, or an empty column."


def test_every_refusal_of_a_move_reads_well(english: Texts) -> None:
    """No placeholder is left in what is said of any move that may not be played."""
    for rules in RULES.values():
        position = rules.deal(1, rules.suits[0])
        for refused in (rules.refusal(position, move) for move in MOVES.values()):
            assert refused is None or "{" not in english.sentence(refused)


def test_what_has_no_sentence_is_told_as_it_is() -> None:
    """A language without it yet, or a placeholder that the error has no parameter for: nothing fails."""
    texts = Texts({"refusal": {"IDLE": "Nothing moves {{far}}."}})
    assert texts.sentence(Refusal(Reason.TOO_MANY, "FC5", count=4, limit=2)) == "TOO_MANY (FC5) count=4 limit=2"
    assert texts.sentence(SameDealError(Reason.IDLE)) == "Nothing moves {{far}}."


@pytest.mark.parametrize("path", LOCALES, ids=lambda path: str(path.stem))
def test_words_of_the_wire_are_words_of_the_language(path: Path) -> None:
    """
    States, phases and commands, which errors carry as the wire has them, are said in every language's words.
    """
    texts = Texts.parse(path.read_bytes(), path.stem)
    for name, reason, values in (
        ("state", Reason.NOT_PLAYING, [state for state in State if state is not State.PLAYING]),
        ("phase", Reason.WRONG_PHASE, ["lobby", *Phase]),
        ("command", Reason.NOT_ALLOWED, [UNDO, RESTART, HINT]),
    ):
        for value in values:
            said = texts.sentence(SameDealError(reason, **{name: value}))
            assert texts.groups["param"][f"{name}_{value}"] in said


def test_text_is_that_of_its_plural() -> None:
    """
    What counts has as many texts as the language has plurals; what does not has one, whatever it is given.
    """
    russian = Texts({"game": {"moves_one": "{{count}} ход", "moves_few": "{{count}} хода", "name": "{{count}}"}}, "ru")
    assert [russian.text("game.moves", count=count) for count in (1, 22)] == ["1 ход", "22 хода"]
    assert russian.text("game.name", count="7") == "7"
    assert [russian.text(key) for key in ("game.other", "other.name", "other")] == ["game.other", "other.name", "other"]


def test_plurals_are_those_of_the_language() -> None:
    """
    By CLDR, which the page's browser goes by too.
    """
    counts = (0, 1, 2, 5, 11, 21, 101, 1_000_000)
    assert [plural("en", count) for count in counts] == ["other", "one", *["other"] * 6]
    assert [plural("ru", count) for count in counts] == ["many", "one", "few", "many", "many", "one", "one", "many"]
    assert [plural("id", count) for count in counts] == ["other"] * 8
    assert [plural("ca", count) for count in counts] == ["other", "one", *["other"] * 5, "many"]


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "ru_RU.UTF-8"}, "ru"),
        ({"LANG": "ru"}, "ru"),
        ({"LC_ALL": "", "LANG": "ca_ES@valencia"}, "ca"),
        ({"LC_ALL": "ca_ES", "LC_MESSAGES": "ru_RU", "LANG": "ru_RU"}, "ca"),
        ({"LC_MESSAGES": "ru_RU", "LANG": "ca_ES"}, "ru"),
        ({"LANGUAGE": "de:ca:ru", "LC_ALL": "ru_RU"}, "ca"),
        ({"LC_ALL": "de_DE.UTF-8", "LANG": "ru_RU.UTF-8"}, "en"),
    ],
)
def test_language_is_the_one_asked_for(environment: dict[str, str], language: str) -> None:
    """
    The first variable that is set says which; a language that is not there is English.
    """
    assert spoken(environment, ["ca", "en", "ru"]) == language


def test_games_have_names(english: Texts) -> None:
    """A game that no language knows yet is called by its plain name."""
    assert [english.game(name) for name in (*RULES, "bakers-game")] == ["Simple Simon", "FreeCell", "bakers-game"]


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", '{"game": {}}', '{"game": {}, "refusal": {"IDLE": 7}}', '{"game": {}, "refusal": []}', *NO_TEXT],
)
def test_damaged_file_is_refused(text: str) -> None:
    """Texts are part of the program; a file that is none is an error of ours."""
    with pytest.raises(AssetError):
        Texts.parse(text)


@pytest.mark.parametrize(
    ("ms", "text"), [(0, "0:00.0"), (99, "0:00.0"), (59_999, "0:59.9"), (60_000, "1:00.0"), (3_600_000, "60:00.0")]
)
def test_clock_is_never_ahead(ms: int, text: str) -> None:
    """A tenth is shown once it has passed."""
    assert clock(ms) == text
