"""The page's view of a room: an old snapshot and the events since then make the new snapshot."""

import json
from asyncio import get_running_loop, timeout
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from playwright.sync_api import Page
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from shared.protocol.codec import JsonCodec
from tests.browser.rivals import EASY, Rivals, line_of
from tests.browser.serving import Server

QUIET_S = 0.5
"""After so long a silence nothing is on its way any more: what is held back is so for less."""

FOLD = """async ([first, second]) => {
  const { after, empty } = await import("/room.js");
  const byName = (watchers) => watchers.map(({ name }) => name).sort();
  const told = (view) => ({ ...view, elapsed_ms: view.elapsed_ms === null, watchers: byName(view.watchers) });
  const folded = first.reduce(after, empty);
  const fresh = second.reduce(after, empty);
  return [told(folded), told(fresh)];
}"""
"""What a page makes of what it was told, and what a page makes that comes now; between the two
race time goes on, and who comes back stands last among the spectators."""

Event = dict[str, Any]


class Audience:
    """Somebody who hears, over the wire in JSON, and may speak."""

    def __init__(self, server: Server, name: str) -> None:
        self._server = server
        self._hello: Event = {"type": "Hello", "name": name, "client": "page", "wants": ["choices"]}
        self._socket: ClientConnection | None = None
        self._ids = 0
        self.heard: list[Event] = []

    async def come(self, **hello: Any) -> None:  # noqa: ANN401  # any fields of Hello
        """Come in, and hear the snapshot."""
        subprotocol = Subprotocol(JsonCodec.subprotocol)
        self._socket = await connect(self._server.room("ROOM"), subprotocols=[subprotocol], proxy=None)
        self.heard = []
        await self._socket.send(json.dumps(self._hello | hello))
        welcome = await self.hear("Welcome")
        if "token" in welcome:
            self._hello = {**self._hello, "name": None, "token": welcome["token"]}
        await self.hear("Snapshot")

    async def go(self) -> list[Event]:
        """Hear what is on its way, then drop the line; return all that was heard over it."""
        assert self._socket, "came"
        with suppress(TimeoutError):
            async with timeout(QUIET_S) as silence:
                while True:
                    self.heard.append(json.loads(await self._socket.recv()))
                    silence.reschedule(get_running_loop().time() + QUIET_S)
        await self._socket.close()
        return self.heard

    async def hear(self, kind: str, holds: Callable[[Event], bool] = lambda event: True) -> Event:
        """Listen until an event of this *kind* comes that *holds*."""
        assert self._socket, "came"
        while True:
            event: Event = json.loads(await self._socket.recv())
            self.heard.append(event)
            if event["type"] == kind and holds(event):
                return event

    async def say(self, kind: str, **fields: Any) -> Event:  # noqa: ANN401  # any fields of a command
        """Send a command and listen until it is answered."""
        assert self._socket, "came"
        self._ids += 1
        number = self._ids
        await self._socket.send(json.dumps({"type": kind, "id": number, **fields}))
        while True:
            event: Event = json.loads(await self._socket.recv())
            self.heard.append(event)
            if event.get("id") == number:
                return event


class Story:
    """A race of Anna, who hosts, and Bert, who wins; Carl looks on from the start and Dora from the middle."""

    def __init__(self, server: Server, view: str) -> None:
        self.options = {"game": "simple-simon", "suits": 1, "code": EASY, "view": view, "seats": 2}
        self.line = line_of(EASY)
        self.anna, self.bert, self.carl, self.dora = (
            Audience(server, name) for name in ("Anna", "Bert", "Carl", "Dora")
        )

    async def gather(self) -> None:
        """All but Dora come; the options are others than at first."""
        await self.anna.come(opens=True, options=self.options)
        await self.bert.come()
        await self.carl.come()
        await self.anna.say("Lock", locked=True)
        await self.anna.say("Lock", locked=False)
        await self.anna.say("Configure", options=self.options | {"limit_ms": 600_000})
        await self.carl.hear("Configured")

    async def start(self) -> None:
        """A countdown is stopped, a second one is not."""
        await self.bert.say("Ready", ready=True)
        await self.anna.say("Start", countdown=1)
        await self.anna.say("Cancel", countdown=1)
        await self.anna.say("Start", countdown=2)
        for each in (self.anna, self.bert, self.carl):
            await each.hear("Began")

    async def play(self) -> None:
        """Both play, and Dora comes."""
        await self.moves(self.anna, 0, 4)
        await self.moves(self.bert, 0, 4)
        await self.dora.come()
        await self.moves(self.bert, 4, 8)

    async def win(self) -> None:
        """Bert solves it."""
        await self.moves(self.bert, 8, len(self.line))

    async def finish(self) -> None:
        """Anna gives up, and the race is over."""
        await self.anna.say("Resign", ply=4)
        for each in (self.anna, self.bert, self.carl, self.dora):
            await each.hear("Finished")

    async def moves(self, who: Audience, first: int, last: int) -> None:
        """Play the line's moves from *first* to *last*."""
        for ply in range(first, last):
            await who.say("Play", ply=ply, move=self.line[ply])


async def look_again(who: Audience) -> tuple[list[Event], list[Event]]:
    """Return what *who* has heard so far, and what is heard by coming back."""
    before = await who.go()
    await who.come()
    return before, list(who.heard)


@pytest.mark.parametrize("view", ["after", "live"])
def test_old_snapshot_and_events_make_the_new_snapshot(
    desktop: Page, server: Server, rivals: Rivals, view: str
) -> None:
    """
    For the host, a participant, a spectator who came early and one who came late, in a room that shows the tables and
    in one that does not: before the start, in mid-race, when one has solved it, and after the end.
    """
    desktop.goto("/")
    story = Story(server, view)
    anna, bert, carl, dora = story.anna, story.bert, story.carl, story.dora
    chapters = (
        (story.gather, (carl,)),
        (story.start, ()),
        (story.play, (anna, carl, dora)),
        (story.win, (bert, carl)),
        (story.finish, (anna, bert, carl, dora)),
    )
    for chapter, audience in chapters:
        rivals.run(chapter())
        for who in audience:
            first, second = rivals.run(look_again(who))
            folded, fresh = desktop.evaluate(FOLD, [first, second])
            assert folded == fresh
    for who in (anna, bert, carl, dora):
        rivals.run(who.go())
