"""The connection under a session, on real sockets and on both loops that a server may run on."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import pytest
import uvloop
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve

from server.rooms.transport import ServeTransport
from tests.server.visiting import closing

Serve: TypeAlias = Callable[[ServeTransport], Awaitable[None]]
Visit: TypeAlias = Callable[[ClientConnection], Awaitable[None]]

LOOPS = {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}


@pytest.fixture(params=LOOPS)
def run(request: pytest.FixtureRequest) -> Callable[[Serve, Visit], None]:
    """Run a server's side and a client's side of one connection, whose buffers in the system are small."""

    async def both(serving: Serve, visiting: Visit) -> None:
        served = asyncio.get_running_loop().create_future()

        async def handle(connection: ServerConnection) -> None:
            try:
                await serving(ServeTransport(connection))
            except BaseException as error:  # told to the test, whatever it is
                served.set_exception(error)
                raise
            served.set_result(None)

        listening = socket.create_server(("127.0.0.1", 0))
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4_096)
        async with serve(handle, sock=listening, compression=None, close_timeout=1):
            host, port = listening.getsockname()
            async with connect(f"ws://{host}:{port}", compression=None, close_timeout=1) as socket_:
                await visiting(socket_)
                await served

    def run_both(serving: Serve, visiting: Visit) -> None:
        with asyncio.Runner(loop_factory=LOOPS[request.param]) as runner:
            runner.run(both(serving, visiting))

    return run_both


def test_frames_of_both_kinds_leave_in_order(run: Callable[[Serve, Visit], None]) -> None:
    """
    Text as text and bytes as bytes, several with one write, and what is received comes in order until the end.
    """
    got: list[bytes | str] = []

    async def serving(transport: ServeTransport) -> None:
        transport.send(["one", b"two", "drei 🂡"])
        got.extend([frame async for frame in transport.frames()])

    async def visiting(client: ClientConnection) -> None:
        assert [await client.recv() for _ in range(3)] == ["one", b"two", "drei 🂡"]
        await client.send("back")
        await client.send(b"\0")
        await client.close()

    run(serving, visiting)
    assert got == ["back", b"\0"]


def test_close_code_and_reason_arrive(run: Callable[[Serve, Visit], None]) -> None:
    """
    They are sent at once, although the handler returns; what is said afterwards is dropped without a word.
    """

    async def serving(transport: ServeTransport) -> None:
        transport.send(["before"])
        transport.close(4409, "TAKEN_OVER")
        transport.close(4400, "too late")
        transport.send(["after"])

    async def visiting(client: ClientConnection) -> None:
        assert await client.recv() == "before"
        assert await closing(client.recv) == (4409, "TAKEN_OVER")

    run(serving, visiting)


def test_receiver_that_does_not_read_is_cut(
    run: Callable[[Serve, Visit], None], caplog: pytest.LogCaptureFixture
) -> None:
    """
    What it leaves unread is counted; once it is cut, sending, counting and closing do no harm and make no noise.
    """
    cut = asyncio.Event()

    async def serving(transport: ServeTransport) -> None:
        assert transport.waiting() == 0
        while transport.waiting() < 100_000:
            transport.send([b"x" * 10_000])
        transport.cut()
        for _ in range(10):
            transport.send(["more", b"more"])
        for _ in range(3):
            transport.close(4400, "gone")
            transport.cut()
            assert transport.waiting() >= 0
            await asyncio.sleep(0)
        cut.set()
        assert [frame async for frame in transport.frames()] == []

    async def visiting(client: ClientConnection) -> None:
        client.transport.pause_reading()
        await cut.wait()
        client.transport.resume_reading()
        assert (await closing(client.recv))[0] == 1006

    run(serving, visiting)
    assert not [record for record in caplog.records if record.name == "asyncio"]


def test_connection_that_is_lost_ends_the_frames(run: Callable[[Serve, Visit], None]) -> None:
    """
    A client that vanishes is no error: there is nothing more to read, and what is sent is dropped.
    """

    async def serving(transport: ServeTransport) -> None:
        assert [frame async for frame in transport.frames()] == []
        transport.send(["nobody hears this"])
        transport.close(4400, "nor this")

    async def visiting(client: ClientConnection) -> None:
        client.transport.abort()

    run(serving, visiting)
