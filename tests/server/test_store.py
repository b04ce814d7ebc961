"""The store on real files: what goes in comes out, all of it or nothing."""

import asyncio
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy.dialects import sqlite

from server.log import Batch, LogRow, Player, StorageError
from server.reader import deal_page
from shared.attempt import State
from shared.errors import Reason
from tests.server.storing import (
    ANNA,
    BERT,
    ENDED,
    GAME,
    NUMBER,
    STARTED,
    SUITS,
    begin,
    end,
    finish,
    moves,
    opened_store,
    people,
    play,
    rows_in,
    swept,
    token_of,
)

# Races


async def test_race_is_stored_from_begin_to_end(database: Path) -> None:
    """What a race writes on its way is what is read of it, at the start, during play and after the end."""
    async with opened_store(database) as store:
        await people(store)
        await store.append(begin("race"))
        begun = await store.read.race("race")
        await store.append(Batch(rows=moves("race", 1, 2), ended=(end("race"),)))
        await store.append(Batch(ended=(end("race", BERT, state=State.RESIGNED, won=False, home=1, progress=20),)))
        await store.append(finish("race", anna=1, bert=2))
        ended = await store.read.race("race")

        assert begun is not None
        assert (begun.room, begun.game, begun.suits, begun.number) == ("room", GAME, SUITS, NUMBER)
        assert (begun.started, begun.finished, begun.options) == (STARTED, None, '{"goal":"time"}')
        assert [(each.name, each.seat, each.state, each.won) for each in begun.attempts] == [
            ("Anna", 0, State.PLAYING, None),
            ("Bert", 1, State.PLAYING, None),
        ]
        assert ended is not None
        assert ended.finished == ENDED
        assert [(each.state, each.won, each.score, each.place, each.progress) for each in ended.attempts] == [
            (State.SOLVED, True, 851, 1, 48),
            (State.RESIGNED, False, 851, 2, 20),
        ]
        assert await store.read.attempt("race-anna") == ended.attempts[0]
        assert await store.read.record("race-anna") == b"record of race-anna"


async def test_what_is_not_there_is_none(database: Path) -> None:
    """Ids that nobody has, and the record of an attempt that is being played, are None."""
    async with opened_store(database) as store:
        await people(store)
        await store.append(begin("race"))

        assert await store.read.race("nobody") is None
        assert await store.read.latest_race("nobody") is None
        assert await store.read.attempt("nobody") is None
        assert await store.read.record("nobody") is None
        assert await store.read.record("race-anna") is None
        assert await store.read.player_by_token(b"nobody") is None
        assert await store.live_race("nobody") is None


async def test_latest_race_is_the_one_begun_last(database: Path) -> None:
    """A room's latest race is the rematch, whatever the clock on the wall did in between."""
    async with opened_store(database) as store:
        await people(store)
        await store.append(begin("first", started="2026-01-02T00:00:00.000Z"))
        await store.append(finish("first"))
        await store.append(begin("second", started="2026-01-01T00:00:00.000Z"))

        latest = await store.read.latest_race("room")

        assert latest is not None
        assert latest.race == "second"


async def test_live_races_come_back_whole_and_in_order(database: Path) -> None:
    """A restart reads the unfinished races with every row, by seq, and none of a finished one."""
    async with opened_store(database) as store:
        await people(store)
        for race in ("a", "b", "c"):
            await store.append(begin(race))
        await asyncio.gather(*(store.append(play(race, seq)) for seq in range(1, 30) for race in ("a", "b", "c")))
        await store.append(finish("b"))

    async with opened_store(database) as store:
        live = await store.read.live_races()

        assert [(each.race.race, each.race.finished) for each in live] == [("a", None), ("c", None)]
        for each in live:
            race = each.race.race
            assert each.rows == (LogRow(race, 0, None, 0, "begin"), *moves(race, 1, 29))
        assert await store.live_race("c") == live[1]
        await store.append(play("a", 30))
        await store.append(begin("d"))
        await store.append(play("d", 1))
        assert [len(each.rows) for each in await store.read.live_races()] == [31, 30, 2]


async def test_seq_alone_orders_the_rows(database: Path) -> None:
    """Rows come back by their seq, wherever SQLite has put them."""
    async with opened_store(database) as store:
        await people(store)
        await store.append(begin("race"))
        await store.append(play("race", 1, 20))
    connection = sqlite3.connect(database)
    with connection:
        connection.execute("UPDATE log SET id = 1000 - id")
    connection.close()

    async with opened_store(database) as store:
        (live,) = await store.read.live_races()

    assert [row.seq for row in live.rows] == list(range(21))


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM log WHERE seq = 1",
        "INSERT INTO log SELECT NULL, race, 2, 9, attempt, 0, '' FROM log LIMIT 1",
    ],
)
async def test_log_with_a_gap_or_a_twin_is_refused(database: Path, damage: str) -> None:
    """Rows that two writers, or one that skipped, have left are not taken for a race."""
    async with opened_store(database) as store:
        await people(store)
        await store.append(begin("race"))
        await store.append(play("race", 1, 2))
    connection = sqlite3.connect(database)
    with connection:
        connection.execute(damage)
    connection.close()

    async with opened_store(database) as store:
        with pytest.raises(StorageError) as refused:
            await store.read.live_races()

    assert refused.value.reason is Reason.BAD_DATABASE


async def test_attempt_ends_once(database: Path) -> None:
    """A second end of an attempt, and the end of one that never began, are refused; the first one stays."""
    async with opened_store(database) as store:
        await people(store)
        await store.append(begin("race"))
        await store.append(Batch(ended=(end("race"),)))

        for late in (end("race", score=999), end("race", Player("nobody", ""))):
            with pytest.raises(StorageError) as refused:
                await store.append(Batch(rows=moves("race", 1), ended=(late,)))
            assert not refused.value.unknown

        attempt = await store.read.attempt("race-anna")
        assert attempt is not None
        assert attempt.score == 851
        assert len(rows_in(database)) == 1


async def test_race_ends_once(database: Path) -> None:
    """A race that is finished is not finished again, nor does it take a row."""
    async with opened_store(database) as store:
        await people(store)
        await store.append(begin("race"))
        await store.append(finish("race"))

        for late in (finish("race"), play("race", 1), finish("nobody"), play("nobody", 0)):
            with pytest.raises(StorageError) as refused:
                await store.append(late)
            assert refused.value.reason is Reason.NOT_STORED


async def test_begin_is_all_or_nothing(database: Path) -> None:
    """A race with a starter whom nobody knows leaves no row, no attempt and nothing opened."""
    async with opened_store(database) as store:
        await people(store)

        with pytest.raises(StorageError) as refused:
            await store.append(begin("race", who=(ANNA, Player("nobody", ""))))

        assert refused.value.reason is Reason.NOT_STORED
        assert await store.read.race("race") is None
        assert await store.read.attempt("race-anna") is None
        assert await store.read.opened([ANNA.id], GAME) == ()
        assert rows_in(database) == []
        await store.append(begin("race"))


async def test_rows_of_a_finished_race_are_removed(database: Path) -> None:
    """After its end a race's rows go, in several steps, and those of a live race stay."""
    async with opened_store(database) as store:
        await people(store)
        await store.append(begin("over"))
        await store.append(begin("live"))
        await store.append(play("over", 1, 250))
        await store.append(play("live", 1, 3))
        await store.append(finish("over"))

        await swept(store)

        assert rows_in(database) == [(2, seq) for seq in range(4)]


async def test_rows_left_by_a_killed_server_are_removed_at_the_next_start(database: Path) -> None:
    """What a crash between a race's end and the removal of its rows left is cleared without a further race."""
    async with opened_store(database) as store:
        await people(store)
        await store.append(begin("race"))
        await store.append(finish("race"))
        await swept(store)
    connection = sqlite3.connect(database)
    with connection:
        connection.execute("INSERT INTO log (race, seq, epoch, at_ms, entry) VALUES (1, 0, 1, 0, 'begin')")
    connection.close()

    async with opened_store(database) as store:
        await swept(store)


# Players and what they opened


async def test_player_is_found_by_the_hash_alone(database: Path) -> None:
    """A token's hash leads to its player; the file does not hold the token."""
    async with opened_store(database) as store:
        await people(store)

        assert await store.read.player_by_token(token_of(BERT)) == BERT
        assert await store.read.rooms() == ("room",)


async def test_room_may_be_added_again(database: Path) -> None:
    """A room that is there stays as it is."""
    async with opened_store(database) as store:
        for room in ("b", "a", "b"):
            await store.add_room(room)

        assert sorted(await store.read.rooms()) == ["a", "b"]


async def test_token_belongs_to_one_player(database: Path) -> None:
    """A second player with the same hash is refused, and no message shows anything of what was to be stored."""
    async with opened_store(database) as store:
        await people(store)

        with pytest.raises(StorageError) as refused:
            await store.add_player(Player("eve", "Eve"), token_of(ANNA))

        shown = "".join(map(str, (refused.value, refused.value.__cause__)))
        assert "players.token_hash" in shown
        assert "Eve" not in shown
        assert await store.read.player_by_token(token_of(ANNA)) == ANNA


async def test_starters_open_the_number_with_the_begin(database: Path) -> None:
    """Every starter has opened the number, of that game, the moment the race is stored; others have not."""
    async with opened_store(database) as store:
        await people(store)
        await store.append(begin("race", who=(ANNA,)))

        assert await store.read.opened([ANNA.id], GAME) == (NUMBER,)
        assert await store.read.opened([ANNA.id, BERT.id], GAME) == (NUMBER,)
        assert await store.read.opened([BERT.id], GAME) == ()
        assert await store.read.opened([ANNA.id], "freecell") == ()
        assert await store.read.opened([], GAME) == ()


async def test_opened_numbers_come_longest_ago_first(database: Path) -> None:
    """The first of them is the one that any of the players saw last the longest ago; a second look counts."""
    async with opened_store(database) as store:
        await people(store)
        for day, number, who in [(1, 7, (ANNA,)), (2, 8, (BERT,)), (3, 9, (ANNA,)), (4, 7, (BERT,)), (5, 8, (BERT,))]:
            await store.append(begin(f"r{day}", number=number, started=f"2026-01-0{day}T00:00:00.000Z", who=who))

        assert await store.read.opened([ANNA.id, BERT.id], GAME) == (9, 7, 8)
        assert await store.read.opened([ANNA.id], GAME) == (7, 9)


async def test_numbers_reach_the_highest_deal(database: Path) -> None:
    """A deal number beyond 32 bits is stored as it is."""
    async with opened_store(database) as store:
        await people(store)
        await store.append(begin("race", number=2**33 - 1))

        race = await store.read.race("race")

        assert race is not None
        assert race.number == 2**33 - 1
        assert await store.read.opened([BERT.id], GAME) == (2**33 - 1,)


# The deal's page


async def test_deal_lists_its_attempts_best_first(database: Path) -> None:
    """Solved before unsolved; solved by time, then moves; unsolved by sequences, progress, then fewer moves."""
    results = {
        "fast": end("fast", elapsed_ms=50_000, moves=80, score=820),
        "short": end("short", elapsed_ms=60_000, moves=49),
        "long": end("long", elapsed_ms=60_000, moves=50, score=850),
        "three": end("three", won=False, state=State.TIMED_OUT, home=3, progress=40, moves=90),
        "near": end("near", won=False, state=State.RESIGNED, home=2, progress=47, moves=90, elapsed_ms=9_000),
        "brief": end("brief", won=False, state=State.RESIGNED, home=2, progress=30, moves=10, elapsed_ms=90_000),
        "many": end("many", won=False, state=State.ABANDONED, home=2, progress=30, moves=11, elapsed_ms=8_000),
    }
    async with opened_store(database) as store:
        await people(store)
        for race in sorted(results):
            await store.append(begin(race, who=(ANNA,)))
            await store.append(Batch(ended=(results[race],)))
        await store.append(begin("elsewhere", number=NUMBER + 1, who=(ANNA,)))
        await store.append(Batch(ended=(end("elsewhere"),)))
        await store.append(begin("unfinished", who=(ANNA,)))

        lines = await store.read.deal(GAME, NUMBER, SUITS)

        assert [line.race for line in lines] == list(results)
        assert (lines[0].name, lines[0].options, lines[0].score) == ("Anna", '{"goal":"time"}', 820)
        assert await store.read.deal(GAME, NUMBER, SUITS, limit=2) == lines[:2]
        assert await store.read.deal(GAME, NUMBER, 2) == ()


async def test_deal_is_read_from_its_index_alone(database: Path) -> None:
    """The deal's page neither sorts nor reads the attempts' table: its cost does not grow with the attempts."""
    page = deal_page(GAME, NUMBER, SUITS, 100).compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True})
    async with opened_store(database):
        connection = sqlite3.connect(database)
        plan = [detail for *_, detail in connection.execute(f"EXPLAIN QUERY PLAN {page}")]
        connection.close()

    assert plan[0] == ("SEARCH attempts USING COVERING INDEX ix_attempts_deal (game=? AND number=? AND suits=?)")
    assert not any("TEMP B-TREE" in detail for detail in plan)
