"""A server as a whole: who comes in how, what a mistake in it costs, and how it stops."""

import asyncio
import contextlib
import logging
import sqlite3
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from server import app
from server.app import Server
from server.config import Config, Limits
from server.log import StorageError
from server.rooms.room import Room
from shared.errors import Reason
from shared.protocol.closing import CloseCode
from shared.protocol.messages import Create, Created, Done, Hello, Lock, Ready, Refused, Rooms, Snapshot
from shared.protocol.values import Options
from tests.patience import GUARD_S
from tests.server.serving import ANNA, TOKENS, closing, hear, hello, past, say, serving, socket
from tests.server.storing import prepare, query


async def test_new_player_gets_a_secret_and_comes_back_with_it(database: Path) -> None:
    """The token that a name was given leads to the same player, in the lobby and in any room."""
    async with serving(database) as server:
        async with socket(server) as connection:
            new = await hello(connection, name="Zoë")
            assert isinstance(await hear(connection), Rooms)
        assert new.token is not None
        async with socket(server, "/ws/GUGU") as connection:
            back = await hello(connection, name=None, token=new.token, opens=True)
            assert isinstance(await hear(connection), Snapshot)
    assert (back.player, back.name, back.token) == (new.player, "Zoë", None)


async def test_hello_that_leads_nowhere_makes_neither_player_nor_room(database: Path) -> None:
    """Whoever is sent away leaves nothing behind."""
    async with past(database):
        pass
    async with serving(database, word="sesame") as server:
        for said, code in (
            (Hello(name="Bo"), CloseCode.NO_ROOM),
            (Hello(name="Bo", opens=True), CloseCode.WRONG_WORD),
            (Hello(name="Bo", opens=True, word="Sesame"), CloseCode.WRONG_WORD),
            (Hello(token="nobody", opens=True, word="sesame"), CloseCode.BAD_TOKEN),
            (Hello(name="\u200b", opens=True, word="sesame"), CloseCode.BAD_NAME),
            (Hello(name="Bo", opens=True, word="sesame", options=Options(game="chess")), 4400),
            (Hello(name="Bo", opens=True, word="sesame", options=Options(code="SS1-S9-AAAAAAE")), 4400),
            (Hello(token=TOKENS[ANNA], opens=True, word="sesame", options=Options(game="chess")), 4400),
        ):
            await is_sent_away(server, "/ws/GUGU", said, code)
        assert list(server._rooms.races()) == []
    assert query(database, "SELECT count(*) FROM players") == [(len(TOKENS),)]


async def is_sent_away(server: Server, path: str, said: Hello, code: int) -> None:
    """Say hello, and see with which code the server closes."""
    async with socket(server, path) as connection:
        await say(connection, said)
        assert await closing(connection) == code, said


async def test_who_is_not_let_in_is_no_player(database: Path) -> None:
    """A room that is locked, a name that is taken, rooms enough: nothing of the newcomer is written."""
    async with serving(database, Limits(rooms=1)) as server, socket(server, "/ws/GUGU") as host:
        await hello(host, opens=True)
        assert isinstance(await hear(host), Snapshot)
        await is_sent_away(server, "/ws/GUGU", Hello(name="ANNA"), CloseCode.TWIN_NAME)
        await is_sent_away(server, "/ws/OTHER", Hello(name="Bo", opens=True), CloseCode.TOO_MANY_ROOMS)
        await say(host, Lock(id=2, locked=True))
        while not isinstance(await hear(host), Done):
            pass
        await is_sent_away(server, "/ws/GUGU", Hello(name="Bo"), CloseCode.ROOM_LOCKED)
    assert query(database, "SELECT name FROM players") == [("Anna",)]


async def test_secret_word_is_asked_of_whoever_makes_a_room(database: Path) -> None:
    """Without the word a room can be joined, but not made, in the lobby or by name."""
    async with (
        serving(database, word="sesame") as server,
        socket(server, "/ws/GUGU") as host,
        socket(server, "/ws/GUGU") as guest,
        socket(server) as stranger,
        socket(server) as friend,
    ):
        await hello(host, opens=True, word="sesame")
        await hello(guest, name="Bert")
        assert isinstance(await hear(guest), Snapshot)
        for lobby, word, answer in ((stranger, "sesam", Refused), (friend, "sesame", Created)):
            await hello(lobby, word=word)
            await hear(lobby)
            await say(lobby, Create(id=2, nonce="a"))
            assert isinstance(await hear(lobby), answer)


async def test_other_subprotocols_are_refused(database: Path) -> None:
    """Who does not speak what we speak gets no socket."""
    async with serving(database) as server:
        for subprotocols in ([], ["samedeal.v2.json"], ["chat"]):
            with pytest.raises(InvalidStatus) as refused:
                await socket(server, subprotocols=subprotocols)
            assert refused.value.response.status_code == 400


async def test_mistake_in_one_connection_ends_it_alone(
    database: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """An exception that nobody expected is logged, closes the connection it came over, and nobody else notices."""
    async with (
        serving(database) as server,
        socket(server, "/ws/GUGU") as host,
        socket(server, "/ws/GUGU") as guest,
    ):
        await hello(host, opens=True)
        await hello(guest, name="Bert")
        with monkeypatch.context() as patched:
            patched.setattr(Room, "receive", lambda *_: 1 / 0)
            await say(guest, Ready(id=2, ready=True))
            assert await closing(guest) == 1011
        await say(host, Ready(id=7, ready=True))
        async with asyncio.timeout(GUARD_S):
            while getattr(await hear(host), "id", 0) != 7:
                pass
    assert "ZeroDivisionError" in caplog.text


async def test_database_that_fails_sends_newcomers_away_for_now(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who can't be written down is told to come again, and not what the database said."""
    async with serving(database) as server:

        async def failing(*_: object) -> None:
            raise StorageError(Reason.NOT_STORED, cause="disk /dev/secret is full")

        monkeypatch.setattr(server._store, "add_player", failing)
        async with socket(server) as connection:
            await say(connection, Hello(name="Anna"))
            assert await closing(connection) == CloseCode.BUSY
        assert connection.close_reason == "NOT_STORED"


async def test_stop_tells_everyone_and_waits_for_nobody(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All hear that the server goes; one who does not say goodbye, and one who never asked anything, are cut."""
    monkeypatch.setattr(app, "GOODBYE_MS", 100)
    prepare(database)
    server = await Server.start(Config(port=0, database=str(database)))
    port = server.port
    deaf, idle = await socket(server), await asyncio.open_connection("127.0.0.1", server.port)
    async with socket(server, "/ws/GUGU") as connection:
        await hello(connection, opens=True)
        deaf.transport.pause_reading()
        async with asyncio.timeout(4):
            await server.stop()
        assert await closing(connection) == CloseCode.CLOSED
    idle[1].close()
    deaf.transport.resume_reading()
    await deaf.wait_closed()
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", port)


async def test_stop_waits_for_no_database(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Held by another program, it is given up after a while; nobody is told that anything was written."""
    for limit in ("GOODBYE_MS", "LETTING_GO_MS"):
        monkeypatch.setattr(app, limit, 100)
    prepare(database)
    server = await Server.start(Config(port=0, database=str(database)))
    async with socket(server) as waiting, socket(server) as later:
        with contextlib.closing(sqlite3.connect(database, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            for connection in (waiting, later):
                await say(connection, Hello(name="Anna"))
            async with asyncio.timeout(4):
                await server.stop()
        for connection in (waiting, later):
            with pytest.raises(ConnectionClosed):
                await connection.recv()
        await server._store.close()  # as the end of the process does


async def test_room_is_there_after_a_restart(database: Path) -> None:
    """A room that was made outlives the server, with its host's seat."""
    async with serving(database) as server, socket(server, "/ws/GUGU") as connection:
        token = (await hello(connection, opens=True)).token
        assert isinstance(await hear(connection), Snapshot)
    async with serving(database) as server, socket(server, "/ws/gugu") as connection:
        await hello(connection, name=None, token=token)
        snapshot = await hear(connection)
    assert isinstance(snapshot, Snapshot)
    assert [(seat.name, seat.host) for seat in snapshot.seats] == [("Anna", True)]


async def test_nothing_is_held_when_the_port_is_taken(database: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A server that can't listen lets go of the database, so that the next attempt gets it."""
    async with serving(database.with_name("other.db")) as server:
        prepare(database)
        with pytest.raises(OSError, match="in use"):
            await Server.start(Config(port=server.port, database=str(database)))
    async with serving(database):
        pass
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]
