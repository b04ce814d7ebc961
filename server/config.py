"""What can be set, with what holds where nothing is said. `settings` makes flags and environment variables of it."""

import re
from ipaddress import ip_network
from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

Bytes: TypeAlias = Annotated[int, Meta(ge=256, le=2**30)]
Amount: TypeAlias = Annotated[int, Meta(ge=1, le=1_000_000)]
Duration: TypeAlias = Annotated[int, Meta(ge=100, le=600_000)]


class Limits(Struct, frozen=True, kw_only=True):
    """What one connection, address or room may take up (DESIGN.md section 11)."""

    message: Annotated[Bytes, Meta(description="bytes of a message received")] = 16_384
    messages_per_s: Annotated[
        Amount, Meta(description="messages a second of one connection; five seconds' worth may come at once")
    ] = 50
    send_buffer: Annotated[Bytes, Meta(description="bytes that a receiver may leave unread before it is cut")] = 262_144
    inbox: Annotated[Amount, Meta(description="commands that may wait in a room")] = 256
    connections: Annotated[
        Amount, Meta(description="connections of one address; ten times as many of a loopback or private one")
    ] = 100
    address_rooms: Annotated[
        Amount, Meta(description="rooms made by one address; ten times as many by a loopback or private one")
    ] = 10
    rooms: Annotated[Amount, Meta(description="rooms in all")] = 1_000
    spectators: Annotated[Amount, Meta(description="spectators of one room")] = 500
    requests: Annotated[
        Amount,
        Meta(
            description="requests a second of one address, five seconds' worth at once; ten times as many from near by"
        ),
    ] = 20
    deal_requests: Annotated[
        Amount,
        Meta(description="requests a minute of one address for deals and replays; ten times as many from near by"),
    ] = 60
    deal_answers: Annotated[
        Amount,
        Meta(description="deals and replays that one address may be sent at once; ten times as many from near by"),
    ] = 8
    handshake_ms: Annotated[Duration, Meta(description="time for a request and its answer, or a goodbye")] = 10_000
    hello_ms: Annotated[Duration, Meta(description="time until the first message")] = 10_000


class Config(Struct, frozen=True, kw_only=True):
    """How a server runs."""

    host: Annotated[str, Meta(description="the address to listen on; 127.0.0.1 is this machine alone")] = "127.0.0.1"
    lan: Annotated[bool, Meta(description="listen on the network, and print the addresses to share")] = False
    port: Annotated[int, Meta(ge=0, le=65_535, description="the port; 0 for a free one")] = 8765
    database: Annotated[str, Meta(description="the database, a path or sqlite:///PATH")]
    word: Annotated[
        str | None, Meta(description="a secret that whoever makes a room has to say; none is asked without it")
    ] = None
    trusted_proxy: Annotated[
        tuple[str, ...],
        Meta(description="an address or network (CIDR) whose X-Forwarded-For is believed; several may be given"),
    ] = ()
    name: Annotated[
        tuple[str, ...], Meta(description="a name under which the server may be reached; several may be given")
    ] = ()
    limits: Limits = Limits()

    def __post_init__(self) -> None:
        """Raise ValueError for a proxy that is no address, a name that no host can have and a host without a name."""
        try:
            named = self.host.encode("idna")
        except UnicodeError:
            named = b""
        if not named:  # an empty one would be every address
            raise ValueError(f"{self.host!r} is no host to listen on: give an address, or --lan for all")
        for text in self.trusted_proxy:
            ip_network(text, strict=False)
        for text in self.name:
            if not re.fullmatch("[A-Za-z0-9_.-]{1,253}", text):
                raise ValueError(f"{text!r} can't be the name of a host: give it without http:// and port")

    @property
    def listens_on(self) -> str:
        """The address to listen on."""
        return "0.0.0.0" if self.lan else self.host
