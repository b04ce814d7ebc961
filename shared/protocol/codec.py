"""Messages to frames and back, in both encodings of the wire: msgpack (binary) and JSON (text).

The bytes are made by `msgpack` and `json`; shapes are checked by `msgspec.convert` against the declarations.
"""

import json
from abc import ABC, abstractmethod
from typing import Generic, NoReturn, TypeAlias, TypeVar, get_args

import msgpack
from msgspec import ValidationError, convert, to_builtins

from shared.errors import ProtocolError, Reason, excerpt
from shared.protocol.messages import AnyCommand, AnyEvent, Message
from shared.protocol.values import Count

Frame: TypeAlias = bytes | str
"""A binary frame (msgpack) or a text frame (JSON)."""

Received = TypeVar("Received")

LONGEST_WHY = 100
"""Characters that tell why a frame is no message: a close frame has room for 123 bytes."""


class Codec(ABC, Generic[Received]):
    """One encoding, for one side: a server receives `AnyCommand`, a client `AnyEvent`."""

    subprotocol: str

    def __init__(self, receives: object) -> None:
        self._receives = receives
        self._known = {message.__name__: message for message in get_args(receives)}

    def decode(self, frame: Frame) -> Received:
        """Return the message in *frame*.

        Raise ProtocolError: UNKNOWN_COMMAND, with the `id` to answer to, for a map whose type is none of ours;
        BAD_MESSAGE for all else.
        """
        shape = self._parse(frame)
        try:
            message: Received = convert(shape, self._declared(shape))
        except ValidationError as error:
            raise ProtocolError(Reason.BAD_MESSAGE, why=_shown(error)) from None
        return message

    def _declared(self, shape: object) -> object:
        """Return what *shape* has to be: one message by its type, any where it has none.

        The one is found here because `convert` builds its tables for a union anew each time.
        """
        if not isinstance(shape, dict) or not isinstance(kind := shape.get("type"), str):
            return self._receives
        if kind not in self._known:
            raise ProtocolError(Reason.UNKNOWN_COMMAND, command=excerpt(kind), id=_id_of(shape))
        return self._known[kind]

    @abstractmethod
    def encode(self, message: Message) -> Frame:
        """Return the frame of *message*."""

    @abstractmethod
    def _parse(self, frame: Frame) -> object:
        """Return the frame's maps, lists and scalars; raise ProtocolError."""


class MsgpackCodec(Codec[Received]):
    """Binary frames."""

    subprotocol = "samedeal.v1.msgpack"

    def encode(self, message: Message) -> bytes:
        packed: bytes = msgpack.packb(to_builtins(message))
        return packed

    def _parse(self, frame: Frame) -> object:
        if isinstance(frame, str):
            raise ProtocolError(Reason.BAD_MESSAGE, why="a text frame where a binary one is due")
        try:
            return msgpack.unpackb(frame)
        except ValueError:
            raise ProtocolError(Reason.BAD_MESSAGE, why="no msgpack") from None


class JsonCodec(Codec[Received]):
    """Text frames."""

    subprotocol = "samedeal.v1.json"

    def encode(self, message: Message) -> str:
        return json.dumps(to_builtins(message), ensure_ascii=False, separators=(",", ":"))

    def _parse(self, frame: Frame) -> object:
        if isinstance(frame, bytes):
            raise ProtocolError(Reason.BAD_MESSAGE, why="a binary frame where a text one is due")
        try:
            shape: object = json.loads(frame, parse_constant=_no_constant)
            json.dumps(shape, ensure_ascii=False).encode()  # an escape may have made half a surrogate pair
        except (ValueError, RecursionError):
            raise ProtocolError(Reason.BAD_MESSAGE, why="no JSON") from None
        return shape


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)  # NaN and the infinities are Python's, not JSON's


def _id_of(shape: dict[str, object]) -> int:
    """Return the id that an answer to *shape* carries: 0 where it has none that may be sent."""
    try:
        number: int = convert(shape.get("id"), Count)
    except ValidationError:
        return 0
    return number


def _shown(error: ValidationError) -> str:
    """Return what is wrong and, at the end, where; a part of it is what was sent, so it may be of any length."""
    return str(error).encode("ascii", "backslashreplace").decode()[-LONGEST_WHY:]


def server_codecs() -> dict[str, Codec[AnyCommand]]:
    """Return what a server reads and writes, by subprotocol, the preferred one first."""
    codecs: tuple[Codec[AnyCommand], ...] = (MsgpackCodec(AnyCommand), JsonCodec(AnyCommand))
    return {codec.subprotocol: codec for codec in codecs}


def client_codec(subprotocol: str) -> Codec[AnyEvent]:
    """Return what a client reads and writes under *subprotocol*."""
    codecs: tuple[Codec[AnyEvent], ...] = (MsgpackCodec(AnyEvent), JsonCodec(AnyEvent))
    return next(codec for codec in codecs if codec.subprotocol == subprotocol)
