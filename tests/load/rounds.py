"""Rounds: in each one a scenario is put to the race server and, beside it, to its anchor."""

from asyncio import Future, get_running_loop
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from pathlib import Path
from time import process_time_ns
from typing import TypeAlias

from shared.attempt import Attempt
from shared.gamecode import GameCode
from shared.moves import Move
from tests.load.process import ROOT, ServerProcess
from tests.load.racing import bare, racing
from tests.load.rooms import DEAL, Crowd, called, raced
from tests.load.scenario import Scenario
from tests.load.window import Row, Window, begin, counted, share, unbroken

ECHO_BYTES = 64
"""Of a message of the bare echo: E is the cost of one of these."""

People: TypeAlias = "Callable[[Future[None]], Awaitable[Crowd]]"
"""Connects a crowd; what breaks it goes into the future."""


async def rounds(scenario: Scenario, count: int, seconds: float) -> list[Row]:
    """Measure *scenario* so many times. Where nothing is beside it one server has all rounds: to fill it takes long."""
    if scenario.anchor is None:
        return await race_rows(scenario, range(count), seconds)
    rows = list[Row]()
    for number in range(count):
        rows += await race_rows(scenario, [number], seconds)
        size = round(rows[-1].bytes) if scenario.anchor == "broadcast" else ECHO_BYTES
        rows.append(await anchor_row(scenario, number, seconds, size))
    return rows


async def race_rows(
    scenario: Scenario, numbers: Iterable[int], seconds: float, tree: Path = ROOT, name: str = "samedeal"
) -> list[Row]:
    """Put *scenario* to the race server of the checkout *tree*, with a new database; return a row for each number."""
    async with racing(tree) as server:
        return await _rows(scenario, numbers, seconds, server, name, partial(raced, scenario, server.port))


async def anchor_row(scenario: Scenario, number: int, seconds: float, size: int) -> Row:
    """Put as many connections and the same pace to the bare server, with messages of *size* bytes."""
    assert scenario.anchor, "asked only where there is one"
    async with bare(scenario.anchor) as server:
        people = partial(called, scenario, server.port, size=size)
        (row,) = await _rows(scenario, [number], seconds, server, scenario.anchor, people)
        return row


async def _rows(
    scenario: Scenario, numbers: Iterable[int], seconds: float, server: ServerProcess, name: str, people: People
) -> list[Row]:
    """Connect, let move, and count for a while for each number."""
    broken: Future[None] = get_running_loop().create_future()
    try:
        empty_kb = server.memory_kb()
        crowd = await unbroken(people(broken), broken)
        memory_kb = (server.memory_kb() - empty_kb) / scenario.connections
        begin(crowd, scenario.every_ms)
        rows = list[Row]()
        for number in numbers:
            window = await counted(server, crowd, broken, seconds)
            rows.append(_row(window, scenario, name, number, memory_kb))
    finally:
        broken.cancel()  # from here on connections may be lost
    for guest in crowd.guests:
        guest.leave()
    return rows


def _row(window: Window, scenario: Scenario, server: str, number: int, memory_kb: float) -> Row:
    """Return what is told of one window."""
    count, waits, moves = window.count, window.waits, len(window.waits)
    return Row(
        scenario=scenario.name,
        server=server,
        round=number,
        seconds=count.at_s,
        moves=moves,
        p50_ms=share(waits, 0.5),
        p99_ms=share(waits, 0.99),
        p999_ms=share(waits, 0.999),
        cpu_us=count.server_s * 1e6 / moves,
        deliveries=count.frames / moves,
        bytes=count.bytes / count.frames,
        memory_kb=memory_kb,
        server_core=count.server_s / count.at_s,
        load_core=count.load_s / count.at_s,
        engine_us=engine_us(max(100, moves // scenario.moving)),
    )


def engine_us(moves: int) -> float:
    """Return the processor time that the engine alone takes for each of so many moves of one attempt."""
    attempt, shuttle = Attempt.start(GameCode.parse(DEAL)), (Move.parse("02"), Move.parse("20"))
    began_ns = process_time_ns()
    for number in range(moves):
        attempt = attempt.play(shuttle[number & 1], number)
    return (process_time_ns() - began_ns) / 1_000 / moves
