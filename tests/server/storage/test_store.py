"""The store on real files: what goes in comes out, all of it or nothing."""

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from server.log import Batch, LogRow, Opening, Player, RoomState, StorageError
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
    alter,
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
        assert await store.read.attempt("nobody") is None
        assert await store.read.record("nobody") is None
        assert await store.read.record("race-anna") is None
        assert await store.read.player_by_token(b"nobody") is None
        assert await store.live_race("nobody") is None


async def test_live_races_come_back_whole_and_in_order(database: Path) -> None:
    """A restart reads the unfinished races with every row, by seq, and none of a finished one."""
    async with opened_store(database) as store:
        await people(store)
        for race in ("a", "b", "c"):
            await store.append(begin(race))
        await asyncio.gather(*(store.append(play(race, seq)) for seq in range(1, 30) for race in ("a", "b", "c")))
        await store.append(finish("b"))

    async with opened_store(database) as store:
        live = await store.live_races()

        assert [(each.race.race, each.race.finished) for each in live] == [("a", None), ("c", None)]
        for each in live:
            race = each.race.race
            assert each.rows == (LogRow(race, 0, None, 0, "begin"), *moves(race, 1, 29))
        assert await store.live_race("c") == live[1]
        await store.append(play("a", 30))
        assert len((await store.live_races())[0].rows) == 31


DAMAGES = [
    pytest.param("DELETE FROM log WHERE race = 2 AND seq = 1", "its log has a gap at row 1", id="gap"),
    pytest.param("DELETE FROM log WHERE race = 2", "its log is empty", id="empty"),
    pytest.param(
        "INSERT INTO log SELECT NULL, race, 2, 9, attempt, 0, '' FROM log WHERE race = 2 LIMIT 1",
        "its log has rows of two writers at row 3",
        id="twin",
    ),
]


@pytest.mark.parametrize(("damage", "cause"), DAMAGES)
async def test_damaged_log_stops_no_other_race(
    database: Path, caplog: pytest.LogCaptureFixture, damage: str, cause: str
) -> None:
    """
    A race whose log has a gap, rows of two writers or none is left out and named in the server's log; the others go on.
    """
    async with opened_store(database) as store:
        await people(store)
        for race in ("before", "damaged", "behind"):
            await store.append(begin(race))
            await store.append(play(race, 1, 2))
    alter(database, damage)

    async with opened_store(database) as store:
        live = await store.live_races()

        assert [(each.race.race, len(each.rows)) for each in live] == [("before", 3), ("behind", 3)]
        assert [record.message for record in caplog.records] == [
            f"race damaged of room room is left out: {cause}",
        ]
        with pytest.raises(StorageError) as refused:
            await store.live_race("damaged")
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
    alter(database, "INSERT INTO log (race, seq, epoch, at_ms, entry) VALUES (1, 0, 1, 0, 'begin')")

    async with opened_store(database) as store:
        await swept(store)


# Rooms


async def test_room_is_kept_until_it_is_closed(database: Path) -> None:
    """A room's first state makes it, later ones replace it, a closed one is open to no restart; its code is free."""
    async with opened_store(database) as store:
        await people(store)
        await store.append(begin("race"))
        await store.append(Batch(state=RoomState("OTHER", "first")))
        await store.append(Batch(state=RoomState("OTHER", "second"), rows=moves("race", 1)))
        assert await store.read.rooms() == (("OTHER", "second"), ("room", "{}"))

        await store.forget_room("OTHER")
        await store.append(finish("race"))
        await store.forget_room("room")
        assert await store.read.rooms() == ()

        await store.append(Batch(state=RoomState("room", "anew")))

    async with opened_store(database) as store:
        assert await store.read.rooms() == (("room", "anew"),)
        assert await store.read.race("race") is not None


async def test_room_that_was_never_written_closes_too(database: Path) -> None:
    """A room that nobody ever entered has no row, and closing it makes none."""
    async with opened_store(database) as store:
        await store.forget_room("NEVER")

        assert await store.read.rooms() == ()


async def test_room_and_its_race_begin_in_one_commit(database: Path) -> None:
    """The row of a room that a race refers to may come with the race."""
    async with opened_store(database) as store:
        await store.add_player(ANNA, token_of(ANNA))
        race = begin("race", who=(ANNA,))

        await store.append(replace(race, state=RoomState("room", "{}")))

        assert await store.read.rooms() == (("room", "{}"),)


# Players and what they opened


async def test_player_is_found_by_the_hash_alone(database: Path) -> None:
    """A token's hash leads to its player; the file does not hold the token."""
    async with opened_store(database) as store:
        await people(store)

        assert await store.read.player_by_token(token_of(BERT)) == BERT
        assert await store.read.player(BERT.id) == BERT


async def test_token_belongs_to_one_player(database: Path) -> None:
    """A second player with the same hash is refused, and the message does not show it."""
    async with opened_store(database) as store:
        await people(store)

        with pytest.raises(StorageError) as refused:
            await store.add_player(Player("eve", "Eve"), token_of(ANNA))

        shown = "".join(map(str, (refused.value, refused.value.__cause__)))
        assert token_of(ANNA).decode() not in shown
        assert repr(token_of(ANNA)) not in shown
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


async def test_spectator_opens_a_number_too(database: Path) -> None:
    """An opening that is no start counts the same, and is told apart by player, game and number."""
    async with opened_store(database) as store:
        await people(store)
        await store.append(begin("race", who=(ANNA,)))
        await store.append(Batch(opened=(Opening(BERT.id, GAME, NUMBER, ENDED), Opening(BERT.id, GAME, 7, STARTED))))

        assert await store.read.opened([BERT.id], GAME) == (7, NUMBER)
        assert await store.read.who_opened([ANNA.id, BERT.id], GAME, NUMBER) == {ANNA.id, BERT.id}
        assert await store.read.who_opened([ANNA.id, BERT.id], GAME, 7) == {BERT.id}
        assert await store.read.who_opened([ANNA.id], GAME, 7) == frozenset()
        assert await store.read.who_opened([BERT.id], "freecell", 7) == frozenset()


async def test_opening_by_nobody_is_refused(database: Path) -> None:
    """What a player who is not known opens is not stored."""
    async with opened_store(database) as store:
        with pytest.raises(StorageError) as refused:
            await store.append(Batch(opened=(Opening("nobody", GAME, NUMBER, STARTED),)))

        assert refused.value.reason is Reason.NOT_STORED


async def test_numbers_reach_the_highest_deal(database: Path) -> None:
    """A deal number beyond 32 bits is stored as it is."""
    async with opened_store(database) as store:
        await people(store)
        await store.append(begin("race", number=2**33 - 1))

        race = await store.read.race("race")

        assert race is not None
        assert race.number == 2**33 - 1
        assert await store.read.opened([BERT.id], GAME) == (2**33 - 1,)
