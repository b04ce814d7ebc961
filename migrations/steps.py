"""The steps that lie in `versions/`, and Alembic, which takes them: loaded only where there is one to take."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection


def is_ours(found: str) -> bool:
    """Return whether the step called *found* is among them."""
    steps = ScriptDirectory.from_config(configuration()).walk_revisions()
    return found in {step.revision for step in steps}


def take(connection: Connection) -> None:
    """Take those that are missing, all in the transaction of *connection*."""
    steps = configuration()
    steps.attributes["connection"] = connection
    command.upgrade(steps, "head")


def configuration() -> Config:
    """Return what Alembic needs to know, in place of an ini file."""
    config = Config()
    # A per cent sign in the path would begin an interpolation.
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
