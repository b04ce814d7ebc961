"""What is asked by GET: pages and their files, `/healthz`, `/metrics`, `/qr`, `/api` (DESIGN.md section 7)."""

import logging
import re
from collections.abc import Callable, Iterable, Mapping
from html import escape
from http import HTTPStatus
from typing import TypeAlias

from websockets.datastructures import MultipleValuesError
from websockets.http11 import Request, Response

from server import metrics
from server.log import StorageError
from server.web.api import Api
from server.web.assets import KINDS
from server.web.pages import Pages
from server.web.reply import Body, packed_for, response
from server.web.sharing import qr_picture
from shared.errors import Reason, Refusal, SameDealError
from shared.phase import Phase
from shared.texts import Texts

LOGGER = logging.getLogger(__name__)

Phases: TypeAlias = Callable[[], Iterable[Phase]]
"""Returns the phase of every race."""

METRICS = "text/plain; version=0.0.4; charset=utf-8"

ASTRAY = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Same Deal</title>
<p>{}</p>
<p><a href="/">Same Deal</a></p>
</html>
"""
"""The page in place of one that can't be shown."""

_PLACE = re.compile(r"\{\{(\w+)\}\}")
_QR = re.compile(r"/qr/(?P<room>[A-Za-z0-9-]{1,32})\.svg")

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


class Web:
    """Answers requests that are for no WebSocket."""

    def __init__(self, assets: Mapping[str, Body], texts: Texts, pages: Pages, api: Api, phases: Phases) -> None:
        self._assets = dict(assets)
        self._index = self._assets.pop("/index.html").content.decode()
        self._texts = texts
        self._pages = pages
        self._api = api
        self._phases = phases

    def keeps(self, path: str) -> bool:
        """Return whether *path* is a file's of the page: its answer is at hand and costs next to nothing."""
        return path in self._assets

    async def answer(self, request: Request, scheme: str) -> Response:
        """Return the answer to a request that came by *scheme*, http or https.

        Whatever goes wrong in here costs that request alone.
        """
        try:
            return response(request, HTTPStatus.OK, await self._find(request, scheme))
        except SameDealError as error:
            return self.refuse(request, error)
        except Exception:
            LOGGER.exception("no answer to a request for %s", request.path.partition("?")[0])
            return response(request, HTTPStatus.INTERNAL_SERVER_ERROR, Body.text("Something went wrong here."))

    async def _find(self, request: Request, scheme: str) -> Body:
        if request.method not in ("GET", "HEAD"):
            raise Refusal(Reason.BAD_METHOD, method=request.method[:16])
        path, _, query = request.path.partition("?")
        if path.startswith("/api/"):
            return await packed_for(request, Body.json(await self._api.answer(path, query, token_of(request))))
        if path == "/healthz":
            return Body.json(await self._api.health())
        if path == "/metrics":
            return Body(metrics.exposition(self._phases()), METRICS)
        qr = _QR.fullmatch(path)
        if qr:
            link = f"{scheme}://{request.headers['Host']}/r/{qr['room'].upper()}"
            return Body.kept(qr_picture(link), KINDS[".svg"])
        return self._assets.get(path) or await self._page(path)

    async def _page(self, path: str) -> Body:
        """Return the page at *path*, which is the same file everywhere but for its head; raise Refusal."""
        head = await self._pages.head(path)
        told = {"title": head.title, "description": head.description}
        page = _PLACE.sub(lambda found: escape(told[found[1]]), self._index)
        return Body.kept(page.encode(), KINDS[".html"])

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
            body = _told(request, self._texts.sentence(error))
        return response(request, status, body, MORE.get(status, {}))


def _told(request: Request, sentence: str) -> Body:
    """Return a sentence for people: to a browser that shows it as a page with the way to the front page."""
    if "text/html" not in ",".join(request.headers.get_all("Accept")):
        return Body.text(sentence)
    return Body(ASTRAY.format(escape(sentence)).encode(), KINDS[".html"])


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
