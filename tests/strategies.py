"""What hypothesis draws: codes, positions, and attempts in every state that play leads to."""

from functools import cache
from random import Random

from hypothesis import strategies as st

from shared.attempt import HINT, RESIGN, RESTART, UNDO, Attempt, State, replay
from shared.deal import HIGHEST
from shared.gamecode import GameCode
from shared.games import RULES
from shared.position import Position
from tests import vectors
from tests.play import KINDS, positions

MANY = 300
LINES = [(GameCode.parse(row["code"]), row["line"].split()) for row in vectors.rows("lines.jsonl")]

numbers = st.one_of(*(st.integers(low, high) for low, high in [(1, 2**31), (2**31, 2**32), (2**32, HIGHEST)]))
"""Deal numbers, as many from each band."""

codes = st.builds(lambda kind, number: GameCode(kind[0], kind[1], number), st.sampled_from(KINDS), numbers)


@cache
def _reached(game: str, suits: int) -> list[Position]:
    return positions(RULES[game], suits, seed=MANY, count=MANY)


@st.composite
def positions_in_play(draw: st.DrawFn) -> tuple[GameCode, Position]:
    """Draw a position that play leads to, early or late, with a code of its game and suits."""
    game, suits = draw(st.sampled_from(KINDS))
    return GameCode(game, suits, 1), draw(st.sampled_from(_reached(game, suits)))


def entry_at(attempt: Attempt, choice: int) -> str | None:
    """Return the entry that a number chooses among those that may follow, None where none does."""
    if attempt.state is not State.PLAYING:
        return None
    word, choice = choice % 32, choice // 32
    if word == 0 and attempt.past:
        return UNDO
    if word == 1 and choice % 4 == 0:
        return RESTART
    if word == 2 and attempt.rules.hint(attempt.position, attempt.past[-1][0] if attempt.past else None):
        return HINT
    moves = attempt.rules.legal_moves(attempt.position)
    if not moves or (word == 3 and choice % 32 == 0):
        return RESIGN
    return str(moves[choice % len(moves)])


def played(attempt: Attempt, choices: list[int]) -> Attempt:
    """Return the attempt that these choices lead to, one entry at a time, as a player would, or less if it ends."""
    for choice in choices:
        entry = entry_at(attempt, choice)
        if entry is None:
            break
        attempt = attempt.take([(attempt.last_ms + choice % 1_000, entry)])
    return attempt


choices = st.integers(0, 140).flatmap(lambda count: st.lists(st.integers(0, 2**16), min_size=count, max_size=count))
"""Up to 140 choices for `played`; as often many as few."""


@st.composite
def attempts(draw: st.DrawFn) -> Attempt:
    """Draw an attempt: up to 140 entries by chance, from a deal, or from some way along a line that wins and back.

    Some are won, some are resigned; in some a sequence has left and come back.
    """
    if draw(st.booleans()):
        return played(Attempt.start(draw(codes)), draw(choices))
    code, line = draw(st.sampled_from(LINES))
    ahead = draw(st.one_of(st.just(0), st.integers(0, 5), st.integers(0, len(line))))
    attempt = replay(code, [(0, text) for text in line[: len(line) - ahead]])
    back = min(draw(st.sampled_from([0, 1, 10, 40])), len(attempt.past)) if attempt.state is State.PLAYING else 0
    return played(attempt.take([(0, UNDO)] * back), draw(choices))


def seeded_moves(code: GameCode, seed: int, count: int) -> Attempt:
    """Return the attempt after up to so many moves by chance, and nothing but moves."""
    random, attempt = Random(seed), Attempt.start(code)
    for _ in range(count):
        moves = attempt.rules.legal_moves(attempt.position)
        if not moves:
            break
        attempt = attempt.play(random.choice(moves), attempt.last_ms)
    return attempt
