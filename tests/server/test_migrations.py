"""The steps of the schema: from nothing to the tables as they are."""

import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine

from migrations.schema import METADATA, VERSION
from migrations.steps import configuration
from server.database import migrate
from server.log import StorageError
from shared.errors import Reason

ROOT = Path(__file__).parents[2]


def schema(path: Path) -> dict[str, list[str]]:
    """Return what makes each table and index of *path*: of a table its columns and constraints, sorted."""
    with sqlite3.connect(path) as connection:
        made = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    connection.close()
    return {name: [sql] if sql.startswith("CREATE INDEX") else parts(sql) for name, sql in made}


def parts(sql: str) -> list[str]:
    """Return what stands between the commas and line breaks of the statement that makes a table."""
    return sorted(part.strip().replace('"', "") for part in re.split("[,\n]+", sql) if part.strip())


async def test_steps_lead_to_the_schema(tmp_path: Path) -> None:
    """An empty file that takes all steps has the very tables and indexes that the code expects."""
    await migrate(tmp_path / "steps.db")
    engine = create_engine(f"sqlite:///{tmp_path / 'schema.db'}")
    METADATA.create_all(engine)
    engine.dispose()

    stepped = schema(tmp_path / "steps.db")

    assert stepped.pop("alembic_version")
    assert stepped == schema(tmp_path / "schema.db")


def test_version_is_the_newest_step() -> None:
    """What a start compares with, so as not to load the steps, is where they end."""
    assert ScriptDirectory.from_config(configuration()).get_heads() == [VERSION]


async def test_taking_the_steps_again_changes_nothing(tmp_path: Path) -> None:
    """A database that is up to date is left as it is, to the byte."""
    path = tmp_path / "race.db"
    await migrate(path)
    before = path.read_bytes()

    await migrate(path)

    assert path.read_bytes() == before


async def test_newer_database_is_refused_untouched(tmp_path: Path) -> None:
    """A database that a newer program has written is refused by its version's name and not changed."""
    path = tmp_path / "race.db"
    await migrate(path)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    before = path.read_bytes()

    with pytest.raises(StorageError) as refused:
        await migrate(path)

    assert refused.value.reason is Reason.DATABASE_NEWER
    assert refused.value.params == {"version": "9999"}
    assert path.read_bytes() == before


async def test_step_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    """Where the last table of a step cannot be made, the first ones are not there either."""
    path = tmp_path / "race.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE log (somebody_elses INTEGER)")
    connection.close()

    with pytest.raises(StorageError) as refused:
        await migrate(path)

    assert refused.value.reason is Reason.BAD_DATABASE
    assert list(schema(path)) == ["log"]


async def test_file_that_is_no_database_is_refused_untouched(tmp_path: Path) -> None:
    """A text file in the place of the database is refused and kept."""
    path = tmp_path / "race.db"
    path.write_text("Dear diary, " * 100, encoding="utf-8")

    with pytest.raises(StorageError) as refused:
        await migrate(path)

    assert refused.value.reason is Reason.BAD_DATABASE
    assert path.read_text(encoding="utf-8").startswith("Dear diary")


def test_steps_are_found_from_any_directory(tmp_path: Path) -> None:
    """The steps lie beside the code, wherever the program is started."""
    program = "import asyncio, pathlib, server.database as d; asyncio.run(d.migrate(pathlib.Path('race.db').resolve()))"

    subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=True,
        timeout=60,
    )

    assert "log" in schema(tmp_path / "race.db")
