"""Records from elsewhere: verified, marked, once."""

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from server.storage import imports
from server.storage.imports import Imported, import_records
from server.storage.rebuild import rebuild
from server.storage.store import Store
from shared.attempt import State
from shared.errors import Reason, RecordError
from shared.gamecode import GameCode
from shared.record import Record, Result
from tests.server.racing import winning_line
from tests.server.storing import begin, opened_store, people, query

CODE, MOVES = winning_line("simple-simon")


def record(
    player: str = "Zoë", moves: tuple[str, ...] = MOVES, started: str = "2020-02-29T23:59:59Z", told: bool = True
) -> Record:
    """Return the record of a won attempt, or of its beginning."""
    entries = tuple((1_000 * number, text) for number, text in enumerate(moves))
    result = Result(won=True, score=900 - len(MOVES), moves=len(MOVES), elapsed_ms=1_000 * (len(MOVES) - 1))
    return Record(
        code=GameCode.parse(CODE), player=player, started=started, entries=entries, result=result if told else None
    )


def texts(*records: Record | str) -> Iterator[tuple[int, bytes]]:
    """Return records as they stand in a file, a line each."""
    return ((line, str(each).encode()) for line, each in enumerate(records, 1))


async def imported(store: Store, lines: Iterable[tuple[int, bytes]]) -> list[Imported]:
    """Import *lines*."""
    return [each async for each in import_records(store, lines)]


def rows_of(path: Path) -> list[sqlite3.Row]:
    """Return the attempts, with the names of their players."""
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    rows = connection.execute("SELECT attempts.*, name, token_hash FROM attempts JOIN players ON players.id = player")
    found = rows.fetchall()
    connection.close()
    return found


async def test_imported_record_is_on_its_deals_page_with_a_mark(database: Path) -> None:
    """The attempt has the record's result, no race and no options; it is marked, not ranked, and on no board."""
    async with opened_store(database) as store:
        (found,) = await imported(store, texts(record()))

        assert found.attempt is not None
        assert (found.line, found.known, found.error) == (1, False, None)
        code = GameCode.parse(CODE)
        (line,) = await store.read.deal(code.game, code.number, code.suits)
        assert (line.attempt, line.name, line.race, line.options) == (found.attempt, "Zoë", None, None)
        assert (line.imported, line.ranked, line.practice, line.bot) == (True, False, False, False)
        assert (line.state, line.won, line.moves, line.home) == (State.SOLVED, True, len(MOVES), 4)
        assert (line.elapsed_ms, line.clean, line.started) == (
            1_000 * (len(MOVES) - 1),
            True,
            "2020-02-29T23:59:59.000Z",
        )
        packed = await store.read.record(found.attempt)
        assert packed is not None
        assert Record.unpack(packed).entries == record().entries
        assert await store.read.played(line.player) != ()
    assert query(database, "SELECT count(*) FROM tallies") == [(0,)]


async def test_same_record_is_imported_once(database: Path) -> None:
    """Importing a file again, or a record that stands in it twice, adds nothing and says so."""
    async with opened_store(database) as store:
        first = await imported(store, texts(record(), record(), record(started="2020-02-29T23:59:59.000Z")))
        again = await imported(store, texts(record()))

    assert [each.known for each in first] == [False, True, True]
    assert [each.known for each in again] == [True]
    assert len({each.attempt for each in first + again}) == 1
    assert len(rows_of(database)) == 1


async def test_each_name_is_one_player_without_a_token(database: Path) -> None:
    """Records of one name are one player's, of another name another's, and none of them is a player who plays here."""
    async with opened_store(database) as store:
        await people(store)
        await imported(store, texts(record("Anna"), record("Anna", started="2021-01-01T00:00:00Z"), record("Bert")))

    rows = rows_of(database)
    assert len({row["player"] for row in rows if row["name"] == "Anna"}) == 1
    assert len({row["player"] for row in rows}) == 2
    assert not {row["player"] for row in rows} & {"anna", "bert"}
    assert {row["token_hash"] for row in rows} == {None}


async def test_record_that_does_not_hold_is_refused_and_the_others_are_taken(database: Path) -> None:
    """A line that is no record, or whose moves or result do not hold, is told with the reason; the rest is stored."""
    illegal = record(moves=("11", *MOVES), told=False)
    liar = str(record()).replace('"score":', '"score":1')
    async with opened_store(database) as store:
        found = await imported(store, texts(record("One"), "nonsense", illegal, liar, record("Two")))

    assert [each.error and each.error.reason for each in found] == [
        None,
        Reason.NOT_JSON,
        Reason.IDLE,
        Reason.BAD_RESULT,
        None,
    ]
    assert [each.line for each in found] == [1, 2, 3, 4, 5]
    assert sorted(row["name"] for row in rows_of(database)) == ["One", "Two"]


ENDS = [
    (MOVES, State.SOLVED),
    ((*MOVES[:5], "resign"), State.RESIGNED),
    (MOVES[:5], State.ABANDONED),
]


@pytest.mark.parametrize(("moves", "state"), ENDS)
async def test_end_of_an_import_follows_from_its_log(database: Path, moves: tuple[str, ...], state: State) -> None:
    """Who neither won nor resigned has left; without a told result the last entry's stamp is the time."""
    async with opened_store(database) as store:
        await imported(store, texts(record(moves=moves, told=False)))

    (row,) = rows_of(database)
    assert (row["state"], row["elapsed_ms"]) == (state, 1_000 * (len(moves) - 1))


async def test_file_that_breaks_off_is_imported_as_far_as_it_goes(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read before the error is stored; then the error is told."""
    monkeypatch.setattr(imports, "PAGE", 2)

    def broken() -> Iterator[tuple[int, bytes]]:
        yield from texts(record("One"), record("Two"), record("Three"))
        raise RecordError(Reason.BAD_GZIP)

    async with opened_store(database) as store:
        with pytest.raises(RecordError) as refused:
            await imported(store, broken())

    assert refused.value.reason is Reason.BAD_GZIP
    assert sorted(row["name"] for row in rows_of(database)) == ["One", "Three", "Two"]


async def test_rebuild_finds_imports_as_they_should_be(database: Path) -> None:
    """What an import wrote follows from its record, like everything else."""
    async with opened_store(database) as store:
        await people(store)
        await store.append(begin("race"))
        await imported(
            store, texts(*(record(f"Player {number}") for number in range(3)), record("X", MOVES[:9], told=False))
        )

        found = await rebuild(store)

    assert (found.attempts, found.differences, found.unproven) == (4, [], [])
