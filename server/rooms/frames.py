"""WebSocket frames as bytes (RFC 6455, section 5.2): made of whole messages, and measured in what has come."""

from struct import Struct

from shared.protocol.codec import Frame

WHOLE_TEXT, WHOLE_BINARY = 0x81, 0x82
"""First bytes of frames that are a message each."""

WHOLE = (WHOLE_BINARY, WHOLE_TEXT)

MASKED = 0x80
"""What every frame of a client has in its second byte."""

HEAD = 6
"""Bytes before the payload of a short frame of a client: two, and the mask."""

SHORT = 126
"""Payloads below that have their length in the second byte; 126 and 127 there say that it follows, in two or eight."""

_MEDIUM, _LONG = Struct("!BBH"), Struct("!BBQ")


def framed(message: Frame) -> bytes:
    r"""Return the frame in which a server sends *message*.

    >>> framed(b"abc"), framed("é"), framed(bytes(300))[:4]
    (b'\x82\x03abc', b'\x81\x02\xc3\xa9', b'\x82~\x01,')
    """
    kind, payload = (WHOLE_TEXT, message.encode()) if isinstance(message, str) else (WHOLE_BINARY, message)
    size = len(payload)
    if size < SHORT:
        return bytes((kind, size)) + payload
    head = _MEDIUM.pack(kind, 126, size) if size < 1 << 16 else _LONG.pack(kind, 127, size)
    return head + payload


def end_of(data: bytes, start: int, longest: int) -> int:
    r"""Return where in *data* the frame ends that begins at *start*; beyond the end of *data* if it is not all there.

    Of a frame whose head says that it is longer than *longest*, or that no client may send it so, there need not come
    more: it ends where *data* does.

    >>> end_of(b"..\x81\x85mask", 2, 99), end_of(b"\x82\xfe\x01", 0, 99), end_of(b"\x82\xfe\x01\x00", 0, 99)
    (13, 4, 4)
    """
    body = start + 2
    if len(data) < body:
        return len(data) + 1
    size = data[start + 1] & 0x7F
    if size >= SHORT:
        body += 2 if size == SHORT else 8
        if len(data) < body:
            return len(data) + 1
        size = int.from_bytes(data[start + 2 : body], "big")
    if size > longest or data[start + 1] < MASKED:
        return len(data)
    return body + 4 + size
