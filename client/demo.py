"""`samedeal demo`: a server as a child process, bots over real sockets, standings, leaderboard, and a replay."""

import asyncio
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import Struct

from client import bot, standings
from client.assets import solved_codes, winning_line
from client.child import Server, samedeal, serving
from client.connection import PATIENT, Connection
from client.replay import moments, run_through, scene
from client.returning import Backoff
from client.screen import Ink, Screen
from client.view import View
from shared.gamecode import GameCode
from shared.games import RULES
from shared.phase import Phase
from shared.protocol.messages import Hello, Ready, Start
from shared.protocol.values import Options
from shared.record import Record

NAMES = ("Mika", "Noor", "Ravi", "Tove", "Omar", "Lena", "Kofi", "Yuki")
ROOM = "DEMO"
DATABASE = "demo.sqlite3"

GAME = next(rules.name for rules in RULES.values() if rules.drawn is None)
"""What the bots play: the first game whose draws all have a line that wins. They follow it."""

SHAKY = Backoff(first_ms=2_000, most_ms=2_000)
"""One bot's line breaks, and it takes its time to come back."""

DROP_PLY = 20

RACE_MS = 8_500
"""How long a bot takes for its line, about."""

REPLAY_S = 5.0
LONGEST_S = 44
"""A demo that takes longer is broken off."""

LOOK_S = 0.1
"""So often the standings are drawn on a terminal."""

LINE_MS = 2_000
"""So often a line of standings is printed elsewhere."""


class Plan(Struct, frozen=True, kw_only=True):
    """What is shown."""

    game: str = GAME
    suits: int | None = None
    """None: the game's usual count."""
    players: int = 3
    fast: bool = False
    """Play as fast as the server answers, and hurry through the replay."""
    keep: Path | None = None
    """A folder that is there, in which database and record are left; None: nothing is left."""


async def run(plan: Plan, screen: Screen, random: Random) -> None:
    """Show all of it; raise ChildError or SameDealError where something fails, TimeoutError after LONGEST_S."""
    with _folder(plan) as folder:
        async with asyncio.timeout(LONGEST_S), serving(folder, DATABASE) as server:
            screen.say("", f" {screen.pen.paint('Same Deal', Ink.BOLD)}: a whole race, here and now.", "")
            screen.say(f" A server listens on {server.address}", f" {_database(plan, folder)}")
            view = await server.unless_ended(_race(server, plan, screen, random))
            record = await _look_up(server, view, screen)
            await _replay(record, plan, screen)
        if plan.keep is None:
            screen.say("", " The demo leaves nothing behind: with --keep FOLDER these commands can be tried there.")
        screen.say("", f" For a race of your own: {screen.pen.paint('samedeal serve', Ink.BOLD)}", "")


def _database(plan: Plan, folder: Path) -> str:
    return f"Its database is {folder / DATABASE}" if plan.keep else "Its database goes with the demo."


@contextmanager
def _folder(plan: Plan) -> Iterator[Path]:
    """Yield where the demo works: in a folder that is kept, or in one that goes with it."""
    if plan.keep:
        yield plan.keep.resolve()
        return
    with TemporaryDirectory(prefix="samedeal-demo-") as name:
        yield Path(name)


# The race


async def _race(server: Server, plan: Plan, screen: Screen, random: Random) -> View:
    """Bring bots into a room, let them race, tell it, and return the last view."""
    async with AsyncExitStack() as room:
        bots = []
        for place, name in enumerate(NAMES[: plan.players]):
            hello = Hello(name=name, client="bot", opens=True, options=_options(plan, random))
            backoff = SHAKY if place == 1 else PATIENT
            connection = Connection(server.room(ROOM), hello, random=random, backoff=backoff)
            bots.append(await room.enter_async_context(connection))
        host, *guests = bots
        for guest in guests:
            await guest.ask(Ready(ready=True))
        await host.ask(Start(countdown=host.view.countdown + 1))
        await _together(_tell(host, screen), _drop(guests[0]), _play(bots, plan, random))
        return host.view


def _options(plan: Plan, random: Random) -> Options:
    """Return how the race is played. Where a drawn deal may have no known line it is an exact one that has."""
    if RULES[plan.game].drawn:
        return Options(code=str(random.choice(solved_codes(plan.game))))
    return Options(game=plan.game, suits=RULES[plan.game].suits[0] if plan.suits is None else plan.suits)


async def _play(bots: Sequence[Connection], plan: Plan, random: Random) -> None:
    """Let each bot play the deal's winning line, at a speed of its own."""
    view = await bots[0].until(lambda view: view.code is not None)
    line = winning_line(GameCode.parse(str(view.code)))
    assert line, "the deal is drawn from those whose line is known, or chosen from them"
    mind = bot.following([str(move) for move in line])
    paces = [
        bot.Pace(move_ms=0 if plan.fast else RACE_MS * random.uniform(0.85, 1.15) / len(line), spread=0.9) for _ in bots
    ]
    await _together(*(bot.play(connection, mind, pace, random) for connection, pace in zip(bots, paces, strict=True)))


async def _drop(connection: Connection) -> None:
    """Cut one bot's line in mid-race. It comes back by itself, into its seat, and sends again what was lost."""
    await connection.until(lambda view: view.ply >= DROP_PLY)
    connection.drop()


async def _tell(connection: Connection, screen: Screen) -> None:
    """Show the race as one of its players sees it, until it is over."""
    loop = asyncio.get_running_loop()
    before, since, due_ms = View(), loop.time(), LINE_MS
    while before.phase != Phase.FINISHED:
        await asyncio.sleep(LOOK_S)
        view = connection.view
        if standings.told_anew(before, view):
            since = loop.time()
        if screen.live:
            screen.show(standings.block(view, loop.time() - since, screen.pen, screen.columns))
        else:
            screen.say(*standings.news(before, view))
            if (view.elapsed_ms or 0) >= due_ms:
                screen.say(standings.in_words(view))
                due_ms += LINE_MS
        before = view


async def _together(*works: Coroutine[Any, Any, object]) -> None:
    """Do all *works* at once; where one fails the others are given up."""
    tasks = [asyncio.create_task(work) for work in works]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


# Afterwards


async def _look_up(server: Server, view: View, screen: Screen) -> Record:
    """Show the deal's leaderboard and have the winner's record verified; return it."""
    winner = view.rows[0].seat
    name, attempt = view.name_of(winner), view.attempts[winner]
    file = f"{name.lower()}.json"
    if not screen.live:
        screen.say("", *standings.lines(view, screen.pen, screen.columns))
    screen.say("", f" {screen.pen.paint(standings.headline(view), Ink.SUN)}", "")
    leaderboard = ("leaderboard", "--deal", str(view.code), "--database", DATABASE)
    export = ("export", attempt, "--database", DATABASE)
    best, exported = await asyncio.gather(samedeal(server.folder, *leaderboard), samedeal(server.folder, *export))
    _show(screen, leaderboard, best)
    (server.folder / file).write_text(exported, encoding="utf-8")
    _show(screen, (*export, ">", file))
    _show(screen, ("verify", file), await samedeal(server.folder, "verify", file))
    _show(screen, ("replay", file))
    return Record.parse(exported)


def _show(screen: Screen, command: Sequence[str], printed: str = "") -> None:
    """Show a command as if someone had typed it, and what it printed."""
    typed = screen.pen.paint(f"$ samedeal {' '.join(command)}", Ink.FAINT)
    screen.say(f" {typed}", *(f" {line}" for line in printed.splitlines()), *([""] if printed else ()))


async def _replay(record: Record, plan: Plan, screen: Screen) -> None:
    """Show the winner's attempt once more, from the record that came out of the database."""
    if screen.live:
        screen.say("")
        pause_s = (0.5 if plan.fast else REPLAY_S) / len(record.entries)
        await run_through(record, screen, lambda last, moment: pause_s)
    else:
        shown = list(moments(record))
        for moment in (shown[0], shown[len(shown) // 2], shown[-1]):
            screen.say("", *scene(record, moment, screen.pen, columns=screen.columns))
