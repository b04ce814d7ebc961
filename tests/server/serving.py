"""Servers that run, what is asked of them over real sockets, and races that they find in their database."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from itertools import count
from pathlib import Path
from socket import socket as Socket  # noqa: N812  # what stands beside it is a WebSocket
from typing import Any

from msgspec import Struct
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Origin, Subprotocol

from server.app import Server
from server.config import Config, Limits
from server.identity import token_hash
from server.log import Batch, Player, RoomState
from server.race.outcome import Outcome
from server.race.race import Race
from server.race.restore import kept
from server.race.said import Begin, Join
from server.race.start import COUNTDOWN_MS
from server.storage.store import Store
from shared.gamecode import GameCode
from shared.protocol.codec import Codec, MsgpackCodec, client_codec
from shared.protocol.messages import AnyEvent, Command, Hello, Play, Ready, Resign, Welcome
from shared.protocol.values import Options
from tests.fake_clock import FakeClock
from tests.patience import GUARD_S
from tests.server.storing import prepare

ANNA, BERT = Player("annaannaannaanna", "Anna"), Player("bertbertbertbert", "Bert")
TOKENS = {ANNA: "a" * 32, BERT: "b" * 32}
STARTED_MS = 1_767_225_600_000


class Reply(Struct, frozen=True):
    """What came back."""

    status: int
    head: Mapping[str, str]
    """By name in lower case."""
    body: bytes

    def json(self) -> Any:  # noqa: ANN401  # whatever the server says
        """Return the body, which has to be JSON."""
        assert self.head["content-type"] == "application/json"
        return json.loads(self.body)


@asynccontextmanager
async def serving(database: Path, limits: Limits | None = None, **settings: Any) -> AsyncIterator[Server]:  # noqa: ANN401  # of Config
    """Run a server on a free port of this machine."""
    prepare(database)
    server = await Server.start(Config(port=0, database=str(database), limits=limits or Limits(), **settings))
    try:
        yield server
    finally:
        await server.stop()


async def ask(server: Server, path: str, method: str = "GET", host: str | None = None, **head: str) -> Reply:
    """Send one request, its head as given (`if_none_match` is If-None-Match), and return the answer."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{server.port}'}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in head.items()]
    return parse(await talk(server, "\r\n".join([*lines, "", ""]).encode()))


async def talk(server: Server, request: bytes) -> bytes:
    """Send bytes and return all that comes back until the server closes the connection."""
    async with asyncio.timeout(GUARD_S):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        try:
            writer.write(request)
            return await reader.read()
        finally:
            writer.close()


def parse(answer: bytes) -> Reply:
    """Take an answer apart."""
    head, _, body = answer.partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    fields = dict(line.split(": ", 1) for line in lines)
    return Reply(int(status.split()[1]), {name.lower(): value for name, value in fields.items()}, body)


def socket(
    server: Server,
    path: str = "/ws",
    *,
    origin: str | None = None,
    sock: Socket | None = None,
    subprotocols: Sequence[str] = (MsgpackCodec.subprotocol,),
    **head: str,
) -> connect:
    """Return a WebSocket to open, over *sock* where there is one; it has further fields in its *head*."""
    return connect(
        f"ws://127.0.0.1:{server.port}{path}",
        sock=sock,
        origin=None if origin is None else Origin(origin),
        subprotocols=[Subprotocol(name) for name in subprotocols],
        additional_headers={name.replace("_", "-"): value for name, value in head.items()},
        compression=None,
        proxy=None,
        open_timeout=GUARD_S,
    )


CODEC: Codec[AnyEvent] = client_codec(MsgpackCodec.subprotocol)


async def say(connection: ClientConnection, command: Command) -> None:
    """Send a command."""
    await connection.send(CODEC.encode(command))


async def hear(connection: ClientConnection) -> AnyEvent:
    """Return the next event."""
    async with asyncio.timeout(GUARD_S):
        return CODEC.decode(await connection.recv())


async def hello(connection: ClientConnection, **fields: Any) -> Welcome:  # noqa: ANN401  # of Hello
    """Say hello and return the welcome."""
    await say(connection, Hello(id=1, **({"name": "Anna"} | fields)))
    welcome = await hear(connection)
    assert isinstance(welcome, Welcome)
    return welcome


async def closing(connection: ClientConnection) -> int:
    """Return the code with which the server closes, whatever it says before."""
    async with asyncio.timeout(GUARD_S):
        with suppress(ConnectionClosed):
            while True:
                await connection.recv()
    assert connection.close_code is not None
    return connection.close_code


class Past:
    """Writes races of Anna and Bert into a database, as a server would have."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def people(self) -> None:
        """Let there be Anna and Bert."""
        for player, token in TOKENS.items():
            await self._store.add_player(player, token_hash(token))

    async def race(self, name: str, code: str, moves: str, options: Options | None = None) -> Race:
        """Race on *code*: Anna plays *moves*, Bert watches his table. The race is called *name*, as its room is."""
        deal = GameCode.parse(code)
        race = Race(id=name, room=name.upper(), options=options or Options(game=deal.game, suits=deal.suits))
        for player in (ANNA, BERT):
            race = await self.take(race, player, Join(name=player.name))
        for player in (ANNA, BERT):
            race = await self.take(race, player, Ready(ready=True))
        attempts = (f"{name}-anna", f"{name}-bert")
        begin = Begin(number=deal.number, attempts=attempts, started_ms=STARTED_MS)
        race = await self._write(*race.answer("", begin, COUNTDOWN_MS))
        for ply, move in enumerate(moves.split()):
            race = await self.take(race, ANNA, Play(ply=ply, move=move))
        return race

    async def finish(self, race: Race) -> None:
        """End a race: whoever still plays resigns."""
        for player in (ANNA, BERT):
            if race.run and race.run.plays(player.id):
                race = await self.take(race, player, Resign(ply=race.run.entrants[player.id].attempt.ply))

    async def take(self, race: Race, player: Player, command: Any) -> Race:  # noqa: ANN401  # any command
        """Have *race* answer a command, some time later than the last."""
        return await self._write(*race.answer(player.id, command, next(self._times)))

    _times = count(COUNTDOWN_MS + 1_000, 1_000)

    async def _write(self, race: Race, outcome: Outcome) -> Race:
        batch = Batch(
            rows=outcome.log,
            begun=outcome.begun,
            ended=outcome.ended,
            finished=outcome.finished,
            opened=outcome.opened,
            state=RoomState(race.room, kept(race)),
        )
        await self._store.append(batch)
        return race


@asynccontextmanager
async def past(database: Path) -> AsyncIterator[Past]:
    """Lend what writes into a database before a server starts on it."""
    prepare(database)
    store = await Store.open(database, clock=FakeClock())
    try:
        written = Past(store)
        await written.people()
        yield written
    finally:
        await store.close()
