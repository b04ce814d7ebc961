"""Results: in the room when its race is over, and at an address of their own for ever."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from shared.protocol.messages import HandOver, Leave, Resign
from shared.protocol.values import Options
from tests.browser.chromium import LOST
from tests.browser.conftest import Visit
from tests.browser.far import Far
from tests.browser.guests import begin, come
from tests.browser.hands import after, expect_table
from tests.browser.looking import BOXES, Raced, be, fits, lasting_server, race, told  # noqa: F401  # a fixture
from tests.browser.places import NOTE_PLACES, stood
from tests.browser.rivals import Rivals, line_of
from tests.browser.serving import Server

SIMON, FREE = "SS1-S2-AOHMRYH", "FC1-AAABAV7"
BOLD = "<b>Bo</b>"


@pytest.fixture(scope="module")
def raced(server: Server) -> Raced:
    """A race that Anna wins; Bert resigns after ten moves, Cleo takes one back and resigns, Bo makes none."""
    line = line_of(SIMON)
    plays = {
        "Bert": [*line[:10], "resign"],
        "Cleo": [*line[:6], "undo", "resign"],
        BOLD: ["resign"],
        "Anna": ["line"],
    }
    with Rivals(server) as rivals:
        return race(rivals, "RESULTS", Options(game="simple-simon", code=SIMON), plays)


def places(page: Page) -> list[str]:
    """Return the lines of the results, their words apart by single spaces, once the picture is there too."""
    page.locator(".place-row").first.wait_for()
    expect(page.locator(".picture .grid")).to_have_count(5)
    return [re.sub(r"\s+", " ", text) for text in page.locator(".place-row").all_inner_texts()]


def expect_rows(page: Page, server: Server, raced: Raced) -> None:
    """Check the lines against what the server says of the race."""
    attempts = told(server, f"races/{raced.id}")["attempts"]
    texts = places(page)
    assert len(texts) == len(attempts)
    for text, attempt in zip(texts, attempts, strict=True):
        assert text.startswith(f"{attempt['place'] or '–'} {attempt['name']}")
        assert f"{attempt['moves']} moves" in text or attempt["moves"] == 1
        assert ("clean" in text) == (attempt["won"] and attempt["clean"])
        assert ("resigned" in text) == (attempt["state"] == "resigned")


def test_results_at_their_address(server: Server, raced: Raced, visit: Visit) -> None:
    """Places, moves, marks, options and the deal, for whoever has the link; a name is text whatever it looks like."""
    page = visit("desktop", f"/race/{raced.id}")

    expect(page.get_by_role("heading", level=1)).to_have_text("Anna won: nobody else solved it")
    expect_rows(page, server, raced)
    expect(page.locator(".place-row b")).to_have_count(0)
    expect(page.locator(".place-row").last).to_contain_text(BOLD)
    expect(page.locator(".facts")).to_contain_text("First to solve")
    expect(page.locator(".facts")).to_contain_text("15 min")
    expect(page.locator(".facts")).to_contain_text("unranked: the deal was known")
    expect(page.get_by_role("link", name=SIMON)).to_have_attribute("href", f"/deal/{SIMON}")
    expect(page.get_by_role("link", name="Winning line")).to_have_attribute("href", f"/deal/{SIMON}?line=1")
    assert page.locator(".place-row.me").count() == 0


def test_results_in_the_room_lead_to_a_rematch(server: Server, raced: Raced, visit: Visit) -> None:
    """Whoever played sees the own line lit, and can ask for the next race."""
    page = visit("phone")
    be(page, raced.identities["Bert"])
    page.goto("/r/RESULTS")

    expect_rows(page, server, raced)
    expect(page.locator(".place-row.me")).to_contain_text("Bert")
    page.get_by_role("button", name="Rematch").click()

    expect(page.locator(".readybar")).to_be_visible()
    assert told(server, f"races/{raced.id}")["finished"]


def test_what_does_not_come_is_asked_for_again(server: Server, visit: Visit, bears: list[str]) -> None:
    """
    While results load that is said; where they do not come that is said too, with a way to ask again, and the rematch
    is there all the same. So it is with a replay.
    """
    bears.append("ERR_FAILED")
    with Rivals(server) as rivals:
        raced = race(rivals, "LOADING", Options(code=SIMON), {"Anna": ["line"], "Bert": ["resign"]})
    page = visit("phone")
    be(page, raced.identities["Anna"])
    waiting: list[Route] = []
    page.route("**/api/races/*", lambda route: waiting.append(route))  # noqa: PLW0108  # no builtin will do
    page.goto("/r/LOADING")
    expect(page.get_by_role("status").filter(has_text="Loading")).to_be_visible()
    expect(page.get_by_role("button", name="Rematch")).to_be_visible()
    waiting[0].abort()
    expect(page.get_by_role("heading", name="The server does not answer")).to_be_visible()
    expect(page.get_by_role("button", name="Rematch")).to_be_visible()
    page.unroute("**/api/races/*")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".place-row")).to_have_count(2)

    page.route("**/api/records/*", lambda route: route.abort())
    page.goto(f"/replay/{raced.attempts['Anna']}")
    expect(page.get_by_role("heading", name="The server does not answer")).to_be_visible()
    page.unroute("**/api/records/*")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".deck")).to_be_visible()


def test_rematch_stays_where_it_is(server: Server, visit: Visit, bears: list[str]) -> None:
    """It is offered where it can be pressed: not before what pushes it away, the results, is there, if that is soon."""
    bears.append(LOST)  # the far door ends before the page
    with Rivals(server) as rivals, Far(server, rivals, 100) as far:
        host = rivals.join("STAYS", "Bert", options=Options())
        page = visit("phone")
        page.add_init_script(NOTE_PLACES)
        begin(come(page, f"{far.address}/r/STAYS", "Alba"), host)
        host.ask(Resign(ply=0))
        page.get_by_role("button", name="Resign").click()
        page.get_by_role("dialog").get_by_role("button", name="Resign").click()
        expect(page.locator(".place-row")).to_have_count(2)
        expect(page.get_by_role("button", name="Rematch")).to_be_visible()
        page.wait_for_function("[...places.keys()].filter((each) => each.closest('.after')).length === 2")
        assert [len(places) for places in stood(page, ".after")] == [1, 1]


def test_rematch_with_other_options(server: Server, visit: Visit) -> None:
    """The host chooses them over the results, which stay for all until that is done; others are not asked."""
    with Rivals(server) as rivals:
        guest = rivals.join("OTHERS", "Bert", options=Options(suits=1))
        page = come(visit("phone"), "/r/OTHERS", "Alba")
        begin(page, guest)
        guest.ask(Resign(ply=0))
        page.get_by_role("button", name="Resign").click()
        page.get_by_role("dialog").get_by_role("button", name="Resign").click()
        expect(page.locator(".place-row")).to_have_count(2)
        other = page.get_by_role("button", name="Another race with other options")
        expect(other).to_be_hidden()
        guest.ask(HandOver(player=guest.seat_of("Alba").player))
        other.click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_be_visible()
        expect(page.locator(".place-row")).to_have_count(2)
        assert guest.view.phase == "finished"
        dialog.get_by_role("radio", name="FreeCell").check()
        dialog.get_by_role("button", name="Use these options").click()
        assert guest.until(lambda view: view.options.game == "freecell").phase == "open"


def test_names_and_the_first_places_are_seen_whole_on_a_phone(server: Server, visit: Visit) -> None:
    """A long name gets the room, marks give way, and no bar lies on the first two lines."""
    with Rivals(server) as rivals:
        options = Options(game="simple-simon", code=SIMON)
        long = race(rivals, "LONGEST", options, {"Zoë Lindqvist-Marlow": ["line"], "Bert": ["resign"]})
    page = visit("phone")
    be(page, long.identities["Bert"])
    page.goto("/r/LONGEST")
    places(page)
    expect(page.locator(".place-row").first).to_contain_text(re.compile(r"clean|841 points"))
    for name in page.locator(".place-row .name a").all():
        assert name.evaluate(WHOLE)
    bar, *_ = page.evaluate(BOXES, ".after")
    rows = page.evaluate(BOXES, ".place-row")
    assert rows[1]["bottom"] <= bar["top"]


WHOLE = """(each) => getComputedStyle(each).textOverflow === "clip"
  && each.offsetWidth <= each.closest(".place-row").children[1].clientWidth"""
"""Whether a name ends where it ends."""


def test_each_line_opens_its_replay_and_its_player(raced: Raced, visit: Visit) -> None:
    """By links with names of their own."""
    page = visit("desktop", f"/race/{raced.id}")

    for name, attempt in raced.attempts.items():
        link = page.get_by_role("link", name=f"Replay of {name}", exact=True)
        expect(link).to_have_attribute("href", f"/replay/{attempt}")
    page.get_by_role("link", name="Anna", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Anna")


def test_a_click_on_the_picture_opens_the_replay_at_that_moment(server: Server, raced: Raced, visit: Visit) -> None:
    """That of the line that is nearest of those still going on, at the time below it."""
    page = visit("desktop", f"/race/{raced.id}")
    places(page)
    end = max(attempt["elapsed_ms"] for attempt in told(server, f"races/{raced.id}")["attempts"])
    [lowest, *_] = page.evaluate(BOXES, ".picture path.grid")

    page.mouse.click(lowest["left"] + 0.9 * lowest["width"], lowest["top"] - 10)

    page.wait_for_url(f"**/replay/{raced.attempts['Anna']}#t=*")
    page.locator(".deck").wait_for()
    assert abs(float(page.url.partition("#t=")[2]) - 0.9 * end) <= end / lowest["width"] + 1


def test_the_picture_by_keys(raced: Raced, visit: Visit) -> None:
    """Arrows choose the moment and the line, enter opens the replay there."""
    page = visit("desktop", f"/race/{raced.id}")
    picture = page.get_by_role("slider")

    picture.focus()
    for _ in range(30):
        page.keyboard.press("ArrowRight")
    expect(picture).to_have_attribute("aria-valuetext", re.compile("Anna at"))
    page.keyboard.press("ArrowDown")
    expect(picture).to_have_attribute("aria-valuetext", re.compile("Bert at 1"))
    page.keyboard.press("Enter")

    page.wait_for_url(f"**/replay/{raced.attempts['Bert']}#t=*")


def test_the_picture_shows_everyone(raced: Raced, visit: Visit) -> None:
    """A line with a colour of its own for each, a ring at the winner's end, a cross at others', the own line lit."""
    page = visit("desktop")
    be(page, raced.identities["Bert"])
    page.goto(f"/race/{raced.id}")
    picture = page.locator(".picture")

    expect(picture.locator(".name")).to_have_count(4)
    expect(picture.locator("path.line:not(.under)")).to_have_count(4)
    expect(picture.locator("path.under")).to_have_count(1)
    expect(picture.locator("path.gone-not")).to_have_count(3)
    expect(picture.locator("circle.gone")).to_have_count(4 + 1)
    expect(picture.locator(".name.me")).to_have_text("Bert")


@pytest.mark.parametrize("device", ["phone", "lying", "desktop"])
def test_results_fit(raced: Raced, visit: Visit, device: str) -> None:
    """Nothing is cut at the sides."""
    page = visit(device, f"/race/{raced.id}")
    places(page)
    fits(page, "h1", ".picture-box", ".picture .name", ".place-row", ".place-row > *", ".after .button", ".facts")


def test_a_race_for_the_score(server: Server, visit: Visit) -> None:
    """Options are printed as they were, and who has seen the deal before is marked."""
    options = Options(game="freecell", code=FREE, goal="score", hint=True, undo=False, limit_ms=600_000)
    line = line_of(FREE)
    with Rivals(server) as rivals:
        first = race(rivals, "SCOREA", options, {"Anna": ["line"], "Bert": [*line[:5], "resign"]})
        second = race(rivals, "SCOREB", options, {"Bert": ["line"]}, before=first)
    page = visit("desktop", f"/race/{first.id}")
    for fact in ("Best score", "10 min", "no undo", "hints", "a chosen deal"):
        expect(page.locator(".facts")).to_contain_text(fact)
    scores = [each["score"] for each in told(server, f"races/{first.id}")["attempts"]]
    figures = [re.compile(f"^{score} points") for score in scores]
    expect(page.locator(".place-row .time:not(.none)")).to_have_text(figures)

    page.goto(f"/race/{second.id}")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Solved in")
    expect(page.locator(".place-row")).to_contain_text("practice")
    expect(page.get_by_role("link", name="Winning line")).to_be_visible()


def test_winner_is_told_so(raced: Raced, visit: Visit) -> None:
    """To others it is told who won."""
    for name, said in (("Anna", "You won: nobody else solved it!"), ("Bert", "Anna won: nobody else solved it")):
        page = visit("phone")
        be(page, raced.identities[name])
        page.goto(f"/race/{raced.id}")
        expect(page.get_by_role("heading", level=1)).to_have_text(said)


def test_four_share_a_place(server: Server, visit: Visit) -> None:
    """Who came equally far shares the place, whichever screen they played on; all are named, each line is whole."""
    names = ["Anna", "Bert", "Cleo", "Dora"]
    move = line_of(SIMON)[0]
    with Rivals(server) as rivals:
        host = rivals.join("EQUALS", "Emil", options=Options(code=SIMON))
        pages = [come(visit(device), "/r/EQUALS", name) for device, name in zip(DEVICES, names, strict=True)]
        for page in pages:
            page.get_by_role("button", name="I'm ready").click()
        host.until(lambda view: sum(seat.ready for seat in view.seats) == len(names))
        host.ask(Leave())
        for page in pages:
            expect_table(page, after(SIMON))
            page.keyboard.type(move)
            page.keyboard.press("Enter")
            expect_table(page, after(SIMON, move))
            page.get_by_role("button", name="Resign").click()
            page.get_by_role("dialog").get_by_role("button", name="Resign").click()
        for page in pages:
            expect(page.get_by_role("heading", level=1)).to_have_text(
                "Nobody solved it. Anna, Bert, Cleo, and Dora came furthest"
            )
            assert [text.split()[:2] for text in places(page)] == [["1", name] for name in names]
            fits(page, "h1", ".place-row", ".place-row > *", ".picture .name")


DEVICES = ["desktop", "phone", "lying", "phone"]


def attempt(name: str, place: int | None, **fields: Any) -> dict[str, Any]:  # noqa: ANN401  # of an attempt
    """Return what a headline asks of an attempt."""
    won = fields.setdefault("won", "elapsed_ms" in fields)
    return {"name": name, "place": place, "won": won, "elapsed_ms": 0, "score": 841, "moves": 59} | fields


HEADLINES: list[tuple[str, str, list[dict[str, Any]]]] = [
    (
        "Mika won by 29 seconds",
        "time",
        [attempt("Mika", 1, elapsed_ms=402_000), attempt("Alba", 2, elapsed_ms=431_400)],
    ),
    ("Mika won by 0.4 seconds", "time", [attempt("Mika", 1, elapsed_ms=5_000), attempt("Alba", 2, elapsed_ms=5_480)]),
    (
        "Mika won by 40 milliseconds",
        "time",
        [attempt("Mika", 1, elapsed_ms=5_000), attempt("Alba", 2, elapsed_ms=5_040)],
    ),
    ("Mika won by 3:09.0", "time", [attempt("Mika", 1, elapsed_ms=5_000), attempt("Alba", 2, elapsed_ms=194_000)]),
    (
        "Mika won by 1 move",
        "time",
        [attempt("Mika", 1, elapsed_ms=5_000, moves=58), attempt("Alba", 2, elapsed_ms=5_000)],
    ),
    (
        "Mika won by 2 points",
        "score",
        [attempt("Mika", 1, elapsed_ms=9_000, score=843), attempt("Alba", 2, elapsed_ms=5_000)],
    ),
    ("Mika won: nobody else solved it", "time", [attempt("Mika", 1, elapsed_ms=5_000), attempt("Alba", 2)]),
    (
        "Mika and Alba share the win",
        "time",
        [attempt("Mika", 1, elapsed_ms=5_000), attempt("Alba", 1, elapsed_ms=5_000)],
    ),
    ("Solved in 6:42.0", "time", [attempt("Mika", 1, elapsed_ms=402_000)]),
    ("Nobody solved it. Mika came furthest", "time", [attempt("Mika", 1), attempt("Alba", 2)]),
    ("Nobody made a move", "time", [attempt("Mika", None), attempt("Alba", None)]),
    ("Not solved this time", "time", [attempt("Mika", 1)]),
]


def test_headlines(raced: Raced, visit: Visit) -> None:
    """Who won and by how much, or what there is to say instead."""
    page = visit("desktop", f"/race/{raced.id}")
    places(page)
    ask = """async (cases) => {
      const { headline } = await import("/results.js");
      return cases.map(([, goal, attempts]) => headline(attempts, goal));
    }"""

    assert page.evaluate(ask, json.loads(json.dumps(HEADLINES))) == [case[0] for case in HEADLINES]
