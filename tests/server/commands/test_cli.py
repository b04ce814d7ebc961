"""`samedeal serve` as people start and end it: real processes, real signals."""

import asyncio
import errno
import os
import re
import signal
import subprocess
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from socket import create_server

import pytest
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from samedeal import main
from server.commands import settings
from server.rooms.addresses import parse_address
from server.storage.database import Ownership
from server.web import sharing
from server.web.sharing import lan_addresses, qr_code
from shared.protocol.closing import CloseCode
from shared.protocol.codec import MsgpackCodec
from shared.protocol.messages import Hello
from tests.patience import GUARD_S, come_first
from tests.server.serving import CODEC
from tests.server.serving import closing as code_of
from tests.server.storing import prepare

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it has no such signals")

ROOT = Path(__file__).parents[3]
FULL = Path("/dev/full")
MSGPACK = Subprotocol(MsgpackCodec.subprotocol)


@asynccontextmanager
async def served(database: Path, *arguments: str, **environment: str) -> AsyncIterator[tuple[Process, int]]:
    """Run `samedeal serve` on a free port; lend the process and the port, once it listens."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "samedeal", "serve", "--port", "0", "--database", str(database), *arguments),
        cwd=ROOT,
        env=os.environ | environment,
        stdout=PIPE,
        stderr=PIPE,
        start_new_session=True,
    )
    come_first(process.pid)
    assert process.stdout
    try:
        async with asyncio.timeout(GUARD_S):
            first = (await process.stdout.readline()).decode()
        found = re.fullmatch(
            r"Same Deal listens on http://127\.0\.0\.1:(\d+) \(for programs: ws://127\.0\.0\.1:\1/ws/ROOM\)\n", first
        )
        assert found, first
        yield process, int(found[1])
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def test_sigterm_tells_everyone_and_ends_in_time(database: Path) -> None:
    """All hear CLOSED, also while some do not listen; the exit status is 0, within five seconds, nothing on stderr."""
    async with served(database) as (process, port):
        url = f"ws://127.0.0.1:{port}/ws/GUGU"
        _, idle = await asyncio.open_connection("127.0.0.1", port)
        async with (
            connect(url, subprotocols=[MSGPACK]) as player,
            connect(url, subprotocols=[MSGPACK]) as deaf,
        ):
            await player.send(CODEC.encode(Hello(name="Anna", opens=True)))
            await player.recv()
            deaf.transport.pause_reading()
            started = time.monotonic()
            process.send_signal(signal.SIGTERM)
            assert await code_of(player) == CloseCode.CLOSED
            async with asyncio.timeout(5):
                assert await process.wait() == 0
            assert time.monotonic() - started < 5
            deaf.transport.abort()
        idle.close()
        assert process.stderr
        assert b"Traceback" not in await process.stderr.read()
        assert process.stdout
        assert (await process.stdout.read()).decode().splitlines() == [
            f"Its database is {database}",
            "Open that address in a browser. With --lan it is there for others on your network, too.",
            "Same Deal has stopped. Races that were under way go on after the next start.",
        ]
    Ownership(database).release()


async def test_server_whose_words_nobody_reads_goes_on(prepared: Path) -> None:
    """Whoever started it has gone: it serves, and a stop is no failure."""
    reading, writing = os.pipe()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "samedeal", "serve", "--port", "0", "--database", str(prepared)),
        cwd=ROOT,
        stdout=writing,
        stderr=PIPE,
    )
    os.close(writing)
    await asyncio.to_thread(os.read, reading, 1)
    os.close(reading)
    process.send_signal(signal.SIGTERM)
    _, error = await process.communicate()
    assert (process.returncode, error) == (0, b"")


@pytest.mark.skipif(not FULL.exists(), reason="no device here is always full")
def test_server_whose_words_find_no_room_goes_on() -> None:
    """The disk that its output is kept on is full: nothing that it says, first or last, is a reason to fail."""
    says = "from server.commands.cli import _say; _say('It listens'); _say('It has stopped')"
    with FULL.open("wb") as full:
        done = subprocess.run([sys.executable, "-c", says], cwd=ROOT, stdout=full, stderr=PIPE, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


async def test_environment_reaches_the_server_and_ctrl_c_ends_it(database: Path) -> None:
    """A limit that only a variable sets is kept; SIGINT is a wish like any other."""
    prepare(database)
    async with served(database, SAMEDEAL_LIMIT_HELLO_MS="100") as (process, port):
        async with connect(f"ws://127.0.0.1:{port}/ws", subprotocols=[MSGPACK]) as silent:
            assert await code_of(silent) == CloseCode.NO_HELLO
        process.send_signal(signal.SIGINT)
        async with asyncio.timeout(5):
            assert await process.wait() == 0


async def test_network_addresses_are_printed_with_their_codes(database: Path) -> None:
    """With --lan each address to share is printed, and below it the code that holds it."""
    links = [str(address) for address in lan_addresses()]
    prepare(database)
    async with served(database, "--lan") as (process, port):
        process.send_signal(signal.SIGTERM)
        assert process.stdout
        printed = (await process.stdout.read()).decode()
    assert "Open and share" in printed
    for address in links:
        link = f"http://{address}:{port}/"
        assert f"{link}\n{qr_code(link)}" in printed


def test_codes_hold_their_links() -> None:
    """A code is a square of blocks, another one for another link."""
    lines = qr_code("http://192.168.1.20:8765/").splitlines()
    assert len({len(line) for line in lines}) == 1
    assert set("".join(lines)) <= set(" ▀▄█")
    assert len(lines[0]) in (len(lines) * 2, len(lines) * 2 - 1, len(lines) * 2 + 1)
    assert qr_code("http://192.168.1.21:8765/").splitlines() != lines


def test_addresses_to_share_are_of_this_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """The address that leads out comes first; loopback and the machine's own inner networks are left out."""
    addresses = lan_addresses()
    assert not any(address.is_loopback or address.is_link_local for address in addresses)
    usual = sharing._usual_address()
    assert usual is None or not addresses or usual not in addresses or addresses[0] == usual
    inner, other = parse_address("10.1.0.1"), parse_address("10.2.0.1")
    monkeypatch.setattr(sharing, "_all_addresses", lambda: iter((inner, other, inner)))
    monkeypatch.setattr(sharing, "_usual_address", lambda: other)
    assert lan_addresses() == (other, inner)


def failed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """Run `samedeal serve` to its failure; return exit status and what it says of it."""
    try:
        status = main(["serve", *arguments])
    except SystemExit as ended:
        status = int(str(ended.code))
    out, error = capsys.readouterr()
    assert not out
    return status, error


def test_port_that_is_taken_is_one_sentence(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A second server says what to do, in a line, with status 1."""
    with create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert failed(capsys, "--port", str(port), "--database", str(database)) == (
            1,
            f"samedeal: port {port} is in use: stop the program that has it, or choose another with --port.\n",
        )


def test_database_that_is_held_is_one_sentence(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A second server on the same database says so, with status 1."""
    held = Ownership(database)
    status, said = failed(capsys, "--port", "0", "--database", str(database))
    held.release()
    assert status == 1
    assert said.startswith("samedeal: Another server uses the database")
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [("--port 70000", "--port"), ("--lan --host ::1", "--host"), ("--trusted-proxy box", "'box'"), ("now", "now")],
)
def test_bad_settings_are_wrong_usage(
    arguments: str, said: str, database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What can't be set ends with status 2 and says in one line what it was."""
    status, error = failed(capsys, "--database", str(database), *arguments.split())
    assert status == 2
    assert said in error
    assert error.endswith("; see samedeal serve --help.\n")
    assert error.count("\n") == 1


def test_address_that_is_not_here_is_one_sentence(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A host that this machine does not have is a sentence too."""
    status, said = failed(capsys, "--host", "203.0.113.9", "--port", "0", "--database", str(database))
    assert status == 1
    assert said == f"samedeal: can't listen on 203.0.113.9, port 0: {os.strerror(errno.EADDRNOTAVAIL)}.\n"


def test_host_that_nobody_knows_is_one_sentence(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A name that leads to no address is said to be unknown."""
    assert failed(capsys, "--host", "nohost.invalid", "--port", "0", "--database", str(database)) == (
        1,
        "samedeal: can't listen on nohost.invalid: no host of this name is known.\n",
    )


def test_own_database_needs_no_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a new machine nothing has to be there; while a server owns the database nothing is done to it."""
    own = tmp_path / "new" / "samedeal" / "race.db"
    monkeypatch.setattr(settings, "DATABASE", str(own))
    assert main(["migrate", "--database", str(own)]) == 0
    held = Ownership(own)
    assert main(["migrate", "--database", str(own)]) == 1
    held.release()
    out, error = capsys.readouterr()
    assert out == f"{own} is up to date.\n"
    assert error.startswith("samedeal: Another server uses the database")


def test_folder_that_is_not_there_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A database of one's own naming that lies nowhere is refused: the name may be mistyped."""
    status, said = failed(capsys, "--port", "0", "--database", str(tmp_path / "nowhere" / "race.db"))
    assert status == 1
    assert said.startswith("samedeal: The database can't be used:")
    assert said.count("\n") == 1


def test_leaderboard_of_no_deal_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A code that is none is refused with what would be right."""
    assert main(["leaderboard", "--deal", "nonsense", "--database", str(tmp_path / "race.db")]) == 1
    assert capsys.readouterr().err.startswith("samedeal: 'nonsense' is no game code")


def test_files_that_may_not_be_made_are_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the system refuses is told in its words, with the file's name, without a number."""
    (tmp_path / "file").touch()
    own = tmp_path / "file" / "samedeal" / "race.db"
    monkeypatch.setattr(settings, "DATABASE", str(own))
    assert main(["migrate", "--database", str(own)]) == 1
    assert capsys.readouterr().err == f"samedeal: {own.parent}: {os.strerror(errno.ENOTDIR)}.\n"


def test_record_of_no_text_is_one_sentence(prepared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An id with bytes of no encoding is unknown like any other."""
    assert main(["export", "--database", str(prepared), "\udcff"]) == 1
    assert capsys.readouterr().err.startswith("samedeal: no record of an attempt '\\udcff'")


def test_protocol_prints_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    """`samedeal protocol` prints what docs/PROTOCOL.md holds."""
    assert main(["protocol"]) == 0
    assert capsys.readouterr().out == (ROOT / "docs" / "PROTOCOL.md").read_text("utf-8")
