"""What goes wrong in the middle of things: a line that stalls, a page left early, a press at the wrong moment."""

import json
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, Route, WebSocketRoute, expect

from client.assets import solved_codes
from client.view import View
from shared.errors import ProtocolError, Reason
from shared.protocol.closing import COMES_BACK, CloseCode
from shared.protocol.messages import Leave, Resign
from shared.protocol.values import Options
from shared.texts import PLACEHOLDER
from tests.browser.chromium import LOST
from tests.browser.conftest import SOON_MS, Visit
from tests.browser.guests import begin, enter
from tests.browser.hands import STILL, TABLE, Hands, after, expect_table
from tests.browser.looking import told
from tests.browser.rivals import EASY, PATIENCE_S, Rival, Rivals, line_of
from tests.browser.serving import Server
from tests.browser.test_reach import WCAG

FREECELL = str(solved_codes("freecell")[4])
"""A deal whose third column's free card has somewhere to go, and its fifth's two cards after that."""

EASILY = Options(game="simple-simon", suits=1, code=EASY)

PRESSED = """keys => {
  const press = (key) => new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
  for (const key of keys) document.body.dispatchEvent(press(key));
}"""
"""Presses keys, all before anything else happens."""

SENTENCES = json.loads((Path(__file__).parents[2] / "shared/locales/en.json").read_text())["refusal"]

FINAL = sorted(set(CloseCode) - COMES_BACK - {CloseCode.LEFT, CloseCode.BAD_TOKEN, CloseCode.TAKEN_OVER})
"""Closes after which a page neither comes back, nor goes on, nor waits to be asked."""

Way = Literal["there", "back"]


class Line:
    """The line of *page* to its room: what goes there or comes back can be held.

    It is carried by Playwright, and so only while the test waits for the page: not while it waits for a rival.
    """

    def __init__(self, page: Page) -> None:
        self._page = page
        self.sent: list[str] = []
        """What the page has sent."""
        self._holds: dict[Way, str] = {}
        self._held: list[tuple[WebSocketRoute, str | bytes]] = []
        page.route_web_socket("**/ws/*", self._open)

    def _open(self, page: WebSocketRoute) -> None:
        server = page.connect_to_server()
        page.on_message(lambda message: self._carry("there", server, message))
        server.on_message(lambda message: self._carry("back", page, message))

    def _carry(self, way: Way, to: WebSocketRoute, message: str | bytes) -> None:
        if way == "there":
            self.sent.append(str(message))
        if way in self._holds and self._holds[way] in str(message):
            self._held.append((to, message))
        else:
            to.send(message)

    def hold(self, way: Way, part: str = "") -> None:
        """Let nothing through that way that has *part* in it, until it is let go."""
        self._holds[way] = part

    def let_go(self) -> None:
        """Let all through, what was held first."""
        self._holds.clear()
        for to, message in self._held:
            to.send(message)
        self._held.clear()

    def until(self, rival: Rival, holds: Callable[[View], bool]) -> None:
        """Wait until *rival* has a view that *holds*, and carry what goes over the line meanwhile."""
        late_s = monotonic() + PATIENCE_S
        while not holds(rival.view):
            assert monotonic() < late_s, "nothing came of it"
            self._page.wait_for_timeout(20)


def racing(page: Page, rivals: Rivals, options: Options = EASILY) -> Rival:
    """Let *page* race Bert, who sits still; return him."""
    host = rivals.join("ROOM", "Bert", options=options)
    enter(page, "/r/ROOM", "Alba")
    begin(page, host)
    return host


def resign(page: Page) -> None:
    """Give the race up, and see that the server has heard of it."""
    page.locator(".actions").get_by_role("button", name="Resign").click()
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    expect(page.get_by_role("heading", name="Your race is over")).to_be_visible(timeout=SOON_MS)


def logged(server: Server, host: Rival) -> list[str]:
    """Resign for *host* too; return the entries of whom they raced."""
    host.ask(Resign(ply=0))
    view = host.until(lambda view: view.phase == "finished")
    (attempt,) = (attempt for seat, attempt in view.attempts.items() if seat != view.seat)
    return [text for _, text in told(server, f"records/{attempt}")["entries"]]


class Held:
    """A request that gets no answer until it is let go."""

    def __init__(self) -> None:
        self._routes: list[Route] = []

    def __call__(self, route: Route) -> None:
        """Hold it."""
        self._routes.append(route)

    def wait(self, page: Page) -> None:
        """Wait for it."""
        while not self._routes:
            page.wait_for_timeout(20)

    def let_go(self) -> None:
        """Let it through."""
        for route in self._routes:
            route.continue_()


def join(page: Page) -> None:
    """Go from the front page to the room, so that Back leads there again."""
    page.get_by_label("Room or game code").fill("ROOM")
    page.get_by_role("button", name="Join").click()


FOCUSED = "() => document.activeElement.href ?? document.activeElement.ariaLabel ?? document.activeElement.tagName"


def focused(page: Page) -> str:
    """Return what the focus is on."""
    return str(page.evaluate(FOCUSED))


def compact(table: object) -> str:
    """Return *table* as the page's JSON."""
    return json.dumps(table, separators=(",", ":"))


def test_another_language_in_a_race_loses_no_move(visit: Visit, rivals: Rivals) -> None:
    """The page speaks another language while moves wait: the room, its line and the moves stay."""
    page = visit("desktop")
    line = Line(page)
    host = racing(page, rivals)
    line.hold("there", '"ply"')
    moves = line_of(EASY)[:3]
    for text in moves:
        Hands(page).drag(text)
    page.locator(".actions").get_by_role("button", name="Settings").click()
    page.get_by_role("radio", name="Català").click()
    expect(page.locator(".actions")).to_contain_text("Abandona")
    expect_table(page, after(EASY, *moves))
    line.let_go()
    line.until(host, lambda view: any(row.moves == len(moves) for row in view.rows))
    expect_table(page, after(EASY, *moves))


def test_hundreds_of_moves_that_waited_arrive(visit: Visit, rivals: Rivals, server: Server, bears: list[str]) -> None:
    """What waited without a network is sent again at a pace that the server bears, in its order."""
    bears.append(LOST)
    page = visit("desktop")
    host = racing(page, rivals)
    first = line_of(EASY)[0]
    Hands(page).drag(first)
    host.until(lambda view: any(row.moves == 1 for row in view.rows))
    page.context.set_offline(True)
    expect(page.locator(".lost")).to_be_visible()
    page.evaluate(PRESSED, "ur" * 150 + "u")
    page.context.set_offline(False)
    resign(page)
    assert logged(server, host) == [first, *["undo", first] * 150, "undo", "resign"]


@pytest.mark.parametrize("code", FINAL)
def test_a_close_is_told_in_a_whole_sentence(visit: Visit, bears: list[str], code: CloseCode) -> None:
    """Whatever the server closes for, no sentence has a gap; what it told with the code stands in it."""
    bears.append("status of 404")  # the door asks who invites, to a room that is not there
    page = visit("phone")
    reason = Reason(code.name)
    params = PLACEHOLDER.findall(SENTENCES[reason])
    error = ProtocolError(reason, "", **{name: f"the {name}" for name in params})
    page.route_web_socket("**/ws/*", lambda socket: socket.close(code=code, reason=str(error)))
    page.add_init_script("""localStorage.setItem("samedeal.identity", '{"name": "Alba"}')""")
    page.goto("/r/ROOM")
    shown = page.locator(".notice, .door .wrong")
    expect(shown).not_to_be_empty()
    expect(shown).not_to_contain_text("{{")
    for name in params:
        expect(shown).to_contain_text(f"the {name}")


@pytest.mark.parametrize("dragged", [False, True], ids=["tapped", "dragged"])
def test_a_card_that_goes_while_it_is_pressed_takes_no_other_along(visit: Visit, rivals: Rivals, dragged: bool) -> None:
    """An answer moves the pressed card: neither what lies in its place nor anything else is chosen or lifted."""
    page = visit("desktop")
    line = Line(page)
    racing(page, rivals, Options(game="freecell", code=FREECELL))
    hands = Hands(page)
    line.hold("back")
    hands.double("3")  # shown at once
    hands.double("5")  # where to, only the server knows by now
    before = page.evaluate(TABLE)
    x, y = hands.at("5")
    page.mouse.move(x, y)
    page.mouse.down()
    line.let_go()
    page.wait_for_function(f"before => JSON.stringify(({TABLE})()) !== before && {STILL}", arg=compact(before))
    if dragged:
        page.mouse.move(x + 60, y + 60, steps=4)
        expect(page.locator(".held")).to_have_count(0)
    page.mouse.up()
    expect(page.locator(".chosen")).to_have_count(0)
    hands.tap("5")
    expect(page.locator(".chosen, .refused")).not_to_have_count(0)


def test_after_a_reload_undo_is_as_fast_as_before(visit: Visit, rivals: Rivals, server: Server) -> None:
    """Of what was played before a reload each undo takes one back, faster than answers come; and a move follows."""
    page = visit("desktop")
    line = Line(page)
    host = racing(page, rivals)
    moves = line_of(EASY)[:5]
    for text in moves:
        Hands(page).drag(text)
    line.until(host, lambda view: any(row.moves == len(moves) for row in view.rows))
    page.reload()
    expect_table(page, after(EASY, *moves))
    line.hold("back")
    page.evaluate(PRESSED, "uuu" + moves[2])
    if "v" not in moves[2]:
        page.keyboard.press("Enter")
    line.let_go()
    line.until(host, lambda view: any(row.moves == 3 for row in view.rows))
    expect_table(page, after(EASY, *moves[:3]))
    resign(page)
    assert logged(server, host) == [*moves, "undo", "undo", "undo", moves[2], "resign"]


def test_undo_stops_at_the_deal(visit: Visit, rivals: Rivals, server: Server) -> None:
    """Where the page knows the whole way back, one undo too many takes nothing of what comes behind it along."""
    page = visit("desktop")
    line = Line(page)
    host = racing(page, rivals)
    first, second = line_of(EASY)[:2]
    Hands(page).drag(first)
    line.until(host, lambda view: any(row.moves == 1 for row in view.rows))
    line.hold("back")
    page.evaluate(PRESSED, "uur")
    line.let_go()
    expect_table(page, after(EASY, first))
    Hands(page).drag(second)
    resign(page)
    assert logged(server, host) == [first, "undo", first, second, "resign"]


def test_a_part_that_does_not_load_is_said_so(visit: Visit, rivals: Rivals, bears: list[str]) -> None:
    """The module of the results fails: the page says it in the race, and the way on leads to the results."""
    bears.append("ERR_FAILED|dynamically imported module")
    page = visit("desktop")
    host = racing(page, rivals)
    page.route("**/results.js", lambda route: route.abort())
    resign(page)
    host.ask(Resign(ply=0))
    failed = page.get_by_role("dialog", name="Something went wrong")
    expect(failed).to_be_visible()
    page.unroute("**/results.js")
    failed.get_by_role("button", name="Try again").click()
    expect(page.locator(".place-row")).to_have_count(2)


def test_a_room_left_early_is_not_built_on_the_next_page(visit: Visit, rivals: Rivals) -> None:
    """Back leads away while the module of the room's stage is on its way."""
    rivals.join("ROOM", "Bert", options=EASILY)
    page = visit("desktop", "/")
    page.get_by_label("Your name").fill("Alba")
    page.route("**/waiting.js", held := Held())
    join(page)
    held.wait(page)
    page.go_back()
    expect(page.locator("form.start")).to_be_visible()
    held.let_go()
    page.wait_for_function("import('/waiting.js').then(() => new Promise(requestAnimationFrame)).then(() => true)")
    expect(page.locator(".who-is")).to_have_count(0)
    expect(page.locator(".top .own button")).to_have_count(0)


def test_a_sheet_ends_with_what_it_lies_over(visit: Visit, rivals: Rivals) -> None:
    """A countdown closes what is open; so does the next page, with what was asked of this one."""
    host = rivals.join("ROOM", "Bert", options=EASILY)
    page = visit("desktop", "/")
    page.get_by_label("Your name").fill("Alba")
    join(page)
    sheets = page.locator("dialog[open]")
    page.get_by_role("button", name="I'm ready").click()
    page.get_by_role("button", name="Settings").click()
    expect(sheets).to_have_count(1)
    host.until(lambda view: sum(seat.ready for seat in view.seats) == 1)
    host.start()
    expect_table(page, after(EASY))
    expect(sheets).to_have_count(0)
    page.locator(".actions").get_by_role("button", name="Resign").click()
    expect(sheets).to_have_count(1)
    page.go_back()
    expect(page.locator("form.start")).to_be_visible()
    expect(sheets).to_have_count(0)


def test_a_full_store_stands_in_no_pages_way(visit: Visit, server: Server) -> None:
    """The browser keeps nothing any more: pages come from the network all the same."""
    page = visit("desktop", "/", service_workers="allow")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.reload()
    page.wait_for_function("navigator.serviceWorker.controller")
    line = page.context.new_cdp_session(page)
    line.send("Storage.overrideQuotaForOrigin", {"origin": server.address, "quotaSize": 1})
    page.goto("/rules/freecell")
    expect(page.get_by_role("heading", level=1)).to_contain_text("FreeCell")


def test_leaving_without_a_network_resigns_nothing_and_says_so(visit: Visit, rivals: Rivals, bears: list[str]) -> None:
    """The race can be left, and come back to by its link."""
    bears.append(LOST)
    page = visit("desktop")
    host = racing(page, rivals)
    page.context.set_offline(True)
    expect(page.locator(".lost")).to_be_visible()
    page.locator(".menu button").evaluate("button => button.click()")
    asked = page.get_by_role("dialog")
    asked.get_by_role("button", name="Leave").click()
    expect(asked).to_contain_text("Without a connection you don't resign")
    page.context.set_offline(False)
    asked.get_by_role("button", name="Leave").click()
    expect(page.locator("form.start")).to_be_visible()
    page.goto("/r/ROOM")
    expect_table(page, after(EASY))
    assert all(row.state == "playing" for row in host.view.rows)


@pytest.mark.parametrize("where", ["http://localhost/r/%zz", "r\u00f6\u00f6m", "x" * 40])
def test_rooms_that_can_not_be_are_said_so(visit: Visit, where: str) -> None:
    """Half an escape, or what no room is called, in the box of the front page is a room that is not there."""
    page = visit("desktop", "/")
    page.get_by_label("Your name").fill("Alba")
    page.get_by_label("Room or game code").fill(where)
    page.get_by_role("button", name="Join").click()
    expect(page.locator(".notice")).to_contain_text("No such room")


@pytest.mark.parametrize("moment", ["1.2.3", ".", "5."])
def test_a_moment_that_is_none_is_the_beginning(visit: Visit, rivals: Rivals, moment: str) -> None:
    """A replay's link whose moment can't be read shows the deal."""
    host = rivals.join("ROOM", "Bert", options=EASILY)
    host.start()
    host.until(lambda view: view.code is not None)
    host.ask(Resign(ply=0))
    view = host.until(lambda view: view.phase == "finished")
    (attempt,) = view.attempts.values()
    page = visit("desktop", f"/replay/{attempt}#t={moment}")
    expect(page.locator("main")).to_contain_text("0:00.0")
    expect(page.locator("main")).not_to_contain_text("NaN")


def test_a_page_that_was_left_does_not_reload_the_next(visit: Visit, bears: list[str]) -> None:
    """What waited for the network is gone when it is back: what is typed meanwhile stays."""
    bears.append(f"{LOST}|dynamically imported")
    page = visit("desktop", "/")
    expect(page.locator("form.start")).to_be_visible()
    page.wait_for_load_state("networkidle")
    page.context.set_offline(True)
    page.get_by_role("link", name="Leaderboards").click()
    expect(page.locator(".notice")).to_contain_text("You are offline")
    page.go_back()
    page.get_by_label("Your name").fill("Half a na")
    page.evaluate("window.stays = true")
    page.context.set_offline(False)
    expect(page.locator(".offline-tag")).to_be_hidden()
    assert page.evaluate("window.stays") is True
    expect(page.get_by_label("Your name")).to_have_value("Half a na")


def test_a_window_that_changes_ends_a_drag(visit: Visit, rivals: Rivals) -> None:
    """Where piles lie elsewhere than when the card was taken up, nothing is dropped on them."""
    page = visit("desktop")
    racing(page, rivals)
    hands = Hands(page)
    hands.take_up("2")
    hands.carry((600, 600))
    expect(page.locator(".held")).to_have_count(1)
    page.set_viewport_size({"width": 900, "height": 700})
    expect(page.locator(".held")).to_have_count(0)
    hands.let_go((600, 600))
    expect_table(page, after(EASY))


def test_a_race_that_is_lost_sight_of_can_be_read(visit: Visit, rivals: Rivals, bears: list[str]) -> None:
    """On a phone, in both lights: the notice and the clock beside it have contrast enough."""
    bears.append(LOST)
    page = visit("phone")
    racing(page, rivals)
    page.context.set_offline(True)
    expect(page.locator(".lost")).to_be_visible()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = Axe().run(page, options={"runOnly": {"type": "tag", "values": WCAG}})
        assert not found.response["violations"], found.generate_report()


SPOILED = [
    ("settings", {"options": {"game": "constructor", "goal": "x"}}),
    ("settings", {"options": {"game": "chess", "suits": 9, "limit_ms": "x", "seats": None}}),
    ("settings", {"options": {"goal": "x", "code": {}}, "theme": 5, "cards": "huge", "language": 3}),
    ("settings", {"options": None}),
    ("identity", {"name": "Dora", "token": 5, "word": 7}),
    ("identity", {"name": "x" * 500}),
    ("identity", {"name": 5, "token": {"a": 1}, "word": [1]}),
]
"""What no page has kept."""


@pytest.mark.parametrize(("name", "kept"), SPOILED)
def test_odd_things_that_are_kept_stand_in_no_way(visit: Visit, name: str, kept: object) -> None:
    """Whatever a browser has kept, what is usual takes its place, and a room is made."""
    page = visit("desktop")
    page.add_init_script(f"localStorage['samedeal.{name}'] ??= {json.dumps(json.dumps(kept))}")
    page.goto("/")
    page.get_by_label("Your name").fill("Alba")
    page.get_by_role("button", name="Start a race").click()
    expect(page.locator(".who-is")).to_contain_text("Alba")


def test_focus_stays_where_lists_are_told_anew(visit: Visit, rivals: Rivals) -> None:
    """On the link of a public room, and on a person of one's room, while others come and go."""
    there = rivals.join("THERE", "Bert", options=Options(public=True))
    page = visit("desktop", "/")
    link = page.locator(".rooms a").first
    link.focus()
    rivals.join("OTHER", "Carl", options=Options(public=True))
    expect(page.locator(".rooms a")).to_have_count(2)
    assert focused(page).endswith("/r/THERE")
    there.ask(Leave())
    page.get_by_label("Your name").fill("Alba")
    page.get_by_role("button", name="Start a race").click()
    expect(page.locator(".who-is")).to_contain_text("Alba")
    room = page.url.rsplit("/", 1)[1]
    rivals.join(room, "Dora")
    page.locator(".who-is .pick").focus()
    rivals.join(room, "Emil")
    expect(page.locator(".who-is .pick")).to_have_count(2)
    assert "Dora" in focused(page)
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    rivals.join(room, "Fred")
    expect(page.locator(".who-is .pick")).to_have_count(3)
    page.keyboard.press("Escape")
    page.wait_for_function(f"({FOCUSED})().includes('Dora')")


def test_focus_is_never_nowhere(visit: Visit) -> None:
    """By keys alone: on the countdown, in the race on the page, at the results too; after a Stop back where it was."""
    page = visit("desktop", "/")
    page.get_by_label("Your name").fill("Alba")
    page.get_by_role("button", name="Start a race").click()
    start = page.get_by_role("button", name="Start alone")
    start.press("Enter")
    expect(page.locator(".countdown")).to_be_focused()
    page.get_by_role("button", name="Stop").press("Enter")
    expect(page.locator(".countdown")).to_have_count(0)
    expect(start).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".race .own-table .card").first).to_be_visible()
    expect(page.locator(".countdown")).to_have_count(0)
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".own-table .card:focus")).to_have_count(1)
    page.locator(".actions").get_by_role("button", name="Resign").press("Enter")
    page.get_by_role("dialog").get_by_role("button", name="Resign").press("Enter")
    expect(page.locator(".place-row")).to_have_count(1)
    expect(page.locator("main")).to_be_focused()
