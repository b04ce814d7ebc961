"""A deal's page and leaderboards as lines of text."""

from collections.abc import Iterator, Sequence

from server.boards import LAST, Board, BoardLine, Span
from server.log import DealLine
from shared.texts import clock

TITLES = {Board.AVERAGE: f"Average of {LAST}", Board.SINGLE: "Single best", Board.SHARE: "Share solved"}
SPANS = {Span.DAY: "today", Span.WEEK: "this week", Span.ALL: "all time"}
MARKS = ("ranked", "practice", "bot", "imported")
"""What else there is to say of an attempt; fields of a `DealLine`."""


def deal_lines(code: str, lines: Sequence[DealLine]) -> Iterator[str]:
    """Yield a deal's page."""
    yield f"{code}: {len(lines)} attempts" if lines else f"{code}: nobody has played this deal yet."
    for place, line in enumerate(lines, 1):
        marks = "".join(f"  {mark}" for mark in MARKS if getattr(line, mark))
        yield f"{place:>3}  {line.name:<20}  {_result(line):<24}  {line.attempt}{marks}"


def _result(line: DealLine) -> str:
    if line.won:
        return f"{clock(line.elapsed_ms)}  {line.moves} moves, {line.score}"
    return f"{line.state}, progress {line.progress}"


def board_lines(board: Board, span: Span, lines: Sequence[BoardLine]) -> Iterator[str]:
    """Yield the top of a leaderboard."""
    yield f"{TITLES[board]}, {SPANS[span]}" if lines else f"{TITLES[board]}, {SPANS[span]}: nobody yet."
    for line in lines:
        yield f"{line.place or '':>3}  {line.name:<20}  {_worth(board, line)}"


def _worth(board: Board, line: BoardLine) -> str:
    match board:
        case Board.AVERAGE:
            return clock(line.average_ms or 0)
        case Board.SINGLE:
            return f"{clock(line.best_ms or 0)}  {line.best_moves} moves  {line.best}"
        case Board.SHARE:
            return f"{line.share / 10_000:.1f} %  {line.solved} of {line.attempts}"
