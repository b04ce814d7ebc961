"""What players ask of themselves, over real sockets: another name, to be forgotten."""

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection

from server.log import StorageError
from server.race import start
from server.storage.belongings import FORMER
from server.storage.store import Store
from shared.errors import Reason
from shared.protocol.closing import CloseCode
from shared.protocol.messages import (
    AnyEvent,
    Began,
    Command,
    Done,
    Forget,
    Hello,
    Play,
    Ready,
    Refused,
    Rename,
    Renamed,
    Resign,
    Roster,
    Snapshot,
    Start,
)
from tests.server.serving import ask, closing, hear, hello, say, serving, socket
from tests.server.storing import query

TWINS = ("Bert", "bert", "\uff22ert")


@pytest.fixture(autouse=True)
def brief_countdown(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test waits for real seconds."""
    monkeypatch.setattr(start, "COUNTDOWN_MS", 20)


async def answered(connection: ClientConnection, command: Command) -> AnyEvent:
    """Ask *command*, whose id is 7, and return its answer."""
    await say(connection, command)
    while getattr(event := await hear(connection), "id", None) != 7:
        pass
    return event


async def told(connection: ClientConnection, kind: type[AnyEvent]) -> Any:  # noqa: ANN401  # of that kind
    """Return the next event of this kind."""
    while not isinstance(event := await hear(connection), kind):
        pass
    return event


async def seats_become(connection: ClientConnection, *expected: str) -> None:
    """Wait until those who sit are told to be called so."""
    while tuple(seat.name for seat in (await told(connection, Roster)).seats) != expected:
        pass


async def enter(connection: ClientConnection, **fields: Any) -> str | None:  # noqa: ANN401  # of Hello
    """Come into a room; return the token."""
    welcome = await hello(connection, opens=True, **fields)
    await told(connection, Snapshot)
    return welcome.token


def names(path: Path) -> list[str]:
    """Return what the players are called."""
    return [name for (name,) in query(path, "SELECT name FROM players ORDER BY name")]


async def test_name_is_another_everywhere(database: Path) -> None:
    """
    In the database, in every room that the player is in, for everyone there, over each connection, and when they
    are back; told to the one that asked with its id.
    """
    async with (
        serving(database) as server,
        socket(server, "/ws/ONE") as anna,
        socket(server, "/ws/TWO") as there,
        socket(server, "/ws") as lobby,
        socket(server, "/ws/ONE") as bert,
    ):
        token = await enter(anna)
        await enter(there, name=None, token=token)
        await hello(lobby, name=None, token=token)
        await enter(bert, name="Bert")

        assert await answered(anna, Rename(id=7, name=" Ann ")) == Renamed(id=7, name="Ann")

        assert await told(there, Renamed) == await told(lobby, Renamed) == Renamed(name="Ann")
        await seats_become(bert, "Ann", "Bert")
        await seats_become(there, "Ann")
        assert names(database) == ["Ann", "Bert"]
        assert await answered(lobby, Rename(id=7, name="Annette")) == Renamed(id=7, name="Annette")
        await seats_become(bert, "Annette", "Bert")
        async with socket(server, "/ws/THREE") as back:
            assert (await hello(back, name=None, token=token, opens=True)).name == "Annette"
    async with serving(database) as server, socket(server, "/ws/ONE") as back:
        await hello(back, name=None, token=token)
        assert [seat.name for seat in (await told(back, Snapshot)).seats] == ["Annette", "Bert"]


async def test_name_may_be_another_while_playing(database: Path) -> None:
    """
    The race goes on, and the record is under the name that its player has at its end.
    """
    async with (
        serving(database) as server,
        socket(server, "/ws/ONE") as anna,
        socket(server, "/ws/ONE") as bert,
    ):
        token = await enter(anna)
        await enter(bert, name="Bert")
        await begin(anna, bert)
        assert isinstance(await answered(anna, Rename(id=7, name="Ann")), Renamed)
        await seats_become(bert, "Ann", "Bert")
        await answered(anna, Resign(id=7, ply=0))
        await answered(bert, Resign(id=7, ply=0))
        mine = (await ask(server, "/api/players/me/export", authorization=f"Bearer {token}")).json()
    assert [attempt["record"]["player"] for attempt in mine["attempts"]] == ["Ann"]


async def begin(host: ClientConnection, guest: ClientConnection) -> None:
    """Start a race of two."""
    await say(guest, Ready(id=7, ready=True))
    await say(host, Start(id=8, countdown=1))
    for connection in (host, guest):
        await told(connection, Began)


@pytest.mark.parametrize(
    ("name", "reason"), [*((twin, "TWIN_NAME") for twin in TWINS), ("\u202eanna", "BAD_NAME"), ("", "BAD_NAME")]
)
async def test_name_that_may_not_be_is_refused(name: str, reason: str, database: Path) -> None:
    """
    One that someone has in a room that the player is in, asked from wherever, and one that no newcomer may have.
    """
    async with (
        serving(database) as server,
        socket(server, "/ws/ONE") as anna,
        socket(server, "/ws/ONE") as bert,
        socket(server, "/ws") as lobby,
    ):
        token = await enter(anna)
        await enter(bert, name="Bert")
        await hello(lobby, name=None, token=token)
        for connection in (anna, lobby):
            refused = await answered(connection, Rename(id=7, name=name))
            assert isinstance(refused, Refused)
            assert refused.reason == reason
        assert names(database) == ["Anna", "Bert"]


@pytest.mark.parametrize("command", [Rename(id=7, name="Ann"), Forget(id=7)], ids=["rename", "forget"])
async def test_what_cannot_be_written_has_not_happened(
    command: Command, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Nobody hears of a name that is not stored, nobody is sent away, and the database's words stay here.
    """

    async def full(*_: object) -> None:
        raise StorageError(Reason.NOT_STORED, cause="disk full")

    async with serving(database) as server, socket(server, "/ws/ONE") as anna:
        await enter(anna)
        with monkeypatch.context() as patched:
            patched.setattr(Store, "change", full)
            assert await answered(anna, command) == Refused(id=7, reason=Reason.NOT_STORED)
        assert isinstance(await answered(anna, Ready(id=7, ready=True)), Done)
        assert names(database) == ["Anna"]


async def test_forgotten_player_is_gone(database: Path) -> None:
    """
    Every connection closes with its code, the token leads nowhere, and the name is in no row and no room; a seat in a
    race that is not over stays, without a name.
    """
    async with (
        serving(database) as server,
        socket(server, "/ws/ONE") as anna,
        socket(server, "/ws/TWO") as there,
        socket(server, "/ws") as lobby,
        socket(server, "/ws/ONE") as bert,
        socket(server, "/ws/TWO") as carl,
    ):
        token = await enter(anna)
        await enter(bert, name="Bert")
        await enter(there, name=None, token=token)
        await enter(carl, name="Carl")
        await hello(lobby, name=None, token=token)
        await begin(anna, bert)
        assert await answered(there, Forget(id=7)) == Refused(id=7, reason=Reason.STILL_PLAYING)
        await answered(anna, Resign(id=7, ply=0))

        assert await answered(there, Forget(id=7)) == Done(id=7)

        assert [await closing(each) for each in (anna, there, lobby)] == [CloseCode.FORGOTTEN] * 3
        await seats_become(bert, FORMER, "Bert")
        await seats_become(carl, "Carl")
        assert isinstance(await answered(bert, Play(id=7, ply=0, move="99")), Refused)  # he plays on
        async with socket(server, "/ws/ONE") as back:
            await say(back, Hello(token=token))
            assert await closing(back) == CloseCode.BAD_TOKEN
        assert (await ask(server, "/api/players/me/export", authorization=f"Bearer {token}")).status == 401
    assert names(database) == ["Bert", "Carl", FORMER]
    assert not any("Anna" in state for (state,) in query(database, "SELECT state FROM rooms"))


async def test_what_waits_while_one_is_forgotten_is_refused(database: Path) -> None:
    """
    Nobody gets a name once more whom another connection of theirs has just deleted.
    """
    async with serving(database) as server, socket(server, "/ws") as anna, socket(server, "/ws") as other:
        token = (await hello(anna)).token
        await hello(other, name=None, token=token)
        await asyncio.gather(say(anna, Forget(id=7)), say(other, Rename(id=7, name="Ann")))
        assert [await closing(each) for each in (anna, other)] == [CloseCode.FORGOTTEN] * 2
    assert names(database) == [FORMER]


async def test_deleting_is_named_in_the_log_without_a_name(
    database: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    What fails is the operator's to see: the player by id, and what the database said.
    """

    async def full(*_: object) -> None:
        raise StorageError(Reason.MAYBE_STORED, cause="disk full")

    async with serving(database) as server, socket(server, "/ws") as anna:
        welcome = await hello(anna)
        monkeypatch.setattr(Store, "rename", full)
        with caplog.at_level(logging.WARNING):
            assert await answered(anna, Rename(id=7, name="Ann")) == Refused(id=7, reason=Reason.MAYBE_STORED)
        monkeypatch.undo()
    assert f"player {welcome.player}: MAYBE_STORED cause=disk full" in caplog.text
