"""Records: an attempt's code, log and result as a file, and the proof that they hold (DESIGN.md section 4)."""

import re
from json import JSONDecoder
from typing import Annotated, Literal, TypeAlias

import msgpack
from msgspec import Meta, MsgspecError, Struct, ValidationError, convert, to_builtins
from msgspec.json import Decoder, encode

from shared.attempt import ENTRY_LIMIT, Attempt, Entry, State, replay
from shared.errors import Reason, RecordError, SameDealError, excerpt
from shared.gamecode import GameCode
from shared.names import checked_name

LARGEST = 1 << 20
"""Bytes of a record, twice what the longest attempt takes."""

HIGHEST = 2**53 - 1
"""Beyond it not everyone who reads JSON sees the same whole number."""

Whole: TypeAlias = Annotated[int, Meta(ge=-HIGHEST, le=HIGHEST)]

_TIME = re.compile("([0-9]{4})-([0-9]{2})-([0-9]{2})T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:[.][0-9]{1,9})?Z")
_MONTH_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_PLACE = re.compile(r"at `\$[.]?([^`]*)`")
_MISSING = re.compile("missing required field `([^`]*)`")
_ENTRY = re.compile(r"entries\[([0-9]+)\]")


class Result(Struct, frozen=True, kw_only=True):
    """How an attempt ended, or stood when its time was over."""

    won: bool
    score: Whole
    moves: Whole
    elapsed_ms: Whole
    """From the attempt's start to its end."""


class _Form(Struct, frozen=True, omit_defaults=True):
    """The fields of a record in their order; others are ignored."""

    format: Literal["samedeal-record/1"]
    code: str
    player: str
    started: str
    entries: tuple[tuple[Whole, str], ...]
    result: Result | None = None


class Record(Struct, frozen=True, kw_only=True):
    """An attempt to keep or to hand on. Its parts are as `parse` has checked them; only `verify` replays it.

    >>> text = '{"format":"samedeal-record/1","code":"FC1-AAAAAAB","player":"Jo",'
    >>> text += '"started":"2026-05-01T09:30:00Z","entries":[[900,"6a"]]}'
    >>> record = Record.parse(text)
    >>> record.entries, str(record) == text, Record.unpack(record.pack()) == record
    (((900, '6a'),), True, True)
    """

    code: GameCode
    player: str
    started: str
    """UTC as RFC 3339 writes it, ending in Z."""
    entries: tuple[Entry, ...]
    result: Result | None = None

    @classmethod
    def parse(cls, text: bytes | str) -> "Record":
        """Read JSON; raise SameDealError, with `entry` where one entry is at fault."""
        _check_size(text)
        try:
            written = text.decode() if isinstance(text, bytes) else text
            form = _JSON.decode(written)
            _KEYS.decode(written)
        except ValidationError as error:
            raise _misshapen(error) from None
        except (MsgspecError, ValueError, RecursionError):
            raise RecordError(Reason.NOT_JSON) from None
        return cls._of(form)

    @classmethod
    def unpack(cls, packed: bytes) -> "Record":
        """Read msgpack; raise SameDealError as `parse` does."""
        _check_size(packed)
        try:
            return cls._of(convert(msgpack.unpackb(packed, object_pairs_hook=_once), _Form))
        except ValidationError as error:
            raise _misshapen(error) from None
        except (ValueError, TypeError, RecursionError):
            raise RecordError(Reason.BAD_RECORD, place="-") from None

    @classmethod
    def _of(cls, form: _Form) -> "Record":
        if not _is_time(form.started):
            raise RecordError(Reason.BAD_TIME, text=excerpt(form.started))
        if len(form.entries) > ENTRY_LIMIT + 1:
            error = RecordError(Reason.ENTRY_LIMIT, limit=ENTRY_LIMIT)
            error.entry = ENTRY_LIMIT + 1
            raise error
        return cls(
            code=GameCode.parse(form.code),
            player=checked_name(form.player),
            started=form.started,
            entries=form.entries,
            result=form.result,
        )

    def _form(self) -> _Form:
        return _Form("samedeal-record/1", str(self.code), self.player, self.started, self.entries, self.result)

    def __str__(self) -> str:
        """Return the record as JSON on one line."""
        return encode(self._form()).decode()

    def pack(self) -> bytes:
        """Return the record as msgpack, as the database keeps it."""
        packed: bytes = msgpack.packb(to_builtins(self._form()))
        return packed


class Verdict(Struct, frozen=True):
    """What replaying a record showed."""

    won: bool
    score: int | None
    """After the legal entries; None where the record could not even be read."""
    moves: int | None
    error: SameDealError | None
    """What is wrong: with the text, with the entry `error.entry`, or with the result."""

    @property
    def ok(self) -> bool:
        """Whether every entry is legal and the result, where there is one, agrees."""
        return self.error is None


def verify(record: Record) -> Verdict:
    """Replay *record* and compare its result."""
    error: SameDealError | None
    try:
        attempt = replay(record.code, record.entries)
        error = _disagreement(record.result, attempt) if record.result else None
    except SameDealError as refused:
        attempt, error = replay(record.code, record.entries[: refused.entry]), refused
    return Verdict(attempt.state is State.SOLVED, attempt.score, attempt.moves, error)


def verify_text(text: bytes | str) -> Verdict:
    """Read a record's JSON and verify it; a text that is none is a verdict too."""
    try:
        return verify(Record.parse(text))
    except SameDealError as error:
        return Verdict(won=False, score=None, moves=None, error=error)


def _disagreement(told: Result, attempt: Attempt) -> RecordError | None:
    """Return what is wrong with a result; the clock of an attempt that was broken off may have run on."""
    over = attempt.state in (State.SOLVED, State.RESIGNED)
    right = Result(
        won=attempt.state is State.SOLVED,
        score=attempt.score,
        moves=attempt.moves,
        elapsed_ms=attempt.last_ms if over else max(attempt.last_ms, told.elapsed_ms),
    )
    for field in Result.__struct_fields__:
        said, is_so = getattr(told, field), getattr(right, field)
        if said != is_so:
            return RecordError(Reason.BAD_RESULT, field=field, told=str(said).lower(), right=str(is_so).lower())
    return None


def _check_size(text: object) -> None:
    if not isinstance(text, bytes | str):
        raise RecordError(Reason.BAD_RECORD, place="-")
    if len(text) > LARGEST:
        raise RecordError(Reason.TOO_LARGE, limit=LARGEST)


def _misshapen(error: ValidationError) -> RecordError:
    """Return ours for msgspec's, whose message ends with the place: `$.entries[3][0]`."""
    found, missing = _PLACE.search(str(error)), _MISSING.search(str(error))
    place = ".".join(match[1] for match in (found, missing) if match and match[1])
    ours = RecordError(Reason.BAD_RECORD, place=excerpt(place) if place else "-")
    entry = _ENTRY.match(place)
    ours.entry = int(entry[1]) if entry else None
    return ours


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Make an object of its pairs; with a key twice, nobody could say which of them counts."""
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        raise RecordError(Reason.KEY_TWICE, key=excerpt(next(key for key in keys if keys.count(key) > 1)))
    return made


def _is_time(text: str) -> bool:
    found = _TIME.fullmatch(text)
    if not found:
        return False
    year, month, day = map(int, found.groups())
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 1 <= month <= 12 and 1 <= day <= _MONTH_DAYS[month - 1] - (month == 2 and not leap)


_JSON = Decoder(_Form)
_KEYS = JSONDecoder(object_pairs_hook=_once)
