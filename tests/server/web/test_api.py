"""What `/api` tells of races that are over, and what it keeps to itself while one is not."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from server.app import Server
from server.identity import token_hash
from shared.attempt import Attempt
from shared.gamecode import GameCode
from shared.moves import PILES, Move
from shared.protocol.messages import Done, Lock, Snapshot
from shared.protocol.values import Options
from shared.record import verify_text
from tests import vectors
from tests.server.serving import ANNA, BERT, TOKENS, ask, hear, hello, past, say, serving, socket

OVER = vectors.rows("lines.jsonl")[0]
"""The code that was raced, and the moves that Anna won it with."""

RUNNING = "SS1-S1-AAAAAAE"
"""A deal that is being raced, on which `02` is legal."""

KNOWN = "FC1-AAAAAAY"
"""One that is raced as the host chose it."""


pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Server]:
    """A server on which two races are over and two are running: on a drawn deal, and on a known one."""
    database = tmp_path_factory.mktemp("api") / "race.db"
    async with past(database) as written:
        await written.finish(await written.race("over", OVER["code"], OVER["line"]))
        await written.finish(await written.race("before", "SS1-S4-AAAAAAE", ""))
        await written.race("now", RUNNING, "02")
        await written.race("known", KNOWN, "", Options(game="freecell", code=KNOWN))
    async with serving(database) as server:
        yield server


def bearer(player: object) -> str:
    """Return what proves to be a player."""
    return f"Bearer {TOKENS[player]}"  # type: ignore[index]  # one of the two


def joined_cards(attempt: Attempt) -> list[str]:
    """Return which cards of each column move with the one they lie on."""
    return [attempt.rules.joined_cards(column) for column in attempt.position.columns]


async def test_race_that_is_over_is_told_best_first(server: Server) -> None:
    """The results stay, with the options, and without the room that a stranger could go into."""
    race = (await ask(server, "/api/races/over")).json()

    assert (race["code"], race["options"]["goal"]) == (OVER["code"], "time")
    assert [(each["name"], each["state"], each["place"]) for each in race["attempts"]] == [
        ("Anna", "solved", 1),
        ("Bert", "resigned", None),
    ]
    assert "room" not in race
    assert race["has_line"] is True
    assert "points" not in race["attempts"][0]
    assert (await ask(server, "/api/races/before")).json()["has_line"] is False


async def test_race_that_is_over_tells_how_it_went(server: Server) -> None:
    """Whoever asks is told each attempt's progress over the time of the race, and nothing of the deal."""
    anna, bert = (await ask(server, "/api/races/over?points=1")).json()["attempts"]
    attempt = Attempt.start(GameCode.parse(OVER["code"]))

    expected = [[anna["start_ms"], attempt.progress, 0]]
    record = (await ask(server, "/api/records/over-anna")).json()
    for at_ms, move in record["entries"]:
        attempt = attempt.play(Move.parse(move), at_ms)
        reached = [attempt.progress, sum(attempt.position.home) // 13]
        expected += [[at_ms + anna["start_ms"], *reached]] if reached != expected[-1][1:] else []
    assert anna["points"] == expected
    assert anna["points"][-1][1:] == [48, 4]
    assert bert["points"] == [[0, expected[0][1], 0]]


async def test_record_verifies_and_can_be_watched_without_rules(server: Server) -> None:
    """A record's answer is the record itself, and says of each entry what it moves and leads to."""
    reply = await ask(server, "/api/records/over-anna")
    told = reply.json()
    moves = OVER["line"].split()

    verdict = verify_text(reply.body)
    assert (verdict.ok, verdict.won, verdict.moves) == (True, True, len(moves))
    assert [text for _, text in told["entries"]] == moves
    attempt = Attempt.start(GameCode.parse(OVER["code"]))
    assert [column.split() for column in told["table"]["columns"]][9] == [told["table"]["columns"][9]]
    joined = told["joined"]
    assert joined == joined_cards(attempt)
    assert told["start"] == {"score": attempt.score, "progress": attempt.progress}
    for at_ms, (move, ply) in enumerate(zip(moves, told["plies"], strict=True)):
        steps = attempt.steps(move)
        attempt = attempt.play(Move.parse(move), at_ms)
        changed = ply.pop("joined")
        assert ply == {
            "steps": list(steps),
            "score": attempt.score,
            "moves": attempt.moves,
            "progress": attempt.progress,
        }
        assert all(joined[PILES.index(pile)] != text for pile, text in changed.items())
        joined = [changed.get(PILES[pile], text) for pile, text in enumerate(joined)]
        assert joined == joined_cards(attempt)
    assert (told["attempt"]["name"], told["options"]["limit_ms"]) == ("Anna", 900_000)


async def test_running_race_is_nobodys_business(server: Server) -> None:
    """Before the end nobody reads a result or a record, not even of an attempt that is over, or the own one."""
    for path in ("/api/races/now", "/api/races/known", "/api/records/known-anna"):
        reply = await ask(server, path, authorization=bearer(ANNA))
        assert (reply.status, reply.json()) == (403, {"reason": "NOT_OPEN", "params": {}}), path


async def test_number_of_a_running_race_is_sealed_at_any_suits(server: Server) -> None:
    """While a race on a drawn number runs nobody is shown anything of it, be it long known; the known deal is open."""
    for path in (
        f"/api/deals/{RUNNING}",
        "/api/deals/SS1-S2-AAAAAAE?line=1",
        "/api/records/before-anna",
        "/api/records/now-anna",
    ):
        reply = await ask(server, path)
        assert (reply.status, reply.json()) == (403, {"reason": "SEALED", "params": {}}), path
    assert (await ask(server, "/api/deals/FC1-AAAAAAE")).status == 200
    assert (await ask(server, f"/api/deals/{KNOWN}")).status == 200
    assert (await ask(server, "/api/races/before")).status == 200


async def test_deals_page_lists_its_attempts_best_first(server: Server) -> None:
    """A deal's page has the table and who played it; of a running race it has nothing."""
    deal = (await ask(server, f"/api/deals/{OVER['code'].lower()}")).json()
    assert (deal["code"], deal["game"], deal["has_line"]) == (OVER["code"], "simple-simon", True)
    assert [(each["name"], each["won"], each["options"]["goal"]) for each in deal["attempts"]] == [
        ("Anna", True, "time"),
        ("Bert", False, "time"),
    ]
    assert len(deal["table"]["columns"]) == 10
    assert (await ask(server, f"/api/deals/{KNOWN}")).json()["attempts"] == []


async def test_winning_line_can_be_watched(server: Server) -> None:
    """A deal of the pool has a line that wins it, shown as a record is; another deal has none, and says so."""
    deal = (await ask(server, f"/api/deals/{OVER['code']}?line=1")).json()
    attempt = Attempt.start(GameCode.parse(OVER["code"]))
    for move in deal["line"]:
        attempt = attempt.play(Move.parse(move), 0)
    assert attempt.rules.won(attempt.position)
    assert deal["plies"][-1]["score"] == attempt.score
    assert (await ask(server, "/api/deals/SS1-S1-H777777?line=1")).json()["line"] is None


async def test_what_a_player_is_shown_is_opened_first(server: Server) -> None:
    """With a token the number counts as seen from then on; without one, or where nothing is shown, it does not."""

    async def opened() -> set[tuple[str, int]]:
        return {
            (game, number)
            for game in ("simple-simon", "freecell")
            for number in await server._store.read.opened([BERT.id], game)
        }

    before = await opened()
    await ask(server, "/api/deals/FC1-AAAALWO")
    await ask(server, f"/api/deals/{RUNNING}", authorization=bearer(BERT))
    await ask(server, "/api/deals/nonsense", authorization=bearer(BERT))
    assert await opened() == before

    assert (await ask(server, "/api/deals/FC1-AAAALWO", authorization=bearer(BERT))).status == 200
    assert await opened() == before | {("freecell", 11982)}
    assert (await ask(server, "/api/records/over-anna", authorization=f"bearer  {TOKENS[BERT]} ")).status == 200


async def test_wrong_credentials_are_refused(server: Server) -> None:
    """Whoever comes with a secret that is none is told so, instead of being taken for nobody."""
    for credentials in ("Bearer nobody", "Bearer", "Basic YTpi", f"Bearer {token_hash(TOKENS[ANNA]).hex()}"):
        for path in ("/api/deals/FC1-AAAALWO", "/api/records/over-anna", "/api/leaderboards"):
            reply = await ask(server, path, authorization=credentials)
            assert (reply.status, reply.json()["reason"]) == (401, "BAD_TOKEN"), (path, credentials)
            assert reply.head["www-authenticate"] == "Bearer"


async def test_players_page(server: Server) -> None:
    """A player's page lists the attempts of races that are over, the latest first, page by page."""
    page = (await ask(server, f"/api/players/{ANNA.id}")).json()
    assert (page["id"], page["name"]) == (ANNA.id, "Anna")
    assert {each["attempt"] for each in page["attempts"]} == {"over-anna", "before-anna"}
    assert {each["code"] for each in page["attempts"]} == {OVER["code"], "SS1-S4-AAAAAAE"}
    first = page["attempts"][0]
    rest = await ask(server, f"/api/players/{ANNA.id}?started={first['started']}&before={first['attempt']}")
    assert rest.json()["attempts"] == page["attempts"][1:]


async def test_leaderboards_need_no_parameters(server: Server) -> None:
    """Each parameter may be left out; what cannot be is refused with what would be right."""
    board = (await ask(server, "/api/leaderboards")).json()
    assert board == {"game": "simple-simon", "suits": 1, "board": "average", "period": "all", "lines": [], "own": None}
    path = "/api/leaderboards?game=freecell&suits=4&board=share&period=week&date=2027-01-03&x=y"
    assert (await ask(server, path)).json()["period"] == "2026-W53"
    for query, reason in (
        ("game=chess", "CODE_GAME"),
        ("suits=3", "CODE_SUITS"),
        ("suits=two", "BAD_QUERY"),
        (f"suits={2**53}", "BAD_QUERY"),
        ("board=worst", "BAD_QUERY"),
        ("period=year", "BAD_QUERY"),
        ("period=day&date=2026-02-30", "BAD_QUERY"),
        ("date=2026-02-01%0a", "BAD_QUERY"),
        ("&".join(f"a{number}=b" for number in range(17)), "BAD_QUERY"),
        ("board=%ff%00%e2%80%ae" + "x" * 500, "BAD_QUERY"),
    ):
        reply = await ask(server, f"/api/leaderboards?{query}")
        assert (reply.status, reply.json()["reason"]) == (400, reason), query
        assert len(reply.body) < 300


async def test_public_rooms_are_listed(server: Server) -> None:
    """What the lobby lists can be read without it; a room by link is not there."""
    assert (await ask(server, "/api/rooms")).json() == {"rooms": []}
    async with socket(server, "/ws/OPEN") as public, socket(server, "/ws/LINK") as hidden:
        await hello(public, opens=True, options=Options(public=True))
        await hello(hidden, opens=True)
        for connection in (public, hidden):
            assert isinstance(await hear(connection), Snapshot)
        rooms = (await ask(server, "/api/rooms")).json()["rooms"]
    assert [(room["room"], room["host"]) for room in rooms] == [("OPEN", "Anna")]


async def test_a_room_says_at_its_door_who_invites(server: Server) -> None:
    """Whoever has the link is told who hosts and what is played, in whatever case; of a locked room nothing."""
    async with socket(server, "/ws/DOOR") as host:
        await hello(host, opens=True, options=Options(suits=2))
        assert isinstance(await hear(host), Snapshot)
        door = (await ask(server, "/api/rooms/door")).json()
        assert (door["room"], door["host"], door["options"]["suits"]) == ("DOOR", "Anna", 2)
        await say(host, Lock(id=2, locked=True))
        while not isinstance(await hear(host), Done):
            pass
        assert (await ask(server, "/api/rooms/DOOR")).status == 404


async def test_latest_races(server: Server) -> None:
    """Those that are over, with who was first in them."""
    reply = await ask(server, "/api/races")
    races = reply.json()["races"]
    assert reply.status == 200
    assert all(set(race) == {"race", "code", "finished", "first"} for race in races)
    assert ["Anna"] in [race["first"] for race in races]


async def test_nothing_elsewhere(server: Server) -> None:
    """What is not there answers 404, in JSON."""
    for path in ("", "records", "races/", "races/nobody", "records/x", "players/x", "rooms/x", "deals", "races/a/b"):
        reply = await ask(server, f"/api/{path}")
        assert (reply.status, reply.json()) == (404, {"reason": "NOT_FOUND", "params": {}}), path


async def test_bad_codes_say_what_is_wrong(server: Server) -> None:
    """A code that is none is refused with the reason that reading it gives."""
    for code, reason in (("SS1-S3-AAAAABD", "CODE_SUITS"), ("x", "CODE_FORM"), ("FC1-AAAAAAA", "CODE_NUMBER")):
        reply = await ask(server, f"/api/deals/{code}")
        assert (reply.status, reply.json()["reason"]) == (400, reason)


MINE = "/api/players/me/export"


async def test_everything_of_mine_is_told_to_me_alone(tmp_path: Path) -> None:
    """
    Name, date, opened numbers and each attempt of a race that is over, with its record; of one that runs, and of an
    older one at the same number, nothing. Without a token that is somebody's nothing at all.
    """
    database = tmp_path / "race.db"
    async with past(database) as written:
        await written.finish(await written.race("over", "SS1-S1-AAAAAAE", "02 20"))
        await written.finish(await written.race("same", "SS1-S4-AAAAAAF", "04"))
        await written.race("now", "SS1-S1-AAAAAAF", "")
    async with serving(database) as server:
        mine = (await ask(server, MINE, authorization=bearer(ANNA))).json()
        assert (mine["format"], mine["id"], mine["name"]) == ("samedeal-player/1", ANNA.id, "Anna")
        assert sorted(number for _, number, _ in mine["opened"]) == [4, 5]
        (attempt,) = mine["attempts"]
        assert (attempt["attempt"], attempt["record"]["player"]) == ("over-anna", "Anna")
        assert [text for _, text in attempt["record"]["entries"]] == ["02", "20", "resign"]
        assert [
            each["attempt"] for each in (await ask(server, MINE, authorization=bearer(BERT))).json()["attempts"]
        ] == ["over-bert"]
        for head in ({}, {"authorization": "Bearer nobody"}):
            reply = await ask(server, MINE, **head)
            assert (reply.status, reply.json()["reason"]) == (401, "BAD_TOKEN")


async def test_lines_are_played_one_at_a_time(server: Server) -> None:
    """As records are: a line waits while a log is played again, and what needs none does not."""
    path = f"/api/deals/{OVER['code']}"
    async with server._web._api._replaying:
        asked = asyncio.create_task(ask(server, f"{path}?line=1"))
        for _ in range(5):
            assert (await ask(server, path)).status == 200
        assert not asked.done()
    assert (await asked).json()["line"]
