"""What the tests of faults share."""

from tests.server.conftest import prepared, tables

__all__ = ["prepared", "tables"]
