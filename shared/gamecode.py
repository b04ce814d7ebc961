"""Game codes: `SS1-S1-AAAAABD`, `FC1-AAAALWO` (DESIGN.md section 3). Reading is kind, writing is canonical."""

import re
from functools import lru_cache

from msgspec import Struct

from shared.deal import HIGHEST
from shared.errors import CodeError, Reason, excerpt
from shared.games import RULES
from shared.position import Position
from shared.rules import Rules

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
"""RFC 4648's base 32, most significant symbol first."""

SYMBOLS = 7
_LONGEST_TEXT = 64
_BARE = re.compile("(?:([A-Z-]+) *#?|#) *([0-9]+)")
# Prefix, version and the rest. Without a hyphen behind it the version is one digit: what follows may be digits too.
_CODE = re.compile("([A-Z]{2})([0-9]{1,9}(?=-)|[0-9](?![0-9]*-))-?(.*)")
_SUITS = re.compile("S([0-9])-?")
_KIND = str.maketrans("018", "OIB")


class GameCode(Struct, frozen=True, order=True):
    """Game, suits and deal number: the same code is the same deal for ever.

    >>> str(GameCode.parse("ss1 s1 aaaaabd")), GameCode.parse("#11982")
    ('SS1-S1-AAAAABD', GameCode(game='freecell', suits=4, number=11982))
    """

    game: str
    suits: int
    number: int

    @property
    def rules(self) -> Rules:
        """The rules of its game."""
        return RULES[self.game]

    def deal(self) -> Position:
        """Return the first position. A race's attempts, restarts and replays all ask for the same one: it is kept."""
        return _dealt(self)

    @classmethod
    def of(cls, game: str, suits: int | None, number: int) -> "GameCode":
        """Check the parts; *suits* None is the game's usual count. Raise CodeError."""
        rules = RULES.get(game)
        if rules is None:
            raise CodeError(Reason.CODE_GAME, game=excerpt(game), known=" ".join(RULES))
        suits = rules.suits[0] if suits is None else suits
        if suits not in rules.suits:
            raise CodeError(Reason.CODE_SUITS, suits=suits, right=" ".join(map(str, rules.suits)))
        return cls(game, suits, _checked(number))

    @classmethod
    def parse(cls, text: str) -> "GameCode":
        """Read a code in any case, with or without hyphens and spaces; raise CodeError.

        In the number 0, 1 and 8 are read as O, I and B. `#N`, or N behind the game's name, is
        deal N of the game that has `bare_numbers`.
        """
        if not isinstance(text, str) or len(text) > _LONGEST_TEXT or not text.isascii():
            raise CodeError(Reason.CODE_FORM, text=excerpt(text))
        written = text.strip().upper()
        if not written.isprintable():
            raise CodeError(Reason.CODE_FORM, text=excerpt(text))
        bare = _BARE.fullmatch(written)
        if bare and (named := _rules_of_bare(bare[1])):
            return cls.of(named.name, None, int(bare[2]))
        code = _CODE.fullmatch(re.sub("[- ]+", "-", written))
        if not code:
            raise CodeError(Reason.CODE_FORM, text=excerpt(text))
        rules = _rules_of(code[1], int(code[2]))
        suits, symbols = _split_suits(rules, code[3])
        return cls(rules.name, suits, _checked(_number_of(symbols)))

    def __str__(self) -> str:
        rules = self.rules
        suits = f"-S{self.suits}" if len(rules.suits) > 1 else ""
        symbols = "".join(ALPHABET[self.number >> shift & 31] for shift in range(5 * SYMBOLS - 5, -1, -5))
        return f"{rules.prefix}{rules.version}{suits}-{symbols}"


@lru_cache(maxsize=1 << 10)
def _dealt(code: GameCode) -> Position:
    return code.rules.deal(code.number, code.suits)


def _rules_of_bare(name: str | None) -> Rules | None:
    """Return the game that a number alone is meant for; None where it has not that name, in capitals."""
    return next((rules for rules in RULES.values() if rules.bare_numbers and name in (None, rules.name.upper())), None)


def _rules_of(prefix: str, version: int) -> Rules:
    """Return the game that a code begins with."""
    for rules in RULES.values():
        if rules.prefix == prefix:
            if rules.version != version:
                raise CodeError(Reason.CODE_VERSION, version=version, right=rules.version)
            return rules
    raise CodeError(Reason.CODE_GAME, game=prefix, known=" ".join(rules.prefix for rules in RULES.values()))


def _split_suits(rules: Rules, rest: str) -> tuple[int, str]:
    """Return the suits, and the symbols of the number, of what follows a code's version."""
    found = _SUITS.match(rest)
    symbols = rest.replace("-", "")
    if len(rules.suits) == 1:
        if found and (found[0].endswith("-") or len(symbols) == SYMBOLS + 2):
            raise CodeError(Reason.CODE_NO_SUITS, suits=rest[:2], right=str(GameCode(rules.name, rules.suits[0], 1)))
        return rules.suits[0], symbols
    right = " ".join(f"S{suits}" for suits in rules.suits)
    if not found:
        raise CodeError(Reason.CODE_SUITS_MISSING, suits=right, right=str(GameCode(rules.name, rules.suits[0], 1)))
    if int(found[1]) not in rules.suits:
        raise CodeError(Reason.CODE_SUITS, suits=rest[:2], right=right)
    return int(found[1]), symbols[2:]


def _number_of(symbols: str) -> int:
    """Read the seven symbols of a deal number."""
    if len(symbols) != SYMBOLS:
        raise CodeError(Reason.CODE_LENGTH, length=len(symbols), right=SYMBOLS)
    number = 0
    for symbol in symbols.translate(_KIND):
        if symbol not in ALPHABET:
            raise CodeError(Reason.CODE_SYMBOL, symbol=symbol)
        number = number << 5 | ALPHABET.index(symbol)
    return number


def _checked(number: int) -> int:
    if not 1 <= number <= HIGHEST:
        raise CodeError(Reason.CODE_NUMBER, number=excerpt(str(number)), highest=HIGHEST)
    return number
