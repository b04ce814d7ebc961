"""A connection to SQLite that fails when a test says so: the seam through which faults reach the store."""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self, TypeVar

Given = TypeVar("Given")


@dataclass
class Fault:
    """Call number *at* of those that reach SQLite fails."""

    at: int
    after: bool = False
    """Whether SQLite has done what it was asked for before the failure is told."""
    code: int = sqlite3.SQLITE_IOERR_FSYNC
    calls: int = 0

    @property
    def struck(self) -> bool:
        """Whether the call was ever made."""
        return self.calls >= self.at

    def around(self, call: Callable[[], Given]) -> Given:
        """Make the call, or fail in its place, or after it."""
        self.calls += 1
        if self.calls != self.at:
            return call()
        if self.after:
            call()
        error = sqlite3.OperationalError("injected")
        error.sqlite_errorcode = self.code
        raise error

    def factory(self) -> type[sqlite3.Connection]:
        """Return what makes connections that share this fault; a transaction's every step is a call."""
        fault = self

        class Cursor(sqlite3.Cursor):
            def execute(self, sql: str, parameters: Any = ()) -> Self:  # noqa: ANN401  # as sqlite3 has it
                call = super().execute
                return (
                    call(sql, parameters) if sql.startswith("PRAGMA") else fault.around(lambda: call(sql, parameters))
                )

            def executemany(self, sql: str, rows: Any) -> Self:  # noqa: ANN401  # as sqlite3 has it
                call = super().executemany
                return fault.around(lambda: call(sql, rows))

        class Connection(sqlite3.Connection):
            def cursor(self, factory: Any = Cursor) -> Any:  # noqa: ANN401  # as sqlite3 has it
                return super().cursor(factory)

            def execute(self, sql: str, parameters: Any = ()) -> Any:  # noqa: ANN401  # as sqlite3 has it
                return self.cursor().execute(sql, parameters)

            def commit(self) -> None:
                fault.around(super().commit)

        return Connection
