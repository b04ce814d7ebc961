"""The door: who is in, whose connection each is, and who may come in."""

import asyncio

from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request

from server import metrics
from server.addresses import Address, Hosts, Proxies, is_same, parse_address
from server.limits import Tally
from shared.errors import Reason, Refusal, excerpt

REFUSED_TIMES = 2
"""Beyond its limit an address is told so; beyond so many times its limit its connections are cut without a word."""


class Door:
    """Counts connections by their address, from the first byte to the last."""

    def __init__(self, proxies: Proxies, hosts: Hosts, most: int) -> None:
        self._proxies = proxies
        self._hosts = hosts
        self._tally = Tally(most)
        self._open: dict[ServerConnection, Address] = {}
        """Whose each connection is: that of a proxy is its own until a request says whose it is."""

    def enter(self, connection: ServerConnection) -> None:
        """Count a connection that has just been made."""
        peer = connection.transport.get_extra_info("peername")
        if not peer:  # gone already
            connection.transport.abort()
            return
        address = self._open[connection] = parse_address(peer[0])
        if not self._proxies.trusts(address):
            self._tally.enter(address)
            if self._tally.is_over(address, REFUSED_TIMES):
                connection.transport.abort()

    def leave(self, connection: ServerConnection) -> None:
        """Note that a connection is gone, and how that came about."""
        if connection.subprotocol:
            metrics.CLOSES.labels(metrics.close_label(connection.close_code)).inc()
        address = self._open.pop(connection, None)
        if address and not self._proxies.trusts(address):
            self._tally.leave(address)

    def admit(self, connection: ServerConnection, request: Request) -> None:
        """Raise Refusal where the address of *request* has too many connections, or it is for another host."""
        address = self._whose(connection, request)
        if self._tally.is_over(address):
            raise Refusal(Reason.TOO_MANY_CONNECTIONS, limit=self._tally.most(address))
        host = ",".join(request.headers.get_all("Host"))
        if not self._hosts.allows(host):
            raise Refusal(Reason.BAD_HOST, host=excerpt(host))

    def admit_socket(self, request: Request) -> None:
        """Raise Refusal where a page of another site opens the WebSocket."""
        host, origins = ",".join(request.headers.get_all("Host")), request.headers.get_all("Origin")
        if not all(is_same(origin, host) for origin in origins):
            raise Refusal(Reason.BAD_ORIGIN, origin=excerpt(origins[0]))

    def _whose(self, connection: ServerConnection, request: Request) -> Address:
        """Return whose request it is, and count the connection as theirs where a proxy made it."""
        peer = self._open[connection]
        if not self._proxies.trusts(peer):
            return peer
        address = self._proxies.client(peer, request.headers.get_all("X-Forwarded-For"))
        if not self._proxies.trusts(address):
            self._open[connection] = address
            self._tally.enter(address)
        return address

    def scheme(self, connection: ServerConnection, request: Request) -> str:
        """Return by which scheme an admitted request came, as a proxy in between says if it is believed."""
        peer = connection.transport.get_extra_info("peername")
        told = ",".join(request.headers.get_all("X-Forwarded-Proto")).rpartition(",")[2].strip().lower()
        believed = peer is not None and self._proxies.trusts(parse_address(peer[0]))
        return "https" if believed and told == "https" else "http"

    def address(self, connection: ServerConnection) -> Address:
        """Return whose an admitted connection is."""
        return self._open[connection]

    def cut_all(self) -> None:
        """End every connection without a word."""
        for connection in tuple(self._open):
            connection.transport.abort()


def visitors(door: Door) -> type[ServerConnection]:
    """Return the kind of connection that reports to *door*."""

    class Visitor(ServerConnection):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            super().connection_made(transport)
            door.enter(self)

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            door.leave(self)

    return Visitor
