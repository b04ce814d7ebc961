"""The engine's commands as processes and as functions: what they print, where, and with which status."""

import errno
import gzip
import json
import os
import subprocess
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import pytest

from samedeal import main
from shared.cards import texts
from shared.gamecode import GameCode
from shared.record import Record, Result
from tests import vectors
from tests.strategies import LINES

CODE, LINE = LINES[0]
SCRIPT = [sys.executable, "-m", "samedeal"]
FULL = Path("/dev/full")
KINGS = {"game": "freecell", "columns": [["KC"], ["KH"]], "foundations": {"S": 13, "H": 12, "D": 13, "C": 12}}
START_S = 1.0
"""Of the processor's time, whatever else it does; a command takes a third of this, and as long by the clock."""

Output = pytest.CaptureFixture[str]


def record_of(code: GameCode, line: list[str]) -> Record:
    """Return the record of a win in which a move was made each second."""
    score = 900 - len(line) if code.game == "simple-simon" else 52
    elapsed_ms = (len(line) - 1) * 1_000
    entries = tuple((place * 1_000, text) for place, text in enumerate(line))
    result = Result(won=True, score=score, moves=len(line), elapsed_ms=elapsed_ms)
    return Record(code=code, player="Zo\u00eb", started="2026-05-01T09:30:00Z", entries=entries, result=result)


RECORDS = [record_of(code, line) for code, line in LINES]


def run(*arguments: str, text: bytes = b"") -> tuple[int, str, str]:
    """Run the console script as a process; return its status and what it wrote."""
    done = subprocess.run([*SCRIPT, *arguments], input=text, capture_output=True, timeout=60, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def ran(output: Output, *arguments: str) -> tuple[int, str, str]:
    """Run a command in this process; return its status and what it wrote."""
    try:
        status = main(arguments)
    except SystemExit as ended:
        status = int(ended.code or 0)
    out, err = output.readouterr()
    return status, out, err


def one_sentence(err: str) -> bool:
    """Return whether an error is one line of plain words."""
    return err.endswith(".\n") and err.count("\n") == 1 and "Traceback" not in err and "Error" not in err


# deal


@pytest.mark.parametrize("row", vectors.rows("deals_ms_freecell.jsonl.gz"), ids=lambda row: str(row["deal"]))
def test_deal_prints_everyones_freecell_deal(row: vectors.Row, capsys: Output) -> None:
    """The number, and our code of it, give the columns that every program gives, and no key but the named ones."""
    status, out, err = ran(capsys, "deal", f"#{row['deal']}", "--json")
    code = GameCode("freecell", 4, row["deal"])
    assert (status, err) == (0, "")
    assert json.loads(out) == {
        "code": str(code),
        "game": "freecell",
        "suits": 4,
        "number": row["deal"],
        "columns": row["columns"],
    }
    assert ran(capsys, "deal", str(code), "--json") == (0, out, "")


@pytest.mark.parametrize("suits", [1, 2, 4])
def test_deal_of_simple_simon_tells_its_suits(suits: int, capsys: Output) -> None:
    """Kindly read, canonically told."""
    status, out, _ = ran(capsys, "deal", "--json", f"ss1 s{suits}", "aaaaabd")
    told = json.loads(out)
    assert (status, told["code"], told["suits"]) == (0, f"SS1-S{suits}-AAAAABD", suits)
    assert told["columns"] == [texts(column) for column in GameCode("simple-simon", suits, 35).deal().columns]


def test_deal_is_drawn_for_a_person(capsys: Output) -> None:
    """A title with code, game and number, then the table."""
    assert ran(capsys, "deal", "SS1-S2-AAAAABD")[1].splitlines()[:3] == [
        "SS1-S2-AAAAABD  Simple Simon, deal 35, suits: 2",
        "",
        "1   2   3   4   5   6   7   8   9   0",
    ]
    lines = ran(capsys, "deal", "freecell", "1")[1].splitlines()
    assert lines[0] == "FC1-AAAAAAB  FreeCell, deal 1"
    assert lines[-1] == "6S  9C  2H  6H"


@pytest.mark.parametrize("code", ["SS1-S3-AAAAABD", "SS2-S1-AAAAABD", "FC1-AAAAAAA", "nonsense", "", "#\u0663"])
def test_bad_code_is_one_sentence(code: str, capsys: Output) -> None:
    """On the error stream, with status 1; nothing else is printed."""
    status, out, err = ran(capsys, "deal", code)
    assert (status, out) == (1, "")
    assert one_sentence(err)


def test_several_codes_are_several_deals(capsys: Output) -> None:
    """In their order, with or without spaces of their own: an object a line, or one picture below the other."""
    words = ["freecell", "11982", "ss1", "s2", "aaaaabd", "#5", "SS1-S1-AAAAABE"]
    told = ["FC1-AAAALWO", "SS1-S2-AAAAABD", "FC1-AAAAAAF", "SS1-S1-AAAAABE"]
    status, out, err = ran(capsys, "deal", *words, "--json")
    assert (status, err) == (0, "")
    assert [json.loads(line)["code"] for line in out.splitlines()] == told
    pictures = [ran(capsys, "deal", code)[1] for code in told]
    assert ran(capsys, "deal", *words) == (0, "\n".join(pictures), "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("SS1-S1-AAAAABD nonsense", "'nonsense' is no game code"),
        ("nonsense SS1-S1-AAAAABD", "'nonsense' is no game code"),
        ("freecell 99999999999", "99999999999 is no deal number"),
        ("freecell 99999999999 #1", "99999999999 is no deal number"),
        ("#1 #0", "0 is no deal number"),
        ("ss1 s3 aaaaabd", "S3 is no number of suits"),
        ("#1 ss1 s1 aaaaab", "7 symbols, not in 6"),
        ("SS1-S1-AAAAAB SS1-S1-AAAAABD", "7 symbols, not in 6"),
    ],
)
def test_of_several_codes_the_bad_one_is_told(words: str, said: str, capsys: Output) -> None:
    """What is wrong with the words that come nearest to a code; no deal is printed."""
    status, out, err = ran(capsys, "deal", *words.split())
    assert (status, out) == (1, "")
    assert said in err
    assert one_sentence(err)


# legal


def position_file(tmp_path: Path, fields: object) -> str:
    """Write a position as JSON; return the file's name."""
    path = tmp_path / "position.json"
    path.write_text(json.dumps(fields), encoding="utf-8")
    return str(path)


def test_legal_moves_are_those_of_the_walks(tmp_path: Path, capsys: Output) -> None:
    """One move text a line, for some positions of each game, removed suits and foundations among them."""
    for row in vectors.rows("walks.jsonl.gz")[::6]:
        for checkpoint in row["checkpoints"][-2:]:
            fields = {**checkpoint, "game": vectors.rules_of(row).name, "suits": vectors.suits_of(row)}
            status, out, err = ran(capsys, "legal", position_file(tmp_path, fields))
            assert (status, err) == (0, "")
            assert sorted(out.splitlines()) == sorted(map(vectors.move_text, checkpoint["legal"]))


def test_position_without_a_move_prints_nothing(tmp_path: Path, capsys: Output) -> None:
    """A won one, for instance."""
    won = {"game": "freecell", "foundations": {"S": 13, "H": 13, "D": 13, "C": 13}}
    assert ran(capsys, "legal", position_file(tmp_path, won)) == (0, "", "")


@pytest.mark.parametrize(
    ("move", "status", "told"),
    [
        ("1h", 0, "ok"),
        ("1a", 0, "ok"),
        ("12", 1, "NOT_NEXT KC does not go on KH: "),
        ("11", 1, "IDLE The move ends where it begins"),
        ("1hv2", 1, "FEW_CARDS Pile 1 does not give 2 cards"),
        ("19", 1, "NO_PILE "),
        ("xx", 1, "BAD_MOVE 'xx' is no move"),
        ("\u0661h", 1, "BAD_MOVE "),
    ],
)
def test_move_is_checked(move: str, status: int, told: str, tmp_path: Path, capsys: Output) -> None:
    """`ok`, or the reason, a sentence and the rule; the status says the same."""
    code, out, err = ran(capsys, "legal", position_file(tmp_path, KINGS), "--check", move)
    assert (code, err) == (status, "")
    assert out.startswith(told)
    assert out.count("\n") == 1


def test_position_is_read_from_standard_input() -> None:
    """With - for the file."""
    assert run("legal", "-", "--check", "1h", text=json.dumps(KINGS).encode()) == (0, "ok\n", "")


@pytest.mark.parametrize("text", ["", "[]", '{"game": "freecell"}', '{"game": "chess"}', "\0" * 2_000_000])
def test_bad_position_is_one_sentence(text: str, tmp_path: Path, capsys: Output) -> None:
    """Whether its form or its cards are wrong."""
    path = tmp_path / "position.json"
    path.write_text(text, encoding="utf-8")
    status, out, err = ran(capsys, "legal", str(path), "--check", "12")
    assert (status, out) == (1, "")
    assert one_sentence(err)
    assert err.startswith(f"samedeal: {path}: ")


def test_position_that_is_not_there_is_named(capsys: Output) -> None:
    """As a record is."""
    assert ran(capsys, "legal", "no such file") == (
        1,
        "",
        "samedeal: no such file: The file can't be read: No such file or directory.\n",
    )


# verify


def test_records_of_one_file_each_have_their_line(tmp_path: Path, capsys: Output) -> None:
    """JSON lines, plain or gzipped by content: an object a line with exactly the keys of the design."""
    text = "\n".join(map(str, RECORDS)) + "\n"
    plain, packed = tmp_path / "races.gz", tmp_path / "races.jsonl"
    plain.write_text(text, encoding="utf-8")
    packed.write_bytes(gzip.compress(text.encode()))
    for path in (plain, packed):
        status, out, err = ran(capsys, "verify", str(path), "--json")
        assert (status, err) == (0, "")
        assert [json.loads(line) for line in out.splitlines()] == [
            {"file": str(path), "line": number, "ok": True, "won": True, **score(record), "error": None}
            for number, record in enumerate(RECORDS, 1)
        ]
        assert list(json.loads(out.splitlines()[0])) == ["file", "line", "ok", "won", "score", "moves", "error"]


def score(record: Record) -> dict[str, int]:
    """Return the score and the moves of a record's result."""
    assert record.result is not None
    return {"score": record.result.score, "moves": record.result.moves}


def test_bad_lines_do_not_stop_the_rest(tmp_path: Path, capsys: Output) -> None:
    """Each has its verdict with the entry that is at fault, null for header and result; the status is 1."""
    good = json.loads(str(RECORDS[0]))
    path = tmp_path / "mixed.jsonl"
    lines: list[Any] = [
        good,
        "{",
        {**good, "code": "SS9-S1-AAAAABD"},
        {**good, "entries": [*good["entries"][:5], [4_000, "11"]]},
        {**good, "entries": [*good["entries"][:5], [4_000]]},
        {**good, "result": {**good["result"], "score": 999}},
        good,
    ]
    path.write_text("\n\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), "utf-8")
    status, out, err = ran(capsys, "verify", str(path), "--json")
    told = [json.loads(line) for line in out.splitlines()]
    assert (status, err) == (1, "")
    assert [(row["line"], row["error"] and tuple(row["error"].values())) for row in told] == [
        (1, None),
        (3, (None, "NOT_JSON")),
        (5, (None, "CODE_VERSION")),
        (7, (5, "IDLE")),
        (9, (5, "BAD_RECORD")),
        (11, (None, "BAD_RESULT")),
        (13, None),
    ]
    assert list(told[1]["error"]) == ["entry", "reason"]
    assert [row["ok"] for row in told] == [True, False, False, False, False, False, True]
    assert [row["won"] for row in told] == [True, False, False, False, False, True, True]
    assert told[1]["score"] is told[1]["moves"] is None
    assert told[3]["moves"] == 5

    lines = ran(capsys, "verify", str(path))[1].splitlines()
    assert lines[0] == f"{path}:1: ok: won, score {told[0]['score']}, moves {told[0]['moves']}"
    assert lines[3].startswith(f"{path}:7: not ok: entry 5: IDLE The move ends where it begins")
    assert lines[5].startswith(f"{path}:11: not ok: BAD_RESULT The result says score 999, but")


def test_one_record_may_be_laid_out_on_many_lines(tmp_path: Path, capsys: Output) -> None:
    """As other tools print JSON."""
    path = tmp_path / "one.json"
    path.write_text(json.dumps(json.loads(str(RECORDS[0])), indent=4), encoding="utf-8")
    status, out, _ = ran(capsys, "verify", str(path), "--json")
    assert (status, json.loads(out)["line"], json.loads(out)["ok"]) == (0, 1, True)


def test_several_files_and_standard_input() -> None:
    """In the order given; a file that is not there or is cut short is told, and the others are verified."""
    text = gzip.compress(str(RECORDS[0]).encode())
    status, out, err = run("verify", "-", "--json", text=text)
    assert (status, json.loads(out)["file"], err) == (0, "-", "")

    status, out, err = run("verify", "no such file", "-", ".", text=text[:-4])
    assert status == 1
    assert out.startswith("-:1: ok: won")
    told = err.splitlines()
    assert [line.split(": ")[1] for line in told] == ["no such file", "-", "."]
    assert all(one_sentence(line + "\n") for line in told)


@pytest.mark.parametrize(
    ("content", "reason"),
    [(None, "UNREADABLE"), (b"", "NO_RECORDS"), (gzip.compress(b"{}")[:-4], "BAD_GZIP")],
    ids=["no file", "empty", "cut short"],
)
def test_file_that_cannot_be_read_has_its_object(
    content: bytes | None, reason: str, tmp_path: Path, capsys: Output
) -> None:
    """With --json it is not ok, of no line, and why; the sentence goes to the error stream as ever."""
    path = tmp_path / "records"
    if content is not None:
        path.write_bytes(content)
    status, out, err = ran(capsys, "verify", str(path), "--json")
    assert (status, json.loads(out.splitlines()[-1])) == (
        1,
        {
            "file": str(path),
            "line": None,
            "ok": False,
            "won": False,
            "score": None,
            "moves": None,
            "error": {"entry": None, "reason": reason},
        },
    )
    assert one_sentence(err)


def test_empty_file_is_not_ok(tmp_path: Path, capsys: Output) -> None:
    """It proves nothing."""
    path = tmp_path / "empty"
    path.write_bytes(b"")
    status, out, err = ran(capsys, "verify", str(path))
    assert (status, out) == (1, "")
    assert one_sentence(err)


def test_moves_of_a_code_are_verified(capsys: Output) -> None:
    """Entries in move text, words among them; won or not is told apart from ok."""
    status, out, _ = ran(capsys, "verify", "--code", str(CODE), "--moves", " ".join(LINE), "--json")
    told = {"file": None, "line": None, "ok": True, "won": True, "score": 900 - len(LINE), "moves": len(LINE)}
    assert (status, json.loads(out)) == (0, {**told, "error": None})
    assert ran(capsys, "verify", "--code", "SS1-S1-AAAAAAE", "--moves", "02 undo 02 resign") == (
        0,
        "ok: not won, score 499, moves 1\n",
        "",
    )
    status, out, _ = ran(capsys, "verify", "--code", "SS1-S1-AAAAAAE", "--moves", "02 00", "--json")
    assert (status, json.loads(out)["error"]) == (1, {"entry": 1, "reason": "IDLE"})
    assert ran(capsys, "verify", "--code", str(CODE), "--moves", "")[:2] == (0, "ok: not won, score 500, moves 0\n")


@pytest.mark.parametrize("row", list(vectors.solved("freecell_solutions.jsonl.gz"))[::8], ids=lambda row: row["deal"])
def test_notation_of_a_code_is_verified(row: vectors.Row, capsys: Output) -> None:
    """Other programs' solutions win here."""
    status, out, _ = ran(capsys, "verify", "--code", f"#{row['deal']}", "--notation", row["notation"], "--json")
    told = json.loads(out)
    assert (status, told["ok"], told["won"], told["moves"]) == (0, True, True, row["length"])
    status, out, _ = ran(capsys, "verify", "--code", f"#{row['deal']}", "--notation", row["notation"] + " 1a", "--json")
    assert (status, json.loads(out)["error"]["entry"]) == (1, row["length"])


def test_bad_code_of_moves_is_one_sentence(capsys: Output) -> None:
    """As everywhere; what Simple Simon has no notation for is a verdict."""
    status, out, err = ran(capsys, "verify", "--code", "FC9-AAAAAAB", "--moves", "1a")
    assert (status, out) == (1, "")
    assert one_sentence(err)
    assert ran(capsys, "verify", "--code", "SS1-S1-AAAAAAE", "--notation", "02")[1].startswith("not ok: NO_NOTATION ")


# All of them


@pytest.mark.parametrize(
    "arguments",
    [
        ["deal"],
        ["deal", "#1", "--yaml"],
        ["legal"],
        ["legal", "a", "b"],
        ["legal", "a", "--check"],
        ["verify"],
        ["verify", "--json"],
        ["verify", "--code", "#1"],
        ["verify", "--moves", "1a"],
        ["verify", "file", "--moves", "1a"],
        ["verify", "file", "--code", "#1", "--moves", "1a"],
        ["verify", "--code", "#1", "--moves", "1a", "--notation", "1a"],
    ],
)
def test_wrong_usage_is_one_sentence(arguments: list[str], capsys: Output) -> None:
    """On the error stream, with status 2 and the way to the help."""
    status, out, err = ran(capsys, *arguments)
    assert (status, out) == (2, "")
    assert one_sentence(err)
    assert f"samedeal {arguments[0]} --help" in err


@pytest.mark.parametrize("command", ["deal", "verify", "legal"])
def test_help_is_no_mistake(command: str, capsys: Output) -> None:
    """It goes to standard output."""
    status, out, err = ran(capsys, command, "--help")
    assert (status, err) == (0, "")
    assert out.startswith(f"usage: samedeal {command}")


@pytest.mark.parametrize(
    "arguments",
    [["deal", "#1"], ["verify", "--code", "#1", "--notation", "1a"], ["legal", "-"]],
    ids=lambda each: each[0],
)
def test_command_loads_shared_only_and_soon(arguments: list[str]) -> None:
    """Neither side, nor what they need, is loaded; a pool only when it is asked for."""
    code = f"import samedeal, sys; samedeal.main({arguments!r}); print(*sys.modules, file=sys.stderr)"
    before = os.times()
    done = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps(KINGS), capture_output=True, text=True, timeout=60, check=True
    )
    after = os.times()
    assert (after.children_user - before.children_user) + (after.children_system - before.children_system) < START_S
    loaded = set(done.stderr.split())
    assert "shared.rules" in loaded
    assert not loaded & {"server", "client", "asyncio", "sqlalchemy", "websockets", "shared.pool", "wcwidth"}


def test_reader_who_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    """`samedeal verify … | head -1`: the pipe closes, and nothing is complained about."""
    path = tmp_path / "many.jsonl"
    path.write_text((str(RECORDS[0]) + "\n") * 3_000, encoding="utf-8")
    with subprocess.Popen([*SCRIPT, "verify", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 1


@pytest.mark.skipif(not FULL.exists(), reason="no device here is always full")
@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["deal", "#1"]])
def test_output_without_room_is_one_sentence(arguments: list[str]) -> None:
    """A full disk: what can't be written is said, without a traceback."""
    with FULL.open("wb") as full:
        done = subprocess.run([*SCRIPT, *arguments], stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (1, f"samedeal: {os.strerror(errno.ENOSPC)}.\n".encode())


@pytest.mark.skipif(sys.platform == "win32", reason="names of files are text there")
def test_name_that_no_terminal_can_show_is_shown_anyhow(tmp_path: Path) -> None:
    """Bytes that are no text, and an output that knows no more than ASCII."""
    path = os.fsencode(tmp_path) + b"/\xff\xc3\xa9"
    Path(os.fsdecode(path)).write_text(str(RECORDS[0]), encoding="utf-8")
    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [*SCRIPT, "verify", path], env=ascii_only, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "ok: won" in done.stdout


def test_interrupted_command_ends_quietly(monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    """Ctrl-C is no error to report."""
    monkeypatch.setattr("samedeal.load", lambda command: interrupted)
    assert ran(capsys, "deal", "#1") == (130, "", "")


def interrupted(parser: ArgumentParser, arguments: list[str]) -> int:
    """Stand for a command during which someone pressed Ctrl-C."""
    raise KeyboardInterrupt(parser, arguments)


@pytest.mark.parametrize(
    ("language", "deal", "refused"),
    [
        ("ru_RU.UTF-8", "Простой Саймон, расклад 35, мастей: 1", "не число мастей этой игры"),
        ("id_ID", "Simple Simon, pembagian 35, jenis: 1", "bukan jumlah jenis"),
        ("ca_ES.UTF-8", "Simple Simon, repartiment 35, colls: 1", "no és cap nombre de colls"),
        ("de_DE.UTF-8", "Simple Simon, deal 35, suits: 1", "is no number of suits"),
    ],
)
def test_sentences_are_in_the_terminals_language(language: str, deal: str, refused: str) -> None:
    """
    LANG says in which language; one that is not there is English.
    """
    speaking = {**os.environ, "LANGUAGE": "", "LC_ALL": "", "LC_MESSAGES": "", "LANG": language, "PYTHONUTF8": "1"}
    for code, told in (("SS1-S1-AAAAABD", deal), ("SS1-S9-AAAAABD", refused)):
        command = [*SCRIPT, "deal", code]
        done = subprocess.run(command, env=speaking, capture_output=True, encoding="utf-8", timeout=60, check=False)
        assert told in done.stdout + done.stderr
