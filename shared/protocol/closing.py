"""Why a server closes a connection: the one table of close codes (DESIGN.md section 7)."""

from enum import IntEnum

from shared.errors import Reason


class CloseCode(IntEnum):
    """Codes of our own, from the range that the WebSocket protocol leaves to applications."""

    LEFT = 1000
    CLOSED = 1012
    BUSY = 1013
    BAD_MESSAGE = 4400
    BAD_TOKEN = 4401
    NO_HELLO = 4402
    WRONG_WORD = 4403
    NO_ROOM = 4404
    TAKEN_OVER = 4409
    ROOM_CLOSED = 4410
    FORGOTTEN = 4411
    BAD_NAME = 4422
    ROOM_LOCKED = 4423
    KICKED = 4424
    TWIN_NAME = 4425
    ROOM_FULL = 4426
    TOO_FAST = 4429
    TOO_MANY_ROOMS = 4430


ABNORMAL = 1006
"""Stands for a connection that ended without a close code."""

COMES_BACK = frozenset((1001, 1005, ABNORMAL, 1011, CloseCode.CLOSED, CloseCode.BUSY, CloseCode.NO_HELLO, 1014))
"""Close codes after which a client connects again: the server went away, failed, cut it off without a word, or
its hello came too late."""

CLOSES = {Reason(code.name): code for code in CloseCode}
"""The close code of each reason for which a connection ends."""
