"""The people of one room: they come, race, drop, come back and go, race after race; one always has to watch."""

import asyncio
from contextlib import AsyncExitStack
from itertools import count
from random import Random

from client.assets import solved_codes
from client.connection import Connection
from shared.protocol.codec import JsonCodec, MsgpackCodec
from shared.protocol.messages import Done, Hello, Leave
from shared.protocol.values import Options
from tests.faults.mortal import Mortal, Racer, connection

SEATS, PEOPLE = 4, 5
MOVE_S = 0.01
LONGEST = 14
"""Entries after which a racer who does not go for the win gives up."""

WINS = 0.03
DROP_ENTRIES, DROP_S = 25, 1.0
"""So many entries are played in a room, on average, until someone there loses the line, soon after."""

OPTIONS = (
    Options(seats=SEATS),
    Options(seats=SEATS, game="freecell", hint=True),
    Options(seats=SEATS, code=str(solved_codes("freecell")[7]), goal="score"),
)
SUBPROTOCOLS = (MsgpackCodec.subprotocol, JsonCodec.subprotocol)


class Company:
    """Everyone in one room. Between rounds nobody is connected; in each someone new comes for someone who has left."""

    def __init__(self, server: Mortal, number: int, random: Random) -> None:
        self.racers: list[Racer] = []
        """Those of the round."""
        self.entered = asyncio.Event()
        """Everyone of the round is there: until then a failing connection is final."""
        self.drops = 0
        self._url = server.room(f"ROOM-{number}")
        self._options = OPTIONS[number % len(OPTIONS)]
        self._random = random
        self._names = map("Player {}".format, count())
        self._tokens: list[str] = []

    @property
    def ids(self) -> set[str]:
        """The races that anyone of the round was told the end of."""
        return {race for each in self.racers for race in each.finished}

    @property
    def _played(self) -> int:
        return sum(each.acknowledged for each in self.racers)

    async def race(self, races: int) -> None:
        """Play so many races to their ends, and go."""
        self.racers = []
        self.entered.clear()
        async with AsyncExitStack() as room:
            for number in range(PEOPLE):
                token = self._tokens[number] if number < len(self._tokens) else None
                hello = Hello(
                    name=None if token else next(self._names),
                    token=token,
                    client="bot",
                    opens=True,
                    options=self._options,
                )
                line = self._connection(hello, number)
                racer = Racer(line, self._random, follows=WINS, move_s=MOVE_S, longest=LONGEST, races=races)
                self.racers.append(racer)
                await room.enter_async_context(line)
            self.entered.set()
            await self._play(races)
            self._tokens = [str(each.connection.token) for each in self.racers]
            leaver = self._random.randrange(PEOPLE)
            del self._tokens[leaver]
            assert isinstance(await self.racers[leaver].connection.ask(Leave()), Done)

    async def _play(self, races: int) -> None:
        async with asyncio.TaskGroup() as group:
            beside = [group.create_task(each.listen()) for each in self.racers]
            beside.append(group.create_task(self._drop()))
            playing = [group.create_task(each.live()) for each in self.racers]
            while len(self.ids) < races:
                await asyncio.wait(playing, timeout=0.1, return_when=asyncio.FIRST_COMPLETED)
                assert not any(each.done() for each in playing), playing
            for each in self.racers:
                each.stops = True
            await asyncio.wait(playing)
            for task in beside:
                task.cancel()

    async def _drop(self) -> None:
        """Cut someone's line now and then, in play or after it."""
        due = 0
        while True:
            await asyncio.sleep(self._random.uniform(0, DROP_S))
            if self._played >= due:
                self._random.choice(self.racers).connection.drop()
                self.drops += 1
                due = self._played + self._random.randrange(2 * DROP_ENTRIES)

    def _connection(self, hello: Hello, number: int) -> Connection:
        return connection(self._url, hello, self._random, SUBPROTOCOLS[number % len(SUBPROTOCOLS)])
