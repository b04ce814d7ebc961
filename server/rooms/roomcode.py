"""Room codes: four or five letters that are easily said, heard and typed; and names that rooms may be given."""

import re
from collections.abc import Callable, Container

CONSONANTS = "BDFGKLMNPRSTVZ"
"""Without C, H, J, Q, W, X, Y, which sound or read unlike from one language to the next."""

VOWELS = "AEIU"
"""Without O, which looks like a nought."""

RUDE = re.compile(
    "ANAL|ANUS|ARS[AE]|BUTA|DIK|FAG|FUK|FUT|KAK|KIL|KUR[AV]|MERD|NAZI|NEGR|NIGA|PIS|PED|PUT[AE]|PENI|RAPE|SEK|SUKA|TIT"
)
"""What nobody should have to read out, in several languages; a code with any of it is drawn again."""

SOCKET_PATH = re.compile("/ws(?:/(?P<room>[A-Za-z0-9-]{1,32}))?")
"""The lobby, or a room by its code in any case, or by a name given on purpose."""


def room_of(path: str) -> str | None:
    """Return the room's name in a path that SOCKET_PATH matches; None where that is the lobby's."""
    found = SOCKET_PATH.fullmatch(path)
    assert found, "no other is let in"
    return found["room"]


def room_code(random_below: Callable[[int], int], taken: Container[str]) -> str:
    """Draw a code that is not *taken*: consonant, vowel, consonant, vowel, and a fifth letter when those run out.

    >>> room_code(lambda n: 3, ())
    'GUGU'
    """
    for attempt in range(1_000):
        letters = [CONSONANTS, VOWELS, CONSONANTS, VOWELS] + ([CONSONANTS] if attempt > 20 else [])
        code = "".join(alphabet[random_below(len(alphabet))] for alphabet in letters)
        if code not in taken and not RUDE.search(code):
            return code
    raise RuntimeError("no room code is free")
