"""What the server is measured against: `python -m tests.load.anchor echo|broadcast`, the least `websockets` can do.

`echo` sends every message back to its sender (one such echo is E); `broadcast` sends it to everyone connected.
"""

import asyncio
import signal
import sys
from contextlib import suppress

from websockets.asyncio.server import ServerConnection, broadcast, serve
from websockets.exceptions import ConnectionClosed

from server.commands.command import run

LISTENS = "listens on "


async def echo(connection: ServerConnection) -> None:
    """Send every message back."""
    with suppress(ConnectionClosed):
        async for message in connection:
            await connection.send(message)


class Everyone:
    """Those who are connected."""

    def __init__(self) -> None:
        self._connections: set[ServerConnection] = set()

    async def tell(self, connection: ServerConnection) -> None:
        """Send every message to all."""
        self._connections.add(connection)
        with suppress(ConnectionClosed):
            async for message in connection:
                broadcast(self._connections, message)
        self._connections.discard(connection)


async def main(kind: str) -> int:
    """Serve until SIGTERM."""
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    handler = {"echo": echo, "broadcast": Everyone().tell}[kind]
    async with serve(handler, "127.0.0.1", 0, compression=None, backlog=1_000) as server:
        print(f"{LISTENS}{next(iter(server.sockets)).getsockname()[1]}", flush=True)
        await stopping.wait()
        server.close()
    return 0


if __name__ == "__main__":
    sys.exit(run(main(sys.argv[1])))
