"""The whole server over real sockets: races in both games, and everyone who does not keep to the protocol."""

import asyncio
import sqlite3
from contextlib import closing as closed
from contextlib import suppress
from pathlib import Path

import msgpack
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Subprotocol

from server.app import GOODBYE_MS, read_pools
from server.config import Limits
from server.log import StorageError
from server.race import COUNTDOWN_MS
from server.reader import Reader
from server.run import FINISH_WINDOW_MS
from shared.errors import Reason
from shared.gamecode import GameCode
from shared.games import RULES
from shared.protocol.closing import TRY_AGAIN, CloseCode
from shared.protocol.codec import JsonCodec, MsgpackCodec, client_codec
from shared.protocol.messages import (
    Began,
    Configure,
    Countdown,
    Done,
    Finished,
    Gather,
    Hello,
    Hint,
    Hinted,
    Options,
    Play,
    PlayBest,
    Played,
    Ready,
    Refused,
    Resign,
    Restart,
    Roster,
    Start,
    Undo,
    Welcome,
)
from shared.record import Record, verify
from tests.server.visiting import Serving, Visitor, closing, serving

JSON, MSGPACK = JsonCodec.subprotocol, MsgpackCodec.subprotocol


def place_of(game: str) -> int:
    """Return the place, among those that *game* draws, of a number whose winning line is known."""
    rules, number = RULES[game], read_pools()[game].numbers[0]
    return number - 1 - sum(loser < number for loser in rules.losers) if rules.drawn else 0


async def begin(here: Serving, host: Visitor, *others: Visitor) -> str:
    """Start a race with all of them and return its code, which all are told with the same table."""
    for other in others:
        await other.ask(Ready(ready=True))
    if not any(isinstance(event, Countdown) for event in host.heard):
        await host.ask(Start(countdown=1))
    for visitor in (host, *others):
        if visitor.view.phase != "countdown":
            await visitor.hears(Countdown)
    here.clock.advance(COUNTDOWN_MS)
    told = [await visitor.hears(Began) for visitor in (host, *others)]
    assert {(began.code, began.table) for began in told} == {(told[0].code, told[0].table)}
    assert told[0].code is not None
    return told[0].code


# Whole races


@pytest.mark.parametrize("game", RULES)
async def test_whole_race(prepared: Path, game: str) -> None:
    """
    Three players in both encodings race one deal: one wins, one is refused, takes back, begins anew, drops, comes
    back and resigns, one runs out of time; results, records and the deal's page are what was played.
    """
    async with (
        serving(prepared, place_of(game)) as here,
        here.visitor(Hello(name="Anna")) as anna,
        here.visitor(Hello(name="Bert"), JSON) as bert,
        here.visitor(Hello(name="Çağla"), JSON) as carla,
    ):
        await anna.ask(Configure(options=Options(game=game, hint=True)))
        code = GameCode.parse(await begin(here, anna, bert, carla))
        line = read_pools()[game].line(code)
        assert line is not None

        assert isinstance(await bert.ask(Play(move="11", ply=0)), Refused)
        first, *_, last = code.rules.legal_moves(code.deal())
        assert isinstance(await bert.ask(Play(move=str(first), ply=0)), Played)
        for command in (Undo(ply=0), PlayBest(source=str(first)[0], count=first.count, ply=0), Restart(ply=0)):
            assert isinstance(await bert.ask(command), Played)
        assert isinstance(await bert.ask(Hint(ply=0)), Hinted if game == "freecell" else Refused)
        table, ply = bert.view.table, bert.view.ply
        bert.socket.transport.abort()
        await anna.hears(Roster)
        assert [seat.connected for seat in anna.view.seats] == [True, False, True]

        here.clock.advance(1_000)
        assert isinstance(await carla.ask(Play(move=str(last), ply=0)), Played)
        for move in line:
            if anna.view.hand and anna.view.hand.can.gather:
                break
            await anna.ask(Play(move=str(move), ply=0))
        if game == "freecell":
            assert isinstance(await anna.ask(Gather(ply=0)), Played)
        assert anna.view.hand is not None
        assert anna.view.hand.state == "solved"

        async with bert.again(MSGPACK) as back, here.visitor(Hello(name="Dora"), JSON) as dora:
            assert (back.view.table, back.view.ply, back.view.seat) == (table, ply, 1)
            assert (dora.view.seat, dora.view.code, dora.view.table) == (None, None, None)
            assert [row.state for row in dora.view.rows] == ["solved", "playing", "playing"]
            await back.ask(Play(move=str(first), ply=0))
            here.clock.advance(500)
            assert isinstance(await back.ask(Resign(ply=0)), Played)
            here.clock.advance(FINISH_WINDOW_MS)
            told = [await visitor.hears(Finished) for visitor in (anna, back, carla, dora)]

        assert len({(finished.code, finished.rows, finished.attempts) for finished in told}) == 1
        finished = told[0]
        assert [row.state for row in sorted(finished.rows, key=lambda row: row.seat)] == [
            "solved",
            "resigned",
            "timed_out",
        ]
        assert [row.elapsed_ms for row in sorted(finished.rows, key=lambda row: row.seat)] == [
            1_000,
            1_500,
            1_000 + FINISH_WINDOW_MS,
        ]
        assert finished.rows[0].seat == 0
    await check_stored(prepared, finished, code, back.view.race)


async def check_stored(path: Path, finished: Finished, code: GameCode, race: str) -> None:
    """See that the database tells what was told: results, records that hold, and the deal's page in the same order."""
    reader = await Reader.open(path)
    stored = await reader.race(race)
    page = await reader.deal(code.game, code.number, code.suits)
    packed = {attempt: await reader.record(attempt) for attempt in finished.attempts}
    await reader.close()
    assert stored is not None
    assert stored.finished is not None
    by_id = {attempt.attempt: attempt for attempt in stored.attempts}
    for row, attempt in zip(finished.rows, finished.attempts, strict=True):
        result = by_id[attempt]
        assert (result.seat, result.place, result.state) == (row.seat, row.place, row.state)
        assert (result.score, result.moves, result.progress) == (row.score, row.moves, row.progress)
        assert result.elapsed_ms == row.elapsed_ms
        record = Record.unpack(packed[attempt] or b"")
        assert verify(record).ok
        assert record.code == code
        assert record.player == result.name
    assert [by_id[line.attempt].place for line in page] == [row.place for row in finished.rows]
    assert {line.attempt for line in page} == set(finished.attempts)
    assert {attempt.name for attempt in stored.attempts} == {"Anna", "Bert", "Çağla"}


async def test_rooms_are_apart(prepared: Path) -> None:
    """
    What happens in one room is not told in another, whatever the case of its name; one player may be in both.
    """
    async with (
        serving(prepared) as here,
        here.visitor(Hello(name="Anna"), room="one") as anna,
        here.visitor(Hello(name="Bert"), room="ONE") as bert,
        here.visitor(Hello(name="Carl"), room="TWO") as carl,
    ):
        assert (anna.view.room, bert.view.room, carl.view.room) == ("ONE", "ONE", "TWO")
        assert len(bert.view.seats) == 2
        async with Visitor(here.url("TWO"), Hello(token=anna.token), JSON) as also:
            await carl.hears(Roster)
            assert [seat.name for seat in also.view.seats] == ["Carl", "Anna"]
            assert isinstance(await anna.ask(Ready(ready=True)), Done)
        assert not any(seat.ready for seat in carl.view.seats)


async def test_newer_tab_closes_the_older(prepared: Path) -> None:
    """
    The older is closed with a code that tells it not to come back; the newer has the seat and is not disturbed.
    """
    async with serving(prepared) as here, here.visitor(Hello(name="Anna")) as older, older.again(JSON) as newer:
        assert await older.closing() == (CloseCode.TAKEN_OVER, "TAKEN_OVER")
        assert isinstance(await newer.ask(Ready(ready=True)), Done)
        assert newer.view.seats[0].connected
        assert newer.view.seat == 0


async def test_numbers_that_were_opened_are_not_drawn_again(prepared: Path) -> None:
    """
    The same chance gives another deal to those who have seen the first, and the same one to those who have not.
    """
    async with serving(prepared, place=3) as here:
        async with here.visitor(Hello(name="Anna"), room="ONE") as anna:
            first = await begin(here, anna)
        async with Visitor(here.url("TWO"), Hello(token=anna.token), JSON) as again:
            second = await begin(here, again)
        async with here.visitor(Hello(name="Bert"), room="THREE") as bert:
            third = await begin(here, bert)
        assert first != second
        assert first == third


async def test_when_all_are_opened_the_oldest_comes_again_as_practice(prepared: Path) -> None:
    """
    Of the whole pool that one of two players has opened the first comes again: practice for that one alone.
    """
    numbers = read_pools()["simple-simon"].numbers
    async with (
        serving(prepared) as here,
        here.visitor(Hello(name="Anna")) as anna,
        here.visitor(Hello(name="Bert")) as bert,
    ):
        oldest = numbers[1234]
        rows = [(anna.view.player, "simple-simon", each, "2025" if each == oldest else "2026") for each in numbers]
        with closed(sqlite3.connect(prepared)) as connection:
            connection.executemany("INSERT INTO opened VALUES (?, ?, ?, ?)", rows)
            connection.commit()
        code = GameCode.parse(await begin(here, anna, bert))
    assert code.number == oldest
    with closed(sqlite3.connect(prepared)) as connection:
        marks = connection.execute("SELECT player, practice FROM attempts").fetchall()
    assert sorted(marks) == sorted([(anna.view.player, 1), (bert.view.player, 0)])


# Those who do not keep to the protocol


async def raw(here: Serving, *frames: bytes | str, subprotocol: str = MSGPACK) -> tuple[int, str]:
    """Send frames to the room and return code and reason with which the server closes."""
    async with connect(here.url(), subprotocols=[Subprotocol(subprotocol)], compression=None) as socket:
        with suppress(ConnectionClosed):
            for frame in frames:
                await socket.send(frame)
        return await closing(socket.recv)


def packed(**fields: object) -> bytes:
    """Return a map as msgpack."""
    frame: bytes = msgpack.packb(fields)
    return frame


HELLO = client_codec(MSGPACK).encode(Hello(name="Carl"))
assert isinstance(HELLO, bytes)

CLOSED: list[tuple[tuple[bytes | str, ...], int, str]] = [
    ((HELLO, HELLO), CloseCode.BAD_MESSAGE, "a second Hello"),
    ((HELLO, "{}"), CloseCode.BAD_MESSAGE, "a text frame where a binary one is due"),
    ((HELLO, b"\xc1"), CloseCode.BAD_MESSAGE, "no msgpack"),
    ((HELLO, b""), CloseCode.BAD_MESSAGE, "no msgpack"),
    ((HELLO, packed(type="Undo", ply="1")), CloseCode.BAD_MESSAGE, "`$.ply`"),
    ((HELLO, packed(type="Configure", options={"goal": "🂡" * 400})), CloseCode.BAD_MESSAGE, "`$.options.goal`"),
    ((HELLO, b"x" * 20_000), 1009, ""),
    ((packed(type="Ready", ready=True),), CloseCode.NO_HELLO, "NO_HELLO"),
    ((packed(type="Hello"),), CloseCode.BAD_NAME, "BAD_NAME"),
    ((packed(type="Hello", name=""),), CloseCode.BAD_NAME, "BAD_NAME"),
    ((packed(type="Hello", name="a\u202eb"),), CloseCode.BAD_NAME, "BAD_NAME"),
    ((packed(type="Hello", name="x" * 21),), CloseCode.BAD_NAME, "longest=20"),
    ((packed(type="Hello", name=5),), CloseCode.BAD_MESSAGE, "`$.name`"),
    ((packed(type="Hello", token="guessed"),), CloseCode.BAD_TOKEN, "BAD_TOKEN"),
    ((packed(type="Hello", token=""),), CloseCode.BAD_TOKEN, "BAD_TOKEN"),
    ((packed(type="Hello", name="Anna", token="guessed"),), CloseCode.BAD_TOKEN, "BAD_TOKEN"),
]


async def test_bad_clients_are_closed_and_others_undisturbed(prepared: Path) -> None:
    """
    Each of them gets its close code and a reason, whatever it sent before; who plays on notices a guest at most.
    """
    async with serving(prepared) as here, here.visitor(Hello(name="Anna")) as anna:
        for frames, code, reason in CLOSED:
            told = await raw(here, *frames)
            assert (told[0], reason in told[1]) == (code, True), (frames, told)
            assert isinstance(await anna.ask(Ready(ready=True)), Done)
        assert await raw(here, b"{}", subprotocol=JSON) == (
            CloseCode.BAD_MESSAGE,
            "BAD_MESSAGE why=a binary frame where a text one is due",
        )
        assert [seat.name for seat in anna.view.seats if seat.connected] == ["Anna"]
        assert not any(isinstance(event, Refused) for event in anna.heard)


async def test_silent_client_is_closed(prepared: Path) -> None:
    """
    Who has not said hello in time is closed with NO_HELLO.
    """
    async with serving(prepared, limits=Limits(hello_ms=2_000)) as here, here.visitor(Hello(name="Anna")) as anna:
        silent = asyncio.create_task(raw(here))
        for _ in range(100):
            await asyncio.sleep(0)
        while not silent.done():
            here.clock.advance(500)
            for _ in range(20):
                await anna.ask(Ready(ready=True))
        assert silent.result() == (CloseCode.NO_HELLO, "NO_HELLO")


@pytest.mark.parametrize("subprotocols", [None, ["samedeal.v2.msgpack"], ["chat", "json"]])
async def test_wrong_subprotocol_is_no_handshake(prepared: Path, subprotocols: list[str] | None) -> None:
    """
    A client that speaks neither encoding gets 400 and is told what there is.
    """
    offered = [Subprotocol(name) for name in subprotocols] if subprotocols else None
    async with serving(prepared) as here:
        with pytest.raises(InvalidStatus) as refused:
            await connect(here.url(), subprotocols=offered)
        assert refused.value.response.status_code == 400
        assert b"subprotocol" in refused.value.response.body


@pytest.mark.parametrize(
    "path", ["/", "/ws", "/ws/", "/ws/a/b", "/ws/" + "x" * 33, "/ws/ROOM%20", "/ws/../ROOM", "/ws/R?x=1"]
)
async def test_unknown_path_is_not_found(prepared: Path, path: str) -> None:
    """
    Sockets are at /ws/ROOM alone; everything else is 404, for browsers and for clients.
    """
    async with serving(prepared) as here:
        reader, writer = await asyncio.open_connection("127.0.0.1", here.server.port)
        writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        answer = await reader.read()
        writer.close()
        await writer.wait_closed()
        status, _, body = answer.partition(b"\r\n")
        assert status.split()[1] == b"404"
        assert body.endswith(b"Same Deal: races are at /ws/ROOM.\n")


async def test_no_token_is_ever_told_twice(prepared: Path) -> None:
    """
    The one who is new hears it, in the welcome alone; nobody else does, and it is not in the database.
    """
    async with (
        serving(prepared) as here,
        here.visitor(Hello(name="Anna"), JSON) as anna,
        here.visitor(Hello(name="Bert"), JSON) as bert,
    ):
        await anna.hears(Roster)
        async with anna.again() as again:
            await bert.hears(Roster)
            tokens = (str(anna.token), str(bert.token))
            told = [*anna.heard[1:], *bert.heard[1:], *again.heard]
            assert not any(token in repr(event) for event in told for token in tokens)
            assert isinstance(again.heard[0], Welcome)
            assert again.heard[0].player == anna.view.player
    for file in prepared.parent.iterdir():
        assert not any(token.encode() in file.read_bytes() for token in tokens)


# Faults


async def test_room_is_not_opened_without_the_database(prepared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    A visitor whose room, or name, cannot be written is told to come again, and the next one finds a whole room.
    """
    async with serving(prepared) as here:
        store = here.server._store  # where the fault is put in

        async def full(*_: object) -> None:
            raise StorageError(Reason.NOT_STORED, cause="injected")

        for method in ("add_room", "add_player"):
            with monkeypatch.context() as fault:
                fault.setattr(store, method, full)
                assert await raw(here, HELLO) == (TRY_AGAIN, "NOT_STORED")
        async with here.visitor(Hello(name="Anna")) as anna:
            assert await begin(here, anna)


async def test_room_that_breaks_lets_its_players_come_back(
    prepared: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """
    A defect in one room is logged, ends its connections with a code to come back after, and leaves the others alone.
    """
    async with (
        serving(prepared) as here,
        here.visitor(Hello(name="Anna"), room="ONE") as anna,
        here.visitor(Hello(name="Bert"), room="TWO") as bert,
    ):
        with monkeypatch.context() as fault:
            fault.setattr("server.race.Race.answer", None)
            await anna.send(Ready(ready=True))
            assert await anna.closing() == (TRY_AGAIN, "CLOSED")
        assert "room ONE broke" in caplog.text
        assert isinstance(await bert.ask(Ready(ready=True)), Done)
        async with anna.again() as back:
            assert [seat.name for seat in back.view.seats] == ["Anna"]


async def test_stopping_server_says_goodbye(prepared: Path) -> None:
    """
    Everyone is told that the server goes away, and what they were told is in the database.
    """
    async with serving(prepared) as here, here.visitor(Hello(name="Anna")) as anna:
        await begin(here, anna)
        await anna.ask(Resign(ply=0))
        await anna.hears(Finished)
        await here.server.stop()
        assert (await anna.closing())[0] == 1001
    reader = await Reader.open(prepared)
    stored = await reader.race(anna.view.race)
    await reader.close()
    assert stored is not None
    assert stored.attempts[0].state == "resigned"


async def test_client_that_says_no_goodbye_is_cut(prepared: Path) -> None:
    """
    A stopping server waits two seconds for those that do not answer, and no longer.
    """
    async with serving(prepared) as here:
        reader, writer = await asyncio.open_connection("127.0.0.1", here.server.port)
        writer.write(
            b"GET /ws/ROOM HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
            b"Sec-WebSocket-Protocol: samedeal.v1.json\r\n\r\n"
        )
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101")
        told = asyncio.create_task(reader.read())
        stopping = asyncio.create_task(here.server.stop())
        for wait_ms in (0, GOODBYE_MS - 1, 1):
            assert not stopping.done()
            assert not told.done()
            here.clock.advance(wait_ms)
            await turns()
        await stopping
        await turns()
        assert told.result() == b"\x88\x02\x03\xe9"  # a close frame, 1001
        writer.close()


async def turns() -> None:
    """Let everything that is ready run."""
    for _ in range(200):
        await asyncio.sleep(0)
