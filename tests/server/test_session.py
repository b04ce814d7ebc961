"""A session: the hello, the stamps, and what ends a connection."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from server.config import Limits
from server.log import Player, StorageError
from server.race import COUNTDOWN_MS
from server.room import Room
from server.session import Session
from shared.errors import NameRefused, ProtocolError, Reason
from shared.protocol.closing import TRY_AGAIN, CloseCode
from shared.protocol.codec import Frame, MsgpackCodec, client_codec, server_codecs
from shared.protocol.messages import (
    AnyEvent,
    Began,
    Command,
    Countdown,
    Done,
    Hello,
    Play,
    Played,
    Ready,
    Refused,
    Roster,
    Snapshot,
    Start,
    Undo,
    Welcome,
)
from tests.server.rooming import House, house

LIMITS = Limits(send_buffer=1_000, hello_ms=5_000)
CLIENT = client_codec(MsgpackCodec.subprotocol)


class Wire:
    """The connection under a session, from the client's end: a queue in, a list out."""

    def __init__(self) -> None:
        self.incoming: asyncio.Queue[Frame | None] = asyncio.Queue()
        self.writes: list[list[Frame]] = []
        self.closed: tuple[int, str] | None = None
        self.cuts = 0
        self.unread = 0
        """Bytes that the client leaves unread."""

    async def frames(self) -> AsyncIterator[Frame]:
        while (frame := await self.incoming.get()) is not None:
            yield frame

    def send(self, frames: Sequence[Frame]) -> None:
        self.writes.append(list(frames))

    def waiting(self) -> int:
        return self.unread

    def close(self, code: int, reason: str) -> None:
        assert self.closed is None
        self.closed = code, reason
        self.incoming.put_nowait(None)

    def cut(self) -> None:
        self.cuts += 1
        self.incoming.put_nowait(None)

    def say(self, *messages: Command | Frame | None) -> None:
        """Send messages or frames; None ends the connection."""
        for message in messages:
            self.incoming.put_nowait(CLIENT.encode(message) if isinstance(message, Command) else message)

    def heard(self) -> list[AnyEvent]:
        """Return all events so far."""
        return [CLIENT.decode(frame) for frames in self.writes for frame in frames]


class Visit:
    """A session in a room, with the wire under it."""

    def __init__(self, here: House, *, name: str = "anna") -> None:
        self.here = here
        self.wire = Wire()
        self.player = Player(name, name.title())
        self.fault: Exception | None = None
        """What happens when the player is looked up."""
        session = Session(self.wire, server_codecs()[MsgpackCodec.subprotocol], here.clock, LIMITS)
        self.task = asyncio.create_task(session.run(self._introduce, self._enter))

    async def _introduce(self, hello: Hello) -> tuple[Player, str | None]:
        if self.fault:
            raise self.fault
        return self.player, None if hello.token else "secret"

    async def _enter(self) -> Room:
        return self.here.room

    async def hears(self, kind: type[AnyEvent]) -> AnyEvent:
        """Return the last event of this kind, once there is one."""
        for _ in range(10_000):
            found = [event for event in self.wire.heard() if isinstance(event, kind)]
            if found:
                return found[-1]
            await asyncio.sleep(0)
        pytest.fail(f"no {kind.__name__} in {self.wire.heard()}")


async def test_welcome_is_followed_by_the_snapshot(prepared: Path) -> None:
    """
    A new player is told id, name and token, one who comes back no token; then the room.
    """
    async with house(prepared) as here:
        new = Visit(here)
        new.wire.say(Hello(id=4, name="Anna"))
        await new.hears(Roster)
        assert new.wire.heard()[0] == Welcome(id=4, player="anna", name="Anna", token="secret")
        assert isinstance(new.wire.heard()[1], Snapshot)

        back = Visit(here, name="bert")
        back.wire.say(Hello(token="secret"))
        await back.hears(Snapshot)
        assert back.wire.heard()[0] == Welcome(player="bert", name="Bert")


@pytest.mark.parametrize(
    ("first", "code", "reason"),
    [
        (Ready(ready=True), CloseCode.NO_HELLO, "NO_HELLO"),
        (b"\x81\xa4type\xa4Wave", CloseCode.NO_HELLO, "NO_HELLO"),
        (None, CloseCode.NO_HELLO, "NO_HELLO"),
        (b"", CloseCode.BAD_MESSAGE, "BAD_MESSAGE why=no msgpack"),
        ("{}", CloseCode.BAD_MESSAGE, "BAD_MESSAGE why=a text frame where a binary one is due"),
        (b"\x80", CloseCode.BAD_MESSAGE, "BAD_MESSAGE why=Object missing required field `type`"),
    ],
    ids=str,
)
async def test_who_does_not_say_hello_is_closed(
    prepared: Path, first: Command | Frame | None, code: CloseCode, reason: str
) -> None:
    """
    Whatever comes first, if it is no hello the connection ends with a code and a reason, and the room never knew.
    """
    async with house(prepared) as here:
        visit = Visit(here)
        visit.wire.say(first)
        await visit.task
        assert visit.wire.closed == (code, reason)
        assert visit.wire.writes == []
        assert here.room.race.roster.places == ()


async def test_hello_has_its_time(prepared: Path) -> None:
    """
    A connection that says nothing is closed when the time for the first message is over.
    """
    async with house(prepared) as here:
        visit = Visit(here)
        await here.turns()
        here.clock.advance(LIMITS.hello_ms - 1)
        await here.turns()
        assert visit.wire.closed is None
        here.clock.advance(1)
        await visit.task
        assert visit.wire.closed == (CloseCode.NO_HELLO, "NO_HELLO")


@pytest.mark.parametrize(
    ("fault", "closed"),
    [
        (ProtocolError(Reason.BAD_TOKEN), (CloseCode.BAD_TOKEN, "BAD_TOKEN")),
        (NameRefused(Reason.BAD_NAME, name="''", longest=20), (CloseCode.BAD_NAME, "BAD_NAME name='' longest=20")),
        (StorageError(Reason.NOT_STORED, cause="/secret/path is full"), (TRY_AGAIN, "NOT_STORED")),
        (StorageError(Reason.BAD_DATABASE, cause="disk I/O error"), (TRY_AGAIN, "BAD_DATABASE")),
        (
            ProtocolError(Reason.BAD_MESSAGE, why="x" * 500),
            (CloseCode.BAD_MESSAGE, ("BAD_MESSAGE why=" + "x" * 500)[:120]),
        ),
    ],
    ids=lambda each: str(each)[:20],
)
async def test_who_is_not_introduced_is_closed(prepared: Path, fault: Exception, closed: tuple[int, str]) -> None:
    """
    A client's mistake has its code; what the server suffers from is one to come back after, without its cause.
    """
    async with house(prepared) as here:
        visit = Visit(here)
        visit.fault = fault
        visit.wire.say(Hello(name="Anna"))
        await visit.task
        assert visit.wire.closed == closed
        assert visit.wire.writes == []


@pytest.mark.parametrize(
    ("frame", "why"),
    [
        (Hello(name="Anna"), "a second Hello"),
        (b"\xc1", "no msgpack"),
        ('{"type":"Undo","ply":0}', "a text frame where a binary one is due"),
        (b"\x82\xa4type\xa4Undo\xa3ply\xff", "Expected `int` >= 0 - at `$.ply`"),
    ],
    ids=str,
)
async def test_malformed_message_closes(prepared: Path, frame: Command | Frame, why: str) -> None:
    """
    Nothing behind it is read, the seat is kept, and the others hear that its player is gone.
    """
    async with house(prepared) as here:
        visit, other = Visit(here), Visit(here, name="bert")
        visit.wire.say(Hello(name="Anna"))
        await visit.hears(Roster)
        other.wire.say(Hello(name="Bert"))
        await other.hears(Snapshot)
        visit.wire.say(frame, Ready(id=1, ready=True))
        await visit.task
        assert visit.wire.closed == (CloseCode.BAD_MESSAGE, f"BAD_MESSAGE why={why}")
        while here.room.race.roster.places[0].connected:
            await here.turns()
        assert not any(isinstance(event, Done) for event in visit.wire.heard())
        assert other.wire.closed is None


async def test_unknown_command_is_refused_and_no_more(prepared: Path) -> None:
    """
    A newer client may go on with what this server knows.
    """
    async with house(prepared) as here:
        visit = Visit(here)
        visit.wire.say(Hello(name="Anna"), b"\x82\xa4type\xa4Wave\xa2id\x09", Ready(id=10, ready=True))
        assert await visit.hears(Done) == Done(id=10)
        refused = await visit.hears(Refused)
        assert refused == Refused(id=9, reason="UNKNOWN_COMMAND", params={"command": "'Wave'", "id": 9})
        assert visit.wire.closed is None


async def test_full_room_is_told_at_once(prepared: Path) -> None:
    """
    What finds no place in the inbox is refused BUSY under its id, and may be asked again.
    """
    async with house(prepared, inbox=2) as here:
        visit = Visit(here)
        visit.wire.say(Hello(name="Anna"))
        await visit.hears(Roster)
        visit.wire.say(*(Ready(id=number, ready=True) for number in (1, 2, 3)))
        assert await visit.hears(Refused) == Refused(id=3, reason="BUSY")
        await here.turns()
        visit.wire.say(Ready(id=4, ready=False))
        while Done(id=4) not in visit.wire.heard():
            await here.turns()


async def test_command_is_stamped_when_it_is_received(prepared: Path) -> None:
    """
    However long the room takes to come to it.
    """
    async with house(prepared) as here:
        visit = Visit(here)
        visit.wire.say(Hello(name="Anna"))
        await visit.hears(Roster)
        visit.wire.say(Start(countdown=1))
        await visit.hears(Countdown)
        here.clock.advance(COUNTDOWN_MS)
        await visit.hears(Began)
        here.clock.advance(1_500)
        for ply, move in enumerate(("02", "20")):
            visit.wire.say(Play(id=7, ply=ply, move=move))
            await here.turns(3)
        here.clock.advance(9_000)
        while [type(event) for event in visit.wire.heard()].count(Played) < 2:
            await here.turns()
        assert here.room.race.run is not None
        assert here.room.race.run.entrants["anna"].attempt.entries == ((1_500, "02"), (1_500, "20"))


async def test_receiver_that_does_not_read_is_cut(prepared: Path) -> None:
    """
    Past the limit of the send buffer there is no close frame, which it would not read either.
    """
    async with house(prepared) as here:
        visit = Visit(here)
        visit.wire.say(Hello(name="Anna"))
        await visit.hears(Roster)
        visit.wire.unread = LIMITS.send_buffer
        visit.wire.say(Undo(id=1, ply=0))
        await visit.hears(Refused)
        assert visit.wire.cuts == 0
        visit.wire.unread += 1
        visit.wire.say(Undo(id=2, ply=0))
        await visit.task
        assert (visit.wire.cuts, visit.wire.closed) == (1, None)
        while here.room.race.roster.places[0].connected:
            await here.turns()
