"""The rebuild: what play wrote is what the records say; what was changed since is put right."""

import sqlite3
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from server.log import Batch, Player, RoomState
from server.outcome import Outcome
from server.race import Race
from server.rebuild import Rebuilt, rebuild
from server.said import Begin, Command
from server.start import COUNTDOWN_MS
from server.store import Store
from shared.attempt import State
from shared.gamecode import GameCode
from shared.moves import Move
from shared.protocol.messages import Hint, Play, Resign, Restart, Undo
from shared.protocol.values import Options
from tests.server.racing import ANNA, BERT, CARL, DORA, PLAYERS, STARTED_MS, attempt_of, counting_race, winning_lines
from tests.server.storing import opened_store, token_of

HOUR_MS = 3_600_000
RACES = 6
"""Of each game: five make an average."""


class Played:
    """A race that is handled as a room does it: each outcome is stored."""

    def __init__(self, store: Store, race: Race, now_ms: int) -> None:
        self.store = store
        self.race = race
        self.now_ms = now_ms

    async def say(self, player: str, command: Command, later_ms: int = 700) -> None:
        """Let *player* say something, some time after what was said last."""
        self.now_ms += later_ms
        self.race, outcome = self.race.handle(player, command, self.now_ms)
        await self.write(outcome)

    async def wait(self, ms: int) -> None:
        """Let time pass."""
        self.now_ms += ms
        self.race, outcome = self.race.tick(self.now_ms)
        await self.write(outcome)

    async def play(self, player: str, move: str, later_ms: int = 700) -> None:
        """Let *player* play a move."""
        await self.say(player, Play(ply=attempt_of(self.race, player).ply, move=move), later_ms)

    async def write(self, outcome: Outcome) -> None:
        """Store what is to be written."""
        await self.store.append(
            Batch(
                rows=outcome.log,
                begun=outcome.begun,
                ended=outcome.ended,
                finished=outcome.finished,
                opened=outcome.opened,
            )
        )


def lines() -> Iterator[tuple[int, GameCode, tuple[str, ...]]]:
    """Yield a number for each race, its deal and moves that win it."""
    chosen = [line for game in ("simple-simon", "freecell") for line in islice(winning_lines(game), RACES)]
    for number, (code, moves) in enumerate(chosen):
        yield number, GameCode.parse(code), moves


async def raced(store: Store) -> None:
    """Let four players race in both games: one wins, one wanders and resigns, one takes hints, one is never there."""
    await store.append(Batch(state=RoomState("ROOM", "{}")))
    for name in PLAYERS:
        player = Player(name, name.title())
        await store.add_player(player, token_of(player))
    for number, code, moves in lines():
        options = Options(game=code.game, suits=code.suits, hint=number % 3 == 2)
        race = replace(counting_race(*PLAYERS, options=options), id=f"race{number}")
        played = Played(store, race, COUNTDOWN_MS)
        begin = Begin(
            number=code.number,
            attempts=tuple(f"{number}-{player}" for player in PLAYERS),
            started_ms=STARTED_MS + number * HOUR_MS * 5,
            opened=frozenset([BERT] if number % 3 == 1 else []),
        )
        await played.say("", begin, 0)
        run = played.race.begun()
        unseen = replace(run.entrants[DORA], seen=False, away_ms=0)
        played.race = replace(played.race, run=replace(run, entrants={**run.entrants, DORA: unseen}))
        await wander(played, BERT, Random(number))
        await wander(played, CARL, Random(-number))
        for move in moves if number % 5 != 4 else ():
            await played.play(ANNA, move)
        await played.say(BERT, Resign(ply=attempt_of(played.race, BERT).ply))
        await played.wait(options.limit_ms)


async def wander(played: Played, player: str, chance: Random) -> None:
    """Play by chance, with undo, restart and, where they are allowed, hints."""
    for _ in range(chance.randrange(4, 12)):
        attempt = attempt_of(played.race, player)
        move: Move = chance.choice(attempt.rules.legal_moves(attempt.position))
        await played.play(player, str(move), chance.randrange(90))
    for command in (Undo, Restart, Hint):
        if chance.random() < 0.5:
            await played.say(player, command(ply=attempt_of(played.race, player).ply))


def rows_of(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return all attempts and tallies."""
    connection = sqlite3.connect(path)
    found = {name: connection.execute(f"SELECT * FROM {name} ORDER BY 1, 2, 3, 4").fetchall() for name in TABLES}
    connection.close()
    return found


TABLES = ("attempts", "tallies")


@pytest.fixture(scope="module")
def played_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database in which races were played."""
    import asyncio

    path = tmp_path_factory.mktemp("played") / "race.db"

    async def play() -> None:
        async with opened_store(path) as store:
            await raced(store)

    asyncio.run(play())
    return path


async def rebuilt(path: Path, *, mends: bool = True) -> Rebuilt:
    """Rebuild a database."""
    async with opened_store(path) as store:
        return await rebuild(store, mends=mends)


async def test_what_play_wrote_is_what_the_records_say(played_database: Path) -> None:
    """Every result, place, mark and tally of races in both games comes out of the records as it was written."""
    found = await rebuilt(played_database, mends=False)

    rows = rows_of(played_database)
    assert (found.differences, found.unproven) == ([], [])
    assert (found.attempts, found.tallies) == (4 * 2 * RACES, len(rows["tallies"]))
