"""Bring a database up to the newest step, from any directory: the steps lie beside this file."""

from importlib import import_module

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
    # Alembic is a quarter of what a start loads, and most starts have no step to take.
    steps = import_module("migrations.steps")
    if found is not None and not steps.is_ours(found):
        raise UnknownVersionError(found)
    steps.take(connection)
