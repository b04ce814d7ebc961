"""What is seen of a table: how cards move, where the focus is, and looks for eyes that want them larger or clearer."""

from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from shared.moves import Move
from tests.browser.hands import Hands, after, expect_table
from tests.browser.rivals import line_of
from tests.browser.tables import (
    CODES,
    LONGEST,
    MEASURE,
    Distant,
    Seated,
    expect_moves,
    far_server,  # noqa: F401  # a fixture
    seated_page,  # noqa: F401  # a fixture
    wrong_move,
)

FREECELL = CODES["freecell"]

# How cards move

WATCH = """([selector, id]) => {
  const middle = (each) => {
    const { left, top, width, height } = each.getBoundingClientRect();
    return [left + width / 2, top + height / 2];
  };
  const follow = () => {
    const moving = document.querySelector(selector);
    const way = moving?.getAnimations().find((each) => each.id === id);
    if (!way) return requestAnimationFrame(follow);
    way.pause();
    const { duration } = way.effect.getComputedTiming();
    const last = duration - 0.01;
    window.way = Array.from({ length: 33 }, (_, step) => ((way.currentTime = (last * step) / 32), middle(moving)));
    way.finish();
  };
  follow();
}"""
"""Waits for a movement of what *selector* finds and notes 33 places on its way, from its first frame to its last."""


def way(page: Page) -> list[tuple[float, float]]:
    """Return the places on the way that was watched."""
    page.wait_for_function("() => window.way")
    return [(x, y) for x, y in page.evaluate("way")]


def expect_smooth(places: list[tuple[float, float]]) -> None:
    """Check that a way is one: it goes from one place to another through those between, and nowhere jumps."""
    (x, y), end = places[0], places[-1]
    whole = abs(end[0] - x) + abs(end[1] - y)
    gone = [abs(at_x - x) + abs(at_y - y) for at_x, at_y in places]
    assert whole > 20, "it moves at all"
    assert max(later - before for before, later in pairwise(gone)) < 0.25 * whole
    assert min(later - before for before, later in pairwise(gone)) > -1
    assert sum(0.05 * whole < each < 0.95 * whole for each in gone) > 5


def card_of(page: Page, pile: str) -> str:
    """Return the selector of the free card of *pile*."""
    card = page.locator(f'.table.live [data-pile="{pile}"] .card').last.get_attribute("data-card")
    return f'.table.live .layout > :not(.held) [data-card="{card}"]'


@pytest.mark.parametrize("device", ["desktop", "phone"])
def test_a_card_that_is_tapped_glides(seated: Seated, device: str) -> None:
    """From where it lay to where it lies, through the places between."""
    page, host = seated("freecell", device)
    hands, move = Hands(page, touch=device == "phone"), line_of(FREECELL)[0]
    before, suit = hands.at(move[0]), hands.suit_of(Move.parse(move))
    page.evaluate(WATCH, [card_of(page, move[0]), "glide"])
    hands.tap_tap(move)
    places = way(page)
    expect_smooth(places)
    expect_table(page, after(FREECELL, move))
    for place, there in ((places[0], before), (places[-1], hands.at(move[1], suit=suit))):
        assert place == pytest.approx(there, abs=1.5)
    expect_moves(host, 1)


def test_a_refused_drop_glides_home(seated: Seated) -> None:
    """What is held goes back from where it was let go of."""
    page, _ = seated("freecell")
    hands, wrong = Hands(page), wrong_move(after(FREECELL))
    page.evaluate(WATCH, [".held", "home"])
    hands.drag(wrong)
    expect_smooth(way(page))
    expect(page.locator(".held")).to_have_count(0)
    expect_table(page, after(FREECELL))


def test_a_move_that_is_taken_back_glides(distant: Distant, seated: Seated) -> None:
    """The server refuses what was shown: the card goes the whole way back, and shakes (by 5 px) as it goes."""
    far = distant(0)
    page, _ = seated("freecell", address=far.address)
    hands, first = Hands(page), line_of(FREECELL)[0]
    attempt = after(FREECELL, first)
    wrong = wrong_move(attempt)
    far.delay_ms = 4_000
    hands.drag(first)
    home, card = hands.at(wrong[0]), card_of(page, wrong[0])
    hands.drag(wrong)
    page.evaluate(WATCH, [card, "glide"])
    places = way(page)
    expect_smooth(places)
    assert places[-1] == pytest.approx(home, abs=6)
    expect_table(page, attempt)


def test_without_motion_nothing_glides(seated: Seated) -> None:
    """Who asked for reduced motion sees every move, and what is refused go back, at once."""
    page, _ = seated("freecell", reduced_motion="reduce")
    page.evaluate("""() => {
      window.glided = 0;
      const animate = Element.prototype.animate;
      Element.prototype.animate = function (...given) { window.glided += 1; return animate.apply(this, given); };
      const look = () => (window.still_held = document.querySelector(".held") !== null);
      addEventListener("pointerup", () => queueMicrotask(look));
    }""")
    move = line_of(FREECELL)[0]
    Hands(page).tap_tap(move)
    expect_table(page, after(FREECELL, move))
    Hands(page).drag(wrong_move(after(FREECELL, move)))
    expect_table(page, after(FREECELL, move))
    assert page.evaluate("[glided, still_held]") == [0, False]


# Refusals without words

HEAR = """() => {
  window.heard = [];
  const hear = (changes) => window.heard.push(...changes.map(({ target }) => target.textContent).filter(Boolean));
  for (const region of document.querySelectorAll("#announced, [role=status]"))
    new MutationObserver(hear).observe(region, { childList: true, subtree: true });
  const look = () => {
    const refused = document.querySelector(".live .card.refused");
    if (refused) window.rim = getComputedStyle(refused).boxShadow;
  };
  const table = document.querySelector(".table.live");
  new MutationObserver(look).observe(table, { subtree: true, attributeFilter: ["class"] });
  Object.assign(window, { rim: "", shaken: 0 });
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (steps, options) {
    window.shaken += options.id === "shake" && this.matches(".card");
    return animate.call(this, steps, options);
  };
}"""
"""Notes what is told to readers of screens, the rim of a refused card, and how often cards shake."""


@pytest.mark.parametrize("explained", [True, False])
def test_refusals_are_explained_or_only_seen(seated: Seated, explained: bool) -> None:
    """Without interactive rules a refused card shakes and has a rim all the same, but no sentence is seen or heard."""
    page, host = seated("freecell")
    page.evaluate(
        "on => import('/settings.js').then(({ settings }) => settings.set('interactiveRules', on))", explained
    )
    page.evaluate(HEAR)
    hands, wrong = Hands(page), wrong_move(after(FREECELL))
    hands.drag(wrong)
    page.wait_for_function("() => window.shaken > 0 && window.rim.includes('0px 2px inset')")
    expect(page.locator(".toast")).to_have_count(1 if explained else 0)
    hands.drag(line_of(FREECELL)[0])
    expect_moves(host, 1)
    told = [each for each in page.evaluate("heard") if " to " not in each]
    assert bool(told) is explained, told


# Where the focus is

RING = """(element) => {
  const rgb = (colour) => {
    const paint = new OffscreenCanvas(1, 1).getContext("2d");
    paint.fillStyle = colour;
    paint.fillRect(0, 0, 1, 1);
    return [...paint.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const style = getComputedStyle(element);
  return {
    style: style.outlineStyle,
    width: parseFloat(style.outlineWidth),
    offset: parseFloat(style.outlineOffset),
    colour: rgb(style.outlineColor),
    text: rgb(style.color),
    under: rgb(style.backgroundColor),
    behind: rgb(getComputedStyle(document.body).backgroundColor),
    shadow: style.boxShadow,
  };
}"""
"""How an element is marked."""


def contrast(one: list[int], other: list[int]) -> float:
    """Return the contrast of two colours (WCAG 2.2)."""

    def light(colour: list[int]) -> float:
        shares = [part / 255 for part in colour]
        linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
        return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    darker, lighter = sorted((light(one), light(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize(
    "looks",
    [{"color_scheme": "light"}, {"color_scheme": "dark"}, {"forced_colors": "active"}],
    ids=["light", "dark", "forced colours"],
)
def test_the_focus_is_seen_wherever_it_is(seated: Seated, looks: dict[str, Any]) -> None:
    """On cards, empty cells and foundations, and on each button: a ring of 2 px or more that stands out."""
    page, _ = seated("freecell", **looks)
    hands = Hands(page)
    for goal in ("1", "a", "h"):
        hands.go_to(goal)
        expect_ring(page, on_card=goal == "1")
    page.locator(".menu button").focus()
    for _ in range(page.locator("nav.actions button:visible:enabled").count()):
        page.keyboard.press("Tab")
        expect_ring(page)


def expect_ring(page: Page, *, on_card: bool = False) -> None:
    """Check that what has the focus has a ring, and had none without."""
    focused = page.evaluate_handle("document.activeElement").as_element()
    assert focused
    ring = focused.evaluate(RING)
    focused.evaluate("element => element.blur()")
    bare = focused.evaluate(RING)
    focused.evaluate("element => element.focus()")
    assert bare["style"] == "none"
    assert ring["style"] == "solid"
    assert ring["width"] >= 2
    assert (ring["offset"] < 0) is on_card, "that of a card lies within it: cards lie on cards"
    assert contrast(ring["colour"], ring["under"] if on_card else ring["behind"]) >= 3


# Larger and clearer

PREFER = "wanted => import('/settings.js').then(({ settings }) => settings.set(...wanted))"


@pytest.mark.parametrize("game", CODES)
@pytest.mark.parametrize("device", ["phone", "lying"])
def test_larger_cards_fit_too(seated: Seated, device: str, game: str) -> None:
    """The longest column is seen whole, its indices are larger than usual, and nothing scrolls."""
    page, _ = seated(game, device)
    usual = page.evaluate(MEASURE, {"game": game, "table": LONGEST[game]})
    page.evaluate(PREFER, ["cards", "large"])
    larger = page.evaluate(MEASURE, {"game": game, "table": LONGEST[game]})
    assert {each for each, holds in larger.items() if holds is False} == set()
    assert larger["rank"] > usual["rank"]


COLOURS = f"""() => [..."SHDC"].map((suit) => ({RING})(document.querySelector(`.table.live .card.${{suit}}`)))"""
"""What colours a card of each suit has."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_four_suits_have_four_colours(seated: Seated, scheme: str) -> None:
    """Two colours usually, four where that is wanted; each can be read on its face."""
    page, _ = seated("freecell", color_scheme=scheme)
    for wanted, colours in (("two", 2), ("four", 4)):
        page.evaluate(PREFER, ["suits", wanted])
        found = page.evaluate(COLOURS)
        assert len({tuple(each["text"]) for each in found}) == colours
        assert all(contrast(each["text"], each["under"]) >= 4.5 for each in found)


SHAPES = """() => [..."SHDC"].map((suit) => {
  const use = document.querySelector(`.table.live .card.${suit} use[href="#${suit}"]`);
  const { width, height } = use.getBBox();
  return [document.getElementById(suit).getAttribute("d"), Math.min(width, height)];
})"""
"""What is drawn of each suit on its cards, and how large."""


def test_four_suits_have_four_shapes(seated: Seated) -> None:
    """Each card has the drawing of its suit, which is no letter of a font."""
    page, _ = seated("freecell")
    found = page.evaluate(SHAPES)
    assert len({path for path, _ in found}) == 4
    assert all(size > 10 for _, size in found)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("suits", ["two", "four"])
def test_high_contrast_is_high(seated: Seated, scheme: str, suits: str) -> None:
    """Indices and edges of cards stand out from their faces by 7 to 1, also from one that the mouse is over."""
    page, _ = seated("freecell", color_scheme=scheme)
    page.evaluate(PREFER, ["suits", suits])
    page.evaluate(PREFER, ["contrast", "high"])
    for suit in "SHDC":
        page.locator(f".live .card[data-card$={suit}]").first.hover(position={"x": 5, "y": 5})
        faces = page.evaluate(COLOURS)
        assert len({tuple(each["under"]) for each in faces}) == 2
        for each in faces:
            assert contrast(each["text"], each["under"]) >= 7, each
            edge = [int(part) for part in each["shadow"].split(")")[0].removeprefix("rgb(").split(",")]
            assert contrast(edge, each["under"]) >= 7, each
