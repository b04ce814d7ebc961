"""Standings drawn for a terminal: a bar for each participant, in the order of the moment."""

import math
from collections.abc import Iterator, Sequence

from client.assets import texts
from client.screen import COLUMNS, SEATS, Ink, Pen
from client.view import View
from shared.attempt import State
from shared.games import RULES
from shared.phase import Phase
from shared.protocol.values import Seat, Standing
from shared.texts import clock

WIDTH, BAR, NAME = 78, 32, 10
BESIDE, BESIDE_SHORT, SHORTEST = 46, 30, 8
"""What a line takes beside its bar, with moves and score and without; a bar that would be shorter takes their place."""

COUNTED, CLOCK = 25, 8
"""Columns of what follows the names in a countdown, and of a time with a blank before it."""

LISTED = 4
"""A line has room for so many participants."""


def lines(view: View, pen: Pen, columns: int = COLUMNS) -> list[str]:
    """Return a line for each seat in the race: place, name, progress, moves, score, and what else there is to say.

    Where a terminal has few *columns* the bars are shorter, and moves and score are left out.
    """
    full = RULES[view.options.game].full_progress
    seats = {seat.seat: seat for seat in view.seats}
    room = _width(columns) - BESIDE
    short = room < SHORTEST
    length = min(BAR, max(SHORTEST, _width(columns) - BESIDE_SHORT) if short else room)
    bars = [pen.bar(row.progress / full, length, _ink(row)) for row in view.rows]
    return [_line(row, seats.get(row.seat), bar, pen, short=short) for row, bar in zip(view.rows, bars, strict=True)]


def _width(columns: int) -> int:
    """Return how much of so many columns is used."""
    return min(WIDTH, columns - 2)


def _ink(row: Standing) -> Ink:
    return SEATS[row.seat % len(SEATS)]


def _line(row: Standing, seat: Seat | None, bar: str, pen: Pen, *, short: bool) -> str:
    place = f"{row.place}" if row.place else "-"
    name = pen.paint(f"{seat.name if seat else '?':{NAME}.{NAME}}", Ink.BOLD, _ink(row))
    figures = "" if short else f"{row.moves:>3} moves {row.score:>4}  "
    return f" {place:>2}  {name} {bar} {row.progress:>2}  {figures}{_state(row, seat, pen)}"


def _state(row: Standing, seat: Seat | None, pen: Pen) -> str:
    if row.state == State.SOLVED:
        return pen.paint(clock(row.elapsed_ms or 0), Ink.SUN if row.place == 1 else Ink.BOLD)
    if row.state != State.PLAYING:
        return pen.paint(row.state.replace("_", " "), Ink.FAINT)
    return "" if seat and seat.connected else pen.paint("away", Ink.FAINT)


def block(view: View, since_s: float, pen: Pen, columns: int = COLUMNS) -> list[str]:
    """Return what is drawn in place *since_s* seconds after the view was told what is left of the countdown."""
    if view.phase == Phase.COUNTDOWN:
        left = pen.paint(str(_left(view, since_s)), Ink.SUN)
        who = f"{_present(view)}: the"
        return ["", f" {who if len(who) + COUNTED <= columns else 'The'} same deal for all in {left}", ""]
    if not view.rows:
        return []
    code, game = f" {view.code or ''}", f"{_game(view)}{', deal known' if view.options.code else ''}"
    width = _width(columns)
    head, below = f"{code}   {game}", ""
    if len(head) + CLOCK > width:
        head, below = code, f" {game}"
    time = clock(max(view.elapsed_ms or 0, *(row.elapsed_ms or 0 for row in view.rows)))
    above = [f"{pen.paint(head, Ink.BOLD)}{time:>{width - len(head)}}", *([below] if below else [])]
    return ["", *above, "", *lines(view, pen, columns)]


def _left(view: View, since_s: float = 0) -> int:
    """Return the countdown's number; it never says zero."""
    return max(1, math.ceil((view.remaining_ms or 0) / 1000 - since_s))


def told_anew(before: View, after: View) -> bool:
    """Return whether the server has told once more, or of another countdown, what is left of it."""
    return (after.countdown, after.remaining_ms) != (before.countdown, before.remaining_ms)


def news(before: View, after: View) -> list[str]:
    """Return a line for each thing that happened between two views, for where nothing can be drawn in place."""
    return [*_phase_news(before, after), *_seat_news(before, after), *_solved_news(before, after)]


def _phase_news(before: View, after: View) -> Iterator[str]:
    if after.phase == Phase.COUNTDOWN != before.phase:
        left = _left(after)
        seconds = f"{left} second{'s' if left > 1 else ''}"
        yield f" {_present(after)} are in room {after.room}: the same deal for all in {seconds}."
    if after.phase == Phase.RUNNING != before.phase:
        known = " The deal was known before, so it does not rank." if after.options.code else ""
        yield f" The race begins: {after.code}, {_game(after)}.{known}"


def _seat_news(before: View, after: View) -> Iterator[str]:
    here = {seat.seat: seat.connected for seat in before.seats}
    for seat in after.seats:
        if seat.connected != here.get(seat.seat, seat.connected):
            yield f" {seat.name} {'is back.' if seat.connected else 'has lost the connection.'}"


def _solved_news(before: View, after: View) -> Iterator[str]:
    old = {row.seat for row in before.rows if row.state == State.SOLVED}
    for row in after.rows:
        if row.state == State.SOLVED and row.seat not in old:
            yield f" {after.name_of(row.seat)} has solved it in {clock(row.elapsed_ms or 0)}."


def in_words(view: View) -> str:
    """Return the standings in one line."""
    full = RULES[view.options.game].full_progress
    told = "   ".join(f"{view.name_of(row.seat)} {_worth(row, full)}" for row in view.rows[:LISTED])
    return f" {clock(view.elapsed_ms or 0)}   {told}"


def _worth(row: Standing, full: int) -> str:
    return clock(row.elapsed_ms or 0) if row.state == State.SOLVED else f"{row.progress}/{full}"


def headline(view: View) -> str:
    """Return who won, in a sentence."""
    first = view.rows[0]
    if first.state != State.SOLVED:
        return f"Nobody solved it. {view.name_of(first.seat)} came furthest."
    winners = [view.name_of(row.seat) for row in view.rows if row.place == 1]
    if len(winners) > 1:
        return f"{_listed(winners)} share the win."
    second = next((row for row in view.rows[1:] if row.state == State.SOLVED), None)
    if second is None:
        return f"{winners[0]} wins."
    return f"{winners[0]} wins, by {_margin(first.elapsed_ms or 0, second.elapsed_ms or 0)}."


def _margin(first_ms: int, second_ms: int) -> str:
    """Return how far apart two times are: in the tenths that their clocks show, unless these are equal."""
    tenths, ms = second_ms // 100 - first_ms // 100, second_ms - first_ms
    if not tenths:
        return f"{ms} millisecond{'s' if ms > 1 else ''}"
    return f"{tenths / 10:g} second{'s' if tenths != 10 else ''}"


def _listed(names: Sequence[str]) -> str:
    """Return names as a sentence lists them, a long list cut short."""
    if len(names) > LISTED:
        return f"{names[0]} and {len(names) - 1} others"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _present(view: View) -> str:
    return _listed([seat.name for seat in view.seats])


def _game(view: View) -> str:
    game, suits = view.options.game, view.options.suits
    told = f", {texts().text('options.suits', count=suits)}" if suits and len(RULES[game].suits) > 1 else ""
    return texts().game(game) + told
