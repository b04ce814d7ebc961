"""A server process that is killed and started again, and bots that go on through that and note what they are told."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from pathlib import Path
from random import Random
from socket import create_server

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

ROOT = Path(__file__).parents[2]

START_S = 20

PASSING = {Reason.WRONG_PHASE, Reason.STALE_RACE, Reason.NOT_PLAYING, Reason.NO_SEAT}
"""Refusals of what was right when it was asked: a kill can come between."""


class Mortal:
    """`samedeal serve` on one port and one database, from one life to the next."""

    def __init__(self, database: Path) -> None:
        self.database = database
        with create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]
        self._process: Process | None = None

    @property
    def url(self) -> str:
        """The room of the bots."""
        return f"ws://127.0.0.1:{self.port}/ws/BOTS"

    async def begin(self) -> None:
        """Start the process, and wait for nothing."""
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "samedeal", "serve", "--port", str(self.port), "--database", str(self.database)),
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=PIPE,
            stderr=PIPE,
        )

    async def start(self) -> None:
        """Start the process, and wait until it listens."""
        await self.begin()
        process = self._process
        assert process
        assert process.stdout
        assert process.stderr
        async with asyncio.timeout(START_S):
            line = await process.stdout.readline()
        assert line.decode().startswith(LISTENS), await process.stderr.read()

    async def kill(self) -> None:
        """End it without any chance to do something about it."""
        assert self._process
        self._process.kill()
        assert await self._process.wait() == -signal.SIGKILL

    async def stop(self) -> None:
        """End it kindly; it ends in seconds and has nothing to complain of."""
        assert self._process
        assert self._process.stderr
        self._process.terminate()
        async with asyncio.timeout(5):
            assert await self._process.wait() == 0
        assert b"Traceback" not in await self._process.stderr.read()

    async def end(self) -> None:
        """Leave nothing running, whatever happened."""
        if self._process and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()


class Racer:
    """A bot that plays one race after the other, and its notes."""

    def __init__(self, connection: Connection, random: Random, *, follows: bool, move_s: float) -> None:
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
            elif self.stops and view.phase not in (Phase.RUNNING, Phase.COUNTDOWN):
                return
            elif view.phase == Phase.FINISHED:
                await self._ask(Rematch(race=view.race))
            elif view.phase == Phase.OPEN and not self._is_ready(view):
                await self._ask(Ready(ready=True))
            else:
                await self._change(view)

    async def _change(self, view: View) -> None:
        """Wait for another view, but not so long that being told to stop goes unnoticed."""
        with suppress(TimeoutError):
            async with asyncio.timeout(0.5):
                await self.connection.until(lambda later: later is not view)

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
        line = winning_line(GameCode.parse(str(view.code))) or ()
        if self._follows:
            return Play(ply=ply, move=str(line[hand.moves]))
        moves = RULES[view.options.game].legal_moves(view.table)
        if not moves or ply > 150 or self.stops:
            return Resign(ply=ply)
        return Play(ply=ply, move=str(self._random.choice(moves)))

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


def racer(url: str, name: str, random: Random, subprotocol: str, *, follows: bool, move_s: float) -> Racer:
    """Return a bot that is not connected yet."""
    hello = Hello(name=name, client="bot", opens=True, options=Options(suits=1))
    backoff = Backoff(first_ms=10, most_ms=100)
    connection = Connection(url, hello, random=random, subprotocol=subprotocol, backoff=backoff)
    return Racer(connection, random, follows=follows, move_s=move_s)
