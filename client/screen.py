"""What a command prints: lines that stay and, on a terminal, a block that is drawn anew in place.

Colours are left out where NO_COLOR says so or no terminal is there, suit signs where the encoding lacks them.
"""

import os
import shutil
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Self, TextIO

from msgspec import Struct

from client.keys import Keys

COLUMNS, ROWS = 80, 24
"""What is taken for the size of what is no terminal, unless the environment says otherwise."""

NARROWEST = 40
"""A terminal of fewer columns, or fewer rows than usual, is written to line by line."""

SIGNS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
BEGIN, END = "\x1b[?2026h", "\x1b[?2026l"
"""Terminals that know these show what is between them at once; the others ignore them."""


class Ink(StrEnum):
    """How text looks. Yellow is kept for what is lit: the winner, the cards just moved."""

    BOLD = "1"
    FAINT = "2"
    RED = "31"
    SUN = "1;33"
    LIT = "30;43"
    FIRST = "36"
    SECOND = "35"
    THIRD = "34"
    FOURTH = "32"


SEATS = (Ink.FIRST, Ink.SECOND, Ink.THIRD, Ink.FOURTH)
"""The participants' colours, by seat and over again."""


class Pen(Struct, frozen=True, kw_only=True):
    """What text may be made of."""

    inks: bool = False
    signs: bool = False
    """Whether there are suit signs and bars, beyond ASCII."""

    def paint(self, text: str, *inks: Ink) -> str:
        r"""Return *text* in *inks*.

        >>> Pen(inks=True).paint("AH", Ink.RED), Pen().paint("AH", Ink.RED)
        ('\x1b[31mAH\x1b[0m', 'AH')
        """
        return f"\x1b[{';'.join(inks)}m{text}\x1b[0m" if self.inks and inks and text else text

    def card(self, text: str) -> str:
        """Return a card as people write it.

        >>> Pen(signs=True).card("TH"), Pen().card("TH")
        ('10♥', 'TH')
        """
        return text[:-1].replace("T", "10") + SIGNS[text[-1]] if self.signs else text

    def bar(self, share: float, width: int, *inks: Ink) -> str:
        """Return a bar in *inks* of which *share* (0 to 1) is filled.

        >>> Pen(signs=True).bar(0.3, 4), Pen().bar(0.5, 4)
        ('█▎──', '##--')
        """
        if self.signs:
            full, rest = divmod(round(share * width * 8), 8)
            filled, track = "█" * full + " ▏▎▍▌▋▊▉"[rest].strip(), "─"
        else:
            filled, track = "#" * round(share * width), "-"
        return self.paint(filled, *inks) + self.paint(track * (width - len(filled)), Ink.FAINT)


class Screen:
    """A stream to print to. Use it as a context manager: the cursor is hidden while a block changes."""

    def __init__(
        self, stream: TextIO, pen: Pen, *, live: bool = False, columns: int = COLUMNS, rows: int = ROWS
    ) -> None:
        self.pen = pen
        self.columns = columns
        self.live = live
        """Whether blocks can be drawn in place."""
        self._stream = stream
        self._rows = rows
        self._block = 0
        """How many lines of a block the cursor stands below."""

    @classmethod
    def of(cls, stream: TextIO, environ: Mapping[str, str] = os.environ) -> Self:
        """Return the screen that *stream* is."""
        columns, rows = shutil.get_terminal_size((COLUMNS, ROWS))
        dumb = environ.get("TERM") == "dumb" or (os.name == "nt" and "WT_SESSION" not in environ)
        terminal = stream.isatty() and not dumb
        pen = Pen(inks=terminal and not environ.get("NO_COLOR"), signs=_can_write(stream, "♠█"))
        return cls(stream, pen, live=terminal and columns >= NARROWEST and rows >= ROWS, columns=columns, rows=rows)

    def __enter__(self) -> Self:
        if self.live:
            self._write("\x1b[?25l")
        return self

    def __exit__(self, *_: object) -> None:
        if self.live:
            self._write("\x1b[?25h")

    @property
    def room(self) -> int:
        """How many lines a block may have."""
        return self._rows - 1

    def say(self, *lines: str) -> None:
        """Print lines that stay. A block that was shown stays above them."""
        self._block = 0
        self._write("".join(f"{line}\n" for line in lines))

    def show(self, lines: Iterable[str]) -> None:
        """Draw a block, in the place of the one before where the screen is live."""
        block = list(lines)[: self.room]
        if not self.live:
            self.say(*block)
            return
        back = f"\x1b[{self._block}F" if self._block else ""
        self._write(BEGIN + back + "".join(f"{line}\x1b[K\n" for line in block) + "\x1b[J" + END)
        self._block = len(block)

    def ask(self, question: str, keys: Keys) -> str | None:
        """Return what is answered to *question*; None where no more answers come."""
        self._write(f"{question}\x1b[K" if self.live else question)
        self._block += 1
        return keys.answer(self._write)

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def _can_write(stream: TextIO, text: str) -> bool:
    try:
        text.encode(stream.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True
