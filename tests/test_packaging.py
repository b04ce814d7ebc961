"""The wheel, installed into an environment of its own, works from any directory."""

import os
import subprocess
import sys
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest

from samedeal import COMMANDS, __version__

ROOT = Path(__file__).parents[1]
PACKAGES = ("client", "migrations", "server", "shared")

pytestmark = pytest.mark.xdist_group("packaging")


def run(*command: str | Path, cwd: Path) -> str:
    """Run *command* in *cwd* as a newcomer would, without our paths; return what it prints."""
    bare = {name: text for name, text in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run(command, cwd=cwd, env=bare, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from this checkout."""
    made = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", made, ".", cwd=ROOT)
    (wheel,) = made.glob("*.whl")
    return wheel


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
    wanted = {path.relative_to(ROOT).as_posix() for path in files if path.suffix != ".pyc"} | {"samedeal.py"}

    held = {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}

    assert held == wanted


def test_installed_commands_run_from_elsewhere(scripts: Path, tmp_path: Path) -> None:
    """The console script answers in a directory that has never heard of this checkout."""
    assert run(scripts / "samedeal", "--version", cwd=tmp_path) == f"samedeal {__version__}\n"
    assert all(command in run(scripts / "samedeal", "--help", cwd=tmp_path) for command in COMMANDS)


def test_installed_packages_come_from_the_wheel(scripts: Path, tmp_path: Path) -> None:
    """What the installed script imports lies in its own environment, not in this checkout."""
    modules = ", ".join((*PACKAGES, "samedeal"))
    asked = f"import {modules}; print(*(module.__file__ for module in ({modules})), sep='\\n')"

    places = run(scripts / "python", "-c", asked, cwd=tmp_path).splitlines()

    assert all(Path(place).is_relative_to(scripts.parent) for place in places)
