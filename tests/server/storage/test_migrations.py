"""The steps of the schema: from nothing to the tables as they are."""

import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine

from migrations.schema import METADATA, VERSION
from migrations.steps import configuration
from server.log import Player, StorageError
from server.storage.database import migrate
from shared.errors import Reason
from tests.server.storing import opened_store

ROOT = Path(__file__).parents[3]


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
    assert refused.value.params == {"path": str(path), "version": "9999"}
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
    program = (
        "import asyncio, pathlib, server.storage.database as d; "
        "asyncio.run(d.migrate(pathlib.Path('race.db').resolve()))"
    )

    subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=True,
        timeout=60,
    )

    assert "log" in schema(tmp_path / "race.db")


def at_step(path: Path, step: str) -> sqlite3.Connection:
    """Return a connection to a new database at an older step."""
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        config = configuration()
        config.attributes["connection"] = connection
        command.upgrade(config, step)
    engine.dispose()
    return sqlite3.connect(path)


FIRST_RACES = """
    INSERT INTO players VALUES ('anna', 'Anna', x'01', '2026-01-01'), ('bert', 'Bert', x'02', '2026-01-01');
    INSERT INTO rooms VALUES ('QUIET', '2026-01-01'), ('BUSY', '2026-01-02');
    INSERT INTO races VALUES
        (1, 'over', 'QUIET', 'SS1-S1-AAAAABD', 'simple-simon', 1, 35, '{}', '2026-01-01', '2026-01-02'),
        (2, 'live', 'BUSY', 'SS1-S1-AAAAABE', 'simple-simon', 1, 36, '{}', '2026-01-03', NULL);
    INSERT INTO attempts VALUES
        ('done', 'over', 'anna', 0, 'SS1-S1-AAAAABD', 'simple-simon', 1, 35, '2026-01-01', 0, 0, 0, 'solved',
         1, 851, 49, 4, 48, 60000, 1, 1, 60000, x'0102'),
        ('goes on', 'live', 'bert', 0, 'SS1-S1-AAAAABE', 'simple-simon', 1, 36, '2026-01-03', 0, 1, 0, 'playing',
         NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    INSERT INTO opened VALUES ('anna', 'simple-simon', 35, '2026-01-01');
    INSERT INTO epochs VALUES (1, '2026-01-01');
    INSERT INTO log VALUES (7, 2, 0, 1, NULL, 0, 'begin'), (8, 2, 1, 1, 'goes on', 90, '26');
"""


async def test_first_races_outlive_the_second_step(tmp_path: Path) -> None:
    """
    A database of the first step keeps its players, attempts, records and running races; the room of a race that runs
    is open, so that a start goes on with it, and one that is quiet is not.
    """
    path = tmp_path / "race.db"
    older = at_step(path, "0001")
    with older:
        older.executescript(FIRST_RACES)
    older.close()

    async with opened_store(path) as store:
        (live,) = await store.live_races()
        done, goes_on = await store.read.attempt("done"), await store.read.attempt("goes on")

        assert await store.read.rooms() == (("BUSY", "{}"),)
        assert [row.entry for row in live.rows] == ["begin", "26"]
        assert await store.read.record("done") == b"\x01\x02"
        assert await store.read.player_by_token(b"\x02") == Player("bert", "Bert")
        assert await store.read.opened(["anna"], "simple-simon") == (35,)
        assert done is not None
        assert goes_on is not None
        assert (done.place, done.clean, done.hints, done.bot, done.imported) == (1, True, 0, False, False)
        assert (goes_on.practice, goes_on.state, goes_on.hints) == (True, "playing", None)
        assert [line.attempt for line in await store.read.deal("simple-simon", 35, 1)] == ["done"]
        assert [line.attempt for line in await store.read.played("anna")] == ["done"]
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()


async def test_columns_stand_in_the_order_of_the_schema(tmp_path: Path) -> None:
    """Steps leave the columns where the schema has them: the large record is the last that is read of an attempt."""
    await migrate(tmp_path / "steps.db")
    connection = sqlite3.connect(tmp_path / "steps.db")

    for table in METADATA.sorted_tables:
        columns = [name for _, name, *_ in connection.execute(f"PRAGMA table_info({table.name})")]
        assert columns == [column.name for column in table.columns]
    connection.close()
