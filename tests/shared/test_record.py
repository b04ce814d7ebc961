"""Records: they come back as they went, and only what really was played holds."""

import json
from collections.abc import Callable
from typing import Any

import msgpack
import pytest
from hypothesis import given, settings

from shared.attempt import ENTRY_LIMIT, Attempt, State
from shared.errors import CodeError, NameRefused, Reason, RecordError, SameDealError
from shared.gamecode import GameCode
from shared.moves import Move
from shared.record import Record, Result, Verdict, verify, verify_entries, verify_text
from tests import vectors
from tests.strategies import LINES, attempts

FEWER = settings(max_examples=settings().max_examples // 4)
"""Drawing an attempt costs more than anything that is done with it here."""

CODE, LINE = LINES[0]
STARTED = "2026-05-01T09:30:00Z"
SHUTTLE = GameCode.parse("SS1-S1-AAAAAAE")
"""`02` and `20` can be played here for ever."""


def record_of(attempt: Attempt, *, elapsed_ms: int | None = None) -> Record:
    """Return the record of an attempt with its true result."""
    result = Result(
        won=attempt.state is State.SOLVED,
        score=attempt.score,
        moves=attempt.moves,
        elapsed_ms=attempt.last_ms if elapsed_ms is None else elapsed_ms,
    )
    return Record(code=attempt.code, player="Jo", started=STARTED, entries=attempt.entries, result=result)


def won() -> Record:
    """Return the record of a win."""
    return record_of(Attempt.start(CODE).take([(1_000 * place, text) for place, text in enumerate(LINE)]))


def written(record: Record, **changes: object) -> str:
    """Return the JSON of *record* with other fields; None takes a field out."""
    fields = {**json.loads(str(record)), **changes}
    return json.dumps({name: value for name, value in fields.items() if value is not None})


def fault(text: str) -> tuple[Reason, int | None]:
    """Return why a text is no record, and its entry that is at fault."""
    with pytest.raises(SameDealError) as refused:
        Record.parse(text)
    return refused.value.reason, refused.value.entry


# The text


def test_json_is_canonical() -> None:
    """One line, the fields in the order of the design, nothing that is not there."""
    record = Record(code=SHUTTLE, player="Zo\u00eb", started=STARTED, entries=((5, "02"), (5, "undo")))
    head = '{"format":"samedeal-record/1","code":"SS1-S1-AAAAAAE","player":"Zo\u00eb","started":"2026-05-01T09:30:00Z",'
    assert str(record) == head + '"entries":[[5,"02"],[5,"undo"]]}'


def test_reading_is_kind_and_writing_canonical() -> None:
    """A code and a name may have another form, a result may be null; fields that are not ours are dropped."""
    text = written(won(), code="#11982", player=" Zoe\u0308 ", entries=[], result=None, colour="red")
    record = Record.parse(text)
    assert record == Record.parse(text[:-1] + ',"result":null}')
    assert (str(record.code), record.player, record.result) == ("FC1-AAAALWO", "Zo\u00eb", None)
    assert "colour" not in str(record)
    assert "result" not in str(record)


def test_format_that_is_not_known_is_told() -> None:
    """It may be a newer program's: which one it is, and which one is read."""
    with pytest.raises(RecordError) as refused:
        Record.parse(written(won(), format="samedeal-record/2"))
    assert refused.value.reason is Reason.BAD_FORMAT
    assert refused.value.params == {"format": "samedeal-record/2", "known": "samedeal-record/1"}


def test_time_that_is_none_is_shown_whole() -> None:
    """What is wrong with it stands mostly at its end."""
    with pytest.raises(RecordError) as refused:
        Record.parse(written(won(), started="2026-05-01T09:30:00.123456+02:00"))
    assert refused.value.params == {"text": "2026-05-01T09:30:00.123456+02:00"}


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"format": None}, "$.format"),
        ({"format": 1}, "$.format"),
        ({"code": None}, "$.code"),
        ({"code": 7}, "$.code"),
        ({"player": None}, "$.player"),
        ({"started": None}, "$.started"),
        ({"entries": None}, "$.entries"),
        ({"entries": "26"}, "$.entries"),
        ({"entries": {}}, "$.entries"),
        ({"result": []}, "$.result"),
        ({"result": {"won": True, "score": 1, "moves": 1}}, "$.result.elapsed_ms"),
        ({"result": {"won": 1, "score": 1, "moves": 1, "elapsed_ms": 1}}, "$.result.won"),
        ({"result": {"won": True, "score": "1", "moves": 1, "elapsed_ms": 1}}, "$.result.score"),
        ({"result": {"won": True, "score": 1, "moves": 1.0, "elapsed_ms": 1}}, "$.result.moves"),
        ({"result": {"won": True, "score": 1, "moves": 1, "elapsed_ms": 2**53}}, "$.result.elapsed_ms"),
    ],
)
def test_header_of_another_shape_is_refused(changes: dict[str, Any], place: str) -> None:
    """The place is told, in both encodings, and no entry."""
    text = written(won(), **changes)
    reads: tuple[Callable[[], Record], ...] = (
        lambda: Record.parse(text),
        lambda: Record.unpack(msgpack.packb(json.loads(text))),
    )
    for read in reads:
        with pytest.raises(RecordError) as refused:
            read()
        assert refused.value.params == {"place": place}
        assert refused.value.entry is None


@pytest.mark.parametrize(
    "entry",
    [
        7,
        "26",
        [],
        [5],
        [5, "26", 1],
        ["5", "26"],
        [5.0, "26"],
        [None, "26"],
        [True, "26"],
        [5, 26],
        [5, None],
        [2**53, "26"],
        [2**64, "26"],
        [-(2**53), "26"],
        {"0": 5, "1": "26"},
    ],
)
def test_entry_of_another_shape_is_named(entry: object) -> None:
    """Which entry is not a pair of a whole number and a text is told by its number."""
    entries = [[0, "02"], [1, "20"], entry, [9, "02"]]
    assert fault(written(won(), code=str(SHUTTLE), entries=entries, result=None)) == (Reason.BAD_RECORD, 2)


@pytest.mark.parametrize(
    ("started", "holds"),
    [
        ("2026-05-01T09:30:00Z", True),
        ("2026-12-31T23:59:59.123456789Z", True),
        ("2024-02-29T00:00:00Z", True),
        ("2000-02-29T00:00:00Z", True),
        ("2026-02-29T00:00:00Z", False),
        ("1900-02-29T00:00:00Z", False),
        ("2026-04-31T00:00:00Z", False),
        ("2026-00-10T00:00:00Z", False),
        ("2026-13-10T00:00:00Z", False),
        ("2026-10-00T00:00:00Z", False),
        ("2026-05-01T24:00:00Z", False),
        ("2026-05-01T09:60:00Z", False),
        ("2026-05-01T09:30:60Z", False),
        ("2026-05-01T09:30:00", False),
        ("2026-05-01T09:30:00+00:00", False),
        ("2026-05-01T09:30Z", False),
        ("2026-05-01 09:30:00Z", False),
        ("2026-05-01T09:30:00.Z", False),
        ("2026-05-01T09:30:00.1234567890Z", False),
        ("2026-05-01T09:30:00z", False),
        ("2026-05-01T09:30:00Z\n", False),
        ("\u0662\u0660\u0662\u0666-05-01T09:30:00Z", False),
        ("", False),
    ],
)
def test_start_is_a_time_of_the_calendar(started: str, holds: bool) -> None:
    """UTC, ending in Z, on a day that there is, with or without fractions of a second."""
    text = written(won(), started=started)
    if holds:
        assert Record.parse(text).started == started
    else:
        assert fault(text) == (Reason.BAD_TIME, None)


@pytest.mark.parametrize(
    ("changes", "kind"),
    [({"code": "SS1-S3-AAAAABD"}, CodeError), ({"player": "a\u202eb"}, NameRefused), ({"player": ""}, NameRefused)],
)
def test_header_is_checked_by_its_own_parsers(changes: dict[str, str], kind: type[SameDealError]) -> None:
    """What is no code or no name is refused as everywhere."""
    with pytest.raises(kind):
        Record.parse(written(won(), **changes))


def test_as_many_entries_as_an_attempt_takes_are_read() -> None:
    """20,000 and the resignation: the longest log there can be is read and holds; one more is refused by its number."""
    entries = [(0, ("02", "20")[place % 2]) for place in range(ENTRY_LIMIT)]
    longest = Record(code=SHUTTLE, player="Jo", started=STARTED, entries=(*entries, (2**53 - 1, "resign")))
    verdict = verify_text(str(longest))
    assert (verdict.ok, verdict.moves, verdict.score) == (True, ENTRY_LIMIT, 500 - ENTRY_LIMIT)

    text = written(longest, entries=[*longest.entries, (2**53 - 1, "resign")])
    assert fault(text) == (Reason.ENTRY_LIMIT, ENTRY_LIMIT + 1)


# The proof


def told(verdict: Verdict) -> tuple[Reason, int | None]:
    """Return why a record does not hold, and the entry where it stops."""
    assert verdict.error is not None
    assert not verdict.ok
    return verdict.error.reason, verdict.error.entry


@given(attempts())
@FEWER
def test_record_of_play_comes_back_and_holds(attempt: Attempt) -> None:
    """Whatever was played, won or not: JSON in any layout and msgpack give the same record, and it is proved."""
    record = record_of(attempt)
    text = str(record)
    assert Record.parse(text) == Record.parse(text.encode()) == Record.unpack(record.pack()) == record
    assert Record.parse(json.dumps(json.loads(text), indent=2)) == record
    assert len(record.pack()) < len(text.encode())

    verdict = verify(record)
    assert verdict == Verdict(attempt.state is State.SOLVED, attempt.score, attempt.moves, None)
    assert verdict == verify_text(text) == verify_entries(attempt.code, attempt.entries)


def test_win_and_score_are_told() -> None:
    """500 less a point a move and 100 for each of the four sequences (SS8)."""
    assert verify(won()).fields() == {
        "ok": True,
        "won": True,
        "score": 900 - len(LINE),
        "moves": len(LINE),
        "error": None,
    }


@pytest.mark.parametrize("row", vectors.rows("lines.jsonl"), ids=lambda row: str(row["code"]))
def test_each_entry_that_is_changed_is_found(row: vectors.Row) -> None:
    """An illegal move at any place is refused there, after what was legal before it."""
    code = GameCode.parse(row["code"])
    entries = [(0, text) for text in row["line"].split()]
    for place in range(0, len(entries), 7):
        verdict = verify_entries(code, [*entries[:place], (0, "11"), *entries[place:]])
        assert told(verdict) == (Reason.IDLE, place)
        assert verdict.moves == place
        assert not verdict.won


@pytest.mark.parametrize(
    ("entries", "reason", "entry"),
    [
        ([(0, "02"), (0, "02")], Reason.EMPTY_PILE, 1),
        ([(0, "02"), (0, "xx")], Reason.BAD_MOVE, 1),
        ([(0, "02"), (0, "")], Reason.BAD_MOVE, 1),
        ([(0, "02"), (0, "Undo")], Reason.BAD_MOVE, 1),
        ([(0, "undo")], Reason.NO_UNDO, 0),
        ([(0, "02"), (0, "restart"), (0, "undo")], Reason.NO_UNDO, 2),
        ([(0, "hint")], Reason.NO_HINT, 0),
        ([(-1, "02")], Reason.TIME_FELL, 0),
        ([(5, "02"), (4, "20")], Reason.TIME_FELL, 1),
        ([(0, "resign"), (0, "02")], Reason.NOT_PLAYING, 1),
        ([(0, "resign"), (0, "resign")], Reason.NOT_PLAYING, 1),
    ],
)
def test_entry_that_is_not_legal_is_named(entries: list[tuple[int, str]], reason: Reason, entry: int) -> None:
    """The first of them, counted from 0, with the reason that live play would have given."""
    assert told(verify_entries(SHUTTLE, entries)) == (reason, entry)


def test_nothing_follows_a_win() -> None:
    """Neither a move nor a word; the win before it is still told."""
    for text in ("12", "undo", "restart", "resign"):
        verdict = verify_entries(CODE, [*won().entries, (won().entries[-1][0], text)])
        assert told(verdict) == (Reason.NOT_PLAYING, len(LINE))
        assert verdict.won


@pytest.mark.parametrize("field", ["won", "score", "moves", "elapsed_ms"])
def test_result_has_to_agree(field: str) -> None:
    """A boast in any field, up or down, is found; no entry is at fault."""
    record = won()
    assert record.result is not None
    fields = json.loads(str(record))["result"]
    for change in (False,) if field == "won" else (fields[field] + 1, fields[field] - 1):
        verdict = verify_text(written(record, result={**fields, field: change}))
        assert told(verdict) == (Reason.BAD_RESULT, None)
        assert verdict.won
        assert verdict.error is not None
        assert verdict.error.params["field"] == field


def test_clock_of_an_attempt_that_was_broken_off_may_run_on() -> None:
    """After the last entry of one that is neither won nor resigned, but not back; after a resignation not at all."""
    played = Attempt.start(SHUTTLE).play(Move.parse("02"), 5_000)
    assert verify(record_of(played)).ok
    assert verify(record_of(played, elapsed_ms=900_000)).ok
    assert told(verify(record_of(played, elapsed_ms=4_999))) == (Reason.BAD_RESULT, None)
    resigned = played.resign(6_000)
    assert verify(record_of(resigned)).ok
    assert told(verify(record_of(resigned, elapsed_ms=6_001))) == (Reason.BAD_RESULT, None)


def test_without_a_result_only_the_entries_are_verified() -> None:
    """An empty log holds too."""
    assert verify_text(written(won(), result=None)) == verify(won())
    assert verify_entries(SHUTTLE, []) == Verdict(won=False, score=500, moves=0, error=None)


def test_what_is_no_record_is_a_verdict_too() -> None:
    """There is no score then; the error has the fields that the command line prints."""
    assert verify_text("{").fields() == {
        "ok": False,
        "won": False,
        "score": None,
        "moves": None,
        "error": {"entry": None, "reason": "NOT_JSON"},
    }
    bad_entry = written(won(), entries=[[0, 1]])
    assert verify_text(bad_entry).fields()["error"] == {"entry": 0, "reason": "BAD_RECORD"}


def test_every_truncation_is_refused() -> None:
    """A record cut at any byte is no record, and says so."""
    text, packed = str(won()).encode(), won().pack()
    for end in range(len(text)):
        assert told(verify_text(text[:end])) == (Reason.NOT_JSON, None)
    for end in range(len(packed)):
        with pytest.raises(RecordError):
            Record.unpack(packed[:end])
