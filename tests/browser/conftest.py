"""What the tests of the page share: a browser, a server of each test's own, pages on each kind of device, rivals.

Without a Chromium these tests are skipped; with SAMEDEAL_BROWSER=required, as `.ci/run` sets it, they fail.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright

from tests.browser.chromium import CHROMIUM, DEVICES, FLAGS, REQUIRED
from tests.browser.rivals import Rivals
from tests.browser.serving import Server

PATIENCE_MS = 15_000
"""So long a page may take for what it is asked to do: other work may be done on the machine."""

SOON_MS = 30_000
"""So long what takes a while by itself: a countdown, a connection that comes back."""

expect.set_options(timeout=PATIENCE_MS)

Visit: TypeAlias = Callable[..., Page]
"""Opens a page on the front page's server: `visit("phone", locale="ru", …)`, each in a context of its own."""


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """A Chromium for the tests of this package. It is closed behind them: while it is open asyncio can't be run."""
    if CHROMIUM is None:
        if REQUIRED:
            pytest.fail("there is no Chromium, and SAMEDEAL_BROWSER requires one")
        pytest.skip("there is no Chromium on this machine (apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A server of the test's own, with an empty database."""
    with Server(tmp_path) as server:
        yield server


@pytest.fixture
def rivals(server: Server) -> Iterator[Rivals]:
    """Players beside the pages: `rivals.join("ROOM", "Bert")`."""
    with Rivals(server) as rivals:
        yield rivals


@pytest.fixture
def bears() -> list[str]:
    """Patterns of what browsers complain of and the test has caused: `bears.append("status of 403")`."""
    return []


@pytest.fixture
def visit(browser: Browser, server: Server, bears: list[str]) -> Iterator[Visit]:
    """What opens pages. What their consoles, scripts or policies complain of fails the test."""
    contexts: list[BrowserContext] = []
    faults: list[str] = []

    def visit(device: str = "desktop", path: str | None = None, **options: Any) -> Page:  # noqa: ANN401  # of a context
        settings = {"base_url": server.address, "service_workers": "block", "locale": "en-GB"} | DEVICES[device]
        context = browser.new_context(**(settings | options))
        contexts.append(context)
        context.set_default_timeout(PATIENCE_MS)
        context.on("console", lambda message: faults.extend(_complaints(message)))
        context.on("weberror", lambda error: faults.append(f"{error.error}"))
        page = context.new_page()
        if path is not None:
            page.goto(path)
        return page

    yield visit
    for context in contexts:
        context.close()
    unborne = [fault for fault in faults if not any(re.search(pattern, fault) for pattern in bears)]
    assert not unborne, "the browser complained"


def _complaints(message: ConsoleMessage) -> list[str]:
    """Return what a console's message complains of: an error, or anything about the policy of what may be loaded."""
    if message.type == "error" or "Content Security Policy" in message.text:
        return [f"{message.text} ({message.location['url']}:{message.location['lineNumber']})"]
    return []


@pytest.fixture
def desktop(visit: Visit) -> Page:
    """An empty page of 1440 × 900."""
    return visit("desktop")


@pytest.fixture
def phone(visit: Visit) -> Page:
    """An empty page of 360 × 640, touched."""
    return visit("phone")


@pytest.fixture
def lying(visit: Visit) -> Page:
    """An empty page of 844 × 390, touched."""
    return visit("lying")
