"""The commands that look after a database: backup, rebuild, import (DESIGN.md section 10)."""

import os
import sys
from argparse import ArgumentParser
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from itertools import chain
from typing import TypeAlias

from server.app import read_texts
from server.clock import SystemClock
from server.commands.command import add_database, run
from server.commands.printing import many
from server.commands.settings import chosen_database
from server.storage import backup as copying
from server.storage.database import database_path
from server.storage.imports import Imported, import_records
from server.storage.proofs import Difference
from server.storage.reader import Reader
from server.storage.rebuild import Rebuilt
from server.storage.rebuild import rebuild as compare
from server.storage.store import Store
from shared.errors import RecordError
from shared.recordfile import record_texts
from shared.texts import Texts

Read: TypeAlias = Callable[[str], Iterator[bytes]]
"""Yields the bytes of a file, - for standard input; raises RecordError where they can't be read."""


def backup(parser: ArgumentParser, arguments: Sequence[str]) -> int:
    """Copy the database to a file, while a server may be using it."""
    add_database(parser)
    parser.add_argument("file", metavar="FILE", help="where to; a database that is there is replaced")
    asked = parser.parse_args(arguments)
    return run(_backup(chosen_database(asked.database), asked.file))


async def _backup(where: str, file: str) -> int:
    source, target = database_path(where), database_path(file)
    copying.backup(source, target)
    print(f"{source} is copied to {target}.")
    return 0


def rebuild(parser: ArgumentParser, arguments: Sequence[str]) -> int:
    """Compute every result and board from the logs, and put right what differs."""
    add_database(parser)
    parser.add_argument("--check", action="store_true", help="change nothing; exit status 1 if anything differs")
    asked = parser.parse_args(arguments)
    return run(_rebuild(chosen_database(asked.database), mends=not asked.check))


async def _rebuild(where: str, *, mends: bool) -> int:
    await (await Reader.open(where)).close()  # it must be there already
    async with _store(where) as store:
        found = await compare(store, mends=mends)
    _report(found, mends=mends)
    return 1 if found.unproven or (found.differences and not mends) else 0


def _report(found: Rebuilt, *, mends: bool) -> None:
    texts = read_texts(os.environ)
    for differs in found.differences:
        print(f"{differs.what}: {_changes(differs)}")
    for unproven in found.unproven:
        print(f"{unproven.attempt}: left as it is: {texts.sentence(unproven.error)}")
    done = "put right" if mends else "wrong"
    compared = f"{many(found.attempts, 'attempt')} and {many(found.tallies, 'line')} of leaderboards compared"
    print(f"{compared}, {len(found.differences)} {done}.")


def _changes(differs: Difference) -> str:
    """Return the fields that differ, as they are and as they should be.

    >>> _changes(Difference("a", {"score": 7, "won": True}, {"score": 8, "won": False}))
    'score 7, should be 8; won True, should be False'
    """
    if not differs.stored or not differs.right:
        return "should not be there" if differs.stored else "is missing"
    return "; ".join(f"{name} {differs.stored[name]}, should be {right}" for name, right in differs.right.items())


def import_file(parser: ArgumentParser, arguments: Sequence[str], read: Read) -> int:
    """Store records from a file, those that hold, marked as imported."""
    add_database(parser)
    does = "records as JSON or JSON lines, plain or gzipped; - reads standard input"
    parser.add_argument("file", metavar="FILE", help=does)
    asked = parser.parse_args(arguments)
    return run(_import(chosen_database(asked.database), asked.file, read(asked.file)))


async def _import(where: str, file: str, chunks: Iterator[bytes]) -> int:
    texts, path = read_texts(os.environ), database_path(where)
    taken, known, refused = 0, 0, 0
    try:
        start = next(chunks, b"")  # before a database is made for nothing
        if not path.exists():
            print(f"{path} is a new database.")
        async with _store(where) as store:
            async for found in import_records(store, record_texts(chain([start], chunks))):
                _tell(file, found, texts)
                refused += found.error is not None
                known += found.known
                taken += found.error is None and not found.known
    except RecordError as error:
        print(f"samedeal: {file}: {texts.sentence(error)}", file=sys.stderr)
        return 1
    print(f"{taken} imported, {known} there already, {refused} refused.")
    return 1 if refused else 0


@asynccontextmanager
async def _store(where: str) -> AsyncIterator[Store]:
    store = await Store.open(where, clock=SystemClock())
    try:
        yield store
    finally:
        await store.close()


def _tell(file: str, found: Imported, texts: Texts) -> None:
    """Print what became of one record."""
    if found.error:
        print(f"{file}:{found.line}: refused: {texts.sentence(found.error)}", file=sys.stderr)
    else:
        print(f"{file}:{found.line}: {found.attempt}{' (there already)' if found.known else ''}")
