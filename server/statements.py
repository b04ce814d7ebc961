"""What is run beside the rows of the log, made from pure values: how players, rooms, races and attempts are written.

The statements themselves are constants, so that SQLAlchemy compiles each of them once.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict
from sqlalchemy import Delete, Insert, Update, bindparam, delete, insert, update
from sqlalchemy.dialects.sqlite import insert as upsert

from migrations.schema import attempts, epochs, log, opened, players, races, rooms
from server.log import Batch, Begun, Ended, Finished, Player, Starter
from shared.attempt import State

ADD_ROOM = upsert(rooms).on_conflict_do_nothing()
OPEN = upsert(opened)
OPEN = OPEN.on_conflict_do_update(set_={"at": OPEN.excluded.at})
END = update(attempts).where(attempts.c.id == bindparam("of"), attempts.c.pace.is_(None))
FINISH = update(races).where(races.c.id == bindparam("of"), races.c.finished.is_(None))
PLACE = update(attempts).where(attempts.c.id == bindparam("of"), attempts.c.race == bindparam("in"))
REMOVE = delete(log).where(log.c.id.in_(bindparam("ids", expanding=True)))


class Change(Struct, frozen=True):
    """A statement and what it is run with, once for each of *rows*; each run of an update must find one row."""

    statement: Insert | Update | Delete
    rows: Sequence[dict[str, Any]]


def begin_epoch(epoch: int, started: str) -> Change:
    """Return what writes that a server has started."""
    return Change(insert(epochs), [{"epoch": epoch, "started": started}])


def add_player(player: Player, token_hash: bytes, created: str) -> Change:
    """Return what writes a new player."""
    return Change(insert(players), [{**asdict(player), "token_hash": token_hash, "created": created}])


def add_room(room: str, created: str) -> Change:
    """Return what writes a room, unless it is there."""
    return Change(ADD_ROOM, [{"id": room, "created": created}])


def begin(key: int, begun: Begun) -> tuple[Change, ...]:
    """Return what writes a race that starts, its attempts, and that its starters open the number."""
    race = asdict(begun) | {"key": key, "id": begun.race}
    del race["race"], race["attempts"]
    return (
        Change(insert(races), [race]),
        Change(insert(attempts), [attempt(begun, starter) for starter in begun.attempts]),
        Change(OPEN, [opening(begun, starter) for starter in begun.attempts]),
    )


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


def opening(begun: Begun, starter: Starter) -> dict[str, Any]:
    """Return the row of a number that a starter opens; one that was opened before counts from now."""
    return {"player": starter.player, "game": begun.game, "number": begun.number, "at": begun.started}


def ends(batch: Batch) -> Iterable[Change]:
    """Yield what writes the ends in *batch*. An attempt and a race end once."""
    if batch.ended:
        yield Change(END, [result(ended) for ended in batch.ended])
    if batch.finished is not None:
        yield from finish(batch.finished)


def result(ended: Ended) -> dict[str, Any]:
    """Return what the end of an attempt fills in."""
    row = asdict(ended) | {"of": ended.attempt, "pace": ended.elapsed_ms if ended.won else ended.moves}
    del row["attempt"]
    return row


def finish(finished: Finished) -> Iterable[Change]:
    """Yield what writes a race's end and the places."""
    yield Change(FINISH, [{"of": finished.race, "finished": finished.at}])
    if finished.places:
        yield Change(PLACE, [{"of": at, "in": finished.race, "place": place} for at, place in finished.places])


def remove(row_ids: Sequence[int]) -> Change:
    """Return what removes rows of the log by their numbers."""
    return Change(REMOVE, [{"ids": row_ids}])
