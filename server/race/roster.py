"""Who is here: seats in the order in which they were taken, spectators, host and bars. A pure value."""

from functools import cached_property
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from shared.errors import Reason, Refusal
from shared.names import name_key
from shared.protocol.values import Seat, Watcher

ABSENT_MS = 120_000
"""An absent participant of a race that is OPEN keeps the seat so long."""

HOSTLESS_MS = 15_000
"""A host who dropped is followed by another after so long."""


class Place(Struct, frozen=True, kw_only=True):
    """A participant or a spectator."""

    player: str
    name: str
    bot: bool = False
    """One of their connections to this race was a bot's."""
    bot_now: bool = False
    """The last of them is."""
    since_ms: int
    """When they came, or came back."""
    absent_ms: int | None = None
    """When they dropped; None while they are connected."""
    ready: bool = False
    suits: int | None = None
    """Their own choice in a `mixed` race."""

    @property
    def connected(self) -> bool:
        """Whether a connection of theirs is open."""
        return self.absent_ms is None

    def stayed(self, since_ms: int) -> bool:
        """Return whether they have been connected since then."""
        return self.connected and self.since_ms <= since_ms


class Roster(Struct, frozen=True, kw_only=True, dict=True):
    """The people of a room. A seat's number is its place in `places`, so a seat goes only until its race begins."""

    places: tuple[Place, ...] = ()
    watchers: tuple[Place, ...] = ()
    """Connected spectators, in the order in which they came."""
    host: str | None = None
    giver: str | None = None
    """Who handed the host's powers over to the host, and may say so again."""
    locked: bool = False
    """No newcomer is let in."""
    barred: frozenset[str] = frozenset()

    # Questions

    def find(self, player: str) -> int | None:
        """Return the number of the player's seat; None for a spectator."""
        return next((seat for seat, place in enumerate(self.places) if place.player == player), None)

    def seat(self, player: str) -> int:
        """Return the number of the player's seat; raise Refusal where there is none."""
        seat = self.find(player)
        if seat is None:
            raise Refusal(Reason.NO_SEAT)
        return seat

    def check_host(self, player: str) -> None:
        """Raise Refusal unless *player* is the host."""
        if player != self.host:
            raise Refusal(Reason.NOT_HOST)

    def knows(self, player: str) -> bool:
        """Return whether *player* is here, or has a seat to come back to."""
        return any(place.player == player for place in (*self.places, *self.watchers))

    def present(self) -> tuple[Place, ...]:
        """Return the connected participants; who was kicked and still plays is none of them."""
        return tuple(place for place in self.places if place.connected and place.player not in self.barred)

    def ready(self) -> tuple[str, ...]:
        """Return the players who would start: ready and connected."""
        return tuple(place.player for place in self.present() if place.ready)

    def all_ready(self) -> bool:
        """Return whether all who are present are ready, two or more."""
        return len(self.present()) == len(self.ready()) > 1

    def refusal(self, player: str, name: str, spectators: int) -> Reason | None:
        """Return why someone is not let in; None if they are. Only newcomers need a free name and a free place.

        While a seat is free nobody watches, so that whoever comes to a room full of *spectators* would be one.
        """
        if player in self.barred:
            return Reason.KICKED
        if self.knows(player):
            return None
        if self.locked:
            return Reason.ROOM_LOCKED
        if len(self.watchers) >= spectators:
            return Reason.ROOM_FULL
        return Reason.TWIN_NAME if self.has_twin(player, name) else None

    def has_twin(self, player: str, name: str) -> bool:
        """Return whether someone else here has *name*, or one that looks like it."""
        others = (place.name for place in (*self.places, *self.watchers) if place.player != player)
        return name_key(name) in map(name_key, others)

    @cached_property
    def hostless_ms(self) -> int | None:
        """When another host is due; None while the host is here, or nobody could follow."""
        seat = self.find(self.host) if self.host else None
        absent_ms = None if seat is None else self.places[seat].absent_ms
        return absent_ms + HOSTLESS_MS if absent_ms is not None and self.present() else None

    @cached_property
    def lapses_ms(self) -> int | None:
        """When the first absent participant loses the seat; None for never."""
        return min((place.absent_ms + ABSENT_MS for place in self.places if place.absent_ms is not None), default=None)

    # Changes; each returns another roster

    def came(self, newcomer: Place) -> "Roster":
        """Let someone in: into their own seat, else among the spectators. Nobody becomes a twin by a new name."""
        if self.has_twin(newcomer.player, newcomer.name):
            before = next(each for each in (*self.places, *self.watchers) if each.player == newcomer.player)
            newcomer = replace(newcomer, name=before.name)
        seat = self.find(newcomer.player)
        if seat is None:
            return replace(self, watchers=(*self._watchers_but(newcomer.player), newcomer))
        place = self.places[seat]
        since_ms = place.since_ms if place.connected else newcomer.since_ms  # a second tab is no coming back
        bots = {"bot": place.bot or newcomer.bot, "bot_now": newcomer.bot_now}
        roster = self._with(seat, since_ms=since_ms, absent_ms=None, name=newcomer.name, **bots)
        return roster.hosted() if roster.host is None else roster

    def called(self, player: str, name: str) -> "Roster":
        """Give someone another name."""
        places, watchers = (
            tuple(replace(each, name=name) if each.player == player else each for each in row)
            for row in (self.places, self.watchers)
        )
        return replace(self, places=places, watchers=watchers)

    def filled(self, seats: int) -> "Roster":
        """Give what is free of *seats* to the spectators, in the order in which they came."""
        free = max(0, seats - len(self.places))
        roster = replace(self, places=(*self.places, *self.watchers[:free]), watchers=self.watchers[free:])
        return roster.hosted() if roster.host is None else roster

    def dropped(self, player: str, now_ms: int, *, keeps_mark: bool) -> "Roster":
        """Note that a connection is gone: the seat stays the player's, a spectator is forgotten."""
        seat = self.find(player)
        if seat is None:
            return replace(self, watchers=self._watchers_but(player))
        return self._with(seat, absent_ms=now_ms, ready=keeps_mark and self.places[seat].ready)

    def without(self, *players: str) -> "Roster":
        """Take people out, with their seats; another is host if the host is among them."""
        places = tuple(place for place in self.places if place.player not in players)
        roster = replace(self, places=places, watchers=tuple(w for w in self.watchers if w.player not in players))
        return replace(roster, host=None).hosted() if self.host in players else roster

    def gone(self, player: str, now_ms: int, *, keeps_seat: bool) -> "Roster":
        """Take someone out who left or was kicked; where seats are fixed the seat stays, absent and without a mark."""
        if not keeps_seat or self.find(player) is None:
            return self.without(player)
        roster = self.dropped(player, now_ms, keeps_mark=False)
        return roster.hosted() if player == self.host else roster

    def lapsed(self, now_ms: int) -> "Roster":
        """Take out who was absent too long."""
        return self.without(
            *(
                place.player
                for place in self.places
                if place.absent_ms is not None and place.absent_ms + ABSENT_MS <= now_ms
            )
        )

    def hosted(self, player: str | None = None) -> "Roster":
        """Make *player* the host at the host's word, by default the longest-present connected participant."""
        if player:
            return replace(self, host=player, giver=self.host)
        heir = min(self.present(), key=lambda place: place.since_ms, default=None)
        return replace(self, host=heir.player if heir else None, giver=None)

    def marked(self, player: str, *, ready: bool) -> "Roster":
        """Set or clear a ready mark."""
        return self._with(self.seat(player), ready=ready)

    def recounted(self, since_ms: int) -> "Roster":
        """Clear the ready marks of who has dropped since *since_ms*, when a countdown began, back or not."""
        places = (replace(place, ready=place.ready and place.stayed(since_ms)) for place in self.places)
        return replace(self, places=tuple(places))

    def unmarked(self) -> "Roster":
        """Clear every ready mark and every choice of suits."""
        return replace(self, places=tuple(replace(place, ready=False, suits=None) for place in self.places))

    def chosen(self, player: str, suits: int) -> "Roster":
        """Note a seat's own suit count."""
        return self._with(self.seat(player), suits=suits, ready=False)

    def renewed(self, seats: int) -> "Roster":
        """Return the roster of the next race: who is here keeps or gets a seat, who is not has none."""
        here = (*self.present(), *self.watchers)
        places = tuple(replace(place, ready=False, suits=None, bot=place.bot_now) for place in here[:seats])
        roster = replace(self, places=places, watchers=here[seats:])
        return roster if roster.find(self.host or "") is not None else replace(roster, host=None).hosted()

    # What is told

    def told(self) -> tuple[Seat, ...]:
        """Return the seats as the wire tells them."""
        return tuple(
            Seat(
                seat=seat,
                player=place.player,
                name=place.name,
                connected=place.connected,
                ready=place.ready,
                host=place.player == self.host,
                bot=place.bot,
                suits=place.suits,
            )
            for seat, place in enumerate(self.places)
        )

    def told_watchers(self) -> tuple[Watcher, ...]:
        """Return the spectators as the wire tells them."""
        return tuple(Watcher(player=place.player, name=place.name) for place in self.watchers)

    def _watchers_but(self, player: str) -> tuple[Place, ...]:
        return tuple(place for place in self.watchers if place.player != player)

    def _with(self, seat: int, **changes: Any) -> "Roster":  # noqa: ANN401 (fields of Place)
        places = list(self.places)
        places[seat] = replace(places[seat], **changes)
        return replace(self, places=tuple(places))
