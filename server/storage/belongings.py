"""A player's belongings: all that is stored of one player, to take along; and what stays when they are deleted."""

import logging
from collections.abc import AsyncIterator, Callable
from typing import Any, TypeAlias

import msgspec
from msgspec import Raw
from msgspec.structs import asdict, replace

from server.log import Player, StorageError, StoredAttempt
from server.storage import statements
from server.storage.reader import Reader
from server.storage.store import Store
from shared.errors import Reason, SameDealError
from shared.record import Record

LOGGER = logging.getLogger(__name__)

Page: TypeAlias = tuple[tuple[StoredAttempt, bytes], ...]
"""Attempts with their packed records."""

FORMAT = "samedeal-player/1"

FORMER = "former player"
"""The name of whoever was deleted."""

PAGE = 100
"""Attempts that are read, or written in one commit, at once."""


async def belongings(read: Reader, player: Player, is_sealed: Callable[[str, int], bool]) -> AsyncIterator[str]:
    """Yield lines of JSON: the player with the numbers they have opened, then each attempt with its record.

    The latest comes first; of a race that still runs, and of any other at a number that is sealed, there is nothing.
    """
    opened = [(each.game, each.number, each.at) for each in await read.openings(player.id)]
    created = await read.created(player.id)
    yield _line(format=FORMAT, id=player.id, name=player.name, created=created, opened=opened)
    async for page in _pages(read, player.id, over=True):
        for attempt, packed in page:
            if is_sealed(attempt.game, attempt.number):
                continue
            record = _record(attempt, packed)
            yield _line(**asdict(attempt), record=record and Raw(str(record).encode()))


async def forget(store: Store, player: str) -> None:
    """Delete a player: the name goes, from their records too, and no token leads to them any more. The logs stay.

    Raise StorageError where they still play. If it fails on the way, it may be asked for again.
    """
    if await store.read.plays(player):
        raise StorageError(Reason.NOT_STORED, cause=f"player {player} still plays")
    async for page in _pages(store.read, player, over=False):
        await store.change(statements.replace_records(_nameless(page)))
    # The token goes last: until then the player can ask again.
    await store.change(statements.forget_player(player, FORMER))


def _nameless(page: Page) -> dict[str, bytes]:
    """Return those records of a page that have the player's name, without it."""
    records = {attempt.attempt: _record(attempt, packed) for attempt, packed in page}
    named = {attempt: record for attempt, record in records.items() if record and record.player != FORMER}
    return {attempt: replace(record, player=FORMER).pack() for attempt, record in named.items()}


async def _pages(read: Reader, player: str, *, over: bool) -> AsyncIterator[Page]:
    """Yield a player's attempts that have ended with their packed records; *over*: only of races that are over."""
    page, before = await read.records_of(player, None, PAGE, over=over), None
    while page:
        yield page
        before = (page[-1][0].started, page[-1][0].attempt)
        page = await read.records_of(player, before, PAGE, over=over)


def _record(attempt: StoredAttempt, packed: bytes) -> Record | None:
    try:
        return Record.unpack(packed)
    except SameDealError as error:
        LOGGER.error("the record of attempt %s can't be read, and is left as it is: %s", attempt.attempt, error)
        return None


def _line(**fields: Any) -> str:  # noqa: ANN401  # whatever JSON takes
    return msgspec.json.encode(fields).decode()
