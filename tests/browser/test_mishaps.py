"""What goes wrong in the middle of things: a line that stalls, a page left early, a press at the wrong moment."""

from typing import Literal

from playwright.sync_api import Page, WebSocketRoute, expect

from shared.protocol.values import Options
from tests.browser.conftest import Visit
from tests.browser.guests import begin, enter
from tests.browser.hands import Hands, after, expect_table
from tests.browser.rivals import EASY, Rival, Rivals, line_of

EASILY = Options(game="simple-simon", suits=1, code=EASY)

Way = Literal["there", "back"]


class Line:
    """The line of *page* to its room: what goes there or comes back can be held."""

    def __init__(self, page: Page) -> None:
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


def racing(page: Page, rivals: Rivals, options: Options = EASILY) -> Rival:
    """Let *page* race Bert, who sits still; return him."""
    host = rivals.join("ROOM", "Bert", options=options)
    enter(page, "/r/ROOM", "Alba")
    begin(page, host)
    return host


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
    page.get_by_role("radio", name="Català").click(force=True)
    expect(page.locator(".actions")).to_contain_text("Abandona")
    expect_table(page, after(EASY, *moves))
    line.let_go()
    host.until(lambda view: any(row.moves == len(moves) for row in view.rows))
    expect_table(page, after(EASY, *moves))
