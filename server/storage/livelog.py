"""The rows of unfinished races, put in order and proved whole. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from operator import attrgetter

from msgspec import Struct

from server.log import LiveRace, LogRow, StoredRace


class Damaged(Struct, frozen=True):
    """An unfinished race that can't be rebuilt: its log is not what one owner writes."""

    race: str
    room: str
    cause: str


def logs_of(rows: Iterable[tuple[int, int, str | None, int, str]], ids: Mapping[int, str]) -> dict[str, list[LogRow]]:
    """Return the rows of each race, in the order they came; *ids* says which race a key stands for."""
    logs: dict[int, list[LogRow]] = defaultdict(list)
    for key, seq, attempt, at_ms, entry in rows:
        logs[key].append(LogRow(ids[key], seq, attempt, at_ms, entry))
    return {ids[key]: found for key, found in logs.items()}


def rebuilt(race: StoredRace, rows: list[LogRow]) -> LiveRace | Damaged:
    """Return *race* with its log, by seq; Damaged unless its rows count from 0 without a gap or a twin."""
    rows.sort(key=attrgetter("seq"))
    for due, row in enumerate(rows):
        if row.seq != due:
            what = "a gap" if row.seq > due else "rows of two writers"
            return Damaged(race.race, race.room, f"its log has {what} at row {due}")
    return LiveRace(race, tuple(rows)) if rows else Damaged(race.race, race.room, "its log is empty")
