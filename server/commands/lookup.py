"""Where commands look things up: in a database, or by asking a server over HTTP."""

import asyncio
import json
from argparse import Namespace
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http.client import HTTPException
from socket import gaierror
from typing import Any, Protocol, TypeVar
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import urlopen

from msgspec import Struct, ValidationError, convert

from server.clock import SystemClock, utc_text
from server.commands.settings import chosen_database
from server.log import DealLine, RaceLine
from server.storage.boards import Board, BoardLine, Span, period
from server.storage.reader import Reader
from shared.errors import Reason, Refusal
from shared.gamecode import GameCode
from shared.record import Record

Kind = TypeVar("Kind")

ANSWER_S = 10
"""So long a server may take to answer."""

LONGEST = 64 << 20
"""Bytes of an answer; a record has at most 20,000 entries."""

NO_RECORD = (Reason.NOT_FOUND, Reason.NOT_OPEN)


class Lookup(Protocol):
    """What can be looked up; each raises SameDealError or OSError where that fails."""

    async def record(self, attempt: str) -> Record | None:
        """Return the record of an attempt; None where there is none, or none yet."""
        ...

    async def deal(self, code: GameCode) -> tuple[DealLine, ...]:
        """Return the attempts at a deal, the best first; none are told while a race on its number runs."""
        ...

    async def latest(self) -> tuple[RaceLine, ...]:
        """Return the latest races that are over."""
        ...

    async def board(self, board: Board, code: GameCode, span: Span) -> tuple[BoardLine, ...]:
        """Return the top of a leaderboard for the game and suits of *code*, in the period that today falls in."""
        ...


class _DealPage(Struct, frozen=True):
    """What a server says of a deal; of an attempt's options, which are no text here, nothing is made."""

    attempts: tuple[dict[str, Any], ...]


class _RacesPage(Struct, frozen=True):
    """What a server says of the latest races."""

    races: tuple[RaceLine, ...]


class _BoardPage(Struct, frozen=True):
    """What a server says of a leaderboard."""

    lines: tuple[BoardLine, ...]


@asynccontextmanager
async def source(asked: Namespace) -> AsyncIterator[Lookup]:
    """Lend what the options name."""
    async with opened(asked.database, asked.url) as lookup:
        yield lookup


@asynccontextmanager
async def opened(where: str | None, url: str | None) -> AsyncIterator[Lookup]:
    """Lend a server at *url*, a database *where*, or where neither is said the user's own database."""
    if url is not None:
        yield OfServer(url)
        return
    reader = await Reader.open(chosen_database(where))
    try:
        yield OfDatabase(reader)
    finally:
        await reader.close()


def record_text(attempt: str, where: str | None, url: str | None) -> str | None:
    """Look a record up; return its JSON text, None where there is none."""

    async def looked_up() -> Record | None:
        async with opened(where, url) as lookup:
            return await lookup.record(attempt)

    record = asyncio.run(looked_up())
    return None if record is None else str(record)


def _reason(error: URLError) -> str:
    """Return why a server can't be reached, in the system's words without its number."""
    if isinstance(error.reason, gaierror):
        return "no host of this name is known"
    return getattr(error.reason, "strerror", None) or str(error.reason)


class OfDatabase:
    """A `Lookup` in a database."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def record(self, attempt: str) -> Record | None:
        packed = await self._reader.record(attempt)
        return None if packed is None else Record.unpack(packed)

    async def deal(self, code: GameCode) -> tuple[DealLine, ...]:
        if await self._reader.sealed(code.game, code.number):
            raise Refusal(Reason.SEALED)
        return await self._reader.deal(code.game, code.number, code.suits)

    async def latest(self) -> tuple[RaceLine, ...]:
        return await self._reader.latest()

    async def board(self, board: Board, code: GameCode, span: Span) -> tuple[BoardLine, ...]:
        name = period(span, utc_text(SystemClock().wall_ms()))
        return (await self._reader.board(board, code.game, code.suits, name)).lines


class OfServer:
    """A `Lookup` by `/api` of a server."""

    def __init__(self, url: str) -> None:
        if not url.startswith(("http://", "https://")):
            raise OSError(f"{url!r} is no server's address: one begins with http:// or https://.")
        self._url = url.rstrip("/")

    async def record(self, attempt: str) -> Record | None:
        try:
            return Record.parse(await self._get(f"/api/records/{quote(attempt, safe='')}"))
        except Refusal as refusal:
            if refusal.reason not in NO_RECORD:
                raise
            return None

    async def deal(self, code: GameCode) -> tuple[DealLine, ...]:
        page = await self._answer(f"/api/deals/{code}", _DealPage)
        return self._read([line | {"options": None} for line in page.attempts], tuple[DealLine, ...])

    async def latest(self) -> tuple[RaceLine, ...]:
        return (await self._answer("/api/races", _RacesPage)).races

    async def board(self, board: Board, code: GameCode, span: Span) -> tuple[BoardLine, ...]:
        which = urlencode({"game": code.game, "suits": code.suits, "board": board, "period": span})
        return (await self._answer(f"/api/leaderboards?{which}", _BoardPage)).lines

    def _read(self, told: object, kind: type[Kind]) -> Kind:
        try:
            return convert(told, kind)
        except ValidationError as error:
            raise self._foreign(error) from None

    async def _answer(self, path: str, kind: type[Kind]) -> Kind:
        try:
            return self._read(json.loads(await self._get(path)), kind)
        except ValueError as error:
            raise self._foreign(error) from None

    async def _get(self, path: str) -> bytes:
        return await asyncio.to_thread(self._fetched, path)

    def _fetched(self, path: str) -> bytes:
        try:
            with urlopen(self._url + path, timeout=ANSWER_S) as answer:  # http or https, see above
                body: bytes = answer.read(LONGEST)
                return body
        except HTTPError as error:
            raise self._refusal(error) from None
        except URLError as error:
            raise OSError(f"{self._url} can't be reached: {_reason(error)}.") from None
        except (HTTPException, ValueError) as error:
            raise self._foreign(error) from None

    def _refusal(self, error: HTTPError) -> Exception:
        """Return what a server of ours says in its refusal."""
        try:
            told = json.loads(error.read(LONGEST))
            return Refusal(Reason(told["reason"]), told.get("rule", ""), **told.get("params", {}))
        except (ValueError, KeyError, TypeError):
            return self._foreign(f"{error.code} {error.reason}")

    def _foreign(self, why: object) -> OSError:
        return OSError(f"{self._url} does not answer as a server of this version: {why}.")
