"""The statements that write a race's begin and its ends, made from pure values."""

from collections.abc import Sequence

from sqlalchemy import Executable, delete, insert, update
from sqlalchemy.dialects.sqlite import insert as upsert

from migrations.schema import attempts, epochs, log, opened, players, races, rooms
from server.log import Batch, Begun, Ended, Finished, Player
from shared.attempt import State


def begin_epoch(epoch: int, started: str) -> Executable:
    """Return what writes that a server has started."""
    return insert(epochs).values(epoch=epoch, started=started)


def add_player(player: Player, token_hash: bytes, created: str) -> Executable:
    """Return what writes a new player."""
    return insert(players).values(id=player.id, name=player.name, token_hash=token_hash, created=created)


def add_room(room: str, created: str) -> Executable:
    """Return what writes a room, unless it is there."""
    return upsert(rooms).values(id=room, created=created).on_conflict_do_nothing()


def begin(key: int, begun: Begun) -> tuple[Executable, ...]:
    """Return what writes a race that starts, its attempts, and that its starters have opened the number."""
    race = insert(races).values(
        key=key,
        id=begun.race,
        room=begun.room,
        code=begun.code,
        game=begun.game,
        suits=begun.suits,
        number=begun.number,
        options=begun.options,
        started=begun.started,
    )
    started = [
        {
            "id": starter.attempt,
            "race": begun.race,
            "player": starter.player,
            "seat": starter.seat,
            "code": starter.code,
            "game": begun.game,
            "suits": starter.suits,
            "number": begun.number,
            "started": begun.started,
            "start_ms": starter.start_ms,
            "practice": starter.practice,
            "ranked": starter.ranked,
            "state": State.PLAYING,
        }
        for starter in begun.attempts
    ]
    return race, insert(attempts).values(started), open_number(begun)


def open_number(begun: Begun) -> Executable:
    """Return what writes that the starters open the number; one opened before counts from now."""
    players = [
        {"player": starter.player, "game": begun.game, "number": begun.number, "at": begun.started}
        for starter in begun.attempts
    ]
    found = upsert(opened).values(players)
    return found.on_conflict_do_update(set_={"at": found.excluded.at})


def changes(batch: Batch) -> tuple[Executable, ...]:
    """Return what writes the ends in *batch*."""
    ends = tuple(end(ended) for ended in batch.ended)
    return ends if batch.finished is None else (*ends, *finish(batch.finished))


def end(ended: Ended) -> Executable:
    """Return what writes an attempt's end. An attempt ends once."""
    return (
        update(attempts)
        .where(attempts.c.id == ended.attempt, attempts.c.pace.is_(None))
        .values(
            state=ended.state,
            won=ended.won,
            score=ended.score,
            moves=ended.moves,
            home=ended.home,
            progress=ended.progress,
            elapsed_ms=ended.elapsed_ms,
            clean=ended.clean,
            pace=ended.elapsed_ms if ended.won else ended.moves,
            record=ended.record,
        )
    )


def finish(finished: Finished) -> tuple[Executable, ...]:
    """Return what writes a race's end and the places. A race ends once."""
    race = update(races).where(races.c.id == finished.race, races.c.finished.is_(None)).values(finished=finished.at)
    places = [
        update(attempts).where(attempts.c.id == attempt, attempts.c.race == finished.race).values(place=place)
        for attempt, place in finished.places
    ]
    return race, *places


def remove(row_ids: Sequence[int]) -> Executable:
    """Return what removes rows of the log by their numbers."""
    return delete(log).where(log.c.id.in_(row_ids))
