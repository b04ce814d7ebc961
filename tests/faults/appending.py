"""A process that appends moves to live races until it is killed, printing each one that is acknowledged.

python -m tests.faults.appending DATABASE
"""

import asyncio
import os
import sys
from itertools import count
from pathlib import Path

from server.log import Batch, RoomState
from server.storage.store import Store
from tests.fake_clock import FakeClock
from tests.server.storing import begin, end, finish, people, play

RACES = tuple("abcdefgh")


async def main(path: Path) -> None:
    """Go on with the races where their logs end; begin those that have none."""
    store = await Store.open(path, clock=FakeClock())
    live = {each.race.race: len(each.rows) for each in await store.live_races()}
    if not live:
        await people(store)
        for race in RACES:
            await store.append(begin(race))
    await asyncio.gather(*(append(store, race, live.get(race, 1)) for race in RACES), run_short_races(store))


async def append(store: Store, race: str, seq: int) -> None:
    """Append rows to *race*, the next once the last is acknowledged."""
    while True:
        rows = 1 + seq % 3
        await store.append(play(race, seq, rows))
        seq += rows
        tell(f"rows {race} {seq}")


async def run_short_races(store: Store) -> None:
    """Keep a room, begin, end and finish one race after the other: transactions and removals are cut short too."""
    for number in count():
        race = f"{store.epoch}-{number}"
        await store.append(Batch(state=RoomState("SHORT", race)))
        tell(f"room {race}")
        await store.append(begin(race, ranked=True))
        tell(f"race {race}")
        await store.append(Batch(rows=play(race, 1, 250).rows, ended=(end(race),)))
        tell(f"end {race}")
        await store.append(finish(race, anna=1))
        tell(f"finish {race}")


def tell(what: str) -> None:
    """Print a line in one write: the pipe has it even if the process dies in the next instant."""
    os.write(1, f"{what}\n".encode())


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
