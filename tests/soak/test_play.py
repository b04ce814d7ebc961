"""Rooms full of racers on a real server, killed and started again, until many hours' worth of play is over."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from statistics import median

import pytest
import uvloop
from msgspec import Struct

from server.log import StoredRace
from server.storage.reader import Reader
from server.storage.rebuild import rebuild
from tests.faults.mortal import Mortal
from tests.faults.test_server_killed import check_notes, check_places, check_sound, check_told, records_of
from tests.server.storing import opened_store
from tests.soak.company import Company

QUIET_S = 60
"""So long the server may take to notice that everyone has gone."""

AT_ONCE = 15
"""So many ask for a page before it is measured: the connections to the database that are kept are then all there."""

GROWTH = 6_000_000
"""Bytes that the later half of a life may need more than its earlier one, whatever was played."""


class Size(Struct, frozen=True):
    """How much is played."""

    rooms: int
    races: int
    """In each room, a round."""
    kills: tuple[int, ...]
    """How often the server is killed in the first rounds, one after the other."""
    quiet_rounds: int
    """In one life after these."""

    @property
    def least(self) -> int:
        """So many races there are at the least."""
        return self.rooms * self.races * (len(self.kills) + self.quiet_rounds)


SHORT = Size(rooms=6, races=1, kills=(2,), quiet_rounds=3)
LONG = Size(rooms=40, races=4, kills=(2,) * 10, quiet_rounds=22)
"""5,120 races of four, of some sixty entries each."""


class Sample(Struct, frozen=True):
    """What the server takes up while nobody is connected."""

    memory: float
    files: float
    tasks: float


class Counted(Struct):
    """What has been checked."""

    races: int = 0
    entries: int = 0
    told: int = 0
    """Different lines of standings."""
    drops: int = 0


@pytest.mark.long
@pytest.mark.parametrize(
    "size", [pytest.param(SHORT, id="short"), pytest.param(LONG, id="long", marks=pytest.mark.soak)]
)
def test_long_play_loses_nothing_and_leaves_nothing(database: Path, size: Size) -> None:
    """
    Whatever drops, comes back, joins, leaves and is killed: every acknowledged entry is stored once and in its place,
    every line of standings that was told is what the replay comes to at some entry, and the last one is the result.
    In one life of the server memory, open files and tasks do not grow with what is played.
    """
    uvloop.run(play(database, size))  # hundreds who play take more than the server that they play on


async def play(database: Path, size: Size) -> None:
    """Play as much as *size* says, and check it round by round."""
    chance, counted, samples = Random(4), Counted(), list[Sample]()
    # Bots on a busy machine are faster, and slower, than people.
    patient = ("--limit-hello-ms", "60000", "--limit-handshake-ms", "60000")
    server = Mortal(database, "--limit-messages-per-s", "1000", *patient)
    companies = [Company(server, number, chance) for number in range(size.rooms)]
    try:
        await server.start()
        for kills in (*size.kills, *(0,) * size.quiet_rounds):
            async with asyncio.TaskGroup() as group:
                playing = [group.create_task(each.race(size.races)) for each in companies]
                await asyncio.gather(*(each.entered.wait() for each in companies))
                for _ in range(kills):
                    await asyncio.sleep(chance.uniform(3, 6))
                    await server.kill()
                    check_sound(database)
                    await server.start()
                await asyncio.wait(playing)
            sample = await quiet(server)
            samples = [] if kills else [*samples, sample]
            await check_round(database, companies, counted)
            print(counted, sample, flush=True)
        await server.stop()
    finally:
        await server.end()
    check_sound(database)
    async with opened_store(database) as store:
        found = await rebuild(store, mends=False)
    assert (found.differences, found.unproven) == ([], [])
    assert counted.races >= size.least
    assert counted.entries >= 40 * size.least
    assert counted.drops > size.least / 10
    check_flat(samples)


async def quiet(server: Mortal) -> Sample:
    """Return what the server takes up once it has noticed that everyone has gone, and has nothing in hand."""
    found = await server.measured()
    with suppress(TimeoutError):
        async with asyncio.timeout(QUIET_S):
            while found["samedeal_connections"]:
                await asyncio.sleep(0.1)
                found = await server.measured()
    assert not found["samedeal_connections"]
    pages = await asyncio.gather(*(server.asked("/api/races") for _ in range(AT_ONCE)))
    assert {page.status for page in pages} == {200}
    later = [await server.measured() for _ in range(5)]
    least = {name: min(each[name] for each in later) for name in found}
    return Sample(least["process_resident_memory_bytes"], least["process_open_fds"], least["samedeal_tasks"])


def check_flat(samples: Sequence[Sample]) -> None:
    """Compare the later half of a life with its earlier half; the first round fills what is kept for good."""
    samples = samples[1:]
    earlier, later = samples[: len(samples) // 2], samples[len(samples) // 2 :]
    assert median(each.memory for each in later) < median(each.memory for each in earlier) + GROWTH, samples
    assert max(each.files for each in later) <= max(each.files for each in earlier), samples
    assert max(each.tasks for each in later) <= max(each.tasks for each in earlier), samples


async def check_round(database: Path, companies: Sequence[Company], counted: Counted) -> None:
    """Compare what everyone was told in this round with what is stored, while the server goes on."""
    reader = await Reader.open(database)
    for company in companies:
        for race in {race for each in company.racers for race in each.notes}:
            stored = await reader.race(race)
            assert stored
            assert stored.finished
            await check_race(reader, company, stored, counted)
        counted.drops += company.drops
        company.drops = 0
    await reader.close()


async def check_race(reader: Reader, company: Company, race: StoredRace, counted: Counted) -> None:
    """Compare what everyone was told of one race with its records."""
    records = await records_of(reader, race)
    logs = {each.player: [text for _, text in records[each.seat].entries] for each in race.attempts}
    for each in company.racers:
        if race.race in each.notes:
            check_notes(each, race.race, logs[each.connection.view.player])
            counted.entries += len(each.notes[race.race])
    counted.told += check_told(race.race, records, company.racers)
    check_places(race, records, company.racers)
    counted.races += 1
