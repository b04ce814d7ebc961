"""A scenario's people: connected, seated, and their races begun."""

import asyncio
from asyncio import Future
from collections.abc import Sequence

from msgspec import Struct

from shared.protocol.messages import Began, Done, Hello, Ready, Snapshot, Start, Welcome
from shared.protocol.values import Options
from tests.load.guest import AT_ONCE, Caller, Guest, Hearer, Mover, Racer, connect
from tests.load.scenario import Scenario

DEAL = "SS1-S1-AAAAAAE"
"""On which `02` and `20` are legal for ever, by turns."""

DAY_MS = 86_400_000


class Crowd(Struct, frozen=True):
    """All who are connected."""

    movers: Sequence[Mover]
    others: Sequence[Guest]

    @property
    def guests(self) -> tuple[Guest, ...]:
        """Both kinds."""
        return (*self.movers, *self.others)


async def raced(scenario: Scenario, port: int, broken: "Future[None]") -> Crowd:
    """Return the people of *scenario*, connected to a race server; the races run."""
    idle = [Guest(broken) for _ in range(scenario.idle)]
    for start in range(0, len(idle), AT_ONCE):  # what a crowd at a door takes is none of what its people take inside
        some = idle[start : start + AT_ONCE]
        await connect(some, f"ws://127.0.0.1:{port}/ws")
        await asyncio.gather(*(_greet(guest, f"idle {at}", Options(), Welcome) for at, guest in enumerate(some, start)))
    rooms = await asyncio.gather(*(_room(scenario, port, broken, number) for number in range(scenario.rooms)))
    movers = [mover for room in rooms for mover in room.movers]
    return Crowd(movers, [*idle, *(guest for room in rooms for guest in room.others)])


async def _room(scenario: Scenario, port: int, broken: "Future[None]", number: int) -> Crowd:
    """Fill one room and begin its race."""
    movers = [Racer(broken, scenario.every_ms) for _ in range(scenario.movers)]
    seated = [*movers, *(Guest(broken) for _ in range(scenario.seats - scenario.movers))]
    watching = [Guest(broken) for _ in range(scenario.spectators)]
    url = f"ws://127.0.0.1:{port}/ws/load-{number}"
    options = Options(code=DEAL, limit_ms=DAY_MS, seats=scenario.seats)
    for at, guest in enumerate(seated):  # one after the other: the first is the host, and all have seats
        await connect([guest], url)
        await _greet(guest, f"player {at}", options, Snapshot)
    await connect(watching, url)
    await asyncio.gather(*(_greet(guest, f"watcher {at}", options, Snapshot) for at, guest in enumerate(watching)))
    await _begin(seated)
    return Crowd(movers, [*seated[scenario.movers :], *watching])


async def _greet(guest: Guest, name: str, options: Options, last: type) -> None:
    """Say hello and wait for the *last* that is told to whoever comes in."""
    told = guest.awaits(last)
    guest.say(Hello(name=name, client="bot", opens=True, options=options))
    await told


async def _begin(seated: Sequence[Guest]) -> None:
    """Begin the race, with all seats."""
    began = [guest.awaits(Began) for guest in seated]
    host, *others = seated
    for guest in others:
        done = guest.awaits(Done)
        guest.say(Ready(id=1, ready=True))
        await done
    host.say(Start(id=1, countdown=1))
    await asyncio.gather(*began)


async def called(scenario: Scenario, port: int, broken: "Future[None]", size: int) -> Crowd:
    """Return as many people, connected to a bare server; messages have *size* bytes."""
    movers = [Caller(broken, scenario.every_ms, size) for _ in range(scenario.moving)]
    others = [Hearer(broken) for _ in range(scenario.listening + scenario.idle)]
    await connect([*movers, *others], f"ws://127.0.0.1:{port}/")
    return Crowd(movers, others)
