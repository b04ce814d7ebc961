"""What the page knows of the wire and of the games without being told: constants, as a module of JavaScript."""

from collections.abc import Iterable
from typing import Any

from msgspec import json, to_builtins

from shared.moves import PILES
from shared.protocol.closing import COMES_BACK, CloseCode
from shared.protocol.codec import JsonCodec
from shared.protocol.values import Options
from shared.rules import Rules

HEAD = "// What is declared in Python and known here too, made when the server starts."


def constants(games: Iterable[Rules]) -> str:
    """Return the page's module `protocol.js`."""
    parts = (
        HEAD,
        _constant("Messages in text frames.", "SUBPROTOCOL", JsonCodec.subprotocol),
        _table(
            "Why a connection was closed, by the codes after which a client does not come back by itself.",
            "CLOSE",
            ((code.value, code.name) for code in CloseCode if code not in COMES_BACK),
        ),
        _constant("The text of each pile: columns, cells, the foundations.", "PILES", PILES),
        _constant("The options that are not told, since they are the usual ones.", "OPTIONS", to_builtins(Options())),
        _table(
            "What is drawn of each game, and asked for. `top` is the progress of whoever has won; so many cards as "
            "`leaves` go home at once.",
            "GAMES",
            ((rules.name, _facts(rules)) for rules in games),
        ),
    )
    return "\n\n".join(parts) + "\n"


def _facts(rules: Rules) -> dict[str, Any]:
    return {
        "prefix": rules.prefix,
        "suits": rules.suits,
        "foundations": rules.foundations,
        "leaves": rules.goes_home,
        "hints": rules.gives_hints,
        "top": rules.full_progress,
    }


def _constant(says: str, name: str, value: object) -> str:
    return f"/** {says} */\nexport const {name} = {json.encode(value).decode()};"


def _table(says: str, name: str, lines: Iterable[tuple[object, object]]) -> str:
    """Return a constant of a line for each of *lines*, a key and its value."""
    told = (f"  {json.encode(str(key)).decode()}: {json.encode(value).decode()}," for key, value in lines)
    return "\n".join((f"/** {says} */", f"export const {name} = {{", *told, "};"))
