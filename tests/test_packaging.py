"""The wheel, installed into an environment of its own, works from any directory; the sdist brings its tests."""

import json
import os
import subprocess
import sys
import tarfile
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest

from samedeal import COMMANDS, __version__
from tests.patience import GUARD_S

ROOT = Path(__file__).parents[1]
PACKAGES = ("client", "migrations", "server", "shared")
ALEMBICS_OWN = "migrations/env.py"
"""Runs only inside Alembic."""

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("packaging")]


def bare() -> dict[str, str]:
    """Return the environment without whatever could lead back to this checkout."""
    return {name: text for name, text in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}


def run(*command: str | Path, cwd: Path) -> str:
    """Run *command* in *cwd* as a newcomer would; return what it prints."""
    done = subprocess.run(command, cwd=cwd, env=bare(), capture_output=True, text=True, timeout=GUARD_S, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def built(kind: str, folder: Path) -> Path:
    """Build the `wheel` or the `sdist` from this checkout into *folder*; return its file."""
    run(sys.executable, "-m", "build", f"--{kind}", "--no-isolation", "--outdir", folder, ".", cwd=ROOT)
    (made,) = folder.iterdir()
    return made


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from this checkout."""
    return built("wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def scripts(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts of an environment that holds the wheel, what it asks for, and nothing else."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home)
    pip = (sys.executable, "-m", "pip", "--python", home, "--quiet", "--disable-pip-version-check")
    run(*pip, "install", "--no-compile", "--constraint", ROOT / "constraints.txt", wheel, cwd=home)
    return home / ("Scripts" if sys.platform == "win32" else "bin")


def test_wheel_holds_every_file_of_the_packages_and_no_test(wheel: Path) -> None:
    """Modules, migrations, locales, deals and pages are all inside; nothing else is."""
    files = [path for name in PACKAGES for path in (ROOT / name).rglob("*") if path.is_file()]
    sources = [path for path in files if path.parent.name != "__pycache__"]
    wanted = {path.relative_to(ROOT).as_posix() for path in sources} | {"samedeal.py"}

    held = {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}

    assert held == wanted


def test_installed_commands_run_from_elsewhere(scripts: Path, tmp_path: Path) -> None:
    """The console script answers in a directory that has never heard of this checkout."""
    assert run(scripts / "samedeal", "--version", cwd=tmp_path) == f"samedeal {__version__}\n"
    assert all(command in run(scripts / "samedeal", "--help", cwd=tmp_path) for command in COMMANDS)


def test_every_installed_module_loads(wheel: Path, scripts: Path, tmp_path: Path) -> None:
    """What the wheel asks for is all that its modules import, and they come from it, not from this checkout."""
    files = [name for name in ZipFile(wheel).namelist() if name.endswith(".py") and name != ALEMBICS_OWN]
    modules = [name.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for name in files]
    load = (
        f"from importlib import import_module as load; print(*(load(name).__file__ for name in {modules}), sep='\\n')"
    )

    places = run(scripts / "python", "-c", load, cwd=tmp_path).splitlines()

    assert len(places) == len(files)
    assert all(Path(place).is_relative_to(scripts.parent) for place in places)


def test_installed_deal_is_everyones(scripts: Path, tmp_path: Path) -> None:
    """FreeCell's deal 11982 begins with its well-known first row, wherever it is asked for."""
    deal = json.loads(run(scripts / "samedeal", "deal", "FC1-AAAALWO", "--json", cwd=tmp_path))

    assert [column[0] for column in deal["columns"]] == ["AH", "AS", "4H", "AC", "2D", "6S", "TS", "JS"]


def test_installed_server_starts_and_stops(scripts: Path, tmp_path: Path) -> None:
    """The server finds its migrations and deals in the wheel, says where it listens, and ends on SIGTERM."""
    command = (scripts / "samedeal", "serve", "--port", "0", "--database", "races.sqlite")
    with subprocess.Popen(command, cwd=tmp_path, env=bare(), stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        first = server.stdout.readline()
        server.terminate()
        assert server.wait(timeout=20) == 0

    assert "http://127.0.0.1:" in first
    assert (tmp_path / "races.sqlite").exists()


def test_sdist_holds_what_its_tests_read(tmp_path: Path) -> None:
    """Those that read documents, sources and the project's own file pass in it, away from this checkout."""
    with tarfile.open(built("sdist", tmp_path)) as sdist:
        sdist.extractall(tmp_path, filter="data")
    (folder,) = (path for path in tmp_path.iterdir() if path.is_dir())
    reading = ("README.md", *(f"tests/test_{name}.py" for name in ("architecture", "citations", "design", "samedeal")))

    told = run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *reading, cwd=folder)

    assert " passed" in told
    assert {path.name for path in ROOT.iterdir() if path.suffix in (".md", ".txt")} <= {
        path.name for path in folder.iterdir()
    }
