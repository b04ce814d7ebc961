"""Races in pages: from the start to the results and on to the next, through everything that can come between."""

import re

import pytest
from playwright.sync_api import Page, expect

from client.view import View
from server.rooms.websocket import KEEPALIVE_S
from shared.games import RULES
from shared.protocol.messages import Resign
from shared.protocol.values import Options
from tests.browser.chromium import LOST
from tests.browser.conftest import SOON_MS, Visit
from tests.browser.far import Far
from tests.browser.guests import begin, come, enter
from tests.browser.hands import Hands, after, expect_table
from tests.browser.looking import BOXES, told
from tests.browser.rivals import EASY, Rivals, line_of
from tests.browser.serving import Server
from tests.browser.test_mishaps import Line
from tests.browser.test_reach import settled, violations

EASILY = Options(game="simple-simon", suits=1, code=EASY)

SHORT = "SS1-S1-AEICT2U"
"""A deal of the pool whose line is short."""

STUCK_CODE, STUCK = "FC1-AAALMXD", ("4d", "7a", "3b", "6c", "8h", "58")
"""A FreeCell deal, and moves after which there is none: found by playing at random, into cells where that can be."""


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


@pytest.mark.long
def test_touch_races_keys_to_the_end(visit: Visit, server: Server) -> None:
    """
    On a phone every second move is dragged, the others are tapped; the other page types. Both solve it, and both see
    the same results, which are those of the server.
    """
    phone, keys = visit("phone", "/"), visit("desktop")
    make_known_room(phone, "Alba", SHORT)
    enter(keys, phone.url, "Mika")
    keys.get_by_role("button", name="I'm ready").click()
    phone.get_by_role("button", name="Start now").tap()
    for page in (phone, keys):
        expect_table(page, after(SHORT))
    line, hands = line_of(SHORT), Hands(phone, touch=True)
    for text in line:
        type_move(keys, text)
    expect(keys.get_by_role("heading", level=1)).to_contain_text("Solved in")
    for place, text in enumerate(line):
        (Hands.tap_tap if place % 2 else Hands.drag)(hands, text)
        if place + 1 < len(line):
            expect_table(phone, after(SHORT, *line[: place + 1]))
    for page in (phone, keys):
        expect(page.locator(".place-row .time")).to_have_count(2, timeout=SOON_MS)
    (race,) = told(server, "races")["races"]
    raced = told(server, f"races/{race['race']}")["attempts"]
    wanted = [(each["name"], clock(each["elapsed_ms"])) for each in raced]
    assert [name for name, _ in wanted] == ["Mika", "Alba"]
    for page in (phone, keys):
        for row, (name, time) in zip(page.locator(".place-row").all(), wanted, strict=True):
            expect(row.locator(".name")).to_contain_text(name)
            expect(row.locator(".time")).to_contain_text(time)
            expect(row).to_contain_text(f"{len(line)} moves")


def clock(ms: int) -> str:
    """Return race time as pages write it."""
    return f"{ms // 60_000}:{ms // 1000 % 60:02}.{ms % 1000 // 100}"


def make_known_room(page: Page, name: str, code: str = EASY) -> None:
    """Make a room for the deal of *code*."""
    page.get_by_label("Your name").fill(name)
    page.get_by_label("Room or game code").fill(code.lower())
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
    host.seat_of("Alba", lambda seat: seat.ready)
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
    expect(page.get_by_text("of 15:00").locator("visible=true")).to_have_count(1)
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("switch", name="Hide the clock").click()
    page.keyboard.press("Escape")
    expect(page.locator(".clock time")).to_have_text("")
    expect(page.get_by_text("of 15:00")).to_have_count(0)
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
        """[...document.querySelectorAll(".actions button")].filter((each) => each.checkVisibility())
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


OFFERS = {
    (True, True): "No move is left. Undo or restart.",
    (True, False): "No move is left. Undo to go on.",
    (False, True): "No move is left. Restart to go on.",
    (False, False): "No move is left.",
}


@pytest.mark.parametrize(("undo", "restart"), OFFERS)
def test_a_table_without_a_move_is_said_so(visit: Visit, rivals: Rivals, undo: bool, restart: bool) -> None:
    """FC6: what is left is said, politely, and offered; whoever undoes and comes there again is told again."""
    options = Options(game="freecell", code=STUCK_CODE, undo=undo, restart=restart, hint=True)
    host = rivals.join("ROOM", "Bert", options=options)
    page = enter(visit("desktop"), "/r/ROOM", "Alba")
    begin(page, host)
    stuck = after(STUCK_CODE, *STUCK)
    assert stuck.rules.stuck(stuck.position)
    notice = page.get_by_role("status").locator(".toast")
    for place, text in enumerate(STUCK, 1):
        expect(notice).to_have_count(0)
        type_move(page, text)
        expect_table(page, after(STUCK_CODE, *STUCK[:place]))
    expect(notice).to_have_text(OFFERS[undo, restart])
    actions = page.locator(".actions")
    expect(actions.get_by_role("button", name="Undo", disabled=False)).to_have_count(int(undo))
    expect(actions.get_by_role("button", name="Restart")).to_have_count(int(restart))
    expect(actions.get_by_role("button", name="Resign")).to_be_enabled()
    if undo:
        page.evaluate("document.querySelector('main .toasts').replaceChildren()")
        page.keyboard.press("u")
        expect_table(page, after(STUCK_CODE, *STUCK[:-1]))
        expect(notice).to_have_count(0)
        page.keyboard.press("r")
        expect(notice).to_have_text(OFFERS[undo, restart])


PLACES = """() => {
  window.places = [];
  const region = document.getElementById("announced");
  const hear = () => region.textContent.startsWith("You are in place") && window.places.push(region.textContent);
  new MutationObserver(hear).observe(region, { childList: true });
}"""
"""Notes what is announced of one's place."""


def test_a_place_that_changes_is_announced_once(visit: Visit, rivals: Rivals) -> None:
    """Politely: whoever falls behind hears it, and no more of it as long as it stays so, whatever is played."""
    host = rivals.join("ROOM", "Bert", options=EASILY)
    page = enter(visit("desktop"), "/r/ROOM", "Alba")
    begin(page, host)
    expect(page.locator("#announced")).to_have_attribute("role", "status")
    page.evaluate(PLACES)
    line, place = line_of(EASY), page.locator(".row.me .place")
    Hands(page).drag(line[0])
    expect(place).to_have_text("1")
    host.play(*line[:6])
    expect(place).to_have_text("2")
    page.wait_for_function("() => window.places.length === 1")
    host.play(*line[6:10])
    Hands(page).drag(line[1])
    page.wait_for_timeout(PLACES_EVERY_MS)
    host.play(*line[10:12])
    expect(page.locator(".row:not(.me)")).to_contain_text("12 moves")
    assert page.evaluate("places") == ["You are in place 2 of 2"]


PLACES_EVERY_MS = 4_500
"""After so long another place would be announced."""


@pytest.mark.long
def test_rows_tell_what_the_server_counts(visit: Visit, rivals: Rivals, server: Server) -> None:
    """Places, moves, points, progress and times of all, live; times, moves and lag in the results."""
    host = rivals.join("ROOM", "Bert", options=EASILY)
    with Far(server, rivals, FAR_MS) as far:
        page = enter(visit("desktop"), f"{far.address}/r/ROOM", "Alba")
        begin(page, host)
        line = line_of(EASY)
        for text in line[:3]:
            Hands(page).drag(text)
        expect_rows(page, host.until(lambda view: any(row.moves == 3 for row in view.rows)))
        lag = page.locator(".net b")
        expect(lag).to_have_text(re.compile(r"^\d+ ms$"))
        assert int(lag.inner_text().split()[0]) >= FAR_MS
        page.wait_for_timeout(KEEPALIVE_S * 1000)  # by then the server has asked how far away the page is
        Hands(page).drag(line[3])
        host.until(lambda view: any(row.moves == 4 for row in view.rows))
        host.win()
        expect_rows(page, host.until(lambda view: any(row.state == "solved" for row in view.rows)))
        page.locator(".actions").get_by_role("button", name="Resign").click()
        page.get_by_role("dialog").get_by_role("button", name="Resign").click()
        expect(page.locator(".place-row")).to_have_count(2)
        attempts = told(server, f"races/{host.until(lambda view: bool(view.attempts)).race}")["attempts"]
        for row, attempt in zip(page.locator(".place-row").all(), attempts, strict=True):
            expect(row.locator(".name")).to_contain_text(attempt["name"])
            expect(row.locator(".more")).to_contain_text(f"{attempt['moves']} moves")
            if attempt["won"]:
                expect(row.locator(".time")).to_contain_text(clock(attempt["elapsed_ms"]))
            if attempt["lag_ms"] is not None:
                expect(row.locator(".more")).to_contain_text(f"lag {attempt['lag_ms']} ms")
        own = next(each for each in attempts if each["name"] == "Alba")
        assert own["lag_ms"] is not None
        assert own["lag_ms"] >= FAR_MS


FAR_MS = 200

SHOWN = """(wanted) => {
  const shown = [...document.querySelectorAll(".ranking .row")].map((row) => {
    const [whole, done] = [row.querySelector(".bar"), row.querySelector(".bar i")].map((each) => each.offsetWidth);
    const texts = [".place", ".nums b", ".nums small"].map((part) => row.querySelector(part).textContent);
    return [...texts, (100 * done) / whole];
  });
  const alike = (one, other) => one === other || Math.abs(one - other) < 1;
  const same = (row, at) => row.every((each, part) => alike(each, wanted[at][part]));
  return shown.length === wanted.length && shown.every(same);
}"""
"""Whether the standings show places, points or times, moves, and bars as full as is wanted, but for a per cent."""


def expect_rows(page: Page, view: View) -> None:
    """Wait until the standings on *page* show what another player was told; bars may be a pixel off."""
    top = RULES["simple-simon"].full_progress
    wanted = []
    for row in view.rows:
        best = clock(row.elapsed_ms) if row.state == "solved" and row.elapsed_ms else str(row.score)
        moves = f" · {row.moves} {'move' if row.moves == 1 else 'moves'}"
        wanted.append([str(row.place or "–"), best, moves, 100 * row.progress / top])
    page.wait_for_function(SHOWN, arg=wanted)


def test_countdown_and_spectators_views_are_accessible(visit: Visit, rivals: Rivals) -> None:
    """The countdown, which is held here, and what is seen of a race by who looks on, with tables and without."""
    found = {}
    for view in ("live", "after"):
        host = rivals.join(view, "Bert", options=Options(game="simple-simon", suits=1, code=EASY, view=view))
        page = visit("desktop" if view == "live" else "phone", color_scheme="light" if view == "live" else "dark")
        line = Line(page)
        line.hold("back", '"Began"')
        enter(page, f"/r/{view}", "Alba")
        page.locator(".readybar .go").click()
        expect(page.locator(".readybar .go")).to_have_attribute("aria-pressed", "true")
        host.seat_of("Alba", lambda seat: seat.ready)
        host.start()
        expect(page.locator(".countdown")).to_be_visible()
        found[f"{view}: countdown"] = violations(page)
        host.until(lambda view: view.hand is not None)
        watcher = visit("desktop" if view == "after" else "phone")
        come(watcher, f"/r/{view}", "Carl")
        expect(watcher.locator(".standings .row")).to_have_count(2)
        expect(watcher.locator(".tables .table")).to_have_count(2 if view == "live" else 0)
        found[f"{view}: looking on"] = violations(settled(watcher))
    assert {stage: told for stage, told in found.items() if told} == {}


def test_screen_is_kept_awake_anew_when_the_page_is_back(visit: Visit, rivals: Rivals) -> None:
    """A browser lets the lock go with a page out of sight: once that is seen again, it is asked for again."""
    host = rivals.join("ROOM", "Bert", options=EASILY)
    page = visit("phone")
    page.add_init_script(AWAKE)
    enter(page, "/r/ROOM", "Alba")
    begin(page, host)
    page.wait_for_function("() => locks === 1")
    page.evaluate("() => { locks = 0; document.dispatchEvent(new Event('visibilitychange')); }")
    page.wait_for_function("() => locks === 1")
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    page.wait_for_function("() => locks === 0")


def test_every_switch_is_kept(visit: Visit) -> None:
    """Whatever switches the settings have: each is turned over, and still is after a reload."""
    page = visit("desktop", "/")
    before = switches(page)
    assert len(before) > 5
    for name in before:
        page.get_by_role("switch", name=name, exact=True).click()
    page.reload()
    assert switches(page) == {name: not on for name, on in before.items()}


def switches(page: Page) -> dict[str, bool]:
    """Open the settings; return what is on and off there."""
    page.get_by_role("button", name="Settings").click()
    found = page.get_by_role("dialog").get_by_role("switch")
    expect(found.first).to_be_visible()
    return {each.evaluate("each => each.labels[0].innerText"): each.is_checked() for each in found.all()}
