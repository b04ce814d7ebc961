"""After a lost connection: whether a client comes back, and when."""

from random import Random

from msgspec import Struct
from websockets.exceptions import ConnectionClosed, InvalidMessage, InvalidStatus

from shared.errors import Reason, SameDealError
from shared.protocol.closing import ABNORMAL, COMES_BACK, CloseCode


class ClosedError(SameDealError):
    """The connection is over and is not made again, for the server's reason or else CLOSED; *why* tells more."""


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
        return ClosedError(reason, code=code, why=lost.rcvd.reason if lost.rcvd else "the connection broke")
    if welcomed and _may_pass(lost):
        return None
    return ClosedError(Reason.CLOSED, why=str(lost))


def _may_pass(lost: Exception) -> bool:
    """Return whether what kept a connection from being made can be over by itself: an outage, a busy server."""
    if isinstance(lost, InvalidStatus):
        return lost.response.status_code >= 500
    return isinstance(lost, InvalidMessage | OSError)
