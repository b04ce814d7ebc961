"""The rebuild: what play wrote is what the records say; what was changed since is put right."""

import shutil
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from server.log import Batch, Player, RoomState
from server.race.outcome import Outcome
from server.race.race import Race
from server.race.said import Begin, Command
from server.race.start import COUNTDOWN_MS
from server.storage.rebuild import Rebuilt, rebuild
from server.storage.store import Store
from shared.attempt import State
from shared.errors import Reason
from shared.gamecode import GameCode
from shared.protocol.messages import Hint, Play, Resign, Restart, Undo
from shared.protocol.values import Options
from tests.server.racing import ANNA, BERT, CARL, DORA, STARTED_MS, attempt_of, counting_race, winning_lines
from tests.server.storing import alter, filled, opened_store, query, token_of

pytestmark = pytest.mark.xdist_group("rebuild")
"""Whatever runs beside them, one worker takes them all: what they look at takes longest to play."""

PLAYERS = (ANNA, BERT, CARL, DORA)
HOUR_MS = 3_600_000
RACES = 7
"""Of each game: one is practice, one is with hints, and five make an average."""


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
    """Let four race in both games: one wins, two wander, of whom one resigns, one is not there or wins as well."""
    await store.append(Batch(state=RoomState("ROOM", "{}")))
    for name in PLAYERS:
        player = Player(name, name.title())
        await store.add_player(player, token_of(player))
    for number, code, moves in lines():
        options = Options(game=code.game, suits=code.suits, hint=number % RACES == 2)
        race = replace(counting_race(*PLAYERS, options=options), id=f"race{number}")
        played = Played(store, race, COUNTDOWN_MS)
        begin = Begin(
            number=code.number,
            attempts=tuple(f"{number}-{player}" for player in PLAYERS),
            started_ms=STARTED_MS + number * HOUR_MS * 5,
            opened=frozenset([BERT] if number % RACES == 1 else []),
        )
        await played.say("", begin, 0)
        if number % RACES:
            played.race = without(played.race, DORA)
        await wander(played, BERT, Random(number))
        await wander(played, CARL, Random(-number))
        for move in moves if number % 5 != 4 else ():
            await played.play(ANNA, move)
        for move in moves if number % RACES == 0 else ():
            await played.play(DORA, move)
        await played.say(BERT, Resign(ply=attempt_of(played.race, BERT).ply))
        await played.wait(options.limit_ms)


def without(race: Race, player: str) -> Race:
    """Return a race in which no connection of *player* was ever open."""
    run = race.begun()
    unseen = replace(run.entrants[player], seen=False, away_ms=0)
    return replace(race, run=replace(run, entrants={**run.entrants, player: unseen}))


async def wander(played: Played, player: str, chance: Random) -> None:
    """Play by chance, with undo, restart and, where it is given, a hint."""
    for _ in range(chance.randrange(4, 12)):
        attempt = attempt_of(played.race, player)
        moves = attempt.rules.legal_moves(attempt.position)
        if moves:
            await played.play(player, str(chance.choice(moves)), chance.randrange(90))
    for command in (Undo, Restart, Hint):
        if command is Hint or chance.random() < 0.5:
            await played.say(player, command(ply=attempt_of(played.race, player).ply))


def rows_of(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return all attempts and tallies."""
    return {name: query(path, f"SELECT * FROM {name} ORDER BY 1, 2, 3, 4") for name in TABLES}


TABLES = ("attempts", "tallies")


@pytest.fixture(scope="module")
def played_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database in which races were played."""
    return filled(tmp_path_factory, raced)


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


async def test_all_that_an_attempt_can_come_to_was_played(played_database: Path) -> None:
    """The comparison above is of won, resigned, timed-out and void attempts, of hints, practice and averages."""

    def count(what: str) -> int:
        return int(query(played_database, f"SELECT count(*) FROM {what}")[0][0])

    for state in (State.SOLVED, State.RESIGNED, State.TIMED_OUT, State.VOID):
        assert count(f"attempts WHERE state = '{state}'") > 0
    for what in ("hints > 0", "practice", "ranked", "NOT ranked AND hints = 0", "NOT clean", "place IS NULL"):
        assert count(f"attempts WHERE {what}") > 0
    assert count("tallies WHERE average_ms IS NOT NULL AND period = 'all'") > 0


DAMAGES = {
    "result": "UPDATE attempts SET score = 1000, moves = 1, pace = 1, won = 0, clean = 1 - clean WHERE id = '0-anna'",
    "place": "UPDATE attempts SET place = 5 - place WHERE race = 'race1'",
    "ranked": "UPDATE attempts SET ranked = 1 WHERE hints > 0",
    "tally": "UPDATE tallies SET average_ms = 1, best_ms = 1, latest = '[]' WHERE period = 'all'",
    "tally missing": "DELETE FROM tallies WHERE player = 'anna'",
    "tally too many": "INSERT INTO tallies SELECT player, game, 2, period, attempts, solved, share, average_ms, "
    "best_ms, best_moves, best_started, best, latest FROM tallies WHERE game = 'simple-simon'",
}


@pytest.mark.parametrize("damage", DAMAGES)
async def test_what_was_changed_is_put_right(played_database: Path, tmp_path: Path, damage: str) -> None:
    """What someone has altered by hand is found, is left alone when only looking, and is as it was after a rebuild."""
    path = tmp_path / "race.db"
    shutil.copy(played_database, path)
    right = rows_of(path)
    alter(path, DAMAGES[damage])
    wrong = rows_of(path)
    assert wrong != right

    looked = await rebuilt(path, mends=False)
    assert looked.differences
    assert rows_of(path) == wrong

    assert await rebuilt(path) == looked
    assert rows_of(path) == right
    assert (await rebuilt(path)).differences == []


async def test_difference_says_what_was_wrong(played_database: Path, tmp_path: Path) -> None:
    """A difference names the attempt and, of its fields, those that differ, as they are and as they should be."""
    path = tmp_path / "race.db"
    shutil.copy(played_database, path)
    alter(path, "UPDATE attempts SET score = score + 7 WHERE id = '0-bert'")

    found = await rebuilt(path)

    assert [(each.what, list(each.stored), list(each.right)) for each in found.differences] == [
        ("0-bert", ["score"], ["score"])
    ]
    assert found.differences[0].stored["score"] == found.differences[0].right["score"] + 7


RECORDS = {
    "missing": ("NULL", Reason.BAD_RECORD),
    "torn": ("substr(record, 1, 50)", Reason.BAD_RECORD),
    "another deal's": ("(SELECT record FROM attempts WHERE id = '1-anna')", Reason.BAD_RECORD),
}


@pytest.mark.parametrize("kind", RECORDS)
async def test_attempt_without_a_proof_is_left_as_it_is(played_database: Path, tmp_path: Path, kind: str) -> None:
    """An attempt whose record is missing, torn or of another deal is named, and nothing about its race is changed."""
    path = tmp_path / "race.db"
    shutil.copy(played_database, path)
    record, reason = RECORDS[kind]
    alter(path, f"UPDATE attempts SET record = {record} WHERE id = '0-anna'")
    before = rows_of(path)

    found = await rebuilt(path)

    assert [(each.attempt, each.error.reason) for each in found.unproven] == [("0-anna", reason)]
    assert found.differences == []
    assert rows_of(path) == before


async def test_race_that_runs_is_passed_over(database: Path) -> None:
    """An attempt that goes on is not counted, one that has ended in the same race is, without a place."""
    async with opened_store(database) as store:
        await store.append(Batch(state=RoomState("ROOM", "{}")))
        for name in PLAYERS:
            await store.add_player(Player(name, name), token_of(Player(name, name)))
        played = Played(store, counting_race(ANNA, BERT), COUNTDOWN_MS)
        await played.say("", Begin(number=5, attempts=("a", "b"), started_ms=STARTED_MS), 0)
        await played.say(ANNA, Resign(ply=0))

        found = await rebuild(store)

    assert (found.attempts, found.differences, found.unproven) == (1, [], [])
