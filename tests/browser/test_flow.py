"""The way in: from the address or a link to a race, in as few actions as can be, and what stands in the way."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from shared.protocol.messages import Lock
from shared.protocol.values import Options
from tests.browser.chromium import LOST
from tests.browser.conftest import SOON_MS, Visit
from tests.browser.far import Far
from tests.browser.guests import come, enter
from tests.browser.places import MOVED, NOTE_PLACES
from tests.browser.rivals import EASY, Rivals
from tests.browser.serving import Server

FAILED = "Failed to (load resource|fetch)"


def test_link_leads_to_the_countdown_in_three_actions(phone: Page, rivals: Rivals) -> None:
    """By a friend's link: a name, in, ready; the countdown begins by itself when all are."""
    host = rivals.join("ROOM", "Bert", options=Options())
    host.ready()
    come(phone, "/r/room", "Alba")
    phone.get_by_role("button", name="I'm ready").click()
    expect(phone.locator(".countdown")).to_be_visible()
    expect(phone.locator(".race .own-table .card")).to_have_count(52)
    assert phone.url.endswith("/r/ROOM")


def test_newcomer_makes_a_room_with_a_name_and_a_press(desktop: Page) -> None:
    """The front page asks for a name and nothing else; the game is an easy one; the room says where friends join."""
    desktop.goto("/")
    expect(desktop.get_by_role("radio", name="Easy")).to_be_checked()
    expect(desktop.get_by_text("Time limit")).to_be_hidden()
    desktop.get_by_label("Your name").fill("Alba")
    desktop.get_by_role("button", name="Start a race").click()
    expect(desktop.locator(".warm .card")).to_have_count(52)
    expect(desktop.locator(".invite .url")).to_contain_text(re.compile(r"127\.0\.0\.1:\d+/r/[A-Z]{4,5}"))
    expect(desktop.get_by_alt_text("Code that leads to this room")).to_be_visible()


def test_a_name_that_is_missing_is_asked_for_at_its_field(phone: Page) -> None:
    """The sentence stands right under the field, which is marked until the form is sent with a name."""
    phone.goto("/")
    phone.get_by_role("button", name="Start a race").click()
    field, said = phone.locator("#own-name"), phone.get_by_role("alert").filter(has_text="Fill this in first")
    expect(said).to_have_text("Fill this in first: Your name")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(phone.locator("form.start [aria-invalid]")).to_have_count(1)
    expect(field).to_have_css("border-top-color", "rgb(179, 21, 42)")
    above, below = field.bounding_box(), said.bounding_box()
    assert above
    assert below
    assert 0 <= below["y"] - above["y"] - above["height"] < 20
    field.fill("Alba")
    phone.get_by_role("button", name="Start a race").click()
    expect(phone.locator(".readybar")).to_be_visible()


def test_last_choice_is_kept(phone: Page) -> None:
    """Game, level and options are those of the last room; so is the name."""
    phone.goto("/")
    phone.get_by_label("Your name").fill("Alba")
    phone.get_by_role("radio", name="Hard").check()
    phone.get_by_role("button", name="Options").click()
    phone.get_by_label("Time limit").select_option("5")
    phone.get_by_role("switch", name="Restart allowed").click()
    phone.get_by_role("button", name="Start a race").click()
    expect(phone.locator(".about")).to_have_text("Simple Simon, Hard · 5 min · no restart")
    phone.get_by_role("link", name="Same Deal").click()
    expect(phone.get_by_label("Your name")).to_have_value("Alba")
    expect(phone.get_by_role("radio", name="Hard")).to_be_checked()
    phone.get_by_role("radio", name="FreeCell").check()
    expect(phone.get_by_role("radio", name="Hard")).to_have_count(0)


def test_alone_one_plays_at_once(desktop: Page) -> None:
    """Playing alone goes from the front page to the countdown without a word more."""
    desktop.goto("/")
    desktop.get_by_label("Your name").fill("Alba")
    desktop.get_by_role("radio", name="FreeCell").check()
    desktop.get_by_role("button", name="Play alone").click()
    expect(desktop.locator(".countdown")).to_be_visible()
    expect(desktop.locator(".race .own-table .card")).to_have_count(52)
    desktop.get_by_role("button", name="Resign").click()
    desktop.get_by_role("dialog").get_by_role("button", name="Resign").click()
    desktop.get_by_role("button", name="Rematch").click()
    expect(desktop.locator(".countdown")).to_be_visible()


def test_one_box_takes_rooms_links_and_game_codes(visit: Visit, rivals: Rivals) -> None:
    """A room's name in any case, its whole link, and game codes as people write them."""
    host = rivals.join("GUGU", "Bert", options=Options())
    page = visit("phone")

    def join(text: str) -> None:
        page.goto("/")
        page.get_by_label("Your name").fill("Alba")
        page.get_by_label("Room or game code").fill(text)
        page.get_by_role("button", name="Join").click()

    join("gugu")
    expect(page.locator(".seat .name")).to_have_text(["Bert", "Alba"])
    join("https://elsewhere.example/r/GUGU")
    expect(page.locator(".seat .name")).to_have_text(["Bert", "Alba"])
    host.until(lambda view: [seat.name for seat in view.seats] == ["Bert", "Alba"])
    for text, code in (
        (EASY.lower(), EASY),
        ("#11982", "FC1-AAAALWO"),
        ("freecell 11982", "FC1-AAAALWO"),
        ("11982", "FC1-AAAALWO"),
    ):
        join(text)
        expect(page.locator(".about")).to_contain_text(code)
    join("SS1-S3-AAAAABD")
    expect(page.get_by_role("alert").filter(has_text="3 is no number of suits")).to_be_visible()


def test_public_rooms_are_listed(visit: Visit, rivals: Rivals) -> None:
    """A room that wants to be found stands on the front page, and is a press away."""
    rivals.join("OPEN", "Bert", options=Options(public=True, suits=2))
    rivals.join("HIDDEN", "Carl", options=Options())
    page = visit("desktop", "/")
    room = page.locator(".rooms a")
    expect(room).to_have_text("BertSimple Simon, Medium1 of 8")
    room.click()
    expect(page.get_by_role("heading", name="Race in room OPEN")).to_be_visible()


def test_a_public_room_is_entered_though_others_change(visit: Visit, rivals: Rivals) -> None:
    """The list is told anew between the two halves of a press on one of its lines, which stays the same."""
    for room in ("ONE", "OTHER"):
        rivals.join(room, f"Host of {room}", options=Options(public=True))
    page = visit("desktop", "/")
    first, second = (page.locator(".rooms a").nth(place) for place in (0, 1))
    room = (second.get_attribute("href") or "").rpartition("/")[2]
    expect(first).to_contain_text("1 of 8")
    second.hover()
    page.mouse.down()
    rivals.join("OTHER" if room == "ONE" else "ONE", "Carl")
    expect(first).to_contain_text("2 of 8")
    page.mouse.up()
    expect(page.get_by_role("heading", name=f"Race in room {room}")).to_be_visible()


def test_ways_to_what_has_been_stay_in_view(visit: Visit, rivals: Rivals) -> None:
    """On a small phone too, where there are public rooms: those begin below, within sight, and move nothing."""
    page = visit("phone", "/")
    ways = page.locator(".also a")
    expect(ways).to_have_count(3)
    before = [way.bounding_box() for way in ways.all()]
    rivals.join("OPEN", "Bert", options=Options(public=True))
    expect(page.locator(".rooms a")).to_have_count(1)
    assert [way.bounding_box() for way in ways.all()] == before
    for way in ways.all():
        expect(way).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("heading", name="Public rooms")).to_be_in_viewport()


def test_what_has_been_is_found(visit: Visit, rivals: Rivals) -> None:
    """Leaderboards, replays and rules are a press away; a newcomer's list of replays says what will be on it."""
    page = visit("phone", "/")
    page.get_by_role("link", name="Leaderboards").tap()
    expect(page.get_by_role("heading", level=1)).to_have_text("Leaderboards")
    page.go_back()
    page.get_by_role("link", name="Rules").tap()
    expect(page.get_by_role("heading", level=1)).to_have_text("Rules of Simple Simon")
    page.go_back()
    page.get_by_role("link", name="Replays").tap()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your replays")
    expect(page.get_by_text("What you play stands here")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your replays")
    page.get_by_role("link", name="Others' replays").tap()
    expect(page.get_by_role("heading", level=1)).to_have_text("Leaderboards")

    rivals.join("ROOM", "Bert", options=Options())
    enter(page, "/r/ROOM", "Alba")
    page.get_by_role("link", name="Same Deal").tap()
    page.get_by_role("link", name="Replays").tap()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your replays")
    expect(page.get_by_text("Alba")).to_be_visible()


def test_options_open_below_their_button(visit: Visit) -> None:
    """What was pressed stays where it was, and the race can be started from the last of the options."""
    page = visit("phone", "/")
    fold, start = (page.get_by_role("button", name=name) for name in ("Options", "Start a race"))
    before = fold.bounding_box()
    fold.click()
    assert fold.bounding_box() == before
    last = page.get_by_label("An exact deal, by its game code")
    below = last.bounding_box()
    assert before
    assert below
    assert below["y"] > before["y"]
    last.scroll_into_view_if_needed()
    expect(start).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("name", ["", "   ", "x" * 40, "<b>", "\u202edlrow"])
def test_names_that_can_not_be_are_said_so(visit: Visit, rivals: Rivals, name: str) -> None:
    """Whoever has a name that can't be one stays at the door and is told why; what looks like HTML is a name."""
    rivals.join("ROOM", "Bert", options=Options())
    page = come(visit("phone"), "/r/ROOM", name)
    if name == "<b>":
        expect(page.locator(".seat .name").nth(1)).to_have_text("<b>")
        return
    wrong = "can't be a name" if name.strip() else "Fill this in first: Your name"
    expect(page.get_by_role("alert")).to_contain_text(wrong)
    expect(page.get_by_label("Your name")).to_be_visible()


def test_twins_are_told_apart(visit: Visit, rivals: Rivals) -> None:
    """A name that is taken in the room leads back to the door, and another one in."""
    rivals.join("ROOM", "Alba", options=Options())
    page = come(visit("phone"), "/r/ROOM", "ALBA")
    expect(page.get_by_role("alert")).to_contain_text("come in with another")
    page.get_by_label("Your name").fill("Alba Two")
    page.get_by_role("button", name="Join").click()
    expect(page.locator(".seat .name")).to_have_text(["Alba", "Alba Two"])


def test_room_that_is_not_there_is_said_so(visit: Visit, bears: list[str]) -> None:
    """A mistyped link leads to a sentence and a way on."""
    bears.append("status of 404")
    page = come(visit("phone"), "/r/NOWHERE", "Alba")
    expect(page.get_by_role("heading", name="No such room")).to_be_visible()
    page.get_by_role("link", name="Front page").click()
    expect(page.get_by_role("button", name="Start a race")).to_be_visible()


def test_server_with_a_secret_word_asks_for_it(visit: Visit, tmp_path: Path, bears: list[str]) -> None:
    """Where making a room takes a word, it is asked for, again after a wrong one, and then kept."""
    bears.extend((LOST, FAILED))  # this server ends before the page
    folder = tmp_path / "secret"
    folder.mkdir()
    with Server(folder, "--word", "sesame") as server:
        page = visit("desktop", server.address)
        page.get_by_label("Your name").fill("Alba")
        page.get_by_role("button", name="Start a race").click()
        for word in ("open", "sesame"):
            page.get_by_role("dialog").get_by_label("Secret word").fill(word)
            page.get_by_role("dialog").get_by_role("button", name="Go").click()
        expect(page.locator(".warm .card")).to_have_count(52)


def test_server_that_is_gone_is_waited_for(visit: Visit, rivals: Rivals, server: Server, bears: list[str]) -> None:
    """Who comes while the server is away is told so, and is in as soon as it is back."""
    bears.extend((LOST, FAILED))
    rivals.join("ROOM", "Bert", options=Options())
    page = enter(visit("phone"), "/r/ROOM", "Alba")
    page.get_by_role("link", name="Same Deal").click()
    expect(page.get_by_role("button", name="Start a race")).to_be_visible()
    server.stop()
    page.get_by_role("button", name="Start a race").click()
    expect(page.get_by_role("alert").filter(has_text="does not answer")).to_be_visible()
    page.get_by_label("Room or game code").fill("ROOM")
    page.get_by_role("button", name="Join").click()
    expect(page.get_by_role("heading", name="The server does not answer")).to_be_visible()
    server.start()
    expect(page.locator(".who-is")).to_contain_text("Alba", timeout=SOON_MS)


def test_without_a_network_the_page_opens_and_says_so(visit: Visit, bears: list[str]) -> None:
    """Where the browser keeps pages (https, this machine) the shell opens offline; no answer of the server is kept."""
    bears.extend((LOST, FAILED))
    page = visit("phone", "/", service_workers="allow")
    page.evaluate("navigator.serviceWorker.ready.then(() => undefined)")
    page.wait_for_function(
        """async () => {
          const kept = await caches.open("samedeal-shell");
          return (await kept.keys()).some(({ url }) => url.endsWith("/landing.js"));
        }"""
    )
    page.context.set_offline(True)
    page.reload()
    expect(page.get_by_role("heading", name="Same cards.")).to_be_visible()
    expect(page.get_by_text("offline", exact=True)).to_be_visible()
    page.goto("/leaderboards")
    expect(page.get_by_role("heading", name="You are offline")).to_be_visible()
    kept = page.evaluate("async () => (await (await caches.open('samedeal-shell')).keys()).map(({ url }) => url)")
    assert not [url for url in kept if "/api/" in url or "/qr/" in url]
    page.context.set_offline(False)


def test_settings_hold_and_are_kept(visit: Visit) -> None:
    """Theme, suits, larger cards and contrast show at once and before the first paint of the next visit."""
    page = visit("desktop", "/")
    page.get_by_role("button", name="Settings").click()
    for text in ("Night", "Four", "Larger", "High"):
        page.get_by_role("radio", name=text).check()
    page.get_by_role("switch", name="Sound").click()
    page.reload(wait_until="commit")
    page.wait_for_function("document.body")
    shown = page.evaluate("({ ...document.documentElement.dataset })")
    assert shown == {"theme": "dark", "suits": "four", "cards": "large", "contrast": "high"}
    page.get_by_role("button", name="Settings").click()
    expect(page.get_by_role("switch", name="Sound")).not_to_be_checked()


def in_settings(page: Page, name: str) -> None:
    """Press *name* in the settings."""
    page.locator(".top").get_by_role("button", name="Settings").click()
    page.get_by_role("dialog").get_by_role("button", name=name).click()


def change_name(page: Page, name: str) -> None:
    """Take another name in the settings."""
    in_settings(page, "Change name")
    page.get_by_role("dialog").get_by_label("Your name").fill(name)
    page.get_by_role("dialog").get_by_role("button", name="Change name").click()


def test_name_is_changed_anywhere(visit: Visit, rivals: Rivals) -> None:
    """In a room all see the new name, on the front page it is in the field; a twin's is refused with a word."""
    host = rivals.join("ROOM", "Bert", options=Options())
    page = enter(visit("desktop"), "/r/ROOM", "Alba")
    player = host.seat_of("Alba").player
    change_name(page, "Bert")
    expect(page.get_by_role("alert")).to_contain_text("come in with another")
    page.keyboard.press("Escape")
    change_name(page, "Alba Two")
    expect(page.get_by_text("You are Alba Two now.")).to_be_visible()
    expect(page.locator(".seat .name")).to_have_text(["Bert", "Alba Two"])
    host.seat_of("Alba Two")
    page.get_by_role("link", name="Same Deal").click()
    expect(page.get_by_label("Your name")).to_have_value("Alba Two")
    change_name(page, "Alba Three")
    expect(page.get_by_text("You are Alba Three now.")).to_be_visible()
    page.reload()
    expect(page.get_by_label("Your name")).to_have_value("Alba Three")
    assert host.seat_of("Alba Three").player == player


def test_what_is_stored_is_taken_along(visit: Visit, rivals: Rivals, tmp_path: Path) -> None:
    """All that the server knows of a player is saved as a file."""
    rivals.join("ROOM", "Bert", options=Options())
    page = enter(visit("phone"), "/r/ROOM", "Alba")
    with page.expect_download() as saving:
        in_settings(page, "Download my data")
    saving.value.save_as(tmp_path / "stored.json")
    stored = json.loads((tmp_path / "stored.json").read_text(encoding="utf-8"))
    assert (saving.value.suggested_filename, stored["name"], stored["attempts"]) == ("samedeal.json", "Alba", [])


def test_what_can_not_be_had_without_a_network_is_said(visit: Visit, rivals: Rivals, bears: list[str]) -> None:
    """What is stored can't be taken along then: a sentence says why, and nothing is taken for broken."""
    bears.append("ERR_INTERNET_DISCONNECTED")
    rivals.join("ROOM", "Bert", options=Options())
    page = enter(visit("phone"), "/r/ROOM", "Alba")
    page.locator(".top").get_by_role("button", name="Settings").click()
    take = page.get_by_role("dialog").get_by_role("button", name="Download my data")
    expect(take).to_be_visible()
    page.context.set_offline(True)
    take.click()
    expect(page.locator(".toast")).to_have_text("The server does not answer. Try again in a moment.")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_player_is_deleted(visit: Visit, rivals: Rivals) -> None:
    """Whoever wants to be forgotten is asked first, leaves the room by it, and comes back as somebody new."""
    host = rivals.join("ROOM", "Bert", options=Options())
    page = enter(visit("phone"), "/r/ROOM", "Alba")
    host.seat_of("Alba")
    kept = page.evaluate("JSON.parse(localStorage.getItem('samedeal.identity'))")
    in_settings(page, "Delete me")
    page.get_by_role("dialog").get_by_role("button", name="No").click()
    assert [seat.name for seat in host.view.seats] == ["Bert", "Alba"]
    in_settings(page, "Delete me")
    page.get_by_role("dialog").get_by_role("button", name="Delete me").click()
    expect(page.get_by_label("Your name")).to_have_value("")
    host.until(lambda view: len(view.seats) == 1)
    asked = page.request.get("/api/players/me/export", headers={"Authorization": f"Bearer {kept['token']}"})
    assert asked.status == 401
    enter(page, "/r/ROOM", "Alba")
    assert host.seat_of("Alba").player != kept["player"]


def test_who_plays_is_not_deleted(visit: Visit, rivals: Rivals) -> None:
    """In a race one has to finish or resign first, and is told so."""
    host = rivals.join("ROOM", "Bert", options=Options())
    page = enter(visit("desktop"), "/r/ROOM", "Alba")
    page.get_by_role("button", name="I'm ready").click()
    host.seat_of("Alba", lambda seat: seat.ready)
    host.start()
    expect(page.locator(".race .own-table .card").first).to_be_visible()
    page.locator(".actions").get_by_role("button", name="Settings").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete me").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete me").click()
    expect(page.get_by_text("You are still playing")).to_be_visible()


@pytest.mark.parametrize(
    ("device", "language"), [("phone", "en"), ("phone", "ru"), ("phone", "id"), ("phone", "ca"), ("lying", "en")]
)
def test_front_page_fits_the_screen(visit: Visit, device: str, language: str) -> None:
    """All of it is on the screen without scrolling, in each language."""
    page = visit(device, "/", locale=language)
    expect(page.locator("form.start")).to_be_visible()
    expect(page.locator(".also a").last).to_be_in_viewport(ratio=1)
    assert page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]") == (
        page.evaluate("[innerWidth, innerHeight]")
    )


def test_only_options_that_apply_are_shown(visit: Visit) -> None:
    """Hints are for a game that gives them, a level of one's own for one that has levels."""
    page = visit("phone", "/")
    page.get_by_role("button", name="Options").click()
    hints, mixed = (page.get_by_role("switch", name=name) for name in ("Hints allowed", "Each chooses their own level"))
    expect(mixed).to_be_visible()
    expect(hints).to_be_hidden()
    page.get_by_role("radio", name="FreeCell").check()
    expect(hints).to_be_visible()
    expect(mixed).to_be_hidden()


def test_settings_stand_under_their_headings(visit: Visit) -> None:
    """On a phone too, whatever page is below."""
    page = visit("phone", "/")
    page.get_by_role("button", name="Settings").click()
    headings = page.get_by_role("dialog").locator("legend")
    expect(headings).to_have_text(["Language", "Theme", "Colours of the suits", "Cards", "Contrast"])
    for heading in headings.all():
        assert heading.evaluate("(each) => [getComputedStyle(each).opacity, each.offsetHeight > 9]") == ["1", True]


def test_door_says_who_invites_and_to_what(visit: Visit, rivals: Rivals, bears: list[str]) -> None:
    """Whoever comes by a link reads it before saying a name; of a locked room nothing is told."""
    bears.append("status of 404")
    host = rivals.join("ROOM", "Bert", options=Options(game="freecell", limit_ms=600_000))
    page = visit("phone", "/r/ROOM")
    expect(page.get_by_text("Bert invites you to race")).to_be_visible()
    expect(page.get_by_text("FreeCell · 10 min")).to_be_visible()
    host.ask(Lock(locked=True))
    with page.expect_response("**/api/rooms/ROOM") as asked:
        page.reload()
    assert asked.value.status == 404
    expect(page.get_by_label("Your name")).to_be_visible()
    expect(page.get_by_text("Bert")).to_have_count(0)


@pytest.mark.parametrize("device", ["phone", "desktop", "lying"])
def test_what_is_pressed_stays_where_it_is(visit: Visit, rivals: Rivals, server: Server, device: str) -> None:
    """On a slow line too no field or button of the front page or a door moves once it is there."""
    rivals.join("ROOM", "Bert", options=Options(public=True))
    with Far(server, rivals, 300) as far:
        page = visit(device)
        page.add_init_script(NOTE_PLACES)
        page.goto(far.address)
        expect(page.locator(".rooms a")).to_have_count(1)
        assert page.evaluate(MOVED) == []
        page.goto(f"{far.address}/r/ROOM")
        expect(page.get_by_text("Bert invites you")).to_be_visible()
        assert page.evaluate(MOVED) == []


def test_door_says_that_a_race_is_on(visit: Visit, rivals: Rivals) -> None:
    """Whoever comes by a link in the middle of a race knows that before saying a name."""
    host = rivals.join("ROOM", "Bert", options=Options())
    page = visit("desktop", "/r/ROOM")
    expect(page.get_by_text("Bert invites you")).to_be_visible()
    expect(page.get_by_text("A race is on")).to_have_count(0)
    host.start()
    host.until(lambda view: view.phase == "running")
    page.reload()
    expect(page.get_by_text("A race is on: you watch it, and play in the next.")).to_be_visible()


def test_fans_are_dealt_once_there_is_space(visit: Visit) -> None:
    """A small phone has none upright; turned it has."""
    page = visit("phone", "/")
    expect(page.locator("form.start")).to_be_visible()
    expect(page.locator(".same")).to_be_hidden()
    expect(page.locator(".same .card")).to_have_count(0)
    page.set_viewport_size({"width": 667, "height": 375})
    expect(page.locator(".same .card")).to_have_count(10)


def test_page_can_be_installed(visit: Visit) -> None:
    """The manifest names icons that are there, as drawings of their size."""
    page = visit("phone", "/")
    manifest = page.request.get(page.get_attribute("link[rel=manifest]", "href") or "").json()
    assert (manifest["start_url"], manifest["display"]) == ("/", "standalone")
    for icon in manifest["icons"]:
        answer = page.request.get(icon["src"])
        assert answer.headers["content-type"] == icon["type"]
        size = page.evaluate(
            """async (src) => {
              const image = new Image();
              image.src = src;
              await image.decode();
              return image.naturalWidth;
            }""",
            icon["src"],
        )
        assert icon["sizes"] in ("any", f"{size}x{size}")
