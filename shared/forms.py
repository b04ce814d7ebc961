"""Bytes from outside as typed structs: whatever is wrong with them becomes one error of ours, soon."""

import re
from collections.abc import Callable
from json import JSONDecoder
from typing import Annotated, Generic, TypeAlias, TypeVar

import msgpack
from msgspec import Meta, MsgspecError, ValidationError, convert
from msgspec.json import Decoder

from shared.errors import Reason, SameDealError, excerpt

Shape = TypeVar("Shape")

LARGEST = 1 << 20
"""Bytes of a text; a record of the longest attempt takes about half of it."""

HIGHEST = 2**53 - 1
"""Beyond it not everyone who reads JSON sees the same whole number."""

Whole: TypeAlias = Annotated[int, Meta(ge=-HIGHEST, le=HIGHEST)]

_PLACE = re.compile(r"(?:at|in) `(\$[^`]*)`")
_MISSING = re.compile("missing required field `([^`]*)`")


class Form(Generic[Shape]):
    """Reads one struct, or a dict of typed values.

    Fields that it does not have are ignored, types are not bent, no key may stand twice.

    Its errors are of the class and for the reason given, with the JSON path of what is amiss as `place`; NOT_JSON,
    KEY_TWICE and TOO_LARGE for texts that nothing can be made of.
    """

    def __init__(
        self,
        shape: type[Shape],
        error: type[SameDealError],
        reason: Reason,
        strings: Callable[[Shape], int] | None = None,
    ) -> None:
        self._shape, self._error, self._reason = shape, error, reason
        self._decoder = Decoder(shape)
        self._keys = JSONDecoder(object_pairs_hook=self._once)
        self._strings = strings

    def from_json(self, text: bytes | str) -> Shape:
        """Read JSON of at most LARGEST bytes."""
        self._check(text, LARGEST)
        try:
            written = text.decode() if isinstance(text, bytes) else text
            made = self._decoder.decode(written)
            # The decoder takes the last of two values, so another parser looks for keys that stand twice. It would
            # take as long again: where the form's strings are counted, it is asked only if there are more quotes.
            if self._strings is None or written.count('"') != 2 * self._strings(made):
                self._keys.decode(written)
        except ValidationError as error:
            raise self._misshapen(str(error)) from None
        except (MsgspecError, ValueError, RecursionError):
            raise self._error(Reason.NOT_JSON) from None
        return made

    def from_msgpack(self, packed: bytes, largest: int = LARGEST) -> Shape:
        """Read msgpack of at most *largest* bytes."""
        self._check(packed, largest)
        try:
            return convert(msgpack.unpackb(packed, object_pairs_hook=self._once), self._shape)
        except ValidationError as error:
            raise self._misshapen(str(error)) from None
        except (ValueError, TypeError, RecursionError):
            raise self._error(self._reason, place="$") from None

    def _check(self, text: object, largest: int) -> None:
        if not isinstance(text, bytes | str):
            raise self._error(self._reason, place="$")
        if len(text) > largest:
            raise self._error(Reason.TOO_LARGE, limit=largest)

    def _misshapen(self, message: str) -> SameDealError:
        """Return ours for msgspec's, whose message names the place: "Expected `int`, got `str` - at `$.moves`"."""
        found, missing = _PLACE.search(message), _MISSING.search(message)
        place = found[1] if found else "$"
        return self._error(self._reason, place=f"{place}.{missing[1]}" if missing else place)

    def _once(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        """Make an object of its pairs; with a key twice, nobody could say which of the values counts."""
        made = dict(pairs)
        if len(made) < len(pairs):
            keys = [key for key, _ in pairs]
            raise self._error(Reason.KEY_TWICE, key=excerpt(next(key for key in keys if keys.count(key) > 1)))
        return made
