"""What is asked by GET, over real sockets: pages, files, refusals, and what every answer says."""

import asyncio
import gzip
import json
import logging
from collections.abc import AsyncIterator
from html.parser import HTMLParser
from itertools import product
from pathlib import Path

import pytest
import pytest_asyncio
from websockets.datastructures import Headers
from websockets.exceptions import InvalidStatus
from websockets.http11 import Request

from client.assets import solved_codes
from server.app import Server
from server.web.reply import WORTH_PACKING
from server.web.sharing import qr_picture
from shared.errors import Reason, Refusal
from tests.server.serving import ask, hello, parse, serving, socket, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Server]:
    """A server on which nothing has happened yet."""
    async with serving(tmp_path_factory.mktemp("web") / "race.db") as server:
        yield server


class Words(HTMLParser):
    """Collects the title, the elements and the links of a page."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.title = ""
        self.elements: list[str] = []
        self.links: list[str] = []
        self.attributes: set[str] = set()
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]

    def handle_data(self, data: str) -> None:
        if self.elements and self.elements[-1] == "title" and not self.title:
            self.title = data


async def test_front_page_leads_on(server: Server) -> None:
    """The page is there, names nothing that is not, and needs nothing that its own policy forbids."""
    page = await ask(server, "/")
    words = Words(page.body)
    assert (page.status, page.head["content-type"]) == (200, "text/html; charset=utf-8")
    assert words.title == "Same Deal"
    assert not words.attributes & {"style", "onclick", "onload"}
    assert "style" not in words.elements
    assert b"{{" not in page.body
    for link in words.links:
        if not link.startswith("#"):
            assert (await ask(server, link)).status == 200, link


async def test_every_answer_is_guarded(server: Server) -> None:
    """Pages, files, JSON and refusals alike say what a browser may do with them."""
    for path in ("/", "/page.css", "/api/rooms", "/api/nothing", "/nothing", "/healthz", "/metrics"):
        head = (await ask(server, path)).head
        policy = head["content-security-policy"]
        assert "default-src 'none'" in policy, path
        assert "unsafe" not in policy
        assert "data:" not in policy
        assert head["x-content-type-options"] == "nosniff"
        assert head["referrer-policy"] == "no-referrer"
        assert head["cache-control"] in ("no-cache", "no-store")
        assert "server" not in head


async def test_file_that_is_known_is_not_sent_again(server: Server) -> None:
    """By its ETag a file and a page are asked for again, and sent only where they have changed."""
    for path in ("/", "/page.css", "/r/GUGU"):
        first = await ask(server, path)
        again = await ask(server, path, if_none_match=f'"older", W/{first.head["etag"]}')
        assert (again.status, again.body) == (304, b"")
        assert "content-length" not in again.head
        assert again.head["etag"] == first.head["etag"]
        assert (await ask(server, path, if_none_match='"older"')).body == first.body
    assert (await ask(server, "/")).head["etag"] != (await ask(server, "/r/GUGU")).head["etag"]


async def test_head_gets_all_but_the_content(server: Server) -> None:
    """HEAD is answered as GET would be, length included."""
    for path in ("/", "/api/rooms", "/nothing"):
        full, head = await ask(server, path), await ask(server, path, method="HEAD")
        assert head.body == b""
        assert full.body
        assert (head.status, head.head["content-length"]) == (full.status, full.head["content-length"])


async def test_other_methods_are_refused(server: Server) -> None:
    """Nothing can be changed by a request."""
    asked = product(("/", "/api/rooms", "/ws"), ("POST", "PUT", "DELETE", "OPTIONS", "BREW"))
    for path, method in asked:
        refused = await ask(server, path, method=method)
        assert refused.status == 405
        assert "GET" in refused.head["allow"]


async def test_request_with_content_is_refused(server: Server) -> None:
    """What is sent with a request is not even read; the answer says what is amiss."""
    for length in (b"Content-Length: 100000000", b"Transfer-Encoding: chunked", b"Content-Length: -1"):
        for method, status in ((b"GET", 400), (b"HEAD", 400), (b"POST", 405), (b"BREW", 405)):
            request = method + b" /api/rooms HTTP/1.1\r\nHost: localhost\r\n" + length + b"\r\n\r\nxxxx"
            refused = parse(await talk(server, request))
            assert (refused.status, refused.head.get("allow")) == (status, "GET, HEAD" if status == 405 else None)
            assert refused.body


ELSEWHERE = (
    "/../pyproject.toml",
    "/page.css/../index.html",
    "/%2e%2e/samedeal.py",
    "//etc/passwd",
    "/index.html",
    "/r/",
    "/r/GUGU/more",
    "/r/%3Cscript%3Ealert(1)%3C%2Fscript%3E",
    "/r/a%0d%0aSet-Cookie:%20a=b",
    "/r/" + "x" * 65,
    "/r/%ff",
    "/deal/SS9",
    "/deal/%00",
    "/nothing/GUGU",
    "*",
    "http://localhost/",
)


async def test_there_is_nothing_elsewhere(server: Server) -> None:
    """Only what is listed is found; nothing of what was asked for comes back in the answer."""
    for path in ELSEWHERE:
        missing = await ask(server, path)
        assert missing.status == 404, path
        assert missing.body == b"There is nothing at this address: the way in is the front page.\n"
        assert "set-cookie" not in missing.head


async def test_a_browser_is_led_to_the_front_page(server: Server) -> None:
    """Where nothing is, whoever asks for a page gets one, with a link; nothing of what was asked for is in it."""
    for path in ELSEWHERE:
        missing = await ask(server, path, accept="text/html,application/xhtml+xml,*/*;q=0.8")
        assert (missing.status, missing.head["content-type"]) == (404, "text/html; charset=utf-8")
        assert b"<p>There is nothing at this address: the way in is the front page.</p>" in missing.body
        assert b'<a href="/">' in missing.body
        assert b"alert" not in missing.body
    told = await ask(server, "/api/races/none", accept="text/html")
    assert told.head["content-type"] == "application/json"


async def test_garbage_is_refused(server: Server) -> None:
    """Whatever comes instead of a request gets an answer and the end of that connection; the server goes on."""
    head = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
    for sent, status in (
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
        (b"GET /\r\n\r\n", 400),
        (b"GET / HTTP/2.0\r\n\r\n", 400),
        (b"GET /\xff HTTP/1.1\r\n\r\n", 400),
        (head + b"a b: c\r\n\r\n", 400),
        (b"GET /" + b"x" * 10_000 + b" HTTP/1.1\r\n\r\n", 414),
        (head + b"X: " + b"x" * 10_000 + b"\r\n\r\n", 431),
        (head + b"X: y\r\n" * 200 + b"\r\n", 431),
    ):
        assert parse(await talk(server, sent)).status == status, sent[:40]
    assert (await ask(server, "/healthz")).status == 200


async def test_refusal_of_a_rule_names_it(server: Server) -> None:
    """As on the wire."""
    refused = server._web.refuse(Request("/api/none", Headers()), Refusal(Reason.NO_HINT, "SS7"))
    assert json.loads(refused.body) == {"reason": "NO_HINT", "rule": "SS7", "params": {}}


async def test_other_hosts_are_refused(database: Path) -> None:
    """A name that is not the server's own gets nothing, by socket or request; a configured one gets all."""
    async with serving(database, name=("play.example.net",)) as server:
        assert (await ask(server, "/", host="play.example.net")).status == 200
        refused = await ask(server, "/", host="evil.example")
        assert refused.status == 403
        assert b"--name" in refused.body
        reply = await ask(server, "/api/rooms", host="evil.example")
        assert (reply.status, reply.json()) == (403, {"reason": "BAD_HOST", "params": {"host": "evil.example"}})
        assert (await ask(server, "/ws", host="evil.example")).status == 403
        for head in (b"", b"Host: localhost\r\nHost: evil.example\r\n"):
            assert parse(await talk(server, b"GET / HTTP/1.1\r\n" + head + b"\r\n")).status == 403


async def test_pages_of_other_sites_open_no_socket(server: Server) -> None:
    """A WebSocket's origin, where there is one, is the host that it goes to."""
    own = f"http://127.0.0.1:{server.port}"
    async with socket(server, origin=own) as connection:
        await hello(connection)
    for origin in ("http://evil.example", "null", f"{own}0", "http://127.0.0.1"):
        with pytest.raises(InvalidStatus) as refused:
            await socket(server, origin=origin)
        assert refused.value.response.status_code == 403


async def test_socket_path_without_a_socket_says_what_it_is(server: Server) -> None:
    """A browser that is pointed at the lobby hears that it takes a WebSocket."""
    assert (await ask(server, "/ws")).status == 426
    assert (await ask(server, "/ws/GUGU")).status == 426
    assert (await ask(server, "/ws/GU/GU")).status == 404


async def test_database_that_fails_is_a_busy_server(database: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Health tells it, and nothing of what the database says gets out; the log has it."""
    async with serving(database) as server:
        assert (await ask(server, "/healthz")).json() == {"ok": True}
        await server._store.read.close()
        moved = await asyncio.to_thread(database.rename, database.with_suffix(".away"))
        try:
            unwell = await ask(server, "/healthz")
            assert unwell.status == 503
            assert database.name.encode() not in unwell.body
            reply = await ask(server, "/api/leaderboards")
            assert (reply.status, reply.json()) == (503, {"reason": "BUSY", "params": {}})
            assert "BAD_DATABASE" in caplog.text
        finally:
            await asyncio.to_thread(moved.rename, database)
        assert (await ask(server, "/healthz")).status == 200


async def test_mistake_of_ours_costs_one_request(
    database: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """An exception nobody expected is logged, answered with 500, and the next request is served."""
    async with serving(database) as server:
        monkeypatch.setattr(server._web, "_phases", lambda: 1 / 0)
        with caplog.at_level(logging.ERROR):
            assert (await ask(server, "/metrics")).status == 500
        assert "ZeroDivisionError" in caplog.text
        assert (await ask(server, "/")).status == 200


async def test_many_requests_at_once(server: Server) -> None:
    """Two hundred browsers are served together."""
    replies = await asyncio.gather(*(ask(server, "/page.css") for _ in range(200)))
    assert {reply.status for reply in replies} == {200}


async def test_file_is_packed_for_whoever_takes_it(server: Server) -> None:
    """A text comes as gzip to browsers that take gzip, as it is to others, and both know it again by the same tag."""
    plain = await ask(server, "/page.css")
    for accepted in ("gzip", "gzip, deflate, br", "br;q=1, GZIP;q=0.5"):
        packed = await ask(server, "/page.css", accept_encoding=accepted)
        assert (packed.head["content-encoding"], packed.head["vary"]) == ("gzip", "Accept-Encoding")
        assert len(packed.body) == int(packed.head["content-length"]) < len(plain.body) / 2
        assert gzip.decompress(packed.body) == plain.body
        assert packed.head["etag"] == plain.head["etag"]
        assert (
            await ask(server, "/page.css", accept_encoding=accepted, if_none_match=plain.head["etag"])
        ).status == 304
    for accepted in ("", "br", "gzip;q=0", "gzip; q=0.0, br", "xgzip"):
        as_it_is = await ask(server, "/page.css", accept_encoding=accepted)
        assert "content-encoding" not in as_it_is.head, accepted
        assert as_it_is.body == plain.body


async def test_large_answer_is_packed_for_whoever_takes_it(server: Server) -> None:
    """What is read of a deal comes as gzip where that is taken; to others, and a few bytes, it comes as it is."""
    path = f"/api/deals/{solved_codes('freecell')[3]}?line=1"
    plain = await ask(server, path)
    assert len(plain.body) > WORTH_PACKING
    packed = await ask(server, path, accept_encoding="gzip")
    assert (packed.head["content-encoding"], packed.head["vary"]) == ("gzip", "Accept-Encoding")
    assert len(packed.body) == int(packed.head["content-length"]) < len(plain.body) / 4
    assert gzip.decompress(packed.body) == plain.body
    head = await ask(server, path, "HEAD", accept_encoding="gzip")
    assert (head.head["content-length"], head.body) == (packed.head["content-length"], b"")
    for asked, accepted in ((path, "br"), ("/api/rooms", "gzip")):
        assert "content-encoding" not in (await ask(server, asked, accept_encoding=accepted)).head


async def test_texts_of_a_language_are_there(server: Server) -> None:
    """The page reads the sentences that the terminal reads."""
    english = await ask(server, "/locales/en.json")
    assert english.json()["game"]["freecell"] == "FreeCell"
    assert "refusal" in (await ask(server, "/locales/refusal/en.json")).json()
    assert (await ask(server, "/locales/xx.json")).status == 404


async def test_link_of_a_room_as_a_picture(server: Server) -> None:
    """The picture holds the address that was asked by, and the room as its code is written; nothing else is drawn."""
    picture = await ask(server, "/qr/gugu.svg")
    assert picture.head["content-type"] == "image/svg+xml"
    assert picture.body == qr_picture(f"http://127.0.0.1:{server.port}/r/GUGU")
    assert (await ask(server, "/qr/gugu.svg", host="192.168.1.7:80")).body == qr_picture("http://192.168.1.7:80/r/GUGU")
    assert b"style" not in picture.body
    assert b"<script" not in picture.body
    for path in ("/qr/a%22b.svg", "/qr/.svg", "/qr/gugu", "/qr/" + "x" * 33 + ".svg"):
        assert (await ask(server, path)).status == 404


async def test_picture_of_a_link_tells_the_scheme_that_a_proxy_tells(database: Path) -> None:
    """Behind a proxy that is believed the room's link is https, where that is how it was asked."""
    async with serving(database, trusted_proxy=("127.0.0.0/8",), name=("play.example.net",)) as server:
        for told, scheme in (("https", "https"), ("http", "http"), ("http, HTTPS", "https"), ("gopher", "http")):
            picture = await ask(server, "/qr/GUGU.svg", host="play.example.net", x_forwarded_proto=told)
            assert picture.body == qr_picture(f"{scheme}://play.example.net/r/GUGU"), told
    async with serving(database, name=("play.example.net",)) as server:
        picture = await ask(server, "/qr/GUGU.svg", host="play.example.net", x_forwarded_proto="https")
        assert picture.body == qr_picture("http://play.example.net/r/GUGU")
