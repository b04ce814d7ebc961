"""What an answer to a GET request is made of. Nothing in its head comes from the request."""

from collections.abc import Mapping
from email.utils import formatdate
from hashlib import sha256
from http import HTTPStatus

import msgspec
from msgspec import Struct
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from server import metrics

SECURITY = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; manifest-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",  # the link of a room is all that it takes to get in
    "X-Content-Type-Options": "nosniff",
}
"""What every answer says."""


class Body(Struct, frozen=True):
    """What is sent, and how long it holds."""

    content: bytes
    kind: str
    """Its media type."""
    tag: str | None = None
    """Its ETag: whoever has kept it asks whether it is still the same. None: it is not to be kept."""

    @classmethod
    def kept(cls, content: bytes, kind: str) -> "Body":
        """Return what may be kept."""
        return cls(content, kind, f'"{sha256(content).hexdigest()[:32]}"')

    @classmethod
    def json(cls, value: object) -> "Body":
        """Return *value* as JSON."""
        return cls(msgspec.json.encode(value), "application/json")

    @classmethod
    def text(cls, sentence: str) -> "Body":
        """Return a line for people."""
        return cls(f"{sentence}\n".encode(), "text/plain; charset=utf-8")


def response(request: Request, status: HTTPStatus, body: Body, more: Mapping[str, str] | None = None) -> Response:
    """Return what is sent: to HEAD all but the content, and to whoever has it already that it holds."""
    headers = Headers(
        {
            "Date": formatdate(usegmt=True),
            "Connection": "close",
            "Content-Type": body.kind,
            "Cache-Control": "no-cache" if body.tag else "no-store",
            **SECURITY,
            **(more or {}),
        }
    )
    if body.tag:
        headers["ETag"] = body.tag
    if body.tag and any(body.tag in each for each in request.headers.get_all("If-None-Match")):
        return _made(HTTPStatus.NOT_MODIFIED, headers, b"")
    headers["Content-Length"] = str(len(body.content))
    return _made(status, headers, b"" if request.method == "HEAD" else body.content)


def _made(status: HTTPStatus, headers: Headers, content: bytes) -> Response:
    metrics.REQUESTS.labels(status.value).inc()
    return Response(status.value, status.phrase, headers, content)
