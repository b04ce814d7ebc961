"""What is typed: keys on a terminal of the system, which is left as it was, and lines elsewhere."""

import os
import signal
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("it has no such terminals", allow_module_level=True)

import termios

from client.keys import Keys
from tests.client.test_replay import PLAYED, saved
from tests.test_demo import TERMINAL, read_rest, read_until, started


@pytest.fixture
def typist() -> Iterator[tuple[int, Keys]]:
    """A terminal to type at, and the keys that are read from it."""
    outer, inner = os.openpty()
    with os.fdopen(inner, "r", encoding="utf-8") as stream:
        yield outer, Keys(stream)
    os.close(outer)


@pytest.mark.parametrize(
    ("typed", "answer", "shown"),
    [
        (b"\n", "", "\n"),
        (b" ", "", "\n"),
        (b"\x1b[C", "", "\n"),
        (b"\x1b[D", "b", "\n"),
        (b"b", "b", "\n"),
        (b"\x7f", "b", "\n"),
        (b"q", "q", "\n"),
        (b"\x1b", "q", "\n"),
        (b"12\n", "12", "12\n"),
        (b"12\x7f3\n", "13", "12\b \b3\n"),
        (b"1q", "q", "1\n"),
        (b"\x04", None, "\n"),
        (b"\xff", "\ufffd", "\n"),
    ],
)
def test_key_is_an_answer(typist: tuple[int, Keys], typed: bytes, answer: str | None, shown: str) -> None:
    """Without Enter, but for a number; what is typed is shown."""
    outer, keys = typist
    echoed = StringIO()
    with keys:
        os.write(outer, typed)
        assert keys.answer(echoed.write) == answer  # type: ignore[arg-type]  # what write returns is nobody's business
    assert (keys.single, echoed.getvalue()) == (True, shown)


def test_terminal_is_left_as_it_was(typist: tuple[int, Keys]) -> None:
    """Whatever happens meanwhile."""
    outer, keys = typist
    before = termios.tcgetattr(outer)
    during = list[object]()

    def interrupted() -> None:
        with keys:
            during.extend(termios.tcgetattr(outer))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert during != before
    assert termios.tcgetattr(outer) == before


def test_what_is_no_terminal_is_read_by_lines() -> None:
    """And its end is the end."""
    with Keys(StringIO(" b \n\n")) as keys:
        assert [keys.answer(print) for _ in range(3)] == ["b", "", None]
    assert not keys.single


@pytest.mark.parametrize("ending", ["q", "SIGTERM"])
def test_replay_is_stepped_through_by_keys(tmp_path: Path, ending: str) -> None:
    """On, back, to a number, and out; also when it is ended the terminal is as before."""
    outer, inner = os.openpty()
    before = termios.tcgetattr(inner)
    command = (sys.executable, "-m", "samedeal", "replay", saved(tmp_path, str(PLAYED)))
    with started(tmp_path, sys.executable, "-c", TERMINAL, *command, output=inner, terminal=inner) as process:
        termios.tcsetwinsize(inner, (24, 80))
        for keys, ply in ((b"", 0), (b" ", 1), (b"\x1b[C", 2), (b"b", 1), (b"4\n", 4)):
            os.write(outer, keys)
            read_until(outer, f" {ply}/5   Enter: on")
        if ending == "q":
            os.write(outer, b"q")
        else:
            process.send_signal(signal.SIGTERM)
        assert process.wait(60) == (0 if ending == "q" else 130)
        assert termios.tcgetattr(inner) == before
        os.close(inner)
        assert read_rest(outer).endswith("\x1b[?25h")
    os.close(outer)
