"""What the records say of everything that is stored, and where it differs. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import asdict

from server.log import FullResult
from server.race.ranking import MARKS, counts
from server.race.results import full_result, replayed
from server.race.standings import Line, standings
from server.storage.boards import Span, Tally, period
from server.storage.statements import pace
from server.storage.tallies import KEY, counted_of, tally_row
from shared.attempt import Attempt, State
from shared.errors import Reason, RecordError
from shared.protocol.values import Options
from shared.record import Record

OTHERWISE = (State.TIMED_OUT, State.ABANDONED, State.VOID)
"""How attempts end that no entry ends."""

Row: TypeAlias = Mapping[str, Any]
Key: TypeAlias = tuple[str, str, int, str]
"""The player, game, suits and period of a tally."""


class Difference(Struct, frozen=True):
    """Something stored that is not what the records say; of its fields only those that differ."""

    what: str
    """An attempt's id; or the player, game, suits and period of a tally."""
    stored: Row
    """Nothing where it is missing."""
    right: Row
    """Nothing where it should not be."""


class Proof(Struct, frozen=True):
    """An ended attempt's row, and the attempt that its record tells of."""

    row: Row
    attempt: Attempt
    result: FullResult


def prove(row: Row) -> Proof:
    """Play the record of an attempt's row again; raise SameDealError where it proves nothing."""
    record = Record.unpack(row["record"])
    if str(record.code) != row["code"]:
        raise RecordError(Reason.BAD_RECORD, place="$.code")
    otherwise = next((state for state in OTHERWISE if state == row["state"]), State.ABANDONED)
    attempt, elapsed_ms = replayed(record, otherwise)
    return Proof(row, attempt, full_result(attempt, elapsed_ms))


def attempt_difference(proof: Proof, place: Row) -> Difference | None:
    """Return how the row of an attempt differs; *place* is its place, or nothing where that is not known."""
    row, code, result = proof.row, proof.attempt.code, proof.result
    marked = any(row[mark] for mark in MARKS)
    right = asdict(result) | {
        "game": code.game,
        "suits": code.suits,
        "number": code.number,
        "pace": pace(result),
        "ranked": row["ranked"] and not marked and counts(result.state, result.hints),
        **place,
    }
    return difference(row["id"], {name: row[name] for name in right}, right)


def places_of(proofs: Sequence[Proof], options: Options) -> dict[int, int | None]:
    """Return the place of each seat of a race that is over."""
    lines = [Line.of(each.row["seat"], each.attempt, each.row["start_ms"] + each.result.elapsed_ms) for each in proofs]
    return {standing.seat: standing.place for standing in standings(lines, options.goal, mixed=options.mixed)}


def tallies_of(rows: Iterable[Row]) -> dict[Key, dict[str, Any]]:
    """Return the rows of all tallies that attempts, rows of COUNTED, come to."""
    found: dict[Key, Tally] = defaultdict(Tally)
    for row in rows:
        counted = counted_of(row)
        for span in Span:
            key = (row["player"], row["game"], row["suits"], period(span, counted.started))
            found[key] = found[key].add(counted)
    return {key: tally_row(tally, **named(key)) for key, tally in found.items()}


def named(key: Key, prefix: str = "") -> dict[str, Any]:
    """Return the parts of a tally's key by their columns."""
    return {f"{prefix}{name}": value for name, value in zip(KEY, key, strict=True)}


def difference(what: str, stored: Row, right: Row) -> Difference | None:
    """Return the fields in which *stored* is not *right*; None where there are none."""
    nothing = object()
    differ = {name: None for name in (*stored, *right) if stored.get(name, nothing) != right.get(name, nothing)}
    if not differ:
        return None
    return Difference(what, *({name: row[name] for name in differ if name in row} for row in (stored, right)))
