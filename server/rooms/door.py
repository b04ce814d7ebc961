"""The door: who is in, whose connection each is, and who may come in."""

from asyncio import Transport

from websockets.http11 import Request

from server.clock import Clock
from server.config import Limits
from server.rooms.addresses import Hosts, Household, Proxies, household, is_same, parse_address
from server.rooms.limits import Paces, Tally
from server.rooms.pace import Pace
from shared.errors import Reason, Refusal, excerpt

REFUSED_TIMES = 2
"""Beyond its limit an address or a sender is told so; beyond so many times its limit it is cut without a word."""

MINUTE_S = 60

SHOWING = ("/api/deals/", "/api/records/")
"""Whoever asks here is shown a deal, or told that it is sealed: both are to be had only so often."""

REPLAYED = "/api/races/"
"""With anything asked besides, each log of a race is played again: that costs more than showing one of them."""


class Door:
    """Counts connections by their address, from the first byte to the last."""

    def __init__(self, proxies: Proxies, hosts: Hosts, limits: Limits, clock: Clock) -> None:
        self._proxies = proxies
        self._hosts = hosts
        self._limits = limits
        self._clock = clock
        self._tally = Tally(limits.connections)
        self._requests = Paces(limits.requests)
        self._showing = Paces(limits.deal_requests / MINUTE_S, burst_s=MINUTE_S)
        self._shown = Tally(limits.deal_answers)
        self._shown_to: set[Transport] = set()
        """Those over which a deal or a record is shown at the moment."""
        self._open: dict[Transport, Household | None] = {}
        """Whose each connection is; that of a trusted proxy is nobody's until a request says whose it is."""

    def enter(self, connection: Transport) -> None:
        """Count a connection that has just been made."""
        peer = connection.get_extra_info("peername")
        if not peer:  # gone already
            connection.abort()
            return
        address = parse_address(peer[0])
        if self._proxies.trusts(address):
            self._open[connection] = None
            return
        whose = self._open[connection] = household(address)
        self._tally.enter(whose)
        if self._tally.is_over(whose, REFUSED_TIMES):
            connection.abort()

    def leave(self, connection: Transport) -> None:
        """Note that a connection is gone."""
        whose = self._open.pop(connection, None)
        if whose:
            self._tally.leave(whose)
            if connection in self._shown_to:
                self._shown_to.remove(connection)
                self._shown.leave(whose)

    def pace(self) -> Pace:
        """Return what the frames of a new connection are counted by, whatever kind they are of."""
        return Pace(REFUSED_TIMES * self._limits.messages_per_s, self._clock.now_ms())

    def floods(self, connection: Transport, pace: Pace) -> bool:
        """Count a frame; return whether the connection sends far too many, or leaves too many answers unread.

        A session hears of messages alone: what the library answers by itself, a ping, is bounded here.
        """
        waiting = connection.get_write_buffer_size()
        return waiting > self._limits.send_buffer or not pace.allows(self._clock.now_ms())

    def admit(self, connection: Transport, request: Request) -> None:
        """Raise Refusal where its address has too many connections, it is for another host, or who asked is gone."""
        if connection not in self._open:
            raise Refusal(Reason.CLOSED, why="the connection is gone")
        whose = self._whose(connection, request)
        if self._tally.is_over(whose):
            raise Refusal(Reason.TOO_MANY_CONNECTIONS, limit=self._tally.most(whose))
        host = ",".join(request.headers.get_all("Host"))
        if not self._hosts.allows(host):
            raise Refusal(Reason.BAD_HOST, host=excerpt(host))

    def admit_request(self, connection: Transport, request: Request) -> None:
        """Raise Refusal where the address of an admitted request that is for no WebSocket asks too much.

        A record's answer may be a megabyte, and is held until it is read or the connection's time is up.
        """
        whose, now_ms = self.whose(connection), self._clock.now_ms()
        if not self._requests.allows(whose, now_ms):
            raise Refusal(Reason.TOO_MANY_REQUESTS)
        if request.path.startswith(SHOWING) or (request.path.startswith(REPLAYED) and "?" in request.path):
            if self._shown.is_full(whose) or not self._showing.allows(whose, now_ms):
                raise Refusal(Reason.TOO_MANY_REQUESTS)
            self._shown.enter(whose)
            self._shown_to.add(connection)

    def admit_socket(self, request: Request) -> None:
        """Raise Refusal where a page of another site opens the WebSocket."""
        host, origins = ",".join(request.headers.get_all("Host")), request.headers.get_all("Origin")
        if not all(is_same(origin, host) for origin in origins):
            raise Refusal(Reason.BAD_ORIGIN, origin=excerpt(origins[0]))

    def _whose(self, connection: Transport, request: Request) -> Household:
        """Return whose request it is, and count the connection as theirs where a proxy made it."""
        whose = self._open[connection]
        if whose is None:
            peer = parse_address(connection.get_extra_info("peername")[0])
            whose = self._open[connection] = self._proxies.client(peer, request.headers.get_all("X-Forwarded-For"))
            self._tally.enter(whose)
        return whose

    def scheme(self, connection: Transport, request: Request) -> str:
        """Return by which scheme an admitted request came, as a proxy in between says if it is believed."""
        peer = connection.get_extra_info("peername")
        told = ",".join(request.headers.get_all("X-Forwarded-Proto")).rpartition(",")[2].strip().lower()
        believed = peer is not None and self._proxies.trusts(parse_address(peer[0]))
        return "https" if believed and told == "https" else "http"

    def whose(self, connection: Transport) -> Household:
        """Return whose an admitted connection is."""
        whose = self._open[connection]
        assert whose is not None, "admitted"
        return whose

    def cut_all(self) -> None:
        """End every connection without a word."""
        for connection in tuple(self._open):
            connection.abort()
