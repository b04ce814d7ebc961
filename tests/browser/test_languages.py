"""The page in each language: the browser's choice, one's own, plurals, refusals, and the rules with their pictures."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from shared.games import RULES
from shared.protocol.values import Options
from shared.texts import ENGLISH, Texts
from tests.browser.conftest import Visit
from tests.browser.rivals import Rivals

LOCALES = Path(__file__).parents[2] / "shared" / "locales"
TEXTS = {path.stem: Texts.parse(path.read_bytes(), path.stem) for path in sorted(LOCALES.glob("*.json"))}
ASKED = {"en": "en-GB", "ru": "ru-RU", "id": "id-ID", "ca": "ca-ES"}
"""What a browser asks for, by what the page then speaks."""

NARROW = "document.documentElement.scrollWidth <= innerWidth"

CUT = """() => [...document.querySelectorAll("button, a, h1, h2, h3, label, .tag, .toast, legend")]
  .filter((each) => each.checkVisibility() && each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0)
  .filter((each) => !["ellipsis"].includes(getComputedStyle(each).textOverflow))
  .filter((each) => getComputedStyle(each).display !== "inline" && !each.closest(".gone-sr, .skip, .table"))
  .map((each) => each.textContent)"""
"""Texts that are wider than the place that shows them, those apart that may end in an ellipsis."""


def said(language: str, key: str, **params: str | int) -> str:
    """Return a text as the page shows it."""
    text = TEXTS[language].text(key, **params)
    assert text != key, f"there is no {key}"
    return text


def whole(language: str, key: str, **params: str | int) -> re.Pattern[str]:
    """Return a pattern for nothing but that text."""
    return re.compile(f"^{re.escape(said(language, key, **params))}$")


@pytest.mark.parametrize("language", TEXTS)
def test_browser_says_which_language(visit: Visit, language: str) -> None:
    """
    What the browser prefers is spoken from the first word, and nothing is left as a bare key or a placeholder.
    """
    page = visit("phone", "/", locale=ASKED[language])
    expect(page.get_by_role("heading", level=1)).to_have_text(said(language, "landing.headline"))
    assert page.evaluate("document.documentElement.lang") == language
    text = page.locator("body").inner_text()
    assert "{{" not in text
    assert not re.search(r"\b(landing|options|page|settings)\.\w+", text)


def test_unknown_language_is_english(visit: Visit) -> None:
    """A browser that asks for none of the page's languages gets English."""
    page = visit("phone", "/", locale="de-DE")
    expect(page.get_by_role("heading", level=1)).to_have_text(said(ENGLISH, "landing.headline"))


def test_language_is_switched_and_kept(visit: Visit) -> None:
    """Another language is taken from the top line, spoken at once, and still spoken after a reload."""
    page = visit("desktop", "/", locale="en-GB")
    page.get_by_role("button", name=said("en", "page.language")).click()
    for language, name in (("ru", "Русский"), ("id", "Bahasa Indonesia"), ("ca", "Català")):
        page.get_by_role("radio", name=name).click()
        expect(page.get_by_role("heading", level=1)).to_have_text(said(language, "landing.headline"))
        page.reload()
        expect(page.get_by_role("heading", level=1)).to_have_text(said(language, "landing.headline"))
        page.get_by_role("button", name=said(language, "page.language")).click()


@pytest.mark.parametrize("language", TEXTS)
def test_what_counts_is_said_in_its_plural(visit: Visit, language: str) -> None:
    """
    Levels have one, two and four suits: each number with the plural of the language, by the browser as by Babel.
    """
    page = visit("phone", "/", locale=ASKED[language])
    for count in RULES["simple-simon"].suits:
        expect(page.get_by_text(whole(language, "options.suits", count=count))).to_be_visible()


@pytest.mark.parametrize("language", TEXTS)
def test_refusal_is_a_sentence(visit: Visit, rivals: Rivals, language: str) -> None:
    """
    In the warm-up a move that the rules do not allow is refused with the sentence of the language and the rule, cards
    by their signs.
    """
    rivals.join("ROOM", "Bert", options=Options(game="simple-simon", suits=1))
    page = enter(visit("phone", locale=ASKED[language]), language)
    columns = page.locator(".table.live .col")
    expect(columns).to_have_count(10)
    typed = unfit(page)
    page.keyboard.type(typed)
    page.keyboard.press("Enter")
    pattern = re.escape(TEXTS[language].refusals["NOT_NEXT_SS3"])
    for name in ("card", "onto"):
        pattern = pattern.replace(re.escape(f"{{{{{name}}}}}"), "(10|[2-9AJQK])♠")
    expect(page.get_by_text(re.compile(pattern)).first).to_be_visible()
    expect(page.locator(".toast a")).to_have_attribute("href", "/rules/simple-simon#SS3")


def unfit(page: Page) -> str:
    """Return a move of one card that does not fit, by what lies on the table."""
    tops = page.locator(".table.live .col .card:last-child").evaluate_all("all => all.map((each) => each.dataset.card)")
    ranks = ["A23456789TJQK".index(card[0]) for card in tops]
    source, target = next((a, b) for a in range(9) for b in range(9) if a != b and ranks[b] != ranks[a] + 1)
    return f"{source + 1}{target + 1}"


def enter(page: Page, language: str) -> Page:
    """Come into the room as somebody new."""
    page.goto("/r/ROOM")
    page.get_by_role("button", name=said(language, "landing.join")).click()
    missing = said(language, "page.missing", field=said(language, "page.yourName"))
    expect(page.get_by_role("alert")).to_have_text(missing)
    page.get_by_label(said(language, "page.yourName")).fill("Alba")
    page.get_by_role("button", name=said(language, "landing.join")).click()
    return page


@pytest.mark.parametrize("language", TEXTS)
def test_no_text_is_cut_on_a_phone(visit: Visit, rivals: Rivals, language: str) -> None:
    """
    On 360 × 640 every page of the way into a race holds its texts: front page, room, settings, boards, rules.
    """
    rivals.join("ROOM", "Bert", options=Options(game="simple-simon", suits=1))
    page = visit("phone", "/", locale=ASKED[language])
    pages = ["/", "/leaderboards", "/rules/simple-simon", "/rules/freecell"]
    for path in pages:
        page.goto(path)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        expect(page.locator(".bones")).to_have_count(0)
        assert page.evaluate(NARROW), path
        assert page.evaluate(CUT) == [], path
    enter(page, language)
    expect(page.get_by_role("button", name=said(language, "room.imReady"))).to_be_visible()
    assert page.evaluate(NARROW)
    assert page.evaluate(CUT) == []
    page.get_by_role("button", name=said(language, "page.settings")).click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert page.evaluate(CUT) == []


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("game", RULES)
def test_rules_are_told_with_their_numbers(visit: Visit, language: str, game: str) -> None:
    """
    The page of a game's rules tells each of them under its number, in the language, and what a race is.
    """
    page = visit("phone", f"/rules/{game}", locale=ASKED[language])
    told = json.loads((LOCALES / "rules" / f"{language}.json").read_text(encoding="utf-8"))
    for rule in (key for key in told[game] if f"{key}Text" in told[game]):
        article = page.locator(f"article#{rule}")
        expect(article.locator("h3")).to_have_text(f"{told[game][rule]}{rule}")
        expect(article.locator("p").first).to_have_text(told[game][f"{rule}Text"])
    expect(page.locator("article#places p")).to_have_text(told["race"]["placesText"])
    other = next(each for each in RULES if each != game)
    page.get_by_role("link", name=whole(language, f"game.{other}")).click()
    expect(page.locator(f"article#{RULES[other].prefix}1")).to_be_visible()


def test_picture_moves_and_can_be_stopped(visit: Visit) -> None:
    """
    A picture in view plays by itself and over again; paused it stands, and each step shows the next ply, a refused
    one with its sentence.
    """
    page = visit("desktop", "/rules/simple-simon")
    picture = page.locator("article#SS3 figure")
    picture.scroll_into_view_if_needed()
    column = picture.locator('[data-pile="2"] .card')
    expect(column).to_have_count(3)
    picture.get_by_role("button", name="Pause").click()
    expect(picture.get_by_role("button", name="Play")).to_be_visible()
    while column.count() != 2:
        picture.get_by_role("button", name="Step").click()
    for _ in range(3):
        picture.get_by_role("button", name="Step").click()
    expect(picture.locator("figcaption p")).to_have_text(
        "Q♣ does not go on J♥: it needs one rank higher, or an empty column."
    )
    expect(column).to_have_count(4)


def test_picture_waits_where_motion_is_reduced(visit: Visit) -> None:
    """With reduced motion nothing moves by itself; a step shows the next ply."""
    page = visit("desktop", reduced_motion="reduce")
    page.clock.install()
    page.goto("/rules/freecell")
    picture = page.locator("article#FC10 figure")
    picture.scroll_into_view_if_needed()
    expect(picture.get_by_role("button", name="Play")).to_be_visible()
    page.clock.run_for(5_000)
    expect(picture.locator('[data-pile="1"] .card')).to_have_count(2)
    picture.get_by_role("button", name="Step").click()
    expect(picture.locator('[data-pile="1"] .card')).to_have_count(0)
