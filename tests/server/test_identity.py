"""Ids and tokens."""

import re
import secrets

from server.identity import new_id, new_token, token_hash


def test_id_is_80_bits_in_base_32() -> None:
    """An id is 16 lower-case symbols, made of exactly ten random bytes, all of which count."""
    asked: list[int] = []

    def random_bytes(count: int) -> bytes:
        asked.append(count)
        return bytes(range(count))

    assert new_id(random_bytes) == "aaaqeayeaudaocaj"
    assert asked == [10]
    assert (
        new_id(lambda count: bytes(count - 1) + b"\1")
        != new_id(bytes)
        != new_id(lambda count: b"\1" + bytes(count - 1))
    )


def test_token_is_longer_than_128_bits() -> None:
    """A token is 32 symbols of base 32, which is 160 bits of the entropy handed in."""
    asked: list[int] = []

    def random_bytes(count: int) -> bytes:
        asked.append(count)
        return secrets.token_bytes(count)

    token = new_token(random_bytes)

    assert re.fullmatch("[a-z2-7]{32}", token)
    assert asked == [20]


def test_hash_tells_nothing_and_tells_tokens_apart() -> None:
    """What is stored has 32 bytes, depends on every symbol and does not hold the token."""
    token = new_token(secrets.token_bytes)
    stored = token_hash(token)

    assert len(stored) == 32
    assert stored == token_hash(token)
    assert stored != token_hash(token[:-1])
    assert token.encode() not in stored


def test_hostile_text_has_a_hash_too() -> None:
    """A lone surrogate or a NUL sent as a token hashes to something that no one has."""
    assert token_hash("\ud800") != token_hash("\0") != token_hash("")
