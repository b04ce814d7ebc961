"""What the page needs and whom it reaches."""

from playwright.sync_api import Page, expect


def test_front_page_is_there(desktop: Page, phone: Page) -> None:
    """The address alone leads to the page."""
    for page in (desktop, phone):
        page.goto("/")
        expect(page).to_have_title("Same Deal")
