"""Whose a connection is, behind proxies that are believed and those that are not, and what a server is called."""

import pytest

from server.rooms.addresses import Hosts, Household, Proxies, household, is_same, parse_address

PROXY, INNER, CLIENT = "10.0.0.1", "10.0.0.2", "203.0.113.9"
PROXIES = Proxies(["10.0.0.0/8", "2001:db8:1::7"])


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        (CLIENT, [], CLIENT),
        (CLIENT, ["198.51.100.7"], CLIENT),
        (PROXY, [CLIENT], CLIENT),
        (PROXY, [f"198.51.100.7, {CLIENT}"], CLIENT),
        (PROXY, ["198.51.100.7", CLIENT], CLIENT),
        (PROXY, [f"{CLIENT}, {INNER}"], CLIENT),
        ("2001:db8:1::7", ["2001:db8:2::1"], "2001:db8:2::1"),
        (PROXY, ["::ffff:203.0.113.9"], CLIENT),
        (PROXY, [f"{CLIENT}:4711"], CLIENT),
        (PROXY, ["[2001:db8:2::1]"], "2001:db8:2::1"),
        (PROXY, ["198.51.100.7, [2001:db8:2::1]:4711"], "2001:db8:2::1"),
        (PROXY, [f"[::ffff:{CLIENT}]:1, {INNER}:80"], CLIENT),
        (PROXY, [INNER], INNER),
    ],
)
def test_client_is_the_last_address_that_no_trusted_proxy_has(peer: str, forwarded: list[str], client: str) -> None:
    """What a stranger writes into X-Forwarded-For is not believed, nor what stands left of what a proxy wrote."""
    assert PROXIES.client(parse_address(peer), forwarded) == household(parse_address(client))


@pytest.mark.parametrize(
    ("forwarded", "proxy"),
    [
        ([], PROXY),
        ([""], PROXY),
        (["unknown"], PROXY),
        ([f"{CLIENT}, unknown"], PROXY),
        ([f"{CLIENT}, [{CLIENT}"], PROXY),
        ([f"{CLIENT}:"], PROXY),
        ([f"{CLIENT}:4711:1"], PROXY),
        (["2001:db8:2::1]:80"], PROXY),
        ([f"{CLIENT}, nonsense, {INNER}"], INNER),
        (["," * 2_000], PROXY),
    ],
)
def test_who_is_not_named_counts_for_the_proxy_as_one_from_afar(forwarded: list[str], proxy: str) -> None:
    """A proxy near by does not make near who comes through it."""
    assert PROXIES.client(parse_address(PROXY), forwarded) == Household(parse_address(proxy), near=False)


@pytest.mark.parametrize(("one", "other"), [("2001:db8::1", "2001:db8::ffff"), ("::ffff:10.0.0.1", "10.0.0.1")])
def test_a_household_is_one(one: str, other: str) -> None:
    """The addresses that one customer chooses from at will count as one."""
    assert household(parse_address(one)) == household(parse_address(other))


@pytest.mark.parametrize(("one", "other"), [("2001:db8::1", "2001:db8:0:1::1"), ("203.0.113.9", "203.0.113.10")])
def test_households_differ(one: str, other: str) -> None:
    """Other customers are counted apart."""
    assert household(parse_address(one)) != household(parse_address(other))


def test_documentation_addresses_are_far() -> None:
    """Only what no stranger on the Internet can have is near, whatever else is reserved."""
    far, near = (CLIENT, "192.0.2.1", "2001:db8::1", "100.64.0.1"), (PROXY, "::1", "fe80::1%eth0", "169.254.1.1")
    assert not any(household(parse_address(text)).near for text in far)
    assert all(household(parse_address(text)).near for text in near)


HOSTS = Hosts("Box.example.org", ["play.example.net"])


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST:80",
        "localhost.",
        "box.example.org:8765",
        "box.local",
        "play.example.net",
        "127.0.0.1:1",
        "192.168.1.7",
        "[::1]",
        "[2001:db8::1]:8765",
    ],
)
def test_own_names_are_allowed(host: str) -> None:
    """An address, this machine's name and what was configured, with or without a port."""
    assert HOSTS.allows(host)


@pytest.mark.parametrize(
    "host",
    [
        "",
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "a,localhost",
        "localhost:99999999",
        "user@localhost",
        "localhost/",
        "[127.0.0.1]",
        "::1",
        "[::1",
        "1",
        "0x7f000001",
        "lo\u0441alhost",
        "local host",
        "localhost\n",
    ],
)
def test_other_names_are_not(host: str) -> None:
    """What a page of another site would have a browser send is refused, and so is what is no host at all."""
    assert not HOSTS.allows(host)


def test_origin_is_the_host_itself() -> None:
    """Scheme aside, an origin equals the host that the request is for, port included."""
    assert is_same("http://box:8765", "box:8765")
    assert is_same("HTTPS://Play.example.net", "play.example.net")
    assert not any(is_same(origin, "box:8765") for origin in ("http://box", "null", "", "box:8765", "ftp://box:8765"))
