"""The demo, whole, as people run it: a process of its own, timed, and compared with the database it leaves."""

import asyncio
import fcntl
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeAlias

import pytest

from client import child
from samedeal import main
from server.log import StoredAttempt, StoredRace
from server.storage.reader import Reader
from shared.attempt import State
from shared.gamecode import GameCode
from shared.record import Record, verify
from tests.client.terminal import seen
from tests.patience import GUARD_S, come_first

DEMO = (sys.executable, "-m", "samedeal", "demo")
LONGEST_S = 45

Demo: TypeAlias = "subprocess.Popen[bytes]"


def environment(folder: Path) -> dict[str, str]:
    """Return an environment in which temporary files go to *folder* and terminals are ordinary ones."""
    ours = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")}
    return {**ours, "TMPDIR": str(folder), "TERM": "xterm"}


@pytest.mark.long
def test_whole_demo(tmp_path: Path) -> None:
    """
    In well under 45 seconds: standings as they change, a bot that is gone and comes back, the winner, the deal's
    leaderboard, and a replay that verifies, all as the database has it. Plain lines, for there is no terminal.
    """
    began = time.monotonic()
    with started(tmp_path, *DEMO, "--keep", "kept") as process:
        printed, complaint = process.communicate(timeout=LONGEST_S)
    assert time.monotonic() - began < LONGEST_S
    out = printed.decode()
    assert (process.returncode, complaint) == (0, b""), out
    assert "\x1b" not in out
    assert max(map(len, out.splitlines())) <= 80 + len(str(tmp_path))
    assert len(out.splitlines()) < 100
    assert 0 < out.find("\n Noor has lost the connection.\n") < out.find("\n Noor is back.\n")
    asyncio.run(compare(out, tmp_path / "kept"))
    left = {path.name for path in (tmp_path / "kept").iterdir() if path.suffix != ".json"}
    assert left == {"demo.sqlite3", "demo.sqlite3.lock", "server.log"}, "the server had no time to stop"


async def compare(out: str, folder: Path) -> None:
    """Compare what was told with what is stored."""
    reader = await Reader.open(folder / "demo.sqlite3")
    attempt_ids = re.findall(r"^ +\d+  \w+ .* ([a-z2-7]{16})  bot$", out, re.MULTILINE)
    first = await reader.attempt(attempt_ids[0])
    assert first
    assert first.race
    race, packed = await reader.race(first.race), await reader.record(first.attempt)
    await reader.close()
    assert race
    assert packed
    check_standings(out, race)
    places = {each.attempt: each.place for each in race.attempts}
    assert [places.pop(attempt) for attempt in attempt_ids] == [each.place for each in ranked(race)]
    assert not places
    record = Record.unpack(packed)
    assert verify(record).ok
    assert Record.parse((folder / f"{first.name.lower()}.json").read_bytes()) == record
    assert f"{first.name.lower()}.json:1: ok: won, score {first.score}, moves {first.moves}" in out
    assert GameCode.parse(race.code) == record.code


@pytest.mark.long
def test_demo_of_the_other_game(tmp_path: Path) -> None:
    """
    FreeCell is shown on a deal whose line is known, which the room says; bots are marked.
    """
    with started(tmp_path, *DEMO, "--game", "freecell", "--fast") as process:
        printed, complaint = process.communicate()
    out = printed.decode()
    assert (process.returncode, complaint) == (0, b""), out
    assert re.search(r"^ The race begins: FC1-[A-Z2-7]{7}, FreeCell\. The deal was known before", out, re.MULTILINE)
    assert len(re.findall(r"^ +[123]  \w+ +\S+ +\d+ moves, 52 +\w{16}  bot$", out, re.MULTILINE)) == 3
    assert re.search(r"^ \w+\.json:1: ok: won, score 52, moves", out, re.MULTILINE)


def ranked(race: StoredRace) -> list[StoredAttempt]:
    """Return the race's attempts, the best first."""
    return sorted(race.attempts, key=lambda attempt: (attempt.place, attempt.elapsed_ms))


def check_standings(out: str, race: StoredRace) -> None:
    """Compare the final standings and the winner with the stored places."""
    first, second, third = ranked(race)
    told = re.findall(r"^ +(\d+)  (\w+) +\S+ +48 +(\d+) moves +(-?\d+) ", out, re.MULTILINE)
    assert told == [(str(each.place), each.name, str(each.moves), str(each.score)) for each in (first, second, third)]
    assert {each.state for each in race.attempts} == {State.SOLVED}
    assert f" {first.name} wins, by " in out
    assert all(f" {each.name} has solved it in " in out for each in race.attempts)


# Ended before its end

TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Makes standard input the terminal that Ctrl-C is typed at, then becomes the program."""

COUNTED = r"for all in \x1b\[1;33m{}"
"""What is drawn each time that the countdown is, with its number."""


@contextmanager
def started(folder: Path, *command: str, output: int = subprocess.PIPE, terminal: int | None = None) -> Iterator[Demo]:
    """Run a demo in *folder*, where its temporary files go too; end it whatever happens."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL if terminal is None else terminal,
        stdout=output,
        stderr=output,
        env=environment(folder),
        start_new_session=True,
    )
    try:
        come_first(process.pid)
        yield process
    finally:
        process.kill()
        process.communicate()


def read_until(file: int, mark: str) -> str:
    """Return what comes from *file* up to and with what matches *mark*."""
    read = b""
    while not re.search(mark, read.decode(errors="ignore")):
        part = os.read(file, 65_536)
        assert part, read.decode()
        read += part
    return read.decode(errors="ignore")


def read_rest(file: int) -> str:
    """Return what comes from the terminal *file* until nobody writes to it any more."""
    read = b""
    with suppress(OSError):
        while part := os.read(file, 65_536):
            read += part
    return read.decode()


def check_nothing_is_left(folder: Path, told: str) -> None:
    """Check that temporary files and server are gone."""
    assert list(folder.iterdir()) == []
    found = re.search(r"http://127\.0\.0\.1:(\d+)", told)
    assert found
    with socket.socket() as client, pytest.raises(ConnectionRefusedError):
        client.connect(("127.0.0.1", int(found[1])))


def test_sigterm_ends_it_and_leaves_nothing(tmp_path: Path) -> None:
    """
    What ends the demo ends its server too, and its files are gone.
    """
    with started(tmp_path, *DEMO) as process:
        assert process.stdout
        told = read_until(process.stdout.fileno(), "are in room")
        process.terminate()
        assert process.wait(LONGEST_S) == 130
    check_nothing_is_left(tmp_path, told)


def test_ctrl_c_at_a_terminal_leaves_it_as_it_was(tmp_path: Path) -> None:
    """
    On a terminal the countdown is drawn in place; Ctrl-C, which the server hears too, ends both, and the cursor is
    there again.
    """
    outer, inner = os.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    with started(tmp_path, sys.executable, "-c", TERMINAL, *DEMO, output=inner, terminal=inner) as process:
        os.close(inner)
        told = read_until(outer, COUNTED.format("[12]"))
        os.write(outer, b"\x03")
        assert process.wait(LONGEST_S) == 130
        told += read_rest(outer)
    os.close(outer)
    *_, last = re.findall(COUNTED.format("([0-9])"), told)
    assert [line.strip() for line in seen(told) if "the same deal" in line] == [
        f"Mika, Noor and Ravi: the same deal for all in {last}"
    ]
    assert told.rstrip().endswith("\x1b[?25h")
    check_nothing_is_left(tmp_path, told)


def test_server_that_is_killed_ends_the_demo(tmp_path: Path) -> None:
    """
    The demo says so and fails; it does not wait for a server that is gone.
    """
    with started(tmp_path, *DEMO) as process:
        assert process.stdout
        told = read_until(process.stdout.fileno(), "are in room")
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        if not children.exists():
            pytest.skip("only Linux tells a process's children in /proc")
        (server,) = children.read_text().split()
        os.kill(int(server), signal.SIGKILL)
        assert process.wait(LONGEST_S) == 1
        assert process.stderr
        assert process.stderr.read().decode() == "samedeal: the server ended: it said nothing.\n"
    check_nothing_is_left(tmp_path, told)


async def test_server_that_is_slow_to_start_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    How long it was waited for, and what it may be.
    """
    monkeypatch.setattr(child, "SAMEDEAL", (sys.executable, "-c", "import time; time.sleep(60)"))
    monkeypatch.setattr(child, "START_S", 0.1)
    with pytest.raises(child.ChildError, match=r"not start within 0\.1 seconds: is the machine busy\?"):
        async with child.serving(tmp_path, "race.db"):
            pass


async def test_server_that_does_not_start_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Its own sentence, without the program's name once more.
    """
    monkeypatch.setattr(child, "START_S", GUARD_S)
    (tmp_path / "race.db").mkdir()
    with pytest.raises(child.ChildError, match=r"^the server did not start: The database can't be used"):
        async with child.serving(tmp_path, "race.db"):
            pass


def test_folder_that_cannot_be_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """
    A file is in the way: one sentence, status 1, and nothing has begun.
    """
    (tmp_path / "file").touch()
    assert main(["demo", "--keep", str(tmp_path / "file" / "kept")]) == 1
    assert capsys.readouterr().err.endswith("kept: Not a directory.\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--players", "1"],
        ["--players", "9"],
        ["--suits", "3"],
        ["--game", "freecell", "--suits", "2"],
        ["--game", "chess"],
        ["--seed", "x"],
        ["now"],
    ],
)
def test_wrong_usage_is_told(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """
    Status 2, and what would be right.
    """
    with pytest.raises(SystemExit) as exits:
        main(["demo", *arguments])
    assert exits.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith("samedeal demo: ")
    assert error.endswith("; see samedeal demo --help.\n")
