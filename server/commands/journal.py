"""The server's own log, on the error stream."""

import logging
import re

TOKEN = re.compile(r"\b[a-z2-7]{32}\b")
"""What players' secrets look like (`identity.new_token`)."""


class Discreet(logging.Formatter):
    """Writes no player's secret, wherever in a line or a traceback it stands."""

    def format(self, record: logging.LogRecord) -> str:
        return TOKEN.sub("(token)", super().format(record))


def begin() -> None:
    """Log warnings and errors."""
    handler = logging.StreamHandler()
    handler.setFormatter(Discreet("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
