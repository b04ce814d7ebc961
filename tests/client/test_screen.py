"""What is printed: lines that stay, a block in place, and no more than the stream and its reader can take."""

from io import StringIO

import pytest

from client.keys import Keys
from client.screen import Ink, Pen, Screen
from tests.client.terminal import PLAIN, Pipe, Terminal


@pytest.fixture(autouse=True)
def size(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of the usual size, whatever the tests run in."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")


def test_block_is_drawn_in_the_place_of_the_last() -> None:
    """
    Shorter lines and fewer of them leave nothing of the longer ones; what was said before stays.
    """
    terminal = Terminal()
    screen = Screen.of(terminal, PLAIN)
    screen.say("first")
    screen.show(["a long line", "another", "third"])
    screen.show(["short", "two"])
    assert terminal.seen == ["first", "short", "two", ""]


def test_line_that_is_said_ends_a_block() -> None:
    """
    The block stays, and the next one begins below.
    """
    terminal = Terminal()
    screen = Screen.of(terminal, PLAIN)
    screen.show(["block"])
    screen.say("said")
    screen.show(["next"])
    screen.show(["next again"])
    assert terminal.seen == ["block", "said", "next again", ""]


def test_block_is_never_taller_than_the_terminal() -> None:
    """
    Otherwise its first line could not be reached to draw the next in its place.
    """
    terminal = Terminal()
    screen = Screen.of(terminal, PLAIN)
    screen.show(str(line) for line in range(50))
    assert terminal.seen == [*(str(line) for line in range(23)), ""]


def test_block_arrives_in_one_piece_without_clearing_first() -> None:
    """
    No flicker: one write, between the marks for it, and nothing is erased before its place is written anew.
    """
    terminal = Terminal()
    screen = Screen.of(terminal, PLAIN)
    screen.show(["one", "two"])
    before = len(terminal.getvalue())
    screen.show(["three", "four"])
    assert terminal.getvalue()[before:] == "\x1b[?2026h\x1b[2Fthree\x1b[K\nfour\x1b[K\n\x1b[J\x1b[?2026l"


def test_cursor_is_hidden_for_a_while_whatever_happens() -> None:
    """
    It comes back even if the command fails.
    """
    terminal = Terminal()

    def failing() -> None:
        with Screen.of(terminal, PLAIN):
            assert terminal.getvalue().endswith("\x1b[?25l")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        failing()
    assert terminal.getvalue().endswith("\x1b[?25h")


def test_no_terminal_gets_plain_lines() -> None:
    """
    Blocks follow one another, without a control character or a sign that the encoding lacks.
    """
    pipe = Pipe()
    with Screen.of(pipe, PLAIN) as screen:
        screen.show([screen.pen.paint(screen.pen.card("TH"), Ink.RED)])
        screen.show([screen.pen.bar(0.5, 6, Ink.FIRST)])
    assert pipe.getvalue() == "TH\n###---\n"


@pytest.mark.parametrize(
    ("environ", "columns", "live", "inks"),
    [
        (PLAIN, 80, True, True),
        ({**PLAIN, "NO_COLOR": "1"}, 80, True, False),
        ({**PLAIN, "NO_COLOR": ""}, 80, True, True),
        ({"TERM": "dumb"}, 80, False, False),
        (PLAIN, 40, True, True),
        (PLAIN, 39, False, True),
    ],
)
def test_terminal_gets_what_it_can_show(
    environ: dict[str, str], columns: int, live: bool, inks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    NO_COLOR, unless it is empty, leaves colours out; a dumb or small terminal gets line after line.
    """
    monkeypatch.setenv("COLUMNS", str(columns))
    screen = Screen.of(Terminal(), environ)
    assert (screen.live, screen.pen.inks, screen.pen.signs) == (live, inks, True)


def test_question_and_answer_take_a_line_of_the_block() -> None:
    """
    Where the typed answer has moved the cursor on, the next block still begins where the last one did.
    """
    keys = Keys(StringIO("  b \n"))
    terminal = Terminal()
    screen = Screen.of(terminal, PLAIN)
    screen.show(["table"])
    assert screen.ask("next? ", keys) == "b"
    terminal.write("\n")  # what typing Enter shows
    screen.show(["other table"])
    assert terminal.seen == ["other table", ""]
    assert screen.ask("next? ", keys) is None


@pytest.mark.parametrize(("share", "bar"), [(0, "────"), (0.25, "█───"), (0.3, "█▎──"), (0.99, "████"), (1, "████")])
def test_bar_is_filled_by_eighths(share: float, bar: str) -> None:
    """
    Whatever the share, the bar is as wide as asked for.
    """
    assert Pen(signs=True).bar(share, 4) == bar


def test_nothing_is_painted_where_there_is_nothing() -> None:
    """
    An empty text, or no ink, takes no control characters.
    """
    pen = Pen(inks=True)
    assert (pen.paint("", Ink.RED), pen.paint("a"), pen.paint("a", Ink.BOLD, Ink.RED)) == (
        "",
        "a",
        "\x1b[1;31ma\x1b[0m",
    )
