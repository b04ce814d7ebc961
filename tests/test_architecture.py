"""The shape of the code, read from its source: who imports whom, what is pure, how long things are."""

import ast
import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("client", "migrations", "server", "shared")

MAY_IMPORT = {
    "client": {"client", "shared"},
    "migrations": {"migrations"},
    "samedeal": {"client", "samedeal", "server", "shared"},
    "server": {"migrations", "server", "shared"},
    "shared": {"shared"},
}
"""Of our own packages, those that each may import."""

ORDER = (
    {"errors"},
    {"forms", "phase"},
    {"cards", "names", "protocol"},
    {"moves", "texts"},
    {"position"},
    {"deal"},
    {"rules"},
    {"games"},
    {"gamecode"},
    {"attempt"},
    {"layout", "notation", "pool", "record", "recordfile"},
)
"""The modules of shared/, lowest first: each imports lower ones only (and a package its own)."""

PURE = {
    "abc",
    "ast",
    "babel",
    "bisect",
    "collections",
    "dataclasses",
    "enum",
    "functools",
    "heapq",
    "itertools",
    "json",
    "math",
    "msgpack",
    "msgspec",
    "operator",
    "re",
    "shared",
    "string",
    "struct",
    "types",
    "typing",
    "unicodedata",
    "wcwidth",
    "zlib",
}
"""All that shared/ may import: nothing that knows the time, draws by chance or reaches outside the process."""

IMPURE_NAMES = {
    "__import__",
    "breakpoint",
    "compile",
    "eval",
    "exec",
    "exit",
    "globals",
    "hash",
    "id",
    "input",
    "locals",
    "open",
    "print",
    "quit",
}
"""Built-ins that reach outside, or whose answer differs from one run to the next."""

LONGEST_MODULE, LONGEST_FUNCTION = 400, 50

DEPENDENCIES = {
    re.split("[^a-z0-9_]", requirement.lower())[0]
    for requirement in tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
}
"""What pip installs with us; each is imported by its own name."""

Check = Callable[[str, str], Iterator[str]]
"""Takes a module's dotted name and its source; yields what is wrong with it."""


def module_name(path: Path) -> str:
    """Return the dotted name under which *path* is imported."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {
    module_name(path): path.read_text(encoding="utf-8")
    for path in sorted([ROOT / "samedeal.py", *(path for name in PACKAGES for path in (ROOT / name).rglob("*.py"))])
}


def imports(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the dotted name of everything that *source* imports, wherever it does so."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = "." * node.level + (node.module or "")
            yield from ((node.lineno, f"{start}.{alias.name}") for alias in node.names)


def crossings(module: str, source: str) -> Iterator[str]:
    """Yield the imports that go against server → shared ← client."""
    side = module.partition(".")[0]
    for line, name in imports(source):
        package = name.partition(".")[0]
        if not package or (package in MAY_IMPORT and package not in MAY_IMPORT[side]):
            yield f"line {line}: {side} imports {name}"


def height(name: str) -> int:
    """Return how high a dotted name of shared/ stands in ORDER; shared itself lies under all."""
    _, part, *_ = f"{name}..".split(".")
    if not part:
        return -1
    return next(height for height, names in enumerate(ORDER) if part in names)


def climbs(module: str, source: str) -> Iterator[str]:
    """Yield the imports inside shared/ that go up or sideways in ORDER."""
    if module.partition(".")[0] != "shared":
        return
    package = ".".join(module.split(".")[:2])
    for line, name in imports(source):
        own = name.startswith(f"{package}.")
        if name.startswith("shared.") and not own and height(name) >= height(module):
            yield f"line {line}: {module} imports {name}"


def impurities(module: str, source: str) -> Iterator[str]:
    """Yield what in a module of shared/ could answer differently tomorrow, or touch the world."""
    if module.partition(".")[0] != "shared":
        return
    for line, name in imports(source):
        if name.partition(".")[0] not in PURE:
            yield f"line {line}: imports {name}"
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in IMPURE_NAMES:
            yield f"line {node.lineno}: uses {node.id}"
        elif isinstance(node, ast.Global):
            yield f"line {node.lineno}: changes {', '.join(node.names)} of the module"


def excesses(module: str, source: str) -> Iterator[str]:
    """Yield what is longer than anyone should have to read at once."""
    lines = len(source.splitlines())
    if lines > LONGEST_MODULE:
        yield f"{module} has {lines} lines"
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > LONGEST_FUNCTION:
                yield f"line {node.lineno}: {node.name} has {length} lines"


def strays(module: str, source: str) -> Iterator[str]:
    """Yield the imports that neither Python, nor we, nor a declared dependency provide, even late ones."""
    for line, name in imports(source):
        package = name.partition(".")[0]
        if package not in sys.stdlib_module_names | MAY_IMPORT.keys() | DEPENDENCIES:
            yield f"line {line}: {module} imports {name}"


CHECKS = (crossings, climbs, impurities, excesses, strays)


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("module", MODULES)
def test_module_keeps_to_the_architecture(module: str, check: Check) -> None:
    """Every module imports, computes and ends where it should."""
    assert list(check(module, MODULES[module])) == []


def test_modules_are_found() -> None:
    """The console script and every package have been read: the test above does not pass on nothing."""
    assert {name.partition(".")[0] for name in MODULES} == {*PACKAGES, "samedeal"}
    assert {"shared.errors", "shared.games.freecell", "shared.protocol"} <= set(MODULES)


@pytest.mark.parametrize("part", sorted({name.split(".")[1] for name in MODULES if name.startswith("shared.")}))
def test_part_of_shared_has_one_place(part: str) -> None:
    """Each module and package of shared/ stands exactly once in the order."""
    assert sum(part in names for names in ORDER) == 1


OFFENCES = [
    (crossings, "server.room", "from client.view import View", "line 1: server imports client.view.View"),
    (crossings, "client.view", "import server", "line 1: client imports server"),
    (crossings, "client.view", "def late():\n    import server.room", "line 2: client imports server.room"),
    (crossings, "shared.cards", "from server import race", "line 1: shared imports server.race"),
    (crossings, "shared.record", "import client.view as view", "line 1: shared imports client.view"),
    (crossings, "server.app", "import samedeal", "line 1: server imports samedeal"),
    (crossings, "migrations.env", "from shared import cards", "line 1: migrations imports shared.cards"),
    (crossings, "server.room", "from . import race", "line 1: server imports ..race"),
    (climbs, "shared.cards", "from shared.rules import Rules", "line 1: shared.cards imports shared.rules.Rules"),
    (climbs, "shared.notation", "from shared import record", "line 1: shared.notation imports shared.record"),
    (climbs, "shared.rules", "import shared.games.freecell", "line 1: shared.rules imports shared.games.freecell"),
    (climbs, "shared.games.freecell", "import shared.attempt", "line 1: shared.games.freecell imports shared.attempt"),
    (climbs, "shared.protocol.codec", "import shared.cards", "line 1: shared.protocol.codec imports shared.cards"),
    (
        climbs,
        "shared.errors",
        "if TYPE_CHECKING:\n    import shared.cards",
        "line 2: shared.errors imports shared.cards",
    ),
    *(
        (impurities, "shared.deal", source, f"line 1: imports {name}")
        for source, name in [
            ("import os", "os"),
            ("import sys", "sys"),
            ("import time", "time"),
            ("from time import monotonic", "time.monotonic"),
            ("import random", "random"),
            ("import secrets", "secrets"),
            ("from datetime import datetime", "datetime.datetime"),
            ("import io", "io"),
            ("from pathlib import Path", "pathlib.Path"),
            ("import asyncio", "asyncio"),
            ("import socket", "socket"),
            ("import sqlite3", "sqlite3"),
            ("from importlib import resources", "importlib.resources"),
            ("import logging", "logging"),
            ("import threading", "threading"),
            ("import websockets", "websockets"),
        ]
    ),
    (impurities, "shared.deal", "pack = open('pack').read()", "line 1: uses open"),
    (impurities, "shared.deal", "\nprint(1)", "line 2: uses print"),
    (impurities, "shared.deal", "name = input()", "line 1: uses input"),
    (impurities, "shared.deal", "pack.sort(key=hash)", "line 1: uses hash"),
    (impurities, "shared.deal", "seen = {id(card)}", "line 1: uses id"),
    (impurities, "shared.deal", "draw = __import__('random').shuffle", "line 1: uses __import__"),
    (impurities, "shared.deal", "def f():\n    global dealt", "line 2: changes dealt of the module"),
    (excesses, "server.room", "\n" * 401, "server.room has 401 lines"),
    (excesses, "server.room", "def f():" + "\n    pass" * 50, "line 1: f has 51 lines"),
    (strays, "server.room", "def f():\n    import numpy", "line 2: server.room imports numpy"),
    (strays, "samedeal", "from hypothesis import given", "line 1: samedeal imports hypothesis.given"),
    (excesses, "client.view", "class A:\n    async def f(self):" + "\n        pass" * 50, "line 2: f has 51 lines"),
]


@pytest.mark.parametrize(("check", "module", "source", "complaint"), OFFENCES)
def test_offence_is_found(check: Check, module: str, source: str, complaint: str) -> None:
    """Each check finds what it is there for, and says where."""
    assert list(check(module, source)) == [complaint]


INNOCENTS = [
    (crossings, "server.room", "import asyncio\nfrom shared.cards import Card\nfrom server import race"),
    (crossings, "client.view", "from shared import cards\nimport client.connection"),
    (crossings, "samedeal", "import server.cli\nimport client.cli"),
    (climbs, "shared.rules", "from shared.cards import Card\nimport shared.deal"),
    (climbs, "shared.games", "from shared.games.freecell import FreeCell"),
    (climbs, "shared.protocol.codec", "from shared.errors import Reason\nfrom shared.protocol import messages"),
    (climbs, "server.room", "import shared.record"),
    (impurities, "shared.protocol.messages", "class Play:\n    id: int\n\nplay = Play()\nprint_id = play.id"),
    (impurities, "shared.cards", "from collections.abc import Iterable\nimport msgspec"),
    (impurities, "server.clock", "import time\nprint(time.monotonic())"),
    (strays, "server.app", "import asyncio\nimport sqlalchemy.ext.asyncio\nfrom server import room"),
    (excesses, "server.room", "\n" * 400),
    (excesses, "server.room", "def f():" + "\n    pass" * 49),
]


@pytest.mark.parametrize(("check", "module", "source"), INNOCENTS)
def test_innocent_source_passes(check: Check, module: str, source: str) -> None:
    """The checks let through what is allowed."""
    assert list(check(module, source)) == []
