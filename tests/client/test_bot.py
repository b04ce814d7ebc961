"""Bots: their minds and paces, and a whole race of theirs on a real server, with lines that break under way."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import pytest
import pytest_asyncio
from msgspec.structs import replace

from client.assets import winning_line
from client.bot import Mind, Pace, following, play
from client.connection import Connection
from client.returning import Backoff
from client.view import View
from server.app import Server
from server.config import Config
from server.race import start
from server.storage.reader import Reader
from shared.errors import Reason, Refusal
from shared.gamecode import GameCode
from shared.games import RULES
from shared.phase import Phase
from shared.protocol.messages import (
    Configure,
    Done,
    Hello,
    Play,
    Played,
    PlyCommand,
    Ready,
    Refused,
    Resign,
    Start,
    Undo,
)
from shared.protocol.values import Can, Hand, Options
from shared.record import Record, verify
from tests.client.desk import ROOM, Desk, Peer
from tests.client.test_connection import join, until_closed

QUICK = Pace(move_ms=0)


def hand(ply: int, moves: int, state: str = "playing") -> Hand:
    """Return where an attempt stands."""
    return Hand(ply=ply, score=0, moves=moves, progress=0, state=state)


def test_line_is_followed_by_the_moves_that_count() -> None:
    """
    After an undo or a restart the ply has gone on, and the line goes on where the table is.
    """
    mind = following(["12", "13", "14"])
    played = [mind(View(hand=hand(ply, moves))) for ply, moves in ((0, 0), (2, 2), (5, 1), (6, 0))]
    assert played == [Play(ply=0, move="12"), Play(ply=2, move="14"), Play(ply=5, move="13"), Play(ply=6, move="12")]


def test_pace_is_kept_on_average() -> None:
    """
    Without spread each wait is the same; with it waits differ, within twice the time, and even out.
    """
    random = Random(5)
    assert {Pace(move_ms=80).wait_ms(random) for _ in range(9)} == {80}
    waits = [Pace(move_ms=80, spread=1).wait_ms(random) for _ in range(2_000)]
    assert 0 <= min(waits) < 8
    assert 152 < max(waits) <= 160
    assert abs(sum(waits) / len(waits) - 80) < 4


RUNS = replace(ROOM, phase=Phase.RUNNING, hand=hand(0, 0))


@pytest.mark.parametrize("reason", ["STALE_PLY", "BUSY", "NOT_STORED"])
async def test_refusal_that_passes_lets_the_bot_look_again(reason: str) -> None:
    """
    The server was in trouble, or the view old: the bot asks again, from what it sees then.
    """

    async def visit(peer: Peer) -> None:
        await peer.admit(RUNS)
        first = await peer.hear()
        await peer.say(Refused(id=first.id, reason=reason))
        second = await peer.hear()
        assert isinstance(second, Play)
        assert second.id > first.id
        await peer.say(Played(id=second.id, hand=hand(1, 1, "solved")))
        await until_closed(peer)

    async with Desk(visit) as desk, join(desk) as connection:
        view = await play(connection, following(["12"]), QUICK, Random(1))
    assert view.hand == hand(1, 1, "solved")


async def test_refusal_that_cannot_pass_is_raised() -> None:
    """
    A move that is not legal will not become so: the mind is wrong.
    """

    async def visit(peer: Peer) -> None:
        await peer.admit(RUNS)
        await peer.say(Refused(id=(await peer.hear()).id, reason="NOT_NEXT", rule="SS3"))
        await until_closed(peer)

    async with Desk(visit) as desk, join(desk) as connection:
        with pytest.raises(Refusal) as raised:
            await play(connection, following(["12"]), QUICK, Random(1))
    assert raised.value.reason is Reason.NOT_NEXT


async def test_attempt_that_ends_while_the_bot_thinks_is_left_alone() -> None:
    """
    Time can be up between two moves: nothing more is asked then.
    """

    async def visit(peer: Peer) -> None:
        await peer.admit(RUNS)
        first = await peer.hear()
        await peer.say(Played(id=first.id, hand=replace(hand(1, 1), can=Can(undo=True))))
        await thinks.wait()
        await peer.say(replace(RUNS, hand=hand(1, 1, "timed_out")))
        await until_closed(peer)

    def mind(view: View) -> Play:
        assert view.ply == 0, "asked once more, for an attempt that is over"
        return Play(ply=0, move="12")

    thinks = asyncio.Event()
    async with Desk(visit) as desk, join(desk) as connection:
        playing = asyncio.create_task(play(connection, mind, Pace(move_ms=50), Random(1)))
        await connection.until(lambda view: view.ply == 1)
        thinks.set()
        view = await playing
    assert view.hand == hand(1, 1, "timed_out")


# A whole race


@pytest_asyncio.fixture
async def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Server]:
    """A server on a free port, with a database of its own."""
    monkeypatch.setattr(start, "COUNTDOWN_MS", 20)  # no test waits for real seconds
    server = await Server.start(Config(port=0, database=str(tmp_path / "races.sqlite3")))
    yield server
    await server.stop()


def shaky(connection: Connection, mind: Mind, random: Random, cuts: list[str]) -> Mind:
    """Return the same mind with a line that often breaks, just before or just after a command has left."""

    def cut() -> None:
        if connection.connected:
            cuts.append(connection.view.name)
            connection.drop()

    def minded(view: View) -> PlyCommand:
        if random.random() < 0.3:
            asyncio.get_running_loop().call_later(random.choice((0, 0.001, 0.003)), cut)
        return mind(view)

    return minded


def wandering(random: Random) -> Mind:
    """Return a mind that plays what is legal, takes moves back, and gives up in the end."""

    def mind(view: View) -> PlyCommand:
        assert view.table
        moves = RULES[view.options.game].legal_moves(view.table)
        if not moves or view.ply > 60:
            return Resign(ply=view.ply)
        back = view.hand and view.hand.can.undo and random.random() < 0.2
        return Undo(ply=view.ply) if back else Play(ply=view.ply, move=str(random.choice(moves)))

    return mind


async def test_race_of_bots_whose_lines_break_loses_and_doubles_nothing(server: Server, tmp_path: Path) -> None:
    """
    Two follow the winning line and one wanders, in both encodings, over connections that break again and again; a
    fourth comes late and watches. What each one sees in the end is what a newcomer would be told, and the stored
    logs hold just what was played, in order, none of it twice.
    """
    cuts: list[str] = []
    random, url = Random(11), f"ws://127.0.0.1:{server.port}/ws/RACE"

    def player(name: str, subprotocol: str) -> Connection:
        hello, backoff = Hello(name=name, client="bot", opens=True), Backoff(first_ms=4, most_ms=20)
        return Connection(url, hello, random=random, subprotocol=f"samedeal.v1.{subprotocol}", backoff=backoff)

    connections = [player("Anna", "msgpack"), player("Bert", "json"), player("Carl", "msgpack")]
    async with connections[0] as anna, connections[1] as bert, connections[2] as carl:
        assert isinstance(await anna.ask(Configure(options=Options(suits=2))), Done)
        await bert.ask(Ready(ready=True))
        await carl.ask(Ready(ready=True))
        await anna.ask(Start(countdown=1))
        view = await anna.until(lambda view: view.code is not None)
        code = GameCode.parse(str(view.code))
        line = [str(move) for move in winning_line(code) or ()]
        async with player("Dora", "json") as dora:
            assert (dora.view.seat, dora.view.code, dora.view.table) == (None, None, None)
            await asyncio.gather(
                *(
                    play(connection, shaky(connection, mind, random, cuts), QUICK, random)
                    for connection, mind in (
                        (anna, following(line)),
                        (bert, following(line)),
                        (carl, wandering(random)),
                    )
                )
            )
            seen = [await each.until(lambda view: view.phase == Phase.FINISHED) for each in (anna, bert, carl, dora)]
        assert len(cuts) > 20
        assert set(cuts) == {"Anna", "Bert", "Carl"}
        assert [seen[0].name_of(row.seat) for row in seen[0].rows][2] == "Carl"
        for connection in connections:
            await same_for_a_newcomer(url, connection)
    assert {view.rows for view in seen} == {seen[0].rows}
    await server.stop()
    await check_logs(tmp_path / "races.sqlite3", seen[0], line)


async def same_for_a_newcomer(url: str, connection: Connection) -> None:
    """Compare what a client has come to see with what the same player is told on coming anew."""
    old = connection.view
    hello = Hello(token=connection.token, client="bot")
    async with Connection(url, hello, random=Random(1)) as again:
        fresh = again.view
    await connection.close()
    passing = {"seats": (), "watchers": (), "elapsed_ms": None}
    assert replace(old, **passing) == replace(fresh, **passing)


async def check_logs(database: Path, view: View, line: list[str]) -> None:
    """Compare the stored records with what was played and told."""
    reader = await Reader.open(database)
    records = {row.seat: Record.unpack(await reader.record(view.attempts[row.seat]) or b"") for row in view.rows}
    await reader.close()
    for row in view.rows:
        verdict = verify(records[row.seat])
        assert (verdict.ok, verdict.score, verdict.moves) == (True, row.score, row.moves)
    followed = [
        [text for _, text in record.entries] for seat, record in records.items() if view.name_of(seat) != "Carl"
    ]
    assert followed == [line, line]
