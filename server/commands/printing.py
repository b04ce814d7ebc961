"""A deal's page and leaderboards as lines of text."""

from collections.abc import Iterator, Sequence

from wcwidth import wcswidth

from server.log import DealLine, RaceLine
from server.race import ranking
from server.storage.boards import LAST, Board, BoardLine, Span
from shared.gamecode import GameCode
from shared.texts import clock

TITLES = {Board.AVERAGE: f"Average of {LAST}", Board.SINGLE: "Single best", Board.SHARE: "Share solved"}
EMPTY = {
    Board.AVERAGE: f"Nobody has {LAST} ranked attempts yet.",
    Board.SINGLE: "Nobody has solved a ranked one yet.",
    Board.SHARE: f"Nobody has {LAST} ranked attempts yet.",
}
UNRANKED = (
    "What ranks is a drawn deal that no participant has seen, by the standard rules; bots never do.",
    "All attempts at a deal, ranked or not: samedeal leaderboard --deal CODE",
)
SPANS = {Span.DAY: "today", Span.WEEK: "this week", Span.ALL: "all time"}
MARKS = ("ranked", *ranking.MARKS)
"""What else there is to say of an attempt; fields of a `DealLine`."""

NAME_WIDTH = 20
"""Columns of a terminal that a name has at least."""


def deal_lines(code: str, lines: Sequence[DealLine]) -> Iterator[str]:
    """Yield a deal's page."""
    yield f"{code}: {many(len(lines), 'attempt')}" if lines else f"{code}: nobody has played this deal yet."
    width = _width(lines)
    for line in lines:
        marks = "".join(f"  {mark}" for mark in MARKS if getattr(line, mark))
        yield f"{line.place or '':>3}  {_padded(line.name, width)}  {_result(line):<24}  {line.attempt}{marks}"


def _result(line: DealLine) -> str:
    if line.won:
        return f"{clock(line.elapsed_ms)}  {many(line.moves, 'move')}, {line.score}"
    return f"{line.state.replace('_', ' ')}, progress {line.progress}"


def many(count: int, noun: str) -> str:
    """Return a count with its noun.

    >>> many(1, "move"), many(2, "move")
    ('1 move', '2 moves')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _width(lines: Sequence[DealLine] | Sequence[BoardLine]) -> int:
    """Return the columns of a terminal that the names take."""
    return max([NAME_WIDTH, *(wcswidth(line.name) for line in lines)])


def _padded(name: str, width: int) -> str:
    """Return *name* with spaces behind it: a sign may take two columns of a terminal, or none.

    >>> [_padded(name, 5) + "|" for name in ("Anna", "李四")]
    ['Anna |', '李四 |']
    """
    return name + " " * (width - max(0, wcswidth(name)))


def boards_title(code: GameCode, game: str, span: Span) -> str:
    """Return what leaderboards are of: a game, by the name people know, its suits, and a period.

    >>> boards_title(GameCode("simple-simon", 2, 1), "Simple Simon", Span.WEEK)
    'Simple Simon, 2 suits, this week'
    """
    suits = [many(code.suits, "suit")] if len(code.rules.suits) > 1 else []
    return ", ".join([game, *suits, SPANS[span]])


def board_lines(board: Board, title: str, lines: Sequence[BoardLine]) -> Iterator[str]:
    """Yield the top of a leaderboard; without one, why."""
    yield f"{TITLES[board]}: {title}{'' if lines else f'. {EMPTY[board]}'}"
    width = _width(lines)
    for line in lines:
        yield f"{line.place or '':>3}  {_padded(line.name, width)}  {_worth(board, line)}"


def race_lines(lines: Sequence[RaceLine]) -> Iterator[str]:
    """Yield the latest races, of whatever game; nothing where there are none."""
    if lines:
        yield "Latest races"
    for line in lines:
        first = f"first: {', '.join(line.first)}" if line.first else "nobody moved"
        yield f"     {line.finished[:16].replace('T', ' ')} UTC  {line.code:<14}  {line.race}  {first}"


def _worth(board: Board, line: BoardLine) -> str:
    match board:
        case Board.AVERAGE:
            return clock(line.average_ms or 0)
        case Board.SINGLE:
            return f"{clock(line.best_ms or 0)}  {many(line.best_moves or 0, 'move')}  {line.best}"
        case Board.SHARE:
            return f"{line.share / 10_000:.1f} %  {line.solved} of {line.attempts}"
