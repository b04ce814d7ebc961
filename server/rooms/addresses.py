"""Addresses and names of hosts: whose connection it is, behind whatever proxies, and what a server may be called."""

import re
from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import TypeAlias

from msgspec import Struct

Address: TypeAlias = IPv4Address | IPv6Address

NEAR = tuple(
    map(
        ip_network,
        (
            "127.0.0.0/8",
            "10.0.0.0/8",
            "172.16.0.0/12",
            "192.168.0.0/16",
            "169.254.0.0/16",
            "::1",
            "fc00::/7",
            "fe80::/10",
        ),
    )
)
"""Loopback and private networks: a house, a class, a proxy on the same machine."""

_FORWARDED = re.compile(r"\[([0-9A-Fa-f:.]+)\](?::[0-9]{1,5})?|([0-9.]+):[0-9]{1,5}")
"""An address as some proxies write it: in brackets, with a port."""

_HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9_.-]{1,253}))(?::[0-9]{1,5})?")


def parse_address(text: str) -> Address:
    """Return the address that *text* names, an IPv4 one where IPv6 only wraps it; raise ValueError.

    >>> parse_address("::ffff:192.168.1.7"), parse_address("fe80::1%eth0")
    (IPv4Address('192.168.1.7'), IPv6Address('fe80::1'))
    """
    address = ip_address(text.partition("%")[0])
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        return address.ipv4_mapped
    return address


class Household(Struct, frozen=True):
    """Who is counted as one: an IPv4 address, or the 64 bits of IPv6 that one customer has at the least."""

    address: Address
    near: bool
    """Loopback or private."""


def household(address: Address) -> Household:
    """Return whom *address* counts for.

    >>> household(parse_address("2001:db8::5:1"))
    Household(address=IPv6Address('2001:db8::'), near=False)
    >>> [household(parse_address(text)).near for text in ("127.0.0.1", "10.1.2.3", "fd00::1", "203.0.113.9")]
    [True, True, True, False]
    """
    near = any(address in network for network in NEAR)
    return Household(address if isinstance(address, IPv4Address) else IPv6Address(int(address) >> 64 << 64), near)


LOOPBACK = household(IPv4Address("127.0.0.1"))


class Proxies:
    """The proxies whose word on where a request came from is believed.

    >>> proxies = Proxies(["10.0.0.0/8"])
    >>> proxies.client(parse_address("10.0.0.1"), ["203.0.113.9, 198.51.100.7, 10.0.0.2"])
    Household(address=IPv4Address('198.51.100.7'), near=False)
    """

    def __init__(self, networks: Iterable[str]) -> None:
        """Take addresses or networks in CIDR form; raise ValueError."""
        self._networks = tuple(ip_network(text, strict=False) for text in networks)

    def trusts(self, address: Address) -> bool:
        """Return whether it is the address of such a proxy."""
        return any(address in network for network in self._networks)

    def client(self, peer: Address, forwarded: Sequence[str]) -> Household:
        """Return whose request it is, by the peer and all lines of X-Forwarded-For.

        They are read from right to left, since each proxy adds at the end whom it heard it from: the first address
        that is no trusted proxy's is the one. What stands before it anyone may have written. Where a proxy names
        nobody, or what can't be read, the request counts for the proxy, and never as one from near by: it may be
        anybody's.
        """
        client = peer
        for text in reversed(",".join(forwarded).split(",")):
            if not self.trusts(client):
                break
            try:
                client = _forwarded_address(text.strip())
            except ValueError:
                return Household(household(client).address, near=False)
        return household(client)


def _forwarded_address(text: str) -> Address:
    found = _FORWARDED.fullmatch(text)
    return parse_address(found[1] or found[2] if found else text)


class Hosts:
    """The names under which a server answers, so that no other site can pass off the server as its own (DNS rebinding).

    >>> hosts = Hosts("box", ["play.example.org"])
    >>> [hosts.allows(host) for host in ("box:8765", "[::1]:8765", "192.168.1.7", "Play.Example.org", "evil.example")]
    [True, True, True, True, False]
    """

    def __init__(self, machine: str, names: Iterable[str]) -> None:
        """Take the name of the machine, and further ones."""
        machine = machine.lower()
        local = f"{machine.partition('.')[0]}.local"
        self._names = {"localhost", machine, local, *(name.lower() for name in names)}

    def allows(self, host: str) -> bool:
        """Return whether a request may be for *host*, which may name a port: any IP address, or one of the names."""
        found = _HOST.fullmatch(host)
        if not found:
            return False
        if found[2] and found[2].lower().removesuffix(".") in self._names:
            return True
        try:
            return ip_address(found[1] or found[2]).version == (6 if found[1] else 4)
        except ValueError:
            return False


def is_same(origin: str, host: str) -> bool:
    """Return whether a page of *origin* was served by *host*.

    >>> is_same("https://play.example.org", "play.example.org"), is_same("http://evil.example", "box:8765")
    (True, False)
    """
    return origin.lower() in {f"{scheme}://{host.lower()}" for scheme in ("http", "https")}
