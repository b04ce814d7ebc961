"""The load itself, small: real processes, real sockets, a database on disk."""

import asyncio
import sys
from asyncio import Future, get_running_loop
from pathlib import Path

import pytest

from server.storage.boards import Board
from server.storage.reader import Reader
from shared.protocol.codec import server_codecs
from shared.protocol.messages import Play
from tests.load import compare, racing
from tests.load.compare import checkout
from tests.load.guest import Racer, Trouble
from tests.load.pages import FAR_DOWN, FAVOURED, FEW, GAME, SUITS, fill, page_measures
from tests.load.process import ROOT
from tests.load.rooms import raced
from tests.load.rounds import rounds
from tests.load.scenario import Scenario
from tests.load.starts import start_measures
from tests.load.window import begin, counted

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform != "linux", reason="reads the clocks of other processes"),
]

SMALL = Scenario(name="small", shows="", rooms=1, seats=2, movers=1, spectators=1, idle=3, anchor="broadcast")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is measured in tests leaves nothing behind."""
    for module in (compare, racing):
        monkeypatch.setattr(module, "FOLDER", tmp_path)


def test_move_is_a_command_of_the_wire() -> None:
    """What a racer sends is read by the server's codec: one cell up or down, at the ply that is next."""

    async def sent() -> list[bytes]:
        racer = Racer(get_running_loop().create_future(), None)
        return [racer.move(number) for number in (0, 1, 300)]

    codec = server_codecs()["samedeal.v1.msgpack"]

    assert [codec.decode(message) for message in asyncio.run(sent())] == [
        Play(id=1, ply=0, move="02"),
        Play(id=1, ply=1, move="20"),
        Play(id=1, ply=300, move="02"),
    ]


async def test_row_tells_what_came_of_a_round() -> None:
    """A row has moves, what all who are there heard of them, and what they cost."""
    race, anchor = await rounds(SMALL, count=1, seconds=1)

    assert (race.server, anchor.server) == ("samedeal", "broadcast")
    for row in (race, anchor):
        assert row.moves
        assert 0 < row.p50_ms <= row.p99_ms <= row.p999_ms
        assert 0 < row.cpu_us < 1e6 * row.seconds / row.moves
        assert 0 < row.load_core <= 1.01
    # The mover's answer and, at most once a move, the standings for all three of a room; all six hear every broadcast.
    # The window may begin with the standings of the move before it.
    assert 1 < race.deliveries <= 4 + 3 / race.moves
    assert anchor.deliveries > 4


async def test_lost_connection_ends_the_round() -> None:
    """Where the server is gone there is no row, but a word of it."""
    async with racing.racing() as server:
        broken: Future[None] = get_running_loop().create_future()
        crowd = await raced(SMALL, server.port, broken)
        begin(crowd, None)
        server.kill()
        with pytest.raises(Trouble, match="lost"):
            await counted(server, crowd, broken, 60)


async def test_refusal_ends_the_round() -> None:
    """Where a move is refused there is no row, but a word of it."""
    async with racing.racing() as server:
        broken: Future[None] = get_running_loop().create_future()
        crowd = await raced(SMALL, server.port, broken)
        crowd.movers[0].send(crowd.movers[0].move(7))
        with pytest.raises(Trouble, match="STALE_PLY"):
            await asyncio.wait_for(broken, 20)
        broken = get_running_loop().create_future()
        for guest in crowd.guests:
            guest.leave()


@pytest.mark.parametrize("attempts", [FEW, 20_000])
async def test_pages_that_are_timed_are_full(tmp_path: Path, attempts: int) -> None:
    """The databases that are made have lines on every page; who asks is on no board's first page, nor unplaced."""
    fill(tmp_path / "full.sqlite", attempts)
    reader = await Reader.open(tmp_path / "full.sqlite")

    deal, played = await reader.deal(GAME, 4, SUITS), await reader.played(FAVOURED)
    boards = [await reader.board(board, GAME, SUITS, "all", FAR_DOWN) for board in Board]
    await reader.close()

    assert (len(deal), len(played)) == (100, 50)
    assert [len(board.lines) for board in boards] == [100, 100, 100]
    assert all(board.own and board.own.place and board.own.place > 100 for board in boards)


async def test_pages_are_timed_side_by_side(tmp_path: Path) -> None:
    """Each page has its time and its ratio."""
    found = await page_measures(tmp_path, many=400, few=200)

    assert len(found) == 2 * (2 + len(Board))
    assert all(value > 0 for measure in found for value in measure.values)


async def test_races_that_are_rebuilt_are_there(tmp_path: Path) -> None:
    """What is started again has the races that were under way, each with its moves."""
    live = Scenario(name="live", shows="", rooms=3, seats=1, movers=1)

    first, start, rebuilt = await start_measures(tmp_path, 1, live, moves=5)
    reader = await Reader.open(tmp_path / "live.sqlite")
    races = await reader.live_races()
    await reader.close()

    assert len(races) == 3
    assert all(len(race.rows) > 5 for race in races)  # type: ignore[union-attr]
    assert first.values[0] > 0
    assert start.values[0] > 0
    assert rebuilt.name.startswith("3 races of ")


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="no checkout")
def test_commit_is_lent_and_taken_back() -> None:
    """A commit's own files are there as long as it is compared, and no worktree stays."""
    with checkout("HEAD") as tree:
        assert (tree / "samedeal.py").is_file()
        assert tree.resolve() != ROOT

    assert not tree.exists()
