"""The server put together: clock, entropy, store, pools and rooms are made here and passed in."""

import asyncio
import secrets
from functools import partial
from http import HTTPStatus
from importlib import resources
from typing import Self

from websockets.asyncio.server import Server as SocketServer
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from server.clock import Clock, SystemClock
from server.config import Config
from server.identity import RandomBytes, new_id, new_token, token_hash
from server.lobby import Lobby
from server.log import Player
from server.roomcode import SOCKET_PATH
from server.rooms import Rooms
from server.session import Hall, Introduced, Session
from server.store import Store
from server.transport import ServeTransport
from shared.errors import ProtocolError, Reason
from shared.games import RULES
from shared.names import checked_name
from shared.pool import Pool, edition
from shared.protocol.closing import CloseCode
from shared.protocol.codec import server_codecs
from shared.protocol.messages import Hello

CODECS = server_codecs()


class Server:
    """A running server."""

    def __init__(self, config: Config, store: Store, rooms: Rooms, clock: Clock, random_bytes: RandomBytes) -> None:
        self._config = config
        self._store = store
        self._rooms = rooms
        self._lobby = Lobby(rooms)
        self._clock = clock
        self._random_bytes = random_bytes
        self._listing: asyncio.Task[None] | None = None
        self._sockets: SocketServer | None = None

    @classmethod
    async def start(
        cls, config: Config, clock: Clock | None = None, random_bytes: RandomBytes = secrets.token_bytes
    ) -> Self:
        """Open the database, go on with what was running, and listen.

        Raise StorageError or OSError if the database or the port can't be had.
        """
        clock = clock or SystemClock()
        store = await Store.open(config.database, clock=clock)
        rooms = Rooms(store, read_pools(), clock, random_bytes, config)
        server = cls(config, store, rooms, clock, random_bytes)
        try:
            await rooms.restore()
            await server._listen()
        except BaseException:
            await rooms.stop()
            await store.close()
            raise
        return server

    async def _listen(self) -> None:
        self._sockets = await serve(
            self._connected,
            self._config.host,
            self._config.port,
            subprotocols=[Subprotocol(name) for name in CODECS],
            process_request=self._routed,
            compression=None,
            max_size=self._config.limits.message,
            server_header=None,
        )
        self._listing = asyncio.create_task(self._lobby.run())

    @property
    def port(self) -> int:
        """The port listened on."""
        assert self._sockets is not None, "made by start"
        port: int = next(iter(self._sockets.sockets)).getsockname()[1]
        return port

    async def stop(self) -> None:
        """Tell everyone, write what is waiting, let go of the database."""
        assert self._sockets is not None, "made by start"
        assert self._listing is not None, "made by start"
        self._listing.cancel()
        self._sockets.close(code=CloseCode.CLOSED, reason="the server stops; come back soon")
        await self._rooms.stop()
        await self._sockets.wait_closed()
        await self._store.close()

    def _routed(self, connection: ServerConnection, request: Request) -> Response | None:
        """Answer what is no WebSocket of the lobby or of a room."""
        if SOCKET_PATH.fullmatch(request.path):
            return None
        return connection.respond(HTTPStatus.NOT_FOUND, "Same Deal: the lobby is at /ws, races are at /ws/ROOM.\n")

    async def _connected(self, connection: ServerConnection) -> None:
        assert connection.request is not None, "the handshake is over"
        found = SOCKET_PATH.fullmatch(connection.request.path)
        assert found, "routed"
        codec = CODECS[connection.subprotocol or next(iter(CODECS))]
        session = Session(ServeTransport(connection), codec, self._clock, self._config.limits)
        await session.run(partial(self._introduce, found["room"]))

    async def _introduce(self, name: str | None, hello: Hello) -> Introduced:
        """Find the player of a token, or make one of a name; find the room, or make it where Hello says so."""
        hall = self._hall(name, hello)
        if hello.token is not None:
            player = await self._store.read.player_by_token(token_hash(hello.token))
            if player is None:
                raise ProtocolError(Reason.BAD_TOKEN)
            return Introduced(player, None, hall)
        player = Player(new_id(self._random_bytes), checked_name(hello.name or ""))
        token = new_token(self._random_bytes)
        await self._store.add_player(player, token_hash(token))
        return Introduced(player, token, hall)

    def _hall(self, name: str | None, hello: Hello) -> Hall:
        if name is None:
            return self._lobby
        room = self._rooms.find(name)
        if room is not None:
            return room
        if not hello.opens:
            raise ProtocolError(Reason.NO_ROOM, room=name)
        self._rooms.check_word(hello.word)
        return self._rooms.create(hello.options, name)


def read_pools() -> dict[str, Pool]:
    """Return the pool of each game, from the files that are part of the program."""
    folder = resources.files("shared") / "data"
    pools = {}
    for name, rules in RULES.items():
        file = folder / f"{edition(rules)}.pool"
        pools[name] = Pool.parse(file.read_bytes()) if file.is_file() else Pool(rules)
    return pools
