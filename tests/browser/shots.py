"""`make shots`: the pictures of the README, made anew from real races on a real server.

python -m tests.browser.shots [FOLDER]
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page, expect, sync_playwright

from client.assets import solved_codes
from shared.attempt import Attempt, State
from shared.moves import Move
from shared.protocol.values import Options
from tests.browser.chromium import CHROMIUM, DEVICES, FLAGS
from tests.browser.guests import begin, enter
from tests.browser.hands import Hands, after, expect_table
from tests.browser.rivals import Rivals, line_of
from tests.browser.serving import Server

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"

SIMON = Options(game="simple-simon", suits=2, public=True)
FREECELL = Options(game="freecell", code=str(solved_codes("freecell")[7]), hint=True)

PACES = {"Ravi": 1000, "Tove": 1250}
"""How long the others take for a move, in milliseconds."""

NAME = "cards.example"
"""What the server is called in the pictures: a name that friends could come by."""

BETWEEN_MS = 400
"""Between two moves, so that none is taken for a double tap."""

STILL_MS = 900
"""Cards that move are at rest after this."""


class Camera:
    """Takes pictures of pages on the server that is called NAME."""

    def __init__(self, browser: Browser, folder: Path) -> None:
        self._browser = browser
        self._folder = folder

    def page(self, device: str, scheme: str = "light") -> Page:
        """Return a new page on a device."""
        context = self._browser.new_context(base_url=f"http://{NAME}", color_scheme=scheme, **DEVICES[device])  # type: ignore[arg-type]  # light or dark
        return context.new_page()

    def take(self, page: Page, name: str) -> None:
        """Take a picture once all is at rest."""
        page.wait_for_load_state("networkidle")
        page.wait_for_timeout(STILL_MS)
        page.screenshot(path=self._folder / f"{name}.png")


@contextmanager
def camera(folder: Path) -> Iterator[tuple[Camera, Rivals]]:
    """Lend what takes pictures into *folder*, and others to race against."""
    with (
        TemporaryDirectory(prefix="samedeal-shots-") as place,
        Server(Path(place), "--name", NAME) as server,
        Rivals(server) as rivals,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=[*FLAGS, f"--host-resolver-rules=MAP {NAME} 127.0.0.1:{server.port}"]
        )
        yield Camera(browser, folder), rivals
        browser.close()


def simple_simon(camera: Camera, rivals: Rivals) -> tuple[str, str]:
    """Take pictures of a race of three on a desktop, from the front page to the results; return it and an attempt."""
    page = camera.page("desktop")
    page.goto("/")
    camera.take(page, "landing")
    others = [rivals.join("TABU", name, options=SIMON) for name in PACES]
    enter(page, "/r/TABU", "Mika")
    others[1].ready()
    camera.take(page, "room")
    begin(page, others[0])
    played = [other.win(PACES[other.view.name]) for other in others]
    code = str(others[0].view.code)
    line = line_of(code)
    attempt = play(page, after(code), line[: len(line) * 2 // 3])
    camera.take(page, "race")
    play(page, attempt, line[len(line) * 2 // 3 :])
    for each in played:
        each.result()
    expect(page.get_by_role("button", name="Rematch")).to_be_visible()
    camera.take(page, "results")
    return others[0].view.race, others[0].view.attempts[0]


def freecell(camera: Camera, rivals: Rivals) -> None:
    """Take pictures of a race of two on a phone, by night."""
    page = camera.page("phone", "dark")
    host = rivals.join("FUGA", "Noor", options=FREECELL)
    enter(page, "/r/FUGA", "Omar")
    begin(page, host)
    line = line_of(str(FREECELL.code))
    host.play(*line[:20])
    play(page, after(str(FREECELL.code)), line[:26], touch=True)
    camera.take(page, "race-phone")


def play(page: Page, attempt: Attempt, moves: list[str], *, touch: bool = False) -> Attempt:
    """Play moves, each once the last is seen; return the attempt after them."""
    hands = Hands(page, touch=touch)
    for move in moves:
        hands.tap_tap(move)
        attempt = attempt.play(Move.parse(move), 0)
        if attempt.state is State.PLAYING:
            expect_table(page, attempt)
        page.wait_for_timeout(BETWEEN_MS)
    return attempt


def looking_back(camera: Camera, race: str, attempt: str) -> None:
    """Take pictures of a replay, and of results on a phone."""
    page = camera.page("desktop")
    page.goto(f"/replay/{attempt}#t=12000")
    camera.take(page, "replay")
    phone = camera.page("phone")
    phone.goto("/")
    camera.take(phone, "landing-phone")
    phone.goto(f"/race/{race}")
    camera.take(phone, "results-phone")
    phone.goto(f"/replay/{attempt}#t=12000")
    camera.take(phone, "replay-phone")


def main() -> None:
    """Make all pictures."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURES
    folder.mkdir(parents=True, exist_ok=True)
    with camera(folder) as (taking, rivals):
        race, attempt = simple_simon(taking, rivals)
        freecell(taking, rivals)
        looking_back(taking, race, attempt)


if __name__ == "__main__":
    main()
