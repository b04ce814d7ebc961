"""The texts of all languages: the same keys, the plurals that each language has, and nothing that nobody reads."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel import Locale

from shared.attempt import HINT, RESIGN, RESTART, UNDO, State
from shared.cards import RANKS, SUITS
from shared.errors import Reason
from shared.games import RULES
from shared.texts import ENGLISH, PLACEHOLDER

ROOT = Path(__file__).parents[1]
LOCALES = ROOT / "shared" / "locales"
LANGUAGES = sorted(path.stem for path in LOCALES.glob("*.json"))
OTHERS = [language for language in LANGUAGES if language != ENGLISH]
WEB = sorted((ROOT / "client" / "web").glob("*.js"))
PYTHON = [ROOT / "samedeal.py", *(path for name in ("client", "server") for path in (ROOT / name).rglob("*.py"))]

BY_PYTHON = ("game.", "refusal.", "param.")
"""Groups that texts.py and its like in the page look things up in; tests/shared/test_texts.py knows what they hold."""

PLURALS = ("zero", "one", "two", "few", "many", "other")

NAMED = re.compile(r"""["'](terminal\.\w+|options\.suits)["']""")
KEY = re.compile(r"""["'`]([a-z]+\.[A-Za-z][A-Za-z0-9_-]*)["'`]""")
MADE = re.compile(r"`([a-z]+\.[A-Za-z0-9_-]*)\$\{[^}]*\}([A-Za-z0-9_-]*)")
"""A key that is made: `race.state_${state}`, `lookup.${reason}Text`."""

WORDS = {word for path in WEB for word in re.findall(r"[\w-]+", path.read_text(encoding="utf-8"))}
"""Every word of the page's modules: a key may be made of one, wherever it stands."""

LONGEST = 1.8
"""So many times as long as the English a short text (of a button, say) may be."""


def read(path: Path) -> dict[str, str]:
    """Return the texts of a file by "group.key"."""
    groups: dict[str, dict[str, str]] = json.loads(path.read_text(encoding="utf-8"))
    return {f"{group}.{key}": text for group, texts in groups.items() for key, text in texts.items()}


FILES = [Path(name) for name in ("", "rules") if (LOCALES / name / f"{ENGLISH}.json").is_file()]
"""The folders of texts: what every page needs, and the long texts of the rules pages."""


def texts(language: str, folder: Path = FILES[0]) -> dict[str, str]:
    """Return the texts of a language by "group.key"."""
    return read(LOCALES / folder / f"{language}.json")


def counted(keys: dict[str, str]) -> set[str]:
    """Return the keys, without their endings, of English texts that count: each has `_one` and `_other`."""
    return {key.removesuffix("_one") for key in keys if key.endswith("_one") and f"{key[:-4]}_other" in keys}


def plurals(language: str) -> set[str]:
    """Return the plurals of a language, by CLDR."""
    return {*Locale.parse(language).plural_form.tags, "other"}


def expected(language: str, english: dict[str, str]) -> set[str]:
    """Return the keys that a language has to have."""
    bases = counted(english)
    single = {key for key in english if key.rpartition("_")[0] not in bases}
    return single | {f"{base}_{plural}" for base in bases for plural in plurals(language)}


def mould(key: str, english: dict[str, str]) -> str:
    """Return the English text that *key* is a translation of."""
    base, _, plural = key.rpartition("_")
    return english[key if key in english else f"{base}_other" if plural in PLURALS else key]


@pytest.mark.parametrize("folder", FILES, ids=str)
@pytest.mark.parametrize("language", LANGUAGES)
def test_language_has_every_key_and_its_own_plurals(language: str, folder: Path) -> None:
    """
    Nothing is missing, nothing is left over, and what counts is there once for each plural of the language.
    """
    assert set(texts(language, folder)) == expected(language, texts(ENGLISH, folder))


@pytest.mark.parametrize("folder", FILES, ids=str)
@pytest.mark.parametrize("language", OTHERS)
def test_placeholders_are_those_of_the_english(language: str, folder: Path) -> None:
    """
    Each text tells what the English one tells; only a plural for one thing may leave its count to the words.
    """
    english = texts(ENGLISH, folder)
    for key, text in texts(language, folder).items():
        told, due = set(PLACEHOLDER.findall(text)), set(PLACEHOLDER.findall(mould(key, english)))
        assert told == due or (key.endswith("_one") and told == due - {"count"}), f"{language}: {key}"


@pytest.mark.parametrize("folder", FILES, ids=str)
@pytest.mark.parametrize("language", LANGUAGES)
def test_text_is_text(language: str, folder: Path) -> None:
    """
    No text is empty, holds a mark of HTML or a lone brace, begins or ends in space, or has a straight quotation mark.
    """
    for key, text in texts(language, folder).items():
        bare = PLACEHOLDER.sub("", text)
        assert text
        assert text == " ".join(text.split()), key
        assert not set(bare) & set('<>&{}"'), key


@pytest.mark.parametrize("language", OTHERS)
def test_language_speaks_for_itself(language: str) -> None:
    """
    No sentence has been left in English: texts of several words differ from it, and so do most of the short ones.
    """
    english = texts(ENGLISH)
    own = texts(language)
    same = [key for key, text in own.items() if text == english.get(key) and not text.startswith("{{")]
    assert not [key for key in same if len(own[key].split()) > 3]
    assert len(same) < len(own) / 12


@pytest.mark.parametrize("language", OTHERS)
def test_short_text_stays_short(language: str) -> None:
    """
    Buttons and headings were drawn for English; a translation of up to 24 letters has room to grow, but not any.
    """
    english = texts(ENGLISH)
    for key, text in texts(language).items():
        due = mould(key, english)
        if len(due) <= 24:
            assert len(text) <= max(LONGEST * len(due), len(due) + 15), f"{key}: {text}"


def used() -> Iterator[str]:
    """Yield every key that the page or Python names as it stands."""
    for pattern, paths in ((KEY, WEB), (NAMED, PYTHON)):
        for path in paths:
            yield from pattern.findall(path.read_text(encoding="utf-8"))


def made(known: set[str]) -> Iterator[str]:
    """Yield those of the *known* keys that the page makes of a fixed part and words of its own or of the wire's.

    A heading's key with `Text` behind it is that of the text below it.
    """
    words = WORDS | {*Reason, *State, *RULES, *RANKS, *SUITS, UNDO, RESTART, HINT, RESIGN}
    for path in WEB:
        for fixed, end in MADE.findall(path.read_text(encoding="utf-8")):
            for key in known:
                word = key.removeprefix(fixed).removesuffix(end).removesuffix("Text")
                parts = [word] if word in words else re.findall("[A-Z]?[a-z]+", word)
                if key.startswith(fixed) and key.endswith(end) and words.issuperset(parts):
                    yield key


def test_no_text_is_unused_and_no_key_unknown() -> None:
    """
    The page names every text there is, as it stands or made of parts, and none that there is not.
    """
    english = texts(ENGLISH)
    bases = counted(english)
    known = {key if key.rpartition("_")[0] not in bases else key.rpartition("_")[0] for key in english}
    groups = {key.partition(".")[0] for key in known}
    named = {key for key in used() if key.partition(".")[0] in groups and not key.endswith((".js", ".css", ".json"))}
    unused = [key for key in known - named - set(made(known)) if not key.startswith(BY_PYTHON)]
    roots = {key for key in named if any(other.startswith(key) for other in known)}
    assert sorted(unused) == []
    assert sorted(named - known - roots) == []


def test_page_offers_the_languages_that_there_are() -> None:
    """
    The page's list and the files are the same.
    """
    listed = re.search(r"LANGUAGES = \{(.*?)\}", (ROOT / "client/web/texts.js").read_text(encoding="utf-8"), re.DOTALL)
    assert listed
    assert sorted(re.findall(r"(\w+): ", listed[1])) == LANGUAGES


def test_every_game_has_its_rules_told() -> None:
    """
    Each game's page says in short what it is about, then each rule of the design under its number: heading and text.
    """
    told = texts(ENGLISH, Path("rules"))
    design = (ROOT / "DESIGN.md").read_text(encoding="utf-8")
    for name, rules in RULES.items():
        numbers = re.findall(rf"^- ({rules.prefix}\d+) ", design, re.MULTILINE)
        numbered = [f"{name}.{number}{part}" for number in numbers for part in ("", "Text")]
        assert [key for key in told if key.startswith(f"{name}.")] == [f"{name}.about", *numbered]


@pytest.mark.parametrize("language", LANGUAGES)
def test_rules_stand_in_order_under_headings(language: str) -> None:
    """
    Every language tells the rules in the order of the English, and each text stands behind its heading.
    """
    told = texts(language, Path("rules"))
    assert list(told) == list(texts(ENGLISH, Path("rules")))
    keys = [key for key in told if not key.startswith("page.") and not key.endswith(".about")]
    assert keys[1::2] == [f"{key}Text" for key in keys[::2]]
