"""Room codes are easily said, never rude, never taken; and the paths that name rooms."""

from itertools import cycle, product
from random import Random

import pytest

from server.rooms.roomcode import CONSONANTS, RUDE, SOCKET_PATH, VOWELS, room_code, room_of

ALL = {"".join(letters) for letters in product(CONSONANTS, VOWELS, CONSONANTS, VOWELS)}


def test_codes_are_four_letters_that_are_easily_said() -> None:
    """
    Consonants and vowels by turns, none that looks or sounds like another letter or a digit.
    """
    random = Random(1)
    codes = {room_code(random.randrange, ()) for _ in range(500)}
    assert codes <= ALL
    assert len(codes) > 400
    assert not set("".join(codes)) & set("COHJQWXY0123456789")


def test_no_code_is_rude() -> None:
    """
    Whatever has to be read out in several languages is drawn again, in five letters too.
    """
    rude = {code for code in ALL if RUDE.search(code)}
    assert {"PUTA", "NAZI", "KAKA", "PISA", "TITI", "FUKU"} <= rude
    assert len(rude) < len(ALL) // 10
    random = Random(2)
    drawn = {room_code(random.randrange, ALL - rude) for _ in range(50)}
    assert all(len(code) == 5 and not RUDE.search(code) for code in drawn)


def test_taken_codes_are_drawn_again() -> None:
    """
    With a fifth letter once four seem to run out; where none is free at all, that is an error and no endless loop.
    """
    places = cycle((0, 0, 0, 0, 1, 1, 1, 1))
    assert room_code(lambda _below: next(places), ("BABA",)) == "DEDE"
    assert room_code(lambda below: below - 1, ("ZUZU",)) == "ZUZUZ"
    with pytest.raises(RuntimeError):
        room_code(lambda _below: 0, ("BABA", "BABAB"))


@pytest.mark.parametrize(
    ("path", "room"),
    [
        ("/ws", None),
        ("/ws/GUGU", "GUGU"),
        ("/ws/gugu", "gugu"),
        ("/ws/game-night-2", "game-night-2"),
        ("/ws/" + "a" * 32, "a" * 32),
    ],
)
def test_paths_of_lobby_and_rooms(path: str, room: str | None) -> None:
    """
    The lobby, a room by its code in any case, a room by a name.
    """
    assert SOCKET_PATH.fullmatch(path)
    assert room_of(path) == room


@pytest.mark.parametrize(
    "path", ["/", "/ws/", "/ws//", "/ws/a/b", "/ws/a b", "/ws/é", "/ws/" + "a" * 33, "/ws/GUGU\n", "/wss", "ws/GUGU"]
)
def test_other_paths_are_none(path: str) -> None:
    """
    A name has letters, digits and hyphens, 32 at the most.
    """
    assert SOCKET_PATH.fullmatch(path) is None
