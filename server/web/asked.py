"""What may be asked of `/api` behind the question mark, all of it optional."""

import datetime
from typing import TypeVar
from urllib.parse import parse_qsl

from msgspec import Struct, ValidationError, convert

from server.storage.boards import Board, Span
from shared.errors import Reason, Refusal
from shared.protocol.values import Count, Word

MOST_PARAMETERS = 16

Asked = TypeVar("Asked", bound=Struct)


class BoardAsked(Struct, frozen=True):
    """Which leaderboard, and whose own line besides the top."""

    game: str = "simple-simon"
    suits: Count | None = None
    board: Board = Board.AVERAGE
    period: Span = Span.ALL
    date: datetime.date | None = None
    """A day of the period; None: today."""
    player: Word | None = None
    """None: the player whose token comes with the request."""


class DealAsked(Struct, frozen=True):
    """What of a deal, besides its page."""

    line: bool = False
    """Moves that win it."""


class RaceAsked(Struct, frozen=True):
    """What of a race, besides its results."""

    points: bool = False
    """How each attempt went on."""


class PlayerAsked(Struct, frozen=True):
    """Which part of a player's page: what comes after the attempt *before*, of the start *started*."""

    started: Word | None = None
    before: Word | None = None


def asked(query: str, shape: type[Asked]) -> Asked:
    """Return the parameters of a query, unknown ones ignored; raise Refusal.

    >>> asked("line=1&colour=green", DealAsked)
    DealAsked(line=True)
    """
    try:
        return convert(dict(parse_qsl(query, max_num_fields=MOST_PARAMETERS)), shape, strict=False)
    except ValidationError as error:
        raise Refusal(Reason.BAD_QUERY, why=ascii(str(error))[1:-1][:100]) from None
    except ValueError:
        raise Refusal(Reason.BAD_QUERY, why=f"more than {MOST_PARAMETERS} parameters") from None
