"""The tallies of players in the database: read, added to and written in the transaction that ends an attempt."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import astuple
from sqlalchemy import RowMapping, bindparam, select
from sqlalchemy.dialects.sqlite import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection

from migrations.schema import attempts, tallies
from server.storage.boards import Counted, Single, Span, Tally, period

Row: TypeAlias = Mapping[str, Any] | RowMapping

KEY = ("player", "game", "suits", "period")
SINGLE = ("best_ms", "best_moves", "best_started", "best")

COUNTED = select(
    attempts.c.id.label("attempt"),
    *(attempts.c[name] for name in ("player", "game", "suits", "started", "won", "elapsed_ms", "moves")),
).where(attempts.c.ranked, attempts.c.won.is_not(None))
ENDED = COUNTED.where(attempts.c.id.in_(bindparam("ids", expanding=True)))
STORED = select(tallies).where(
    *(tallies.c[name] == bindparam(name) for name in KEY[:3]),
    tallies.c.period.in_(bindparam("periods", expanding=True)),
)
KEEP = upsert(tallies)
KEEP = KEEP.on_conflict_do_update(
    set_={column.name: KEEP.excluded[column.name] for column in tallies.c if column.name not in KEY}
)

_LATEST = msgspec.json.Decoder(tuple[tuple[int, int], ...])


class Count(Struct, frozen=True):
    """Adds attempts that have just ended to the tallies of their players, where they count."""

    ids: Sequence[str]

    async def run(self, connection: AsyncConnection) -> None:
        for row in (await connection.execute(ENDED, {"ids": self.ids})).mappings().all():
            await add(connection, row)


async def add(connection: AsyncConnection, row: Row) -> None:
    """Add an attempt, a row of COUNTED, to the tallies of the three periods that it falls in."""
    counted, whose = counted_of(row), {name: row[name] for name in KEY[:3]}
    periods = [period(span, counted.started) for span in Span]
    stored = (await connection.execute(STORED, whose | {"periods": periods})).mappings()
    found = {each["period"]: tally_of(each) for each in stored}
    rows = [tally_row(found.get(name, Tally()).add(counted), **whose, period=name) for name in periods]
    await connection.execute(KEEP, rows)


def counted_of(row: Row) -> Counted:
    """Return what a row of COUNTED says of the attempt itself."""
    return Counted(**{name: row[name] for name in Counted.__struct_fields__})


def tally_of(row: Row) -> Tally:
    """Return the tally that a row of the table has."""
    best = None if row["best"] is None else Single(*(row[name] for name in SINGLE))
    return Tally(attempts=row["attempts"], solved=row["solved"], best=best, latest=_LATEST.decode(row["latest"]))


def tally_row(tally: Tally, **key: Any) -> dict[str, Any]:  # noqa: ANN401  # of each column its own type
    """Return the row of the table for *tally*; *key* are the columns of KEY."""
    best = astuple(tally.best) if tally.best else (None,) * len(SINGLE)
    return {
        **key,
        **dict(zip(SINGLE, best, strict=True)),
        "attempts": tally.attempts,
        "solved": tally.solved,
        "share": tally.share,
        "average_ms": tally.average_ms,
        "latest": msgspec.json.encode(tally.latest).decode(),
    }
