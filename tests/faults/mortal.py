"""A server process that is killed and started again, and bots that go on through that and note what they are told."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from math import inf
from pathlib import Path
from random import Random
from socket import SO_REUSEADDR, SOL_SOCKET
from socket import socket as Socket  # noqa: N812  # what stands beside it is a WebSocket

from prometheus_client.parser import text_string_to_metric_families

from client.assets import winning_line
from client.child import LISTENS
from client.connection import Connection
from client.returning import Backoff
from client.view import View
from shared.errors import Reason, Refusal
from shared.gamecode import GameCode
from shared.games import RULES
from shared.phase import Phase
from shared.protocol.messages import (
    Began,
    Command,
    Finished,
    Hello,
    Hint,
    Play,
    PlyCommand,
    Ready,
    Rematch,
    Resign,
    Restart,
    Snapshot,
    Standings,
    Undo,
)
from shared.protocol.values import Options, Standing
from tests.patience import come_first
from tests.server.serving import Reply, parse

ROOT = Path(__file__).parents[2]

START_S = 180

known_line = lru_cache(maxsize=1_000)(winning_line)
"""Reading a line costs more than playing it; everyone in a race asks for the same."""

PASSING = {Reason.WRONG_PHASE, Reason.STALE_RACE, Reason.NOT_PLAYING, Reason.NO_SEAT, Reason.NO_HINT}
"""Refusals of what was right when it was asked: a kill can come between. That a hint is allowed promises none."""


class Mortal:
    """`samedeal serve` on one port and one database, from one life to the next; its log outlives it.

    On Linux the port is kept from all others until `end`, also while nobody listens: a socket is bound to it.
    """

    program = "samedeal"

    def __init__(self, database: Path, *options: str, log: Path | None = None) -> None:
        self.database = database
        self._reserved = Socket()
        self._reserved.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
        self._reserved.bind(("127.0.0.1", 0))
        self.port: int = self._reserved.getsockname()[1]
        if sys.platform != "linux":  # there nobody may listen at a port that another is bound to
            self._reserved.close()
        self._options = options
        self._log = log or database.with_name("server.log")
        self._process: Process | None = None

    @property
    def url(self) -> str:
        """The room of the bots."""
        return self.room("BOTS")

    def room(self, name: str) -> str:
        """Return the address of a room."""
        return f"ws://127.0.0.1:{self.port}/ws/{name}"

    @property
    def pid(self) -> int:
        """The process."""
        assert self._process
        return self._process.pid

    @property
    def log(self) -> str:
        """What it has written to its error stream in all its lives."""
        return self._log.read_text("utf-8")

    async def begin(self) -> None:
        """Start the process, and wait for nothing."""
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", self.program, "serve", "--port", str(self.port), *self._options),
                *("--database", str(self.database)),
                cwd=ROOT,
                env=os.environ | {"PYTHONPATH": str(ROOT)},
                stdout=PIPE,
                stderr=log,
            )

    async def start(self) -> None:
        """Start the process, and wait until it listens."""
        await self.begin()
        process = self._process
        assert process
        assert process.stdout
        async with asyncio.timeout(START_S):
            line = await process.stdout.readline()
        assert line.decode().startswith(LISTENS), self.log

    async def kill(self) -> None:
        """End it without any chance to do something about it."""
        assert self._process
        self._process.kill()
        assert await self._process.wait() == -signal.SIGKILL

    async def stop(self) -> None:
        """End it kindly; it ends in seconds and has had nothing to complain of."""
        assert self._process
        come_first(self.pid)
        self._process.terminate()
        async with asyncio.timeout(5):
            assert await self._process.wait() == 0
        assert "Traceback" not in self.log

    async def ended(self) -> int:
        """Return its status once it has ended by itself."""
        assert self._process
        async with asyncio.timeout(START_S):
            return await self._process.wait()

    async def end(self) -> None:
        """Leave nothing running and the port to others, whatever happened."""
        if self._process and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()
        self._reserved.close()

    async def measured(self, source: str = "127.0.0.1") -> dict[str, float]:
        """Return what it says at `/metrics` to someone at *source*; the values of one name are added up."""
        reply = await self.asked("/metrics", source)
        found = Counter[str]()
        for family in text_string_to_metric_families(reply.body.decode()):
            for sample in family.samples:
                found[sample.name] += sample.value  # type: ignore[assignment]  # a Counter of floats adds as well
        return dict(found)

    async def asked(self, path: str, source: str = "127.0.0.1") -> Reply:
        """Return what it answers to someone at *source*."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, local_addr=(source, 0))
        writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n\r\n".encode())
        reply = parse(await reader.read())
        writer.close()
        return reply


class Brisk(Mortal):
    """The same with hardly a countdown."""

    program = "tests.faults.brisk"


class Racer:
    """A bot that plays one race after the other, and its notes."""

    def __init__(
        self,
        connection: Connection,
        random: Random,
        *,
        follows: float,
        move_s: float,
        longest: int = 150,
        races: float = inf,
    ) -> None:
        """With a chance of *follows* it goes for the win in a race; else it resigns after *longest* entries at most.

        Once it was told the end of so many *races* it begins no more.
        """
        self.connection = connection
        self.notes: dict[str, list[str]] = {}
        """By race: the entries that were acknowledged."""
        self.asked: dict[str, str] = {}
        """By race: the entry that was asked for last, where no answer came."""
        self.told: dict[str, set[Standing]] = {}
        """By race: every line of the standings that was broadcast."""
        self.finished: dict[str, Finished] = {}
        self.stops = False
        """Begin no more races, and hurry with this one."""
        self._random = random
        self._follows = follows
        self._move_s = move_s
        self._longest = longest
        self._races = races
        self._plan = ("", 0)
        """A race, and after how many entries to give it up; 0 for not at all."""

    @property
    def acknowledged(self) -> int:
        """How many entries were, in all races."""
        return sum(map(len, self.notes.values()))

    async def live(self) -> None:
        """Play, and make the next race possible, until told to stop."""
        while True:
            view = self.connection.view
            if view.playing and view.phase == Phase.RUNNING:
                await asyncio.sleep(0.001 if self.stops else self._random.uniform(0, 2 * self._move_s))
                if self.connection.view.playing:
                    await self._play(self.connection.view)
            elif self._rests and view.phase == Phase.OPEN and self._is_ready(view):
                await self._mark(ready=False)  # else the next race would wait for it
            elif self.stops and view.phase not in (Phase.RUNNING, Phase.COUNTDOWN):
                return
            elif self._rests:
                await self._change(self._goes_on_from(view))
            elif view.phase == Phase.FINISHED:
                await self._ask(Rematch(race=view.race))
            elif view.phase == Phase.OPEN and view.seat is not None and not self._is_ready(view):
                await self._mark(ready=True)
            else:
                await self._change(self._goes_on_from(view))

    @property
    def _rests(self) -> bool:
        return self.stops or len(self.finished) >= self._races

    async def _mark(self, *, ready: bool) -> None:
        """Set the ready mark, or take it back; who is here is told a moment after the answer."""
        if await self._ask(Ready(ready=ready)):
            await self._change(lambda later: later.phase != Phase.OPEN or self._is_ready(later) == ready)

    def _goes_on_from(self, before: View) -> Callable[[View], bool]:
        """Return whether a later view asks for something else than *before*; most events change nothing of that."""

        def asked(view: View) -> tuple[object, ...]:
            return view.phase, view.playing, view.seat, self._is_ready(view)

        return lambda later: asked(later) != asked(before)

    async def _change(self, awaited: Callable[[View], bool]) -> None:
        """Wait for a view, but not so long that being told to stop goes unnoticed."""
        with suppress(TimeoutError):
            async with asyncio.timeout(0.5):
                await self.connection.until(awaited)

    def _is_ready(self, view: View) -> bool:
        return any(seat.seat == view.seat and seat.ready for seat in view.seats)

    async def _ask(self, command: Command) -> bool:
        """Return whether *command* was carried out."""
        try:
            await self.connection.ask(command)
        except Refusal as refusal:
            if refusal.reason not in PASSING:
                raise
            return False
        return True

    async def _play(self, view: View) -> None:
        """Play one entry. What the server shows before it is just what it has acknowledged."""
        notes = self.notes.setdefault(view.race, [])
        assert view.ply == len(notes), (view.ply, notes)
        command = self._choose(view)
        entry = command.move if isinstance(command, Play) else type(command).__name__.lower()
        self.asked[view.race] = entry
        if await self._ask(command):
            notes.append(entry)
            del self.asked[view.race]

    def _choose(self, view: View) -> PlyCommand:
        """Follow the line to the win, or wander and give up; now and then take a move back or begin anew."""
        hand, ply, chance = view.hand, view.ply, self._random.random()
        assert hand
        assert view.table
        if chance < 0.08 and hand.can.undo and not self.stops:
            return Undo(ply=ply)
        if chance < 0.09 and not self.stops:
            return Restart(ply=ply)
        if chance < 0.11 and hand.can.hint:
            return Hint(ply=ply)
        gives_up = self._gives_up(view.race)
        line = None if gives_up or self.stops else known_line(GameCode.parse(str(view.code)))
        if line:
            return Play(ply=ply, move=str(line[hand.moves]))
        moves = RULES[view.options.game].legal_moves(view.table)
        if not moves or ply > (gives_up or self._longest) or self.stops:
            return Resign(ply=ply)
        return Play(ply=ply, move=str(self._random.choice(moves)))

    def _gives_up(self, race: str) -> int:
        """Return after how many entries to give *race* up, decided once; 0 for not at all."""
        if self._plan[0] != race:
            wins = self._random.random() < self._follows
            self._plan = race, 0 if wins else self._random.randint(1 + self._longest // 4, self._longest)
        return self._plan[1]

    async def listen(self) -> None:
        """Note what is broadcast, for ever."""
        race = self.connection.view.race
        async for event in self.connection.events():
            if isinstance(event, Snapshot | Began | Finished):
                race = event.race
            if isinstance(event, Snapshot | Standings | Finished):
                self.told.setdefault(race, set()).update(event.rows)
            if isinstance(event, Finished):
                self.finished[race] = event


def connection(url: str, hello: Hello, random: Random, subprotocol: str) -> Connection:
    """Return what a bot plays over, not connected yet; it comes back soon."""
    return Connection(url, hello, random=random, subprotocol=subprotocol, backoff=Backoff(first_ms=20, most_ms=1_000))


def racer(url: str, name: str, random: Random, subprotocol: str, *, follows: bool, move_s: float) -> Racer:
    """Return a bot that is not connected yet."""
    hello = Hello(name=name, client="bot", opens=True, options=Options(suits=1))
    return Racer(connection(url, hello, random, subprotocol), random, follows=follows, move_s=move_s)
