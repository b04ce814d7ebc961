"""The table of close codes."""

from shared.errors import Reason
from shared.protocol.closing import CLOSES, CloseCode


def test_codes_are_stable() -> None:
    """
    Clients know them by number: none changes, and all lie where the WebSocket protocol leaves room (4000–4999).
    """
    assert {code.name: code.value for code in CloseCode} == {
        "BAD_MESSAGE": 4400,
        "BAD_TOKEN": 4401,
        "NO_HELLO": 4402,
        "TAKEN_OVER": 4409,
        "BAD_NAME": 4422,
    }
    assert all(4000 <= code <= 4999 for code in CloseCode)


def test_every_code_has_its_reason() -> None:
    """
    A reason stands for one code and says the same.
    """
    assert {reason.value: code.name for reason, code in CLOSES.items()} == {code.name: code.name for code in CloseCode}
    assert CLOSES[Reason.TAKEN_OVER] is CloseCode.TAKEN_OVER
