"""How long a start takes: of an empty server, and with a thousand races under way."""

from asyncio import Future, get_running_loop
from pathlib import Path

from tests.load.aims import Measure
from tests.load.racing import racing
from tests.load.rooms import raced
from tests.load.scenario import Scenario
from tests.load.window import begin, lasting, unbroken

RACES, MOVES = 1_000, 100

LIVE = Scenario(name="live", shows="rooms of one, all move", rooms=RACES, seats=1, movers=1)

AIM_S = 1.0


async def start_measures(folder: Path, rounds: int, scenario: Scenario = LIVE, moves: int = MOVES) -> list[Measure]:
    """Kill a server with its races under way and start it again; beside that, start one that has none."""
    empty, live = folder / "empty.sqlite", folder / "live.sqlite"
    async with racing(database=empty) as server:
        first = server.start_s
    played = await _play(live, scenario, moves)
    starts = [(await _start_s(empty), await _start_s(live)) for _ in range(rounds)]
    what = f"{scenario.rooms:,} races of {played / scenario.rooms:,.0f} moves rebuilt, CPU"
    return [
        Measure("start of a server with a new database, CPU", "s", (first,)),
        Measure("start of a server, CPU", "s", tuple(start for start, _ in starts), AIM_S),
        Measure(what, "s", tuple(full - start for start, full in starts), AIM_S),
    ]


async def _play(database: Path, scenario: Scenario, moves: int) -> int:
    """Let every race have at least so many *moves*, then kill the server; return how many there are."""
    broken: Future[None] = get_running_loop().create_future()
    async with racing(database=database) as server:
        crowd = await unbroken(raced(scenario, server.port, broken), broken)
        begin(crowd, None)
        while min(len(mover.waits_s) for mover in crowd.movers) < moves:
            await lasting(0.1, broken)
        broken.cancel()
        server.kill()
    return sum(len(mover.waits_s) for mover in crowd.movers)


async def _start_s(database: Path) -> float:
    """Return the processor time of a start; the server is killed before it writes much."""
    async with racing(database=database) as server:
        server.kill()
        return server.start_s
