"""`/api`: what is open to read, as JSON (DESIGN.md section 7).

Nobody learns from a rival: what shows a deal is sealed while a race on its number runs. A player whose token comes
with a request opens the number of the deal that is shown, stored before it is sent; without a token nobody is asked.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias
from urllib.parse import unquote

from msgspec import Raw, Struct, json, to_builtins
from msgspec.structs import asdict

from server.clock import Clock, utc_text
from server.identity import token_hash
from server.log import Batch, Opening, Player, StoredAttempt
from server.rooms.rooms import Rooms
from server.storage.belongings import belongings
from server.storage.boards import period
from server.storage.store import Store
from server.web.asked import BoardAsked, DealAsked, PlayerAsked, RaceAsked, asked
from server.web.replaying import laid, plies, points
from shared.errors import Reason, Refusal
from shared.gamecode import GameCode
from shared.pool import Pool
from shared.record import Record

_MINE = "/api/players/me/export"
_PATH = re.compile("/api/([a-z]+)(?:/([^/]{1,100}))?")

Answer: TypeAlias = dict[str, Any]


class Api:
    """Answers questions about what is stored."""

    def __init__(self, store: Store, rooms: Rooms, pools: Mapping[str, Pool], clock: Clock) -> None:
        self._store = store
        self._rooms = rooms
        self._pools = pools
        self._clock = clock
        self._replaying = asyncio.Lock()
        """One log is played again at a time, a slice now and a slice then, so that races hardly wait for it."""

    async def answer(self, path: str, query: str, token: str | None) -> Answer:
        """Return what is at *path*; raise SameDealError where there is none, or none to be read now."""
        if path == _MINE:
            return await self._export(token)
        found = _PATH.fullmatch(path)
        if not found:
            raise Refusal(Reason.NOT_FOUND)
        match found[1], unquote(found[2] or ""):
            case "rooms", "":
                return {"rooms": self._rooms.listed()}
            case "rooms", room if room:
                return self._room(room)
            case "leaderboards", "":
                return await self._leaderboard(asked(query, BoardAsked), token)
            case "races", "":
                return {"races": await self._store.read.latest()}
            case "races", race if race:
                return await self._race(race, asked(query, RaceAsked))
            case "players", player if player:
                return await self._player(player, asked(query, PlayerAsked))
            case "deals", code if code:
                return await self._deal(GameCode.parse(code), token, asked(query, DealAsked))
            case "records", attempt if attempt:
                return await self._record(attempt, token)
        raise Refusal(Reason.NOT_FOUND)

    async def health(self) -> Answer:
        """Return that all is well, the database included; raise StorageError."""
        await self._store.read.player_by_token(b"")
        return {"ok": True}

    def _room(self, name: str) -> Answer:
        """Return who invites to a room and what is played there, as the head of its page says it to robots."""
        room = self._rooms.find(name)
        line = room.race.at_the_door() if room else None
        if line is None:
            raise Refusal(Reason.NOT_FOUND)
        answer: Answer = to_builtins(line)
        return answer

    async def _leaderboard(self, which: BoardAsked, token: str | None) -> Answer:
        """Return the top of a board, and the asker's own line."""
        code = GameCode.of(which.game, which.suits, 1)
        day = which.date.isoformat() if which.date else utc_text(self._clock.wall_ms())
        name = period(which.period, day)
        asker = which.player
        if asker is None and token is not None:
            asker = (await self._known(token)).id
        page = await self._store.read.board(which.board, code.game, code.suits, name, asker)
        return {"game": code.game, "suits": code.suits, "board": which.board, "period": name, **asdict(page)}

    async def _player(self, player_id: str, which: PlayerAsked) -> Answer:
        """Return a player's attempts in races that are over, the latest first."""
        player = await self._store.read.player(player_id)
        if player is None:
            raise Refusal(Reason.NOT_FOUND)
        before = (which.started, which.before) if which.started and which.before else None
        lines = await self._store.read.played(player_id, before)
        attempts = [told(line) | {"code": str(GameCode(line.game, line.suits, line.number))} for line in lines]
        return asdict(player) | {"attempts": attempts}

    async def _export(self, token: str | None) -> Answer:
        """Return all that is stored of the player of *token*, to take along."""
        if token is None:
            raise Refusal(Reason.BAD_TOKEN)
        lines = belongings(self._store.read, await self._known(token), self._rooms.is_sealed)
        own, *attempts = [line async for line in lines]
        answer: Answer = json.decode(own)
        return answer | {"attempts": [Raw(line.encode()) for line in attempts]}

    async def _race(self, race_id: str, which: RaceAsked) -> Answer:
        """Return a race that is over, its attempts best first. The room is nobody's business.

        Whether a winning line is known is told, the line is not: it would open the deal.
        """
        race = await self._store.read.race(race_id)
        if race is None:
            raise Refusal(Reason.NOT_FOUND)
        if race.finished is None:
            raise Refusal(Reason.NOT_OPEN)
        answer = told(race)
        del answer["room"]
        answer["attempts"] = [
            asdict(each) | ({"points": await self._points(each)} if which.points else {}) for each in race.best_first
        ]
        return answer | {"has_line": self._has_line(GameCode.parse(race.code))}

    async def _points(self, attempt: StoredAttempt) -> Sequence[tuple[int, int, int]]:
        packed = await self._store.read.record(attempt.attempt)
        if packed is None:  # never connected, or taken out of the database
            return ()
        async with self._replaying:
            return await points(GameCode.parse(attempt.code), Record.unpack(packed).entries, attempt.start_ms)

    async def _deal(self, code: GameCode, token: str | None, which: DealAsked) -> Answer:
        """Return a deal's page: its table and the attempts at it that are open, best first; a winning line if asked."""
        self._check_unsealed(code)
        lines = await self._store.read.deal(code.game, code.number, code.suits)
        won = await self._line(code) if which.line else {}
        await self._open(code, token)
        return {
            **asdict(code),
            "code": str(code),
            **asdict(laid(code)),
            "has_line": self._has_line(code),
            "attempts": [told(line) for line in lines],
            **won,
        }

    async def _line(self, code: GameCode) -> Answer:
        """Return moves that win the deal, as a replay shows them; None where the pool has none."""
        moves = self._pools[code.game].line(code)
        if moves is None:
            return {"line": None}
        entries = [(0, str(move)) for move in moves]
        async with self._replaying:
            return {"line": [text for _, text in entries], "plies": await plies(code, entries)}

    def _has_line(self, code: GameCode) -> bool:
        return self._pools[code.game].has_line(code)

    async def _record(self, attempt_id: str, token: str | None) -> Answer:
        """Return a record with what a replay shows of it; `samedeal verify` reads it as it is."""
        attempt = await self._store.read.attempt(attempt_id)
        if attempt is None:
            raise Refusal(Reason.NOT_FOUND)
        code = GameCode.parse(attempt.code)
        self._check_unsealed(code)
        race = await self._store.read.race(attempt.race) if attempt.race else None
        packed = await self._store.read.record(attempt_id)
        if packed is None or (race and race.finished is None):
            raise Refusal(Reason.NOT_OPEN)
        record = Record.unpack(packed)
        async with self._replaying:
            watched = await plies(code, record.entries)
        await self._open(code, token)
        answer: Answer = json.decode(str(record))
        options = told(race)["options"] if race else None
        return answer | asdict(laid(code)) | {"attempt": attempt, "options": options, "plies": watched}

    def _check_unsealed(self, code: GameCode) -> None:
        if self._rooms.is_sealed(code.game, code.number):
            raise Refusal(Reason.SEALED)

    async def _open(self, code: GameCode, token: str | None) -> None:
        """Store that the player of *token* opens a number, and check last of all that it may be shown."""
        if token is not None:
            player = await self._known(token)
            opening = Opening(player.id, code.game, code.number, utc_text(self._clock.wall_ms()))
            await self._store.append(Batch(opened=(opening,)))
        self._check_unsealed(code)

    async def _known(self, token: str) -> Player:
        player = await self._store.read.player_by_token(token_hash(token))
        if player is None:
            raise Refusal(Reason.BAD_TOKEN)
        return player


def told(stored: Struct) -> Answer:
    """Return the fields of something stored; its options, a text there, are JSON like the rest."""
    fields = asdict(stored)
    if fields.get("options") is not None:
        fields["options"] = Raw(fields["options"].encode())
    return fields
