"""What a server on the network is reached by: its addresses, and each as a code to take a picture of."""

import io
import socket
from collections.abc import Iterator

import ifaddr
import segno

from server.rooms.addresses import Address, parse_address

VIRTUAL = ("docker", "br-", "veth", "virbr", "vmnet", "vboxnet")
"""How the interfaces begin that lead to this machine's own containers and machines, where no friend is."""

ELSEWHERE = "192.0.2.1"
"""An address that leads out of here (RFC 5737); nothing is sent there."""


def lan_addresses() -> tuple[Address, ...]:
    """Return the IPv4 addresses under which others on the network reach this machine, the usual one first."""
    found = dict.fromkeys(_all_addresses())
    usual = _usual_address()
    return tuple(sorted(found, key=lambda address: address != usual))


def _all_addresses() -> Iterator[Address]:
    for adapter in ifaddr.get_adapters():
        if not adapter.nice_name.startswith(VIRTUAL):
            for ip in adapter.ips:
                address = parse_address(ip.ip) if isinstance(ip.ip, str) else None
                if address and not address.is_loopback and not address.is_link_local:
                    yield address


def _usual_address() -> Address | None:
    """Return the address that this machine speaks from to others; None without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect((ELSEWHERE, 9))
        except OSError:
            return None
        return parse_address(asking.getsockname()[0])


def qr_picture(link: str) -> bytes:
    """Return *link* as a QR code to show, an SVG: dark on white with a quiet zone, whatever the page's colours."""
    drawn = io.BytesIO()
    segno.make_qr(link, error="m").save(
        drawn, kind="svg", border=4, dark="#000", light="#fff", omitsize=True, xmldecl=False, nl=False
    )
    return drawn.getvalue()


def qr_code(link: str) -> str:
    """Return *link* as a QR code in characters."""
    drawn = io.StringIO()
    segno.make_qr(link).terminal(drawn, border=2, compact=True)
    return drawn.getvalue()


def fitting_code(link: str, columns: int) -> str:
    """Return *link* as a QR code; where a terminal has too few *columns* for it, how many it takes.

    >>> print(fitting_code("http://192.168.1.20:8765/", 28))
    (The code to take a picture of needs a terminal of 29 columns.)
    """
    drawn = qr_code(link)
    width = max(map(len, drawn.splitlines()))
    return drawn if width <= columns else f"(The code to take a picture of needs a terminal of {width} columns.)"
