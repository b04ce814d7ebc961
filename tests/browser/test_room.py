"""A room before and between its races: who is here, the invitation, the host's powers, warming up."""

import re
from itertools import product

import pytest
from playwright.sync_api import Page, expect

from shared.protocol.messages import Configure, HandOver, Lock, Rematch, Resign
from shared.protocol.values import Options
from tests.browser.chromium import PLAIN_HTTP
from tests.browser.conftest import Visit
from tests.browser.guests import begin, come, enter
from tests.browser.hands import LYING, Hands
from tests.browser.places import NOTE_PLACES, stood
from tests.browser.rivals import EASY, Rivals
from tests.browser.test_mishaps import Line

SHARES = """
  window.shared = [];
  const share = async (what) => window.shared.push(what);
  Object.defineProperty(Navigator.prototype, "share", { value: share, configurable: true });
"""

SELECTED = """() => {
  const { value, selectionStart, selectionEnd } = document.activeElement;
  return value.slice(selectionStart, selectionEnd);
}"""

BOTTOMS = "[...document.querySelectorAll('.warm .card')].map((card) => card.getBoundingClientRect().bottom)"


def make_room(page: Page, name: str = "Alba") -> str:
    """Make a room and return its name."""
    page.goto("/")
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Start a race").click()
    expect(page.locator(".warm .card").first).to_be_visible()
    return page.url.rpartition("/")[2]


def open_sheet(page: Page) -> None:
    """Open the room's sheet."""
    page.get_by_role("button", name="Room, people and options").click()


def test_link_is_copied(visit: Visit) -> None:
    """Where there is a clipboard the whole link gets into it."""
    page = visit("desktop", permissions=["clipboard-read", "clipboard-write"])
    make_room(page)
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.url


def test_link_is_selected_where_nothing_can_copy(visit: Visit) -> None:
    """On plain http, without a clipboard, the link stands selected, to be copied by hand; everything else is there."""
    page = visit("phone")
    page.add_init_script(PLAIN_HTTP + "document.execCommand = () => false;")
    make_room(page)
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("textbox", name="Friends join at")).to_be_focused()
    selected = page.evaluate(SELECTED)
    assert selected == page.url
    expect(page.get_by_text("The link is selected")).to_be_visible()
    expect(page.get_by_role("button", name="Share")).to_have_count(0)


def test_link_is_shared_and_scanned(visit: Visit) -> None:
    """Where the system can share, it gets the link; the code of it can be shown large."""
    page = visit("phone")
    page.add_init_script(SHARES)
    make_room(page)
    page.get_by_role("button", name="Share").click()
    assert page.evaluate("shared[0].url") == page.url
    page.get_by_role("button", name="Show the code large").click()
    large = page.get_by_role("dialog").get_by_alt_text("Code that leads to this room")
    expect(large).to_be_visible()
    assert large.evaluate("(image) => image.decode().then(() => image.naturalWidth > 0)")


def test_ready_marks_are_seen_and_taken_back(visit: Visit, rivals: Rivals) -> None:
    """Pressing again takes the mark back; everyone sees it; who is away is said to be."""
    host = rivals.join("ROOM", "Bert", options=Options())
    page = enter(visit("phone"), "/r/ROOM", "Alba")
    page.get_by_role("button", name="I'm ready").click()
    expect(page.get_by_role("button", name="You are ready")).to_have_attribute("aria-pressed", "true")
    host.seat_of("Alba", lambda seat: seat.ready)
    page.get_by_role("button", name="You are ready").click()
    host.seat_of("Alba", lambda seat: not seat.ready)
    expect(page.get_by_text("Begins when all are ready, or Bert starts it.")).to_be_visible()
    page.context.close()
    host.seat_of("Alba", lambda seat: not seat.connected)


def test_way_back_to_the_last_race(visit: Visit, rivals: Rivals) -> None:
    """
    Whoever asks for the rematch takes all from the results: a link leads back to them, in a window of its own, so that
    the seat is kept. Before a race there is none.
    """
    host = rivals.join("ROOM", "Bert", options=Options(code=EASY))
    page = enter(visit("phone"), "/r/ROOM", "Alba")
    last = page.get_by_role("link", name="Last race")
    expect(last).to_be_hidden()
    begin(page, host)
    host.ask(Resign(ply=0))
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    expect(page.locator(".place-row")).to_have_count(2)
    over = host.view.race
    host.ask(Rematch(race=over))
    expect(last).to_be_in_viewport(ratio=1)
    with page.expect_popup() as opened:
        last.click()
    expect(opened.value.locator(".place-row")).to_have_count(2)
    assert opened.value.url.endswith(f"/race/{over}")
    page.get_by_role("button", name="I'm ready").click()
    host.seat_of("Alba", lambda seat: seat.ready)


def test_second_window_takes_the_seat(visit: Visit, rivals: Rivals) -> None:
    """Of two windows of one player the newer is in the room; the older says so, and takes the seat back when asked."""
    host = rivals.join("ROOM", "Bert", options=Options())
    older = enter(visit("phone"), "/r/ROOM", "Alba")
    newer = older.context.new_page()
    newer.goto("/r/ROOM")
    expect(newer.locator(".seat .name")).to_have_text(["Bert", "Alba"])
    for here, there in ((older, newer), (newer, older)):
        expect(here.get_by_role("heading", name="in another tab")).to_be_visible()
        expect(there.locator(".warm .card")).to_have_count(52)
        here.get_by_role("button", name="Play here").click()
        expect(here.locator(".warm .card")).to_have_count(52)
    newer.get_by_role("button", name="I'm ready").click()
    host.seat_of("Alba", lambda seat: seat.ready)
    assert len(host.view.seats) == 2


def test_ways_back_and_forward_lead_into_the_room(visit: Visit, rivals: Rivals) -> None:
    """By the browser's own buttons, over pages of this site and others: each time one is in, in the same seat."""
    host = rivals.join("ROOM", "Bert", options=Options())
    page = enter(visit("desktop"), "/r/ROOM", "Alba")
    page.get_by_role("link", name="Same Deal").click()
    expect(page.get_by_role("button", name="Start a race")).to_be_visible()
    page.go_back()
    expect(page.locator(".seat .name")).to_have_text(["Bert", "Alba"])
    page.go_forward()
    expect(page.get_by_role("button", name="Start a race")).to_be_visible()
    page.go_back()
    page.goto("about:blank")
    page.go_back()
    expect(page.locator(".warm .card")).to_have_count(52)
    page.get_by_role("button", name="I'm ready").click()
    host.until(lambda view: len(view.seats) == 2 and view.seats[1].ready)


def test_help_and_rules_are_in_reach(visit: Visit, rivals: Rivals) -> None:
    """On a phone fingers are told of, and keys folded away; on a desktop both are open. The rules are a press away."""
    for device, shown in (("phone", False), ("desktop", True)):
        rivals.join(f"ROOM-{device}", "Bert", options=Options())
        page = enter(visit(device), f"/r/ROOM-{device}", "Alba")
        page.get_by_role("button", name="Help").click()
        dialog = page.get_by_role("dialog", name="Help")
        expect(dialog.get_by_text("Drag a run of cards")).to_be_visible()
        expect(dialog.get_by_text("move the focus")).to_be_visible(visible=shown)
        dialog.get_by_text("Keys").click()
        expect(dialog.get_by_text("move the focus")).to_be_visible(visible=not shown)
        expect(dialog.get_by_role("link", name="Rules of Simple Simon")).to_be_visible()


def test_address_of_this_computer_alone_is_said_to_be(visit: Visit) -> None:
    """Nobody else can come by the link of a loopback."""
    page = visit("phone")
    make_room(page)
    expect(page.locator(".invite")).to_contain_text("Only on this computer")
    expect(page.locator(".invite")).not_to_contain_text("Friends join")


def test_skip_link_leaves_the_room_as_it_is(visit: Visit, rivals: Rivals) -> None:
    """It leads past the top line, and is no way to another page: who was ready still is."""
    host = rivals.join("ROOM", "Bert", options=Options())
    page = enter(visit("desktop"), "/r/ROOM", "Alba")
    page.get_by_role("button", name="I'm ready").click()
    host.seat_of("Alba", lambda seat: seat.ready)
    page.get_by_role("link", name="Skip to the page").press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.get_by_role("button", name="You are ready").click()
    host.seat_of("Alba", lambda seat: not seat.ready)


@pytest.mark.parametrize("game", ["simple-simon", "freecell"])
def test_warm_up_comes_by_itself(visit: Visit, rivals: Rivals, game: str) -> None:
    """A throwaway deal lies there from the start, can be played on, and another can be asked for."""
    rivals.join("ROOM", "Bert", options=Options(game=game))
    page = enter(visit("desktop"), "/r/ROOM", "Alba")
    expect(page.locator(".warm .card")).to_have_count(52)
    another, undo = (page.get_by_role("button", name=name) for name in ("Another deal", "Undo"))
    while not page.evaluate(MOVABLE):
        lies = page.evaluate(DEAL)
        another.click()
        page.wait_for_function(f"(lies) => ({DEAL})() !== lies", arg=lies)
    before = page.evaluate(DEAL)
    Hands(page).double(page.evaluate(MOVABLE))
    expect(undo).to_be_enabled()
    assert page.evaluate(DEAL) != before
    undo.click()
    page.wait_for_function(f"(before) => ({DEAL})() === before", arg=before)
    another.click()
    page.wait_for_function(f"(before) => ({DEAL})() !== before", arg=before)
    expect(page.locator(".warm .card")).to_have_count(52)


def test_help_is_a_key_away(visit: Visit, rivals: Rivals) -> None:
    """Wherever one can play: in the warm-up too."""
    rivals.join("ROOM", "Bert", options=Options())
    page = enter(visit("desktop"), "/r/ROOM", "Alba")
    expect(page.locator(".warm .card")).to_have_count(52)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Help")).to_be_visible()


DEAL = f"() => JSON.stringify(({LYING})(document.querySelector('.warm')))"
"""What lies on the table to warm up at."""

MOVABLE = """() => {
  const piles = [...document.querySelectorAll(".warm .col")];
  const value = (pile) => "A23456789TJQK".indexOf([...pile.querySelectorAll(".card")].at(-1).dataset.card[0]);
  return piles.find((pile) => piles.some((onto) => value(onto) === value(pile) + 1))?.dataset.pile ?? "";
}"""
"""A column whose last card has somewhere to go in both games; "" for none."""


def test_host_sets_options_and_all_see_them(visit: Visit) -> None:
    """New options clear ready marks, lay another warm-up and are told to all."""
    host, guest = visit("desktop"), visit("phone")
    room = make_room(host)
    enter(guest, f"/r/{room}", "Mika")
    guest.get_by_role("button", name="I'm ready").click()
    expect(guest.get_by_role("button", name="You are ready")).to_be_visible()
    open_sheet(host)
    dialog = host.get_by_role("dialog")
    dialog.get_by_role("radio", name="FreeCell").check()
    dialog.get_by_label("Time limit").select_option("10")
    dialog.get_by_role("switch", name="Hints allowed").check()
    dialog.get_by_role("button", name="Use these options").click()
    for page in (host, guest):
        expect(page.locator(".about")).to_have_text("FreeCell · 10 min · hints")
        expect(page.locator(".warm [data-pile=a]")).to_have_count(1)
    expect(guest.get_by_role("button", name="I'm ready")).to_be_visible()
    open_sheet(guest)
    expect(guest.get_by_role("dialog", name="Room")).to_be_visible()
    expect(guest.get_by_role("button", name="Use these options")).to_have_count(0)


def test_each_chooses_their_own_level_where_that_is_allowed(visit: Visit, rivals: Rivals) -> None:
    """In a mixed race the choice stands by the ready mark."""
    host = rivals.join("ROOM", "Bert", options=Options(mixed=True))
    page = enter(visit("phone"), "/r/ROOM", "Alba")
    page.get_by_role("button", name="Hard").click()
    host.seat_of("Alba", lambda seat: seat.suits == 4)
    expect(page.locator(".seat", has_text="Alba")).to_contain_text("Hard")
    expect(page.get_by_role("button", name="Hard")).to_have_attribute("aria-pressed", "true")


def test_host_stops_the_countdown(visit: Visit, rivals: Rivals) -> None:
    """Stop leads back to the room, with the others' marks as they were and a table to warm up at."""
    rivals.join("ROOM", "Bert", options=Options()).ask(Configure(options=Options()))
    page = visit("desktop")
    room = make_room(page)
    guest = rivals.join(room, "Mika")
    guest.ready()
    page.get_by_role("button", name="Start now").click()
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".countdown")).to_be_hidden()
    expect(page.locator(".warm .card")).to_have_count(52)
    expect(page.locator(".seat.ready")).to_have_count(1)
    expect(page.locator(".seat.ready")).to_contain_text("Mika")


def test_host_is_asked_before_some_are_left_out(visit: Visit, rivals: Rivals) -> None:
    """Who is not ready is named before the start, and watches after it."""
    page = visit("phone")
    room = make_room(page)
    bert, carl = rivals.join(room, "Bert"), rivals.join(room, "Carl")
    bert.ready()
    page.get_by_role("button", name="Start without Carl").click()
    expect(page.get_by_role("heading", name="Start without Carl?")).to_be_visible()
    page.get_by_role("button", name="Wait").click()
    expect(page.locator(".countdown")).to_have_count(0)
    page.get_by_role("button", name="Start without Carl").click()
    page.get_by_role("dialog").get_by_role("button", name="Start").click()
    expect(page.locator(".countdown .names")).to_have_text(re.compile("Alba.*Bert|Bert.*Alba"))
    bert.until(lambda view: view.hand is not None and view.code is not None)
    assert carl.until(lambda view: view.phase == "running").code is None


def test_host_is_not_asked_about_who_is_ready_by_now(visit: Visit, rivals: Rivals) -> None:
    """The question goes when the answer does; whoever is still left out is asked about again."""
    page = visit("phone")
    room = make_room(page)
    carl, dora = rivals.join(room, "Carl"), rivals.join(room, "Dora")
    page.get_by_role("button", name="Start without 2 others").click()
    expect(page.get_by_role("heading", name="Start without Carl and Dora?")).to_be_visible()
    carl.ready()
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("button", name="Start without Dora").click()
    expect(page.get_by_role("heading", name="Start without Dora?")).to_be_visible()
    dora.ready()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator(".countdown")).to_have_count(0)


def test_the_main_button_is_the_largest(visit: Visit) -> None:
    """Being ready is never the smaller press than starting alone, in any language."""
    for device, language in product(("phone", "lying"), ("en", "ca", "id", "ru")):
        page = visit(device, "/", locale=language)
        page.locator("#own-name").fill("Alba")
        page.locator("form.start .go").click()
        page.locator(".ready-row .line").wait_for()
        sizes = page.evaluate(SIZES, [".ready-row .go", ".ready-row .line"])
        assert sizes[0] >= sizes[1], (device, language)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


SIZES = """(selectors) => selectors.map((selector) => {
  const { width, height } = document.querySelector(selector).getBoundingClientRect();
  return Math.round(width * height);
})"""
"""How large what a selector finds is, in square pixels."""


def test_countdown_is_heard_and_felt_and_no_key_stops_it(visit: Visit, rivals: Rivals) -> None:
    """A note and a buzz for each second, a fifth above and longer at zero; whoever types on does not stop it."""
    page = visit("phone")
    page.add_init_script(HEARD)
    page.clock.install()
    line = Line(page)
    room = make_room(page)
    guest = rivals.join(room, "Bert")
    guest.ready()
    page.get_by_role("heading", name="Warm-up").tap()
    page.wait_for_function("window.sound?.state === 'running'")
    line.hold("back", '"Began"')
    page.clock.pause_at(page.evaluate("Date.now() + 1000"))
    page.get_by_role("button", name="Start now").click()
    expect(page.locator(".countdown")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Space")
    page.clock.run_for(3_000)
    page.clock.resume()
    line.let_go()
    expect(page.locator(".race .own-table .card")).to_have_count(52)
    assert page.evaluate("felt") == [[10], [10], [10], [60]]
    assert page.evaluate("tones") == [520, 520, 520, 780]


HEARD = """
  Object.assign(window, { felt: [], tones: [] });
  window.AudioContext = class extends AudioContext {
    constructor() {
      super();
      window.sound = this;
    }
  };
  Navigator.prototype.vibrate = (pattern) => felt.push(pattern);
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (...when) {
    tones.push(this.frequency.value);
    return start.apply(this, when);
  };
"""
"""Notes what is felt and heard."""


def test_countdown_that_is_over_is_in_nobodys_way(visit: Visit, rivals: Rivals) -> None:
    """While it fades nobody is told of a dialog any more, and the table behind it is played on."""
    page = visit("phone")
    page.add_init_script(SLOW)
    guest = rivals.join(make_room(page), "Bert")
    guest.ready()
    page.get_by_role("button", name="Start now").click()
    expect(page.locator(".countdown.risen")).to_have_count(1)
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.locator(".ranking .row.me").tap()
    expect(page.get_by_role("dialog", name="Standings")).to_be_visible()
    expect(page.locator(".countdown.risen")).to_have_count(1)


SLOW = """addEventListener("DOMContentLoaded", () =>
  document.documentElement.style.setProperty("--scene", "20000ms"))"""
"""Has what fades take long enough to be looked at."""


def test_head_and_refusals_leave_room(visit: Visit, rivals: Rivals) -> None:
    """On a phone the exact code is told whole, and a refusal lies above the cards, with a way to its rule."""
    rivals.join("ROOM", "Bert", options=Options(code="SS1-S1-AOHMRYH"))
    page = enter(visit("phone"), "/r/ROOM", "Alba")
    expect(page.locator(".warm .card")).to_have_count(52)
    about = page.locator(".about")
    expect(about).to_contain_text("SS1-S1-AOHMRYH")
    assert about.evaluate("(each) => each.scrollHeight <= each.clientHeight + 1")
    page.keyboard.type(page.evaluate(UNFIT))
    page.keyboard.press("Enter")
    expect(page.locator(".toast a")).to_have_attribute("href", "/rules/simple-simon#SS3")
    page.locator(".toast").evaluate("(each) => Promise.all(each.getAnimations().map(({ finished }) => finished))")
    bottom, top = page.evaluate(
        "['.toast', '.warm .table'].map((each) => document.querySelector(each).getBoundingClientRect())"
        ".map(({ bottom, top }, place) => (place ? top : bottom))"
    )
    assert bottom <= top + 1
    assert page.evaluate(MET, [".toast > span", ".toast a"]) == [True, True]
    assert page.evaluate(MET, [".warm .h .tool", ".warm .tool + .tool"]) == [True, True]


MET = """(selectors) => selectors.map((selector) => {
  const each = document.querySelector(selector);
  const { left, right, top, bottom } = each.getBoundingClientRect();
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  return [[x, y], [left + 1, y], [right - 1, y], [x, top + 1]].every((point) =>
    document.elementFromPoint(...point)?.closest(selector) === each);
})"""
"""Whether a finger on what a selector finds meets that and nothing else."""

UNFIT = """() => {
  const tops = [...document.querySelectorAll(".warm .col")].map((pile) => [...pile.querySelectorAll(".card")].at(-1));
  const value = (card) => "A23456789TJQK".indexOf(card.dataset.card[0]);
  for (const [from, card] of tops.entries())
    for (const [to, onto] of tops.entries())
      if (from !== to && from < 9 && to < 9 && value(onto) !== value(card) + 1) return `${from + 1}${to + 1}`;
}"""
"""A move of one card that does not fit."""


def test_guests_see_who_hosts(visit: Visit, rivals: Rivals) -> None:
    """In the room's sheet too."""
    rivals.join("ROOM", "Bert", options=Options())
    page = enter(visit("phone"), "/r/ROOM", "Alba")
    open_sheet(page)
    expect(page.get_by_role("dialog").locator(".people li")).to_have_text(["Berthost", "Albayou"])


def test_host_locks_removes_hands_over_and_closes(visit: Visit, rivals: Rivals, bears: list[str]) -> None:
    """Each power asks where it can't be taken back, and each who is concerned is told what happened."""
    bears.append("status of 404")  # what is asked at the door of a locked room
    host, guest, third = visit("desktop"), visit("phone"), visit("phone")
    room = make_room(host)
    enter(guest, f"/r/{room}", "Mika")
    open_sheet(host)
    host.get_by_role("switch", name="Let nobody else in").check()
    host.keyboard.press("Escape")
    come(third, f"/r/{room}", "Sari")
    expect(third.get_by_role("heading", name="The room is locked")).to_be_visible()
    host.get_by_role("button", name="Mika: what the host can do").click()
    host.get_by_role("button", name="Make host: Mika").click()
    expect(host.get_by_role("button", name="No", exact=True)).to_be_focused()
    host.get_by_role("dialog").get_by_role("button", name="Make host").click()
    expect(guest.get_by_role("button", name="Start without Alba")).to_be_visible()
    guest.get_by_role("button", name="Alba: what the host can do").click()
    guest.get_by_role("button", name="Remove: Alba").click()
    guest.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(host.get_by_role("heading", name="You were removed")).to_be_visible()
    open_sheet(guest)
    guest.get_by_role("button", name="Close the room").click()
    guest.get_by_role("dialog").get_by_role("button", name="Close the room").click()
    expect(guest.get_by_role("heading", name="That room has closed")).to_be_visible()
    guest.reload()
    expect(guest.get_by_role("heading", name="No such room")).to_be_visible()


def test_powers_come_with_the_host(visit: Visit, rivals: Rivals) -> None:
    """Who is handed the room gets its powers at once."""
    host = rivals.join("ROOM", "Bert", options=Options())
    page = enter(visit("desktop"), "/r/ROOM", "Alba")
    expect(page.get_by_role("button", name=re.compile("Start"))).to_be_hidden()
    host.ask(Lock(locked=True))
    host.ask(HandOver(player=host.seat_of("Alba").player))
    expect(page.get_by_role("button", name="Start without Bert")).to_be_visible()
    open_sheet(page)
    expect(page.get_by_role("switch", name="Let nobody else in")).to_be_checked()


def test_full_room_lets_watch(visit: Visit, rivals: Rivals) -> None:
    """Who comes to a full room watches, is said to, and gets the seat that becomes free."""
    host = rivals.join("ROOM", "Bert", options=Options(seats=1, public=True))
    page = come(visit("phone"), "/r/ROOM", "Alba")
    expect(page.get_by_text("All seats are taken: you are watching.")).to_be_visible()
    expect(page.locator(".seat.watcher .name")).to_have_text("Alba")
    host.ask(Configure(options=Options(seats=2)))
    expect(page.get_by_role("button", name="I'm ready")).to_be_visible()
    expect(page.locator(".warm .card")).to_have_count(52)


def test_leaving_gives_the_seat_up(visit: Visit, rivals: Rivals) -> None:
    """The way out leads to the front page, and the seat is free."""
    host = rivals.join("ROOM", "Bert", options=Options())
    page = enter(visit("phone"), "/r/ROOM", "Alba")
    page.get_by_role("button", name="Leave the room").click()
    expect(page.get_by_role("button", name="Start a race")).to_be_visible()
    host.until(lambda view: len(view.seats) == 1)


@pytest.mark.parametrize("device", ["phone", "lying", "desktop"])
def test_what_starts_a_race_stays_where_it_is(visit: Visit, rivals: Rivals, device: str) -> None:
    """However many come while it is pressed, it is met where it was aimed at."""
    page = visit(device)
    page.add_init_script(NOTE_PLACES)
    room = make_room(page)
    for number in range(6):
        rivals.join(room, f"A longer name {number}")
    expect(page.get_by_role("button", name="Start without 6 others")).to_be_visible()
    found = stood(page, ".readybar")
    assert len(found) == 2
    for each in found:
        places = [tuple(map(int, place.split(", "))) for place in each]
        assert all(abs(a - b) < LINE for place in places for a, b in zip(place, places[0], strict=True)), found


LINE = 18
"""So high is a line of text: where there is not much room, a button that says more is taller by one."""


def test_a_press_is_heard_though_others_come(visit: Visit, rivals: Rivals) -> None:
    """Whatever lists are told anew between its two halves: on a person, and on the mark of who is ready."""
    page = visit("desktop")
    host = rivals.join("ROOM", "Bert", options=Options())
    enter(page, "/r/ROOM", "Alba")
    page.get_by_role("button", name="I'm ready").click()
    mark = page.locator(".readybar .go .icon").bounding_box()
    assert mark
    page.mouse.move(mark["x"] + mark["width"] / 2, mark["y"] + mark["height"] / 2)
    page.mouse.down()
    rivals.join("ROOM", "Carl")
    expect(page.locator(".seat .name")).to_have_text(["Bert", "Alba", "Carl"])
    page.mouse.up()
    host.seat_of("Alba", lambda seat: not seat.ready)
    host.ask(HandOver(player=host.seat_of("Alba").player))
    page.get_by_role("button", name="Carl: what the host can do").hover()
    page.mouse.down()
    rivals.join("ROOM", "Dora").ready()
    expect(page.locator(".seat.ready .name")).to_have_text("Dora")
    page.mouse.up()
    expect(page.get_by_role("dialog", name="Carl")).to_be_visible()


@pytest.mark.parametrize("device", ["phone", "lying", "desktop"])
def test_room_fits_the_screen(visit: Visit, rivals: Rivals, device: str) -> None:
    """With eight people the table to warm up at and what to press are on the screen, and nothing is cut at the side."""
    rivals.join("ROOM", "Bert", options=Options())
    for number in range(6):
        rivals.join("ROOM", f"A longer name {number}")
    page = enter(visit(device), "/r/ROOM", "Alba")
    expect(page.locator(".warm .card")).to_have_count(52)
    expect(page.get_by_role("button", name="I'm ready")).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    bottoms = page.evaluate(BOTTOMS)
    assert max(bottoms) <= page.evaluate("document.querySelector('.warm').getBoundingClientRect().bottom + 1")
