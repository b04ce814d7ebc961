"""The lobby: its list, kept fresh, and rooms made once however often they are asked for."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeAlias

from msgspec.structs import replace

from server.config import Limits
from server.log import Player
from server.rooms.addresses import LOOPBACK
from server.rooms.lobby import LISTING_S, Lobby
from server.rooms.session import Session
from server.rooms.transport import Taken
from shared.protocol import messages
from shared.protocol.codec import Frame, MsgpackCodec, client_codec, server_codecs
from shared.protocol.messages import AnyCommand, Create, Created, Event, Hello, Play, Ready, Refused
from shared.protocol.values import Options
from tests.server.building import Building, building
from tests.server.rooming import Listener
from tests.server.unframing import unframed

CLIENT = client_codec(MsgpackCodec.subprotocol)
ANNA, BERT = Player("anna", "Anna"), Player("bert", "Bert")
PUBLIC = Options(public=True)
Heard: TypeAlias = list[Event]


class Wire:
    """What a session sends goes into a list."""

    def __init__(self) -> None:
        self.heard: Heard = []

    async def receive(self, take: Callable[[Frame], Taken | None]) -> Taken | None:
        raise AssertionError

    def send(self, frames: Sequence[bytes]) -> None:
        self.heard += map(CLIENT.decode, unframed(frames))

    def waiting(self) -> int:
        return 0

    def lag_ms(self) -> int | None:
        return None

    def close(self, code: int, reason: str) -> None:
        raise AssertionError(reason)

    def cut(self) -> None:
        raise AssertionError


class Foyer(Building):
    """A lobby with its task, and the rooms behind it."""

    def __init__(self, here: Building) -> None:
        super().__init__(here.store, here.rooms, here.clock)
        self.lobby = Lobby(self.rooms)

    def come(self, player: Player, word: str | None = None) -> tuple[Session, Heard]:
        """Let a connection in; return what it hears beside it."""
        wire = Wire()
        session = Session(wire, server_codecs()[MsgpackCodec.subprotocol], self.clock, Limits())
        session.greeted(Hello(name=player.name, word=word))
        self.lobby.join(session, player)
        return session, wire.heard

    def ask(self, session: Session, player: Player, command: AnyCommand) -> None:
        """Hand a command in."""
        self.lobby.receive(session, player, command, self.clock.now_ms())

    async def listing(self) -> None:
        """Let a second pass, and all that comes of it."""
        self.clock.advance(round(LISTING_S * 1_000))
        for _ in range(20):
            await asyncio.sleep(0)


@asynccontextmanager
async def foyer(path: Path, word: str | None = None) -> AsyncIterator[Foyer]:
    """Lend a lobby with its rooms."""
    async with building(path, word=word) as here:
        lent = Foyer(here)
        task = asyncio.create_task(lent.lobby.run())
        try:
            yield lent
        finally:
            task.cancel()


def lists(heard: Heard) -> list[list[str]]:
    """Return the rooms of each list that was heard."""
    return [[each.room for each in event.rooms] for event in heard if isinstance(event, messages.Rooms)]


async def test_who_comes_hears_the_list(prepared: Path) -> None:
    """
    At once, as it is at that moment.
    """
    async with foyer(prepared) as here:
        _, before = here.come(ANNA)
        room = here.rooms.create(PUBLIC, LOOPBACK, "NIGHT")
        await here.enter(room, "bert")
        _, after = here.come(ANNA)
        assert (lists(before), lists(after)) == ([[]], [["NIGHT"]])


async def test_list_is_told_when_it_changes_at_most_once_a_second(prepared: Path) -> None:
    """
    To everyone who is in the lobby still; a second in which nothing changes is silent.
    """
    async with foyer(prepared) as here:
        _, heard = here.come(ANNA)
        gone, silent = here.come(BERT)
        await here.listing()
        here.lobby.leave(gone, BERT)
        listeners: list[Listener] = []
        for name, player in (("ONE", "anna"), ("TWO", "bert")):
            listeners.append(await here.enter(here.rooms.create(PUBLIC, LOOPBACK, name), player))
        assert lists(heard) == [[]]
        await here.listing()
        assert lists(heard) == [[], ["ONE", "TWO"]]
        await here.listing()
        assert len(lists(heard)) == 2
        one = here.rooms.find("ONE")
        assert one is not None
        one.leave(listeners[0], listeners[0].player)
        await here.until(lambda: one.race.listed() is None)
        await here.listing()
        assert lists(heard) == [[], ["ONE", "TWO"], ["TWO"]]
        assert lists(silent) == [[]]


async def test_room_is_made_once_for_a_nonce(prepared: Path) -> None:
    """
    A resend finds the room that its first sending made, whatever it says; other nonces and other players make others.
    """
    async with foyer(prepared) as here:
        anna, heard = here.come(ANNA)
        bert, others = here.come(BERT)
        options = Options(game="freecell", public=True)
        here.ask(anna, ANNA, Create(id=1, nonce="x", options=options))
        here.ask(anna, ANNA, Create(id=2, nonce="x", options=options))
        here.ask(anna, ANNA, Create(id=3, nonce="y"))
        here.ask(bert, BERT, Create(id=1, nonce="x"))
        first, again, another = (event for event in heard if isinstance(event, Created))
        (his,) = (event for event in others if isinstance(event, Created))
        assert again == replace(first, id=2)
        assert len({first.room, another.room, his.room}) == 3
        room = here.rooms.find(first.room)
        assert room is not None
        assert room.race.options == options


async def test_nonce_of_a_room_that_is_gone_makes_another(prepared: Path) -> None:
    """
    Nobody is sent to a room that is not there.
    """
    async with foyer(prepared) as here:
        anna, heard = here.come(ANNA)
        here.ask(anna, ANNA, Create(id=1, nonce="x"))
        (first,) = (event for event in heard if isinstance(event, Created))
        room = here.rooms.find(first.room)
        assert room is not None
        listener = await here.enter(room, "anna")
        here.say(room, listener, messages.Close())
        await here.until(lambda: here.rooms.find(first.room) is None)
        here.ask(anna, ANNA, Create(id=2, nonce="x"))
        second = heard[-1]
        assert isinstance(second, Created)
        assert here.rooms.find(second.room) is not None


async def test_what_cannot_be_made_is_refused(prepared: Path) -> None:
    """
    Options that name no game, and commands that belong in a room: the connection goes on.
    """
    async with foyer(prepared) as here:
        anna, heard = here.come(ANNA)
        here.ask(anna, ANNA, Create(id=1, nonce="x", options=Options(game="chess")))
        here.ask(anna, ANNA, Ready(id=2, ready=True))
        here.ask(anna, ANNA, Play(id=3, ply=0, move="02"))
        assert [(event.id, event.reason) for event in heard if isinstance(event, Refused)] == [
            (1, "CODE_GAME"),
            (2, "WRONG_PHASE"),
            (3, "WRONG_PHASE"),
        ]
        here.ask(anna, ANNA, Create(id=4, nonce="x"))
        assert isinstance(heard[-1], Created)
        here.lobby.measure(anna, ANNA, 40)
        assert heard[-1].id == 4


async def test_word_is_asked_of_whoever_makes_a_room(prepared: Path) -> None:
    """
    It was said with the hello, or the room is not made.
    """
    async with foyer(prepared, word="Sesam") as here:
        knows, heard = here.come(ANNA, word="Sesam")
        not_told, refused = here.come(BERT)
        here.ask(not_told, BERT, Create(id=1, nonce="x"))
        here.ask(knows, ANNA, Create(id=1, nonce="x"))
        assert isinstance(heard[-1], Created)
        last = refused[-1]
        assert isinstance(last, Refused)
        assert (last.id, last.reason) == (1, "WRONG_WORD")
        assert len(list(here.rooms.races())) == 1
