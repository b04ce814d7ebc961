"""A server that is far away: bytes on their way to and from it are held back for a while."""

import asyncio
from typing import Self

from tests.browser.rivals import Rivals
from tests.browser.serving import Server


class Far:
    """A door to *server* on a port of its own, behind which everything takes *delay_ms* longer, there and back in all.

    Whatever comes leaves in its order.
    """

    def __init__(self, server: Server, rivals: Rivals, delay_ms: float) -> None:
        self._port = server.port
        self._rivals = rivals
        self.delay_ms = delay_ms
        """There and back in all; it may be changed."""
        self.address = ""
        self._visits: set[asyncio.Task[None]] = set()

    def __enter__(self) -> Self:
        self._door = self._rivals.run(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._door.sockets[0].getsockname()[1]}"
        return self

    def __exit__(self, *_: object) -> None:
        self._rivals.run(self._close())

    async def _close(self) -> None:
        self._door.close()
        for visit in self._visits:
            visit.cancel()
        await asyncio.gather(*self._visits, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visit = asyncio.current_task()
        assert visit, "it runs in one"
        self._visits.add(visit)
        there, back = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            await asyncio.gather(self._carry(reader, back), self._carry(there, writer))
        except ConnectionError:
            pass  # as on any line, one end may break off
        finally:
            writer.close()
            back.close()

    async def _carry(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        """Let every piece go on once its time has come."""
        loop = asyncio.get_running_loop()
        while data := await source.read(1 << 16):
            loop.call_later(self.delay_ms / 2000, target.write, data)
        loop.call_later(self.delay_ms / 2000, target.close)
