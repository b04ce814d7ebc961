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

ORDER = {
    "shared": (
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
    ),
    "server": (
        {"clock", "config", "identity", "log", "metrics"},
        {"race"},
        {"storage"},
        {"rooms"},
        {"web"},
        {"app"},
        {"commands"},
    ),
}
"""The modules and packages of each, lowest first: they import lower ones only (and a package its own modules)."""

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

RACE_MAY_IMPORT = PURE | {"__future__", "server"}
"""All that server/race/ may import; of server/ itself, what its place in ORDER allows."""

DATABASE_SIDE = ("migrations", "server.storage")
"""Who knows SQLAlchemy, and the steps and tables that it makes."""

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
    """Return how high a dotted name of shared/ or server/ stands in ORDER; shared and server lie under all."""
    side, part, *_ = f"{name}..".split(".")
    if not part:
        return -1
    return next(height for height, names in enumerate(ORDER[side]) if part in names)


def climbs(module: str, source: str) -> Iterator[str]:
    """Yield the imports inside shared/, and those inside server/, that go up or sideways in ORDER."""
    side = module.partition(".")[0]
    if side not in ORDER:
        return
    package = ".".join(module.split(".")[:2])
    for line, name in imports(source):
        own = name.startswith(f"{package}.")
        if name.startswith(f"{side}.") and not own and height(name) >= height(module):
            yield f"line {line}: {module} imports {name}"


def is_in(module: str, *packages: str) -> bool:
    """Return whether *module* is one of *packages*, or a part of one."""
    return f"{module}.".startswith(tuple(f"{package}." for package in packages))


def leaks(module: str, source: str) -> Iterator[str]:
    """Yield the imports of what only the storage and the steps of the schema may know."""
    if is_in(module, *DATABASE_SIDE):
        return
    for line, name in imports(source):
        if is_in(name, "aiosqlite", "alembic", "migrations", "sqlalchemy", "sqlite3"):
            yield f"line {line}: {module} imports {name}"


def impurities(module: str, source: str) -> Iterator[str]:
    """Yield what in a module of shared/ or server/race/ could answer differently tomorrow, or touch the world."""
    if not is_in(module, "shared", "server.race"):
        return
    allowed = PURE if is_in(module, "shared") else RACE_MAY_IMPORT
    for line, name in imports(source):
        if name.partition(".")[0] not in allowed:
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


CHECKS = (crossings, climbs, leaks, impurities, excesses, strays)


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("module", MODULES)
def test_module_keeps_to_the_architecture(module: str, check: Check) -> None:
    """Every module imports, computes and ends where it should."""
    assert list(check(module, MODULES[module])) == []


def test_modules_are_found() -> None:
    """The console script and every package have been read: the test above does not pass on nothing."""
    assert {name.partition(".")[0] for name in MODULES} == {*PACKAGES, "samedeal"}
    assert {"shared.errors", "shared.games.freecell", "shared.protocol"} <= set(MODULES)
    assert {"server.app", "server.race.race", "server.storage.store"} <= set(MODULES)


@pytest.mark.parametrize("side", ORDER)
def test_part_has_one_place(side: str) -> None:
    """Each module and package of shared/, and of server/, stands exactly once in the order, and nothing else does."""
    parts = {name.split(".")[1] for name in MODULES if name.startswith(f"{side}.")}
    assert sorted(part for names in ORDER[side] for part in names) == sorted(parts)


OFFENCES = [
    (crossings, "server.rooms.room", "from client.view import View", "line 1: server imports client.view.View"),
    (crossings, "client.view", "import server", "line 1: client imports server"),
    (crossings, "client.view", "def late():\n    import server.rooms.room", "line 2: client imports server.rooms.room"),
    (crossings, "shared.cards", "from server import race", "line 1: shared imports server.race"),
    (crossings, "shared.record", "import client.view as view", "line 1: shared imports client.view"),
    (crossings, "server.app", "import samedeal", "line 1: server imports samedeal"),
    (crossings, "migrations.env", "from shared import cards", "line 1: migrations imports shared.cards"),
    (crossings, "server.rooms.room", "from . import race", "line 1: server imports ..race"),
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
    (climbs, "server.race.run", "import server.storage", "line 1: server.race.run imports server.storage"),
    (climbs, "server.clock", "from server import config", "line 1: server.clock imports server.config"),
    (climbs, "server.web.web", "from server import app", "line 1: server.web.web imports server.app"),
    (
        climbs,
        "server.storage.store",
        "from server.rooms.room import Room",
        "line 1: server.storage.store imports server.rooms.room.Room",
    ),
    (
        climbs,
        "server.app",
        "def late():\n    from server.commands import cli",
        "line 2: server.app imports server.commands.cli",
    ),
    *(
        (leaks, module, f"import {name}", f"line 1: {module} imports {name}")
        for module in ("server.rooms.room", "server.app", "server.storages", "samedeal")
        for name in ("sqlalchemy", "sqlalchemy.exc", "aiosqlite", "sqlite3", "alembic", "migrations.schema")
    ),
    (leaks, "server.web.api", "from migrations import schema", "line 1: server.web.api imports migrations.schema"),
    *(
        (impurities, "server.race.race", f"import {name}", f"line 1: imports {name}")
        for name in ("asyncio", "sqlalchemy", "websockets", "time", "secrets", "os", "random", "datetime", "logging")
    ),
    (impurities, "server.race", "print(1)", "line 1: uses print"),
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
    (excesses, "server.rooms.room", "\n" * 401, "server.rooms.room has 401 lines"),
    (excesses, "server.rooms.room", "def f():" + "\n    pass" * 50, "line 1: f has 51 lines"),
    (strays, "server.rooms.room", "def f():\n    import numpy", "line 2: server.rooms.room imports numpy"),
    (strays, "samedeal", "from hypothesis import given", "line 1: samedeal imports hypothesis.given"),
    (excesses, "client.view", "class A:\n    async def f(self):" + "\n        pass" * 50, "line 2: f has 51 lines"),
]


@pytest.mark.parametrize(("check", "module", "source", "complaint"), OFFENCES)
def test_offence_is_found(check: Check, module: str, source: str, complaint: str) -> None:
    """Each check finds what it is there for, and says where."""
    assert list(check(module, source)) == [complaint]


INNOCENTS = [
    (crossings, "server.rooms.room", "import asyncio\nfrom shared.cards import Card\nfrom server import race"),
    (crossings, "client.view", "from shared import cards\nimport client.connection"),
    (crossings, "samedeal", "import server.commands.cli\nimport client.cli"),
    (climbs, "shared.rules", "from shared.cards import Card\nimport shared.deal"),
    (climbs, "shared.games", "from shared.games.freecell import FreeCell"),
    (climbs, "shared.protocol.codec", "from shared.errors import Reason\nfrom shared.protocol import messages"),
    (climbs, "server.rooms.room", "import shared.record"),
    (impurities, "shared.protocol.messages", "class Play:\n    id: int\n\nplay = Play()\nprint_id = play.id"),
    (impurities, "shared.cards", "from collections.abc import Iterable\nimport msgspec"),
    (climbs, "server.race.race", "from server.race import people\nfrom server.log import Ended"),
    (climbs, "server.commands.cli", "from server.app import Server\nimport server.web.constants"),
    (climbs, "client.view", "import client.bot"),
    (leaks, "server.storage.reader", "import sqlalchemy\nfrom migrations import schema"),
    (leaks, "migrations.steps", "import alembic.command"),
    (leaks, "server.rooms.room", "import server.storage.store"),
    (impurities, "server.race.race", "from __future__ import annotations\nfrom server.clock import utc_text"),
    (impurities, "server.clock", "import time\nprint(time.monotonic())"),
    (impurities, "server.races", "import time"),
    (strays, "server.app", "import asyncio\nimport sqlalchemy.ext.asyncio\nfrom server import rooms"),
    (excesses, "server.rooms.room", "\n" * 400),
    (excesses, "server.rooms.room", "def f():" + "\n    pass" * 49),
]


@pytest.mark.parametrize(("check", "module", "source"), INNOCENTS)
def test_innocent_source_passes(check: Check, module: str, source: str) -> None:
    """The checks let through what is allowed."""
    assert list(check(module, source)) == []
