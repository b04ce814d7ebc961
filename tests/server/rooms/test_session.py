"""A session: the hello, the stamps, what ends a connection, and what the hall it leads to is told."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import pytest
import pytest_asyncio

from server.config import Limits
from server.log import Player, StorageError
from server.rooms.session import Introduced, Session
from server.rooms.transport import Taken
from shared.errors import NameRefused, ProtocolError, Reason
from shared.protocol.closing import CloseCode
from shared.protocol.codec import Frame, MsgpackCodec, client_codec, server_codecs
from shared.protocol.messages import (
    AnyCommand,
    AnyEvent,
    Command,
    Done,
    Forget,
    Hello,
    Ready,
    Refused,
    Rename,
    Undo,
    Welcome,
)
from tests.fake_clock import FakeClock
from tests.server.unframing import unframed

LIMITS = Limits(send_buffer=1_000, hello_ms=5_000, messages_per_s=10)
CLIENT = client_codec(MsgpackCodec.subprotocol)
ANNA = Player("annaannaannaanna", "Anna")


class Wire:
    """The connection under a session, from the client's end: a queue in, a list out."""

    def __init__(self) -> None:
        self.incoming: asyncio.Queue[Frame | None] = asyncio.Queue()
        self.writes: list[Sequence[bytes]] = []
        self.closed: tuple[int, str] | None = None
        self.cuts = 0
        self.unread = 0
        """Bytes that the client leaves unread."""
        self.delay_ms: int | None = None

    async def receive(self, take: Callable[[Frame], Taken | None]) -> Taken | None:
        while (frame := await self.incoming.get()) is not None:
            if (taken := take(frame)) is not None:
                return taken
        return None

    def send(self, frames: Sequence[bytes]) -> None:
        self.writes.append(frames)

    def waiting(self) -> int:
        return self.unread

    def lag_ms(self) -> int | None:
        return self.delay_ms

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
        return [CLIENT.decode(frame) for frames in self.writes for frame in unframed(frames)]


class Book:
    """A register that notes what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[Any, ...]] = []

    def enter(self, session: Session, player: Player) -> None:
        self.told.append(("enter", player.id))

    def leave(self, session: Session, player: Player) -> None:
        self.told.append(("leave", player.id))

    async def answer(self, session: Session, player: Player, command: Rename | Forget) -> None:
        self.told.append((command, player.id))
        await asyncio.sleep(0)
        session.tell(Done(id=command.id))


class Visit:
    """A session with the wire under it, and the hall that it leads to, which notes what it is told."""

    def __init__(self, clock: FakeClock) -> None:
        self.wire = Wire()
        self.told: list[tuple[Any, ...]] = []
        self.book = Book()
        self.fault: Exception | None = None
        """What happens when the player is looked up."""
        self.session = Session(self.wire, server_codecs()[MsgpackCodec.subprotocol], clock, LIMITS)
        self.task = asyncio.create_task(self.session.run(self._introduce))

    async def _introduce(self, hello: Hello) -> Introduced:
        if self.fault:
            raise self.fault
        return Introduced(ANNA, None if hello.token else "secret", self, self.book)

    def join(self, session: Session, player: Player) -> None:
        assert (session, player) == (self.session, ANNA)
        self.told.append(("join",))

    def leave(self, session: Session, player: Player) -> None:
        self.told.append(("leave",))

    def measure(self, session: Session, player: Player, lag_ms: int) -> None:
        self.told.append(("measure", lag_ms))

    def receive(self, session: Session, player: Player, command: AnyCommand, stamp_ms: int) -> None:
        self.told.append((command, stamp_ms))
        session.tell(Done(id=command.id))

    async def quiet(self) -> None:
        """Wait until all that was said has been heard."""
        for _ in range(100):
            await asyncio.sleep(0)


@pytest_asyncio.fixture
async def clock() -> AsyncIterator[FakeClock]:
    """A clock that stands still, by which timers go too."""
    clock, loop = FakeClock(), asyncio.get_running_loop()
    real_time = loop.time
    loop.time = lambda: clock.now_ms() / 1000  # type: ignore[method-assign]  # timers follow the clock
    yield clock
    loop.time = real_time  # type: ignore[method-assign]  # as above


async def test_what_is_about_the_player_alone_goes_to_the_register(clock: FakeClock) -> None:
    """
    It is carried out before the next command is looked at; the hall hears nothing of it. The register hears first and
    last that the connection is there.
    """
    visit = Visit(clock)
    visit.wire.say(Hello(name="Anna"), Rename(id=2, name="Ann"), Ready(id=3, ready=True), Forget(id=4), None)
    await visit.task
    said = [(Rename(id=2, name="Ann"), ANNA.id), (Forget(id=4), ANNA.id)]
    assert visit.book.told == [("enter", ANNA.id), *said, ("leave", ANNA.id)]
    assert visit.told == [("join",), (Ready(id=3, ready=True), clock.now_ms()), ("leave",)]
    assert [event.id for event in visit.wire.heard() if isinstance(event, Done)] == [2, 3, 4]


async def test_welcome_comes_first_and_the_hall_is_told(clock: FakeClock) -> None:
    """
    A new player is told id, name and token, one who comes back no token; the hall hears of coming and going.
    """
    new, back = Visit(clock), Visit(clock)
    new.wire.say(Hello(id=4, name="Anna"))
    back.wire.say(Hello(token="secret"), None)
    await back.task
    assert new.wire.heard() == [Welcome(id=4, player=ANNA.id, name="Anna", token="secret")]
    assert back.wire.heard() == [Welcome(player=ANNA.id, name="Anna")]
    assert (new.told, back.told) == ([("join",)], [("join",), ("leave",)])
    new.wire.say(None)
    await new.task


@pytest.mark.parametrize(
    ("hello", "bot", "choices"),
    [
        (Hello(name="Anna"), True, False),
        (Hello(name="Anna", client="bot", wants=("choices",)), True, True),
        (Hello(name="Anna", client="page", wants=("weather", "choices")), False, True),
        (Hello(name="Anna", client="terminal"), False, False),
    ],
)
async def test_hello_says_what_speaks_and_what_it_wants(
    clock: FakeClock, hello: Hello, bot: bool, choices: bool
) -> None:
    """
    People play by page or terminal, whatever else speaks is a bot; a want that is not known is passed over.
    """
    visit = Visit(clock)
    visit.wire.say(hello, None)
    await visit.task
    assert (visit.session.bot, visit.session.wants_choices) == (bot, choices)


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
    clock: FakeClock, first: Command | Frame | None, code: CloseCode, reason: str
) -> None:
    """
    Whatever comes first, if it is no hello the connection ends with a code and a reason, and no hall knew of it.
    """
    visit = Visit(clock)
    visit.wire.say(first)
    await visit.task
    assert visit.wire.closed == (code, reason)
    assert (visit.wire.writes, visit.told) == ([], [])


async def test_hello_has_its_time(clock: FakeClock) -> None:
    """
    A connection that says nothing is closed when the time for the first message is over.
    """
    visit = Visit(clock)
    await visit.quiet()
    clock.advance(LIMITS.hello_ms - 1)
    await visit.quiet()
    assert visit.wire.closed is None
    clock.advance(1)
    await visit.task
    assert visit.wire.closed == (CloseCode.NO_HELLO, "NO_HELLO")


@pytest.mark.parametrize(
    ("fault", "closed"),
    [
        (ProtocolError(Reason.BAD_TOKEN), (CloseCode.BAD_TOKEN, "BAD_TOKEN")),
        (ProtocolError(Reason.NO_ROOM, room="GUGU"), (CloseCode.NO_ROOM, "NO_ROOM room=GUGU")),
        (NameRefused(Reason.BAD_NAME, name="", longest=20), (CloseCode.BAD_NAME, "BAD_NAME name= longest=20")),
        (StorageError(Reason.NOT_STORED, cause="/secret/path is full"), (CloseCode.BUSY, "NOT_STORED")),
        (StorageError(Reason.BAD_DATABASE, cause="disk I/O error"), (CloseCode.BUSY, "BAD_DATABASE")),
        (
            ProtocolError(Reason.BAD_MESSAGE, why="x" * 500),
            (CloseCode.BAD_MESSAGE, ("BAD_MESSAGE why=" + "x" * 500)[:120]),
        ),
    ],
    ids=lambda each: str(each)[:20],
)
async def test_who_is_not_introduced_is_closed(clock: FakeClock, fault: Exception, closed: tuple[int, str]) -> None:
    """
    A client's mistake has its code; what the server suffers from is one to come back after, without its cause.
    """
    visit = Visit(clock)
    visit.fault = fault
    visit.wire.say(Hello(name="Anna"))
    await visit.task
    assert visit.wire.closed == closed
    assert (visit.wire.writes, visit.told) == ([], [])


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
async def test_malformed_message_closes(clock: FakeClock, frame: Command | Frame, why: str) -> None:
    """
    Nothing behind it is read, and the hall hears that the connection is gone.
    """
    visit = Visit(clock)
    visit.wire.say(Hello(name="Anna"), frame, Ready(id=1, ready=True))
    await visit.task
    assert visit.wire.closed == (CloseCode.BAD_MESSAGE, f"BAD_MESSAGE why={why}")
    assert visit.told == [("join",), ("leave",)]


async def test_unknown_command_is_refused_and_no_more(clock: FakeClock) -> None:
    """
    A newer client may go on with what this server knows.
    """
    visit = Visit(clock)
    visit.wire.say(Hello(name="Anna"), b"\x82\xa4type\xa4Wave\xa2id\x09", Ready(id=10, ready=True), None)
    await visit.task
    assert visit.wire.heard()[1:] == [
        Refused(id=9, reason="UNKNOWN_COMMAND", params={"command": "Wave"}),
        Done(id=10),
    ]
    assert visit.wire.closed is None


async def test_flood_closes(clock: FakeClock) -> None:
    """
    Five seconds' worth may come at once; the message after it ends the connection, and is not read.
    """
    visit = Visit(clock)
    visit.wire.say(Hello(name="Anna"), *(Ready(id=number, ready=True) for number in range(1, 60)))
    await visit.task
    assert visit.wire.closed == (CloseCode.TOO_FAST, "TOO_FAST limit=10")
    assert visit.wire.heard()[-1] == Done(id=5 * LIMITS.messages_per_s)


async def test_command_is_stamped_when_it_is_received(clock: FakeClock) -> None:
    """
    Each with the time at which it came.
    """
    visit = Visit(clock)
    visit.wire.say(Hello(name="Anna"))
    for number in range(3):
        clock.advance(100)
        visit.wire.say(Undo(id=number, ply=0))
        await visit.quiet()
    assert visit.told[1:] == [(Undo(id=number, ply=0), 100 * (number + 1)) for number in range(3)]
    visit.wire.say(None)
    await visit.task


async def test_delay_is_told_when_it_is_measured_anew(clock: FakeClock) -> None:
    """
    Once a measurement, however many commands come meanwhile; nothing before the first.
    """
    visit = Visit(clock)
    visit.wire.say(Hello(name="Anna"))
    for delay_ms in (None, 30, 30, 31):
        visit.wire.delay_ms = delay_ms
        visit.wire.say(Undo(ply=0))
        await visit.quiet()
    assert [each[1] for each in visit.told if each[0] == "measure"] == [30, 31]
    visit.wire.say(None)
    await visit.task


async def test_receiver_that_does_not_read_is_cut(clock: FakeClock) -> None:
    """
    Past the limit of the send buffer there is no close frame, which it would not read either.
    """
    visit = Visit(clock)
    visit.wire.say(Hello(name="Anna"))
    visit.wire.unread = LIMITS.send_buffer
    visit.wire.say(Undo(id=1, ply=0))
    await visit.quiet()
    assert visit.wire.cuts == 0
    visit.wire.unread += 1
    visit.wire.say(Undo(id=2, ply=0))
    await visit.task
    assert (visit.wire.cuts, visit.wire.closed) == (1, None)
    assert visit.told[-1] == ("leave",)
