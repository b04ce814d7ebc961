"""The server put together: clock, entropy, store, pools and rooms are made here and passed in."""

import asyncio
import logging
import re
import secrets
from collections.abc import Callable, Mapping
from functools import partial
from http import HTTPStatus
from importlib import resources
from typing import Self, TypeAlias

from websockets.asyncio.server import Server as SocketServer
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from server.clock import Clock, SystemClock
from server.config import Config
from server.identity import RandomBytes, new_id, new_token, token_hash
from server.log import Player
from server.race import Begin, Race
from server.room import Room
from server.session import Session
from server.store import Store
from server.transport import ServeTransport
from shared.errors import ProtocolError, Reason
from shared.games import RULES
from shared.names import checked_name
from shared.pool import Pool, edition
from shared.protocol.codec import server_codecs
from shared.protocol.messages import Hello

LOGGER = logging.getLogger(__name__)

GOODBYE_MS = 2_000
"""So long a client that is told that the server stops may take to say goodbye."""

ROOM_PATH = re.compile("/ws/([A-Za-z0-9-]{1,32})")
CODECS = server_codecs()

RandomBelow: TypeAlias = Callable[[int], int]
"""Where the numbers of deals come from: returns a whole number from 0 to one below its argument."""


class Server:
    """A running server."""

    def __init__(
        self,
        config: Config,
        store: Store,
        pools: Mapping[str, Pool],
        clock: Clock,
        random_bytes: RandomBytes,
        random_below: RandomBelow,
    ) -> None:
        self._config = config
        self._store = store
        self._pools = pools
        self._clock = clock
        self._random_bytes = random_bytes
        self._random_below = random_below
        self._rooms: dict[str, Room] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._transports: set[ServeTransport] = set()
        self._sockets: SocketServer | None = None

    @classmethod
    async def start(
        cls,
        config: Config,
        clock: Clock | None = None,
        random_bytes: RandomBytes = secrets.token_bytes,
        random_below: RandomBelow = secrets.randbelow,
    ) -> Self:
        """Open the database and listen; raise StorageError or OSError if one of them can't be had."""
        clock = clock or SystemClock()
        store = await Store.open(config.database, clock=clock)
        server = cls(config, store, read_pools(), clock, random_bytes, random_below)
        try:
            server._sockets = await serve(
                server._connected,
                config.host,
                config.port,
                subprotocols=[Subprotocol(name) for name in CODECS],
                process_request=server._routed,
                compression=None,
                max_size=config.limits.message,
                open_timeout=config.limits.hello_ms / 1000,
                server_header=None,
            )
        except BaseException:
            await store.close()
            raise
        return server

    @property
    def port(self) -> int:
        """The port listened on."""
        assert self._sockets is not None, "made by start"
        port: int = next(iter(self._sockets.sockets)).getsockname()[1]
        return port

    async def stop(self) -> None:
        """Close every connection, write what is waiting, let go of the database; in seconds, whatever others do."""
        assert self._sockets is not None, "made by start"
        self._sockets.close()
        try:
            async with asyncio.timeout(GOODBYE_MS / 1000):
                await self._sockets.wait_closed()
        except TimeoutError:
            for transport in self._transports:
                transport.cut()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._store.close()

    def _routed(self, connection: ServerConnection, request: Request) -> Response | None:
        """Answer what is no WebSocket of a room."""
        if ROOM_PATH.fullmatch(request.path):
            return None
        return connection.respond(HTTPStatus.NOT_FOUND, "Same Deal: races are at /ws/ROOM.\n")

    async def _connected(self, connection: ServerConnection) -> None:
        assert connection.request is not None, "the handshake is over"
        assert connection.subprotocol is not None, "without one that we speak there is no handshake"
        found = ROOM_PATH.fullmatch(connection.request.path)
        assert found, "routed"
        transport = ServeTransport(connection)
        session = Session(transport, CODECS[connection.subprotocol], self._clock, self._config.limits)
        self._transports.add(transport)
        try:
            await session.run(self._introduce, partial(self._room, found[1].upper()))
        finally:
            self._transports.discard(transport)

    async def _introduce(self, hello: Hello) -> tuple[Player, str | None]:
        """Find the player of a token, or make one of a name."""
        if hello.token is not None:
            player = await self._store.read.player_by_token(token_hash(hello.token))
            if player is None:
                raise ProtocolError(Reason.BAD_TOKEN)
            return player, None
        player = Player(new_id(self._random_bytes), checked_name(hello.name or ""))
        token = new_token(self._random_bytes)
        await self._store.add_player(player, token_hash(token))
        return player, token

    async def _room(self, name: str) -> Room:
        """Return the room of this name, opened by whoever comes first."""
        if name not in self._rooms:
            await self._store.add_room(name)
        room = self._rooms.get(name)  # someone may have been faster
        if room is None:
            race = Race(id=new_id(self._random_bytes), room=name)
            room = self._rooms[name] = Room(race, self._store, self._clock, self._draw, self._config.limits.inbox)
            task = asyncio.create_task(self._run(room))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return room

    async def _run(self, room: Room) -> None:
        try:
            await room.run()
        except Exception:
            LOGGER.exception("room %s broke", room.race.room)
            room.close()
        finally:
            del self._rooms[room.race.room]

    async def _draw(self, race: Race) -> Begin:
        """Draw a number that no starter has opened; when all are, the one opened longest ago, as practice."""
        game = race.options.game
        opened = await self._store.read.opened(race.starters, game)
        drawn = self._pools[game].draw(self._random_below, opened)
        practice = await self._store.read.openers(race.starters, game, drawn.number) if drawn.practice else frozenset()
        return Begin(
            number=drawn.number,
            attempts=tuple(new_id(self._random_bytes) for _ in race.starters),
            started_ms=self._clock.wall_ms(),
            practice=practice,
        )


def read_pools() -> dict[str, Pool]:
    """Return the pool of each game, from the files that are part of the program."""
    folder = resources.files("shared") / "data"
    pools = {}
    for name, rules in RULES.items():
        file = folder / f"{edition(rules)}.pool"
        pools[name] = Pool.parse(file.read_bytes()) if file.is_file() else Pool(rules)
    return pools
