"""The commands that look after a database, as an operator runs them."""

import asyncio
import gzip
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from samedeal import main
from server.storage.database import Ownership
from tests.server.storage.test_imports import record
from tests.server.storing import alter, opened_store, people, query

Printed = pytest.CaptureFixture[str]


@pytest.fixture
def peopled(database: Path) -> Path:
    """A database with two players."""

    async def make() -> None:
        async with opened_store(database) as store:
            await people(store)

    asyncio.run(make())
    return database


def ran(printed: Printed, *arguments: str | Path) -> tuple[int, str, str]:
    """Run a command; return exit status, what it printed and what it complained of."""
    status = main([str(argument) for argument in arguments])
    said = printed.readouterr()
    return status, said.out, said.err


def scalar(path: Path, statement: str) -> object:
    """Return the one value that *statement* selects."""
    ((value,),) = query(path, statement)
    return value


def test_backup_and_restore_by_the_same_command(peopled: Path, tmp_path: Path, capsys: Printed) -> None:
    """While a server owns the database it is copied; when none does the copy is copied back."""
    copy = tmp_path / "copy.db"
    owner = Ownership(peopled)
    assert ran(capsys, "backup", "--database", peopled, copy) == (0, f"{peopled} is copied to {copy}.\n", "")
    alter(peopled, "DELETE FROM players")

    status, _, complaint = ran(capsys, "backup", "--database", copy, peopled)
    assert (status, complaint.startswith("samedeal: Another server uses the database")) == (1, True)
    owner.release()

    assert ran(capsys, "backup", "--database", copy, peopled)[0] == 0
    assert scalar(peopled, "SELECT count(*) FROM players") == 2


def test_backup_of_nothing_is_refused_in_one_sentence(tmp_path: Path, capsys: Printed) -> None:
    """A database that is not there is not made."""
    status, out, complaint = ran(capsys, "backup", "--database", tmp_path / "no.db", tmp_path / "copy.db")

    assert (status, out, complaint.count("\n")) == (1, "", 1)
    assert list(tmp_path.iterdir()) == []


def test_import_tells_what_became_of_each_record(database: Path, tmp_path: Path, capsys: Printed) -> None:
    """Of a gzipped file those that hold are stored and named, the others refused by line; next time all are known."""
    file = tmp_path / "records.jsonl.gz"
    file.write_bytes(gzip.compress(f"{record('One')}\n\nnonsense\n{record('Two')}\n".encode()))

    status, out, complaint = ran(capsys, "import", "--database", database, file)

    assert status == 1
    new, *stored = out.splitlines()[:-1]
    ids = [line.removeprefix(f"{file}:").partition(": ")[::2] for line in stored]
    assert new == f"{database} is a new database."
    assert [line for line, _ in ids] == ["1", "4"]
    assert out.splitlines()[-1] == "2 imported, 0 there already, 1 refused."
    assert complaint.startswith(f"{file}:3: refused: ")
    assert scalar(database, "SELECT count(*) FROM attempts WHERE imported") == 2

    file.write_bytes(f"{record('One')}".encode())
    assert ran(capsys, "import", "--database", database, file) == (
        0,
        f"{file}:1: {ids[0][1]} (there already)\n0 imported, 1 there already, 0 refused.\n",
        "",
    )
    assert ran(capsys, "export", "--database", database, ids[0][1])[0] == 0


def test_import_of_no_file_makes_no_database(database: Path, tmp_path: Path, capsys: Printed) -> None:
    """A name that is wrong is told before anything is touched."""
    status, _, complaint = ran(capsys, "import", "--database", database, tmp_path / "nothing.jsonl")

    assert (status, complaint) == (
        1,
        f"samedeal: {tmp_path / 'nothing.jsonl'}: The file can't be read: No such file or directory.\n",
    )
    assert list(tmp_path.iterdir()) == []


def test_import_reads_standard_input(database: Path, monkeypatch: pytest.MonkeyPatch, capsys: Printed) -> None:
    """With - for the file; one that is cut short is named so too, after what came before."""
    packed = gzip.compress(f"{record('One')}\n{record('Two')}\n".encode())
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(packed)))
    status, out, complaint = ran(capsys, "import", "--database", database, "-")
    assert (status, out.splitlines()[-1], complaint) == (0, "2 imported, 0 there already, 0 refused.", "")

    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(packed[:-4])))
    status, out, complaint = ran(capsys, "import", "--database", database, "-")
    assert (status, out.count("(there already)")) == (1, 2)
    assert complaint.startswith("samedeal: -: The gzip file is cut short")
    assert complaint.count("\n") == 1


def test_rebuild_checks_and_mends(database: Path, tmp_path: Path, capsys: Printed) -> None:
    """With --check what differs is told with status 1 and left; without, it is put right; then all is well."""
    file = tmp_path / "record.json"
    file.write_text(str(record()))
    ran(capsys, "import", "--database", database, file)
    right = scalar(database, "SELECT score FROM attempts")
    alter(database, "UPDATE attempts SET score = 1")
    wrong = f"score 1, should be {right}"

    status, out, _ = ran(capsys, "rebuild", "--check", "--database", database)
    assert (status, wrong in out) == (1, True)
    assert out.endswith("1 attempt and 0 lines of leaderboards compared, 1 wrong.\n")
    assert scalar(database, "SELECT score FROM attempts") == 1

    status, out, _ = ran(capsys, "rebuild", "--database", database)
    assert (status, wrong in out) == (0, True)
    assert scalar(database, "SELECT score FROM attempts") == right
    assert ran(capsys, "rebuild", "--check", "--database", database)[:2] == (
        0,
        "1 attempt and 0 lines of leaderboards compared, 0 wrong.\n",
    )


def test_rebuild_names_what_proves_nothing(database: Path, tmp_path: Path, capsys: Printed) -> None:
    """An attempt whose record is damaged is told, with status 1, also when all else was put right."""
    file = tmp_path / "record.json"
    file.write_text(str(record()))
    ran(capsys, "import", "--database", database, file)
    alter(database, "UPDATE attempts SET record = x'00'")

    status, out, _ = ran(capsys, "rebuild", "--database", database)

    assert (status, ": left as it is: " in out) == (1, True)


def test_rebuild_of_nothing_makes_no_database(database: Path, capsys: Printed) -> None:
    """A database that is not there is not made."""
    status, _, complaint = ran(capsys, "rebuild", "--database", database)

    assert (status, complaint.count("\n")) == (1, 1)
    assert list(database.parent.iterdir()) == []


@pytest.mark.parametrize("command", ["rebuild", "import"])
def test_held_database_is_left_alone(peopled: Path, tmp_path: Path, capsys: Printed, command: str) -> None:
    """While a server runs neither command touches its database."""
    file = tmp_path / "record.json"
    file.write_text(str(record()))
    owner = Ownership(peopled)

    status, _, complaint = ran(capsys, command, "--database", peopled, *([file] if command == "import" else []))

    owner.release()
    assert (status, complaint.startswith("samedeal: Another server uses the database")) == (1, True)
