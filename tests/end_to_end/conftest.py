"""What the tests of whole races share."""

from tests.server.conftest import database

__all__ = ["database"]
