"""Races in pages: from the start to the results and on to the next, through everything that can come between."""

import re

import pytest
from playwright.sync_api import Page, expect

from shared.protocol.messages import Resign
from shared.protocol.values import Options
from tests.browser.chromium import LOST
from tests.browser.conftest import Visit
from tests.browser.guests import begin, come, enter
from tests.browser.hands import Hands, after, expect_table
from tests.browser.looking import BOXES
from tests.browser.rivals import EASY, Rivals, line_of
from tests.browser.serving import Server

EASILY = Options(game="simple-simon", suits=1, code=EASY)
SOON_MS = 30_000


def test_two_pages_race_to_the_end_and_again(visit: Visit, rivals: Rivals) -> None:
    """
    One makes the room and drags, the other comes by its link and types: both see the results, and a rematch is
    another race in the same room.
    """
    mouse, keys = visit("desktop", "/"), visit("desktop")
    make_known_room(mouse, "Alba")
    enter(keys, mouse.url, "Mika")
    keys.get_by_role("button", name="I'm ready").click()
    expect(mouse.locator(".seat.ready")).to_have_count(1)
    mouse.get_by_role("button", name="Start now").click()
    line = line_of(EASY)
    expect(mouse.locator(".countdown")).to_be_visible()
    for page in (mouse, keys):
        expect_table(page, after(EASY))
    hands = Hands(mouse)
    for text in line[:12]:
        hands.drag(text)
    for place, text in enumerate(line):
        type_move(keys, text)
        if place + 1 < len(line):
            expect_table(keys, after(EASY, *line[: place + 1]))
    expect(keys.get_by_role("heading", level=1)).to_contain_text("Solved in")
    expect(mouse.locator(".standings")).to_contain_text(re.compile(r"\d+:\d\d\.\d"))
    for text in line[12:]:
        hands.drag(text)
    for page in (mouse, keys):
        expect(page.locator(".place-row")).to_have_count(2, timeout=SOON_MS)
        expect(page.locator(".place-row").first).to_contain_text("Mika")
    keys.get_by_role("button", name="Rematch").click()
    for page in (mouse, keys):
        expect(page.locator(".warm .card").first).to_be_visible()
        expect(page.locator(".seat .name")).to_have_text(["Alba", "Mika"])


def make_known_room(page: Page, name: str) -> None:
    """Make a room for the deal EASY by its game code."""
    page.get_by_label("Your name").fill(name)
    page.get_by_label("Room or game code").fill(EASY.lower())
    page.get_by_role("button", name="Join").click()
    expect(page.locator(".warm .card").first).to_be_visible()


def type_move(page: Page, text: str) -> None:
    """Type a move; where several runs go there, enter plays a single card."""
    page.keyboard.type(text)
    if "v" not in text:
        page.keyboard.press("Enter")


def test_reload_in_mid_race_changes_nothing(visit: Visit, rivals: Rivals) -> None:
    """The page comes back into the same seat, to the same table, and plays on."""
    host = rivals.join("ROOM", "Bert", options=EASILY)
    page = enter(visit("desktop"), "/r/ROOM", "Alba")
    begin(page, host)
    line = line_of(EASY)
    for text in line[:3]:
        Hands(page).drag(text)
    host.until(lambda view: any(row.moves == 3 for row in view.rows))
    page.reload()
    expect_table(page, after(EASY, *line[:3]))
    Hands(page).drag(line[3])
    host.until(lambda view: any(row.moves == 4 for row in view.rows))


@pytest.mark.parametrize("kindly", [True, False])
def test_server_that_restarts_is_found_again(
    visit: Visit, rivals: Rivals, server: Server, bears: list[str], kindly: bool
) -> None:
    """
    While the server is gone, or killed, the table stays and moves wait; when it is back they are sent, each once.
    """
    bears.append(LOST)
    host = rivals.join("ROOM", "Bert", options=EASILY)
    page = enter(visit("desktop"), "/r/ROOM", "Alba")
    begin(page, host)
    line = line_of(EASY)
    Hands(page).drag(line[0])
    host.until(lambda view: any(row.moves == 1 for row in view.rows))
    server.stop(kindly=kindly)
    expect(page.locator(".lost")).to_contain_text("your moves wait here")
    expect(page.locator(".net b")).to_be_hidden()
    for text in line[1:4]:
        Hands(page).drag(text)
    expect_table(page, after(EASY, *line[:4]))
    server.start()
    expect(page.locator(".toast")).to_have_text("Back again. 3 moves sent.", timeout=SOON_MS)
    expect(page.locator(".lost")).to_be_hidden()
    host.until(lambda view: any(row.moves == 4 for row in view.rows))
    expect_table(page, after(EASY, *line[:4]))


def test_page_without_network_comes_back(visit: Visit, rivals: Rivals, bears: list[str]) -> None:
    """A network that goes and comes is told, and what was played meanwhile is sent."""
    bears.append(LOST)
    host = rivals.join("ROOM", "Bert", options=EASILY)
    page = enter(visit("phone"), "/r/ROOM", "Alba")
    begin(page, host)
    page.context.set_offline(True)
    expect(page.locator(".lost")).to_be_visible()
    hands = Hands(page, touch=True)
    for text in line_of(EASY)[:2]:
        hands.tap_tap(text)
    page.context.set_offline(False)
    expect(page.locator(".toast")).to_have_text("Back again. 2 moves sent.", timeout=SOON_MS)
    host.until(lambda view: any(row.moves == 2 for row in view.rows))


def test_second_tab_takes_over_and_gives_back(visit: Visit, rivals: Rivals) -> None:
    """The newer tab plays; the older says so and nothing goes on there, until it takes the race back on request."""
    host = rivals.join("ROOM", "Bert", options=EASILY)
    first = enter(visit("desktop"), "/r/ROOM", "Alba")
    begin(first, host)
    second = first.context.new_page()
    second.goto("/r/ROOM")
    expect_table(second, after(EASY))
    expect(first.get_by_role("heading", name="This race went on in another tab.")).to_be_visible()
    expect(first.locator(".clock, .net, .card")).to_have_count(0)
    expect(first).to_have_title(re.compile("^This race went on in another tab"))
    first.get_by_role("button", name="Play here").click()
    expect_table(first, after(EASY))
    expect(second.get_by_role("heading", name="another tab")).to_be_visible()
    type_move(first, line_of(EASY)[0])
    expect_table(first, after(EASY, line_of(EASY)[0]))
    host.until(lambda view: any(row.moves == 1 for row in view.rows))


def test_latecomer_watches_and_is_in_the_next_race(visit: Visit, rivals: Rivals) -> None:
    """Who comes after the start sees standings and clock and no table, then the results, then has a seat."""
    host = rivals.join("ROOM", "Bert", options=EASILY)
    host.start()
    host.until(lambda view: view.hand is not None)
    late = visit("phone")
    come(late, "/r/ROOM", "Carl")
    expect(late.get_by_text("This race began without you.")).to_be_visible()
    expect(late.locator(".standings")).to_contain_text("Bert")
    expect(late.locator(".card")).to_have_count(0)
    host.play(*line_of(EASY)[:2])
    expect(late.locator(".row .nums b")).to_have_text("498")
    host.ask(Resign(ply=2))
    expect(late.locator(".place-row")).to_have_count(1)
    expect(late.get_by_role("button", name="Rematch")).to_have_count(0)


def test_spectators_of_an_open_room_see_every_table(visit: Visit, rivals: Rivals) -> None:
    """In a `live` room who looks on sees all tables as they are played."""
    options = Options(game="simple-simon", suits=1, code=EASY, view="live")
    host = rivals.join("ROOM", "Bert", options=options)
    host.start()
    host.until(lambda view: view.hand is not None)
    page = visit("desktop")
    come(page, "/r/ROOM", "Carl")
    expect(page.locator(".tables .card")).to_have_count(52)
    line = line_of(EASY)
    host.play(*line[:5])
    expect(page.locator(".tables .nums")).to_contain_text("495")
    expect_table(page, after(EASY, *line[:5]))


def test_watched_tables_lie_apart(visit: Visit, rivals: Rivals) -> None:
    """Each of them has a place of its own, also when the styles of the race so far have come."""
    host = rivals.join("ROOM", "Bert", options=Options(game="simple-simon", suits=1, code=EASY, view="live"))
    rivals.join("ROOM", "Mika").ready()
    host.start()
    host.until(lambda view: view.hand is not None)
    page = visit("desktop", "/r/ROOM")
    page.get_by_label("Your name").fill("Carl")
    page.get_by_role("button", name="Join").click()
    expect(page.locator(".tables .card")).to_have_count(104)
    expect(page.locator(".sofar .picture")).to_be_visible()
    one, other = page.evaluate(BOXES, ".tables .table")
    assert one["right"] <= other["left"]


def test_ending_and_starting_again_ask_first(visit: Visit, rivals: Rivals) -> None:
    """
    Restart and resign ask, with the focus on the safe answer; resigning leads to the results when nobody plays.
    """
    host = rivals.join("ROOM", "Bert", options=EASILY)
    page = enter(visit("lying"), "/r/ROOM", "Alba")
    begin(page, host)
    first = line_of(EASY)[0]
    Hands(page, touch=True).tap_tap(first)
    expect_table(page, after(EASY, first))
    page.get_by_role("button", name="Restart").click()
    expect(page.get_by_role("button", name="Keep playing")).to_be_focused()
    page.get_by_role("button", name="Keep playing").click()
    expect_table(page, after(EASY, first))
    page.get_by_role("button", name="Restart").click()
    page.get_by_role("dialog").get_by_role("button", name="Restart").click()
    expect_table(page, after(EASY))
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    expect(page.get_by_role("heading", name="Your race is over")).to_be_visible()
    host.ask(Resign(ply=0))
    expect(page.locator(".place-row")).to_have_count(2)


def test_whoever_is_done_sees_how_the_race_goes_on(visit: Visit, rivals: Rivals) -> None:
    """After resigning, on a phone: standings, clock and the race so far, from its start, with the own end marked."""
    host = rivals.join("ROOM", "Bert", options=EASILY)
    page = enter(visit("phone"), "/r/ROOM", "Alba")
    begin(page, host)
    host.play(*line_of(EASY)[:3])
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    expect(page.locator(".watching .row")).to_have_count(2)
    expect(page.locator(".sofar path.line:not(.under)")).to_have_count(2)
    expect(page.locator(".sofar .gone-not.me")).to_have_count(1)
    expect(page.locator(".sofar")).to_be_in_viewport()


def test_race_so_far_is_drawn(visit: Visit, rivals: Rivals) -> None:
    """On a desktop, beside the table: a line for everyone, which grows with what the standings tell."""
    host = rivals.join("ROOM", "Bert", options=EASILY)
    page = enter(visit("desktop"), "/r/ROOM", "Alba")
    begin(page, host)
    lines = page.locator(".sofar path.line:not(.under)")
    expect(lines).to_have_count(2)
    before = page.evaluate(STEPS)
    host.play(*line_of(EASY)[:12])
    page.wait_for_function(f"(before) => ({STEPS})() > before", arg=before)


STEPS = """() => [...document.querySelectorAll(".sofar path.line")]
  .reduce((sum, line) => sum + line.getAttribute("d").split("V").length, 0)"""
"""How many steps the lines of the race so far have."""


def test_standings_are_opened_and_explained(visit: Visit, rivals: Rivals) -> None:
    """On a phone two lines are seen; a tap shows all, and says what the figures are."""
    host = rivals.join("ROOM", "Bert", options=EASILY)
    others = [rivals.join("ROOM", name) for name in ("Carl", "Dora")]
    page = enter(visit("phone"), "/r/ROOM", "Alba")
    for other in others:
        other.ready()
    begin(page, host)
    expect(page.locator(".ranking .row:visible")).to_have_count(2)
    page.locator(".ranking .row.me").tap()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".row:visible")).to_have_count(4)
    expect(dialog).to_contain_text("Joined: lying on the next higher card")
    host.play(*line_of(EASY)[:2])
    expect(dialog.locator(".row", has_text="Bert")).to_contain_text("498 · 2 moves")


def test_help_is_a_key_away(visit: Visit, rivals: Rivals) -> None:
    """It lists the ways to move and the keys, for the game that is played; the table hears no key meanwhile."""
    host = rivals.join("ROOM", "Bert", options=EASILY)
    page = enter(visit("desktop"), "/r/ROOM", "Alba")
    begin(page, host)
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Help")
    expect(dialog.locator("kbd")).to_have_text(["← ↑ → ↓", "␣ ↵", "1…0 a…d h", "Esc", "U", "R", "?"])
    expect(dialog.get_by_role("link", name="Rules of Simple Simon")).to_have_attribute("target", "_blank")
    page.keyboard.type(line_of(EASY)[0])
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect_table(page, after(EASY))


def test_race_for_the_best_score_is_finished_by_oneself(visit: Visit, rivals: Rivals) -> None:
    """Where the score counts one may finish where one is."""
    host = rivals.join("ROOM", "Bert", options=Options(game="freecell", goal="score", hint=True))
    page = enter(visit("desktop"), "/r/ROOM", "Alba")
    page.get_by_role("button", name="I'm ready").click()
    host.until(lambda view: view.seats[1].ready)
    host.start()
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".hinted").first).to_be_visible()
    page.get_by_role("button", name="Finish here").click()
    page.get_by_role("dialog").get_by_role("button", name="Finish here").click()
    expect(page.get_by_role("heading", name="Your race is over")).to_be_visible()


def test_rival_who_solves_it_is_told_of(visit: Visit, rivals: Rivals) -> None:
    """Standings, title and a sentence say what the rival does; the limit on the clock is what is left by it."""
    host = rivals.join("ROOM", "Bert", options=EASILY)
    page = enter(visit("desktop"), "/r/ROOM", "Alba")
    begin(page, host)
    expect(page).to_have_title(re.compile(r"^0:\d\d · Same Deal"))
    Hands(page).drag(line_of(EASY)[0])
    expect(page.locator(".row.me .place")).to_have_text("1")
    host.win()
    expect(page.locator(".toast")).to_contain_text("Bert solved it")
    expect(page.locator(".row.me .place")).to_have_text("2")
    expect(page.locator(".clock small")).to_contain_text(re.compile(r"of 2:\d\d"))
    expect(page).to_have_title(re.compile(r"^0:\d\d · place 2"))


def test_clock_can_be_hidden(visit: Visit, rivals: Rivals) -> None:
    """The setting holds at once and after a reload."""
    host = rivals.join("ROOM", "Bert", options=EASILY)
    page = enter(visit("phone"), "/r/ROOM", "Alba")
    begin(page, host)
    expect(page.locator(".clock time")).to_have_text(re.compile(r"^0:\d\d\.\d$"))
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("switch", name="Hide the clock").click()
    page.keyboard.press("Escape")
    expect(page.locator(".clock time")).to_have_text("")
    page.reload()
    expect_table(page, after(EASY))
    expect(page.locator(".clock time")).to_have_text("")


@pytest.mark.parametrize("device", ["phone", "lying", "desktop"])
def test_race_fits_the_screen(visit: Visit, rivals: Rivals, device: str) -> None:
    """With eight who play nothing scrolls, one's own line and the one ahead are seen, and no target is too small."""
    host = rivals.join("ROOM", "Bert", options=EASILY)
    crowd = [rivals.join("ROOM", f"A longer name {number}") for number in range(6)]
    page = enter(visit(device), "/r/ROOM", "Alba")
    for rival in crowd:
        rival.ready()
    begin(page, host)
    host.play(*line_of(EASY)[:3])
    expect(page.locator(".row.ahead")).to_be_visible()
    expect(page.locator(".row.me")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    sizes = page.evaluate(
        """[...document.querySelectorAll(".actions button:not([hidden])")]
             .map((each) => each.getBoundingClientRect()).map(({ width, height }) => Math.min(width, height))"""
    )
    assert min(sizes) >= 44


def test_screen_is_kept_awake_during_the_race(visit: Visit, rivals: Rivals) -> None:
    """The lock is asked for when the race begins and let go with it."""
    host = rivals.join("ROOM", "Bert", options=EASILY)
    page = visit("phone")
    page.add_init_script(AWAKE)
    enter(page, "/r/ROOM", "Alba")
    assert page.evaluate("locks") == 0
    begin(page, host)
    page.wait_for_function("() => locks === 1")
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    page.wait_for_function("() => locks === 0")


AWAKE = """
  window.locks = 0;
  const request = async () => (window.locks++, { release: () => window.locks-- });
  Object.defineProperty(Navigator.prototype, "wakeLock", { value: { request }, configurable: true });
"""
"""A wake lock that counts: browsers without a screen give none."""
