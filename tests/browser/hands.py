"""Hands on a table of the page: what a player does with mouse, fingers or keys, and what is seen there."""

import json
from time import time
from typing import Any

from playwright.sync_api import Page

from server.race.play import table_of
from shared.attempt import Attempt
from shared.gamecode import GameCode
from shared.moves import PILES, Move

LYING = """(root) => {
  const texts = (pile) => [...(pile?.querySelectorAll(".card") ?? [])].map((card) => card.dataset.card);
  const all = (names) => [...names].map((name) => root.querySelector(`[data-pile="${name}"]`)).filter(Boolean);
  return {
    columns: all("1234567890").map((pile) => texts(pile).join(" ")),
    cells: all("abcd").map((pile) => texts(pile)[0] ?? ""),
    home: [..."SHDC"].map((suit) => texts(root.querySelector(`[data-suit="${suit}"][data-pile]`)).length),
  };
}"""
"""What lies on the table within *root*, as the wire tells it; sequences that have left are not seen."""

TABLE = f"() => ({LYING})(document.querySelector('.table.live') ?? document)"
"""What lies on the own table, or else on the one that is there."""

STILL = "document.getAnimations().every((animation) => !animation.id || animation.playState !== 'running')"
"""Whether no card is under way."""

PLACE = """([name, above, suit]) => {
  const pile = document.querySelector(`.table.live [data-pile="${name}"]${suit ? `[data-suit="${suit}"]` : ""}`);
  const cards = [...pile.querySelectorAll(".card")];
  const shown = cards.at(-1 - above) ?? pile.querySelector(".slot");
  const [box, next] = [shown, cards.at(-above)].map((each) => each?.getBoundingClientRect());
  const height = above ? next.top - box.top : box.height;
  return [box.left + box.width / 2, box.top + height / 2];
}"""
"""Where a card is seen that has so many others above it."""

TAPS_S = 0.1
"""Between the taps of a double tap."""

STEPS = 6
"""A drag's way is told in so many."""


def after(code: str, *moves: str) -> Attempt:
    """Return the attempt that the engine makes of *moves*."""
    attempt = Attempt.start(GameCode.parse(code))
    for text in moves:
        attempt = attempt.play(Move.parse(text), 0)
    return attempt


def drawn(attempt: Attempt) -> str:
    """Return the attempt's table as JSON, as LYING finds it: sequences that have left are not seen."""
    table = table_of(attempt.position)
    home = table.home if attempt.rules.foundations else (0, 0, 0, 0)
    return json.dumps({"columns": table.columns, "cells": table.cells, "home": home}, separators=(",", ":"))


def expect_table(page: Page, attempt: Attempt) -> None:
    """Wait until the page shows what the engine has, and nothing is under way."""
    page.wait_for_function(f"(wanted) => JSON.stringify(({TABLE})()) === wanted && {STILL}", arg=drawn(attempt))


class Hands:
    """Someone at *page*, with a mouse or, on a page that is touched, fingers."""

    def __init__(self, page: Page, *, touch: bool = False) -> None:
        self.page = page
        self._touch = touch
        self._line = page.context.new_cdp_session(page) if touch else None

    def at(self, pile: str, above: int = 0, suit: str = "") -> tuple[float, float]:
        """Return where the card of *pile* is seen that has *above* others on it."""
        x, y = self.page.evaluate(PLACE, [pile, above, suit])
        return x, y

    def suit_of(self, move: Move) -> str:
        """Return the suit of the foundation that *move* goes to, "" if to another pile."""
        if PILES[move.target] != "h":
            return ""
        pile = self.page.locator(f'.table.live [data-pile="{PILES[move.source]}"] .card').last
        return (pile.get_attribute("data-card") or "  ")[1]

    def tap(self, pile: str, above: int = 0, suit: str = "") -> None:
        """Tap or click there once."""
        x, y = self.at(pile, above, suit)
        if self._touch:
            self.page.touchscreen.tap(x, y)
        else:
            self.page.mouse.click(x, y)

    def tap_tap(self, text: str) -> None:
        """Play a move by choosing the run, then its target."""
        move = Move.parse(text)
        suit = self.suit_of(move)
        self.tap(PILES[move.source], move.count - 1)
        self.tap(PILES[move.target], suit=suit)

    def double(self, pile: str, above: int = 0) -> None:
        """Tap or click there twice, by the stamps of the taps: however long a slow page takes over the first."""
        x, y = self.at(pile, above)
        line = self._line or self.page.context.new_cdp_session(self.page)
        first_s = time() - TAPS_S
        if not self._touch:
            self.page.mouse.move(x, y)
        for count, stamp in ((1, first_s), (2, first_s + TAPS_S)):
            for touched, clicked in (("touchStart", "mousePressed"), ("touchEnd", "mouseReleased")):
                points = [{"x": x, "y": y}] if touched == "touchStart" else []
                touch = {"type": touched, "touchPoints": points, "timestamp": stamp}
                click = {"type": clicked, "x": x, "y": y, "button": "left", "clickCount": count, "timestamp": stamp}
                if self._touch:
                    line.send("Input.dispatchTouchEvent", touch)
                else:
                    line.send("Input.dispatchMouseEvent", click)

    def drag(self, text: str) -> None:
        """Play a move by dragging the run to its target."""
        move = Move.parse(text)
        end = self.at(PILES[move.target], suit=self.suit_of(move))
        self.take_up(PILES[move.source], move.count - 1)
        self.carry(end)
        self.let_go(end)

    def take_up(self, pile: str, above: int = 0) -> None:
        """Begin to drag the run there."""
        self._from = self.at(pile, above)
        self._press("touchStart", self._from)

    def carry(self, end: tuple[float, float]) -> None:
        """Carry what is held to *end*."""
        (x, y), (to_x, to_y) = self._from, end
        for step in range(1, STEPS + 1):
            self.move((x + (to_x - x) * step / STEPS, y + (to_y - y) * step / STEPS))

    def move(self, place: tuple[float, float]) -> None:
        """Move what is held to *place* in one go; the page has heard of it then, in a frame of its own."""
        self._press("touchMove", place)

    def let_go(self, end: tuple[float, float]) -> None:
        """Let go of what is held at *end*."""
        self._press("touchEnd", end)

    def _press(self, kind: str, at: tuple[float, float]) -> None:
        if self._line:
            points: list[dict[str, Any]] = [] if kind == "touchEnd" else [{"x": at[0], "y": at[1], "id": 1}]
            self._line.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        elif kind == "touchMove":
            self.page.mouse.move(*at)
        elif kind == "touchStart":
            self.page.mouse.move(*at)
            self.page.mouse.down()
        else:
            self.page.mouse.up()

    def walk(self, text: str) -> None:
        """Play a move by arrows and enter: to the run, choose it, to the target, put it down."""
        move = Move.parse(text)
        suit = self.suit_of(move)
        self.go_to(PILES[move.source])
        for _ in range(move.count - 1):
            self.page.keyboard.press("ArrowUp")
        self.page.keyboard.press("Enter")
        self.go_to(PILES[move.target], suit)
        self.page.keyboard.press("Space")

    def go_to(self, pile: str, suit: str = "") -> None:
        """Move the focus with arrows to the last card of *pile*."""
        for _ in range(40):
            place = self.page.evaluate(FOCUS)
            if place and place["pile"] == pile and (not suit or place["suit"] == suit):
                self.page.keyboard.press("End")
                return
            self.page.keyboard.press(_towards(place, pile))
        raise AssertionError(f"arrows do not lead to {pile}")


FOCUS = """() => {
  const pile = document.activeElement?.closest?.("[data-pile]");
  const place = document.activeElement && [...(pile?.querySelectorAll(".card") ?? [])].indexOf(document.activeElement);
  return pile && { pile: pile.dataset.pile, suit: pile.dataset.suit ?? "", place };
}"""


def _towards(place: dict[str, Any] | None, pile: str) -> str:
    """Return the arrow that leads from *place* to *pile*: first into its row."""
    if place is None:
        return "ArrowRight"
    here, there = place["pile"] in PILES[:10], pile in PILES[:10]
    if here == there:
        return "ArrowRight"
    return "ArrowUp" if here else "ArrowDown"
