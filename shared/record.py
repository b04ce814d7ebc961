"""Records: an attempt's code, log and result as a file, and the proof that they hold (DESIGN.md section 4)."""

import re
from collections.abc import Sequence
from typing import Annotated

import msgpack
from msgspec import Meta, Struct, to_builtins
from msgspec.json import encode

from shared.attempt import ENTRY_LIMIT, Attempt, Entry, State, replay
from shared.errors import Reason, RecordError, SameDealError, excerpt
from shared.forms import Form, Whole
from shared.gamecode import GameCode
from shared.names import checked_name

FORMAT = "samedeal-record/1"
"""What a record says it is."""

_TIME = re.compile("([0-9]{4})-([0-9]{2})-([0-9]{2})T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:[.][0-9]{1,9})?Z")
_MONTH_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_ENTRY_PLACE = re.compile(r"\$\.entries\[([0-9]+)\]")


class Result(Struct, frozen=True, kw_only=True):
    """How an attempt ended, or stood when its time was over."""

    won: bool
    score: Whole
    moves: Whole
    elapsed_ms: Whole
    """From the attempt's start to its end."""


class _Written(Struct, frozen=True, omit_defaults=True):
    """The fields of a record in their order."""

    format: str
    code: str
    player: str
    started: str
    entries: tuple[tuple[Whole, Annotated[str, Meta(max_length=16)]], ...]
    result: Result | None = None

    def strings(self) -> int:
        """Return how many strings its JSON has, the keys included."""
        return 9 + len(self.entries) + (5 if self.result else 0)


_FORM = Form(_Written, RecordError, Reason.BAD_RECORD, _Written.strings)


class Record(Struct, frozen=True, kw_only=True):
    """An attempt to keep or to hand on. `parse` has checked its parts; whether it holds, `verify` tells.

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
        try:
            return cls._of(_FORM.from_json(text))
        except RecordError as error:
            raise _placed(error) from None

    @classmethod
    def unpack(cls, packed: bytes) -> "Record":
        """Read msgpack; raise as `parse` does."""
        try:
            return cls._of(_FORM.from_msgpack(packed))
        except RecordError as error:
            raise _placed(error) from None

    @classmethod
    def _of(cls, written: _Written) -> "Record":
        if written.format != FORMAT:
            raise RecordError(Reason.BAD_FORMAT, format=excerpt(written.format), known=FORMAT)
        if not _is_time(written.started):
            raise RecordError(Reason.BAD_TIME, text=excerpt(written.started, 40))
        if len(written.entries) > ENTRY_LIMIT + 1:
            raise RecordError(Reason.ENTRY_LIMIT, limit=ENTRY_LIMIT)
        return cls(
            code=GameCode.parse(written.code),
            player=checked_name(written.player),
            started=written.started,
            entries=written.entries,
            result=written.result,
        )

    def _written(self) -> _Written:
        return _Written(FORMAT, str(self.code), self.player, self.started, self.entries, self.result)

    def __str__(self) -> str:
        """Return the record as JSON on one line."""
        return encode(self._written()).decode()

    def pack(self) -> bytes:
        """Return the record as msgpack, as the database keeps it."""
        packed: bytes = msgpack.packb(to_builtins(self._written()))
        return packed


class Verdict(Struct, frozen=True):
    """What replaying a record showed."""

    won: bool
    score: int | None
    """After the legal entries; None where the record could not be read."""
    moves: int | None
    error: SameDealError | None
    """What is wrong: with the text, with the entry `error.entry`, or with the result."""

    @property
    def ok(self) -> bool:
        """Whether every entry is legal and the result, where there is one, agrees."""
        return self.error is None

    def fields(self) -> dict[str, object]:
        """Return the verdict as the command line prints it."""
        error = self.error and {"entry": self.error.entry, "reason": str(self.error.reason)}
        return {"ok": self.ok, "won": self.won, "score": self.score, "moves": self.moves, "error": error}

    @staticmethod
    def unread(error: SameDealError) -> "Verdict":
        """Return the verdict on what could not even be replayed."""
        return Verdict(won=False, score=None, moves=None, error=error)


def verify(record: Record) -> Verdict:
    """Replay *record* and compare its result."""
    return verify_entries(record.code, record.entries, record.result)


def verify_entries(code: GameCode, entries: Sequence[Entry], result: Result | None = None) -> Verdict:
    """Replay *entries* from the deal of *code* and compare *result*."""
    error: SameDealError | None
    try:
        attempt = replay(code, entries)
        error = _disagreement(result, attempt) if result else None
    except SameDealError as refused:
        attempt, error = replay(code, entries[: refused.entry]), refused
    return Verdict(attempt.state is State.SOLVED, attempt.score, attempt.moves, error)


def verify_text(text: bytes | str) -> Verdict:
    """Read a record's JSON and verify it; that the text is no record is a verdict too."""
    try:
        return verify(Record.parse(text))
    except SameDealError as error:
        return Verdict.unread(error)


def _disagreement(told: Result, attempt: Attempt) -> RecordError | None:
    """Return what is wrong with a result. The clock of an attempt that was broken off may have run on."""
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


def _placed(error: RecordError) -> RecordError:
    """Say of an error in the form of an entry which entry it is."""
    if error.reason is Reason.ENTRY_LIMIT:
        error.entry = ENTRY_LIMIT + 1
    else:
        found = _ENTRY_PLACE.match(str(error.params.get("place")))
        error.entry = int(found[1]) if found else None
    return error


def _is_time(text: str) -> bool:
    found = _TIME.fullmatch(text)
    if not found:
        return False
    year, month, day = map(int, found.groups())
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 1 <= month <= 12 and 1 <= day <= _MONTH_DAYS[month - 1] - (month == 2 and not leap)
