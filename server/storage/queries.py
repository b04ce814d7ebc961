"""The pages that are asked of the database: each is read from one index, in its order, whatever else there is."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, RowMapping, Select, func, literal_column, or_, select, tuple_

from migrations.schema import attempts, players, races, tallies
from server.log import DealLine, PlayedLine, PlayerLine
from server.storage.boards import Board, BoardLine

FAR = 10_000
"""Whoever has so many before them on a board is told no place: counting further would take too long."""

RACE = select(races.c.id.label("race"), *(column for column in races.c if column.name not in ("key", "id")))

ATTEMPT = select(
    attempts.c.id.label("attempt"),
    players.c.name,
    *(column for column in attempts.c if column.name not in ("id", "pace", "record")),
).join(players)


_OVER = or_(attempts.c.race.is_(None), races.c.finished.is_not(None))


def fields(row: RowMapping) -> dict[str, Any]:
    """Return what a row holds, by plain names: SQLAlchemy's are strings of a kind of their own."""
    return {str(name): value for name, value in row.items()}


def deal_page(game: str, number: int, suits: int, limit: int) -> Select[Any]:
    """Return what selects DealLines, best first, without their places; none of a race that still runs."""
    deal = (attempts.c.game == game, attempts.c.number == number, attempts.c.suits == suits)
    best = (attempts.c.home.desc(), attempts.c.progress.desc(), attempts.c.pace, attempts.c.moves, attempts.c.id)
    page = _played(DealLine, players.c.name).join(players).where(*deal)
    return page.order_by(*best).limit(limit)


def logs(attempt_ids: Sequence[str]) -> Select[Any]:
    """Return what selects attempts' ids and records."""
    return select(attempts.c.id, attempts.c.record).where(attempts.c.id.in_(attempt_ids))


def latest_races(limit: int) -> Select[Any]:
    """Return what selects the latest races that are over, by when they began: nearly all are."""
    shown = select(races.c.id.label("race"), races.c.code, races.c.finished).where(races.c.finished.is_not(None))
    return shown.order_by(races.c.key.desc()).limit(limit)


def first_in(race_ids: Sequence[str]) -> Select[Any]:
    """Return what selects the races, and the names of who was first in them, by seat."""
    first = select(attempts.c.race, players.c.name).join(players)
    return first.where(attempts.c.race.in_(race_ids), attempts.c.place == 1).order_by(attempts.c.race, attempts.c.seat)


def drawn_now(game: str, number: int) -> Select[Any]:
    """Return what selects the options of the races on a number that are under way."""
    return select(races.c.options).where(races.c.finished.is_(None), races.c.game == game, races.c.number == number)


def player_page(player: str, before: tuple[str, str] | None, limit: int) -> Select[Any]:
    """Return what selects PlayerLines, the latest start first, after those that *before* (start and attempt) ends.

    None of a race that still runs: its deal is its starters' alone.
    """
    return _latest(_played(PlayerLine), player, before, limit)


def records_of(player: str, before: tuple[str, str] | None, limit: int, *, over: bool) -> Select[Any]:
    """Return what selects a player's attempts that have ended, with their records, in the same order.

    *over*: none of a race that still runs.
    """
    page = ATTEMPT.add_columns(attempts.c.record).outerjoin(races, races.c.id == attempts.c.race)
    page = page.where(attempts.c.won.is_not(None))
    return _latest(page.where(_OVER) if over else page, player, before, limit)


def _latest(page: Select[Any], player: str, before: tuple[str, str] | None, limit: int) -> Select[Any]:
    latest = (attempts.c.started.desc(), attempts.c.id.desc())
    page = page.where(attempts.c.player == player).order_by(*latest).limit(limit)
    return page if before is None else page.where(tuple_(attempts.c.started, attempts.c.id) < tuple_(*before))


def _played(line: type[PlayedLine], *more: ColumnElement[Any]) -> Select[Any]:
    others = ("attempt", "name", "options", *(("place",) if line is DealLine else ()))
    shown = (name for name in line.__struct_fields__ if name not in others)
    columns = (attempts.c.id.label("attempt"), races.c.options, *more, *(attempts.c[name] for name in shown))
    return select(*columns).outerjoin_from(attempts, races).where(attempts.c.won.is_not(None), _OVER)


ORDERS: Mapping[Board, tuple[ColumnElement[Any], ...]] = {
    Board.AVERAGE: (tallies.c.average_ms, tallies.c.player),
    Board.SINGLE: (tallies.c.best_ms, tallies.c.best_moves, tallies.c.best_started, tallies.c.best),
    Board.SHARE: (tallies.c.share.desc(), tallies.c.attempts.desc(), tallies.c.player),
}

# Word for word what the board's index asks of its rows, and of a column in it: else SQLite reads more than the index.
HAS_LINE: Mapping[Board, ColumnElement[bool]] = {
    Board.AVERAGE: tallies.c.average_ms.is_not(None),
    Board.SINGLE: tallies.c.best_ms.is_not(None),
    Board.SHARE: tallies.c.attempts >= literal_column("5"),
}


def board_page(board: Board, game: str, suits: int, period: str, limit: int) -> Select[Any]:
    """Return what selects the first BoardLines of a board, without their places."""
    return _lines(board, game, suits, period).order_by(*ORDERS[board]).limit(limit)


def own_line(board: Board, game: str, suits: int, period: str, player: str) -> Select[Any]:
    """Return what selects one player's BoardLine, without its place."""
    return _lines(board, game, suits, period).where(tallies.c.player == player)


def _lines(board: Board, game: str, suits: int, period: str) -> Select[Any]:
    shown = (tallies.c[name] for name in BoardLine.__struct_fields__ if name not in ("place", "name"))
    return select(players.c.name, *shown).join(players).where(*_on(board, game, suits, period))


def _on(board: Board, game: str, suits: int, period: str) -> tuple[ColumnElement[bool], ...]:
    return HAS_LINE[board], tallies.c.game == game, tallies.c.suits == suits, tallies.c.period == period


def count_better(board: Board, game: str, suits: int, period: str, line: BoardLine) -> Select[Any]:
    """Return what counts the lines before *line*, up to FAR."""
    before = select(tallies.c.player).where(*_on(board, game, suits, period), _better(board, line)).limit(FAR)
    return select(func.count()).select_from(before.subquery())


def _better(board: Board, line: BoardLine) -> ColumnElement[bool]:
    """Return what is true of a line that has a better merit: a range of the board's index, equals left out of it."""
    match board:
        case Board.AVERAGE:
            return tallies.c.average_ms < line.average_ms
        case Board.SINGLE:
            return tuple_(tallies.c.best_ms, tallies.c.best_moves) < tuple_(line.best_ms, line.best_moves)
        case Board.SHARE:
            return tuple_(tallies.c.share, tallies.c.attempts) > tuple_(line.share, line.attempts)
