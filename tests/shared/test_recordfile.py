"""Files of records: every record comes out whole, with its line, and bad parts cost no more than themselves."""

import gzip
import tracemalloc
import zlib
from collections.abc import Iterable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.errors import Reason, RecordError
from shared.forms import LARGEST
from shared.recordfile import CHUNK, ENDLESS, record_texts

LINES = [b'{"a": 1}', b"{", b"nonsense", b'{"b": [2, 3]}']


def told(chunks: Iterable[bytes]) -> tuple[list[tuple[int, bytes]], Reason | None]:
    """Return all that comes, and why the end could not be read."""
    found = list[tuple[int, bytes]]()
    try:
        found.extend(record_texts(chunks))
    except RecordError as error:
        return found, error.reason
    return found, None


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("size", [1, 3, 1_000])
@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_each_line_comes_with_its_number(pack: type[bytes], size: int, ending: bytes) -> None:
    """Plain or gzipped, however the bytes are cut; blank lines count and do not come, bad ones do not stop the rest."""
    text = pack(ending.join([b"", *LINES[:2], b"  ", *LINES[2:], b""]))
    found, reason = told(text[start : start + size] for start in range(0, len(text), size))
    assert [(number, line.strip()) for number, line in found] == list(zip([2, 3, 5, 6], LINES, strict=True))
    assert reason is None


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("text", [b'{"a": 1}', b'{\n "a": 1\n}\n', b"\n\n[1,\n2]", b'\xef\xbb\xbf{\n"a": 1}'])
def test_one_record_may_stand_on_several_lines(pack: type[bytes], text: bytes) -> None:
    """A file that is one JSON value as a whole is one record; a byte order mark is none of it."""
    assert told([pack(text)]) == ([(1, text.removeprefix(b"\xef\xbb\xbf"))], None)


@pytest.mark.parametrize("text", [b"", b"\n", b" \n\t\n", gzip.compress(b"", mtime=0), gzip.compress(b"\n", mtime=0)])
def test_a_file_without_records_is_told(text: bytes) -> None:
    """An empty file proves nothing."""
    assert told([text]) == ([], Reason.NO_RECORDS)
    assert told([]) == ([], Reason.NO_RECORDS)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\n" * 500, 0),
        (b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n" + b"stream\n" * 500, 1),
        (b"\0" * (LARGEST + CHUNK), 0),
        (('{"a": 1}\n{"b": 2}\n' * 5).encode("utf-16"), 0),
        (gzip.compress(b"BM\x02\n" * 500), 0),
    ],
    ids=["picture", "document", "zeros", "another encoding", "packed"],
)
def test_what_is_no_text_is_told_once(text: bytes, lines: int) -> None:
    """Not line by line: there is no record in it."""
    found, reason = told([text])
    assert (len(found), reason) == (lines, Reason.NO_RECORDS)


@pytest.mark.parametrize("bad", [b"\0\0", b"\xff", b'{"name": "\x07"}'])
def test_bad_bytes_among_records_cost_their_line_alone(bad: bytes) -> None:
    """Once records have begun nothing stops the rest."""
    assert told([b'{"a": 1}\n' + bad + b'\n{"b": 2}']) == ([(1, b'{"a": 1}'), (2, bad), (3, b'{"b": 2}')], None)


def test_text_of_other_scripts_is_text() -> None:
    """A line that is cut short within a letter is one too."""
    line = "\u00e9".encode() * LARGEST
    (found,), reason = told([line])
    assert (found[0], reason) == (1, None)


def test_several_gzip_streams_are_one_file() -> None:
    """As `cat` joins them, even with the zeros that tapes leave between."""
    text = gzip.compress(b"1\n2\n") + b"\0\0" + gzip.compress(b"3\n4")
    assert told([text]) == ([(1, b"1"), (2, b"2"), (3, b"3"), (4, b"4")], None)


@pytest.mark.parametrize("size", [1, 1_000, CHUNK])
def test_zeros_behind_a_gzip_stream_are_nothing(size: int) -> None:
    """However many there are, and wherever the file is cut into pieces."""
    text = gzip.compress(b"1\n2\n") + b"\0" * (3 * CHUNK if size == CHUNK else 3_000) + gzip.compress(b"3") + b"\0\0"
    chunks = (text[start : start + size] for start in range(0, len(text), size))
    assert told(chunks) == ([(1, b"1"), (2, b"2"), (3, b"3")], None)


def test_damaged_gzip_gives_what_comes_before_and_then_the_error() -> None:
    """Cut at any byte, or garbled: whole lines before that point come, and the end is told to be bad."""
    lines = [b"%d" % (number * 7919) for number in range(500)]
    whole = gzip.compress(b"\n".join(lines))
    for end in range(2, len(whole), 3):
        found, reason = told([whole[:end]])
        assert reason is Reason.BAD_GZIP
        assert [line for _, line in found[:-1]] == lines[: max(0, len(found) - 1)]
    assert len(told([whole[: len(whole) // 2]])[0]) > 100
    assert told([whole[:-8] + b"\0" * 8])[1] is Reason.BAD_GZIP
    assert told([whole + b"more"])[1] is Reason.BAD_GZIP


def test_one_record_in_a_gzip_that_is_cut_short_is_no_whole_file() -> None:
    """Even where all of its text has come."""
    assert told([gzip.compress(b'{"a": 1}')[:-8]]) == ([(1, b'{"a": 1}')], Reason.BAD_GZIP)


def test_line_that_is_too_long_comes_cut_and_the_rest_follows() -> None:
    """It is still longer than what is read as a record, so it is refused as too large."""
    text = b"\n".join([b"1", b"2" * (3 * LARGEST), b"3"])
    found, reason = told(text[start : start + CHUNK] for start in range(0, len(text), CHUNK))
    assert reason is None
    assert [number for number, _ in found] == [1, 2, 3]
    assert [len(line) for _, line in found] == [1, LARGEST + 1, 1]


def test_line_without_end_is_left() -> None:
    """A file that has no line break in 64 MiB has no records; it is not read on."""
    read = 0

    def zeros() -> Iterator[bytes]:
        nonlocal read
        while True:
            read += CHUNK
            yield b"0" * CHUNK

    found, reason = told(zeros())
    assert [(number, len(line)) for number, line in found] == [(1, LARGEST + 1)]
    assert reason is Reason.ENDLESS_LINE
    assert read < ENDLESS + 8 * CHUNK


def test_gzip_bomb_is_defused() -> None:
    """80 MiB without a line break, in 80 KiB, are not unpacked to their end, and never held at once."""
    packer = zlib.compressobj(wbits=31)
    packed = packer.compress(b"0" * (ENDLESS + 16 * CHUNK)) + packer.flush()
    tracemalloc.start()
    try:
        assert told([packed])[1] is Reason.ENDLESS_LINE
        assert tracemalloc.get_traced_memory()[1] < 16 * CHUNK
    finally:
        tracemalloc.stop()


@given(st.lists(st.binary(max_size=40), max_size=6), st.booleans())
def test_any_bytes_are_lines_or_an_error(chunks: list[bytes], zipped: bool) -> None:
    """Nothing else is raised, and nothing gets lost: the lines are those of the bytes."""
    text = b"".join(chunks).removeprefix(b"\xef\xbb\xbf")
    found, reason = told([gzip.compress(text)] if zipped else chunks)
    if reason is None and len(found) > 1:
        assert [line for _, line in found] == [line for line in text.split(b"\n") if line.strip()]
