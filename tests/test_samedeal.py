"""The console script: what it prints by itself, and that it loads no more than it needs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from samedeal import COMMANDS, __version__, load, main, usage


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    """Each command has its line, and help is no mistake."""
    assert main(["--help"]) == 0
    _, listed = capsys.readouterr().out.split("\n\n")
    assert [line.split()[0] for line in listed.splitlines()] == list(COMMANDS)


def test_help_is_a_command_too(capsys: pytest.CaptureFixture[str]) -> None:
    """Alone it is `--help`; with a command, that one's help; of what is no command it is wrong usage."""
    assert main(["help"]) == 0
    assert capsys.readouterr().out == f"{usage()}\n"
    with pytest.raises(SystemExit) as ended:
        main(["help", "deal"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("usage: samedeal deal")
    assert main(["help", "shuffle"]) == 2


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_helps_and_complains_alike(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Its help says in a sentence what it does; wrong usage is one line that leads there, with status 2."""
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    sentence = capsys.readouterr().out.split("\n\n")[1]
    assert sentence[0].isupper()
    assert sentence.endswith(".")
    with pytest.raises(SystemExit) as ended:
        main([command, "--nonsense"])
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith(f"samedeal {command}: ")
    assert error.endswith(f"; see samedeal {command} --help.\n")
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    "command", ["serve", "leaderboard", "export", "replay", "import", "backup", "rebuild", "migrate"]
)
def test_database_is_named_alike(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each command that works on one says how it is named, and which is meant where none is."""
    with pytest.raises(SystemExit):
        main([command, "--help"])
    told = "".join(capsys.readouterr().out.split())
    assert "--databaseFILE" in told or "--databaseDATABASE" in told
    assert "apathorsqlite:///PATH(SAMEDEAL_DATABASE;default:/" in told


def test_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """The version is one line: the name and the number that the wheel carries too."""
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"samedeal {__version__}\n"


@pytest.mark.parametrize("arguments", [[], ["shuffle"], ["--verbose"], [""]])
def test_unknown_command_is_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """What is no command gets the list on the error stream, and status 2."""
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert not out
    assert usage() in err


@pytest.mark.parametrize("command", COMMANDS)
def test_command_is_there(command: str) -> None:
    """Whatever the list promises can be loaded."""
    assert callable(load(command))


def modules_after(arguments: list[str], cwd: Path) -> set[str]:
    """Return the top-level modules that a process has loaded once it has run *arguments*."""
    code = f"import samedeal, sys; samedeal.main({arguments!r}); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], cwd=cwd, capture_output=True, text=True, timeout=60, check=True)
    return {name.partition(".")[0] for name in done.stderr.split()}


def test_help_loads_neither_side(tmp_path: Path) -> None:
    """The list of commands costs nothing but the console script itself."""
    assert not modules_after(["--help"], tmp_path) & {"argparse", "asyncio", "client", "server", "shared"}


def test_deal_that_is_no_code_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whichever command reads it: a line on the error stream that shows the text, and status 1."""
    for command in (["deal"], ["leaderboard", "--database", str(tmp_path / "none.sqlite3"), "--deal"]):
        assert main([*command, "no code"]) == 1
        assert "'no code'" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="its shell closes no streams so")
@pytest.mark.parametrize(
    ("line", "status"),
    [("--help | true", 0), ("deal '#1' >&-", 0), ("verify - <&-", 1), ("legal - <&-", 1), ("2>&-", 2)],
)
def test_streams_that_nobody_holds(line: str, status: int, tmp_path: Path) -> None:
    """A closed stream, or one that nobody reads, is no reason for a traceback."""
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m samedeal {line}"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        check=False,
    )
    assert "Traceback" not in done.stderr
    assert done.returncode == status
