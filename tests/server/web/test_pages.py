"""What each page says of itself, to tabs and to robots that preview a link; looking changes nothing."""

import logging
from collections.abc import AsyncIterator
from html.parser import HTMLParser

import pytest
import pytest_asyncio

from server.app import Server
from server.log import StorageError
from shared.errors import Reason
from shared.protocol.messages import Done, Lock, Snapshot
from shared.protocol.values import Options
from tests import vectors
from tests.server.serving import ask, hear, hello, past, say, serving, socket

OVER = vectors.rows("lines.jsonl")[0]
"""The code that was raced, and the moves that Anna won it with."""

GENERAL = "Race your friends at solitaire: everyone gets the same deal at the same instant."

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Server]:
    """A server on which one race was won, one by nobody, and one goes on."""
    database = tmp_path_factory.mktemp("pages") / "race.db"
    async with past(database) as written:
        await written.finish(await written.race("over", OVER["code"], OVER["line"]))
        await written.finish(await written.race("lost", "FC1-AAAAAAY", "", Options(game="freecell")))
        await written.race("now", "SS1-S1-AAAAAAE", "02")
    async with serving(database) as server:
        yield server


class Head(HTMLParser):
    """The title of a page, and what its `meta` elements say."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.said: dict[str, str] = {}
        self._in_title = False
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        self._in_title = tag == "title"
        if tag == "meta" and (name := told.get("name") or told.get("property")):
            self.said[name] = told.get("content") or ""

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.said["title"] = self.said.get("title", "") + data.strip()


async def head(server: Server, path: str) -> tuple[str, str]:
    """Return title and description of the page at *path*; robots that look for `og:` find the same."""
    page = await ask(server, path)
    assert page.status == 200, path
    said = Head(page.body).said
    assert (said["og:title"], said["og:description"]) == (said["title"], said["description"])
    return said["title"], said["description"]


PLAIN = {
    "/": "Same Deal",
    "/leaderboards": "Leaderboards · Same Deal",
    "/rules/simple-simon": "Rules of Simple Simon · Same Deal",
    "/rules/freecell": "Rules of FreeCell · Same Deal",
    "/r/NOBODY": "Room NOBODY · Same Deal",
    "/race/abcdefghij234567": "Race abcdefghij234567 · Same Deal",
    "/replay/abcdefghij234567": "Replay abcdefghij234567 · Same Deal",
    "/player/abcdefghij234567": "Player abcdefghij234567 · Same Deal",
    "/race/now": "Race now · Same Deal",
    "/replay/now-anna": "Replay now-anna · Same Deal",
    "/deal/SS1-S1-AAAAABD": "Deal SS1-S1-AAAAABD · Same Deal",
    "/deal/%2311982": "Deal FC1-AAAALWO · Same Deal",
    "/deal/ss1%20s1%20aaaaabd?from=a%20friend": "Deal SS1-S1-AAAAABD · Same Deal",
}


async def test_pages_have_their_titles(server: Server) -> None:
    """Every page is there by its address, also of what is not there, or not over; then it says only what it is."""
    for path, title in PLAIN.items():
        assert (await head(server, path))[0] == title
    for path in ("/r/NOBODY", "/race/now", "/replay/now-anna", "/player/abcdefghij234567"):
        assert (await head(server, path))[1] == GENERAL


async def test_there_are_no_other_pages(server: Server) -> None:
    """Rules of games that there are not, and what is no address of ours, are not found."""
    for path in ("/rules", "/rules/", "/rules/chess", "/leaderboards/all", "/race", "/deal/SS9", "/player/a_b"):
        assert (await ask(server, path)).status == 404, path


async def test_race_that_is_over_says_who_won(server: Server) -> None:
    """A result says how it came out, be it that nobody won."""
    title, description = await head(server, "/race/over")
    assert title == "Anna won at Simple Simon with 1 suit · Same Deal"
    assert description.startswith("1 Anna solved in ")
    assert "· – Bert not solved: " in description
    assert (await head(server, "/race/lost"))[0] == "Nobody solved this FreeCell · Same Deal"


async def test_replay_and_player_say_whose_they_are(server: Server) -> None:
    """A replay says what is to be seen, a player's page who it is."""
    title, description = await head(server, "/replay/over-anna")
    assert title == "Anna at Simple Simon with 1 suit · Same Deal"
    assert description.startswith("Solved in ")
    assert description.endswith(f" with {len(OVER['line'].split())} moves. Watch it move by move.")
    assert (await head(server, "/player/annaannaannaanna"))[0] == "Anna · Same Deal"


async def test_room_says_who_is_there_and_is_not_joined_by_it(server: Server) -> None:
    """
    The link of a room tells who plays what; asking for it makes no room and seats nobody. A locked room says nothing.
    """
    await head(server, "/r/GUGU")
    await ask(server, "/qr/GUGU.svg")
    assert (await ask(server, "/api/rooms")).json() == {"rooms": []}
    assert server._rooms.find("GUGU") is None

    name = "<i>{{title}}</i>"
    async with socket(server, "/ws/GUGU") as host:
        await hello(host, name=name, opens=True, options=Options(suits=2, public=True))
        snapshot = await hear(host)
        assert isinstance(snapshot, Snapshot)
        title, description = await head(server, "/r/gugu")
        assert title == "Room GUGU · Same Deal"
        assert description == (
            f"{name} hosts a race of Simple Simon with 2 suits. Here: {name}. Open the link to race them."
        )
        assert b"<i>" not in (await ask(server, "/r/GUGU")).body
        (listed,) = (await ask(server, "/api/rooms")).json()["rooms"]
        assert (listed["seats"], listed["watchers"]) == (1, 0)
        await say(host, Lock(id=2, locked=True))
        while not isinstance(await hear(host), Done):
            pass
        assert (await head(server, "/r/GUGU"))[1] == GENERAL


async def test_all_who_are_in_a_room_are_named(server: Server) -> None:
    """Whoever has the link reads whom they would race."""
    async with socket(server, "/ws/FULL") as one, socket(server, "/ws/FULL") as two:
        await hello(one, name="Anna", opens=True)
        await hello(two, name="Bert")
        assert isinstance(await hear(two), Snapshot)
        assert "Here: Anna and Bert." in (await head(server, "/r/FULL"))[1]


async def test_page_is_there_while_the_database_is_not(
    server: Server, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The page comes all the same, and tells by itself what is wrong."""

    async def fails(_: str) -> None:
        raise StorageError(Reason.BAD_DATABASE, cause="gone")

    monkeypatch.setattr(server._store.read, "player", fails)
    with caplog.at_level(logging.ERROR):
        assert (await head(server, "/player/annaannaannaanna"))[1] == GENERAL
    assert "BAD_DATABASE" in caplog.text
