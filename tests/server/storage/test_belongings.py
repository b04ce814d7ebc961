"""What a player takes along, and what stays of one who was deleted."""

import json
import logging
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from server.log import Batch, Ended, Opening, StorageError
from server.storage import belongings as belongings_module
from server.storage.belongings import belongings, forget
from server.storage.boards import Board
from server.storage.store import Store
from shared.gamecode import GameCode
from shared.record import Record, verify
from tests.server.storing import (
    ANNA,
    BERT,
    GAME,
    NUMBER,
    STARTED,
    SUITS,
    begin,
    end,
    finish,
    opened_store,
    people,
    token_of,
)


def recorded(race: str, **changes: Any) -> Ended:  # noqa: ANN401  # of each field its own type
    """Return the end of Anna's attempt with a record that can be read; she resigned at once."""
    record = Record(code=GameCode.of(GAME, SUITS, NUMBER), player=ANNA.name, started=STARTED, entries=((5, "resign"),))
    return replace(end(race, **changes), record=record.pack())


async def raced(store: Store, races: int) -> None:
    """Store races of Anna and Bert that are over, and one that runs, in which Anna has ended."""
    await people(store)
    for number in range(races):
        race = f"race{number}"
        await store.append(begin(race, started=f"2026-01-01T00:{number:02}:00.000Z", ranked=True))
        await store.append(Batch(ended=(recorded(race), end(race, BERT))))
        await store.append(finish(race, anna=1, bert=2))
    await store.append(begin("running", number=7, started="2026-01-02T00:00:00.000Z"))
    await store.append(Batch(ended=(recorded("running"),)))


def unsealed(_game: str, _number: int) -> bool:
    """Return that no number is sealed."""
    return False


async def lines_of(store: Store) -> list[dict[str, Any]]:
    """Return what Anna takes along."""
    return [json.loads(line) async for line in belongings(store.read, ANNA, unsealed)]


# To take along


async def test_player_takes_everything_along(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Who they are, what they have opened, and each attempt of a race that is over with a record that verifies, however
    many pages they fill; nothing of anyone else.
    """
    monkeypatch.setattr(belongings_module, "PAGE", 2)
    async with opened_store(database) as store:
        await raced(store, 5)
        await store.append(Batch(opened=(Opening(ANNA.id, "freecell", 11982, STARTED),)))

        who, *attempts = await lines_of(store)

    assert (who["format"], who["id"], who["name"]) == ("samedeal-player/1", "anna", "Anna")
    assert who["created"] == "2026-01-01T00:00:00.000Z"
    assert [tuple(each[:2]) for each in who["opened"]] == [("freecell", 11982), (GAME, 7), (GAME, NUMBER)]
    assert [each["attempt"] for each in attempts] == [f"race{number}-anna" for number in (4, 3, 2, 1, 0)]
    assert {each["player"] for each in attempts} == {"anna"}
    for each in attempts:
        assert verify(Record.parse(json.dumps(each["record"]))).ok
    assert attempts[0]["place"] == 1


async def test_token_is_not_taken_along(database: Path) -> None:
    """Not even the hash of a token leaves the database."""
    async with opened_store(database) as store:
        await raced(store, 1)

        text = "".join([line async for line in belongings(store.read, ANNA, unsealed)])

    assert "token" not in text


async def test_record_that_cannot_be_read_holds_nobody_up(database: Path, caplog: pytest.LogCaptureFixture) -> None:
    """An attempt whose record is torn is taken along without it, and the server's log says which it is."""
    async with opened_store(database) as store:
        await people(store)
        await store.append(begin("race"))
        await store.append(Batch(ended=(end("race"),)))
        await store.append(finish("race"))

        _, attempt = await lines_of(store)

    assert attempt["record"] is None
    assert "race-anna" in caplog.text


# Other names


async def test_player_is_renamed_everywhere_but_in_old_records(database: Path) -> None:
    """Pages show the new name at once; a record keeps the one it was played under; the token stays."""
    async with opened_store(database) as store:
        await raced(store, 1)
        await store.rename(ANNA.id, "Anne")

        found = await store.read.player_by_token(token_of(ANNA))
        packed = await store.read.record("race0-anna")
        page = await store.read.board(Board.SINGLE, GAME, SUITS, "all")

        assert found is not None
        assert found.name == "Anne"
        assert {line.name for line in page.lines} == {"Anne", "Bert"}
        assert {line.name for line in await store.read.deal(GAME, NUMBER, SUITS)} == {"Anne", "Bert"}
        assert packed is not None
        assert Record.unpack(packed).player == "Anna"


async def test_nobody_is_not_renamed(database: Path) -> None:
    """A player who is not known gets no name."""
    async with opened_store(database) as store:
        with pytest.raises(StorageError):
            await store.rename("nobody", "Somebody")


# Deleted


def everything_in(path: Path) -> bytes:
    """Return every text and blob of a database's rows."""
    connection = sqlite3.connect(path)
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    rows = [row for table in tables for row in connection.execute(f"SELECT * FROM {table}")]
    connection.close()
    return b"\n".join(value if isinstance(value, bytes) else str(value).encode() for row in rows for value in row)


async def test_deleted_player_leaves_their_games_and_no_name(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Attempts, places, tallies and logs stay, under "former player"; the name is in no row or record any more, the token
    leads to nobody, and what they had opened is forgotten.
    """
    monkeypatch.setattr(belongings_module, "PAGE", 2)
    async with opened_store(database) as store:
        await raced(store, 5)
        assert b"Anna" in everything_in(database)

        await forget(store, ANNA.id)

        assert await store.read.player_by_token(token_of(ANNA)) is None
        assert await store.read.opened([ANNA.id], GAME) == ()
        assert await store.read.opened([BERT.id], GAME) != ()
        lines = await store.read.deal(GAME, NUMBER, SUITS)
        assert sorted({line.name for line in lines}) == ["Bert", "former player"]
        assert len(lines) == 10
        page = await store.read.board(Board.SINGLE, GAME, SUITS, "all")
        assert {line.name for line in page.lines} == {"Bert", "former player"}
        for race in (*(f"race{number}" for number in range(5)), "running"):
            packed = await store.read.record(f"{race}-anna")
            assert packed is not None
            record = Record.unpack(packed)
            assert (record.player, record.entries) == ("former player", ((5, "resign"),))
    assert b"Anna" not in everything_in(database)


async def test_several_players_may_be_deleted(database: Path) -> None:
    """Players without a token do not get into each other's way."""
    async with opened_store(database) as store:
        await people(store)
        await forget(store, ANNA.id)
        await forget(store, BERT.id)
        await forget(store, BERT.id)

        for player in (ANNA, BERT):
            found = await store.read.player(player.id)
            assert found is not None
            assert found.name == "former player"


async def test_player_who_plays_is_not_deleted(database: Path) -> None:
    """While an attempt goes on its player stays whole; once it has ended they may go, though the race still runs."""
    async with opened_store(database) as store:
        await people(store)
        await store.append(begin("race"))

        with pytest.raises(StorageError) as refused:
            await forget(store, ANNA.id)

        assert "still plays" in str(refused.value)
        assert await store.read.player_by_token(token_of(ANNA)) == ANNA
        assert await store.read.opened([ANNA.id], GAME) == (NUMBER,)
        await store.append(Batch(ended=(recorded("race"),)))
        await forget(store, ANNA.id)


async def test_torn_record_is_left_and_named(database: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A record that cannot be read is not touched; the player goes all the same, and the log names the attempt."""
    async with opened_store(database) as store:
        await people(store)
        await store.append(begin("race"))
        await store.append(Batch(ended=(end("race"),)))
        with caplog.at_level(logging.ERROR):
            await forget(store, ANNA.id)

        assert "race-anna" in caplog.text
        assert await store.read.record("race-anna") == b"record of race-anna"
        assert await store.read.player_by_token(token_of(ANNA)) is None
