"""What is measured: one window of time, in which a crowd loads a server."""

import asyncio
import gc
from asyncio import Future
from collections.abc import Awaitable, Sequence
from random import Random
from time import perf_counter, process_time
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import astuple

from tests.load.guest import Trouble
from tests.load.process import ServerProcess
from tests.load.rooms import Crowd

T = TypeVar("T")

WARM_S = 0.7
"""So long the crowd moves before anything counts."""

FULL = 0.9
"""The share of its core from which on the load may be what is slow."""


class Row(Struct, frozen=True, kw_only=True, tag="row", tag_field="kind"):
    """One window's figures."""

    scenario: str
    server: str
    """`samedeal`, or what it is measured against."""
    round: int
    seconds: float
    moves: int
    p50_ms: float
    """Of the waits from a move to its acknowledgement."""
    p99_ms: float
    p999_ms: float
    cpu_us: float
    """Of the server, for each move."""
    deliveries: float
    """Messages that arrive, for each move."""
    bytes: float
    """Of each of these."""
    memory_kb: float
    """Resident memory that each connection has added."""
    server_core: float
    """The share of its core that each side used."""
    load_core: float
    engine_us: float
    """What the engine alone takes for a move, in this process."""

    @property
    def moves_s(self) -> float:
        """Moves a second."""
        return self.moves / self.seconds

    @property
    def delivery_us(self) -> float:
        """Processor time of the server for each message that arrives."""
        return self.cpu_us / self.deliveries

    @property
    def void(self) -> bool:
        """Whether the load may have been slower than the server."""
        return self.load_core > FULL


class Count(Struct, frozen=True):
    """Where the clocks and the counters stand, or what they have gone on by."""

    at_s: float
    server_s: float
    """Processor time of the server."""
    load_s: float
    frames: int
    bytes: int

    def since(self, before: "Count") -> "Count":
        """Return what has been added."""
        return Count(*(now - then for now, then in zip(astuple(self), astuple(before), strict=True)))


class Window(Struct, frozen=True):
    """What a crowd did in a while."""

    count: Count
    waits: Sequence[float]
    """Seconds from each move to its acknowledgement, sorted."""


def _count(server: ServerProcess, crowd: Crowd) -> Count:
    guests = crowd.guests
    frames, size = sum(guest.frames for guest in guests), sum(guest.bytes for guest in guests)
    return Count(perf_counter(), server.cpu_s(), process_time(), frames, size)


def begin(crowd: Crowd, every_ms: int | None) -> None:
    """Let all move: from now on, or from some point in the time between two moves."""
    random = Random(len(crowd.movers))
    for mover in crowd.movers:
        mover.begin(random.random() * (every_ms or 0) / 1000)


async def unbroken(work: Awaitable[T], broken: "Future[None]") -> T:
    """Return what *work* returns; raise what breaks the load before that."""
    working = asyncio.ensure_future(work)
    both: list[Future[Any]] = [working, broken]
    await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    if broken.done():
        working.cancel()
        broken.result()
    return working.result()


async def lasting(seconds: float, broken: "Future[None]") -> None:
    """Wait; raise what breaks the load in that time."""
    await asyncio.wait([broken], timeout=seconds)
    if broken.done():
        broken.result()


async def counted(server: ServerProcess, crowd: Crowd, broken: "Future[None]", seconds: float) -> Window:
    """Let a *crowd* that moves go on, and count for so many *seconds*; raise Trouble if nothing comes of it."""
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        await lasting(WARM_S, broken)
        for mover in crowd.movers:
            mover.waits_s.clear()
        before = _count(server, crowd)
        await lasting(seconds, broken)
        after = _count(server, crowd)
    finally:
        gc.enable()
        gc.unfreeze()
    waits = sorted(wait for mover in crowd.movers for wait in mover.waits_s)
    if not waits:
        raise Trouble("nothing was acknowledged")
    return Window(after.since(before), waits)


def share(waits: Sequence[float], part: float) -> float:
    """Return the wait in milliseconds below which *part* of the sorted *waits* lie."""
    return waits[min(len(waits) - 1, int(len(waits) * part))] * 1_000
