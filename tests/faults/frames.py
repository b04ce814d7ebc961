"""WebSocket frames byte by byte, such as no library would send, over bare connections."""

import asyncio
from random import Random

from shared.protocol.codec import client_codec
from shared.protocol.messages import Message

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10

RSV1 = 0x40
"""The bit that says that a message is compressed."""

ANSWER_S = 60


def upgrade(port: int, path: str, subprotocol: str, *more: str) -> bytes:
    """Return the request for a WebSocket, with *more* lines in its head."""
    lines = (
        f"GET {path} HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Protocol: {subprotocol}",
        *more,
    )
    return "\r\n".join((*lines, "", "")).encode()


def frame(content: bytes, opcode: int = BINARY, *, fin: bool = True, rsv: int = 0, length: int | None = None) -> bytes:
    """Return a masked frame; it says that it is of another *length* where one is given."""
    said = len(content) if length is None else length
    first = (0x80 if fin else 0) | rsv | opcode
    if said < 126:
        head = bytes((first, 0x80 | said))
    elif said < 1 << 16:
        head = bytes((first, 0x80 | 126)) + said.to_bytes(2, "big")
    else:
        head = bytes((first, 0x80 | 127)) + said.to_bytes(8, "big")
    mask = b"\x37\xfa\x21\x3d"
    return head + mask + masked(content, mask)


def framed(message: Message, subprotocol: str) -> bytes:
    """Return a message in its frame."""
    encoded = client_codec(subprotocol).encode(message)
    return frame(encoded.encode(), TEXT) if isinstance(encoded, str) else frame(encoded)


def masked(content: bytes, mask: bytes) -> bytes:
    """Return *content* under a mask of four bytes; twice under the same is the content again."""
    wide = (mask * (len(content) // 4 + 1))[: len(content)]
    return (int.from_bytes(content, "big") ^ int.from_bytes(wide, "big")).to_bytes(len(content), "big")


def fragments(content: bytes, size: int, opcode: int = BINARY) -> bytes:
    """Return *content* as one message of many frames."""
    parts = [content[start : start + size] for start in range(0, len(content), size)]
    last = len(parts) - 1
    return b"".join(frame(part, 0 if place else opcode, fin=place == last) for place, part in enumerate(parts))


class Speaking(asyncio.Protocol):
    """Sends each part once the one before is answered; keeps what comes, also where the connection then breaks."""

    def __init__(self, *parts: bytes, ends: bool, until: bytes) -> None:
        self.answer = bytearray()
        self.over = asyncio.Event()
        self._parts = list(parts)
        self._ends = ends
        self._until = until

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.write(self._parts.pop(0))

    def data_received(self, data: bytes) -> None:
        self.answer += data
        if self._parts and b"\r\n\r\n" in self.answer:
            self._transport.write(self._parts.pop(0))
            if self._ends and not self._parts:
                self._transport.write_eof()
        if self._until and self._until in self.answer:
            self._transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self.over.set()


async def say(port: int, request: bytes, *parts: bytes, ends: bool = False, until: bytes = b"") -> bytes:
    """Send *parts* over a WebSocket of their own, each once the one before is answered.

    Return all that comes until the server closes it, or has said that.

    Where it *ends*, the server is told that nothing more comes, even if it waits for the rest of something.
    """
    async with asyncio.timeout(ANSWER_S):
        loop, made = asyncio.get_running_loop(), Speaking(request, *parts, ends=ends, until=until)
        await loop.create_connection(lambda: made, "127.0.0.1", port)
        await made.over.wait()
    return bytes(made.answer)


def close_code(answer: bytes) -> int | None:
    """Return the code of the close frame at the end of what a server said; None where it was cut without one."""
    _, _, frames = answer.partition(b"\r\n\r\n")
    while len(frames) >= 2:
        opcode, length = frames[0] & 0x0F, frames[1] & 0x7F
        start = 2
        if length >= 126:
            wide = 2 if length == 126 else 8
            length, start = int.from_bytes(frames[2 : 2 + wide], "big"), 2 + wide
        if opcode == CLOSE:
            return int.from_bytes(frames[start : start + 2], "big") if length >= 2 else None
        frames = frames[start + length :]
    return None


# Mutants

TELLING = [bytes([byte]) for byte in b'\x00\x01\x7f\x80\xc0\xc1\xc4\xc7\xc9\xd9\xdd\xdf\xe0\xff"\\{}[]:,0-e.']
"""Bytes with a meaning in either encoding, or in none."""


def mutant(seeds: list[bytes], chance: Random) -> bytes:
    """Return one of the *seeds* after one to four changes: flips, additions, gaps, repeats, ends, crossings."""
    made = bytearray(chance.choice(seeds))
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(made) + 1)
        end = min(len(made), place + chance.randint(1, 8))
        match chance.randrange(7):
            case 0 if place < len(made):
                made[place] ^= 1 << chance.randrange(8)
            case 1:
                made[place : place + 1] = chance.choice(TELLING)
            case 2:
                made[place:place] = chance.randbytes(chance.randint(1, 8))
            case 3:
                del made[place:end]
            case 4:
                made[place:place] = made[place:end] * chance.randint(1, 20)
            case 5:
                del made[place:]
            case 6:
                other = chance.choice(seeds)
                made[place:] = other[chance.randrange(len(other)) :]
    return bytes(made)


def mutant_frame(seeds: list[bytes], opcode: int, chance: Random) -> bytes:
    """Return a frame with a mutant in it; of every tenth the head is changed as well."""
    content = mutant(seeds, chance)
    if chance.randrange(10):
        return frame(content, opcode)
    made = frame(
        content,
        chance.randrange(16),
        fin=chance.random() < 0.5,
        rsv=chance.choice((0, 0, 0x10, 0x20, RSV1, 0x70)),
        length=chance.choice((None, 0, 125, 126, 65_535, 65_536, 2**31, 2**63)),
    )
    return made if chance.randrange(3) else made[: chance.randrange(len(made) + 1)]
