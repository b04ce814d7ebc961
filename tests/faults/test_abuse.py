"""What people try on a server that others run: names, paths, heads, secrets, files. Each gets nowhere."""

import logging
from http import HTTPStatus
from pathlib import Path

import pytest

from server.commands.journal import Discreet
from server.config import Limits
from server.storage.imports import import_records
from shared.protocol.closing import CloseCode
from shared.protocol.codec import JsonCodec
from shared.protocol.messages import Hello, Ready, Rename, Renamed
from shared.recordfile import record_texts
from tests.server.racing import winning_line
from tests.server.serving import ask, closing, say, serving, socket, talk
from tests.server.storage.test_imports import record
from tests.server.storing import opened_store, query
from tests.server.visiting import Visitor
from tests.server.visiting import serving as visited
from tests.shared.test_hostile import HOSTILE

ATTACKS = (
    "<img src=x>",
    "'); DROP TABLE x;--",
    "$(reboot)",
    "{{7*7}}",
    "%s%n%x",
    "../../etc/passwd",
    "=1+1",
    "\N{GRINNING FACE}\u200d\N{PILE OF POO}",
)
"""Harm in HTML, SQL, a shell, templates, formats, paths, spreadsheets, fonts."""


async def test_names_that_attack_are_names(database: Path) -> None:
    """What means something elsewhere is a name of so many letters here: stored, told and shown as it was given."""
    async with visited(database) as here, here.visitor("Anna") as anna:
        for name in ATTACKS:
            answer = await anna.ask(Rename(name=name))
            assert isinstance(answer, Renamed)
            assert answer.name == name
            assert query(database, "SELECT name FROM players") == [(name,)]
            reply = await ask(here.server, f"/api/players/{anna.view.player}")
            assert reply.json()["name"] == name
            page = await ask(here.server, f"/player/{anna.view.player}")
            assert b"<img" not in page.body


CLIMBING = (
    "/../samedeal.py",
    "/..%2fsamedeal.py",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/static/../../etc/passwd",
    "//etc/passwd",
    "/race/..",
    "/race/%2e%2e%2f%2e%2e",
    "/texts/../en.json",
    "/r/..%5c..",
    "/api/records/..%2f..",
    "/main.js%00.html",
    "/main.js/",
    "/.git/config",
    "/ws/..",
    "/ws/%2e%2e",
)


async def test_paths_that_climb_lead_nowhere(database: Path) -> None:
    """No path, however it is written, leads to a file that is no part of the page."""
    async with serving(database) as server:
        for path in CLIMBING:
            answer = await ask(server, path)
            assert answer.status in (HTTPStatus.NOT_FOUND, HTTPStatus.BAD_REQUEST), path
            assert b"import" not in answer.body
            assert b"root:" not in answer.body


async def test_heads_of_answers_take_nothing_from_requests(database: Path) -> None:
    """A line break in a path, a query or a field of the head makes no line in the head of the answer."""
    async with serving(database) as server:
        host = f"127.0.0.1:{server.port}"
        for line, more in (
            ("GET /race/a%0d%0aSet-Cookie:%20eve=1 HTTP/1.1", ""),
            ("GET /api/leaderboards?game=a%0d%0aSet-Cookie:%20eve=1 HTTP/1.1", ""),
            ("GET /r/%0aSet-Cookie:eve=1 HTTP/1.1", ""),
            ("GET /healthz HTTP/1.1", "X-Forwarded-Proto: https\r\nIf-None-Match: a\rSet-Cookie: eve=1\r\n"),
        ):
            answer = await talk(server, f"{line}\r\nHost: {host}\r\n{more}\r\n".encode())
            head, _, _ = answer.partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 "), line
            assert b"eve" not in head, line


async def test_no_token_reaches_the_log(database: Path, caplog: pytest.LogCaptureFixture) -> None:
    """
    Whatever goes wrong with someone's token in hand, and at whatever level is logged, what is written has no token in
    it; nor has the database.
    """
    caplog.set_level(logging.DEBUG)
    async with visited(database, Limits(messages_per_s=1)) as here, here.visitor("Anna") as anna:
        token = str(anna.token)
        async with anna.again(JsonCodec.subprotocol) as back:
            for _ in range(9):
                await back.send(Ready(ready=True))
            assert (await back.closing())[0] == CloseCode.TOO_FAST
        async with socket(here.server) as lobby:
            await say(lobby, Hello(token=token, name="x" * 300))
            assert await closing(lobby) == CloseCode.BAD_MESSAGE
        for head in (f"Bearer {token}", f"Basic {token}", token):
            await ask(here.server, "/api/players/me/export", authorization=head)
        await ask(here.server, f"/api/players/{token}")
        await ask(here.server, f"/race/{token}?token={token}")
    written = [Discreet().format(record) for record in caplog.records if record.name.startswith(("server", "shared"))]
    loud = [Discreet().format(record) for record in caplog.records if record.levelno >= logging.WARNING]
    assert not any(token in line for line in (*written, *loud))
    assert not any(token.encode() in path.read_bytes() for path in database.parent.iterdir())


async def test_import_of_hostile_records_stores_none(database: Path) -> None:
    """Each is refused with its line and its reason, and a good one behind it is taken."""
    texts = [text for text in HOSTILE if isinstance(text, str | bytes)]
    bad = [text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass") for text in texts]
    lines = [text.replace(b"\n", b" ") for text in bad if not text.startswith(b"\x1f\x8b")]
    moves = winning_line("simple-simon")[1][:2]
    first, last = (str(record(name, moves, told=False)).encode() for name in ("Anna", "Bert"))
    async with opened_store(database) as store:
        chunks = [b"\n".join([first, *lines, last])]
        found = [each async for each in import_records(store, record_texts(chunks))]
    assert [each.attempt is not None for each in (found[0], found[-1])] == [True, True]
    assert all(each.error and not each.attempt for each in found[1:-1])
    assert query(database, "SELECT count(*) FROM attempts") == [(2,)]


async def test_second_hello_makes_nobody_else(database: Path) -> None:
    """Who says hello twice over one connection is closed; over another, with the token, they are who they were."""
    async with visited(database) as here, here.visitor("Anna") as anna:
        await anna.send(Hello(id=9, name="Eve"))
        assert (await anna.closing())[0] == CloseCode.BAD_MESSAGE
        first = anna.view
        for _ in range(2):
            async with Visitor(here.url(), Hello(token=anna.token), "samedeal.v1.msgpack") as back:
                assert (back.view.player, back.view.seat, back.view.name) == (first.player, 0, "Anna")
    assert query(database, "SELECT name FROM players") == [("Anna",)]
