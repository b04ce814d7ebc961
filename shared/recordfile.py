"""Files of records: one as JSON, or one on each line, plain or gzipped, of any length in bounded memory."""

import re
import zlib
from collections.abc import Iterable, Iterator
from itertools import chain

from msgspec import MsgspecError
from msgspec.json import decode

from shared.errors import Reason, RecordError
from shared.forms import LARGEST

CHUNK = 1 << 20
"""Bytes that are read, or unpacked, at once."""

ENDLESS = 64 << 20
"""Bytes of one line after which the rest of its file is not read."""

_GZIP = b"\x1f\x8b"
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def record_texts(chunks: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield the text of each record of a file, with the number of its line. Blank lines are passed over.

    *chunks* are the file's bytes in pieces. What comes is no more than a text: of a line longer than LARGEST, as
    much as shows that it is too long. Raise RecordError where the file can't be read on, after all before that, and
    where it is no text before the first object begins: what follows would be told line by line, for nothing.
    """
    chunks = _gathered(chunks)
    start = next(chunks)
    if start.startswith(_GZIP):
        chunks = _gathered(_unzipped(chain([start], chunks)))
        start = next(chunks)
    start = start.removeprefix(_BYTE_ORDER_MARK)
    empty, begun = True, False
    for number, text in enumerate(_texts(start, chunks), 1):
        begun = begun or text.lstrip().startswith(b"{")
        if not (begun or _is_text(text)):
            raise RecordError(Reason.NO_RECORDS)
        if text.strip():
            empty = False
            yield number, text
    if empty:
        raise RecordError(Reason.NO_RECORDS)


def _is_text(line: bytes) -> bool:
    """Return whether people could have written *line*, which may be cut short: UTF-8, without control signs."""
    if _CONTROL.search(line):
        return False
    try:
        line.decode()
    except UnicodeDecodeError as error:
        return error.end == len(line)
    return True


def _texts(start: bytes, chunks: Iterator[bytes]) -> Iterator[bytes]:
    if len(start) > LARGEST or not _is_json(start):
        yield from _lines(chain([start], chunks))
    else:
        yield start
        next(chunks, None)  # nothing, or the error that cut the file short


def _is_json(text: bytes) -> bool:
    try:
        decode(text)
    except (MsgspecError, ValueError, RecursionError):
        return False
    return True


def _gathered(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the same bytes in pieces longer than LARGEST, but for the last; at least one."""
    held = bytearray()
    try:
        for chunk in chunks:
            held += chunk
            if len(held) > LARGEST:
                yield bytes(held)
                held.clear()
    except RecordError:
        yield bytes(held)
        raise
    yield bytes(held)


def _unzipped(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield what gzip's *chunks*, of one stream or several, stand for."""
    stream = zlib.decompressobj(wbits=31)
    try:
        for chunk in chunks:
            rest, pending = chunk.lstrip(b"\0") if stream.eof else chunk, False
            while rest or pending:
                if stream.eof:
                    stream = zlib.decompressobj(wbits=31)
                made = stream.decompress(rest, CHUNK)
                yield made
                rest = stream.unused_data.lstrip(b"\0") if stream.eof else stream.unconsumed_tail
                pending = len(made) == CHUNK and not stream.eof
    except zlib.error:
        raise RecordError(Reason.BAD_GZIP) from None
    if not stream.eof:
        raise RecordError(Reason.BAD_GZIP)


def _lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    held, dropped = b"", 0
    for chunk in chunks:
        first, *others = chunk.split(b"\n")
        held += first
        dropped += max(0, len(held) - LARGEST - 1)
        held = held[: LARGEST + 1]
        if dropped > ENDLESS:
            yield held
            raise RecordError(Reason.ENDLESS_LINE, limit=ENDLESS)
        for other in others:
            yield held
            held, dropped = other, 0
    yield held
