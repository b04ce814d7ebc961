"""The page's files, read once at the start: a path is looked up among them and never opened."""

from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath

from msgspec import json

from server.web.reply import Body

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


def read_assets(folder: Traversable | None = None) -> dict[str, Body]:
    """Return the files of the page, and the texts in all languages, by the path that they are asked for with."""
    found = {
        "/": folder or resources.files("client") / "web",
        "/locales/": resources.files("shared") / "locales",
    }
    return {
        path: Body.kept(content, KINDS[PurePosixPath(path).suffix]).pack()
        for place, files in found.items()
        for path, content in _files(files, place)
    }


def _files(folder: Traversable, above: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _files(entry, f"{above}{entry.name}/")
        else:
            yield above + entry.name, _lean(entry.name, entry.read_bytes())


def _lean(name: str, content: bytes) -> bytes:
    """Return JSON without the space that is in it for people: what goes over slow lines is read by programs."""
    return json.format(content, indent=-1) if name.endswith(".json") else content
