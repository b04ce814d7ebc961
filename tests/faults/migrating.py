"""Processes that bring copies of a database up to date and are killed on the way, each some statements later.

python -m tests.faults.migrating DATABASE FOLDER STATEMENTS
"""

import os
import shutil
import signal
import sys
from itertools import count
from pathlib import Path

from sqlalchemy import create_engine, event

from migrations.upgrade import upgrade


def main(database: Path, folder: Path, later: int) -> None:
    """Leave a copy in *folder* for each statement at which one was killed, called after its number: every *later*th."""
    whole = Path(shutil.copy(database, folder / "whole.db"))
    migrate(whole, 0)  # loads Alembic, once for all
    whole.unlink()
    for number in count(1, later):
        path = Path(shutil.copy(database, folder / f"{number}.db"))
        child = os.fork()
        if not child:
            migrate(path, number)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status == 0:  # it was done before
            path.unlink()
            return
        assert os.WTERMSIG(status) == signal.SIGKILL


def migrate(path: Path, last: int) -> None:
    """Take the steps as a start does, with a page cache so small that pages reach the file long before the commit."""
    engine = create_engine(f"sqlite:///{path}", isolation_level="AUTOCOMMIT")
    numbers = count(1)

    @event.listens_for(engine, "before_cursor_execute")
    def kill(*_: object) -> None:
        if next(numbers) == last:
            os.kill(os.getpid(), signal.SIGKILL)

    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA synchronous = OFF")  # the system outlives its processes
        connection.exec_driver_sql("PRAGMA cache_size = 1")
        connection.exec_driver_sql("PRAGMA cache_spill = 1")
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        upgrade(connection)
        connection.exec_driver_sql("COMMIT")
    engine.dispose()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
