"""What the tests of faults share."""

from tests.server.conftest import database, prepared, tables

__all__ = ["database", "prepared", "tables"]
