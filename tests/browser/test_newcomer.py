"""The whole way of two people who are given nothing but the address, by what they see and press alone."""

import re
from base64 import b64encode

import pytest
import zxingcpp
from playwright.sync_api import Locator, Page, expect

from client.assets import solved_codes
from server.race.play import table_of
from shared.attempt import State
from shared.moves import Move
from tests.browser.conftest import Visit
from tests.browser.hands import TABLE, Hands, after, expect_table
from tests.browser.rivals import line_of
from tests.browser.serving import Server

DEALS = "simple-simon"

PIXELS = """async (png) => {
  const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes]));
  const plane = new OffscreenCanvas(image.width, image.height).getContext("2d");
  plane.drawImage(image, 0, 0);
  const { data } = plane.getImageData(0, 0, image.width, image.height);
  return [image.width, image.height, [...data].filter((_, place) => place % 4 === 1)];
}"""
"""Width, height and shades of grey of a picture."""


def scanned(code: Locator) -> str:
    """Return what a camera reads of the *code* as it is seen on the screen, once it is drawn."""
    code.evaluate("image => image.decode()")
    png = b64encode(code.screenshot()).decode()
    width, height, shades = code.page.evaluate(PIXELS, png)
    read = zxingcpp.read_barcode(memoryview(bytes(shades)).cast("B", (height, width)))
    assert read, "nothing can be read"
    return read.text


def named(page: Page, name: str) -> None:
    """Say who one is."""
    page.get_by_label("Your name").fill(name)


def press(page: Page, name: str) -> None:
    """Press the button that is called so."""
    page.get_by_role("button", name=name, exact=True).click()


def resign(page: Page) -> None:
    """Give up, and say that it is meant."""
    press(page, "Resign")
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()


def deal_on(page: Page) -> str:
    """Return the code of the deal that is seen on the table."""
    expect(page.locator(".race .own-table .card")).to_have_count(52)
    lies = page.evaluate(f"({TABLE})().columns")
    for code in solved_codes(DEALS):
        if list(table_of(after(str(code)).position).columns) == lies:
            return str(code)
    raise AssertionError("no deal of the pool")


def win(page: Page) -> None:
    """Play the deal that is seen to its end."""
    code = deal_on(page)
    hands, attempt = Hands(page), after(code)
    for move in line_of(code):
        expect_table(page, attempt)
        hands.tap_tap(move)
        attempt = attempt.play(Move.parse(move), 0)
    assert attempt.state is State.SOLVED


@pytest.mark.long
def test_newcomers_find_everything(visit: Visit, server: Server) -> None:
    """
    From the front page to a room, by its link a second page, both ready, a race to its end, its results, a rematch and
    its results, the way back to the first race, a replay, and the leaderboard that the winner stands on.
    """
    host, guest = visit("desktop", "/"), visit("phone")
    named(host, "Alba")
    press(host, "Start a race")
    link = f"http://{host.locator('.invite .url').inner_text()}"
    guest.goto(link)
    named(guest, "Mika")
    press(guest, "Join")
    for page in (guest, host):
        press(page, "I'm ready")
    for page in (guest, host):
        expect(page.get_by_role("timer")).to_be_visible()
    win(host)
    resign(guest)
    expect(host.get_by_role("heading", level=1)).to_have_text("You won: nobody else solved it!")
    expect(guest.get_by_role("heading", level=1)).to_have_text("Alba won: nobody else solved it")

    press(guest, "Rematch")
    for page in (host, guest):
        expect(page.get_by_role("link", name="Last race")).to_be_visible()
        press(page, "I'm ready")
    for page in (guest, host):
        expect(page.get_by_role("timer")).to_be_visible()
        resign(page)
    for page in (guest, host):
        expect(page.get_by_role("heading", level=1)).to_have_text("Nobody made a move")

    press(host, "Rematch")
    with guest.expect_popup() as opened:
        guest.get_by_role("link", name="Last race").click()
    expect(opened.value.get_by_role("heading", level=1)).to_have_text("Nobody made a move")
    host.get_by_role("link", name="Same Deal").click()
    host.get_by_role("link", name="Replays").click()
    expect(host.get_by_role("heading", level=1)).to_have_text("Your replays")
    host.get_by_role("link", name="Replay of Alba").last.click()
    press(host, "Play")
    expect(host.locator(".side")).not_to_have_attribute("data-ply", "0")
    host.get_by_role("link", name="Same Deal").click()
    host.get_by_role("link", name="Leaderboards").click()
    expect(host.locator(".board tr.me")).to_contain_text("Alba")


def test_code_is_the_rooms_link(visit: Visit) -> None:
    """What a camera reads of the code, small and large, by day and by night, is the address of the room."""
    for device, scheme in (("phone", "light"), ("desktop", "dark")):
        page = visit(device, "/", color_scheme=scheme)
        named(page, "Alba")
        press(page, "Start a race")
        expect(page.locator(".warm .card").first).to_be_visible()
        code = page.get_by_alt_text("Code that leads to this room")
        assert scanned(code) == page.url
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/r/[A-Z]{4,5}", page.url)
        press(page, "Show the code large")
        assert scanned(page.get_by_role("dialog").get_by_alt_text("Code that leads to this room")) == page.url
