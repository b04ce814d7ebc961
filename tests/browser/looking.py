"""What was played, for pages that look back: races run to their end, and what the server and the engine say of them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.request import urlopen

import pytest
from msgspec import Struct
from playwright.sync_api import Page

from server.race.play import table_of
from shared.attempt import Attempt, State
from shared.gamecode import GameCode
from shared.protocol.messages import Resign, Restart, Undo
from shared.protocol.values import Options
from tests.browser.hands import LYING
from tests.browser.rivals import Rival, Rivals, line_of
from tests.browser.serving import Server


@pytest.fixture(scope="module", name="server")
def lasting_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for all tests of a module that imports this."""
    with Server(tmp_path_factory.mktemp("lasting")) as server:
        yield server


class Raced(Struct, frozen=True):
    """A race that is over."""

    id: str
    code: str
    attempts: Mapping[str, str]
    """The attempts' ids by the names of their players."""
    identities: Mapping[str, str]
    """What the players' browsers would have kept, by their names."""


def race(
    rivals: Rivals,
    room: str,
    options: Options,
    plays: Mapping[str, Sequence[str]],
    *,
    before: Raced | None = None,
    move_ms: float = 0,
) -> Raced:
    """Run a race: each player plays moves, or `undo`, `restart`, `resign`; `line` is the winning line from here on.

    The race has to end by that. Players of the race *before* come back.
    """
    known = {name: json.loads(kept)["token"] for name, kept in before.identities.items()} if before else {}
    host, *others = (rivals.join(room, name, options=options, token=known.get(name)) for name in plays)
    for other in others:
        other.ready()
    host.start()
    for rival, deeds in zip((host, *others), plays.values(), strict=True):
        act(rival, deeds, move_ms)
    view = host.until(lambda view: view.phase == "finished")
    names = {seat.seat: seat.name for seat in view.seats}
    attempts = {names[seat]: attempt for seat, attempt in view.attempts.items()}
    kept = {
        each.view.name: json.dumps({"name": each.view.name, "token": each.token, "player": each.view.player})
        for each in (host, *others)
    }
    return Raced(view.race, str(view.code), attempts, kept)


def be(page: Page, kept: str) -> None:
    """Let the browser of *page* be that of a player."""
    page.add_init_script(f"localStorage.setItem('samedeal.identity', {json.dumps(kept)})")


def act(rival: Rival, deeds: Sequence[str], move_ms: float = 0) -> None:
    """Let *rival* do all *deeds*."""
    view = rival.until(lambda view: view.code is not None and view.hand is not None)
    for deed in deeds:
        match deed:
            case "line":
                assert rival.view.hand
                rival.play(*line_of(str(view.code))[rival.view.hand.moves :], move_ms=move_ms)
            case "undo":
                rival.ask(Undo(ply=rival.view.ply))
            case "restart":
                rival.ask(Restart(ply=rival.view.ply))
            case "resign":
                rival.ask(Resign(ply=rival.view.ply))
            case _:
                rival.play(deed, move_ms=move_ms)


def told(server: Server, path: str) -> Any:  # noqa: ANN401  # whatever the server says
    """Return what `/api` says at *path*."""
    with urlopen(f"{server.address}/api/{path}", timeout=10) as answer:
        return json.load(answer)


def positions(code: str, entries: Sequence[tuple[int, str]]) -> list[str]:
    """Return the tables that the engine has after each of *entries*, the deal first, as `stepped` returns them."""
    attempt, found = Attempt.start(GameCode.parse(code)), list[str]()
    for entry in (None, *entries):
        if entry is not None:
            attempt = attempt.take(((entry[0], entry[1]),))
        table = table_of(attempt.position)
        home = list(table.home) if attempt.rules.foundations else [0, 0, 0, 0]
        found.append(json.dumps({"columns": list(table.columns), "cells": list(table.cells), "home": home}))
    assert attempt.state in (State.PLAYING, State.SOLVED, State.RESIGNED)
    return found


def expect_shown(page: Page, side: int, wanted: str) -> None:
    """Wait until the table of the *side*-th attempt is the *wanted* one: moves of several steps take a moment."""
    script = f"([side, wanted]) => JSON.stringify(({LYING})(document.querySelectorAll('.side')[side])) === wanted"
    page.wait_for_function(script, arg=[side, json.dumps(json.loads(wanted), separators=(",", ":"))])


STEPPED = f"""([key, times]) => {{
  const side = document.querySelector(".side");
  return Array.from({{ length: times }}, () => {{
    document.body.dispatchEvent(new KeyboardEvent("keydown", {{ key, bubbles: true }}));
    return [Number(side.dataset.ply), ({LYING})(side)];
  }});
}}"""
"""Presses a key so many times, and returns after each where the replay is and what it shows."""


def stepped(page: Page, key: str, times: int) -> list[tuple[int, str]]:
    """Press a key so many times; return the ply and the table after each. The page has to be without movement."""
    return [(ply, json.dumps(table)) for ply, table in page.evaluate(STEPPED, [key, times])]


BOXES = """(selector) => [...document.querySelectorAll(selector)]
  .map((each) => each.getBoundingClientRect().toJSON())
  .filter(({ width }) => width > 0)"""
"""Where all that *selector* finds is seen."""


def fits(page: Page, *selectors: str) -> None:
    """Check that nothing makes the page scroll sideways, and that the *selectors* lie within the window's width."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways"
    width = page.evaluate("innerWidth")
    for selector in selectors:
        for box in page.evaluate(BOXES, selector):
            assert box["left"] >= -1, selector
            assert box["right"] <= width + 1, selector


def lowest(page: Page, selector: str) -> float:
    """Return how far down what *selector* finds reaches."""
    return float(max(box["bottom"] for box in page.evaluate(BOXES, selector)))


def smallest(page: Page, selector: str) -> float:
    """Return the least width or height of what *selector* finds."""
    return float(min(min(box["width"], box["height"]) for box in page.evaluate(BOXES, selector)))
