"""As much of a terminal as this program writes for: lines, a cursor that goes back, erasing; colours are skipped."""

import re
from collections.abc import Mapping
from io import StringIO

CONTROL = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])")


class Terminal(StringIO):
    """A stream that says it is a terminal and knows what would be seen."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True

    @property
    def seen(self) -> list[str]:
        """The lines on the screen, colours left out."""
        return seen(self.getvalue())


class Pipe(StringIO):
    """A stream that is no terminal."""

    encoding = "ascii"


def seen(written: str) -> list[str]:
    """Return the lines that a terminal shows after *written*."""
    lines, row, column, at = [""], 0, 0, 0
    while at < len(written):
        control = CONTROL.match(written, at)
        if control:
            at = control.end()
            match control[2]:
                case "F":
                    row, column = max(0, row - int(control[1] or 1)), 0
                case "K":
                    lines[row] = lines[row][:column]
                case "J":
                    lines[row:] = [lines[row][:column]]
            continue
        if written[at] == "\n":
            row, column = row + 1, 0
            lines += [""] * (row + 1 - len(lines))
        elif written[at] == "\r":
            column = 0
        else:
            lines[row] = lines[row][:column].ljust(column) + written[at] + lines[row][column + 1 :]
            column += 1
        at += 1
    return lines


PLAIN: Mapping[str, str] = {"TERM": "xterm-256color"}
"""An environment of which nothing special is to be said."""
