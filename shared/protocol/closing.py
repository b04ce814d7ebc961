"""Why a server closes a connection: the one table of close codes (DESIGN.md section 7)."""

from enum import IntEnum

from shared.errors import Reason


class CloseCode(IntEnum):
    """Codes of our own, from the range that the WebSocket protocol leaves to applications."""

    BAD_MESSAGE = 4400
    BAD_TOKEN = 4401
    NO_HELLO = 4402
    TAKEN_OVER = 4409
    BAD_NAME = 4422


CLOSES = {Reason(code.name): code for code in CloseCode}
"""The close code of each reason for which a connection ends."""

TRY_AGAIN = 1013
"""The WebSocket protocol's own code for all other reasons: the server cannot serve now, and the client did no wrong."""
