"""The table: drawn as it should be, and played on in each of four ways, in both games."""

import json
from collections.abc import Callable
from itertools import pairwise

import pytest
from msgspec import to_builtins
from playwright.sync_api import CDPSession, Page, expect

from server.race.play import table_of
from server.web.constants import constants
from shared.attempt import Attempt
from shared.gamecode import GameCode
from shared.games import RULES
from shared.moves import PILES, Move
from tests import vectors
from tests.browser.hands import TABLE, Hands, after, drawn, expect_table
from tests.browser.rivals import line_of
from tests.browser.tables import (
    CODES,
    LONGEST,
    MEASURE,
    Distant,
    Seated,
    expect_moves,
    far_server,  # noqa: F401  # a fixture
    moves_of,
    seated_page,  # noqa: F401  # a fixture
    wrong_move,
)
from tests.games_for_tests import third_game
from tests.test_vectors import walk

MOVES = 10

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
    """Where several counts may go there, v or enter has to come: enter plays one card. Escape clears what is typed."""
    code = "SS1-S1-AAH5YNX"
    page, host = seated("simple-simon", code=code)
    chip, first = page.locator(".typed"), line_of(code)[0]
    Hands(page).drag(first)
    expect_moves(host, 1)
    for keys in ("1", "10", "10v"):
        page.keyboard.type(keys)
        expect(chip).to_have_text(keys)
        page.keyboard.press("Escape")
        expect(chip).to_be_hidden()
    page.keyboard.type("10")
    page.keyboard.press("Enter")
    expect_table(page, after(code, first, "10"))
    expect(chip).to_be_hidden()
    expect_moves(host, 2)


@pytest.mark.parametrize("game", CODES)
def test_a_whole_line_is_typed_ahead(seated: Seated, game: str) -> None:
    """Keys typed faster than answers come wait for them: the deal is won by typing."""
    page, host = seated(game)
    line = line_of(CODES[game])
    attempt, keys = after(CODES[game]), ""
    for text in line:
        keys += typed(attempt.rules.legal_moves(attempt.position), Move.parse(text))
        attempt = attempt.play(Move.parse(text), 0)
    page.keyboard.type(keys)
    expect_moves(host, len(line))


def test_steps_move_cards_as_in_python(desktop: Page) -> None:
    """Every step of every walk leads to the engine's position, and back again."""
    desktop.goto("/")
    for row in vectors.rows("walks.jsonl.gz"):
        attempts = walk(row)
        steps = [list(before.steps(later.entries[-1][1])) for before, later in pairwise(attempts)]
        tables = [to_builtins(table_of(attempt.position)) for attempt in attempts]
        wrong = desktop.evaluate(WALKED, [tables, steps])
        assert wrong == []


WALKED = """async ([tables, steps]) => {
  const { laid, moved, back } = await import("/attempt.js");
  const positions = tables.map(laid);
  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  return steps.filter((each, place) => {
    const [before, after] = [positions[place], positions[place + 1]];
    return !same(moved(before, each), after) || !same(moved(after, back(before, each)), before);
  });
}"""
"""Moves along a walk; returns the steps that lead elsewhere."""


# Refusals, and moves faster than the answers


def test_a_drop_that_is_refused_glides_home_and_says_why(seated: Seated) -> None:
    """SS3, FC2: the rule is told in a sentence; nothing is logged, and play goes on."""
    page, host = seated("freecell")
    hands = Hands(page)
    attempt = after(CODES["freecell"])
    hands.drag(wrong_move(attempt))
    expect(page.locator(".toast a")).to_have_attribute("href", "/rules/freecell#FC2")
    expect_table(page, attempt)
    hands.drag(line_of(CODES["freecell"])[0])
    expect_table(page, after(CODES["freecell"], line_of(CODES["freecell"])[0]))
    expect_moves(host, 1)


def test_a_move_shown_too_early_is_taken_back(distant: Distant, seated: Seated) -> None:
    """While choices are on their way a wrong move is shown, then refused: it and what hung on it glide back."""
    far = distant(0)
    page, host = seated("freecell", address=far.address)
    hands = Hands(page)
    first = line_of(CODES["freecell"])[0]
    attempt = after(CODES["freecell"], first)
    wrong = wrong_move(attempt)
    far.delay_ms = 4_000
    hands.drag(first)
    hands.drag(wrong)
    assert json.dumps(page.evaluate(TABLE), separators=(",", ":")) != drawn(attempt), "it is shown at once"
    expect_table(page, attempt)
    expect(page.locator(".toast a")).to_have_attribute("href", "/rules/freecell#FC2")
    expect_moves(host, 1)


@pytest.mark.parametrize("game", CODES)
def test_fast_moves_are_shown_at_once_and_logged_once(distant: Distant, seated: Seated, game: str) -> None:
    """With 200 ms to the server ten moves are dragged without waiting: each is shown at once, and all are logged."""
    far = distant(200)
    page, host = seated(game, address=far.address)
    hands = Hands(page)
    line = line_of(CODES[game])[:MOVES]
    for text in line:
        hands.drag(text)
        page.evaluate("document.getAnimations().forEach((each) => each.id && each.finish())")
    expect_moves(host, MOVES)
    expect_table(page, after(CODES[game], *line))
    assert host.view.rows
    assert moves_of(host) == MOVES


def test_a_dropped_card_rests_in_the_same_frame(distant: Distant, seated: Seated) -> None:
    """However far the server is, the card lies on its target before the next frame is drawn."""
    far = distant(200)
    page, host = seated("freecell", address=far.address)
    move = line_of(CODES["freecell"])[0]
    page.evaluate(WATCH_DROP)
    Hands(page).drag(move)
    page.wait_for_function("window.dropped")
    expect_table(page, after(CODES["freecell"], move))
    expect_moves(host, 1)
    at_once, at_last = page.evaluate("[window.dropped, window.boxOf(window.dropped.card)]")
    assert at_once["pile"] == move[1]
    for side in ("x", "y"):
        assert abs(at_once[side] - at_last[side]) < 1.5


WATCH_DROP = """() => {
  window.boxOf = (text) => {
    const box = document.querySelector(`.table.live [data-card="${text}"]`).getBoundingClientRect();
    return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
  };
  addEventListener("pointerup", () => {
    const held = document.querySelector(".held [data-card]")?.dataset.card ?? window.held;
    const card = document.querySelector(`.table.live .layout [data-card="${held}"]`);
    requestAnimationFrame(() => {
      const { pile } = card.closest("[data-pile]").dataset;
      window.dropped = { ...window.boxOf(held), card: held, pile };
    });
  });
  addEventListener("pointerup", () => (window.held = document.querySelector(".held [data-card]").dataset.card), true);
}"""
"""Notes where the dropped card lies in the frame after the drop."""


# The look


SIZES = {
    ("phone", "simple-simon"): (15.8, 23.4),
    ("phone", "freecell"): (15.8, 20.3),
    ("lying", "simple-simon"): (12.4, 15.9),
    ("lying", "freecell"): (13.2, 17),
    ("desktop", "simple-simon"): (25, 32),
    ("desktop", "freecell"): (19.5, 25),
}
"""How tall ranks and strips have to be there at least, but for half a pixel."""


@pytest.mark.parametrize(("device", "game"), SIZES)
def test_the_longest_column_is_seen_whole(seated: Seated, device: str, game: str) -> None:
    """20 cards in Simple Simon, 19 in FreeCell: all on the screen, each rank and suit whole in its strip."""
    page, _ = seated(game, device)
    found = page.evaluate(MEASURE, {"game": game, "table": LONGEST[game]})
    rank, strip = SIZES[device, game]
    assert {each for each, holds in found.items() if holds is False} == set()
    assert found["rank"] >= rank - 0.5
    assert found["strip"] >= strip - 0.5


def test_cards_and_piles_have_names(seated: Seated) -> None:
    """Whoever hears the table hears what lies where, and what happens."""
    page, _ = seated("freecell")
    table = page.get_by_role("group", name="Your table")
    expect(table).to_be_visible()
    expect(table.get_by_role("group", name="Column 1, 7 cards")).to_be_visible()
    expect(table.get_by_role("button", name="Cell a, empty")).to_be_visible()
    expect(table.get_by_role("button", name="Foundation of spades, empty")).to_be_visible()
    expect(table.get_by_role("button", name="King of hearts")).to_have_count(1)
    assert table.locator('[tabindex="0"]').count() == 1
    move = line_of(CODES["freecell"])[0]
    Hands(page).walk(move)
    expect(page.locator("#announced")).to_contain_text(" to ")


def test_identical_cards_are_told_apart(seated: Seated) -> None:
    """SS2: the card that is moved is the element that moves, though another looks just like it."""
    page, _ = seated("simple-simon")
    move = Move.parse(line_of(CODES["simple-simon"])[0])
    page.evaluate(
        f"document.querySelector('.live [data-pile=\"{PILES[move.source]}\"]').lastElementChild.marked = true"
    )
    Hands(page).drag(str(move))
    expect_table(page, after(CODES["simple-simon"], str(move)))
    assert page.evaluate(
        f"document.querySelector('.live [data-pile=\"{PILES[move.target]}\"]').lastElementChild.marked"
    )


LAY = """async ({ game, table }) => {
  const paths = ["/table.js", "/attempt.js", "/input.js"];
  const [{ makeTable }, { makeAttempt, laid }, { bind }] = await Promise.all(paths.map((path) => import(path)));
  const place = document.querySelector(".table.live").parentElement;
  const [view, attempt] = [makeTable({ game, live: true }), makeAttempt(() => 0, () => {})];
  const room = { options: { undo: true }, seat: 0 };
  place.replaceChildren(view.element);
  attempt.handle({ type: "Began", race: "", table, hand: { state: "playing", ply: 0, can: {} } }, room);
  bind(view, attempt, () => {}, () => {});
  const piles = [...new Set(view.piles.map(({ name }) => name))];
  const others = (source) => piles.filter((each) => each !== source);
  const everywhere = (source) =>
    Array.from({ length: 13 }, (_, more) => ({ source, count: more + 1, targets: others(source) }));
  const joined = laid(table).columns.map((column) => "1".repeat(column.length));
  const told = { type: "Choices", ply: 0, joined, choices: piles.flatMap(everywhere) };
  attempt.handle(told, room);
  document.getAnimations().forEach((each) => each.finish());
  Object.assign(window, { moved: new Set(), laid: { attempt, told, room } });
  addEventListener("pointermove", () => window.moved.add(document.timeline.currentTime), true);
}"""
"""Lays a table in place of the one that is there, on which every pile takes every run: as much light as there can be.

From then on it notes the frames in which the pointer moves.
"""

FRAME_MS = 6
"""Scripting and layout may take so much of a frame while something is dragged."""

FRAMES, ROUNDS = 40, 8


@pytest.mark.parametrize("game", CODES)
@pytest.mark.parametrize("device", ["desktop", "phone"])
def test_dragging_is_cheap(seated: Seated, device: str, game: str) -> None:
    """At a fourth of the processor's speed a frame with a move of the pointer takes at most 6 ms of the page's thread.

    Five cards are held, over a longest column and piles that are all lit. Other work on the machine only adds: the
    quietest of several rounds tells.
    """
    page, _ = seated(game, device)
    page.evaluate(LAY, {"game": game, "table": LONGEST[game]})
    hands, line = Hands(page, touch=device != "desktop"), page.context.new_cdp_session(page)
    line.send("Performance.enable", {"timeDomain": "threadTicks"})
    line.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    hands.take_up("1", 4)
    hands.carry((100, 300))
    expect(page.locator(".held .card")).to_have_count(5)
    assert page.locator(".live .lit").count() > 8
    least_ms = float("inf")
    for _ in range(ROUNDS):
        if least_ms > FRAME_MS:
            least_ms = min(least_ms, frame_ms(page, line, hands))
    line.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    assert least_ms <= FRAME_MS


def frame_ms(page: Page, line: CDPSession, hands: Hands) -> float:
    """Carry what is held to and fro; return what scripts and layout take of a frame with a move in it."""
    size = page.viewport_size
    assert size, "every device has one"
    page.evaluate("moved.clear()")
    before = spent(line)
    for place in range(FRAMES):
        across, down = 0.1 + 0.7 * place / FRAMES, 0.35 + 0.4 * (place * 7 % FRAMES) / FRAMES
        hands.move((size["width"] * across, size["height"] * down))
    frames: int = page.evaluate("moved.size")
    assert frames > 0.8 * FRAMES, "a move a frame"
    return (spent(line) - before) / frames * 1000


def spent(line: CDPSession) -> float:
    """Return the seconds spent with scripts and layout."""
    metrics: dict[str, float] = {each["name"]: each["value"] for each in line.send("Performance.getMetrics")["metrics"]}
    return sum(metrics[name] for name in ("ScriptDuration", "LayoutDuration"))


def test_a_third_game_is_drawn(desktop: Page) -> None:
    """A game that is declared has its table and its leaderboards without a line of JavaScript."""
    with third_game() as rules:
        module, attempt = constants(RULES.values()), after(str(GameCode(rules.name, 4, 35)))
        table = to_builtins(table_of(attempt.position))
    desktop.route("**/protocol.js", lambda route: route.fulfill(body=module, content_type="text/javascript"))
    desktop.goto("/leaderboards")
    expect(desktop.locator(f".tabs a[href*='{rules.name}']").first).to_be_visible()
    desktop.evaluate(DRAW, [rules.name, table])
    expect_table(desktop, attempt)


DRAW = """async ([game, table]) => {
  const [{ makeTable }, { laid }] = [await import("/table.js"), await import("/attempt.js")];
  const view = makeTable({ game, live: true });
  document.querySelector("main").replaceChildren(view.element);
  view.show(laid(table));
}"""
"""Draws a table in place of the page."""


# Besides moves


def test_keys_undo_redo_hint_and_let_go(seated: Seated) -> None:
    """Undo and redo are seen at once, a hint is lit, escape lets go of what is held or chosen."""
    page, host = seated("freecell")
    code, line = CODES["freecell"], line_of(CODES["freecell"])[:2]
    hands = Hands(page)
    for text in line:
        hands.drag(text)
    expect_table(page, after(code, *line))
    page.keyboard.press("u")
    page.keyboard.press("u")
    expect_table(page, after(code))
    page.keyboard.press("r")
    expect_table(page, after(code, line[0]))
    page.keyboard.press("r")
    expect_table(page, after(code, *line))
    expect_moves(host, 2)

    page.keyboard.press("h")
    expect(page.locator(".live .card.hinted").first).to_be_visible()

    hands.take_up("1")
    hands.carry(hands.at("2"))
    expect(page.locator(".held")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".held")).to_have_count(0)
    page.mouse.up()
    hands.tap("1")
    expect(page.locator(".live .card.chosen")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator(".live .card.chosen")).to_have_count(0)
    expect_table(page, after(code, *line))


@pytest.mark.parametrize("device", ["phone", "lying", "desktop"])
def test_undo_is_pressed_again_and_again(seated: Seated, device: str) -> None:
    """Without a look: its button stays under the finger, though redo is offered beside it by now."""
    page, _ = seated("freecell", device)
    hands, line = Hands(page, touch=device != "desktop"), line_of(CODES["freecell"])[:3]
    for number, text in enumerate(line, 1):
        hands.tap_tap(text)
        expect_table(page, after(CODES["freecell"], *line[:number]))
    undo = page.get_by_role("button", name="Undo").bounding_box()
    assert undo
    x, y = undo["x"] + undo["width"] / 2, undo["y"] + undo["height"] / 2
    for left in (2, 1, 0):
        if device == "desktop":
            page.mouse.click(x, y)
        else:
            page.touchscreen.tap(x, y)
        expect_table(page, after(CODES["freecell"], *line[:left]))
    expect(page.get_by_role("button", name="Redo")).to_be_enabled()


def test_a_hint_stays_when_choices_come_behind_it(seated: Seated) -> None:
    """What may be done can be told after a hint that was asked for behind a move: its light is not put out by that."""
    page, _ = seated("freecell")
    page.evaluate(LAY, {"game": "freecell", "table": LONGEST["freecell"]})
    assert page.evaluate(HINTED) == [2, 2]


HINTED = """() => {
  const { attempt, told, room } = window.laid;
  attempt.hint();
  attempt.handle({ type: "Hinted", id: 0, hand: { state: "playing", ply: 1, can: {} }, move: "12" }, room);
  const lit = () => document.querySelectorAll(".hinted").length;
  const before = lit();
  attempt.handle({ ...told, ply: 1 }, room);
  return [before, lit()];
}"""
"""Asks for a hint and is given one, then what may be done; returns how much is lit by it each time."""


def test_targets_are_lit_or_not_and_drops_find_the_best(seated: Seated) -> None:
    """Placement help lights what the engine allows; with auto-placement a drop anywhere goes to the best target."""
    page, host = seated("freecell")
    hands, attempt = Hands(page), after(CODES["freecell"])
    legal = [move for move in attempt.rules.legal_moves(attempt.position) if move.count == 1]
    source = legal[0].source
    targets = {PILES[move.target] for move in legal if move.source == source}
    hands.tap(PILES[source])
    expect(page.locator(".live .lit")).to_have_count(len(targets))
    lit = page.locator(".live .lit").evaluate_all("(piles) => piles.map((pile) => pile.dataset.pile)")
    assert set(lit) == targets
    page.keyboard.press("Escape")

    page.evaluate(PREFER)
    page.wait_for_timeout(400)  # sooner it would be a double tap
    hands.tap(PILES[source])
    expect(page.locator(".live .chosen")).to_have_count(1)
    expect(page.locator(".live .lit")).to_have_count(0)
    page.keyboard.press("Escape")
    hands.take_up(PILES[source])
    hands.carry((700, 880))
    hands.let_go((700, 880))
    best = attempt.rules.best_move(attempt.position, source, 1)
    expect_table(page, attempt.play(best, 0))
    expect_moves(host, 1)


PREFER = """async () => {
  const { settings } = await import("/settings.js");
  settings.set("placementHelp", false);
  settings.set("autoPlacement", true);
}"""


def test_the_pile_that_is_aimed_at_stands_out(seated: Seated) -> None:
    """While a run is dragged that one of the lit piles is lit most to which it would go."""
    page, _ = seated("freecell")
    hands = Hands(page)
    move = Move.parse(line_of(CODES["freecell"])[0])
    aimed = page.locator(".live .aimed")
    hands.take_up(PILES[move.source], move.count - 1)
    hands.carry((700, 880))
    expect(aimed).to_have_count(0)
    hands.carry(hands.at(PILES[move.target]))
    expect(aimed).to_have_count(1)
    expect(aimed).to_have_attribute("data-pile", PILES[move.target])
    page.keyboard.press("Escape")
    expect(page.locator(".live :is(.aimed, .lit)")).to_have_count(0)
    page.mouse.up()


def test_a_pen_drags(seated: Seated) -> None:
    """The whole run follows it, and lies where it is let go."""
    page, host = seated("freecell")
    hands, line = Hands(page), page.context.new_cdp_session(page)
    move = line_of(CODES["freecell"])[0]
    (x, y), (to_x, to_y) = hands.at(move[0]), hands.at(move[1])

    def pen(kind: str, at_x: float, at_y: float) -> None:
        told = {"type": kind, "x": at_x, "y": at_y, "button": "left", "buttons": 1, "pointerType": "pen"}
        line.send("Input.dispatchMouseEvent", told | {"clickCount": 1, "force": 0.5})

    page.evaluate("addEventListener('pointerdown', ({ pointerType }) => (window.pressed = pointerType), true)")
    pen("mousePressed", x, y)
    for step in range(1, 7):
        pen("mouseMoved", x + (to_x - x) * step / 6, y + (to_y - y) * step / 6)
    expect(page.locator(".held .card")).to_have_count(1)
    pen("mouseReleased", to_x, to_y)
    expect_table(page, after(CODES["freecell"], move))
    expect_moves(host, 1)
    assert page.evaluate("window.pressed") == "pen"


def test_double_taps_can_be_turned_off(seated: Seated) -> None:
    """Then two taps choose a run and let go of it, however fast."""
    page, host = seated("freecell")
    page.evaluate("import('/settings.js').then(({ settings }) => settings.set('doubleTap', false))")
    hands, source = Hands(page), line_of(CODES["freecell"])[0][0]
    hands.double(source)
    expect(page.locator(".live .chosen")).to_have_count(0)
    hands.tap(source)
    expect(page.locator(".live .chosen")).to_have_count(1)
    expect_table(page, after(CODES["freecell"]))
    expect_moves(host, 0)


def test_a_tap_after_escape_is_a_first_one(seated: Seated) -> None:
    """What was let go of by escape is chosen anew by a tap, at once."""
    page, host = seated("freecell")
    hands, source = Hands(page), line_of(CODES["freecell"])[0][0]
    x, y = hands.at(source)
    page.evaluate(TAP_ESCAPE_TAP, [x, y])
    expect(page.locator(".live .chosen")).to_have_count(1)
    expect_table(page, after(CODES["freecell"]))
    expect_moves(host, 0)


TAP_ESCAPE_TAP = """([clientX, clientY]) => {
  const card = document.elementFromPoint(clientX, clientY).closest(".card");
  const point = (type) => new PointerEvent(type, { bubbles: true, pointerId: 1, isPrimary: true, clientX, clientY });
  HTMLElement.prototype.setPointerCapture = () => {};
  const tap = () => ["pointerdown", "pointerup"].forEach((type) => card.dispatchEvent(point(type)));
  tap();
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
  tap();
}"""
"""All within one task: no clock of the test's comes between."""


def test_restart_lays_the_deal_again(seated: Seated) -> None:
    """It asks first; the deal lies there, score and moves begin anew, and there is nothing to undo."""
    page, host = seated("freecell")
    hands, code, line = Hands(page), CODES["freecell"], line_of(CODES["freecell"])
    for text in line[:2]:
        hands.drag(text)
    expect_moves(host, 2)
    page.get_by_role("button", name="Restart").click()
    page.get_by_role("dialog").get_by_role("button", name="Restart").click()
    expect_table(page, after(code))
    expect_moves(host, 0)
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    hands.drag(line[0])
    expect_table(page, after(code, line[0]))
    expect_moves(host, 1)


def test_a_refused_move_in_the_queue_is_sent_again_and_taken_back(seated: Seated, bears: list[str]) -> None:
    """
    Without a network a wrong move is shown between two good ones; when all are sent it is refused, and it and what
    hung on it are taken back, once.
    """
    bears.append("WebSocket|ERR_INTERNET_DISCONNECTED")
    page, host = seated("freecell")
    hands, code, line = Hands(page), CODES["freecell"], line_of(CODES["freecell"])
    attempt = after(code, line[0])
    wrong = wrong_move(attempt)
    free = next(str(move) for move in attempt.rules.legal_moves(attempt.position) if move.count == 1)
    page.context.set_offline(True)
    expect(page.locator(".lost")).to_be_visible()
    for text in (line[0], wrong, free):
        hands.drag(text)
    page.context.set_offline(False)
    expect(page.locator(".toast a")).to_have_attribute("href", "/rules/freecell#FC2")
    expect_table(page, attempt)
    expect_moves(host, 1)
    hands.drag(line[1])
    expect_table(page, after(code, *line[:2]))
    expect_moves(host, 2)


def test_a_finished_sequence_goes_into_the_tray(seated: Seated) -> None:
    """SS6: it leaves as part of the move that finished it, and undo brings it back."""
    page, _ = seated("simple-simon")
    code, line = CODES["simple-simon"], line_of(CODES["simple-simon"])
    attempt, moves = after(code), 0
    while not any(attempt.position.home):
        text = typed(attempt.rules.legal_moves(attempt.position), Move.parse(line[moves]))
        page.keyboard.type(text)
        moves += 1
        attempt = after(code, *line[:moves])
    expect_table(page, attempt)
    expect(page.get_by_role("img", name="1 of 4 sequences gone")).to_be_visible()
    page.keyboard.press("u")
    expect_table(page, after(code, *line[: moves - 1]))
    expect(page.get_by_role("img", name="0 of 4 sequences gone")).to_be_visible()


def test_a_whole_suit_is_heard_once(seated: Seated) -> None:
    """FC4: the card that fills a foundation has a sound of its own, those that go home after it the usual one."""
    code = "FC1-AAABBQ3"
    page, host = seated("freecell", code=code)
    page.evaluate(LISTEN)
    attempt, line, keys = after(code), line_of(code)[:-1], ""
    for text in line:
        keys += typed(attempt.rules.legal_moves(attempt.position), Move.parse(text))
        attempt = attempt.play(Move.parse(text), 0)
    page.keyboard.type(keys)
    expect_moves(host, len(line))
    expect_table(page, attempt)
    assert page.evaluate("heard") == attempt.position.home.count(13) == 3


LISTEN = """() => {
  window.heard = 0;
  const { start } = OscillatorNode.prototype;
  OscillatorNode.prototype.start = function (...when) {
    window.heard += this.type === "sine" && this.frequency.value === 780;
    return start.apply(this, when);
  };
}"""
"""Counts the highest note of a suit that has gone home whole."""


def type_until_gathered(page: Page) -> Attempt:
    """Follow the line of the FreeCell deal until something can be gathered; return where that is."""
    attempt = after(CODES["freecell"])
    for text in line_of(CODES["freecell"]):
        if attempt.rules.gather(attempt.position):
            break
        page.keyboard.type(typed(attempt.rules.legal_moves(attempt.position), Move.parse(text)))
        attempt = attempt.play(Move.parse(text), 0)
    expect_table(page, attempt)
    expect(page.locator(".actions").get_by_role("button", name="Gather")).to_be_visible()
    return attempt


def test_all_cards_are_gathered_when_they_can_be(seated: Seated) -> None:
    """FC10: one key takes everything home that goes there by itself."""
    page, host = seated("freecell")
    attempt = type_until_gathered(page)
    page.keyboard.press("g")
    expect_moves(host, attempt.gather(0).moves)


def test_gather_has_a_button_on_a_phone(seated: Seated) -> None:
    """With all that FreeCell can ask for in the bar each button is seen whole; gather ends the race."""
    page, host = seated("freecell", "phone")
    attempt = type_until_gathered(page)
    page.keyboard.press("u")
    page.keyboard.press("r")
    expect_table(page, attempt)
    gather = page.locator(".actions").get_by_role("button", name="Gather")
    expect(gather).to_be_visible()
    for button in page.locator(".actions button:visible").all():
        expect(button).to_be_in_viewport(ratio=1)
        assert button.evaluate("(each) => Math.min(each.offsetWidth, each.offsetHeight)") >= 44
    gather.tap()
    expect_moves(host, attempt.gather(0).moves)
