"""Pools: what is drawn, and that every line wins."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from time import process_time

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shared
from shared.attempt import State, replay
from shared.deal import HIGHEST
from shared.errors import AssetError, Reason
from shared.gamecode import GameCode
from shared.games import RULES
from shared.games.freecell import FreeCell
from shared.moves import Move
from shared.pool import Draw, Pool, edition, pack_line, unpack_line
from shared.position import Position
from tests.games_for_tests import third_game
from tests.pack_pool import packed, pool_of
from tests.strategies import LINES, seeded_moves

FILES = Path(shared.__file__).parent / "data"
SIMPLE_SIMON, FREECELL = RULES["simple-simon"], RULES["freecell"]
POOLS = {rules.name: Pool.parse((FILES / f"{edition(rules)}.pool").read_bytes()) for rules in RULES.values()}
LOSERS = {11982, 146692, 186216, 455889, 495505, 512118, 517776, 781948}
SMALL = Pool(SIMPLE_SIMON, (3, 5, 8, 13, 21))


KINDS = [(name, suits) for name, pool in POOLS.items() for suits in pool.lines]
"""Every game and number of suits that has lines."""


class Entropy:
    """Answers with one place, and keeps what it was asked."""

    def __init__(self, place: int) -> None:
        self.place, self.asked = place, list[int]()

    def __call__(self, below: int) -> int:
        self.asked.append(below)
        return self.place if self.place >= 0 else below + self.place


def drawn(pool: Pool, place: int, *opened: int) -> int:
    """Return the number drawn at a place, from the end where it is negative."""
    draw = pool.draw(Entropy(place), opened)
    assert not draw.practice
    return draw.number


def check_lines(game: str, suits: int, numbers: tuple[int, ...]) -> None:
    """Play the line of each number to its win, by the same path as a player's moves."""
    for number in numbers:
        code = GameCode(game, suits, number)
        line = POOLS[game].line(code)
        assert line
        assert replay(code, [(0, str(move)) for move in line]).state is State.SOLVED


# The lines


def test_pools_are_whole() -> None:
    """5,000 numbers of each game, ascending, each with a line for every number of suits."""
    assert set(KINDS) == {("simple-simon", 1), ("simple-simon", 2), ("simple-simon", 4), ("freecell", 4)}
    for pool in POOLS.values():
        assert len(set(pool.numbers)) == 5_000
        assert list(pool.numbers) == sorted(pool.numbers)
        assert all(len(lines) == 5_000 for lines in pool.lines.values())
    assert all(32_000 < number <= HIGHEST for number in POOLS["simple-simon"].numbers)
    assert all(32_000 < number <= 1_000_000 for number in POOLS["freecell"].numbers)
    assert not LOSERS & set(POOLS["freecell"].numbers)


@pytest.mark.parametrize(("game", "suits"), KINDS)
def test_lines_win(game: str, suits: int) -> None:
    """One in four hundred of them; the others are played under `soak`."""
    check_lines(game, suits, POOLS[game].numbers[suits::400])


@pytest.mark.soak
@pytest.mark.parametrize("part", range(10))
@pytest.mark.parametrize(("game", "suits"), KINDS)
def test_every_line_wins(game: str, suits: int, part: int) -> None:
    """All 20,000 of them."""
    check_lines(game, suits, POOLS[game].numbers[part::10])


def test_line_is_the_one_that_was_packed() -> None:
    """Some of each file, as the search found them, move by move."""
    for code, line in LINES[::4]:
        pool = POOLS[code.game]
        if code.number in pool.numbers:
            found = pool.line(code)
            assert found is not None
            assert [str(move) for move in found] == line
            assert pool.has_line(code)


@pytest.mark.parametrize(
    "code",
    [
        GameCode("simple-simon", 1, 35),
        GameCode("freecell", 4, 11982),
        GameCode("simple-simon", 1, HIGHEST),
        GameCode("freecell", 4, POOLS["simple-simon"].numbers[0]),
    ],
)
def test_number_without_a_line_has_none(code: GameCode) -> None:
    """A number that is not in the pool, or in another game's, or with suits that the pool knows no lines for."""
    pool = POOLS[code.game]
    assert pool.line(code) is None
    assert not pool.has_line(code)
    other = GameCode("freecell", 4, POOLS["simple-simon"].numbers[0])
    assert POOLS["simple-simon"].line(other) is None
    assert Pool(SIMPLE_SIMON, (35,), {4: (b"",)}).line(GameCode("simple-simon", 1, 35)) is None


@given(st.sampled_from(LINES), st.integers(0, 200))
@settings(max_examples=settings().max_examples // 4)
def test_line_comes_back(coded: tuple[GameCode, list[str]], start: int) -> None:
    """From any point on its way to the win, a line is packed and unpacked to the same moves."""
    code, line = coded
    moves = [Move.parse(text) for text in line]
    position = replay(code, [(0, text) for text in line[: min(start, len(line))]]).position
    rest = tuple(moves[start:])
    assert unpack_line(code.rules, position, pack_line(code.rules, position, rest)) == rest


@pytest.mark.parametrize("damage", [lambda good: b"", lambda good: good[:-1], lambda good: good + b"\1"])
def test_damaged_line_is_refused(damage: Callable[[bytes], bytes]) -> None:
    """Bytes that stand for no line to the win are an error, never a line that does not win."""
    code, line = LINES[0]
    with pytest.raises(AssetError) as refused:
        unpack_line(code.rules, code.deal(), damage(packed(code, " ".join(line))))
    assert (refused.value.reason, refused.value.params) == (Reason.BAD_POOL, {"place": "$.lines"})


def test_line_ends_with_the_win() -> None:
    """What a number holds beyond the winning move is damage too."""
    code, line = LINES[0]
    rules, position = code.rules, replay(code, [(0, text) for text in line[:-1]]).position
    legal = rules.legal_moves(position)
    last = legal.index(Move.parse(line[-1]))
    assert unpack_line(rules, position, bytes([last])) == (legal[last],)
    with pytest.raises(AssetError):
        unpack_line(rules, position, bytes([last + len(legal)]))


def test_line_without_end_is_refused() -> None:
    """What never comes to the win is given up where an attempt would be."""
    moves = [Move.parse(text) for _, text in seeded_moves(GameCode("freecell", 4, 1), seed=3, count=5).entries]
    with pytest.raises(AssetError):
        unpack_line(FREECELL, FREECELL.deal(1, 4), pack_line(FREECELL, FREECELL.deal(1, 4), moves))


def test_line_of_megabytes_is_refused_at_once() -> None:
    """What is longer than any line is not taken apart, which would take minutes; nor are leading zeros."""
    for packed_line in (b"\1" * 15_000_000, b"\0" * 2_001):
        started = process_time()
        with pytest.raises(AssetError) as refused:
            unpack_line(FREECELL, FREECELL.deal(1, 4), packed_line)
        assert (refused.value.reason, refused.value.params) == (Reason.BAD_POOL, {"place": "$.lines"})
        assert process_time() - started < 0.1


def test_line_into_a_dead_end_is_refused() -> None:
    """Where no move is left there is no digit to read."""
    with pytest.raises(AssetError):
        unpack_line(DeadEnd(), FREECELL.deal(1, 4), b"\1")


class DeadEnd(FreeCell):
    """FreeCell in which nothing may be moved."""

    def legal_moves(self, position: Position) -> list[Move]:
        return []


# The file


def test_file_comes_back() -> None:
    """A pool is read from what it packs; those that are shipped are byte for byte what this code packs."""
    for name, pool in POOLS.items():
        assert pool.pack() == (FILES / f"{edition(RULES[name])}.pool").read_bytes()
    assert Pool.parse(SMALL.pack()) == SMALL


@pytest.mark.parametrize(
    "changes",
    [
        {"format": "samedeal-pool/2"},
        {"edition": "XX1"},
        {"edition": "FC2"},
        {"suits": [3]},
        {"suits": [1, 2]},
        {"suits": [1, 1], "lines": [[b"\1", b"\1"], [b"\1", b"\1"]]},
        {"suits": []},
        {"numbers": [3, 3]},
        {"numbers": [5, 3]},
        {"numbers": [0, 3]},
        {"numbers": [3, 2**33]},
        {"numbers": [3]},
        {"numbers": ["3", "5"]},
        {"lines": [[b"\1"]]},
        {"lines": [[b"\1", b"\1"], [b"\1", b"\1"]]},
        {"lines": [["\1", "\1"]]},
        {"lines": []},
    ],
)
def test_file_of_another_shape_is_refused(changes: dict[str, object]) -> None:
    """Another format or game, numbers out of order or range, lines that do not go with the numbers."""
    file = {"format": "samedeal-pool/1", "edition": "SS1", "suits": [1], "numbers": [3, 5], "lines": [[b"\1", b"\1"]]}
    assert Pool.parse(msgpack.packb(file)).numbers == (3, 5)
    with pytest.raises(AssetError) as refused:
        Pool.parse(msgpack.packb({**file, **changes}))
    assert refused.value.reason is Reason.BAD_POOL


def test_packer_makes_a_pool_of_lines() -> None:
    """Rows in any order; a line that does not win is not packed."""
    one, other = (number for number in POOLS["freecell"].numbers[:2])
    rows = [{"number": number, "line": text_of("freecell", 4, number)} for number in (other, one)]
    pool = pool_of("freecell", rows)
    assert pool.numbers == (one, other)
    assert pool.lines == {4: POOLS["freecell"].lines[4][:2]}

    number = POOLS["simple-simon"].numbers[0]
    lines = {f"S{suits}": text_of("simple-simon", suits, number) for suits in (1, 2, 4)}
    assert pool_of("simple-simon", [{"number": number, "lines": lines}]).line(GameCode("simple-simon", 2, number))

    with pytest.raises(ValueError, match="FC1-"):
        pool_of("freecell", [{"number": one, "line": "1a"}])


def text_of(game: str, suits: int, number: int) -> str:
    """Return a line as move text."""
    return " ".join(map(str, POOLS[game].line(GameCode(game, suits, number)) or ()))


# The draw


@pytest.mark.parametrize("opened", [(), (3,), (21,), (5, 8), (13, 3, 99), (8, 5, 3, 13)])
def test_draw_asks_for_a_place_among_what_is_left(opened: tuple[int, ...]) -> None:
    """Each number that is not opened answers to exactly one place, the others to none."""
    left = [number for number in SMALL.numbers if number not in opened]
    for place, number in enumerate(left):
        entropy = Entropy(place)
        assert SMALL.draw(entropy, opened) == Draw(number, practice=False)
        assert entropy.asked == [len(left)]


@pytest.mark.parametrize(
    ("opened", "oldest"), [((8, 3, 21, 5, 13), 8), ((99, 8, 3, 21, 5, 13), 8), ((8, 3, 21, 5, 13, 8), 3)]
)
def test_with_all_opened_the_oldest_is_practice(opened: tuple[int, ...], oldest: int) -> None:
    """The one opened longest ago, by its last opening; no entropy is asked for."""
    entropy = Entropy(0)
    assert SMALL.draw(entropy, opened) == Draw(oldest, practice=True)
    assert not entropy.asked


def test_simple_simon_draws_from_its_pool() -> None:
    """Both ends of it are drawn, and nothing beyond."""
    pool = POOLS["simple-simon"]
    assert (drawn(pool, 0), drawn(pool, -1)) == (pool.numbers[0], pool.numbers[-1])


def test_freecell_draws_from_the_first_million_without_the_losers() -> None:
    """The number after a loser takes its place, whether the loser was opened or not."""
    pool = POOLS["freecell"]
    assert FREECELL.losers == LOSERS
    assert (drawn(pool, 0), drawn(pool, -1)) == (1, 1_000_000)
    assert (drawn(pool, 11_980), drawn(pool, 11_981)) == (11_981, 11_983)
    assert drawn(pool, 0, 11_982, 1, 2, 3) == 4
    entropy = Entropy(0)
    pool.draw(entropy, (11_982, 7, 2_000_000))
    assert entropy.asked == [1_000_000 - 8 - 1]


class Dozen(FreeCell):
    """FreeCell with twelve numbers."""

    drawn, losers = range(1, 13), frozenset({7, 12})


def test_loser_is_no_practice_either() -> None:
    """With all opened, the oldest that can be won; with all but one, that one."""
    opened = (7, 12, 3, 1, 2, 4, 5, 6, 8, 9, 10, 11)
    assert Pool(Dozen()).draw(Entropy(0), opened) == Draw(3, practice=True)
    assert Pool(Dozen()).draw(Entropy(0), opened[:-1]) == Draw(11, practice=False)


def test_draw_is_even() -> None:
    """With honest entropy each number comes about as often."""
    random, counts = Random(7), dict.fromkeys(SMALL.numbers, 0)
    for _ in range(4_000):
        counts[SMALL.draw(random.randrange, (8,)).number] += 1
    assert counts.pop(8) == 0
    assert all(850 < count < 1_150 for count in counts.values())


def test_game_without_a_pool_draws_from_what_its_rules_say() -> None:
    """A third game needs no file: it draws from the numbers of its rules, or from all there are, and has no lines."""
    with third_game() as rules:
        assert rules.drawn is not None
        assert drawn(Pool(rules), -1) == rules.drawn[-1]
        assert Pool(rules).line(GameCode(rules.name, 4, 1)) is None
    assert drawn(Pool(SIMPLE_SIMON), -1) == HIGHEST
    assert drawn(Pool(SIMPLE_SIMON), 0, 1) == 2
