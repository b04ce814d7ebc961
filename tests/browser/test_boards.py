"""Leaderboards, deals and players: what the pages list is what the server says."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct
from playwright.sync_api import Page, Route, expect

from shared.protocol.messages import Resign
from shared.protocol.values import Options
from shared.texts import clock
from tests.browser.conftest import Visit
from tests.browser.looking import BOXES, be, fits, race, told
from tests.browser.rivals import Rival, Rivals, line_of
from tests.browser.serving import Server

SIMON = "SS1-S1-AOHMRYH"
RACES = 5
IMPORTED = 60


class Past(Struct, frozen=True):
    """What was played before the tests."""

    identities: Mapping[str, str]
    """What the players' browsers would have kept, by their names."""
    code: str
    """Of one of the deals."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for all of these tests, with records of Inga that were imported before it started."""
    folder = tmp_path_factory.mktemp("boards")
    with Server(folder):
        pass  # makes the database
    bring(folder)
    with Server(folder) as server:
        yield server


def bring(folder: Path) -> None:
    """Import records: the first moves of a line, on as many days as there are records."""
    entries = [[1_000 * (place + 1), move] for place, move in enumerate(line_of(SIMON)[:9])]
    records = [
        {
            "format": "samedeal-record/1",
            "code": SIMON,
            "player": "Inga",
            "started": f"2026-{1 + day // 28:02}-{1 + day % 28:02}T12:00:00Z",
            "entries": entries,
        }
        for day in range(IMPORTED)
    ]
    (folder / "records.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
    command = [sys.executable, "-m", "samedeal", "import", "records.jsonl", "--database", "race.db"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def past(server: Server) -> Past:
    """Five ranked races at once: Anna wins all, Bert all but one."""
    with Rivals(server) as rivals:
        anna, bert = rivals.join("FIRST", "Anna", options=Options(suits=1)), rivals.join("FIRST", "Bert")
        pairs = [(anna, bert)] + [pair(rivals, f"MORE{'ABCD'[place]}", anna, bert) for place in range(RACES - 1)]
        for host, guest in pairs:
            guest.ready()
            host.start()
        for place, (host, guest) in enumerate(pairs):
            won = host.win()
            if place == 0:
                view = guest.until(lambda view: view.hand is not None)
                guest.play(line_of(str(view.code))[0])
                guest.ask(Resign(ply=guest.view.ply))
            else:
                guest.win(move_ms=2).result(30)
            won.result(30)
            host.until(lambda view: view.phase == "finished")
        kept = {
            each.view.name: json.dumps({"name": each.view.name, "token": each.token, "player": each.view.player})
            for each in (anna, bert)
        }
        return Past(kept, str(pairs[0][0].view.code))


def pair(rivals: Rivals, room: str, *players: Rival) -> tuple[Rival, Rival]:
    """Bring two players into one more room."""
    host, guest = (rivals.join(room, each.view.name, token=each.token, options=Options(suits=1)) for each in players)
    return host, guest


def cells(page: Page) -> list[list[str]]:
    """Return the texts of the list's lines, hidden columns left out, titles too."""
    page.locator(".board").wait_for()
    script = """() => [...document.querySelectorAll(".board tbody tr:not(:has(th))")].map((row) =>
      [...row.cells].filter((cell) => cell.offsetWidth).map((cell) => cell.innerText.replace(/\\s+/g, " ").trim()))"""
    found: list[list[str]] = page.evaluate(script)
    return found


def wanted(board: str, line: Mapping[str, Any]) -> list[str]:
    """Return what a line of a board says on a desktop, place and what comes last left out."""
    best = clock(line["best_ms"])
    told_by = {
        "average": [clock(line["average_ms"] or 0), best, str(line["attempts"])],
        "single": [best, str(line["best_moves"]), "today"],
        "share": [f"{line['share'] // 10_000}%", f"{line['solved']} / {line['attempts']}", best],
    }
    return [line["name"], *told_by[board]]


def test_boards_are_what_the_server_says(server: Server, past: Past, visit: Visit) -> None:
    """Each board in each period: places, names, figures, and a replay of the best; one's own line is lit."""
    page = visit("desktop")
    be(page, past.identities["Bert"])
    for board in ("average", "single", "share"):
        for period in ("day", "week", "all"):
            query = f"game=simple-simon&suits=1&board={board}&period={period}"
            lines = told(server, f"leaderboards?{query}")["lines"]
            page.goto(f"/leaderboards?{query}")

            assert [line[1:-1] for line in cells(page)] == [wanted(board, line) for line in lines]
            assert [line[0] for line in cells(page)] == ["1", "2"]
            links = page.locator(".board td:last-child a")
            for place, line in enumerate(lines):
                expect(links.nth(place)).to_have_attribute("href", f"/replay/{line['best']}")
            expect(page.locator(".board tr.me")).to_have_count(1)
            expect(page.locator(".board tr.me")).to_contain_text("Bert")


def test_boards_are_found_by_their_links(past: Past, visit: Visit) -> None:
    """By touch, from what the address alone shows; the browser's way back leads back."""
    page = visit("phone", "/leaderboards")
    expect(page.locator("[aria-current=page]")).to_have_text(["Simple Simon, Easy", "Single best", "All time"])

    page.get_by_role("link", name="Share solved").tap()
    page.wait_for_url("**board=share**")
    expect(page.locator(".board td.t.num").first).to_have_text("100%")
    page.get_by_role("link", name="FreeCell").tap()
    page.wait_for_url("**game=freecell**")
    expect(page.get_by_role("heading", name="No ranked races yet")).to_be_visible()
    page.go_back()
    expect(page.locator(".board td.t.num").first).to_have_text("100%")


def test_an_empty_board_has_a_way_on(past: Past, visit: Visit) -> None:
    """A heading, a sentence, one thing to do."""
    page = visit("phone", "/leaderboards?game=freecell&period=day")

    expect(page.get_by_role("heading", name="No ranked races today")).to_be_visible()
    page.get_by_role("link", name="Start a race").tap()
    expect(page.locator("body.landing")).to_be_visible()


def test_an_average_that_nobody_has_is_said_so(past: Past, visit: Visit, rivals: Rivals) -> None:
    """Where single bests are known the board of averages doesn't say that there were no races."""
    host, guest = rivals.join("MEDIUM", "Dora", options=Options(suits=2)), rivals.join("MEDIUM", "Emil")
    guest.ready()
    host.start()
    host.win().result(30)
    guest.win().result(30)
    host.until(lambda view: view.phase == "finished")
    page = visit("phone", "/leaderboards?suits=2")
    expect(page.locator(".board td.name")).to_have_count(2)

    page.get_by_role("link", name="Average of five").tap()
    expect(page.get_by_role("heading", name="Nobody has five ranked races yet")).to_be_visible()


def test_odd_questions_lead_to_the_usual_board(past: Past, visit: Visit) -> None:
    """Whatever stands behind the question mark."""
    page = visit("desktop", "/leaderboards?game=chess&suits=9&board=%3Cb%3E&period=year")

    expect(page.locator(".board")).to_be_visible()
    assert [line[1] for line in cells(page)] == ["Anna", "Bert"]


def test_the_deals_page(server: Server, past: Past, visit: Visit) -> None:
    """Its table, and all attempts, best first."""
    attempts = told(server, f"deals/{past.code}")["attempts"]
    page = visit("desktop")
    be(page, past.identities["Anna"])
    page.goto(f"/deal/{past.code}")

    lines = cells(page)
    assert [line[0] for line in lines] == ["1", "2"]
    assert lines[0][1].startswith("Anna")
    assert lines[0][2:5] == [clock(attempts[0]["elapsed_ms"]), str(attempts[0]["moves"]), str(attempts[0]["score"])]
    assert lines[1][2] == f"{attempts[1]['progress']} / 48"
    assert "resigned" in lines[1][5]
    assert all("15 min" in line[5] for line in lines), lines
    expect(page.locator(".mini .card")).to_have_count(52)
    expect(page.locator(".board tr.me")).to_contain_text("Anna")


def test_imported_attempts_stand_apart(past: Past, visit: Visit) -> None:
    """They prove moves, not time."""
    page = visit("desktop", f"/deal/{SIMON}")

    expect(page.get_by_role("rowheader", name=re.compile("Imported"))).to_be_visible()
    assert all(line[0] == "" for line in cells(page))


def test_practice_stands_apart(visit: Visit, rivals: Rivals) -> None:
    """Who had seen the deal is listed below those who had not, without a place, however good the time."""
    options = Options(game="simple-simon", code=SEEN)
    before = race(rivals, "SEENA", options, {"Dora": ["resign"]})
    race(rivals, "SEENB", options, {"Emil": [*line_of(SEEN)[:3], "resign"]})
    race(rivals, "SEENC", options, {"Dora": ["line"]}, before=before)
    page = visit("desktop", f"/deal/{SEEN}")
    lines = cells(page)
    apart = page.locator(".board tbody", has=page.get_by_role("rowheader", name=re.compile("Practice")))
    assert [line[0] for line in lines] == ["1", "2", ""]
    assert [line[1].split()[0] for line in lines] == ["Emil", "Dora", "Dora"]
    expect(apart.locator("td.name")).to_have_count(1)
    expect(apart.locator("td.name")).to_contain_text("Dora")


SEEN = "SS1-S4-AOHMRYH"


def test_own_line_stands_below_the_top(past: Past, visit: Visit) -> None:
    """Whoever is further down than the board reaches has a line of their own there, lit, with its place."""
    page = visit("phone")
    be(page, past.identities["Bert"])

    def push_down(route: Route) -> None:
        answer = route.fetch()
        first, last = answer.json()["lines"]
        route.fulfill(response=answer, json={**answer.json(), "lines": [first], "own": {**last, "place": 1234}})

    page.route("**/api/leaderboards?*", push_down)
    page.goto("/leaderboards?suits=1")
    own = page.locator(".board tbody", has=page.get_by_role("rowheader", name="Your own line"))
    expect(own.locator("tr.me")).to_contain_text("Bert")
    expect(own.locator("tr.me td").first).to_have_text("1,234")
    assert [line[1] for line in cells(page)] == ["Anna", "Bert"]
    fits(page, ".board td")


def test_where_no_line_is_known_none_is_offered(visit: Visit, rivals: Rivals) -> None:
    """Neither by the results nor by the deal's page; a link to one leads to a sentence and back to the deal."""
    over = race(rivals, "NOLINE", Options(game="simple-simon", code=UNSOLVED), {"Dora": ["resign"], "Emil": ["resign"]})
    page = visit("phone", f"/race/{over.id}")
    expect(page.locator(".place-row")).to_have_count(2)
    expect(page.get_by_role("link", name="Winning line")).to_have_count(0)
    page.get_by_role("link", name=UNSOLVED).click()
    expect(page.get_by_role("button", name="Play this deal")).to_be_visible()
    expect(page.get_by_role("link", name="Winning line")).to_have_count(0)
    page.goto(f"/deal/{UNSOLVED}?line=1")
    expect(page.get_by_role("heading", name="No winning line is known")).to_be_visible()
    page.get_by_role("link", name="To the deal").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(UNSOLVED)


UNSOLVED = "SS1-S1-AAAAAAE"
"""A deal that is not of the pool."""


def test_a_deal_is_played_from_its_page(past: Past, visit: Visit, rivals: Rivals) -> None:
    """It makes a room with this deal, and goes there."""
    page = visit("phone")
    be(page, past.identities["Anna"])
    page.goto(f"/deal/{past.code}")

    page.get_by_role("button", name="Play this deal").tap()
    page.wait_for_url("**/r/*")
    page.locator(".readybar").wait_for()

    other = rivals.join(page.url.rpartition("/")[2], "Carl")
    assert other.view.options.code == past.code


def test_a_players_page(server: Server, past: Past, visit: Visit) -> None:
    """Their attempts, the latest first, with links to races, deals and replays."""
    player = json.loads(past.identities["Bert"])["player"]
    attempts = told(server, f"players/{player}")["attempts"]
    page = visit("desktop", f"/player/{player}")

    expect(page.get_by_role("heading", level=1)).to_have_text("Bert")
    lines = cells(page)
    assert len(lines) == RACES
    for line, attempt in zip(lines, attempts, strict=True):
        assert attempt["code"] in line[0]
        assert (clock(attempt["elapsed_ms"]) if attempt["won"] else "resigned") in line[1]
        assert line[2:6] == [str(attempt["moves"]), str(attempt["score"]), "2", "today"]
    expect(page.locator(".board td:last-child a").first).to_have_attribute("href", f"/replay/{attempts[0]['attempt']}")


def test_a_long_list_comes_in_parts(server: Server, past: Past, visit: Visit) -> None:
    """Fifty at a time, none twice."""
    inga = told(server, f"deals/{SIMON}")["attempts"][0]["player"]
    page = visit("phone", f"/player/{inga}")

    assert len(cells(page)) == 50
    page.get_by_role("button", name="More").tap()
    expect(page.locator(".board tbody tr")).to_have_count(IMPORTED)
    links = page.locator(".board td:last-child a").evaluate_all("(links) => links.map((link) => link.href)")
    assert len(set(links)) == IMPORTED
    expect(page.get_by_role("button", name="More")).to_be_hidden()


def test_somebody_without_attempts(visit: Visit, past: Past, bears: list[str], rivals: Rivals) -> None:
    """An empty list says so, and nobody is told so too."""
    bears.append("status of 404")
    newcomer = rivals.join("FIRST", "Nils").view.player
    page = visit("phone", f"/player/{newcomer}")
    expect(page.get_by_role("heading", name="No attempts yet")).to_be_visible()

    page.goto("/player/aaaaaaaaaaaaaaaa")
    expect(page.get_by_role("heading", name="Nothing is here")).to_be_visible()


@pytest.mark.parametrize("device", ["phone", "lying", "desktop"])
def test_lists_fit(server: Server, past: Past, visit: Visit, device: str) -> None:
    """Nothing is cut at the sides, and what is pressed is large enough."""
    page = visit(device)
    player = json.loads(past.identities["Bert"])["player"]
    page.goto("/leaderboards")
    cells(page)
    rows = page.evaluate(BOXES, ".tabs a")
    assert len({round(row["top"]) for row in rows}) <= (4 if device == "phone" else 2)
    for path in ("/leaderboards?suits=1", f"/deal/{past.code}", f"/player/{player}"):
        page.goto(path)
        cells(page)
        fits(page, "h1", ".tabs a", ".board", ".board td", ".deeds > *", ".mini", ".top .tool")
