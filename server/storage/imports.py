"""Imports: records from elsewhere become attempts of no race. They prove moves, not time: marked, never ranked."""

from collections.abc import AsyncIterator, Iterable, Iterator
from hashlib import sha256
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, replace

from server.identity import new_id
from server.race.results import full_result, replayed
from server.storage import statements
from server.storage.statements import pace
from server.storage.store import Store
from shared.attempt import State
from shared.errors import RecordError, SameDealError
from shared.record import Record, verify

PAGE = 100
"""Records that are stored in one commit."""


class Imported(Struct, frozen=True, kw_only=True):
    """What became of one record."""

    line: int
    """Of its file."""
    attempt: str | None = None
    """Its id here, always the same for the same record."""
    known: bool = False
    """Whether it was there before."""
    error: SameDealError | None = None
    """Why it was not taken."""


async def import_records(store: Store, texts: Iterable[tuple[int, bytes]]) -> AsyncIterator[Imported]:
    """Verify records, *texts* with the lines they stand on, store those that hold, and yield what became of each.

    Raise RecordError as reading *texts* does, after what came before it is stored.
    """
    for page in _pages(texts):
        made = [_made(line, text) for line, text in page]
        rows = {row["id"]: row for _, row in made if row}
        known = await store.read.known(list(rows))
        await store.change(statements.add_imported([row for id, row in rows.items() if id not in known], store.now()))
        for found, row in made:
            if row:
                yield replace(found, known=row["id"] in known)
                known.add(row["id"])
            else:
                yield found


def _pages(texts: Iterable[tuple[int, bytes]]) -> Iterator[list[tuple[int, bytes]]]:
    page: list[tuple[int, bytes]] = []
    try:
        for text in texts:
            page.append(text)
            if len(page) == PAGE:
                yield page
                page = []
    except RecordError:
        yield page
        raise
    yield page


def _made(line: int, text: bytes) -> tuple[Imported, dict[str, Any]]:
    """Return what becomes of a record, and the row of its attempt if it holds."""
    try:
        record = Record.parse(text)
    except SameDealError as error:
        return Imported(line=line, error=error), {}
    verdict = verify(record)
    if verdict.error:
        return Imported(line=line, error=verdict.error), {}
    row = imported_row(record)
    return Imported(line=line, attempt=row["id"]), row


def imported_row(record: Record) -> dict[str, Any]:
    """Return the row of the attempt that *record*, which holds, tells of; with the name of its player as `name`."""
    record = replace(record, started=_to_the_millisecond(record.started))
    attempt, elapsed_ms = replayed(record, State.ABANDONED)
    result = full_result(attempt, elapsed_ms)
    return asdict(result) | {
        "id": _id_of(record.pack()),
        # One player for each name: nobody's token leads to them.
        "player": _id_of(f"imported {record.player}".encode()),
        "name": record.player,
        "code": str(record.code),
        "game": record.code.game,
        "suits": record.code.suits,
        "number": record.code.number,
        "started": record.started,
        "pace": pace(result),
        "record": record.pack(),
    }


def _id_of(content: bytes) -> str:
    digest = sha256(content).digest()
    return new_id(lambda count: digest[:count])


def _to_the_millisecond(started: str) -> str:
    """Return a record's date as the database has dates, so that they sort.

    >>> _to_the_millisecond("2026-05-01T09:30:00Z"), _to_the_millisecond("2026-05-01T09:30:00.25Z")
    ('2026-05-01T09:30:00.000Z', '2026-05-01T09:30:00.250Z')
    """
    second, _, fraction = started.removesuffix("Z").partition(".")
    return f"{second}.{fraction[:3]:0<3}Z"
