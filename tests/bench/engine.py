"""The engine's speed beside the list engine's, in the same run (DESIGN.md section 9)."""

import gc
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from random import Random
from statistics import median
from time import process_time_ns
from typing import TypeAlias

from shared import gamecode
from shared.attempt import Attempt, Entry, replay
from shared.cards import Card
from shared.gamecode import GameCode
from shared.games import RULES
from shared.moves import HOME, Move
from shared.position import Position
from shared.rules import Rules
from tests.bench.lists import ListTable

GAMES, MOVES = 20, 50
ALL = GAMES * MOVES
ROUNDS = 61
LIST_US = 0.58
"""Microseconds of this list engine's move on the machine that section 9's microseconds are for.

There another list engine took 0.93; side by side this one takes 0.62 of its time.
"""


ListGame: TypeAlias = tuple[list[list[int]], list[tuple[int, int, int]]]
"""Columns and moves (source, count, target)."""


@dataclass(frozen=True)
class Game:
    """Fifty legal moves from a deal."""

    code: GameCode
    moves: tuple[Move, ...]
    attempt: Attempt
    """With all of them played."""

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The log."""
        return self.attempt.entries


@dataclass(frozen=True)
class Measure:
    """Something to time."""

    name: str
    run: Callable[[], object]
    units: int
    """How often one run does it."""
    aim: float | None = None
    """At most so many of the list engine's moves (section 9); None: shown without an aim."""


@cache
def games(game: str) -> tuple[Game, ...]:
    """Return so many games by chance, leaning to progress, never back the way the last move came."""
    found, number = list[Game](), 0
    while len(found) < GAMES:
        number += 1
        played = _play(GameCode(game, 4, number))
        if played:
            found.append(played)
    return tuple(found)


def _play(code: GameCode) -> Game | None:
    random, attempt, last = Random(code.number), Attempt.start(code), None
    rules = code.rules
    while attempt.moves < MOVES:
        moves = [move for move in rules.legal_moves(attempt.position) if last is None or move != last.back]
        if not moves:
            return None
        progress = attempt.progress
        better = [
            move
            for move in moves
            if move.target == HOME or rules.progress(rules.apply(attempt.position, move)) > progress
        ]
        last = random.choice(better or moves)
        attempt = attempt.play(last, 1_000 * attempt.ply)
    return Game(code, tuple(move for _, move in attempt.past), attempt)


def as_cards(position: Position) -> list[list[int]]:
    """Return the columns in the list engine's form."""
    return [[Card(byte).suit * 13 + Card(byte).rank - 1 for byte in column] for column in position.columns]


def as_lists(game: Game) -> ListGame:
    """Return a game's first columns and moves in the list engine's form."""
    return as_cards(game.code.deal()), [(move.source, move.count, move.target) for move in game.moves]


def lists_play(tables: list[ListGame]) -> None:
    """Play every game with the list engine."""
    for columns, moves in tables:
        table = ListTable(columns)
        for source, count, target in moves:
            table.play(source, count, target)


def play(played: tuple[Game, ...]) -> None:
    """Play every game, each move as a player makes it."""
    for game in played:
        attempt = Attempt.start(game.code)
        for move, (at_ms, _) in zip(game.moves, game.entries, strict=True):
            attempt = attempt.play(move, at_ms)


def take(played: tuple[Game, ...]) -> None:
    """Play every game, each move as a text from the wire."""
    for game in played:
        attempt = Attempt.start(game.code)
        for entry in game.entries:
            attempt = attempt.take((entry,))


def play_late(attempt: Attempt, there: Move, back: Move) -> None:
    """Play to and fro at the end of a long log."""
    for _ in range(100):
        attempt.play(there, 0).play(back, 0)


def list_moves(rules: Rules, positions: list[Position]) -> None:
    """List the legal moves of every position."""
    for position in positions:
        rules.legal_moves(position)


def replay_all(played: tuple[Game, ...], *, cold: bool) -> None:
    """Replay every game; *cold*: its deal has to be made first."""
    for game in played:
        if cold:
            gamecode._dealt.cache_clear()
        replay(game.code, game.entries)


@cache
def measures() -> tuple[Measure, ...]:
    """Return what is timed; the first is the list engine's move, in which the others are counted."""
    simon, freecell = games("simple-simon"), games("freecell")
    shuttle = Move.parse("02"), Move.parse("20")
    long = replay(GameCode.parse("SS1-S1-AAAAAAE"), [(0, str(move)) for move in shuttle * 2_500])
    legal_aim, replay_aim = 10 / LIST_US, 60 / LIST_US
    positions = {game[0].code.game: [at for one in game for at, _ in one.attempt.past] for game in (simon, freecell)}
    return (
        Measure("a list engine's move", partial(lists_play, [as_lists(game) for game in simon]), ALL),
        Measure("Attempt.play, Simple Simon", partial(play, simon), ALL, 2),
        Measure("Attempt.play, FreeCell", partial(play, freecell), ALL, 2),
        Measure("Attempt.take of one text", partial(take, simon), ALL, 2),
        Measure("Attempt.play after 5,000 entries", partial(play_late, long, *shuttle), 200),
        *(
            Measure(f"legal_moves, {name}", partial(list_moves, RULES[name], at), ALL, legal_aim)
            for name, at in positions.items()
        ),
        Measure("replay of 50 moves, deal kept", partial(replay_all, simon, cold=False), GAMES, replay_aim),
        Measure("replay of 50 moves, deal cold", partial(replay_all, simon, cold=True), GAMES, replay_aim),
    )


def time_us(measure: Measure) -> float:
    """Return microseconds of this process for one unit: what others do on the machine counts little."""
    start = process_time_ns()
    measure.run()
    return (process_time_ns() - start) / 1_000 / measure.units


def rounds(timed: tuple[Measure, ...], count: int = ROUNDS) -> list[list[float]]:
    """Return microseconds by measure and round. Within a round all are timed one after the other, so they pair."""
    for measure in timed:
        measure.run()
    gc.collect()
    gc.disable()
    try:
        by_round = [[time_us(measure) for measure in timed] for _ in range(count)]
    finally:
        gc.enable()
    return [list(times) for times in zip(*by_round, strict=True)]


def table() -> str:
    """Measure, and return the figures as a table: medians, and medians of the ratios within each round."""
    timed = measures()
    times = rounds(timed)
    mean_run = sum(move.count for game in games("simple-simon") for move in game.moves) / ALL
    lines = [
        f"{GAMES} games of {MOVES} moves, {mean_run:.2f} cards a move in Simple Simon; {ROUNDS} paired rounds",
        f"{'':34}{'least us':>10}{'median us':>11}{'list moves':>12}{'aim':>7}",
    ]
    for measure, own in zip(timed, times, strict=True):
        ratio = median(mine / listed for mine, listed in zip(own, times[0], strict=True))
        aim = "" if measure.aim is None else f"{measure.aim:7.1f}" + ("" if ratio <= measure.aim else "  missed")
        lines.append(f"{measure.name:34}{min(own):10.2f}{median(own):11.2f}{ratio:12.2f}{aim}".rstrip())
    return "\n".join(lines)
