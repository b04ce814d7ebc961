"""Whole races of four, in each game and both encodings, with all that happens to people on the way."""

import asyncio
import json
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from websockets.exceptions import ConnectionClosed

import samedeal
from client.assets import solved_codes, winning_line
from server.race.run import FINISH_WINDOW_MS
from server.storage.boards import Board
from server.storage.reader import Reader
from shared.attempt import State, replay
from shared.gamecode import GameCode
from shared.phase import Phase
from shared.protocol.closing import CloseCode
from shared.protocol.codec import JsonCodec, MsgpackCodec
from shared.protocol.messages import (
    Done,
    Finished,
    Gather,
    Hint,
    Hinted,
    Play,
    Played,
    Refused,
    Resign,
    Restart,
    Undo,
)
from shared.protocol.values import Options
from shared.record import Record
from tests.server.serving import ask
from tests.server.visiting import Serving, Visitor, serving

ROOT = Path(__file__).parents[2]
MSGPACK, JSON = MsgpackCodec.subprotocol, JsonCodec.subprotocol

RANKED = Options(suits=2)
"""Drawn, by the ranked rule set."""

FRIENDLY = Options(code=str(solved_codes("freecell")[7]), hint=True)
"""A chosen deal, with hints."""


@pytest.mark.parametrize("options", [RANKED, FRIENDLY], ids=["simple-simon", "freecell"])
async def test_race_of_four_is_what_boards_and_replays_say_afterwards(
    database: Path, options: Options, capsys: pytest.CaptureFixture[str]
) -> None:
    """
    Anna takes a move back and solves it, Bert loses his line and comes back in the other encoding, Carl goes on in a
    second tab, begins anew and resigns, Dora asks for a hint and has not solved it when the time is up; Emil comes
    late and watches. Nobody is told anything of a rival's table, and in the end all are told the same; leaderboards,
    replays and records have just what was acknowledged.
    """
    async with serving(database) as here, AsyncExitStack() as room:
        anna = await room.enter_async_context(here.visitor("Anna", MSGPACK, options=options))
        bert = await room.enter_async_context(here.visitor("Bert", JSON, "terminal"))
        carl = await room.enter_async_context(here.visitor("Carl", MSGPACK))
        dora = await room.enter_async_context(here.visitor("Dora", JSON, "bot"))
        await here.begin(anna, bert, carl, dora)
        code = GameCode.parse(str(anna.view.code))
        assert {each.view.code for each in (anna, bert, carl, dora)} == {str(code)}
        line = [str(move) for move in winning_line(code) or ()]

        await anna.play(*line[:9])
        await refused_and_taken_back(anna, line[9])
        bert = await room.enter_async_context(await dropped(here, bert, line))
        emil = await room.enter_async_context(here.visitor("Emil", JSON))
        assert emil.view.phase == Phase.RUNNING
        assert (emil.view.seat, emil.view.table, emil.view.code) == (None, None, None)
        await check_sealed(here, code, drawn=options.code is None)
        carl = await room.enter_async_context(await second_tab(carl, line))
        await begun_anew_and_resigned(carl, line)
        await hinted(dora, line, allowed=options.hint)

        here.clock.advance(30_000)
        assert await solved(anna, line) == (code.game == "freecell")
        here.clock.advance(9_000)
        await solved(bert, line)
        here.clock.advance(FINISH_WINDOW_MS)
        everyone = (anna, bert, carl, dora, emil)
        finished = [await each.hears(Finished) for each in everyone]
        assert finished == [finished[0]] * 5
        check_secrets(emil)
        await check_told(here, finished[0], anna, bert, carl, dora)
        await check_pages(here, finished[0], ranked=options is RANKED)
        texts = [
            json.dumps((await ask(here.server, f"/api/records/{attempt}")).json()) for attempt in finished[0].attempts
        ]
    exported = [await export(database, attempt, capsys) for attempt in finished[0].attempts]
    await check_records(database, finished[0], exported + texts, [each.log for each in (anna, bert, carl, dora)])


async def refused_and_taken_back(visitor: Visitor, move: str) -> None:
    """Have a move refused, which changes nothing; then play one, take it back, and play it again."""
    before = visitor.view
    refused = await visitor.ask(Play(ply=0, move="11"))
    assert isinstance(refused, Refused)
    assert (refused.reason, refused.params) == ("IDLE", {})
    assert visitor.view.table == before.table
    assert visitor.view.ply == before.ply == len(visitor.log)
    await visitor.play(move)
    assert isinstance(await visitor.ask(Undo(ply=0)), Played)
    assert visitor.view.table == before.table
    await visitor.play(move)


async def dropped(here: Serving, visitor: Visitor, line: Sequence[str]) -> Visitor:
    """Lose a connection with a move under way; return who comes back for its answer, in the other encoding."""
    await visitor.play(*line[:5])
    lost = visitor.numbered(Play(ply=0, move=line[5]))
    await visitor.send(lost)
    await visitor.until(lambda view: view.ply == 6)  # it was answered, but the answer is not heard
    visitor.cut()
    back = await visitor.again(MSGPACK).__aenter__()
    assert (back.view.seat, back.view.ply, back.view.table) == (visitor.view.seat, 6, visitor.view.table)
    answer = await back.insist(lost)
    assert isinstance(answer, Played)
    assert (answer.hand.ply, back.log) == (6, list(line[:6]))
    return back


async def second_tab(visitor: Visitor, line: Sequence[str]) -> Visitor:
    """Go on in a second tab; the first is closed for good."""
    await visitor.play(*line[:4])
    newer = await visitor.again().__aenter__()
    assert await visitor.closing() == (CloseCode.TAKEN_OVER, "TAKEN_OVER")
    assert (newer.view.ply, newer.view.seat) == (4, visitor.view.seat)
    with pytest.raises(ConnectionClosed):
        await visitor.send(Resign(ply=4))
    return newer


async def begun_anew_and_resigned(visitor: Visitor, line: Sequence[str]) -> None:
    """Lay the first position again, play a little, give up."""
    first = GameCode.parse(str(visitor.view.code)).deal()
    assert isinstance(await visitor.ask(Restart(ply=0)), Played)
    assert visitor.view.table == first
    await visitor.play(*line[:2])
    answer = await visitor.ask(Resign(ply=0))
    assert isinstance(answer, Played)
    assert answer.hand.state == "resigned"
    late = await visitor.ask(Undo(ply=0))
    assert isinstance(late, Refused)
    assert late.reason == "NOT_PLAYING"


async def hinted(visitor: Visitor, line: Sequence[str], *, allowed: bool) -> None:
    """Ask for a hint and play it where that is allowed; be refused it where it is not."""
    answer = await visitor.ask(Hint(ply=0))
    if allowed:
        assert isinstance(answer, Hinted)
        await visitor.play(answer.move)
    else:
        assert isinstance(answer, Refused)
        assert answer.reason == "NOT_ALLOWED"
        await visitor.play(line[0])


async def solved(visitor: Visitor, line: Sequence[str]) -> bool:
    """Play the rest of the line, and gather where all cards can go home by themselves: return whether they could."""
    gathers = False
    while visitor.view.playing:
        hand = visitor.view.hand
        assert hand
        if hand.can.gather:
            gathers = True
            assert isinstance(await visitor.ask(Gather(ply=0)), Played)
        else:
            await visitor.play(line[hand.moves])
    assert visitor.view.hand
    assert visitor.view.hand.state == State.SOLVED
    return gathers


def check_secrets(spectator: Visitor) -> None:
    """A spectator has heard no hand, table or move."""
    assert (spectator.view.hand, spectator.view.table) == (None, None)
    assert not [event for event in spectator.heard if isinstance(event, Played | Hinted | Done)]


async def check_sealed(here: Serving, code: GameCode, *, drawn: bool) -> None:
    """While a race on a drawn number runs nobody looks at the number, at any suits."""
    for suits in code.rules.suits:
        page = await ask(here.server, f"/api/deals/{replace(code, suits=suits)}")
        assert page.status == (403 if drawn else 200)
        assert page.json().get("attempts", []) == []


async def check_told(here: Serving, finished: Finished, *players: Visitor) -> None:
    """Each sees in the end what a newcomer is told; the rows are what the acknowledged entries come to."""
    code = GameCode.parse(finished.code)
    rows = {row.seat: row for row in finished.rows}
    assert [(row.seat, row.place, row.state) for row in finished.rows] == [
        (0, 1, State.SOLVED),
        (1, 2, State.SOLVED),
        *sorted(((2, rows[2].place, "resigned"), (3, rows[3].place, "timed_out")), key=lambda each: each[1] or 9),
    ]
    for seat, player in enumerate(players):
        attempt = replay(code, [(0, text) for text in player.log])
        row = rows[seat]
        assert (row.score, row.moves, row.progress) == (attempt.score, attempt.moves, attempt.progress)
        assert player.view.phase == Phase.FINISHED
        async with player.again() as newcomer:
            passing = {"seats": (), "watchers": (), "elapsed_ms": None}
            assert replace(newcomer.view, **passing) == replace(player.view, **passing)


async def check_pages(here: Serving, finished: Finished, *, ranked: bool) -> None:
    """The deal's page has the rows of the race, best first; only who is ranked is on the leaderboard."""
    code = GameCode.parse(finished.code)
    page = (await ask(here.server, f"/api/deals/{code}")).json()
    told = [(each["attempt"], each["state"], each["score"], each["moves"]) for each in page["attempts"]]
    rows = list(zip(finished.attempts, finished.rows, strict=True))
    assert told == [(attempt, row.state, row.score, row.moves) for attempt, row in rows]
    assert [each["elapsed_ms"] for each in page["attempts"]] == [row.elapsed_ms for row in finished.rows]
    marks = {each["name"]: (each["ranked"], each["bot"]) for each in page["attempts"]}
    people = dict.fromkeys(("Anna", "Bert", "Carl"), (ranked, False))
    assert marks == people | {"Dora": (False, True)}

    asked = f"game={code.game}&suits={code.suits}&board={Board.SINGLE}"
    board = (await ask(here.server, f"/api/leaderboards?{asked}")).json()
    best = [(line["place"], line["name"], line["best"], line["best_ms"]) for line in board["lines"]]
    singles = [(1, "Anna", *single(rows[0])), (2, "Bert", *single(rows[1]))]
    assert best == (singles if ranked else [])


def single(row: tuple[str, Any]) -> tuple[str, int]:
    """Return the attempt and its time."""
    return row[0], row[1].elapsed_ms


async def export(database: Path, attempt: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Return what the command prints of an attempt."""
    assert await asyncio.to_thread(samedeal.main, ["export", attempt, "--database", str(database)]) == 0
    return capsys.readouterr().out.strip()


async def check_records(
    database: Path, finished: Finished, texts: Sequence[str], logs: Sequence[Sequence[str]]
) -> None:
    """What is exported, by command and from the server, verifies, and is the acknowledged entries."""
    reader = await Reader.open(database)
    stored = [Record.unpack(await reader.record(attempt) or b"") for attempt in finished.attempts]
    await reader.close()
    assert [Record.parse(text) for text in texts] == stored * 2
    for row, record in zip(finished.rows, stored, strict=True):
        assert [text for _, text in record.entries] == logs[row.seat]
    file = database.with_name("records.jsonl")
    await asyncio.to_thread(file.write_text, "\n".join(texts), "utf-8")
    verify = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "samedeal", "verify", "--json", str(file)), cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await verify.communicate()
    assert verify.returncode == 0, out
    verdicts = [json.loads(line) for line in out.splitlines()]
    told = [(each["ok"], each["won"], each["score"], each["moves"]) for each in verdicts]
    assert told == [(True, row.state == State.SOLVED, row.score, row.moves) for row in finished.rows] * 2
