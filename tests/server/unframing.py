"""What a server's frames hold, read as a client would."""

from collections.abc import Iterable, Iterator

import pytest
from websockets.frames import Frame as Piece
from websockets.frames import Opcode
from websockets.streams import StreamReader

from shared.protocol.codec import Frame


def unframed(frames: Iterable[bytes]) -> Iterator[Frame]:
    """Yield the messages in *frames*, each of which is one."""
    for frame in frames:
        reader = StreamReader()
        reader.feed_data(frame)
        reader.feed_eof()
        with pytest.raises(StopIteration) as parsed:
            next(Piece.parse(reader.read_exact, mask=False))
        piece: Piece = parsed.value.value
        assert piece.fin
        assert not reader.buffer
        yield bytes(piece.data).decode() if piece.opcode is Opcode.TEXT else bytes(piece.data)
