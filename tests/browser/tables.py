"""Tables to look at and to play on: a page in a race on a game's deal, near the server or far from it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, TypeAlias

import pytest
from playwright.sync_api import Page

from shared.attempt import Attempt
from shared.protocol.values import Options
from tests.browser.conftest import Visit
from tests.browser.far import Far
from tests.browser.guests import begin, enter
from tests.browser.rivals import Rival, Rivals
from tests.browser.serving import Server

CODES = {"simple-simon": "SS1-S2-AOHMRYH", "freecell": "FC1-AAALMXD"}
"""A deal of each game that the pools know."""

LONGEST = {
    "simple-simon": {
        "columns": [
            "9S 4S 8H 2S 6H 3H 9H KS QS JH TH 9S 8S 7H 6H 5S 4S 3S 2H AH",
            *("QH JS", "KH QH JS TS", "3S AS 8S 5S", "3S 7H 4H", "7S 6S 5H 4H", "2S AS 2S 6H", "8H KH 7S 6S 5S"),
            *("", "KS TS TH"),
        ],
        "home": [0, 0, 0, 0],
    },
    "freecell": {
        "columns": [
            "JD 2S TC 5D QC JH KC QD JC TH 9C 8D 7C 6H 5S 4H 3S 2H AS",
            *("KS QH JS 3C", "9D 8S 7D", "9S", "8H 7S 6D", "6C 5H 4S 3H", "TS 9H 8C 7H 6S", "KH QS TD AC"),
        ],
        "cells": ["", "", "5C", "KD"],
        "home": [0, 1, 4, 0],
    },
}
"""Tables with a longest legal column; what else lies there is filler."""

MEASURE = """async ({ game, table }) => {
  const [{ makeTable }, { laid }] = [await import("/table.js"), await import("/attempt.js")];
  const place = document.querySelector(".own-table");
  const view = makeTable({ game });
  place.replaceChildren(view.element);
  view.show(laid(table));
  const box = (each) => each.getBoundingClientRect();
  const column = view.piles.find(({ cards }) => cards.length > 18).cards;
  const cards = view.piles.flatMap((pile) => pile.cards).filter((card) => card.offsetWidth);
  const frame = box(view.element);
  const inside = ({ left, right, bottom }) =>
    left >= frame.left - 0.5 && right <= frame.right + 0.5 && bottom <= frame.bottom + 0.5;
  const strip = box(column[1]).top - box(column[0]).top;
  const index = (card) => [...card.querySelectorAll(".index svg")].map(box);
  return {
    inside: cards.every((card) => inside(box(card))),
    unscrolled: frame.bottom <= innerHeight && document.scrollingElement.scrollHeight <= innerHeight,
    rank: index(column[3])[0].height,
    strip,
    whole: column.slice(0, -1).every((card) => index(card).every(({ bottom }) => bottom <= box(card).top + strip)),
    apart: cards.every((card) => index(card).every(({ right }) => right <= box(card).right)),
  };
}"""
"""Draws a table in place of the one that is there, and measures it."""

STEADY = """() => {
  const here = JSON.stringify([...document.querySelectorAll(".card")].map((card) => card.getBoundingClientRect()));
  const since = here === window.lay ? window.since : performance.now();
  Object.assign(window, { lay: here, since });
  return performance.now() - since > 400;
}"""
"""Whether all cards have lain still for a while: the deal is over, and all the page's styles are there."""

Seated: TypeAlias = Callable[..., tuple[Page, Rival]]
Distant: TypeAlias = Callable[[float], Far]


@pytest.fixture(name="distant")
def far_server(server: Server, rivals: Rivals) -> Iterator[Distant]:
    """What puts the server far away: `distant(200)`. Asked for before the pages, it outlives them."""
    with ExitStack() as opened:
        yield lambda delay_ms: opened.enter_context(Far(server, rivals, delay_ms))


@pytest.fixture(name="seated")
def seated_page(visit: Visit, rivals: Rivals) -> Seated:
    """What seats a page in a race on a game's deal and waits for its table: `seated("freecell", "phone")`."""

    def seat(
        game: str,
        device: str = "desktop",
        address: str = "",
        code: str = "",
        **context: Any,  # noqa: ANN401  # of a browser
    ) -> tuple[Page, Rival]:
        host = rivals.join("TABLE", "Bert", options=Options(game=game, code=code or CODES[game], hint=True))
        page = enter(visit(device, **context), f"{address}/r/TABLE", "Alba")
        begin(page, host)
        page.wait_for_function(STEADY)
        return page, host

    return seat


def moves_of(host: Rival, name: str = "Alba") -> int:
    """Return how many moves the standings count for *name*."""
    seat = next(seat.seat for seat in host.view.seats if seat.name == name)
    return next((row.moves for row in host.view.rows if row.seat == seat), 0)


def expect_moves(host: Rival, moves: int) -> None:
    """Wait until so many moves of the page are in the log."""
    host.until(lambda view: moves_of(host) == moves)


def wrong_move(attempt: Attempt) -> str:
    """Return a move of a free card between two columns that is not legal."""
    legal = {str(move) for move in attempt.rules.legal_moves(attempt.position)}
    return next(text for text in ("12", "23", "34", "45", "56", "67", "78") if text not in legal)
