"""A process that the system stops for a while: a laptop whose lid is closed, a virtual machine that is moved."""

import asyncio
import os
import signal
import sys
from pathlib import Path
from random import Random

import pytest

from shared.errors import Reason, Refusal
from shared.phase import Phase
from shared.protocol.codec import MsgpackCodec
from shared.protocol.messages import Hello, Play, Ready
from shared.protocol.values import Options
from tests.faults.mortal import Brisk, connection
from tests.server.racing import SHUTTLE

LIMIT_MS = 20_000
TIMED_OUT = "timed_out"


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="it stops no processes")
@pytest.mark.parametrize("seconds", [1, pytest.param(30, marks=pytest.mark.soak)])
async def test_stopped_process_loses_no_move_and_no_time(database: Path, seconds: int) -> None:
    """
    What is asked meanwhile is answered afterwards, whether the lines held or were made again. The race's time has the
    gap: where its limit lay in it the race is over, and the move that came too late does not count.
    """
    server, chance = Brisk(database), Random(1)
    options = Options(code=SHUTTLE, limit_ms=LIMIT_MS)
    hellos = [Hello(name=name, client="page", opens=True, options=options) for name in ("Anna", "Bert")]
    try:
        await server.start()
        lines = [connection(server.url, hello, chance, MsgpackCodec.subprotocol) for hello in hellos]
        async with lines[0] as anna, lines[1] as bert:
            for each in lines:
                await each.ask(Ready(ready=True))
            for each in lines:
                await each.until(lambda view: view.playing)
            await anna.ask(Play(ply=0, move="02"))
            os.kill(server.pid, signal.SIGSTOP)
            asked = asyncio.create_task(anna.ask(Play(ply=1, move="20")))
            await asyncio.sleep(seconds)
            os.kill(server.pid, signal.SIGCONT)
            if seconds * 1_000 < LIMIT_MS:
                await asked
                view = await bert.until(lambda view: (view.elapsed_ms or 0) >= seconds * 1_000)
                assert view.phase == Phase.RUNNING
            else:
                with pytest.raises(Refusal) as refused:
                    await asked
                assert refused.value.reason in (Reason.NOT_PLAYING, Reason.STALE_PLY)
                view = await bert.until(lambda view: view.phase == Phase.FINISHED)
                assert {(row.seat, row.moves, row.state) for row in view.rows} == {(0, 1, TIMED_OUT), (1, 0, TIMED_OUT)}
        await server.stop()
    finally:
        await server.end()
