"""The players: who is connected, who says hello, and what they ask of themselves: another name, to be forgotten."""

import asyncio
import logging
from collections.abc import Callable

from server.identity import RandomBytes, new_id, new_token, token_hash
from server.log import Player, StorageError
from server.race import said
from server.race.outcome import refused
from server.rooms.rooms import Rooms
from server.rooms.session import Session
from server.storage.belongings import FORMER, forget
from server.storage.store import Store
from shared.errors import ProtocolError, Reason, Refusal, SameDealError
from shared.names import checked_name
from shared.protocol.messages import Done, Forget, Hello, Rename, Renamed

LOGGER = logging.getLogger(__name__)


class Players:
    """The register of a server."""

    def __init__(self, store: Store, rooms: Rooms, random_bytes: RandomBytes) -> None:
        self._store = store
        self._rooms = rooms
        self._random_bytes = random_bytes
        self._sessions: dict[str, tuple[Session, ...]] = {}
        """The connections of each player who has any."""
        self._changing = asyncio.Lock()
        """One player is changed at a time."""
        self._changes = 0

    async def introduced(self, hello: Hello, check: Callable[[Player], None]) -> tuple[Player, str | None]:
        """Return the player who says hello, and the secret of one who is new; raise SameDealError.

        What *check* has against a newcomer it raises before anything is written.
        """
        if hello.token is not None:
            return await self._known(token_hash(hello.token)), None
        player = Player(new_id(self._random_bytes), checked_name(hello.name or ""))
        check(player)
        token = new_token(self._random_bytes)
        await self._store.add_player(player, token_hash(token))
        return player, token

    async def _known(self, hashed: bytes) -> Player:
        """Return the player of a token, as they are when the caller goes on."""
        while True:
            changes = self._changes
            player = await self._store.read.player_by_token(hashed)
            if player is None:
                raise ProtocolError(Reason.BAD_TOKEN)
            if changes == self._changes:
                return player

    def enter(self, session: Session, player: Player) -> None:
        """Note a connection of a player."""
        self._sessions[player.id] = (*self._sessions.get(player.id, ()), session)

    def leave(self, session: Session, player: Player) -> None:
        """Note that a connection is gone."""
        left = tuple(each for each in self._sessions.pop(player.id, ()) if each is not session)
        if left:
            self._sessions[player.id] = left

    async def answer(self, session: Session, player: Player, command: Rename | Forget) -> None:
        """Carry a command out, or refuse it: what is not written has not happened."""
        try:
            async with self._changing:
                if session not in self._sessions.get(player.id, ()):
                    raise Refusal(Reason.FORGOTTEN)  # over another connection, while this one waited
                if isinstance(command, Rename):
                    await self._rename(session, player.id, command)
                else:
                    await self._forget(session, player.id, command)
        except StorageError as error:  # what it says of the database is nobody's business
            LOGGER.warning("player %s: %s", player.id, error)
            reason = Reason.MAYBE_STORED if error.unknown else Reason.NOT_STORED
            session.tell(refused(Refusal(reason), command.id))
        except SameDealError as refusal:
            session.tell(refused(refusal, command.id))

    async def _rename(self, session: Session, player: str, command: Rename) -> None:
        name = checked_name(command.name)
        self._rooms.check_name(player, name)
        await self._store.rename(player, name)
        self._changes += 1
        for each in self._sessions.get(player, ()):
            each.tell(Renamed(id=command.id if each is session else 0, name=name))
        self._rooms.hear_of(player, said.Renamed(name=name))

    async def _forget(self, session: Session, player: str, command: Forget) -> None:
        if self._rooms.plays(player):
            raise Refusal(Reason.STILL_PLAYING)
        await forget(self._store, player)
        self._changes += 1
        session.tell(Done(id=command.id))
        self._rooms.hear_of(player, said.Forgotten(name=FORMER))
        for each in self._sessions.pop(player, ()):
            each.close(ProtocolError(Reason.FORGOTTEN))
