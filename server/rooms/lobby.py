"""The lobby: the list of public rooms, kept fresh, and the way to make one."""

import asyncio

from server.log import Player
from server.race.outcome import refused
from server.rooms.rooms import Rooms
from server.rooms.session import Session
from shared.errors import Reason, Refusal, SameDealError
from shared.protocol import messages
from shared.protocol.messages import AnyCommand, Create, Created
from shared.protocol.values import Listed

LISTING_S = 1.0
"""The list leaves at most so often."""


class Lobby:
    """What the connections to `/ws` talk to."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms
        self._sessions: set[Session] = set()
        self._told: tuple[Listed, ...] = ()
        self._made: dict[tuple[str, str], str] = {}
        """Rooms by the player and the nonce that made them, oldest first."""

    def join(self, session: Session, player: Player) -> None:
        """Take a connection in and tell it the list."""
        self._sessions.add(session)
        session.tell(messages.Rooms(rooms=self._rooms.listed()))

    def leave(self, session: Session, player: Player) -> None:
        """Note that a connection is gone."""
        self._sessions.discard(session)

    def measure(self, session: Session, player: Player, lag_ms: int) -> None:
        """Do nothing: only races show delays."""

    def receive(self, session: Session, player: Player, command: AnyCommand, stamp_ms: int) -> None:
        """Answer a command; only Create is one in the lobby."""
        try:
            if not isinstance(command, Create):
                raise Refusal(Reason.WRONG_PHASE, phase="lobby")
            self._rooms.check_word(session.word)
            session.tell(Created(id=command.id, room=self._create(session, player, command)))
        except SameDealError as refusal:
            session.tell(refused(refusal, command.id))

    def _create(self, session: Session, player: Player, command: Create) -> str:
        key = (player.id, command.nonce)
        name = self._made.get(key)
        if name is None or self._rooms.find(name) is None:
            name = self._made[key] = self._rooms.create(command.options, session.whose).race.room
            if len(self._made) > 10_000:
                del self._made[next(iter(self._made))]
        return name

    async def run(self) -> None:
        """Tell every connection of the list when it has changed, until cancelled."""
        while True:
            await asyncio.sleep(LISTING_S)
            listed = self._rooms.listed()
            if listed != self._told:
                self._told = listed
                for session in self._sessions:
                    session.tell(messages.Rooms(rooms=listed))
