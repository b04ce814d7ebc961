"""Two who race on a server while something is done to it: every move of theirs is acknowledged, and stored once."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from socket import create_connection
from typing import Any, TypeAlias

from server.storage.reader import Reader
from shared.protocol.codec import JsonCodec, MsgpackCodec
from shared.protocol.messages import Began, Done, Hello, Ready, Start
from shared.protocol.values import Options
from tests.faults.mortal import Mortal
from tests.faults.test_server_killed import entries_of
from tests.server.racing import SHUTTLE
from tests.server.visiting import Visitor

Pair: TypeAlias = tuple[Visitor, Visitor]

ELSEWHERE = "127.0.0.2"
"""Where a player is who is not at the address of those who do harm: on Linux each of these is one of its own."""

LONG = Options(code=SHUTTLE, limit_ms=86_400_000)
"""A deal in which 02 and 20 may be played for ever, and all day."""

ANSWER_S = 60
PAUSE_S = 0.2


@asynccontextmanager
async def racing(server: Mortal, source: str | None = None) -> AsyncIterator[Pair]:
    """Lend two players in a race that has begun, one in each encoding, perhaps at an address of their own."""
    host = Hello(name="Anna", client="page", opens=True, options=LONG)
    guest = Hello(name="Bert", client="page")
    anna = Visitor(server.url, host, MsgpackCodec.subprotocol)
    bert = Visitor(server.url, guest, JsonCodec.subprotocol)
    if source:
        for each in (anna, bert):
            each.sock = create_connection(("127.0.0.1", server.port), source_address=(source, 0))
    async with anna, bert:
        assert isinstance(await bert.ask(Ready(ready=True)), Done)
        assert isinstance(await anna.ask(Start(countdown=1)), Done)
        for player in (anna, bert):
            await player.hears(Began)
        yield anna, bert


async def play_on(players: Pair) -> None:
    """Have each play a move, which has to be acknowledged soon."""
    async with asyncio.timeout(ANSWER_S):
        for player in players:
            await player.play("20" if player.view.ply % 2 else "02")


async def play_through(players: Pair, storm: Coroutine[Any, Any, None]) -> None:
    """Play as long as the *storm* lasts, and then once more."""
    raging = asyncio.create_task(storm)
    try:
        while not raging.done():
            await play_on(players)
            await asyncio.wait([raging], timeout=PAUSE_S)
        await raging
    finally:
        raging.cancel()
    await play_on(players)
    assert [player.socket.close_code for player in players] == [None, None]


async def check_logged(database: Path, players: Pair) -> None:
    """What was acknowledged is what the database has, no less and no more."""
    reader = await Reader.open(database)
    stored = await reader.race(players[0].view.race)
    assert stored
    assert await entries_of(reader, stored) == {player.view.player: player.log for player in players}
    await reader.close()
