"""The table: drawn as it should be, and played on in each of four ways, in both games."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from shared.moves import PILES, Move
from shared.protocol.values import Options
from tests.browser.conftest import Visit
from tests.browser.hands import Hands, after, expect_table
from tests.browser.rivals import Rival, Rivals, line_of

CODES = {"simple-simon": "SS1-S2-AOHMRYH", "freecell": "FC1-AAALMXD"}
"""A deal of each game that the pools know."""

MOVES = 10

STEADY = """() => {
  const here = JSON.stringify([...document.querySelectorAll(".card")].map((card) => card.getBoundingClientRect()));
  const since = here === window.lay ? window.since : performance.now();
  Object.assign(window, { lay: here, since });
  return performance.now() - since > 400;
}"""
"""Whether all cards have lain still for a while: the deal is over, and all the page's styles are there."""

Seated = Callable[..., tuple[Page, Rival]]


@pytest.fixture
def seated(visit: Visit, rivals: Rivals) -> Seated:
    """What seats a page in a race on a deal and waits for its table: `seated("freecell", "phone", hint=True)`."""

    def seat(game: str, device: str = "desktop", **options: bool) -> tuple[Page, Rival]:
        code = CODES.get(game, game)
        name = "freecell" if code.startswith("FC") else "simple-simon"
        host = rivals.join("TABLE", "Bert", options=Options(game=name, code=code, **options))
        page = visit(device)
        begin(page, host, "/r/TABLE", code)
        return page, host

    return seat


def begin(page: Page, host: Rival, address: str, code: str) -> None:
    """Join as Alba, be ready, and see the deal."""
    page.add_init_script(
        'localStorage.getItem("samedeal.identity") || localStorage.setItem("samedeal.identity", \'{"name":"Alba"}\')'
    )
    page.goto(address)
    page.locator(".readybar .go").click()
    host.until(lambda view: any(seat.ready and seat.name == "Alba" for seat in view.seats))
    host.start()
    expect_table(page, after(code))
    page.wait_for_function(STEADY)


def moves_of(host: Rival, name: str = "Alba") -> int:
    """Return how many moves the standings count for *name*."""
    seat = next(seat.seat for seat in host.view.seats if seat.name == name)
    return next((row.moves for row in host.view.rows if row.seat == seat), 0)


def expect_moves(host: Rival, moves: int) -> None:
    """Wait until so many moves of the page are in the log."""
    host.until(lambda view: moves_of(host) == moves)


WAYS: dict[str, Callable[[Hands, str], None]] = {
    "drag": Hands.drag,
    "taps": Hands.tap_tap,
    "arrows": Hands.walk,
}


@pytest.mark.parametrize("game", CODES)
@pytest.mark.parametrize(
    ("way", "device"),
    [
        ("drag", "desktop"),
        ("drag", "phone"),
        ("drag", "lying"),
        ("taps", "desktop"),
        ("taps", "phone"),
        ("arrows", "desktop"),
    ],
)
def test_moves_are_made(seated: Seated, game: str, way: str, device: str) -> None:
    """The first moves of a line to the win, by mouse, by touch and by keyboard: each is shown and logged once."""
    page, host = seated(game, device)
    hands = Hands(page, touch=device != "desktop")
    line = line_of(CODES[game])[:MOVES]

    for number, text in enumerate(line, 1):
        WAYS[way](hands, text)
        expect_table(page, after(CODES[game], *line[:number]))

    expect_moves(host, MOVES)


@pytest.mark.parametrize("game", CODES)
@pytest.mark.parametrize("device", ["desktop", "phone"])
def test_double_taps_play_to_the_best_target(seated: Seated, game: str, device: str) -> None:
    """SS10, FC7: the engine's best target is where the card is seen."""
    page, host = seated(game, device)
    hands = Hands(page, touch=device != "desktop")
    attempt = after(CODES[game])
    for _ in range(4):
        move = next(
            move
            for move in attempt.rules.legal_moves(attempt.position)
            if attempt.rules.best_move(attempt.position, move.source, move.count) == move
        )
        hands.double(PILES[move.source], move.count - 1)
        attempt = attempt.play(move, 0)
        expect_table(page, attempt)
        page.wait_for_timeout(400)
    expect_moves(host, 4)


@pytest.mark.parametrize("game", CODES)
def test_moves_are_typed(seated: Seated, game: str) -> None:
    """Move text: source, target and, where it is not clear, v and a count."""
    page, host = seated(game)
    attempt = after(CODES[game])
    for text in line_of(CODES[game])[:MOVES]:
        page.locator(".table").first.wait_for()
        page.keyboard.type(typed(attempt.rules.legal_moves(attempt.position), Move.parse(text)))
        attempt = attempt.play(Move.parse(text), 0)
        expect_table(page, attempt)
    expect_moves(host, MOVES)


def typed(legal: list[Move], move: Move) -> str:
    """Return what has to be typed: the count only where others go the same way."""
    others = [each for each in legal if (each.source, each.target) == (move.source, move.target)]
    text = f"{PILES[move.source]}{PILES[move.target]}"
    return text if len(others) == 1 else f"{text}v{move.count:x}"


def test_typed_keys_are_shown_until_it_is_clear_what_they_mean(seated: Seated) -> None:
    """A move with several counts waits for v or enter; escape clears it."""
    page, host = seated("freecell")
    chip = page.locator(".typed")
    page.keyboard.type("2")
    expect(chip).to_have_text("2")
    page.keyboard.press("Escape")
    expect(chip).to_be_hidden()
    page.keyboard.type("2a")  # one card goes to a cell: it is the only one that can
    expect_table(page, after(CODES["freecell"], "2a"))
    expect(chip).to_be_hidden()
    expect_moves(host, 1)
