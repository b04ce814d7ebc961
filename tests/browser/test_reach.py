"""Whom the page reaches and what it takes: readers of screens, slow lines, plain http; and no text becomes code."""

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import urlopen

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, Request, expect

from server.web.assets import read_assets
from server.web.sharing import lan_addresses
from shared.protocol.messages import Resign
from shared.protocol.values import Options
from tests.browser.chromium import PLAIN_HTTP
from tests.browser.conftest import Visit
from tests.browser.looking import BOXES, fits, lowest
from tests.browser.rivals import Rival, Rivals
from tests.browser.serving import Server

WEB = Path(__file__).parents[2] / "client" / "web"

MOST_ASSETS = 230_000
MOST_LOADED, MOST_REQUESTS = 150_000, 20

TEXTS = (".css", ".html", ".js", ".json", ".svg", ".webmanifest")

ANNA, BERT = "<b>Anna</b>", "<img src=x>"
"""Names that would be seen at once if they ever were HTML."""

WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


class Raced(NamedTuple):
    """A race that is over: where the pages of it are."""

    race: str
    code: str
    attempts: tuple[str, str]
    players: tuple[str, str]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all that only look, on the network too."""
    with Server(tmp_path_factory.mktemp("reach"), "--lan") as server:
        yield server


@pytest.fixture(scope="module")
def raced(server: Server) -> Raced:
    """Anna has won against Bert, who resigned: both are called what no page should take for HTML."""
    with Rivals(server) as rivals:
        anna = rivals.join("RACED", ANNA, options=Options(suits=1))
        bert = rivals.join("RACED", BERT)
        bert.ready()
        anna.start()
        won = anna.win()
        bert.until(lambda view: view.hand is not None and view.code is not None)
        bert.ask(Resign(ply=0))
        won.result()
        view = anna.until(lambda view: bool(view.attempts))
        attempts = (view.attempts[0], view.attempts[1])
        return Raced(view.race, str(view.code), attempts, (anna.view.player, bert.view.player))


def known(page: Page, name: str = "Carl") -> Page:
    """Return the page of someone who has been here before."""
    kept = json.dumps(json.dumps({"name": name}))
    key = '"samedeal.identity"'
    page.add_init_script(f"localStorage.getItem({key}) || localStorage.setItem({key}, {kept})")
    return page


def settled(page: Page) -> Page:
    """Return the page once all that it asked for is there and nothing moves any more."""
    expect(page.locator("h1, h2, .table").first).to_be_attached()
    expect(page.locator(".bones")).to_have_count(0)
    page.wait_for_load_state("networkidle")
    page.evaluate("Promise.allSettled(document.getAnimations().map((each) => each.finished))")
    return page


# Readers of screens


def violations(page: Page) -> list[str]:
    """Return what of WCAG 2.2, level A and AA, axe finds broken.

    Strips of cards may be smaller than a target has to be: by tap–tap and by keys the whole table can be played.
    """
    found = Axe().run(page, options={"runOnly": {"type": "tag", "values": WCAG}, "resultTypes": ["violations"]})
    told = []
    for rule in found.response["violations"]:
        nodes = [node for node in rule["nodes"] if rule["id"] != "target-size" or not _in_table(page, node)]
        told += [f"{rule['id']}: {node['html'][:160]} {node['failureSummary']}" for node in nodes]
    return told


def _in_table(page: Page, node: dict[str, Any]) -> bool:
    in_table: bool = page.locator(node["target"][0]).first.evaluate("(element) => !!element.closest('.table')")
    return in_table


PAGES = {
    "landing": "/",
    "results": "/race/{race}",
    "replay": "/replay/{attempt}",
    "side by side": "/replay/{attempt}?with={other}",
    "boards": "/leaderboards?board=single",
    "deal": "/deal/{code}",
    "player": "/player/{player}",
    "simple simon": "/rules/simple-simon",
    "freecell": "/rules/freecell",
    "nobody": "/player/nobody",
    "no room": "/r/NOBODY-HERE",
}
"""A page of each kind."""


def address(name: str, raced: Raced) -> str:
    """Return where a page of that kind is."""
    return PAGES[name].format(
        race=raced.race, attempt=raced.attempts[0], other=raced.attempts[1], code=raced.code, player=raced.players[0]
    )


@pytest.mark.parametrize(("scheme", "device"), [("light", "desktop"), ("dark", "phone")])
@pytest.mark.parametrize("name", PAGES)
def test_page_is_accessible(visit: Visit, raced: Raced, bears: list[str], name: str, scheme: str, device: str) -> None:
    """Each kind of page keeps to WCAG 2.2 AA, by day and by night, large and small."""
    bears.append("status of 404")
    page = known(visit(device, color_scheme=scheme))
    page.goto(address(name, raced))
    assert violations(settled(page)) == []


@pytest.mark.parametrize(("scheme", "device"), [("light", "desktop"), ("dark", "phone"), ("dark", "lying")])
def test_room_and_race_are_accessible(visit: Visit, rivals: Rivals, scheme: str, device: str) -> None:
    """So do a room at its door, in its warm-up, the race, its settings, and the race when it is over."""
    room = f"AXE-{scheme}-{device}"
    host = rivals.join(room, "Anna", options=Options(game="freecell", hint=True))
    page = visit(device, f"/r/{room}", color_scheme=scheme)
    found = {"door": violations(settled(page))}
    page.get_by_label("Your name").fill("Carl")
    page.keyboard.press("Enter")
    expect(page.locator(".table .card").first).to_be_visible()
    found["warm-up"] = violations(settled(page))
    begin(page, host)
    found["race"] = violations(settled(page))
    ask_to_resign(page)
    found["resigning"] = violations(settled(page))
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    host.ask(Resign(ply=0))
    expect(page.locator(".place-row")).to_have_count(2)
    expect(page.get_by_role("button", name="Rematch")).to_be_visible()
    found["results"] = violations(settled(page))
    assert {stage: told for stage, told in found.items() if told} == {}


@pytest.mark.parametrize(("scheme", "device"), [("light", "desktop"), ("dark", "phone")])
def test_what_opens_over_a_room_is_accessible(visit: Visit, scheme: str, device: str) -> None:
    """So do the settings, the help and what a host can do, each as it lies over a room."""
    page = known(visit(device, "/", color_scheme=scheme))
    page.reload()
    page.get_by_role("button", name="Start a race").click()
    expect(page.locator(".table .card").first).to_be_visible()
    found = {}
    for name, title in (("Settings", "Settings"), ("Help", "Help"), ("Room, people and options", "Room")):
        page.get_by_role("button", name=name, exact=True).click()
        sheet = page.get_by_role("dialog", name=title)
        expect(sheet).to_be_visible()
        for folded in sheet.locator("summary").all():
            folded.click()
        found[name] = violations(settled(page))
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
    assert {sheet: told for sheet, told in found.items() if told} == {}


def begin(page: Page, host: Rival) -> None:
    """Be ready on the page, start as the host, and see the deal."""
    page.get_by_role("button", name="I'm ready").click()
    expect(page.get_by_role("button", name="You are ready")).to_be_visible()
    host.until(lambda view: any(seat.ready for seat in view.seats if not seat.host))
    host.start()
    host.until(lambda view: view.code is not None)
    see_race(page)


def see_race(page: Page) -> None:
    """Wait for the clock and the cards of a race, and for nothing over them any more."""
    expect(page.get_by_role("timer")).to_be_visible()
    expect(page.locator(".table.live .card").first).to_be_visible()
    expect(page.locator(".countdown")).to_have_count(0)


def ask_to_resign(page: Page) -> None:
    """Press what resigns, and see that it asks first."""
    page.get_by_role("button", name="Resign").first.click()
    expect(page.get_by_role("dialog")).to_be_visible()


def test_all_is_in_reach_at_twice_the_size(visit: Visit, rivals: Rivals) -> None:
    """At 200 % of a desktop's window nothing is cut or lies on something else: front page, room, race and results."""
    host = rivals.join("TWICE", "Anna", options=Options())
    page = known(visit("desktop", "/", viewport={"width": 720, "height": 450}))
    expect(page.locator(".same .card")).to_have_count(10)
    fits(page, "h1", ".same .card", "form.start > *", ".second .button", ".also a")
    fans, form = (page.evaluate(BOXES, selector) for selector in (".same .card", "form.start"))
    assert max(card["right"] for card in fans) <= form[0]["left"]
    page.goto("/r/TWICE")
    expect(page.locator(".warm .card")).to_have_count(52)
    expect(page.get_by_role("button", name="I'm ready")).to_be_in_viewport(ratio=1)
    fits(page, ".invite > *", ".seat", ".warm .card", ".ready-row .button")
    begin(page, host)
    expect(page.get_by_role("button", name="Resign")).to_be_in_viewport(ratio=1)
    fits(page, ".own-table .card", ".actions .tool", ".ranking .row")
    assert lowest(page, ".own-table .card") <= page.evaluate("innerHeight")
    ask_to_resign(page)
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    host.ask(Resign(ply=0))
    expect(page.locator(".place-row")).to_have_count(2)
    expect(page.locator(".picture .name")).to_have_count(2)
    expect(page.get_by_role("button", name="Rematch")).to_be_in_viewport(ratio=1)
    fits(page, "h1", ".place-row > *", ".picture .name", ".after .button")


# What it takes


def test_files_are_small() -> None:
    """All text of the page, every module, style and drawing, is small."""
    sizes = {path.name: path.stat().st_size for path in WEB.rglob("*") if path.suffix in TEXTS}
    assert sum(sizes.values()) <= MOST_ASSETS, sorted(sizes.items(), key=lambda each: -each[1])


@pytest.mark.parametrize("device", ["desktop", "phone"])
@pytest.mark.parametrize("language", ["en", "ru"])
def test_first_load_is_small(visit: Visit, rivals: Rivals, device: str, language: str) -> None:
    """What a newcomer's browser asks for until the page can be used: the front page, and a room by its link."""
    room = f"LOADS-{device}-{language}"
    rivals.join(room, "Anna", options=Options(game="freecell"))
    for path, first in (("/", "form.start"), (f"/r/{room}", "form")):
        page = visit(device, locale=language)
        loads = Loads(page)
        page.goto(path)
        expect(page.locator(first).first).to_be_visible()
        settled(page)
        loads.check(MOST_LOADED, MOST_REQUESTS)


@pytest.mark.parametrize(("language", "room"), [("en", "LOADS-EN"), ("ru", "LOADS-RU"), ("en", "loads-typed")])
def test_room_loads_little(visit: Visit, rivals: Rivals, language: str, room: str) -> None:
    """What a room takes until its warm-up table can be played on, once one has said who one is, however it is typed."""
    rivals.join(room.upper(), "Anna", options=Options(game="freecell"))
    page = known(visit("phone", locale=language))
    loads = Loads(page)
    page.goto(f"/r/{room}")
    expect(page.locator(".table .card").first).to_be_visible()
    settled(page)
    assert page.url.endswith(f"/r/{room.upper()}")
    loads.check(MOST_LOADED, MOST_REQUESTS)


class Loads:
    """What a page asks for, and how much it gets, before compression."""

    def __init__(self, page: Page) -> None:
        self._requests: list[Request] = []
        page.on("requestfinished", self._note)

    def _note(self, request: Request) -> None:
        self._requests.append(request)

    def check(self, most_bytes: int, most_requests: int) -> None:
        """Fail where that is too much."""
        loaded = {request.url: len(_body(request)) for request in self._requests}
        told = sorted(loaded.items(), key=lambda each: -each[1])
        assert len(self._requests) <= most_requests, told
        assert sum(loaded.values()) <= most_bytes, told


def _body(request: Request) -> bytes:
    response = request.response()
    assert response, "finished"
    return response.body()


def test_every_file_is_used() -> None:
    """Whatever is served is reached from the page itself, from its worker or its manifest."""
    reached, waiting = set[str](), ["index.html", "sw.js"]
    files = {path.removeprefix("/"): body.content for path, body in read_assets().items() if "/locales/" not in path}
    while waiting:
        name = waiting.pop()
        reached.add(name)
        source = files[name].decode() if Path(name).suffix in TEXTS else ""
        mentioned = set(re.findall(r"""["'(](?:\./|/)?([\w-]+\.\w+)["')?#]""", source))
        waiting += sorted(mentioned & set(files) - reached)
    assert reached == set(files)


# What no text becomes


class Inline(HTMLParser):
    """What of a page is script or style in itself."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = {name for name, _ in attrs}
        if tag == "style" or (tag == "script" and "src" not in names):
            self.found.append(tag)
        self.found += [name for name in names if name == "style" or name.startswith("on")]


def test_nothing_is_inline(server: Server, raced: Raced) -> None:
    """No answer has script or style of its own, and none is allowed to have."""
    for name in PAGES:
        with urlopen(server.address + address(name, raced).replace(" ", "%20")) as answer:
            assert Inline(answer.read().decode()).found == [], name
            assert "unsafe" not in answer.headers["Content-Security-Policy"]


def test_no_text_is_parsed_as_html_or_script() -> None:
    """The page's modules make elements, never HTML."""
    parsed = re.compile(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc|setAttribute\(.style"
        r"|createContextualFragment|setHTMLUnsafe|text/html"
    )
    for module in WEB.glob("*.js"):
        assert not parsed.findall(module.read_text(encoding="utf-8")), module.name


def test_no_module_names_a_game() -> None:
    """A third game needs no JavaScript: only the module that is made from the rules names any."""
    for module in WEB.glob("*.js"):
        assert not re.findall("simple-simon|freecell", module.read_text(encoding="utf-8")), module.name


@pytest.mark.parametrize("name", ["results", "replay", "side by side", "boards", "deal", "player"])
def test_names_stay_text(desktop: Page, raced: Raced, name: str) -> None:
    """What a player is called is shown as it was written, wherever it stands."""
    desktop.goto(address(name, raced))
    expect(desktop.get_by_text(ANNA).first).to_be_visible()
    assert desktop.locator("img[src=x], main b b").count() == 0


def test_names_stay_text_in_a_race(visit: Visit, rivals: Rivals) -> None:
    """So it is in a room, in the race and in the page's own announcements."""
    host = rivals.join("NAMES", ANNA, options=Options(public=True))
    rivals.join("NAMES", BERT)
    page = visit("desktop", "/")
    expect(page.get_by_text(ANNA).first).to_be_visible()
    known(page, "<u>Carl</u>").goto("/r/NAMES")
    for name in (ANNA, BERT, "<u>Carl</u>"):
        expect(page.get_by_text(name).first).to_be_visible()
    begin(page, host)
    expect(page.get_by_text(ANNA).first).to_be_visible()
    assert page.locator("img[src=x], u").count() == 0


# Plain http


@pytest.mark.parametrize("way", ["address", "taken"])
def test_all_works_over_plain_http(visit: Visit, server: Server, way: str) -> None:
    """
    At an address of the network there is no secure context: no clipboard, no sharing, no worker, no lock. Two people
    race there all the same, from the name to the rematch, and the link is passed on by hand or as a picture.
    """
    addresses = lan_addresses()
    if way == "address" and not addresses:
        pytest.skip("this machine is on no network")
    base = f"http://{addresses[0]}:{server.port}" if way == "address" else server.address
    host, guest = (visit(device, base_url=base, service_workers="allow") for device in ("desktop", "phone"))
    if way == "taken":
        for page in (host, guest):
            page.add_init_script(PLAIN_HTTP)
    host.goto("/")
    if way == "address":
        assert host.evaluate("[isSecureContext, !!navigator.clipboard, !!navigator.serviceWorker]") == [False] * 3
    host.get_by_label("Your name").fill("Anna")
    host.get_by_role("button", name="Start a race").click()

    expect(host.locator(".invite")).to_contain_text("Friends join at" if way == "address" else "Only on this computer")
    host.get_by_role("button", name="Copy").click()
    expect(host.get_by_text(re.compile("Copied|The link is selected"))).to_be_visible()
    code = host.get_by_role("img", name="Code that leads to this room")
    assert code.evaluate("(image) => image.decode().then(() => image.naturalWidth > 0)")
    assert host.url.startswith(f"{base}/r/")

    guest.goto(host.url)
    guest.get_by_label("Your name").fill("Bert")
    guest.keyboard.press("Enter")
    guest.get_by_role("button", name="I'm ready").click()
    host.get_by_role("button", name="Start now").click()
    for page in (guest, host):
        see_race(page)
    for page in (guest, host):
        ask_to_resign(page)
        page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    host.get_by_role("button", name="Rematch").click()
    for page in (guest, host):
        expect(page.get_by_role("button", name="I'm ready")).to_be_visible()
