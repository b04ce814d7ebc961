"""The server's commands, and the server as a process of its own: how it starts, stops and dies."""

import asyncio
import os
import re
import signal
import socket
import sqlite3
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from samedeal import main
from server import cli
from server.database import Ownership
from server.log import Batch, DealLine, Player
from server.outcome import Outcome
from server.store import Store
from shared.attempt import State
from shared.gamecode import GameCode
from shared.protocol.codec import MsgpackCodec
from shared.protocol.messages import Began, Done, Hello, Play, Played, Resign, Start
from shared.record import Record, verify, verify_text
from tests.fake_clock import FakeClock
from tests.server.racing import ANNA, BERT, SHUTTLE, attempt_of, began_ms, begun, counting_race
from tests.server.visiting import Visitor

ROOT = Path(__file__).parents[2]
STOP_S = 5.0
"""A server that is told to stop is gone by then."""


# Reading commands


@pytest.fixture
def played(prepared: Path) -> Path:
    """A database with one race on SHUTTLE: Anna made two moves and resigned, Bert had seen the deal and did nothing."""
    asyncio.run(play(prepared))
    return prepared


async def play(path: Path) -> None:
    """Play a race and write it."""
    race = counting_race(ANNA, BERT)
    outcomes: list[Outcome] = []
    race, outcome = begun(race, 4, 3_000)
    outcomes.append(outcome)
    for player, command in (
        (ANNA, Play(ply=0, move="02")),
        (ANNA, Play(ply=1, move="35")),
        (ANNA, Resign(ply=2)),
        (BERT, Resign(ply=0)),
    ):
        race, outcome = race.handle(player, command, began_ms(race) + 61_234)
        outcomes.append(outcome)
    assert attempt_of(race, ANNA).ply == 3
    store = await Store.open(path, clock=FakeClock())
    await store.add_room("ROOM")
    for player in (ANNA, BERT):
        await store.add_player(Player(player, player.title()), player.encode().ljust(32))
    for each in outcomes:
        await store.append(Batch(rows=each.log, begun=each.begun, ended=each.ended, finished=each.finished))
    await store.close()


def test_leaderboard_lists_a_deals_attempts(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """
    Best first, with name, result and the id by which an attempt is exported.
    """
    assert cli.leaderboard(["--database", str(played), "--deal", "ss1 s1 aaaaaae"]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head == f"{SHUTTLE}: 2 attempts"
    assert [line.split() for line in lines] == [
        ["1", "Anna", "resigned,", "progress", "6", "anna's"],
        ["2", "Bert", "resigned,", "progress", "4", "bert's"],
    ]


def test_leaderboard_of_a_deal_that_nobody_played(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """
    That is no mistake.
    """
    assert cli.leaderboard(["--database", f"sqlite:///{played}", "--deal", "#11982"]) == 0
    assert capsys.readouterr().out == "FC1-AAAALWO: nobody has played this deal yet.\n"


def test_export_prints_a_record_that_holds(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """
    One line of JSON, as `samedeal verify` reads it.
    """
    assert cli.export(["--database", str(played), "anna's"]) == 0
    text = capsys.readouterr().out
    record = Record.parse(text)
    assert verify(record).ok
    assert verify_text(text).ok
    assert record.entries == ((61_234, "02"), (61_234, "35"), (61_234, "resign"))
    assert (record.player, str(record.code)) == ("Anna", SHUTTLE)


@pytest.mark.parametrize("command", [("leaderboard", "--deal", SHUTTLE), ("export", "x")])
def test_reading_makes_no_database(
    command: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """
    A file that is not there is told by its name, and is not there afterwards.
    """
    path = tmp_path / "none.db"
    assert main([*command, "--database", str(path)]) == 1
    assert capsys.readouterr().err == f"samedeal: The database can't be used: no file {path}.\n"
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_answered_is_status_1(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """
    One line on the error stream says why.
    """
    database = ["--database", str(played)]
    assert main(["leaderboard", *database, "--deal", "SS1-S3-AAAAAAE"]) == 1
    assert main(["export", *database, "unknown"]) == 1
    assert main(["leaderboard", "--database", "mysql://host/name", "--deal", SHUTTLE]) == 1
    wrong, unknown, foreign = capsys.readouterr().err.splitlines()
    assert wrong == "samedeal: S3 is no number of suits of this game: write one of S1 S2 S4."
    assert "no record of an attempt 'unknown'" in unknown
    assert foreign.startswith("samedeal: The database can't be used: ")


def test_record_of_a_live_attempt_is_not_there_yet(prepared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """
    Nothing of a running race is handed out.
    """

    async def begin() -> None:
        _, outcome = begun(counting_race(ANNA), 4, 3_000)
        store = await Store.open(prepared, clock=FakeClock())
        await store.add_room("ROOM")
        await store.add_player(Player(ANNA, "Anna"), b"a" * 32)
        await store.append(Batch(rows=outcome.log, begun=outcome.begun))
        await store.close()

    asyncio.run(begin())
    assert cli.export(["--database", str(prepared), "anna's"]) == 1
    assert "still played" in capsys.readouterr().err
    assert cli.leaderboard(["--database", str(prepared), "--deal", SHUTTLE]) == 0
    assert "nobody" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("won", "elapsed_ms", "text"),
    [
        (True, 61_234, "1:01.2  49 moves, 851"),
        (True, 3_599_999, "59:59.9  49 moves, 851"),
        (False, 9, "abandoned, progress 12"),
    ],
)
def test_result_is_a_few_words(won: bool, elapsed_ms: int, text: str) -> None:
    """
    Time, moves and score of a win; how and how far of anything else.
    """
    line = DealLine(
        attempt="a",
        race="r",
        player="p",
        name="Anna",
        started="2026-01-01T00:00:00.000Z",
        state=State.ABANDONED,
        won=won,
        score=851,
        moves=49,
        home=0,
        progress=12,
        elapsed_ms=elapsed_ms,
        clean=True,
        practice=False,
        ranked=False,
        options="{}",
    )
    assert cli._result(line) == text


# Writing commands


def test_migrate_makes_the_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """
    Once or twice is the same; while a server owns the database it is refused.
    """
    path = tmp_path / "race.db"
    for _ in range(2):
        assert cli.migrate(["--database", str(path)]) == 0
        assert capsys.readouterr().out == f"{path} is up to date.\n"
    owner = Ownership(path)
    assert main(["migrate", "--database", str(path)]) == 1
    owner.release()
    held = f"samedeal: Another server uses the database {path}: stop that one or choose another file.\n"
    assert capsys.readouterr().err == held
    assert main(["migrate", "--database", str(tmp_path / "nowhere" / "race.db")]) == 1


def test_default_database_has_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """
    The first start on a machine finds no folder for the program's files, and makes it.
    """
    path = tmp_path / "share" / "samedeal" / "race.db"
    monkeypatch.setattr(cli, "DEFAULT_DATABASE", str(path))
    assert cli.migrate([]) == 0
    assert path.is_file()
    assert str(path) in capsys.readouterr().out


@pytest.mark.parametrize("port", ["-1", "65536", "http", "", "8_0", "٨٠"])
def test_wrong_port_is_wrong_usage(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    """
    Status 2, and what would be right.
    """
    with pytest.raises(SystemExit) as left:
        cli.serve([f"--port={port}"])
    assert left.value.code == 2
    assert "they are 0 to 65535" in capsys.readouterr().err


def test_serve_says_why_it_cannot(prepared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """
    A port that is taken, an address that is another machine's, a database that another server has: status 1, a line.
    """
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["serve", "--database", str(prepared), "--port", str(port)]) == 1
    assert "address already in use" in capsys.readouterr().err
    owner = Ownership(prepared)
    assert main(["serve", "--database", str(prepared), "--port", "0"]) == 1
    owner.release()
    assert f"Another server uses the database {prepared}: " in capsys.readouterr().err
    assert main(["serve", "--database", str(prepared.parent), "--port", "0"]) == 1


# The process


class Process:
    """`samedeal serve` as a child."""

    def __init__(self, child: asyncio.subprocess.Process, port: int) -> None:
        self.child = child
        self.port = port

    def visitor(self, name: str) -> Visitor:
        """Return a client for its room."""
        return Visitor(f"ws://127.0.0.1:{self.port}/ws/ROOM", Hello(name=name), MsgpackCodec.subprotocol)

    async def left(self) -> tuple[int, str]:
        """Return exit status and error stream once it is gone."""
        _, errors = await self.child.communicate()
        assert self.child.returncode is not None
        return self.child.returncode, errors.decode()


@asynccontextmanager
async def process(path: Path) -> AsyncIterator[Process]:
    """Lend a server process on *path*, once it has printed its address."""
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "samedeal", "serve", "--port", "0", "--database", str(path)),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={name: value for name, value in os.environ.items() if not name.startswith("COV")},
    )
    try:
        assert child.stdout is not None
        line = (await child.stdout.readline()).decode()
        found = re.fullmatch(r"Same Deal listens on http://127\.0\.0\.1:(\d+) \(ws://127\.0\.0\.1:\1/ws/ROOM\)\n", line)
        assert found, line
        yield Process(child, int(found[1]))
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()


async def race_alone(visitor: Visitor) -> str:
    """Begin a race for one and return its id."""
    assert isinstance(await visitor.ask(Start(countdown=1)), Done)
    return (await visitor.hears(Began)).race


def entries_in(path: Path, race: str) -> list[str]:
    """Return the entries of an attempt of *race* in the log, as any program reads them."""
    connection = sqlite3.connect(path)
    rows = "SELECT entry FROM log JOIN races ON race = key WHERE races.id = ? AND attempt IS NOT NULL ORDER BY seq"
    found = [entry for (entry,) in connection.execute(rows, (race,))]
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
    return found


async def moved(visitor: Visitor, many: int) -> list[str]:
    """Play so many moves, each once the last is acknowledged; return them."""
    played = []
    for _ in range(many):
        move = next_move(visitor)
        assert isinstance(await visitor.ask(Play(ply=0, move=move)), Played)
        played.append(move)
    return played


def next_move(visitor: Visitor) -> str:
    """Return a legal move for the table that *visitor* sees."""
    assert visitor.view.code is not None
    assert visitor.view.table is not None
    return str(GameCode.parse(visitor.view.code).rules.legal_moves(visitor.view.table)[0])


async def test_killed_server_has_lost_nothing_that_it_acknowledged(prepared: Path) -> None:
    """
    After kill -9 every acknowledged move is in the log, the next server opens the database and a token holds; from
    the keyboard it is stopped without a traceback.
    """
    async with process(prepared) as served, served.visitor("Anna") as anna:
        race = await race_alone(anna)
        played = await moved(anna, 20)
        os.kill(served.child.pid, signal.SIGKILL)
        assert (await served.left())[0] == -signal.SIGKILL
    assert entries_in(prepared, race) == played

    async with process(prepared) as again:
        returning = Visitor(f"ws://127.0.0.1:{again.port}/ws/ROOM", Hello(token=anna.token), MsgpackCodec.subprotocol)
        async with returning as back:
            assert back.view.player == anna.view.player
        again.child.send_signal(signal.SIGINT)
        assert await again.left() == (0, "")
    assert entries_in(prepared, race) == played


async def test_told_to_stop_it_is_gone_in_seconds(prepared: Path) -> None:
    """
    SIGTERM: status 0 within 5 s though a client does not answer and another never said what it wants; players are told
    to come back, all that they did is in the database, and nothing is on the error stream.
    """
    async with process(prepared) as served, served.visitor("Anna") as anna:
        race = await race_alone(anna)
        played = await moved(anna, 5)
        stalled = await connect(
            f"ws://127.0.0.1:{served.port}/ws/ROOM",
            subprotocols=[Subprotocol(MsgpackCodec.subprotocol)],
            ping_interval=None,
        )
        stalled.transport.pause_reading()
        silent = socket.create_connection(("127.0.0.1", served.port))
        await anna.send(Play(id=99, ply=anna.view.ply, move=next_move(anna)))
        await anna.hears(Played, id=99)
        started = time.monotonic()
        served.child.terminate()
        assert (await anna.closing())[0] == 1001
        status, errors = await served.left()
        assert time.monotonic() - started < STOP_S
        assert (status, errors) == (0, "")
        silent.close()
        stalled.transport.abort()
    assert len(entries_in(prepared, race)) == len(played) + 1
