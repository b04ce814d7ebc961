"""Bring a database up to the newest step, from any directory: the steps lie beside this file."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from migrations.schema import VERSION, version


class UnknownVersionError(Exception):
    """The database stands at a step that is not among ours: a newer program has made it."""

    def __init__(self, found: str) -> None:
        super().__init__(found)
        self.found = found


def upgrade(connection: Connection) -> None:
    """Take the steps that are missing, all in the transaction of *connection*.

    Raise UnknownVersionError where the database stands at a step that is not ours.
    """
    found = version(connection)
    if found == VERSION:
        return
    steps = configuration()
    if found is not None and found not in {
        step.revision for step in ScriptDirectory.from_config(steps).walk_revisions()
    }:
        raise UnknownVersionError(found)
    steps.attributes["connection"] = connection
    command.upgrade(steps, "head")


def configuration() -> Config:
    """Return what Alembic needs to know, in place of an ini file."""
    config = Config()
    # A per cent sign in the path would begin an interpolation.
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
