"""A start on a database in which something is damaged: that is left out and named, all else goes on."""

import shutil
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from server.config import Config
from server.log import Batch, LogRow, RoomState
from server.rooms.rooms import Rooms
from server.storage.store import Store
from shared.phase import Phase
from tests.fake_clock import FakeClock
from tests.server.storing import alter, begin, filled, opened_store, people

ROOMS = ("BEFORE", "DAMAGED", "BEHIND")

DAMAGES = {
    "illegal move": (
        "UPDATE log SET entry = '11' WHERE race = 2 AND seq = 1",
        "race damaged of room DAMAGED is left out: IDLE",
    ),
    "no move": (
        "UPDATE log SET entry = 'boo' WHERE race = 2 AND seq = 1",
        "race damaged of room DAMAGED is left out: BAD_MOVE",
    ),
    "time fell": (
        "UPDATE log SET at_ms = -1 WHERE race = 2 AND seq = 1",
        "race damaged of room DAMAGED is left out: TIME_FELL",
    ),
    "gap": (
        "DELETE FROM log WHERE race = 2 AND seq = 0",
        "race damaged of room DAMAGED is left out: its log has a gap",
    ),
    "deal": (
        "UPDATE attempts SET code = 'SS9' WHERE race = 'damaged'",
        "race damaged of room DAMAGED is left out: CODE_",
    ),
    "options": ("UPDATE races SET options = '{' WHERE key = 2", "race damaged of room DAMAGED is left out: "),
    "date": ("UPDATE races SET started = 'soon' WHERE key = 2", "race damaged of room DAMAGED is left out: "),
}
"""What is done to the database, and what the server's log says of it."""


@pytest.fixture(scope="module")
def racing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with three rooms, in each of which a race runs."""

    async def play(store: Store) -> None:
        await people(store)
        for room in ROOMS:
            batch, race = begin(room.lower()), room.lower()
            assert batch.begun is not None
            begun = replace(batch.begun, room=room)
            await store.append(replace(batch, begun=begun, state=RoomState(room, "{}")))
            await store.append(Batch(rows=(LogRow(race, 1, f"{race}-anna", 5, "restart"),)))

    return filled(tmp_path_factory, play)


@pytest.fixture
def raced(racing: Path, database: Path) -> Path:
    """A copy of it, to be damaged."""
    return Path(shutil.copy(racing, database))


async def phases(path: Path) -> dict[str, Phase]:
    """Start on a database; return the phase of the race of each room that there is."""
    async with opened_store(path) as store:
        rooms = Rooms(store, {}, FakeClock(), Random(1).randbytes, Config(database=str(path)))
        await rooms.restore()
        found = {race.room: race.phase for race in rooms.races() if race.room in ROOMS}
        await rooms.stop()
    return found


async def test_every_race_goes_on_where_nothing_is_damaged(raced: Path, caplog: pytest.LogCaptureFixture) -> None:
    """All three races run again after a restart, and nothing is said."""
    assert await phases(raced) == dict.fromkeys(ROOMS, Phase.RUNNING)
    assert caplog.messages == []


@pytest.mark.parametrize("kind", DAMAGES)
async def test_damaged_race_is_left_out_and_named(raced: Path, caplog: pytest.LogCaptureFixture, kind: str) -> None:
    """A race that can't be played again leaves its room open for the next; the log names it; the others run."""
    statement, said = DAMAGES[kind]
    alter(raced, statement)

    assert await phases(raced) == {"BEFORE": Phase.RUNNING, "DAMAGED": Phase.OPEN, "BEHIND": Phase.RUNNING}
    assert [message.startswith(said) for message in caplog.messages] == [True], caplog.messages


async def test_damaged_room_is_left_out_and_named(raced: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A room whose row can't be read is not there; the log names it; the others are."""
    alter(raced, "UPDATE rooms SET state = 'people' WHERE id = 'DAMAGED'")

    assert await phases(raced) == {"BEFORE": Phase.RUNNING, "BEHIND": Phase.RUNNING}
    assert [message.startswith("room DAMAGED is left out: ") for message in caplog.messages] == [True]
