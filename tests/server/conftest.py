"""What the tests of the server share."""

from pathlib import Path

import pytest


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A place for a database's file; none is there yet."""
    return tmp_path / "race.db"
