"""The replay: whatever it shows is what the engine has at that moment."""

import json
from bisect import bisect_right
from pathlib import Path

import pytest
from msgspec import Struct
from playwright.sync_api import Page, expect

from shared.protocol.values import Options
from shared.record import Record, verify
from tests.browser.conftest import Visit
from tests.browser.looking import (
    Raced,
    expect_shown,
    fits,
    lasting_server,  # noqa: F401  # a fixture
    lowest,
    positions,
    race,
    smallest,
    stepped,
    told,
)
from tests.browser.rivals import Rivals, line_of
from tests.browser.serving import Server

SIMON, FREE = "SS1-S2-AOHMRYH", "FC1-AAABAV7"


class Log(Struct, frozen=True):
    """An attempt that is watched."""

    id: str
    entries: list[tuple[int, str]]
    tables: list[str]
    """The engine's, by ply."""


class Past(Struct, frozen=True):
    """What was played before the tests."""

    server: Server
    races: dict[str, Raced]

    def log(self, code: str, name: str) -> Log:
        """Return the attempt of *name* at the deal *code*."""
        attempt = self.races[code].attempts[name]
        entries = [(at_ms, entry) for at_ms, entry in told(self.server, f"records/{attempt}")["entries"]]
        return Log(attempt, entries, positions(code, entries))


@pytest.fixture(scope="module")
def past(server: Server) -> Past:
    """A race in each game: Anna takes moves back, begins anew and wins; Bert gives up."""
    races = {}
    with Rivals(server) as rivals:
        for room, code in (("REPLAYA", SIMON), ("REPLAYB", FREE)):
            line = line_of(code)
            anna = [*line[:3], "restart", *line[:8], "undo", "undo", "line"]
            options = Options(game="freecell" if code == FREE else "simple-simon", code=code)
            races[code] = race(rivals, room, options, {"Anna": anna, "Bert": [*line[:12], "resign"]}, move_ms=12)
    return Past(server, races)


def watch(visit: Visit, device: str, path: str, **options: str) -> Page:
    """Open a replay and wait until it can be watched."""
    page = visit(device, path, **options)
    page.locator(".deck").wait_for()
    return page


def at_ply(page: Page, ply: int, side: int = 0) -> None:
    """Wait until a side shows the table after so many entries."""
    expect(page.locator(".side").nth(side)).to_have_attribute("data-ply", str(ply))


def now_ms(page: Page) -> int:
    """Return the moment that is shown."""
    return int(page.get_by_role("slider").get_attribute("aria-valuenow") or -1)


@pytest.mark.parametrize("code", [SIMON, FREE])
def test_each_step_shows_the_engines_table(past: Past, visit: Visit, code: str) -> None:
    """Stepped through to its end and back again, undone moves and the new beginning included."""
    log = past.log(code, "Anna")
    page = watch(visit, "desktop", f"/replay/{log.id}", reduced_motion="reduce")
    last = len(log.entries)

    forwards = stepped(page, "ArrowRight", last)
    backwards = stepped(page, "ArrowLeft", last)

    assert forwards == list(enumerate(log.tables))[1:]
    assert backwards == list(enumerate(log.tables))[last - 1 :: -1]


def test_a_step_moves_the_cards(past: Past, visit: Visit) -> None:
    """With movement too the table is the engine's, once what moves has come to rest: the last step clears it."""
    log = past.log(SIMON, "Anna")
    page = watch(visit, "desktop", f"/replay/{log.id}")

    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")

    at_ply(page, len(log.entries))
    expect_shown(page, 0, log.tables[-1])


@pytest.mark.parametrize("code", [SIMON, FREE])
def test_seeking_shows_the_engines_table(past: Past, visit: Visit, code: str) -> None:
    """A click on the line of time shows what lay there at that moment, forwards and backwards."""
    log = past.log(code, "Anna")
    stamps = [at_ms for at_ms, _ in log.entries]
    page = watch(visit, "desktop", f"/replay/{log.id}")
    box = page.get_by_role("slider").bounding_box()
    assert box

    for share in (0.1, 0.85, 0.4, 0.99, 0.02, 0.55, 0.7, 0.25):
        page.mouse.click(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
        ply = int(page.locator(".side").get_attribute("data-ply") or -1)
        near = range(bisect_right(stamps, now_ms(page) - 1), bisect_right(stamps, now_ms(page) + 1) + 1)
        assert ply in near
        expect_shown(page, 0, log.tables[ply])


def test_dragging_along_the_line_of_time(past: Past, visit: Visit) -> None:
    """The table follows the pointer."""
    log = past.log(SIMON, "Anna")
    page = watch(visit, "desktop", f"/replay/{log.id}")
    box = page.get_by_role("slider").bounding_box()
    assert box
    y = box["y"] + box["height"] / 2

    page.mouse.move(box["x"] + 1, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, y, steps=5)
    page.mouse.move(box["x"] + box["width"], y, steps=5)
    at_ply(page, len(log.entries))
    page.mouse.move(box["x"], y, steps=5)
    page.mouse.up()

    at_ply(page, 0)
    expect_shown(page, 0, log.tables[0])


def test_keys(past: Past, visit: Visit) -> None:
    """Play, pause, the ends, tens of seconds, and the speed, all without a mouse."""
    log = past.log(SIMON, "Anna")
    page = watch(visit, "desktop", f"/replay/{log.id}")
    last = len(log.entries)
    speed = page.get_by_label("Speed")

    page.keyboard.press("End")
    at_ply(page, last)
    page.keyboard.press("Home")
    at_ply(page, 0)
    page.keyboard.press("PageDown")
    assert now_ms(page) > 0
    page.keyboard.press("PageUp")
    at_ply(page, 0)
    for expected in ("8", "16", "32", "32"):
        page.keyboard.press("+")
        expect(speed).to_have_value(expected)
    for expected in ("16", "8", "4", "2", "1", "1"):
        page.keyboard.press("-")
        expect(speed).to_have_value(expected)
    page = watch(visit, "desktop", f"/deal/{SIMON}?line=1")  # a move a second: it is not over before it is paused
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.locator(".side")).not_to_have_attribute("data-ply", "0")
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Play")).to_be_visible()


def test_it_plays_to_the_end_and_from_the_start_again(past: Past, visit: Visit) -> None:
    """At the highest speed; once over, playing begins anew."""
    log = past.log(SIMON, "Anna")
    page = visit("phone")
    page.clock.install()
    page.goto(f"/replay/{log.id}")
    page.get_by_label("Speed").select_option("32")

    page.get_by_role("button", name="Play").click()
    at_ply(page, len(log.entries))
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    expect_shown(page, 0, log.tables[-1])

    page.get_by_label("Speed").select_option("1")
    page.clock.pause_at(page.evaluate("Date.now() + 60_000"))  # it stands at the start until it is looked at
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    assert now_ms(page) < log.entries[-1][0]


@pytest.mark.parametrize("speed", [1, 8])
def test_it_plays_as_fast_as_it_says(past: Past, visit: Visit, speed: int) -> None:
    """By a clock of the test's own: after so many seconds it is that many times the speed further."""
    page = visit("phone")
    page.clock.install()
    page.goto(f"/deal/{SIMON}?line=1")
    page.locator(".deck").wait_for()
    page.get_by_label("Speed").select_option(str(speed))
    page.clock.pause_at(page.evaluate("Date.now() + 60_000"))
    page.get_by_role("button", name="Play").click()
    begun = now_ms(page)
    page.clock.run_for(PLAYED_MS)
    assert abs(now_ms(page) - begun - speed * PLAYED_MS) <= speed * FRAME_MS


PLAYED_MS = 4_000

FRAME_MS = 40
"""So long after a moment, at most, it is drawn."""


def test_the_link_to_a_moment_shows_that_moment(past: Past, visit: Visit) -> None:
    """It is kept in the address, and shown to be copied by hand where nothing copies for pages."""
    log = past.log(FREE, "Anna")
    page = visit("desktop")
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.add_init_script("document.execCommand = () => false")
    page.goto(f"/replay/{log.id}")
    page.locator(".deck").wait_for()
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    at_ply(page, 20)

    page.get_by_role("button", name="Link to this moment").click()
    link = page.get_by_role("dialog").get_by_role("textbox").input_value()
    assert page.evaluate("getSelection().toString()") == link
    page.keyboard.press("Escape")
    page.wait_for_url(link)

    other = watch(visit, "phone", link)
    at_ply(other, 20)
    expect_shown(other, 0, log.tables[20])


def test_two_side_by_side(past: Past, visit: Visit) -> None:
    """
    Two attempts at one deal at the same moment; chosen from those who have played it. Moment and speed stay as they
    were.
    """
    anna, bert = past.log(SIMON, "Anna"), past.log(SIMON, "Bert")
    page = watch(visit, "desktop", f"/replay/{anna.id}")

    for _ in range(5):
        page.keyboard.press("ArrowRight")
    page.get_by_label("Speed").select_option("2")
    before = now_ms(page)
    assert before > 0
    page.get_by_role("button", name="Side by side").click()
    page.get_by_role("dialog").get_by_role("link", name="Bert").click()
    page.wait_for_url(f"**/replay/{anna.id}?with={bert.id}*")
    expect(page.locator(".side")).to_have_count(2)
    assert now_ms(page) == before
    expect(page.get_by_label("Speed")).to_have_value("2")
    for _ in range(10):
        page.keyboard.press("ArrowRight")

    for side, log in enumerate((anna, bert)):
        ply = int(page.locator(".side").nth(side).get_attribute("data-ply") or -1)
        stamps = [at_ms for at_ms, _ in log.entries]
        near = range(bisect_right(stamps, now_ms(page) - 1), bisect_right(stamps, now_ms(page) + 1) + 1)
        assert ply in near
        expect_shown(page, side, log.tables[ply])
    expect(page.locator(".lane")).to_have_count(2)

    page.get_by_role("button", name="Side by side").click()
    page.get_by_role("link", name="Watch it alone").click()
    expect(page.locator(".side")).to_have_count(1)


def test_who_else_has_played_can_be_refused(past: Past, visit: Visit, bears: list[str]) -> None:
    """While a race on the deal is on its page says nothing: that is told in the refusal's own words."""
    bears.append("status of 403")
    page = watch(visit, "phone", f"/replay/{past.log(SIMON, 'Anna').id}")
    refusal = json.dumps({"reason": "SEALED", "params": {}})
    page.route("**/api/deals/*", lambda route: route.fulfill(status=403, body=refusal, content_type="application/json"))
    page.get_by_role("button", name="Side by side").click()
    expect(page.get_by_text("A race on this deal is under way")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_another_deal_is_not_put_beside(past: Past, visit: Visit) -> None:
    """A link that mixes deals shows the first, and says so."""
    one, other = past.log(SIMON, "Anna"), past.log(FREE, "Anna")
    page = watch(visit, "desktop", f"/replay/{one.id}?with={other.id}")

    expect(page.get_by_text("of another deal")).to_be_visible()
    expect(page.locator(".side")).to_have_count(1)


def test_what_was_taken_back_is_seen(past: Past, visit: Visit) -> None:
    """On the line of time, in the list of moves, and when it is passed."""
    log = past.log(SIMON, "Anna")
    page = watch(visit, "desktop", f"/replay/{log.id}")

    undone = 3 + 2  # before the new beginning, and by two undos
    assert page.locator(".moves s").count() == undone
    assert 0 < page.locator(".lane .undone").count() <= undone
    page.keyboard.press("ArrowRight")
    expect(page.locator(".side header")).to_contain_text("taken back later")
    page.locator(".moves li", has_text="restart").click()
    at_ply(page, 4)
    expect_shown(page, 0, log.tables[0])
    expect(page.locator(".side header")).to_contain_text("restart")


def test_marks_of_sequences_and_foundations(past: Past, visit: Visit) -> None:
    """A mark for each of four, and one for the end."""
    for code in (SIMON, FREE):
        page = watch(visit, "desktop", f"/replay/{past.log(code, 'Anna').id}")
        expect(page.locator(".lane .mark:not(.fin)")).to_have_count(4)
        expect(page.locator(".lane .mark.fin")).to_have_count(1)


def test_joined_cards_are_drawn(past: Past, visit: Visit) -> None:
    """As many cards lie joined on the table as the progress says, sequences that have left apart."""
    log = past.log(SIMON, "Bert")
    page = watch(visit, "desktop", f"/replay/{log.id}")

    for _ in range(8):
        page.keyboard.press("ArrowRight")
    at_ply(page, 8)
    expect_shown(page, 0, log.tables[8])
    joined = page.locator(".side .card.joined").count()
    expect(page.locator(".side .nums")).to_contain_text(f"{joined} joined")


def test_the_record_is_downloaded(past: Past, visit: Visit, tmp_path: Path) -> None:
    """It is one that can be verified."""
    log = past.log(FREE, "Anna")
    page = watch(visit, "desktop", f"/replay/{log.id}")

    with page.expect_download() as download:
        page.get_by_role("button", name="Download the record").click()

    download.value.save_as(tmp_path / "record.json")
    record = Record.parse((tmp_path / "record.json").read_bytes())
    assert download.value.suggested_filename == f"{log.id}.json"
    assert list(record.entries) == log.entries
    assert verify(record).error is None


def test_the_winning_line_is_watched(past: Past, visit: Visit) -> None:
    """A line that wins the deal, to its end: nothing is left on the table."""
    page = watch(visit, "phone", f"/deal/{SIMON}?line=1")

    page.keyboard.press("End")
    at_ply(page, len(line_of(SIMON)))
    expect(page.locator(".side .card")).to_have_count(0)


KNOB = 9
"""So far the knob reaches over the end of the line of time."""


@pytest.mark.parametrize("device", ["phone", "lying", "desktop"])
def test_all_of_it_is_in_the_window(past: Past, visit: Visit, device: str) -> None:
    """Nothing scrolls, nothing is cut, whatever can be pressed is large enough, alone and side by side."""
    page = visit(device)
    for code in (SIMON, FREE):
        anna, bert = past.log(code, "Anna").id, past.log(code, "Bert").id
        for query in ("", f"?with={bert}"):
            page.goto(f"/replay/{anna}{query}")
            page.locator(".deck").wait_for()
            page.keyboard.press("ArrowRight")
            at_ply(page, 1)
            fits(page, ".top .tool", ".deck button", ".deck select", ".deck .t", ".side header > *", ".side .card")
            line, deck = (page.locator(each).bounding_box() for each in (".line-time", ".deck"))
            assert line
            assert deck
            assert line["x"] + line["width"] <= deck["x"] + deck["width"] - KNOB
            assert page.locator(".deck .keys").evaluate("(keys) => keys.scrollWidth <= keys.clientWidth")
            expect(page.locator(".deck .t")).to_be_visible()
            assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
            assert lowest(page, ".side .card") <= page.locator(".deck").evaluate("(deck) => deck.offsetTop") + 1
            assert smallest(page, ".top .tool, .deck button, .deck select") >= 44


def test_nothing_there_and_not_yet(past: Past, visit: Visit, bears: list[str], rivals: Rivals) -> None:
    """What can't be seen is told in words, with a way on."""
    bears.append("status of 40[34]")
    page = visit("phone", "/replay/aaaaaaaaaaaaaaaa")
    expect(page.get_by_role("heading", name="Nothing is here")).to_be_visible()
    expect(page.get_by_role("link", name="front page")).to_be_visible()

    host = rivals.join("SEALEDA", "Carl", options=Options())
    host.start()
    view = host.until(lambda view: view.code is not None)
    page.goto(f"/race/{view.race}")
    expect(page.get_by_role("heading", name="The race is still on")).to_be_visible()
    page.goto(f"/deal/{view.code}")
    expect(page.get_by_role("heading", name="A race on this deal is on")).to_be_visible()
