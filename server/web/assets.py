"""The page's files, read or made once at the start: a path is looked up among them and never opened."""

import re
from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath

from msgspec import json

from server.web.constants import constants
from server.web.reply import Body
from shared.games import RULES

KINDS = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/vnd.microsoft.icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
"""What a file of the page is, by its ending."""


LATER = {
    "look": ("boards", "chart", "deal", "lookup", "player", "replay", "results"),
    "refusal": ("param", "refusal"),
    "sheets": ("help", "host", "settings"),
}
"""Groups of texts that the page asks for when it needs them: `/locales/look/en.json` is for what looks back."""

UNSENT = ("terminal",)
"""Groups of texts that only commands say."""

CONSTANTS = "/protocol.js"
"""The module that is made of what is declared, and lies in no file."""

_LANGUAGE = re.compile(r"/locales/(\w+\.json)")


def read_assets(folder: Traversable | None = None) -> dict[str, Body]:
    """Return the files of the page, and the texts in all languages, by the path that they are asked for with."""
    found = {
        "/": folder or resources.files("client") / "web",
        "/locales/": resources.files("shared") / "locales",
    }
    contents = {
        path: content
        for place, files in found.items()
        for each, whole in _files(files, place)
        for path, content in _parts(each, whole)
    }
    contents[CONSTANTS] = constants(RULES.values()).encode()
    return {path: Body.kept(content, KINDS[PurePosixPath(path).suffix]).pack() for path, content in contents.items()}


def _files(folder: Traversable, above: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _files(entry, f"{above}{entry.name}/")
        else:
            yield above + entry.name, entry.read_bytes()


def _parts(path: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the texts of a language in parts, so that a page need not wait for those of others; other files whole."""
    language = _LANGUAGE.fullmatch(path)
    if not language:
        yield path, _lean(path, content)
        return
    groups: dict[str, dict[str, str]] = json.decode(content)
    apart = {name for part in LATER.values() for name in part} | {*UNSENT}
    yield path, json.encode({name: texts for name, texts in groups.items() if name not in apart})
    for part, names in LATER.items():
        yield f"/locales/{part}/{language[1]}", json.encode({name: groups[name] for name in names})


def _lean(path: str, content: bytes) -> bytes:
    """Return JSON without the space that is in it for people: what goes over slow lines is read by programs."""
    return json.format(content, indent=-1) if path.endswith(".json") else content
