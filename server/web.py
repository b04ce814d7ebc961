"""What is asked by GET: pages and their files, `/healthz`, `/metrics`, `/api` (DESIGN.md section 7).

Files are read once, at the start: a path is looked up among them and never opened.
"""

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from html import escape
from http import HTTPStatus
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath
from urllib.parse import unquote

from websockets.datastructures import MultipleValuesError
from websockets.http11 import Request, Response

from server import metrics
from server.api import Api
from server.log import StorageError
from server.phase import Phase
from server.reply import Body, response
from shared.errors import CodeError, Reason, Refusal, SameDealError
from shared.gamecode import GameCode
from shared.texts import Texts

LOGGER = logging.getLogger(__name__)

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

METRICS = "text/plain; version=0.0.4; charset=utf-8"

TITLES = {"r": "Room", "race": "Race", "deal": "Deal", "replay": "Replay", "player": "Player"}
"""The pages of one thing each, by the first part of their path."""

_PAGE = re.compile("/([a-z]+)/([^/]{1,100})")
_PART = re.compile("[A-Za-z0-9-]{1,64}")

STATUSES = {
    Reason.BAD_HOST: HTTPStatus.FORBIDDEN,
    Reason.BAD_METHOD: HTTPStatus.METHOD_NOT_ALLOWED,
    Reason.BAD_ORIGIN: HTTPStatus.FORBIDDEN,
    Reason.BAD_TOKEN: HTTPStatus.UNAUTHORIZED,
    Reason.NOT_FOUND: HTTPStatus.NOT_FOUND,
    Reason.NOT_OPEN: HTTPStatus.FORBIDDEN,
    Reason.SEALED: HTTPStatus.FORBIDDEN,
    Reason.TOO_MANY_CONNECTIONS: HTTPStatus.TOO_MANY_REQUESTS,
    Reason.TOO_MANY_REQUESTS: HTTPStatus.TOO_MANY_REQUESTS,
}
"""The status of each reason; any other is a bad request."""

MORE = {
    HTTPStatus.METHOD_NOT_ALLOWED: {"Allow": "GET, HEAD"},
    HTTPStatus.TOO_MANY_REQUESTS: {"Retry-After": "10"},
    HTTPStatus.UNAUTHORIZED: {"WWW-Authenticate": "Bearer"},
}
"""What else an answer of such a status has to say."""


def read_assets(folder: Traversable | None = None) -> dict[str, Body]:
    """Return the files of the page, by the path that they are asked for with."""
    folder = folder or resources.files("client") / "web"
    return {f"/{path}": Body.kept(content, KINDS[PurePosixPath(path).suffix]) for path, content in _files(folder, "")}


def _files(folder: Traversable, above: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _files(entry, f"{above}{entry.name}/")
        else:
            yield above + entry.name, entry.read_bytes()


class Web:
    """Answers requests that are for no WebSocket."""

    def __init__(
        self, assets: Mapping[str, Body], texts: Texts, api: Api, phases: Callable[[], Iterable[Phase]]
    ) -> None:
        self._assets = dict(assets)
        self._index = self._assets.pop("/index.html").content.decode()
        self._assets["/"] = self._page("Same Deal")
        self._texts = texts
        self._api = api
        self._phases = phases

    async def answer(self, request: Request) -> Response:
        """Return the answer to a request. Whatever goes wrong in here costs that request alone."""
        try:
            return response(request, HTTPStatus.OK, await self._find(request))
        except SameDealError as error:
            return self.refuse(request, error)
        except Exception:
            LOGGER.exception("no answer to a request for %s", request.path.partition("?")[0])
            return response(request, HTTPStatus.INTERNAL_SERVER_ERROR, Body.text("Something went wrong here."))

    async def _find(self, request: Request) -> Body:
        if request.method not in ("GET", "HEAD"):
            raise Refusal(Reason.BAD_METHOD, method=request.method[:16])
        path, _, query = request.path.partition("?")
        if path.startswith("/api/"):
            return Body.json(await self._api.answer(path, query, token_of(request)))
        if path == "/healthz":
            return Body.json(await self._api.health())
        if path == "/metrics":
            return Body(metrics.exposition(self._phases()), METRICS)
        return self._assets.get(path) or self._page_of(path)

    def _page_of(self, path: str) -> Body:
        """Return the page of one room, race, deal, replay or player; raise Refusal where there is none such."""
        found = _PAGE.fullmatch(path)
        if not found or found[1] not in TITLES:
            raise Refusal(Reason.NOT_FOUND)
        name = unquote(found[2])
        try:
            name = str(GameCode.parse(name)) if found[1] == "deal" else name
        except CodeError:
            raise Refusal(Reason.NOT_FOUND) from None
        if not _PART.fullmatch(name):
            raise Refusal(Reason.NOT_FOUND)
        return self._page(f"{TITLES[found[1]]} {name} · Same Deal")

    def _page(self, title: str) -> Body:
        return Body.kept(self._index.replace("{{title}}", escape(title)).encode(), KINDS[".html"])

    def refuse(self, request: Request, error: SameDealError) -> Response:
        """Return why not: to programs the reason code and its parameters, to people a sentence.

        What a database says is for the log alone.
        """
        metrics.REFUSALS.labels(error.reason).inc()
        status = STATUSES.get(error.reason, HTTPStatus.BAD_REQUEST)
        if isinstance(error, StorageError):
            LOGGER.error("no answer to a request: %s", error)
            error, status = Refusal(Reason.BUSY), HTTPStatus.SERVICE_UNAVAILABLE
        if request.path.startswith("/api/"):
            rule = {"rule": error.rule} if error.rule else {}
            body = Body.json({"reason": error.reason, **rule, "params": error.params})
        else:
            body = Body.text(self._texts.sentence(error))
        return response(request, status, body, MORE.get(status, {}))


def token_of(request: Request) -> str | None:
    """Return the player's secret that came with a request; raise Refusal for other credentials."""
    try:
        credentials = request.headers.get("Authorization")
    except MultipleValuesError:
        raise Refusal(Reason.BAD_TOKEN) from None
    if credentials is None:
        return None
    scheme, _, token = credentials.partition(" ")
    if scheme.lower() != "bearer":
        raise Refusal(Reason.BAD_TOKEN)
    return token.strip()
