"""What people read: times, and the sentences of one language.

The sentences' files are i18next's JSON (version 4), so that the page can read the same ones. A key names a group and
what the sentence is for: `refusal.TOO_MANY`. A refusal may have another sentence where it rests on a certain rule, by
i18next's context: `refusal.NOT_NEXT_FC2`. `{{name}}` stands for a parameter.
"""

import re

from msgspec import Struct

from shared.errors import AssetError, Reason, SameDealError
from shared.forms import Form

PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")


class _File(Struct, frozen=True):
    game: dict[str, str]
    """Each game's name for people."""
    refusal: dict[str, str]
    """One sentence for each reason."""


_FORM = Form(_File, AssetError, Reason.BAD_TEXTS)


def clock(elapsed_ms: int) -> str:
    """Return minutes, seconds and tenths, the rest cut off: the same in every language.

    >>> clock(754_399)
    '12:34.3'
    """
    minutes, rest_ms = divmod(elapsed_ms, 60_000)
    return f"{minutes}:{rest_ms // 1000:02}.{rest_ms // 100 % 10}"


class Texts(Struct, frozen=True):
    """What the program says, in one language.

    >>> from shared.errors import Refusal
    >>> texts = Texts.parse('{"game": {}, "refusal": {"TOO_MANY": "Only {{limit}} can move."}}')
    >>> texts.sentence(Refusal(Reason.TOO_MANY, "FC5", count=4, limit=2))
    'Only 2 can move.'
    """

    games: dict[str, str]
    refusals: dict[str, str]

    @classmethod
    def parse(cls, text: bytes | str) -> "Texts":
        """Read a file of `locales/`; raise AssetError."""
        file = _FORM.from_json(text)
        return cls(file.game, file.refusal)

    def game(self, name: str) -> str:
        """Return the name for people of the game called *name*."""
        return self.games.get(name, name)

    def sentence(self, error: SameDealError) -> str:
        """Return one sentence that says what was wrong and what would be right."""
        text = self.refusals.get(f"{error.reason}_{error.rule}") or self.refusals.get(error.reason) or str(error)
        return PLACEHOLDER.sub(lambda found: str(error.params.get(found[1], found[0])), text)
