"""What people read: times, and the texts of one language.

The files are i18next's JSON (version 4), so that the page can read the same ones. A key names a group and what the text
is for: `refusal.TOO_MANY`. A refusal may have another sentence where it rests on a certain rule, by i18next's context:
`refusal.NOT_NEXT_FC2`. A text that counts has one key for each plural of its language: `results.moves_one`,
`results.moves_few`. `{{name}}` stands for a parameter.
"""

import re
from collections.abc import Collection, Mapping

from msgspec import Struct

from shared.errors import AssetError, Reason, SameDealError
from shared.forms import Form

PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")

ENGLISH = "en"
"""The language that all texts are written in first, and what is spoken where the one asked for is not there."""

ASKED_BY = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
"""The environment variables that name a language; the first that is set is asked."""

NEEDED = ("game", "refusal")
"""The groups that every language has: the games' names for people, and a sentence for each reason."""

_FORM = Form(dict[str, dict[str, str]], AssetError, Reason.BAD_TEXTS)


def clock(elapsed_ms: int) -> str:
    """Return minutes, seconds and tenths, the rest cut off: the same in every language.

    >>> clock(754_399)
    '12:34.3'
    """
    minutes, rest_ms = divmod(elapsed_ms, 60_000)
    return f"{minutes}:{rest_ms // 1000:02}.{rest_ms // 100 % 10}"


def spoken(environment: Mapping[str, str], known: Collection[str]) -> str:
    """Return which of the *known* languages a terminal's user asks for, English where none.

    >>> spoken({"LC_ALL": "ca_ES.UTF-8", "LANG": "ru_RU"}, ["en", "ru", "ca"])
    'ca'
    """
    asked = next(filter(None, map(environment.get, ASKED_BY)), "")
    languages = [re.split("[_.@]", each)[0].lower() for each in asked.split(":")]
    return next((each for each in languages if each in known), ENGLISH)


class Texts(Struct, frozen=True):
    """What the program says, in one language.

    >>> from shared.errors import Refusal
    >>> texts = Texts.parse('{"game": {}, "refusal": {"TOO_MANY": "Only {{limit}} can move."}}')
    >>> texts.sentence(Refusal(Reason.TOO_MANY, "FC5", count=4, limit=2))
    'Only 2 can move.'
    """

    groups: dict[str, dict[str, str]]
    language: str = ENGLISH

    @classmethod
    def parse(cls, text: bytes | str, language: str = ENGLISH) -> "Texts":
        """Read a file of `locales/`, that of *language*; raise AssetError."""
        groups = _FORM.from_json(text)
        for name in NEEDED:
            if name not in groups:
                raise AssetError(Reason.BAD_TEXTS, place=f"$.{name}")
        return cls(groups, language)

    @property
    def refusals(self) -> dict[str, str]:
        """Return the sentence of each reason."""
        return self.groups["refusal"]

    def game(self, name: str) -> str:
        """Return the name for people of the game called *name*."""
        return self.groups["game"].get(name, name)

    def text(self, key: str, **params: str | int) -> str:
        """Return the text of *key* with *params* put in; `count` chooses its plural. Without one, the key itself.

        >>> texts = Texts({"results": {"moves_one": "{{count}} move", "moves_other": "{{count}} moves"}})
        >>> texts.text("results.moves", count=1), texts.text("results.moves", count=49)
        ('1 move', '49 moves')
        """
        group, _, name = key.partition(".")
        texts = self.groups.get(group, {})
        if isinstance(params.get("count"), int):
            name = f"{name}_{plural(self.language, int(params['count']))}"
        return _filled(texts.get(name, key), params)

    def sentence(self, error: SameDealError) -> str:
        """Return one sentence that says what was wrong and what would be right."""
        text = self.refusals.get(f"{error.reason}_{error.rule}") or self.refusals.get(error.reason) or str(error)
        words = self.groups.get("param", {})
        return _filled(text, {name: words.get(f"{name}_{value}", value) for name, value in error.params.items()})


def plural(language: str, count: int) -> str:
    """Return which plural *language* uses for *count* things: zero, one, two, few, many or other.

    >>> plural("ru", 2), plural("ru", 5), plural("ru", 21)
    ('few', 'many', 'one')
    """
    from babel import Locale  # noqa: PLC0415  # it takes longer to come than most commands run

    category: str = Locale.parse(language).plural_form(count)
    return category


def _filled(text: str, params: Mapping[str, str | int]) -> str:
    return PLACEHOLDER.sub(lambda found: str(params.get(found[1], found[0])), text)
