"""A record drawn: the table after each entry, stepped through or in the time that it took."""

import asyncio
from collections.abc import Callable, Iterator

from msgspec import Struct

from client.keys import Keys
from client.screen import COLUMNS, Ink, Pen, Screen
from client.table import drawn
from shared.attempt import Attempt, State
from shared.layout import head_lines
from shared.position import Position
from shared.record import Record
from shared.texts import clock

WIDE = 72
"""Columns that the longest line takes."""

HEAD = 3
"""Lines of a table above its columns, where there are any."""


class Moment(Struct, frozen=True):
    """The table after one entry; the first is the deal."""

    ply: int
    at_ms: int
    entry: str
    """What led here; empty for the deal."""
    steps: tuple[str, ...]
    position: Position
    score: int
    moves: int
    progress: int
    state: State


def moments(record: Record) -> Iterator[Moment]:
    """Yield the deal of *record* and then the table after each entry; raise SameDealError at one that is not legal."""
    attempt = Attempt.start(record.code)
    yield _moment(attempt, 0, "", ())
    for entry in record.entries:
        after = attempt.take((entry,))  # first, for only of a legal entry the steps can be told
        yield _moment(after, *entry, attempt.steps(entry[1]))
        attempt = after


def _moment(attempt: Attempt, at_ms: int, entry: str, steps: tuple[str, ...]) -> Moment:
    return Moment(
        attempt.ply,
        at_ms,
        entry,
        steps,
        attempt.position,
        attempt.score,
        attempt.moves,
        attempt.progress,
        attempt.state,
    )


def scene(record: Record, moment: Moment, pen: Pen, *, lines: int | None = None, columns: int = COLUMNS) -> list[str]:
    """Return the lines that show *moment*: whose it is, what was played, where it stands, and the table.

    Where they are to fit into so many *lines*, the longest columns are drawn from their ends, and there is always room
    above the columns, so that they stay where they are when the first sequence leaves.
    """
    rules = record.code.rules
    name, code = pen.paint(record.player, Ink.BOLD), pen.paint(str(record.code), Ink.FAINT)
    entry = moment.entry or "the deal"
    if moment.state is State.SOLVED:
        entry = f"{entry}  {pen.paint('solved', Ink.SUN)}"
    stands = f"score {moment.score}   {moment.progress} of {rules.full_progress} in place"
    when = f" {clock(moment.at_ms)}   move {moment.moves:<3}"
    # A narrow terminal gets in two lines what a wide one gets in one.
    told = [f" {name}   {code}", f"{when}   {stands}   {entry}"]
    if columns < WIDE:
        told[1:] = [f"{when}   {entry}", f" {stands}"]
    if lines is None:
        return [*told, *drawn(rules, moment.position, pen, moment.steps)]
    room = lines - len(told) - HEAD - 1  # the columns' names
    space = [""] * (HEAD - head_lines(rules, moment.position))
    return [*told, *space, *drawn(rules, moment.position, pen, moment.steps, room)]


async def run_through(record: Record, screen: Screen, pause_s: Callable[[Moment, Moment], float]) -> None:
    """Show moment after moment, with a pause between each and the next."""
    last: Moment | None = None
    for moment in moments(record):
        if last:
            await asyncio.sleep(pause_s(last, moment))
        screen.show(scene(record, moment, screen.pen, lines=screen.room, columns=screen.columns))
        last = moment


def print_all(record: Record, screen: Screen) -> None:
    """Print every moment below the last."""
    for moment in moments(record):
        screen.say(*scene(record, moment, screen.pen, columns=screen.columns), "")


def step_through(record: Record, screen: Screen, keys: Keys) -> None:
    """Show the moment that is asked for, until there is nothing more to ask."""
    shown, ply = list(moments(record)), 0
    with keys:
        while True:
            room = screen.room - 2  # and the question
            screen.show([*scene(record, shown[ply], screen.pen, lines=room, columns=screen.columns), ""])
            answer = screen.ask(f" {ply}/{len(shown) - 1}   {_question(keys, screen)}  ", keys)
            if answer is None or answer == "q" or (answer == "" and ply == len(shown) - 1):
                return
            ply = stepped(ply, answer, len(shown) - 1)


def _question(keys: Keys, screen: Screen) -> str:
    if screen.columns < WIDE:
        return "Enter, b, a number, q"
    return "Enter: on   b: back   a number" + (", Enter" if keys.single else "") + ": go there   q: quit"


def stepped(ply: int, answer: str, last: int) -> int:
    """Return the ply that *answer* leads to from *ply*; what is no answer leads nowhere.

    >>> [stepped(5, answer, 9) for answer in ("", "b", "2", "77", "?")]
    [6, 4, 2, 9, 5]
    """
    if answer == "":
        ply += 1
    elif answer == "b":
        ply -= 1
    elif answer.isdecimal() and len(answer) < 10:
        ply = int(answer)
    return min(max(ply, 0), last)
