"""The server's own log: it keeps secrets."""

import logging
import secrets
import sys

from server.commands.journal import Discreet
from server.identity import new_id, new_token


def test_no_secret_is_written() -> None:
    """A player's token is struck out wherever it stands: in a message, its arguments or a traceback. Ids stay."""
    token, player = new_token(secrets.token_bytes), new_id(secrets.token_bytes)
    try:
        raise ValueError(f"Hello(token='{token}', client='page')")
    except ValueError:
        failed = sys.exc_info()
    record = logging.LogRecord("server", logging.ERROR, __file__, 1, f"{token} of %s: %s", (player, token), failed)

    written = Discreet().format(record)

    assert token not in written
    assert written.count("(token)") == 3
    assert player in written
    assert "ValueError" in written
