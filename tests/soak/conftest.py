"""What the soaks share with the tests of faults."""

from tests.server.conftest import database

__all__ = ["database"]
