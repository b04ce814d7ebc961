"""Hundreds of strangers that send what is no message, while two people race on the server they send it to."""

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterator
from functools import partial
from itertools import count, product
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import msgpack
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from server.config import Limits
from shared.errors import Reason
from shared.protocol.closing import ABNORMAL, CloseCode
from shared.protocol.codec import Frame, JsonCodec, MsgpackCodec, client_codec
from shared.protocol.messages import Hello, Refused
from tests import vectors
from tests.faults.mortal import Brisk, Mortal
from tests.faults.undisturbed import check_logged, racing
from tests.hostile import NO_TEXT

Pack: TypeAlias = Callable[[vectors.Row], Frame]
Kind: TypeAlias = Callable[[vectors.Row, Pack, Random], Frame]
"""Makes what is no message of one that is."""

PACKS: dict[str, Pack] = {
    MsgpackCodec.subprotocol: msgpack.packb,
    JsonCodec.subprotocol: partial(json.dumps, default=list),  # it has no bytes
}

ROUNDS = 60
ANSWER_S = 60
GROWTH = 20_000_000
TOO_LONG = 1009
"""What the WebSocket protocol itself has for a message over the limit."""


def truncated(message: vectors.Row, pack: Pack, chance: Random) -> Frame:
    """Leave out the end."""
    frame = pack(message)
    return frame[: chance.randrange(len(frame))]


def mistyped(message: vectors.Row, pack: Pack, chance: Random) -> Frame:
    """Give one field a value of another type; none at all may be one of its values."""
    field = chance.choice(list(message))
    wrong = [value for value in NO_TEXT if value is not None and type(value) is not type(message[field])]
    return pack(message | {field: chance.choice(wrong)})


def oversized(message: vectors.Row, pack: Pack, _: Random) -> Frame:
    """Add what would be ignored, were it shorter."""
    return pack(message | {"more": "x" * Limits().message})


def noise(_: vectors.Row, __: Pack, chance: Random) -> Frame:
    """Send anything, in a frame of either kind."""
    sent = chance.randbytes(chance.randrange(400))
    frames: tuple[Frame, ...] = (sent, sent.decode("latin-1"))
    return chance.choice(frames)


ENDS: dict[Kind, set[int | str]] = {
    truncated: {CloseCode.BAD_MESSAGE},
    mistyped: {CloseCode.BAD_MESSAGE, CloseCode.NO_HELLO, Reason.UNKNOWN_COMMAND},
    oversized: {TOO_LONG},
    noise: {CloseCode.BAD_MESSAGE},
}
"""What each comes to: an event is a command that is unknown after a Hello, and no Hello before."""


@pytest.mark.long
async def test_strangers_do_no_harm_to_a_race(database: Path) -> None:
    """
    Whatever comes to the lobby or to the room, in either encoding, after a Hello or instead of one, ends as declared.
    Meanwhile every move is acknowledged and logged once, no player is cut off, and the server keeps nothing of it.
    """
    server, chance, names = Brisk(database), Random(5), map("Eve {}".format, count())
    ends: dict[Kind, set[int | str]] = defaultdict(set)
    before = 0.0
    try:
        await server.start()
        async with racing(server) as players:
            for number in range(ROUNDS):
                if number == ROUNDS // 10:
                    before = await resident(server)
                kind = list(ENDS)[number % len(ENDS)]
                telling = [asyncio.create_task(each) for each in strangers(server, kind, names, chance)]
                playing = [asyncio.create_task(each.play(("02", "20")[number % 2])) for each in players]
                _, waiting = await asyncio.wait([*playing, *telling], timeout=ANSWER_S)
                assert not waiting, (number, kind.__name__, waiting)  # who, and where
                for task in playing:
                    task.result()
                ends[kind].update(task.result() for task in telling)
            assert ends == ENDS
            assert await resident(server) - before < GROWTH
            assert [player.socket.close_code for player in players] == [None, None]
            await server.stop()
    finally:
        await server.end()
    assert [len(player.log) for player in players] == [ROUNDS, ROUNDS]
    await check_logged(database, players)


def strangers(server: Mortal, kind: Kind, names: Iterator[str], chance: Random) -> list[Coroutine[Any, Any, int | str]]:
    """Return what one stranger of each sort is told: to the lobby or the room, in each encoding, greeting or not."""
    lobby = server.url.rpartition("/")[0]
    return [
        told(
            url,
            subprotocol,
            kind(chance.choice(vectors.rows("messages.jsonl"))["message"], pack, chance),
            Hello(name=next(names), client="page") if greets else None,
        )
        for url, (subprotocol, pack), greets in product((lobby, server.url), PACKS.items(), (True, False))
    ]


async def told(url: str, subprotocol: str, frame: Frame, hello: Hello | None) -> int | str:
    """Send *frame*; return the reason of its refusal, or the code with which the server closes."""
    codec = client_codec(subprotocol)
    async with connect(url, subprotocols=[Subprotocol(subprotocol)], compression=None, proxy=None) as socket:
        try:
            if hello:
                await socket.send(codec.encode(hello))
            await socket.send(frame)
            while True:
                event = codec.decode(await socket.recv())
                if isinstance(event, Refused):
                    return event.reason
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd else ABNORMAL


async def resident(server: Mortal) -> float:
    """Return how many bytes of memory the server has."""
    return (await server.measured())["process_resident_memory_bytes"]
