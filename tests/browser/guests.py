"""People who come to a room by its link, as tests do it."""

from playwright.sync_api import Page, expect

from tests.browser.hands import after, expect_table
from tests.browser.rivals import Rival


def come(page: Page, link: str, name: str) -> Page:
    """Come by the room's *link* to its door, and say a *name*."""
    page.goto(link)
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Join").click()
    return page


def enter(page: Page, link: str, name: str) -> Page:
    """Come by the room's *link* as somebody new, and be in."""
    come(page, link, name)
    expect(page.locator(".who-is")).to_contain_text(name)
    return page


def begin(page: Page, host: Rival) -> None:
    """Be ready, in whatever language, have the race begun, and see its deal, with nothing over it any more."""
    ready = page.locator(".readybar .go")
    ready.click()
    expect(ready).to_have_attribute("aria-pressed", "true")
    host.until(lambda view: any(seat.ready and not seat.bot and not seat.host for seat in view.seats))
    host.start()
    code = host.until(lambda view: view.code is not None).code
    expect_table(page, after(str(code)))
    expect(page.locator(".countdown")).to_have_count(0)
