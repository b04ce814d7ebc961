"""Records drawn: moment after moment, by hand, in time, or all of them; and the command that does it."""

import tracemalloc
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from client import replay
from client.screen import Pen, Screen
from samedeal import main
from shared.attempt import State
from shared.cards import texts
from shared.errors import Refusal
from shared.gamecode import GameCode
from shared.record import Record
from tests import vectors
from tests.client.terminal import Terminal

SHUTTLE = GameCode.parse("SS1-S1-AAAAAAE")


def record(*entries: tuple[int, str], code: GameCode = SHUTTLE) -> Record:
    """Return Anna's record of *entries*."""
    return Record(code=code, player="Anna", started="2026-01-01T00:00:00Z", entries=entries)


PLAYED = record((1_000, "02"), (2_500, "undo"), (3_000, "02"), (4_000, "restart"), (9_000, "resign"))


def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Return a terminal of a good size that stands for standard output from now on."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "40")
    monkeypatch.setenv("TERM", "xterm")
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    return terminal


class Typist:
    """Types lines, and the terminal shows them."""

    def __init__(self, terminal: Terminal, *lines: str) -> None:
        self._terminal = terminal
        self._lines = [f"{line}\n" for line in lines]

    def readline(self) -> str:
        """Return the next line; nothing once there is none."""
        line = self._lines.pop(0) if self._lines else ""
        self._terminal.write(line)
        return line


def saved(folder: Path, text: str) -> str:
    """Return the name of a new file that holds *text*."""
    path = folder / "record.json"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_moment_for_the_deal_and_each_entry() -> None:
    """
    Time, counts and table are the attempt's after each entry; what moved is told in steps.
    """
    shown = list(replay.moments(PLAYED))
    deal, once = SHUTTLE.deal(), shown[1].position
    assert [(moment.ply, moment.at_ms, moment.entry, moment.moves) for moment in shown] == [
        (0, 0, "", 0),
        (1, 1_000, "02", 1),
        (2, 2_500, "undo", 0),
        (3, 3_000, "02", 1),
        (4, 4_000, "restart", 0),
        (5, 9_000, "resign", 0),
    ]
    assert [moment.position for moment in shown] == [deal, once, deal, once, deal, deal]
    assert [moment.steps for moment in shown] == [(), ("02",), ("20",), ("02",), (), ()]
    assert [moment.state for moment in shown[-2:]] == [State.PLAYING, State.RESIGNED]


def test_entry_that_is_not_legal_is_told() -> None:
    """
    The moments before it can be seen; the error tells which entry it is.
    """
    shown = replay.moments(record((0, "02"), (1, "02"), (2, "02")))
    assert [next(shown).ply for _ in range(2)] == [0, 1]
    with pytest.raises(Refusal):
        next(shown)


@pytest.mark.parametrize("entry", ["undo", "11", "9a"])
def test_first_entry_that_is_not_legal_is_told(entry: str) -> None:
    """
    Whatever it asks for, it is the refusal that comes, not the trouble of drawing it.
    """
    shown = replay.moments(record((0, entry)))
    next(shown)
    with pytest.raises(Refusal):
        next(shown)


def test_won_games_end_on_a_bare_table() -> None:
    """
    Each vector's winning line, shown to its end.
    """
    row = next(row for row in vectors.solved("freecell_solutions.jsonl.gz") if vectors.own_number(row))
    code = GameCode("freecell", 4, vectors.own_number(row) or 0)
    entries = tuple((ms, vectors.move_text(move)) for ms, move in enumerate(row["moves"]))
    won = record(*entries, code=code)
    *_, last = replay.moments(won)
    lines = replay.scene(won, last, Pen())
    assert (last.state, last.progress) == (State.SOLVED, 52)
    assert "solved" in lines[1]
    assert "52 of 52" in lines[1]
    assert lines[3].split() == ["--"] * 4 + ["KS", "KH", "KD", "KC"]


def test_long_record_takes_little() -> None:
    """
    Thousands of entries are shown without keeping an attempt for each: their logs alone would take 64 MB here.
    """
    there_and_back = [(ms, "20" if ms % 2 else "02") for ms in range(4_000)]
    tracemalloc.start()
    longest = list(replay.moments(record(*there_and_back)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(longest) == 4_001
    assert {moment.position for moment in longest[::2]} == {SHUTTLE.deal()}
    assert peak < 16_000_000


def test_columns_stay_where_they_are() -> None:
    """
    In an animation nothing jumps when the first sequence leaves and a line for it appears on top.
    """
    row = next(row for row in vectors.solved("simple_simon_4suit_solutions.jsonl.gz") if vectors.own_number(row))
    code = GameCode("simple-simon", 4, vectors.own_number(row) or 0)
    won = record(*((0, vectors.move_text(move)) for move in row["moves"]), code=code)
    scenes = [replay.scene(won, moment, Pen(), lines=50) for moment in replay.moments(won)]
    heads = {next(place for place, line in enumerate(lines) if line.startswith("  1   2")) for lines in scenes}
    assert len(heads) == 1


@pytest.mark.parametrize("speed", [(), ("--speed", "1000")])
def test_free_card_of_a_long_column_is_seen(
    speed: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """
    On a terminal of 24 lines nothing of the block is cut off: of 20 cards the last are there, below a mark.
    """
    row = next(
        each for each in vectors.solved("simple_simon_4suit_solutions.jsonl.gz") if vectors.own_number(each) == 57
    )
    entries = tuple((0, vectors.move_text(move)) for move in row["moves"][:55])
    long = record(*entries, code=GameCode("simple-simon", 4, 57))
    *_, last = replay.moments(long)
    slot = max(range(10), key=lambda pile: len(last.position.columns[pile]))
    assert len(last.position.columns[slot]) == 20

    terminal = on_terminal(monkeypatch)
    monkeypatch.setenv("LINES", "24")
    monkeypatch.setattr("sys.stdin", Typist(terminal, "55", "q"))
    assert main(["replay", saved(tmp_path, str(long)), *speed]) == 0
    names = next(place for place, line in enumerate(terminal.seen) if line.startswith("  1   2"))
    drawn = [line[4 * slot : 4 * slot + 4].strip() for line in terminal.seen[names + 1 :]]
    shown = drawn[1 : drawn.index("")]
    assert drawn[0] == ".."
    assert len(terminal.seen) == 24
    assert shown == [Pen(signs=True).card(text) for text in texts(last.position.columns[slot])[-len(shown) :]]


def test_stepping_goes_where_it_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """
    On, back, to a number, beyond the ends, nonsense, and quit.
    """
    terminal = on_terminal(monkeypatch)
    monkeypatch.setattr("sys.stdin", Typist(terminal, "", "", "b", "99", "b", "what", "-3", "q", "never read"))
    assert main(["replay", saved(tmp_path, str(PLAYED))]) == 0
    assert [part.split("/")[0].split()[-1] for part in terminal.getvalue().split("/5   Enter")[:-1]] == list("01215444")
    assert sum("Anna" in line for line in terminal.seen) == 1


def test_stepping_ends_after_the_last_and_with_the_input(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """
    Enter at the last moment leaves; so does an input that is over.
    """
    terminal = on_terminal(monkeypatch)
    file = saved(tmp_path, str(record((0, "02"))))
    monkeypatch.setattr("sys.stdin", Typist(terminal, "", "", ""))
    assert main(["replay", file]) == 0
    assert terminal.getvalue().count("Enter") == 2
    monkeypatch.setattr("sys.stdin", Typist(terminal))
    assert main(["replay", file]) == 0
    assert terminal.getvalue().count("Enter") == 3


async def test_pauses_are_the_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Each moment waits for the time between it and the one before; the deal is there at once.
    """
    slept = []

    async def sleep(pause_s: float) -> None:
        slept.append(pause_s)

    monkeypatch.setattr("asyncio.sleep", sleep)
    terminal = Terminal()
    screen = Screen(terminal, Pen(), live=True)
    await replay.run_through(PLAYED, screen, lambda last, moment: (moment.at_ms - last.at_ms) / 1000)
    assert slept == [1.0, 1.5, 0.5, 1.0, 5.0]
    assert sum("Anna" in line for line in terminal.seen) == 1


def test_timed_replay_ends_by_itself(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """
    With --speed the last moment is what stays on the screen.
    """
    terminal = on_terminal(monkeypatch)
    assert main(["replay", saved(tmp_path, str(PLAYED)), "--speed", "1000"]) == 0
    assert [line for line in terminal.seen if "resign" in line] == [
        " 0:09.0   move 0     score 500   4 of 48 in place   resign"
    ]


def test_every_moment_is_printed_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """
    One below the other, without control characters; the speed does not matter.
    """
    assert main(["replay", saved(tmp_path, f"{PLAYED}\n{record()}\n"), "--speed", "0.01"]) == 0
    out = capsys.readouterr().out
    assert out.count("Anna") == 6
    assert "\x1b" not in out


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "The text is not JSON"),
        (str(record((5, "02"), (4, "20"))), "The time stamp 4 comes after 5"),
        (str(record((5, "12"))), "does not go on"),
    ],
)
def test_what_is_no_record_is_told(
    text: str, complaint: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """
    One sentence on the error stream that names the file, status 1.
    """
    file = saved(tmp_path, text)
    assert main(["replay", file]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"samedeal: {file}: ")
    assert complaint in error


def test_file_that_is_not_there_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """
    The name and what is wrong with it.
    """
    assert main(["replay", str(tmp_path / "none.json")]) == 1
    assert capsys.readouterr().err.endswith("none.json: The file can't be read: No such file or directory.\n")


@pytest.mark.parametrize("speed", ["0", "-1", "nan", "1e9", "fast"])
def test_speed_that_is_none_is_wrong_usage(speed: str, capsys: pytest.CaptureFixture[str]) -> None:
    """
    Status 2, and what would be right.
    """
    with pytest.raises(SystemExit) as exits:
        main(["replay", "record.json", "--speed", speed])
    assert exits.value.code == 2
    assert f"--speed: {speed!r} is no number from 0.01 to 1000" in capsys.readouterr().err


def test_interrupted_replay_leaves_the_cursor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """
    Ctrl-C is no error: the cursor is shown again, status 130.
    """
    terminal = on_terminal(monkeypatch)

    class Interrupting:
        def readline(self) -> str:
            raise KeyboardInterrupt

    monkeypatch.setattr("sys.stdin", Interrupting())
    assert main(["replay", saved(tmp_path, str(PLAYED))]) == 130
    assert terminal.getvalue().endswith("\x1b[?25h")


ID = "abcdefghijkl2345"


@pytest.mark.parametrize(
    ("arguments", "asked"),
    [
        ([ID], (ID, None, None)),
        ([ID, "--database", "race.db"], (ID, "race.db", None)),
        (["--url", "http://127.0.0.1:1", "x"], ("x", None, "http://127.0.0.1:1")),
    ],
)
def test_attempt_is_looked_up(
    arguments: list[str],
    asked: tuple[str, str | None, str | None],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """
    What looks like an attempt's id, or is said to be somewhere, is no file; what is found is drawn.
    """
    heard = []

    def look_up(*what: str | None) -> str:
        heard.append(what)
        return str(PLAYED)

    monkeypatch.setattr("server.commands.lookup.record_text", look_up)
    assert main(["replay", *arguments]) == 0
    assert heard == [asked]
    assert capsys.readouterr().out.count("Anna") == len(PLAYED.entries) + 1


@pytest.mark.parametrize("what", [ID, "abc"])
def test_attempt_that_is_not_found_is_one_sentence(
    what: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """
    It says what was looked for, as `export` does, whether or not ids are of that length.
    """
    monkeypatch.setattr("server.commands.lookup.record_text", lambda *_: None)
    assert main(["replay", what]) == 1
    assert capsys.readouterr().err == f"samedeal: no record of an attempt '{what}': it is unknown, or still played.\n"


def test_record_is_read_from_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """
    With - for the file, as everywhere.
    """
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(str(PLAYED).encode())))
    assert main(["replay", "-"]) == 0
    assert capsys.readouterr().out.count("Anna") == len(PLAYED.entries) + 1


def test_file_that_is_called_like_an_attempt_is_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """
    What is there is what is meant.
    """
    (tmp_path / ID).write_text(str(PLAYED), "utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["replay", ID]) == 0
    assert "Anna" in capsys.readouterr().out
