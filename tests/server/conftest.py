"""What the tests of the server share."""

import shutil
from pathlib import Path

import pytest

from tests.server.storing import prepare


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A place for a database's file; none is there yet."""
    return tmp_path / "race.db"


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with tables and nothing in them, to be copied: making it takes longer than most tests."""
    path = tmp_path_factory.mktemp("tables") / "race.db"
    prepare(path)
    return path


@pytest.fixture
def prepared(tables: Path, tmp_path: Path) -> Path:
    """A database of a test's own, with tables and nothing in them."""
    return Path(shutil.copy(tables, tmp_path / "race.db"))
