"""The rebuild: every result, place and tally once more from the records, compared with what is stored, and mended."""

from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import Select, bindparam, delete, select, update

from migrations.schema import attempts, players, races, tallies
from server.storage.proofs import (
    Difference,
    Key,
    Proof,
    Row,
    attempt_difference,
    difference,
    named,
    places_of,
    prove,
    tallies_of,
)
from server.storage.queries import fields
from server.storage.statements import Change, Step
from server.storage.store import Store
from server.storage.tallies import COUNTED, KEEP, KEY
from shared.errors import SameDealError
from shared.protocol.values import Options

PAGE = 100
"""Races, imported attempts or players that are read, and mended in one commit, at once."""

MEND = update(attempts).where(attempts.c.id == bindparam("of"))
DROP = delete(tallies).where(*(tallies.c[name] == bindparam(f"of_{name}") for name in KEY))


class Unproven(Struct, frozen=True):
    """An attempt whose record proves nothing. It is left as it is, and so are the places of its race."""

    attempt: str
    error: SameDealError


class Rebuilt(Struct):
    """What a rebuild has found."""

    attempts: int = 0
    tallies: int = 0
    differences: list[Difference] = []
    unproven: list[Unproven] = []
    right: dict[str, Row] = {}
    """The fields of attempts that were wrong."""

    def proofs(self, rows: Iterable[Row]) -> Iterator[Proof]:
        """Yield the proofs of those rows that have ended, and note those that prove nothing."""
        for row in rows:
            if row["won"] is None:
                continue
            self.attempts += 1
            try:
                yield prove(row)
            except SameDealError as error:
                self.unproven.append(Unproven(row["id"], error))

    def corrected(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Yield the rows of COUNTED as they should be, whether they have been mended or not."""
        for row in rows:
            right = self.right.get(row["attempt"], {})
            if right.get("ranked", True):
                yield {**row, **right}

    def noted(self, differs: Difference | None) -> Iterator[Difference]:
        """Note and yield a difference if there is one."""
        if differs:
            self.differences.append(differs)
            yield differs


async def rebuild(store: Store, *, mends: bool = True) -> Rebuilt:
    """Compare all that is stored with what the records say, and put it right unless *mends* is false.

    Attempts that still go on are passed over; whether an attempt was ranked at its start is taken as it is.
    """
    found = Rebuilt()
    for pages in (_races, _imported, _tallies):  # tallies last: they follow from results
        async for steps in pages(store, found):
            if mends and steps:
                await store.change(steps)
    return found


async def _races(store: Store, found: Rebuilt) -> AsyncIterator[Sequence[Step]]:
    """Yield what puts the attempts of each page of races right."""
    page, last = select(races).order_by(races.c.key).limit(PAGE), 0
    while rows := await _rows(store, page.where(races.c.key > last)):
        last, ids = rows[-1]["key"], [race["id"] for race in rows]
        seated = defaultdict(list)
        for row in await _rows(store, select(attempts).where(attempts.c.race.in_(ids))):
            seated[row["race"]].append(row)
        yield [step for race in rows for step in _race_steps(race, seated[race["id"]], found)]


def _race_steps(race: Row, rows: Sequence[Row], found: Rebuilt) -> Iterator[Step]:
    proofs = list(found.proofs(rows))
    places: dict[int, int | None] = {}
    if race["finished"] is not None and len(proofs) == len(rows):
        places = places_of(proofs, msgspec.json.decode(race["options"], type=Options))
    for proof in proofs:
        place = {"place": places[proof.row["seat"]]} if places else {}
        yield from _attempt_steps(proof, place, found)


async def _imported(store: Store, found: Rebuilt) -> AsyncIterator[Sequence[Step]]:
    """Yield what puts attempts right that are of no race."""
    page, last = select(attempts).where(attempts.c.race.is_(None)).order_by(attempts.c.id).limit(PAGE), ""
    while rows := await _rows(store, page.where(attempts.c.id > last)):
        last = rows[-1]["id"]
        yield [step for proof in found.proofs(rows) for step in _attempt_steps(proof, {}, found)]


def _attempt_steps(proof: Proof, place: Row, found: Rebuilt) -> Iterator[Step]:
    for differs in found.noted(attempt_difference(proof, place)):
        found.right[differs.what] = differs.right
        yield Change(MEND, [{"of": differs.what, **differs.right}])


async def _tallies(store: Store, found: Rebuilt) -> AsyncIterator[Sequence[Step]]:
    """Yield what puts the tallies of each page of players right."""
    page, last = select(players.c.id).order_by(players.c.id).limit(PAGE), ""
    while rows := await _rows(store, page.where(players.c.id > last)):
        last, ids = rows[-1]["id"], [row["id"] for row in rows]
        counted = await _rows(store, COUNTED.where(attempts.c.player.in_(ids)))
        right = tallies_of(found.corrected(counted))
        stored = {_key(row): row for row in await _rows(store, select(tallies).where(tallies.c.player.in_(ids)))}
        found.tallies += len(right)
        yield [step for key in sorted({*stored, *right}) for step in _tally_steps(key, stored, right, found)]


def _tally_steps(key: Key, stored: Mapping[Key, Row], right: Mapping[Key, Row], found: Rebuilt) -> Iterator[Step]:
    row = right.get(key, {})
    for _ in found.noted(difference(" ".join(map(str, key)), stored.get(key, {}), row)):
        yield Change(KEEP, [dict(row)]) if row else Change(DROP, [named(key, "of_")])


def _key(row: Row) -> Key:
    return row["player"], row["game"], row["suits"], row["period"]


async def _rows(store: Store, statement: Select[Any]) -> Sequence[Row]:
    async with store.read.snapshot() as connection:
        return [fields(row) for row in (await connection.execute(statement)).mappings()]
