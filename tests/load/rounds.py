"""Rounds: in each one a scenario is put to the server and, beside it, to its anchor."""

from asyncio import Future, get_running_loop
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time_ns
from typing import TypeAlias

from client.child import LISTENS
from shared.attempt import Attempt
from shared.gamecode import GameCode
from shared.moves import Move
from tests.load import anchor
from tests.load.process import ROOT, ServerProcess, serving
from tests.load.rooms import DEAL, Crowd, called, raced
from tests.load.scenario import Scenario
from tests.load.window import Row, measured, share

ECHO_BYTES = 64
"""Of a message of the bare echo: E is the cost of one of these."""

People: TypeAlias = "Callable[[Future[None]], Awaitable[Crowd]]"
"""Connects a crowd; what breaks it goes into the future."""

FOLDER = ROOT / "build" / "load"
"""On a real disk: databases of a measurement lie here."""


def engine_us(moves: int) -> float:
    """Return the processor time that the engine alone takes for each of so many moves of one attempt."""
    attempt, shuttle = Attempt.start(GameCode.parse(DEAL)), (Move.parse("02"), Move.parse("20"))
    began_ns = process_time_ns()
    for number in range(moves):
        attempt = attempt.play(shuttle[number & 1], number)
    return (process_time_ns() - began_ns) / 1_000 / moves


async def race_row(scenario: Scenario, number: int, seconds: float, tree: Path = ROOT, name: str = "samedeal") -> Row:
    """Put *scenario* to the race server of the checkout *tree*, with a database of its own."""
    async with racing(tree) as server:
        return await _row(scenario, number, seconds, server, name, partial(raced, scenario, server.port))


async def anchor_row(scenario: Scenario, number: int, seconds: float, size: int = ECHO_BYTES) -> Row:
    """Put as many connections and the same pace to a bare server, with messages of *size* bytes."""
    assert scenario.anchor, "asked only where there is one"
    FOLDER.mkdir(parents=True, exist_ok=True)
    log = FOLDER / f"{scenario.anchor}.log"
    async with serving((anchor.__name__, scenario.anchor), says=anchor.LISTENS, log=log) as server:
        people = partial(called, scenario, server.port, size=size)
        return await _row(scenario, number, seconds, server, scenario.anchor, people)


@asynccontextmanager
async def racing(tree: Path = ROOT) -> AsyncIterator[ServerProcess]:
    """Run the race server of the checkout *tree*, with a new database."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=FOLDER) as folder:
        database = Path(folder) / "load.sqlite"
        arguments = ("samedeal", "serve", "--port", "0", "--database", str(database))
        async with serving(arguments, says=LISTENS, log=FOLDER / "samedeal.log", tree=tree) as server:
            yield server


async def _row(
    scenario: Scenario, number: int, seconds: float, server: ServerProcess, name: str, people: People
) -> Row:
    """Connect, let move, count."""
    broken: Future[None] = get_running_loop().create_future()
    empty_kb = server.memory_kb()
    crowd = await people(broken)
    full_kb = server.memory_kb()
    before, after, waits = await measured(server, crowd, broken, seconds, scenario.every_ms)
    broken.cancel()  # from here on connections may be lost
    for guest in crowd.guests:
        guest.leave()
    moves, frames, took_s = len(waits), after.frames - before.frames, after.at_s - before.at_s
    return Row(
        scenario=scenario.name,
        server=name,
        round=number,
        seconds=took_s,
        moves=moves,
        p50_ms=share(waits, 0.5),
        p99_ms=share(waits, 0.99),
        p999_ms=share(waits, 0.999),
        cpu_us=(after.server_s - before.server_s) * 1e6 / moves,
        deliveries=frames / moves,
        bytes=(after.bytes - before.bytes) / frames,
        memory_kb=(full_kb - empty_kb) / scenario.connections,
        server_core=(after.server_s - before.server_s) / took_s,
        load_core=(after.load_s - before.load_s) / took_s,
        engine_us=engine_us(max(100, moves // len(crowd.movers))),
    )


async def rounds(scenario: Scenario, count: int, seconds: float) -> list[Row]:
    """Measure *scenario* so many times, each time beside its anchor."""
    rows = list[Row]()
    for number in range(count):
        race = await race_row(scenario, number, seconds)
        rows.append(race)
        if scenario.anchor == "echo":
            rows.append(await anchor_row(scenario, number, seconds))
        elif scenario.anchor == "broadcast":
            rows.append(await anchor_row(scenario, number, seconds, size=round(race.bytes)))
    return rows
