"""What is typed while something is shown: single keys on a terminal, which is left as it was; lines elsewhere."""

import os
import select
import sys
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Any, Self, TextIO

if sys.platform != "win32":
    import termios
    import tty

SEQUENCE_S = 0.05
"""So soon after its first sign the rest of a key's sequence is there."""

MEANT = {
    " ": "",
    "\n": "",
    "\r": "",
    "\x1b[C": "",
    "\x1b[B": "",
    "\x1b[D": "b",
    "\x1b[A": "b",
    "\x7f": "b",
    "\x1b": "q",
}
"""Keys that stand for another answer: space and arrows, backspace, escape."""

END = "\x04"
"""Ctrl-D: nothing more comes."""


class Keys:
    """Reads answers. Use it as a context manager: inside no Enter is needed, where the stream is a terminal."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdin
        self.single = sys.platform != "win32" and bool(getattr(self._stream, "isatty", bool)())
        """Whether single keys are read."""
        self._before: list[Any] = []

    def __enter__(self) -> Self:
        if sys.platform != "win32" and self.single:
            self._before = termios.tcgetattr(self._stream)
            tty.setcbreak(self._stream, termios.TCSADRAIN)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if sys.platform != "win32" and self._before:
            with suppress(termios.error):  # the terminal has gone
                termios.tcsetattr(self._stream, termios.TCSADRAIN, self._before)

    def answer(self, echo: Callable[[str], None]) -> str | None:
        """Return what is answered, without blanks around it: a key's sign, a number, or nothing, which is Enter.

        None where no more comes. *echo* shows what is typed, as a terminal does by itself where lines are read.
        """
        if not self.single:
            line = self._stream.readline()
            return line.strip() if line else None
        typed = ""
        while True:
            key = self._key()
            if key.isdecimal():
                typed += key
                echo(key)
            elif key == "\x7f" and typed:
                typed = typed[:-1]
                echo("\b \b")
            else:
                echo("\n")
                return None if key in ("", END) else typed if key in ("\n", "\r") else MEANT.get(key, key)

    def _key(self) -> str:
        """Return the next key: one sign, or the sequence that stands for it; nothing where the terminal has gone."""
        file = self._stream.fileno()
        try:
            key = os.read(file, 1)
            if key == b"\x1b" and select.select([file], [], [], SEQUENCE_S)[0]:
                key += os.read(file, 8)
        except OSError:
            return ""
        return key.decode(errors="replace")
