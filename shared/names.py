"""Players' names: what others may be shown, in one normal form (DESIGN.md section 5)."""

import re
from functools import lru_cache
from itertools import groupby
from unicodedata import category, normalize

from shared.errors import NameRefused, Reason, excerpt

LONGEST = 20
"""Grapheme clusters: what a reader takes for one character."""

_MOST_CODE_POINTS = 200  # no script needs as many for 20 clusters; a tower of accents does
_MOST_MARKS = 6  # on one letter: the scripts that pile up most need as many
_CONTROLS = {"Cc", "Cs", "Zl", "Zp"}
_BIDI_CONTROLS = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_VISIBLE = "LNPS"
_IGNORABLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffc\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""What Unicode calls default ignorable: joiners, soft hyphens, fillers, variation selectors, tags. Nothing is shown.

And, as nothing is either, what stands round annotations and in place of objects (U+FFF9 to U+FFFC).
"""

_BLANK = "\u2800"
"""The Braille pattern without dots: a symbol that looks like a space."""


def checked_name(text: str) -> str:
    """Return *text* as a name: in NFC, without spaces at its ends. Raise NameRefused.

    >>> checked_name(" Zoe\u0308 ")
    'Zoë'
    """
    if isinstance(text, str) and len(text) <= _MOST_CODE_POINTS and (text.isprintable() or _is_harmless(text)):
        name = normalize("NFC", text).strip()
        fits = len(name) <= _MOST_CODE_POINTS and _clusters(name) <= LONGEST  # NFC may have made it longer
        if fits and any(category(sign)[0] in _VISIBLE for sign in _shown(name)) and not _is_tower(name):
            return name
    raise NameRefused(Reason.BAD_NAME, name=excerpt(text), longest=LONGEST)


@lru_cache(maxsize=4_096)
def name_key(name: str) -> str:
    """Return what names have in common that differ in nothing but signs that can't be seen, letter case or spaces.

    It is Unicode's NFKC_Casefold, with all white space alike. Letters that look like those of another script stay
    apart.

    >>> name_key("ＺＯË") == name_key("zo\u200dë")
    True
    """
    folded = _shown(normalize("NFKC", normalize("NFKC", name).casefold()))
    return " ".join(normalize("NFKC", folded).split())


def _shown(name: str) -> str:
    """Return *name* without what nothing is shown for."""
    return _IGNORABLE.sub("", name).replace(_BLANK, " ")


def _is_harmless(text: str) -> bool:
    """Return whether *text* has no control characters; joiners, which scripts and emoji need, are none."""
    return not any(category(sign) in _CONTROLS or sign in _BIDI_CONTROLS for sign in text)


def _is_tower(name: str) -> bool:
    """Return whether more marks than any script needs are piled on one letter: over what stands above and below."""
    runs = groupby(category(sign)[0] == "M" for sign in name)
    return any(is_mark and sum(1 for _ in run) > _MOST_MARKS for is_mark, run in runs)


def _clusters(name: str) -> int:
    if name.isascii():
        return len(name)
    # Loading it would double the time that `samedeal verify` takes to start, and few names need it.
    from wcwidth import iter_graphemes  # noqa: PLC0415

    return sum(1 for _ in iter_graphemes(name))
