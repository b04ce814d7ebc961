"""What an answer to a GET request is made of. Nothing in its head comes from the request."""

import asyncio
import gzip
import re
from collections.abc import Mapping
from email.utils import formatdate
from hashlib import sha256
from http import HTTPStatus

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from server import metrics

SECURITY = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; worker-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",  # the link of a room is all that it takes to get in
    "X-Content-Type-Options": "nosniff",
}
"""What every answer says."""


PACKED_SHARE = 0.9
"""What packing makes no smaller than this is sent as it is."""

WORTH_PACKING = 4_096
"""From so many bytes on an answer that is made for one request is packed."""

_GZIP = re.compile(r"(?:^|,)\s*gzip\s*(?:,|$|;\s*q=(?!0(?:\.0*)?\s*(?:,|$)))", re.IGNORECASE)


class Body(Struct, frozen=True):
    """What is sent, and how long it holds."""

    content: bytes
    kind: str
    """Its media type."""
    tag: str | None = None
    """Its ETag: whoever has kept it asks whether it is still the same. None: it is not to be kept."""
    packed: bytes | None = None
    """The content as gzip, where that is worth it."""

    @classmethod
    def kept(cls, content: bytes, kind: str) -> "Body":
        """Return what may be kept."""
        return cls(content, kind, f'W/"{sha256(content).hexdigest()[:32]}"')

    def pack(self, level: int = 9) -> "Body":
        """Return the same with its content packed, unless it would hardly be smaller."""
        packed = gzip.compress(self.content, level, mtime=0)
        return replace(self, packed=packed) if len(packed) < PACKED_SHARE * len(self.content) else self

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
    if body.packed:
        headers["Vary"] = "Accept-Encoding"
    if body.tag and any(body.tag[2:] in each for each in request.headers.get_all("If-None-Match")):
        return _made(HTTPStatus.NOT_MODIFIED, headers, b"")
    content = body.content
    if body.packed and takes_gzip(request):
        headers["Content-Encoding"], content = "gzip", body.packed
    headers["Content-Length"] = str(len(content))
    return _made(status, headers, b"" if request.method == "HEAD" else content)


async def packed_for(request: Request, body: Body) -> Body:
    """Return *body*, packed where it is large and the client takes that: quickly, in a thread, so that races go on."""
    if len(body.content) < WORTH_PACKING or not takes_gzip(request):
        return body
    return await asyncio.to_thread(body.pack, 1)


def takes_gzip(request: Request) -> bool:
    """Return whether the client takes gzip: it names it, and does not rule it out by a weight of 0."""
    return bool(_GZIP.search(",".join(request.headers.get_all("Accept-Encoding"))))


def _made(status: HTTPStatus, headers: Headers, content: bytes) -> Response:
    metrics.REQUESTS.labels(status.value).inc()
    return Response(status.value, status.phrase, headers, content)
