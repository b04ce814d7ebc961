"""Who sits in a race, and in which order they came: a pure value."""

from msgspec import Struct
from msgspec.structs import replace

from shared.errors import Reason, Refusal
from shared.protocol.messages import Seat


class Place(Struct, frozen=True, kw_only=True):
    """A seat and whose it is."""

    player: str
    name: str
    connected: bool = True
    ready: bool = False


class Roster(Struct, frozen=True):
    """The seats, in the order in which they were taken: a seat's number is its place here."""

    places: tuple[Place, ...] = ()

    @property
    def host(self) -> str | None:
        """The longest-present connected participant."""
        return next((place.player for place in self.places if place.connected), None)

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

    def present(self) -> tuple[Place, ...]:
        """Return the connected participants."""
        return tuple(place for place in self.places if place.connected)

    def ready(self) -> tuple[str, ...]:
        """Return the players who would start: ready and connected."""
        return tuple(place.player for place in self.present() if place.ready)

    def joined(self, player: str, name: str) -> "Roster":
        """Return the roster with *player* present, in the seat that is theirs or in a new one."""
        seat = self.find(player)
        if seat is None:
            return Roster((*self.places, Place(player=player, name=name)))
        return self._with(seat, connected=True)

    def dropped(self, player: str, *, keeps_mark: bool) -> "Roster":
        """Return the roster with *player* absent, the seat still theirs."""
        seat = self.seat(player)
        return self._with(seat, connected=False, ready=keeps_mark and self.places[seat].ready)

    def marked(self, player: str, *, ready: bool) -> "Roster":
        """Return the roster with the player's ready mark set or cleared."""
        return self._with(self.seat(player), ready=ready)

    def unmarked(self) -> "Roster":
        """Return the roster without any ready mark."""
        return Roster(tuple(replace(place, ready=False) for place in self.places))

    def told(self) -> tuple[Seat, ...]:
        """Return the roster as the wire tells it."""
        host = self.host
        return tuple(
            Seat(
                seat=seat,
                player=place.player,
                name=place.name,
                connected=place.connected,
                ready=place.ready,
                host=place.player == host,
            )
            for seat, place in enumerate(self.places)
        )

    def _with(self, seat: int, **changes: bool) -> "Roster":
        places = list(self.places)
        places[seat] = replace(places[seat], **changes)
        return Roster(tuple(places))
