"""What the tests of faults share."""

from tests.server.conftest import tables

__all__ = ["tables"]
