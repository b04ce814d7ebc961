"""A server that is killed again and again while bots play."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from random import Random

import pytest

from server.log import LiveRace, StoredRace
from server.race.run import ENDS
from server.storage.reader import Reader
from server.storage.rebuild import rebuild
from shared.attempt import Attempt
from shared.gamecode import GameCode
from shared.protocol.codec import JsonCodec, MsgpackCodec
from shared.record import Record, verify
from tests.faults.mortal import Mortal, Racer, racer
from tests.server.storing import opened_store

NAMES = ("Anna", "Bert", "Carl", "Dora")
MOVE_S = 0.02
GOES_ON_S = 20
"""So long the bots may take to be at it again."""


@pytest.mark.long
@pytest.mark.parametrize("kills", [3, pytest.param(60, marks=pytest.mark.soak)])
async def test_no_kill_loses_or_doubles_anything(database: Path, kills: int) -> None:
    """
    After each kill -9 every entry that a bot was told of is in the log, once and in its place, with at most the one
    behind it whose answer was lost; the bots come back by themselves and the race goes on, as they do when the server
    is stopped kindly. In the end the stored logs come to the scores that were broadcast, all through, and the database
    is sound.
    """
    chance = Random(kills)
    async with racing(database, chance) as (server, racers):
        async with asyncio.TaskGroup() as group:
            playing = [group.create_task(each.live()) for each in racers]
            for _ in range(kills):
                await live_for_a_while(racers, chance)
                await server.kill()
                await check_acknowledged(database, racers)
                while chance.random() < 0.2:
                    await server.begin()
                    await asyncio.sleep(chance.uniform(0, 1.5))
                    await server.kill()
                    await check_acknowledged(database, racers)
                await server.start()
            await live_for_a_while(racers, chance)
            await server.stop()
            await check_acknowledged(database, racers)
            await server.start()
            await live_for_a_while(racers, chance)
            await until_acknowledged(racers, 10 * kills + 1)
            for each in racers:
                each.stops = True
            await asyncio.wait(playing)
        await server.stop()
    await check_finished(database, racers)


@asynccontextmanager
async def racing(database: Path, chance: Random) -> AsyncIterator[tuple[Mortal, list[Racer]]]:
    """Lend a server and bots in a room of it; two follow the winning line, two wander."""
    server = Mortal(database)
    listening = list[asyncio.Task[None]]()
    try:
        await server.start()
        async with AsyncExitStack() as room:
            racers = []
            for number, name in enumerate(NAMES):
                codec = (MsgpackCodec, JsonCodec)[number % 2]
                each = racer(server.url, name, chance, codec.subprotocol, follows=number < 2, move_s=MOVE_S)
                await room.enter_async_context(each.connection)
                listening.append(asyncio.create_task(each.listen()))
                racers.append(each)
            yield server, racers
            for task in listening:
                task.cancel()
    finally:
        await server.end()


async def live_for_a_while(racers: Sequence[Racer], chance: Random) -> None:
    """Let the server live: mostly until a race runs and goes on, and then a little longer."""
    begun = acknowledged(racers)
    if chance.random() < 0.8:
        await until_acknowledged(racers, begun + 1)
    more = chance.randrange(40)
    for _ in range(chance.randrange(1_000)):
        if acknowledged(racers) >= begun + more:
            break
        await asyncio.sleep(0.005)


async def until_acknowledged(racers: Sequence[Racer], many: int) -> None:
    """Wait until the bots were told of so many entries."""
    for _ in range(GOES_ON_S * 200):
        if acknowledged(racers) >= many:
            return
        await asyncio.sleep(0.005)
    pytest.fail("the race does not go on")


def acknowledged(racers: Sequence[Racer]) -> int:
    """Return of how many entries the bots were told."""
    return sum(each.acknowledged for each in racers)


async def check_acknowledged(database: Path, racers: Sequence[Racer]) -> None:
    """Compare the bots' notes with what the database has, now that nobody has it open."""
    check_sound(database)
    reader = await Reader.open(database)
    for race in {race for each in racers for race in each.notes}:
        stored = await reader.race(race)
        assert stored
        logs = await entries_of(reader, stored)
        for each in racers:
            if race in each.notes:
                check_notes(each, race, logs[each.connection.view.player])
    await reader.close()


def check_notes(racer: Racer, race: str, log: Sequence[str]) -> None:
    """All that was acknowledged is in the log; behind it at most what was asked for last."""
    notes = racer.notes[race]
    assert list(log[: len(notes)]) == notes
    assert list(log[len(notes) :]) in ([], [racer.asked.get(race)])


async def entries_of(reader: Reader, race: StoredRace) -> dict[str, list[str]]:
    """Return the entries of a race's attempts, by player, from its log or from the records."""
    if race.finished is None:
        (live,) = await reader.live_races(race.race)
        assert isinstance(live, LiveRace)
        rows = [row for row in live.rows if row.entry not in ENDS.values()]
        return {each.player: [row.entry for row in rows if row.attempt == each.attempt] for each in race.attempts}
    records = await records_of(reader, race)
    return {each.player: [text for _, text in records[each.seat].entries] for each in race.attempts}


async def records_of(reader: Reader, race: StoredRace) -> dict[int, Record]:
    """Return the records of a race that is over, by seat."""
    packed = {each.seat: await reader.record(each.attempt) for each in race.attempts}
    return {seat: Record.unpack(record or b"") for seat, record in packed.items()}


async def check_finished(database: Path, racers: Sequence[Racer]) -> None:
    """Compare all that was broadcast with the stored logs."""
    await check_acknowledged(database, racers)
    async with opened_store(database) as store:
        assert (await rebuild(store, mends=False)).differences == []
    reader = await Reader.open(database)
    races = {race for each in racers for race in each.notes}
    for race in races:
        stored = await reader.race(race)
        assert stored
        assert stored.finished
        records = await records_of(reader, stored)
        check_told(race, records, racers)
        check_places(stored, records, racers)
    assert {race for each in racers for race in each.finished} <= races
    assert any(each.finished for each in racers)
    await reader.close()


def check_told(race: str, records: Mapping[int, Record], racers: Sequence[Racer]) -> int:
    """Every line of standings that was told is what a record comes to at some entry; return how many different ones."""
    passed = {seat: set(stages(record)) for seat, record in records.items()}
    lines = [{(row.seat, (row.score, row.moves, row.progress)) for row in each.told.get(race, ())} for each in racers]
    assert all(stage in passed[seat] for told in lines for seat, stage in told)
    return sum(map(len, lines))


def stages(record: Record) -> Iterator[tuple[int, int, int]]:
    """Yield score, moves and progress after each entry, and before the first."""
    attempt = Attempt.start(record.code)
    yield attempt.score, attempt.moves, attempt.progress
    for entry in record.entries:
        attempt = attempt.take((entry,))
        yield attempt.score, attempt.moves, attempt.progress


def check_places(race: StoredRace, records: Mapping[int, Record], racers: Sequence[Racer]) -> None:
    """Every record verifies, and comes to what everyone was told at the end, if they were."""
    results = {}
    for each in race.attempts:
        verdict = verify(records[each.seat])
        assert verdict.ok
        assert (verdict.score, verdict.moves, verdict.won) == (each.score, each.moves, each.won)
        results[each.attempt] = (each.place, each.score, each.moves, each.progress, each.elapsed_ms, each.state)
    for finished in [each.finished[race.race] for each in racers if race.race in each.finished]:
        rows = zip(finished.attempts, finished.rows, strict=True)
        told = {key: (row.place, row.score, row.moves, row.progress, row.elapsed_ms, row.state) for key, row in rows}
        assert told == results
        assert GameCode.parse(finished.code) == GameCode.parse(race.code)


def check_sound(database: Path) -> None:
    """Ask SQLite itself."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
