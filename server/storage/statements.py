"""What is run beside the rows of the log, made from pure values: how players, rooms, races and attempts are written.

The statements themselves are constants, so that SQLAlchemy compiles each of them once.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct
from msgspec.structs import asdict
from sqlalchemy import Delete, Insert, Update, and_, bindparam, delete, insert, update
from sqlalchemy.dialects.sqlite import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection

from migrations.schema import attempts, epochs, log, opened, players, races, rooms
from server.log import Begun, Ended, Finished, FullResult, Opening, Player, RoomState, Starter, StorageError
from server.race.ranking import MARKS, counts
from server.storage.tallies import Count
from shared.attempt import State
from shared.errors import Reason

KEEP_ROOM = upsert(rooms)
KEEP_ROOM = KEEP_ROOM.on_conflict_do_update(set_={"state": KEEP_ROOM.excluded.state})
CLOSE_ROOM = update(rooms).where(rooms.c.id == bindparam("of"))
ADD_IMPORTED_PLAYER = upsert(players).on_conflict_do_nothing()
CHANGE_PLAYER = update(players).where(players.c.id == bindparam("of"))
CLOSE_NUMBERS = delete(opened).where(opened.c.player == bindparam("of"))
REPLACE_RECORD = update(attempts).where(attempts.c.id == bindparam("of"))
OPEN = upsert(opened)
OPEN = OPEN.on_conflict_do_update(set_={"at": OPEN.excluded.at})
# What is ranked at the end is what the boards count: nothing that is marked otherwise, whoever wrote it.
COUNTS = and_(attempts.c.ranked, *(~attempts.c[mark] for mark in MARKS), bindparam("counts"))
BOT = attempts.c.bot | bindparam("by_bot")
END = update(attempts).where(attempts.c.id == bindparam("of"), attempts.c.won.is_(None)).values(ranked=COUNTS, bot=BOT)
FINISH = update(races).where(races.c.id == bindparam("of"), races.c.finished.is_(None))
PLACE = update(attempts).where(attempts.c.id == bindparam("of"), attempts.c.race == bindparam("in"))
REMOVE = delete(log).where(log.c.id.in_(bindparam("ids", expanding=True)))


class Step(Protocol):
    """A part of a transaction."""

    async def run(self, connection: AsyncConnection) -> None:
        """Do it, in the transaction that *connection* is in."""
        ...


class Change(Struct, frozen=True):
    """A statement and what it is run with, once for each of *rows*."""

    statement: Insert | Update | Delete
    rows: Sequence[dict[str, Any]]
    must_find: bool = True
    """Whether each run of an update must find one row: what it ends has to have begun."""

    async def run(self, connection: AsyncConnection) -> None:
        result = await connection.execute(self.statement, self.rows)
        if self.must_find and isinstance(self.statement, Update) and result.rowcount != len(self.rows):
            wrong = f"{result.rowcount} rows of {self.statement.table} found, not {len(self.rows)}"
            raise StorageError(Reason.NOT_STORED, cause=wrong)


def begin_epoch(epoch: int, started: str) -> Change:
    """Return what writes that a server has started."""
    return Change(insert(epochs), [{"epoch": epoch, "started": started}])


def add_player(player: Player, token_hash: bytes, created: str) -> Change:
    """Return what writes a new player."""
    return Change(insert(players), [{**asdict(player), "token_hash": token_hash, "created": created}])


def rename_player(player: str, name: str) -> Change:
    """Return what gives a player another name; their records keep the one they were played under."""
    return Change(CHANGE_PLAYER, [{"of": player, "name": name}])


def forget_player(player: str, name: str) -> tuple[Change, ...]:
    """Return what leaves of a player nothing but *name*."""
    gone = Change(CHANGE_PLAYER, [{"of": player, "name": name, "token_hash": None}])
    return gone, Change(CLOSE_NUMBERS, [{"of": player}])


def replace_records(records: Mapping[str, bytes]) -> Iterable[Change]:
    """Yield what puts other records in the place of attempts', by their ids."""
    if records:
        yield Change(REPLACE_RECORD, [{"of": attempt, "record": record} for attempt, record in records.items()])


def add_imported(rows: Sequence[dict[str, Any]], created: str) -> Iterable[Change]:
    """Yield what writes imported attempts, each row with the `name` of its player too, and those players."""
    if rows:
        who = {row["player"]: {"id": row["player"], "name": row["name"], "created": created} for row in rows}
        yield Change(ADD_IMPORTED_PLAYER, list(who.values()))
        marks = {"seat": 0, "start_ms": 0, "practice": False, "ranked": False, "imported": True}
        yield Change(insert(attempts), [{name: row[name] for name in row if name != "name"} | marks for row in rows])


def keep(state: RoomState, created: str) -> Change:
    """Return what writes what is kept of a room, and the room itself where it is new."""
    return Change(KEEP_ROOM, [{"id": state.room, "created": created, "state": state.state}])


def close_room(room: str) -> Change:
    """Return what closes a room, if it was ever written."""
    return Change(CLOSE_ROOM, [{"of": room, "state": None}], must_find=False)


def begin(key: int, begun: Begun) -> Iterable[Change]:
    """Yield what writes a race that starts, its attempts, and that its starters open the number."""
    race = asdict(begun) | {"key": key, "id": begun.race}
    del race["race"], race["attempts"]
    yield Change(insert(races), [race])
    yield Change(insert(attempts), [attempt(begun, starter) for starter in begun.attempts])
    yield open_all(Opening(each.player, begun.game, begun.number, begun.started) for each in begun.attempts)


def attempt(begun: Begun, starter: Starter) -> dict[str, Any]:
    """Return the row of an attempt that starts."""
    row = asdict(starter) | {
        "id": starter.attempt,
        "race": begun.race,
        "game": begun.game,
        "number": begun.number,
        "started": begun.started,
        "state": State.PLAYING,
    }
    del row["attempt"]
    return row


def open_all(openings: Iterable[Opening]) -> Change:
    """Return what writes who opens which number; one that was opened before counts from now."""
    return Change(OPEN, [asdict(opening) for opening in openings])


def ends(ended: Sequence[Ended], finished: Finished | None) -> Iterable[Step]:
    """Yield what writes the ends of attempts, what they count for, and the end of a race; each ends once."""
    if ended:
        yield Change(END, [result(each) for each in ended])
    counted = [each.attempt for each in ended if _counts(each)]
    if counted:
        yield Count(counted)
    if finished is not None:
        yield from finish(finished)


def result(ended: Ended) -> dict[str, Any]:
    """Return what the end of an attempt fills in."""
    row = asdict(ended) | {"of": ended.attempt, "pace": pace(ended), "by_bot": ended.bot, "counts": _counts(ended)}
    del row["attempt"], row["bot"]
    return row


def _counts(ended: Ended) -> bool:
    return counts(ended.state, ended.hints) and not ended.bot


def pace(result: FullResult) -> int:
    """Return what decides among equal progress: the time of who has won, else the moves."""
    return result.elapsed_ms if result.won else result.moves


def finish(finished: Finished) -> Iterable[Change]:
    """Yield what writes a race's end and the places."""
    yield Change(FINISH, [{"of": finished.race, "finished": finished.at}])
    if finished.places:
        yield Change(PLACE, [{"of": at, "in": finished.race, "place": place} for at, place in finished.places])


def remove(row_ids: Sequence[int]) -> Change:
    """Return what removes rows of the log by their numbers."""
    return Change(REMOVE, [{"ids": row_ids}])
