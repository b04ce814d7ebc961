"""What commands look up, in a database and at a server: the same."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

import samedeal
from client.assets import winning_line
from server.app import Server
from server.commands.lookup import opened
from server.storage.boards import Board, Span
from server.storage.reader import Reader
from shared.errors import Reason, Refusal
from shared.gamecode import GameCode
from shared.protocol.messages import Undo
from shared.protocol.values import Options
from shared.record import Record, verify
from tests.server.serving import ANNA, Past, past, serving

Output = pytest.CaptureFixture[str]

CODE = GameCode.parse("SS1-S1-AAH5YNX")
LINE = [str(move) for move in winning_line(CODE) or ()]
NOWHERE = "http://nohost.invalid"
CLOSED = "http://127.0.0.1:1"


@asynccontextmanager
async def played(database: Path, *, ends: bool = True) -> AsyncIterator[Server]:
    """Lend a server on whose deal Anna has won and Bert has resigned, or still plays."""
    async with past(database) as written:
        await race(written, ends=ends)
    async with serving(database) as server:
        yield server


async def race(written: Past, *, ends: bool) -> None:
    """Write the race."""
    begun = await written.race("once", str(CODE), " ".join(LINE))
    if ends:
        await written.finish(begun)


def at(server: Server) -> str:
    """Return the address of a server."""
    return f"http://127.0.0.1:{server.port}"


async def test_what_ranks_is_said_where_nothing_does(prepared: Path, capsys: Output) -> None:
    """And where to see all that was played; an empty database has no latest race."""
    _, boards, _ = await ran(capsys, "leaderboard", "--game", "freecell", "--database", str(prepared))
    _average, single, _share, why, where = boards.splitlines()
    assert single == "Single best: FreeCell, all time. Nobody has solved a ranked one yet."
    assert "bots never do" in why
    assert where.endswith("samedeal leaderboard --deal CODE")


async def test_server_and_database_say_the_same(database: Path) -> None:
    """Records, a deal's page and every leaderboard; the race's options, which no command prints, apart."""
    async with played(database) as server, opened(str(database), None) as own, opened(None, at(server) + "/") as asked:
        page = await own.deal(CODE)
        assert [(line.name, line.won) for line in page] == [("Anna", True), ("Bert", False)]
        assert await asked.deal(CODE) == tuple(replace(line, options=None) for line in page)
        assert await own.deal(GameCode.parse("#1")) == await asked.deal(GameCode.parse("#1")) == ()
        for board in Board:
            for span in Span:
                assert await own.board(board, CODE, span) == await asked.board(board, CODE, span)
        assert [line.race for line in await own.latest()] == ["once"]
        assert await own.latest() == await asked.latest()
        (single,) = await own.board(Board.SINGLE, CODE, Span.ALL)
        assert single.name == "Anna"
        for line in page:
            record = await own.record(line.attempt)
            assert record is not None
            assert await asked.record(line.attempt) == record
        for unknown in ("nobody", "../healthz", "ä"):
            assert await own.record(unknown) is await asked.record(unknown) is None


async def test_what_is_sealed_is_told(database: Path) -> None:
    """Nothing of a drawn deal is shown while it is raced on, by the server or of its database."""
    async with (
        played(database, ends=False) as server,
        opened(None, at(server)) as asked,
        opened(str(database), None) as own,
    ):
        for question in (asked.deal(CODE), asked.record("once-anna"), own.deal(CODE)):
            with pytest.raises(Refusal) as refused:
                await question
            assert refused.value.reason is Reason.SEALED
        assert await own.latest() == await asked.latest() == ()


async def test_places_are_the_same_in_the_race_and_on_the_deals_page(database: Path) -> None:
    """Whoever made a move has one, also where it was taken back; whoever did not has none, and comes last."""
    async with past(database) as written:
        begun = await written.race("undone", str(CODE), LINE[0])
        begun = await written.take(begun, ANNA, Undo(ply=1))
        await written.finish(begun)
    async with opened(str(database), None) as own, serving(database) as server, opened(None, at(server)) as asked:
        lines = await own.deal(CODE)
        assert [(line.name, line.moves, line.place) for line in lines] == [("Anna", 0, 1), ("Bert", 0, None)]
        assert [line.place for line in await asked.deal(CODE)] == [1, None]
        reader = await Reader.open(database)
        race = await reader.race("undone")
        await reader.close()
        assert race
        assert [attempt.place for attempt in race.attempts] == [1, None]


async def test_chosen_deal_is_not_sealed(database: Path) -> None:
    """Everyone knew it before: its attempts that are over can be looked at while it is raced on."""
    async with past(database) as written:
        await written.race("chosen", str(CODE), "", Options(code=str(CODE), suits=1))
    async with opened(str(database), None) as own:
        assert await own.deal(CODE) == ()


async def ran(capsys: Output, *arguments: str) -> tuple[int, str, str]:
    """Run a command beside the server."""
    status = await asyncio.to_thread(samedeal.main, arguments)
    out, error = capsys.readouterr()
    return status, out, error


async def test_commands_print_the_same_of_both(database: Path, capsys: Output) -> None:
    """A deal's page, leaderboards, a record that verifies, and the replay of it."""
    async with played(database) as server:
        for asked in (
            ("leaderboard", "--deal", str(CODE)),
            ("leaderboard",),
            ("leaderboard", "--game", "freecell", "--period", "week"),
            ("leaderboard", "--suits", "1", "--board", "single", "--period", "day"),
            ("export", "once-anna"),
            ("replay", "once-anna"),
        ):
            own = await ran(capsys, *asked, "--database", str(database))
            assert own == await ran(capsys, *asked, "--url", at(server))
            assert (own[0], own[2]) == (0, "")
            assert own[1]


async def test_pages_as_they_are_printed(database: Path, capsys: Output) -> None:
    """Places, results, marks and the ids to look at; a board that is empty says so."""
    async with played(database):
        _, page, _ = await ran(capsys, "leaderboard", "--deal", str(CODE), "--database", str(database))
        _, boards, _ = await ran(capsys, "leaderboard", "--database", str(database))
        _, exported, _ = await ran(capsys, "export", "once-anna", "--database", str(database))
    head, first, second = page.splitlines()
    assert head == f"{CODE}: 2 attempts"
    assert first.split()[:2] == ["1", "Anna"]
    assert first.endswith(f"  {len(LINE)} moves, {900 - len(LINE)}     once-anna  ranked")
    progress = second.split()[3]
    # He never moved, so he has no place.
    assert second.split() == ["Bert", "resigned,", "progress", progress, "once-bert", "ranked"]
    average, single, best, share, latest, race = boards.splitlines()
    assert (average, single, share, latest) == (
        "Average of 5: Simple Simon, 1 suit, all time. Nobody has 5 ranked attempts yet.",
        "Single best: Simple Simon, 1 suit, all time",
        "Share solved: Simple Simon, 1 suit, all time. Nobody has 5 ranked attempts yet.",
        "Latest races",
    )
    assert race.split()[2:] == ["UTC", str(CODE), "once", "first:", "Anna"]
    assert best.split() == ["1", "Anna", first.split()[2], str(len(LINE)), "moves", "once-anna"]
    record = Record.parse(exported)
    assert verify(record).won
    assert [text for _, text in record.entries] == LINE


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["leaderboard", "--url", CLOSED], f"samedeal: {CLOSED} can't be reached: Connection refused.\n"),
        (["export", "x", "--url", NOWHERE], f"samedeal: {NOWHERE} can't be reached: no host of this name is known.\n"),
        (["export", "x", "--url", "file:///etc/passwd"], "samedeal: 'file:///etc/passwd' is no server's address: "),
        (["replay", "x", "--url", CLOSED], f"samedeal: {CLOSED} can't be reached: "),
        (["replay", "x", "--url", "here"], "samedeal: 'here' is no server's address: "),
    ],
)
def test_what_cannot_be_asked_is_one_sentence(arguments: list[str], sentence: str, capsys: Output) -> None:
    """With status 1, on the error stream."""
    assert samedeal.main(arguments) == 1
    out, error = capsys.readouterr()
    assert out == ""
    assert error.startswith(sentence)
    assert error.count("\n") == 1


@pytest.mark.parametrize(("game", "suits"), [("simple-simon", "3"), ("freecell", "2")])
def test_suits_that_a_game_has_not_are_wrong_usage(game: str, suits: str, capsys: Output) -> None:
    """Status 2, as for every option."""
    with pytest.raises(SystemExit) as ended:
        samedeal.main(["leaderboard", "--game", game, "--suits", suits, "--url", CLOSED])
    assert ended.value.code == 2
    assert f"{game} has no deals with {suits} suits" in capsys.readouterr().err


@pytest.mark.parametrize(("option", "last"), [("--period", "all"), ("--board", "share")])
def test_choices_are_told_as_they_are_written(option: str, last: str, capsys: Output) -> None:
    """Not as the program calls them."""
    with pytest.raises(SystemExit) as ended:
        samedeal.main(["leaderboard", option, "x"])
    assert ended.value.code == 2
    assert re.search(rf", '?{last}'?\)", error := capsys.readouterr().err)
    assert "<" not in error


@pytest.mark.parametrize("command", ["leaderboard", "export x", "replay x"])
def test_database_and_server_at_once_is_wrong_usage(command: str, capsys: Output) -> None:
    """One or the other."""
    with pytest.raises(SystemExit) as ended:
        samedeal.main([*command.split(), "--database", "x", "--url", CLOSED])
    assert ended.value.code == 2
    assert "not allowed with" in capsys.readouterr().err


BODIES = (b"[]", b"{}", b'{"attempts": [{}]}', b'{"attempts": 7}', b"<html>", b"\xff", b'{"attempts": null}')


@asynccontextmanager
async def foreign(status: str, body: bytes) -> AsyncIterator[str]:
    """Lend the address of something else that speaks HTTP."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as other:
        yield f"http://127.0.0.1:{other.sockets[0].getsockname()[1]}"


@pytest.mark.parametrize("status", ["200 OK", "404 Not Found", "500 Oh"])
@pytest.mark.parametrize("body", BODIES, ids=str)
async def test_something_else_that_answers_is_told(status: str, body: bytes) -> None:
    """Whatever it says, it is no server of ours, and no traceback."""
    async with foreign(status, body) as url, opened(None, url) as asked:
        with pytest.raises(OSError, match="does not answer as a server of this version"):
            await asked.deal(CODE)


async def test_refusal_of_a_newer_server_is_told_as_it_can_be(database: Path) -> None:
    """A reason that is not known here is no reason to break."""
    body = json.dumps({"reason": "TOO_NEW", "params": {}}).encode()
    async with foreign("403 Forbidden", body) as url, opened(None, url) as asked:
        with pytest.raises(OSError, match="403 Forbidden"):
            await asked.record("x")
