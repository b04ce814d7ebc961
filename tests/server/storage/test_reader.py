"""The pages that are read of finished races."""

from pathlib import Path

import pytest

from server.log import Batch, DealLine
from shared.attempt import State
from tests.server.storing import (
    ANNA,
    BERT,
    GAME,
    NUMBER,
    SUITS,
    begin,
    end,
    finish,
    opened_store,
    people,
    play_whole,
)

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
            await play_whole(store, race, results[race])
        await play_whole(store, "elsewhere", end("elsewhere"), number=NUMBER + 1)

        lines = await store.read.deal(GAME, NUMBER, SUITS)

        assert [line.race for line in lines] == list(results)
        assert (lines[0].name, lines[0].options, lines[0].score) == ("Anna", '{"goal":"time"}', 820)
        assert await store.read.deal(GAME, NUMBER, SUITS, limit=2) == lines[:2]
        assert await store.read.deal(GAME, NUMBER, 2) == ()


async def test_deal_shows_the_marks_of_its_attempts(database: Path) -> None:
    """Practice, bots, hints and the measured delay are told with the result; none of it changes the order."""
    async with opened_store(database) as store:
        await people(store)
        await play_whole(store, "human", end("human", elapsed_ms=50_000, lag_ms=31), ranked=True)
        await play_whole(store, "again", end("again", elapsed_ms=40_000, hints=2, clean=False), practice=True)
        await play_whole(store, "robot", end("robot", elapsed_ms=30_000), bot=True)

        lines = await store.read.deal(GAME, NUMBER, SUITS)

        assert [marks(line) for line in lines] == [
            ("robot", {"bot"}),
            ("again", {"practice"}),
            ("human", {"ranked"}),
        ]
        assert [(line.hints, line.clean, line.lag_ms) for line in lines] == [
            (0, True, None),
            (2, False, None),
            (0, True, 31),
        ]


def marks(line: DealLine) -> tuple[str | None, set[str]]:
    """Return a line's race and the marks that are set."""
    return line.race, {name for name in ("practice", "ranked", "bot", "imported") if getattr(line, name)}


@pytest.mark.parametrize("page", ["deal", "player"])
async def test_attempts_of_a_running_race_are_on_no_page(database: Path, page: str) -> None:
    """Who has ended while others still play is shown when the race is over: until then the deal is the starters'."""
    async with opened_store(database) as store:
        await people(store)
        await store.append(begin("race"))
        await store.append(Batch(ended=(end("race"),)))

        async def attempts() -> list[str]:
            lines = store.read.deal(GAME, NUMBER, SUITS) if page == "deal" else store.read.played(ANNA.id)
            return [line.attempt for line in await lines]

        assert await attempts() == []
        await store.append(Batch(ended=(end("race", BERT, state=State.RESIGNED, won=False, home=0),)))
        await store.append(finish("race", anna=1))
        assert await attempts() == ["race-anna", "race-bert"][: 2 if page == "deal" else 1]


# A player's page


async def test_player_has_the_latest_attempts_first_page_by_page(database: Path) -> None:
    """Pages follow each other without a gap or a repetition, whatever the order in which attempts ended."""
    starts = {"a": 1, "d": 4, "b": 2, "c": 2, "e": 9}
    async with opened_store(database) as store:
        await people(store)
        for race, day in starts.items():
            await store.append(begin(race, started=f"2026-01-0{day}T00:00:00.000Z"))
        for race in starts:
            await store.append(Batch(ended=(end(race), end(race, BERT))))
            await store.append(finish(race, anna=1, bert=2))

        whole = await store.read.played(ANNA.id)
        first = await store.read.played(ANNA.id, limit=2)
        second = await store.read.played(ANNA.id, (first[-1].started, first[-1].attempt), limit=2)
        third = await store.read.played(ANNA.id, (second[-1].started, second[-1].attempt), limit=2)

        assert [line.race for line in whole] == ["e", "d", "c", "b", "a"]
        assert first + second + third == whole
        assert (whole[0].game, whole[0].number, whole[0].suits, whole[0].place) == (GAME, NUMBER, SUITS, 1)
        assert whole[0].options == '{"goal":"time"}'
        assert await store.read.played("nobody") == ()
