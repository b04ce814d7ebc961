"""After a lost connection: whether a client comes back, and when."""

import re
from random import Random

from msgspec import Struct
from websockets.exceptions import ConnectionClosed, InvalidMessage, InvalidStatus

from client.assets import texts
from shared.errors import Reason, SameDealError
from shared.protocol.closing import ABNORMAL, COMES_BACK, CloseCode

PARAM = re.compile(r"(?<= )(\w+)=(.*?)(?= \w+=|$)")
"""A parameter in the text of a reason for closing."""


class ClosedError(SameDealError):
    """The connection is over and is not made again, for the server's reason or else CLOSED; *why* tells more."""

    def __str__(self) -> str:
        """Return the sentence: it is the last line of a bot's traceback.

        >>> str(ClosedError(Reason.ROOM_LOCKED, code=4423, why="ROOM_LOCKED"))
        'The host lets nobody else into this room.'
        """
        return texts().sentence(self)


class Backoff(Struct, frozen=True, kw_only=True):
    """How long to wait before connecting again: twice as long each time within a limit, half of it by chance."""

    first_ms: int = 250
    most_ms: int = 8_000

    def delay_ms(self, failures: int, random: Random) -> int:
        """Return the wait after so many failures in a row, one or more.

        >>> 200 <= Backoff(first_ms=100, most_ms=1_000).delay_ms(3, Random(1)) <= 400
        True
        """
        longest = min(self.most_ms, self.first_ms << min(failures - 1, 16))
        return random.randint(longest // 2, longest)


def final_error(lost: Exception, *, welcomed: bool) -> ClosedError | None:
    """Return why the connection that ended by *lost* is not made again; None where it is.

    Nobody comes back whom the server has not made welcome before, or does not want any more.
    """
    if isinstance(lost, ConnectionClosed):
        code = lost.rcvd.code if lost.rcvd else ABNORMAL
        if welcomed and code in COMES_BACK:
            return None
        reason = Reason(CloseCode(code).name) if code in tuple(CloseCode) else Reason.CLOSED
        why = lost.rcvd.reason if lost.rcvd else "the connection broke"
        return ClosedError(reason, "", **{"code": code, "why": why, **_params(reason, why)})
    if welcomed and _may_pass(lost):
        return None
    return ClosedError(Reason.CLOSED, why=str(lost))


def _params(reason: Reason, why: str) -> dict[str, str | int]:
    """Return the parameters that a server tells behind the reason for which it closes.

    >>> _params(Reason.BAD_NAME, "BAD_NAME name=a b longest=20")
    {'name': 'a b', 'longest': '20'}
    """
    found = PARAM.findall(why) if why.startswith(f"{reason} ") else []
    return {name: text for name, text in found if name != "code"}


def _may_pass(lost: Exception) -> bool:
    """Return whether what kept a connection from being made can be over by itself: an outage, a busy server."""
    if isinstance(lost, InvalidStatus):
        return lost.response.status_code >= 500
    return isinstance(lost, InvalidMessage | OSError)
