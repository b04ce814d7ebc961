"""Which pages there are, and what each says of itself in its head: to tabs, and to robots that preview a link.

What is said is only read, from what is there: looking at a page's address begins, joins and opens nothing.
"""

import logging
import re
from collections.abc import Sequence
from urllib.parse import unquote

from msgspec import Struct

from server.log import StorageError, StoredAttempt
from server.rooms.rooms import Rooms
from server.storage.reader import Reader
from shared.attempt import State
from shared.errors import CodeError, Reason, Refusal
from shared.gamecode import GameCode
from shared.games import RULES
from shared.phase import Phase
from shared.texts import Texts, clock

LOGGER = logging.getLogger(__name__)

_PAGE = re.compile("/([a-z]+)/([^/]{1,100})")
_PART = re.compile("[A-Za-z0-9-]{1,64}")

TITLES = {"r": "Room", "race": "Race", "deal": "Deal", "replay": "Replay", "player": "Player"}
"""The pages of one thing each, by the first part of their path."""

MOST_NAMES = 6
"""So many people are named; the others are counted."""


class Head(Struct, frozen=True):
    """What a page says of itself."""

    title: str
    description: str = "Race your friends at solitaire: everyone gets the same deal at the same instant."


FRONT = Head("Same Deal")


class Pages:
    """The heads of all pages."""

    def __init__(self, texts: Texts, rooms: Rooms, read: Reader) -> None:
        self._texts = texts
        self._rooms = rooms
        self._read = read

    async def head(self, path: str) -> Head:
        """Return the head of the page at *path*; raise Refusal where there is none."""
        if path == "/":
            return FRONT
        head = await self._head_at(path)
        return Head(f"{head.title} · {FRONT.title}", head.description)

    async def _head_at(self, path: str) -> Head:
        """Return what sets the page at *path* apart; raise Refusal where there is none."""
        if path == "/leaderboards":
            return Head("Leaderboards", "Who races best at solitaire: today, this week, of all time.")
        found = _PAGE.fullmatch(path)
        if not found:
            raise Refusal(Reason.NOT_FOUND)
        kind, name = found[1], unquote(found[2])
        if kind == "rules" and name in RULES:
            game = self._texts.game(name)
            return Head(f"Rules of {game}", f"The rules of {game}, as the server holds to them.")
        if kind not in TITLES:
            raise Refusal(Reason.NOT_FOUND)
        name = _deal(name) if kind == "deal" else _checked(name)
        try:
            head = await self._head_of(kind, name)
        except StorageError as error:  # the page is there all the same
            LOGGER.error("nothing is known for the head of a page: %s", error)
            head = None
        return head or Head(f"{TITLES[kind]} {name}")

    async def _head_of(self, kind: str, name: str) -> Head | None:
        """Return the head of the page of one thing; None where that is not there, or not open yet."""
        match kind:
            case "r":
                return self._room(name)
            case "race":
                return await self._race(name)
            case "replay":
                return await self._replay(name)
            case "player":
                return await self._player(name)
        return Head(f"Deal {name}", f"{self._game(GameCode.parse(name))}: who has played this deal.")

    def _game(self, code: GameCode) -> str:
        """Return the game in words."""
        return self._named(code.game, code.suits)

    def _named(self, game: str, suits: int | None) -> str:
        name, usual = self._texts.game(game), RULES[game].suits
        suits = suits or usual[0]
        return name if len(usual) == 1 else f"{name} with {suits} suit{'s' if suits > 1 else ''}"

    def _room(self, name: str) -> Head | None:
        """Return who is in a room and what is played. A locked room tells newcomers nothing."""
        room = self._rooms.find(name)
        race = room.race if room else None
        people = [place.name for place in race.roster.present()] if race else []
        if race is None or race.roster.locked or not people:
            return None
        host = next((place.name for place in race.roster.places if place.player == race.roster.host), people[0])
        game = self._named(race.options.game, race.options.suits)
        here = f"{host} hosts a race of {game}. Here: {_listed(people)}."
        ask = "Open the link to race them." if race.phase is Phase.OPEN else "Open the link to watch and join the next."
        return Head(f"Room {race.room}", f"{here} {ask}")

    async def _race(self, race_id: str) -> Head | None:
        """Return how a race that is over came out."""
        race = await self._read.race(race_id)
        if race is None or race.finished is None:
            return None
        best_first = race.best_first
        winners = [each.name for each in best_first if each.place == 1 and each.won]
        game = self._game(GameCode.parse(race.code))
        title = f"{_listed(winners)} won at {game}" if winners else f"Nobody solved this {game}"
        lines = [f"{each.place or '–'} {each.name} {_result(each)}" for each in best_first[:MOST_NAMES]]
        return Head(title, " · ".join(lines))

    async def _player(self, player_id: str) -> Head | None:
        player = await self._read.player(player_id)
        return Head(player.name, f"The races of {player.name}, and their replays.") if player else None

    async def _replay(self, attempt_id: str) -> Head | None:
        """Return what can be watched, once it may be."""
        attempt = await self._read.attempt(attempt_id)
        race = await self._read.race(attempt.race) if attempt and attempt.race else None
        if attempt is None or attempt.won is None or (race and race.finished is None):
            return None
        game = self._game(GameCode.parse(attempt.code))
        return Head(f"{attempt.name} at {game}", f"{_result(attempt).capitalize()}. Watch it move by move.")


def _checked(name: str) -> str:
    """Return what may be a room's name or an id; raise Refusal."""
    if not _PART.fullmatch(name):
        raise Refusal(Reason.NOT_FOUND)
    return name


def _deal(name: str) -> str:
    """Return a game code as it is written; raise Refusal."""
    try:
        return str(GameCode.parse(name))
    except CodeError:
        raise Refusal(Reason.NOT_FOUND) from None


def _result(attempt: StoredAttempt) -> str:
    """Return in words what an attempt that is over came to."""
    moves = f"{attempt.moves} move{'' if attempt.moves == 1 else 's'}"
    if attempt.state is State.SOLVED:
        return f"solved in {clock(attempt.elapsed_ms or 0)} with {moves}"
    return f"not solved: {attempt.progress} of {GameCode.parse(attempt.code).rules.full_progress} in {moves}"


def _listed(names: Sequence[str]) -> str:
    """Return names in a row.

    >>> _listed(["Anna", "Bert", "Carl"])
    'Anna, Bert and Carl'
    """
    shown, more = list(names[:MOST_NAMES]), len(names) - MOST_NAMES
    if more > 0:
        shown.append(f"{more} more")
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))
