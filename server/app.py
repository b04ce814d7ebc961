"""The server put together: clock, entropy, store, pools and rooms are made here and passed in."""

import asyncio
import logging
import secrets
import socket
from collections.abc import Mapping
from functools import partial
from importlib import resources
from typing import Self

from websockets.datastructures import Headers
from websockets.frames import CloseCode as WireCode
from websockets.http11 import Request, Response

from server import metrics
from server.clock import Clock, SystemClock
from server.config import Config
from server.identity import RandomBytes
from server.log import Player
from server.rooms.addresses import Hosts, Household, Proxies
from server.rooms.door import Door
from server.rooms.listener import Listener
from server.rooms.lobby import Lobby
from server.rooms.players import Players
from server.rooms.roomcode import SOCKET_PATH, room_of
from server.rooms.rooms import Rooms
from server.rooms.session import Hall, Introduced, Session
from server.rooms.websocket import WebSocket
from server.storage.store import Store
from server.web.api import Api
from server.web.assets import read_assets
from server.web.pages import Pages
from server.web.web import Web
from shared.errors import ProtocolError, Reason, Refusal
from shared.games import RULES
from shared.pool import Pool, edition
from shared.protocol.closing import CloseCode
from shared.protocol.codec import server_codecs
from shared.protocol.messages import Hello
from shared.texts import Texts, spoken

LOGGER = logging.getLogger(__name__)

CODECS = server_codecs()

GOODBYE_MS = 2_000
"""So long those who are told that the server stops may take to say goodbye."""

LETTING_GO_MS = 1_500
"""So long the database may take after that."""


class Server:
    """A running server."""

    def __init__(self, config: Config, store: Store, clock: Clock, random_bytes: RandomBytes) -> None:
        pools = read_pools()
        self._config = config
        self._store = store
        self._clock = clock
        self._rooms = Rooms(store, pools, clock, random_bytes, config)
        self._lobby = Lobby(self._rooms)
        self._players = Players(store, self._rooms, random_bytes)
        hosts = Hosts(socket.gethostname(), config.name)
        self._door = Door(Proxies(config.trusted_proxy), hosts, config.limits, clock)
        api = Api(store, self._rooms, pools, clock)
        texts = read_texts()
        pages = Pages(texts, self._rooms, store.read)
        self._web = Web(read_assets(), texts, pages, api, lambda: (race.phase for race in self._rooms.races()))
        self._listing: asyncio.Task[None] | None = None
        limits = config.limits
        self._listener = Listener(self._door, limits, list(CODECS), self._answered, self._visited, self._unread)

    @classmethod
    async def start(
        cls, config: Config, clock: Clock | None = None, random_bytes: RandomBytes = secrets.token_bytes
    ) -> Self:
        """Open the database, go on with what was running, and listen.

        Raise StorageError or OSError if the database or the port can't be had.
        """
        clock = clock or SystemClock()
        store = await Store.open(config.database, clock=clock)
        server = cls(config, store, clock, random_bytes)
        try:
            await server._rooms.restore()
            await server._listen()
        except BaseException:
            await server._rooms.stop()
            await store.close()
            raise
        return server

    async def _listen(self) -> None:
        await self._listener.open(self._config.listens_on, self._config.port)
        self._listing = asyncio.create_task(self._lobby.run())

    @property
    def port(self) -> int:
        """The port listened on."""
        port: int = self._listener.sockets[0].getsockname()[1]
        return port

    async def stop(self) -> None:
        """Tell everyone, write what is waiting, let go of the database; in seconds, whatever others do."""
        assert self._listing is not None, "made by start"
        self._listing.cancel()
        self._listener.close(CloseCode.CLOSED, "the server stops; come back soon")
        try:
            async with asyncio.timeout(GOODBYE_MS / 1000):
                await self._rooms.stop()
                await self._listener.wait_closed()
        except TimeoutError:
            LOGGER.warning("not everyone said goodbye")
            self._door.cut_all()
        try:
            async with asyncio.timeout(LETTING_GO_MS / 1000):
                await self._listener.wait_closed()
                await self._store.close()
        except TimeoutError:
            # Its thread ends with the process, and whatever waits there was acknowledged to nobody.
            LOGGER.warning("the database does not answer: what it was asked to write may be lost")

    async def _answered(self, connection: asyncio.Transport, request: Request) -> Response | None:
        """Let a WebSocket of the lobby or of a room in; answer any other request."""
        try:
            self._door.admit(connection, request)
            if SOCKET_PATH.fullmatch(request.path):
                self._door.admit_socket(request)
                return None
            # The page's files come by the dozen, and a household may be many behind one address.
            if not self._web.keeps(request.path):
                self._door.admit_request(connection, request)
        except Refusal as refusal:
            return self._web.refuse(request, refusal)
        return await self._web.answer(request, self._door.scheme(connection, request))

    def _unread(self, method: str) -> Response:
        """Return the answer to what begins with *method* and is no request: it has content, or its head is none."""
        if method.isalpha() and method not in ("GET", "HEAD"):
            refusal = Refusal(Reason.BAD_METHOD, method=method)
        else:
            refusal = Refusal(Reason.BAD_QUERY, why="it has content, or no head of HTTP/1.1")
        return self._web.refuse(Request("/", Headers()), refusal)

    async def _visited(self, connection: WebSocket, path: str, whose: Household) -> None:
        """Serve a connection until it ends. Whatever goes wrong in here costs that connection alone."""
        name = room_of(path)
        session = Session(connection, CODECS[connection.subprotocol], self._clock, self._config.limits, whose)
        try:
            with metrics.CONNECTIONS.labels("room" if name else "lobby").track_inprogress():
                await session.run(partial(self._introduce, name, whose))
        except Exception:
            LOGGER.exception("a connection broke")
            connection.close(WireCode.INTERNAL_ERROR, "something went wrong here")

    async def _introduce(self, name: str | None, whose: Household, hello: Hello) -> Introduced:
        """Find the player of a token, or make one of a name; find the room, or make it where Hello says so.

        All that can be refused is looked at before a new player is written.
        """
        if name is not None and self._rooms.find(name) is None:
            self._check_opens(name, hello)
            self._rooms.check_makes(hello.options, whose)
        player, token = await self._players.introduced(hello, partial(self._check_enters, name))
        # Nothing waits from here on: the room that is found now is there when the player joins it.
        return Introduced(player, token, self._hall(name, whose, hello), self._players)

    def _check_opens(self, name: str, hello: Hello) -> None:
        if not hello.opens:
            raise ProtocolError(Reason.NO_ROOM, room=name)
        self._rooms.check_word(hello.word)

    def _check_enters(self, name: str | None, newcomer: Player) -> None:
        """Raise ProtocolError where the room is there and does not let *newcomer* in."""
        room = self._rooms.find(name) if name else None
        reason = room and room.refusal(newcomer)
        if reason:
            raise ProtocolError(reason)

    def _hall(self, name: str | None, whose: Household, hello: Hello) -> Hall:
        if name is None:
            return self._lobby
        room = self._rooms.find(name)
        if room is None:
            self._check_opens(name, hello)
            room = self._rooms.create(hello.options, whose, name)
        return room


def read_pools() -> dict[str, Pool]:
    """Return the pool of each game, from the files that are part of the program."""
    folder = resources.files("shared") / "data"
    pools = {}
    for name, rules in RULES.items():
        file = folder / f"{edition(rules)}.pool"
        pools[name] = Pool.parse(file.read_bytes()) if file.is_file() else Pool(rules)
    return pools


def read_texts(environment: Mapping[str, str] | None = None) -> Texts:
    """Return what the program says, in English, or in the language that the *environment* of a terminal asks for."""
    found = (resources.files("shared") / "locales").iterdir()
    files = {file.name.removesuffix(".json"): file for file in found if file.is_file()}
    language = spoken(environment or {}, files)
    return Texts.parse(files[language].read_bytes(), language)
