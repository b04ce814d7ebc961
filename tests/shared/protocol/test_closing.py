"""The table of close codes."""

from shared.errors import Reason
from shared.protocol.closing import CLOSES, CloseCode


def test_codes_are_stable() -> None:
    """
    Clients know them by number: none changes, and all are the protocol's own or lie where it leaves room (4000–4999).
    """
    assert {code.name: code.value for code in CloseCode} == {
        "LEFT": 1000,
        "CLOSED": 1012,
        "BUSY": 1013,
        "BAD_MESSAGE": 4400,
        "BAD_TOKEN": 4401,
        "NO_HELLO": 4402,
        "WRONG_WORD": 4403,
        "NO_ROOM": 4404,
        "TAKEN_OVER": 4409,
        "ROOM_CLOSED": 4410,
        "FORGOTTEN": 4411,
        "BAD_NAME": 4422,
        "ROOM_LOCKED": 4423,
        "KICKED": 4424,
        "TWIN_NAME": 4425,
        "ROOM_FULL": 4426,
        "TOO_FAST": 4429,
        "TOO_MANY_ROOMS": 4430,
    }
    assert all(code in (1000, 1012, 1013) or 4000 <= code <= 4999 for code in CloseCode)


def test_every_code_has_its_reason() -> None:
    """
    A reason stands for one code and says the same.
    """
    assert {reason.value: code.name for reason, code in CLOSES.items()} == {code.name: code.name for code in CloseCode}
    assert CLOSES[Reason.TAKEN_OVER] is CloseCode.TAKEN_OVER
