"""What cannot be guessed: ids, which may be shown, and tokens, which only their player may know."""

from base64 import b32encode
from collections.abc import Callable
from hashlib import sha256
from typing import TypeAlias

RandomBytes: TypeAlias = Callable[[int], bytes]
"""Where entropy comes from: `secrets.token_bytes` when people play, a counter in a test."""

ID_BYTES, TOKEN_BYTES = 10, 20
"""80 bits: no two are ever equal. 160 bits: nobody finds one by trying. Both fill their symbols exactly."""


def new_id(random_bytes: RandomBytes) -> str:
    """Return an id of a player, room, race or attempt: 16 symbols of base 32, in lower case.

    >>> new_id(bytes)
    'aaaaaaaaaaaaaaaa'
    """
    return _base32(random_bytes(ID_BYTES))


def new_token(random_bytes: RandomBytes) -> str:
    """Return a player's secret, 32 symbols. It goes to its player and nowhere else: store its `token_hash`.

    >>> len(new_token(bytes))
    32
    """
    return _base32(random_bytes(TOKEN_BYTES))


def token_hash(token: str) -> bytes:
    """Return the 32 bytes that stand for *token* at rest. A random secret needs neither salt nor slowness."""
    return sha256(token.encode("utf-8", "surrogatepass")).digest()


def _base32(secret: bytes) -> str:
    return b32encode(secret).decode("ascii").lower()
