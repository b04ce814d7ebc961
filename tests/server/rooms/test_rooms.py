"""All rooms of a server: found, drawn for, listed and sealed, closed for good, and made again after a restart."""

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from server.log import Batch, Opening, Player, StorageError
from server.race.said import Begin
from server.race.start import COUNTDOWN_MS
from server.rooms.addresses import LOOPBACK
from server.storage.belongings import forget
from shared.errors import CodeError, ProtocolError, Reason
from shared.gamecode import GameCode
from shared.phase import Phase
from shared.pool import Pool
from shared.protocol.messages import (
    Close,
    Done,
    Finished,
    Kick,
    Lock,
    Play,
    Played,
    Resign,
    Roster,
    Standings,
    Start,
)
from shared.protocol.values import Options
from tests.server.building import POOLS, Building, building
from tests.server.racing import open_race
from tests.server.rooming import Listener
from tests.server.storing import query

PUBLIC = Options(public=True)


# Found


async def test_rooms_are_found_in_any_case(prepared: Path) -> None:
    """
    By the code that is drawn, or by a name that was given on purpose; no two have the same.
    """
    async with building(prepared) as here:
        named = here.rooms.create(Options(), LOOPBACK, "Game-Night")
        drawn = [here.rooms.create(Options(), LOOPBACK).race.room for _ in range(50)]
        assert len({*drawn}) == 50
        assert named.race.room == "GAME-NIGHT"
        for name in ("game-night", "GAME-night"):
            assert here.rooms.find(name) is named
        assert here.rooms.find(drawn[0].lower()) is here.rooms.find(drawn[0]) is not None
        assert here.rooms.find("NOWHERE") is None


async def test_room_is_made_with_options_that_hold(prepared: Path) -> None:
    """
    An exact code says game and suits; options that name no game make no room.
    """
    async with building(prepared) as here:
        room = here.rooms.create(Options(code="#11982"), LOOPBACK)
        assert (room.race.options.game, room.race.options.code) == ("freecell", "FC1-AAAALWO")
        for options in (Options(game="chess"), Options(suits=3), Options(code="!")):
            with pytest.raises(CodeError):
                here.rooms.create(options, LOOPBACK)
        assert len(list(here.rooms.races())) == 1


async def test_word_is_compared_whole(prepared: Path) -> None:
    """
    A part of it, none, or one in other letters is not it; without a word of its own a server asks none.
    """
    async with building(prepared, word="Öffne dich") as here:
        here.rooms.check_word("Öffne dich")
        for word in (None, "", "Öffne", "öffne dich"):
            with pytest.raises(ProtocolError) as refused:
                here.rooms.check_word(word)
            assert refused.value.reason is Reason.WRONG_WORD
    async with building(prepared, new=False) as here:
        here.rooms.check_word(None)


# The draw


async def drawn(here: Building, options: Options, *starters: str) -> Begin:
    """Return the deal of a race for these."""
    race = replace(open_race(*starters, options=options), starters=starters)
    return await here.rooms._draw(race)


async def test_number_is_one_that_no_starter_has_opened(prepared: Path) -> None:
    """
    Of a small pool what is left; when all are opened the one that was opened longest ago, as practice for who had.
    """
    small = {"simple-simon": Pool(POOLS["simple-simon"].rules, numbers=(7, 8, 9))}
    async with building(prepared, pools=small) as here:
        openings = (
            Opening("anna", "simple-simon", 8, "2026-01-01T00:00:01.000Z"),
            Opening("bert", "simple-simon", 9, "2026-01-01T00:00:02.000Z"),
            Opening("carl", "simple-simon", 7, "2026-01-01T00:00:03.000Z"),
            Opening("anna", "freecell", 7, "2026-01-01T00:00:04.000Z"),
        )
        await here.store.append(Batch(opened=openings))
        for _ in range(5):
            assert (await drawn(here, Options(), "anna", "bert")).number == 7
            assert (await drawn(here, Options(suits=4), "carl", "bert")).number == 8
        oldest = await drawn(here, Options(), "anna", "bert", "carl")
        assert (oldest.number, oldest.opened) == (8, frozenset({"anna"}))
        assert (await drawn(here, Options(), "dora", "bert")).opened == frozenset()


async def test_exact_number_is_dealt_whoever_knows_it(prepared: Path) -> None:
    """
    It is practice for those who had opened it.
    """
    async with building(prepared) as here:
        await here.store.append(Batch(opened=(Opening("bert", "freecell", 11982, "2026-01-01T00:00:01.000Z"),)))
        begin = await drawn(here, Options(game="freecell", suits=4, code="FC1-AAAALWO"), "anna", "bert")
        assert (begin.number, begin.opened) == (11982, frozenset({"bert"}))
        assert (begin.started_ms, len({*begin.attempts})) == (here.clock.wall_ms(), 2)


async def test_any_deal_is_from_all_there_are(prepared: Path) -> None:
    """
    Beyond the pool, and still none that a starter has opened.
    """
    async with building(prepared) as here:
        numbers = [(await drawn(here, Options(deals="any"), "anna")).number for _ in range(20)]
        assert max(numbers) > 2**32
        assert not set(numbers) & set(POOLS["simple-simon"].numbers)


async def test_pool_of_the_game_is_drawn_from(prepared: Path) -> None:
    """
    At any suits.
    """
    async with building(prepared) as here:
        for options in (Options(), Options(suits=4), Options(game="freecell")):
            number = (await drawn(here, options, "anna")).number
            pool = POOLS[options.game]
            assert number in (pool.rules.drawn or pool.numbers)
            assert number not in pool.rules.losers


# Listed and sealed


async def test_public_rooms_are_listed_the_fullest_first(prepared: Path) -> None:
    """
    Those by link, without anyone, or locked are not in the list.
    """
    async with building(prepared) as here:
        one, two, empty = [here.rooms.create(PUBLIC, LOOPBACK, name) for name in ("ONE", "TWO", "EMPTY")]
        by_link = here.rooms.create(Options(), LOOPBACK, "LINK")
        await here.enter(one, "anna")
        bert, _ = await here.enter(two, "bert"), await here.enter(two, "carl")
        await here.enter(by_link, "dora")
        assert [(each.room, each.host, each.seats) for each in here.rooms.listed()] == [
            ("TWO", "Bert", 2),
            ("ONE", "Anna", 1),
        ]
        here.say(two, bert, Lock(id=1, locked=True))
        await bert.hears(Done, id=1)
        assert [each.room for each in here.rooms.listed()] == ["ONE"]
        assert empty.race.listed() is None


async def test_newest_rooms_are_listed(prepared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    However many there are: what everyone in the lobby gets each second stays short.
    """
    monkeypatch.setattr("server.rooms.rooms.LISTED", 2)
    async with building(prepared) as here:
        for name in ("ONE", "TWO", "THREE", "FOUR"):
            room = here.rooms.create(PUBLIC, LOOPBACK, name)
            if name != "THREE":
                await here.enter(room, "anna")
        assert [each.room for each in here.rooms.listed()] == ["TWO", "FOUR"]


async def test_number_is_sealed_while_any_room_races_on_it(prepared: Path) -> None:
    """
    From the moment that the deal is out to the end.
    """
    async with building(prepared) as here:
        room = here.rooms.create(Options(), LOOPBACK)
        anna, bert = await here.begin(room, "anna", "bert")
        code = room.race.begun().code
        assert here.rooms.is_sealed("simple-simon", code.number)
        assert not here.rooms.is_sealed("freecell", code.number)
        for listener in (anna, bert):
            here.say(room, listener, Resign(ply=0))
        await anna.hears(Finished)
        assert not here.rooms.is_sealed("simple-simon", code.number)


# Gone


async def test_closed_room_makes_way_for_another_of_its_name(prepared: Path) -> None:
    """
    At once, and after a restart there is the new one and not the old.
    """
    async with building(prepared) as here:
        old = here.rooms.create(Options(), LOOPBACK, "NIGHT")
        anna = await here.enter(old, "anna")
        here.say(old, anna, Close(id=1))
        await here.until(lambda: here.rooms.find("night") is None)
        new = here.rooms.create(Options(suits=4), LOOPBACK, "NIGHT")
        await here.enter(new, "bert")
        assert anna.closed is Reason.ROOM_CLOSED
        gone = here.rooms.create(Options(), LOOPBACK, "GONE")
        carl = await here.enter(gone, "carl")
        here.say(gone, carl, Close(id=1))
        await here.until(lambda: here.rooms.find("gone") is None)
    async with building(prepared, new=False) as here:
        races = list(here.rooms.races())
        assert [(race.room, race.options.suits) for race in races] == [("NIGHT", 4)]
        assert [place.player for place in races[0].roster.places] == ["bert"]


async def test_deserted_room_is_forgotten(prepared: Path) -> None:
    """
    Ten minutes after the last connection, in the file too.
    """
    async with building(prepared) as here:
        room = here.rooms.create(Options(), LOOPBACK, "NIGHT")
        anna = await here.enter(room, "anna")
        room.leave(anna, anna.player)
        for _ in range(50):
            await asyncio.sleep(0)
        here.clock.advance(600_000)
        await here.until(lambda: here.rooms.find("NIGHT") is None)
    async with building(prepared, new=False) as here:
        assert list(here.rooms.races()) == []


async def test_room_that_breaks_ends_alone(prepared: Path, caplog: pytest.LogCaptureFixture) -> None:
    """
    A mistake in one room closes its connections, is logged, and no other room hears of it; a restart has it again.
    """
    async with building(prepared) as here:
        broken, whole = (here.rooms.create(Options(), LOOPBACK, name) for name in ("BROKEN", "WHOLE"))
        anna, bert = await here.enter(broken, "anna"), await here.enter(whole, "bert")
        broken.race = replace(broken.race, roster=None)  # that is the mistake
        here.say(broken, anna, Lock(id=1, locked=True))
        late = Listener(Player("carl", "Carl"))
        broken.join(late, late.player)
        await here.until(lambda: here.rooms.find("BROKEN") is None)
        assert (anna.closed, late.closed) == (Reason.CLOSED, Reason.CLOSED)
        assert "room BROKEN broke" in caplog.text
        here.say(whole, bert, Lock(id=2, locked=True))
        await bert.hears(Done, id=2)
    async with building(prepared, new=False) as here:
        assert {race.room for race in here.rooms.races()} == {"BROKEN", "WHOLE"}


async def test_room_that_cannot_be_forgotten_is_gone_all_the_same(
    prepared: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """
    Until a restart finds it again; the server's log says so.
    """
    async with building(prepared) as here:
        room = here.rooms.create(Options(), LOOPBACK, "NIGHT")
        anna = await here.enter(room, "anna")

        async def fails(_room: str) -> None:
            raise StorageError(Reason.NOT_STORED, cause="injected")

        monkeypatch.setattr(here.store, "forget_room", fails)
        here.say(room, anna, Close(id=1))
        await here.until(lambda: "room NIGHT will be there again" in caplog.text)
        assert here.rooms.find("NIGHT") is None


# After a restart


@pytest.mark.parametrize("stops", [True, False], ids=["stopped", "killed"])
async def test_every_room_is_there_again(prepared: Path, stops: bool) -> None:
    """
    Running races run on from the log; a countdown and a finished race are OPEN; seats, bars and locks hold.
    """
    async with building(prepared, stops=stops) as here:
        names = ("RUNNING", "COUNTING", "FINISHED", "OPEN")
        running, counting, finished, waiting = [here.rooms.create(PUBLIC, LOOPBACK, name) for name in names]
        anna, _ = await here.begin(running, "anna", "bert")
        attempt = running.race.begun().entrants["anna"].attempt
        move = str(attempt.rules.legal_moves(attempt.position)[0])
        here.clock.advance(700)
        here.say(running, anna, Play(id=1, ply=0, move=move))
        await anna.hears(Played)
        (carl,) = await here.begin(finished, "carl")
        here.say(finished, carl, Resign(ply=0))
        await carl.hears(Finished)
        dora = await here.enter(waiting, "dora")
        here.say(waiting, dora, Lock(id=2, locked=True))
        await dora.hears(Done, id=2)
        dora = await here.enter(counting, "dora")
        counting.receive(dora, dora.player, Start(id=3, countdown=1), here.clock.now_ms())
        await dora.hears(Done, id=3)
        before, code = running.race.begun(), str(running.race.begun().code)
        told_ms = 700 + COUNTDOWN_MS if stops else 700  # a clean stop leaves its own moment

    async with building(prepared, new=False) as here:
        phases = {race.room: race.phase for race in here.rooms.races()}
        assert phases == {name: Phase.RUNNING if name == "RUNNING" else Phase.OPEN for name in names}
        again = here.rooms.find("running")
        assert again is not None
        run = again.race.begun()
        assert run.entrants["anna"].attempt == before.entrants["anna"].attempt
        assert [row.moves for row in run.standings()] == [1, 0]
        assert run.stands_ms == told_ms
        assert here.rooms.is_sealed("simple-simon", GameCode.parse(code).number)
        locked = here.rooms.find("open")
        assert locked is not None
        assert (locked.race.roster.locked, [each.player for each in locked.race.roster.places]) == (True, ["dora"])

        here.clock.advance(10_000)
        back, other = await here.enter(again, "anna"), await here.enter(again, "bert")
        assert (back.view.code, back.view.ply, back.view.elapsed_ms, back.view.paused) == (code, 1, told_ms, False)
        here.clock.advance(300)
        here.say(again, back, Resign(id=4, ply=1))
        await back.hears(Played, id=4)
        here.say(again, other, Resign(id=5, ply=0))
        rows = (await back.hears(Finished)).rows
        assert [(row.place, row.state, row.elapsed_ms) for row in rows] == [
            (1, "resigned", told_ms + 300),
            (None, "resigned", told_ms + 300),
        ]


async def test_race_goes_on_by_itself_if_nobody_comes(prepared: Path) -> None:
    """
    Thirty seconds after a restart its time goes on to its limit, and its room is forgotten after that.
    """
    async with building(prepared, stops=False) as here:
        room = here.rooms.create(Options(limit_ms=60_000), LOOPBACK, "NIGHT")
        await here.begin(room, "anna", "bert")
    async with building(prepared, new=False) as here:
        found = here.rooms.find("NIGHT")
        assert found is not None
        watcher = await here.enter(found, "carl")
        paused = [watcher.view.paused]
        here.clock.advance(30_000)
        await watcher.hears(Standings)
        assert [*paused, watcher.view.paused] == [True, False]
        here.clock.advance(60_000)
        rows = (await watcher.hears(Finished)).rows
        assert [(row.state, row.elapsed_ms) for row in rows] == [("timed_out", 60_000)] * 2


async def test_bars_outlive_a_restart(prepared: Path) -> None:
    """
    For the room's life, not for the server's.
    """
    async with building(prepared) as here:
        room = here.rooms.create(Options(), LOOPBACK, "NIGHT")
        anna, bert = await here.enter(room, "anna"), await here.enter(room, "bert")
        here.say(room, anna, Kick(id=1, player="bert"))
        await anna.hears(Done, id=1)
        assert bert.closed is Reason.KICKED
    async with building(prepared, new=False) as here:
        found = here.rooms.find("NIGHT")
        assert found is not None
        bert = Listener(Player("bert", "Bert"))
        found.join(bert, bert.player)
        await here.until(lambda: bert.closed is not None)
        assert bert.closed is Reason.KICKED
        anna = await here.enter(found, "anna")
        await anna.hears(Roster)
        assert anna.view.host


async def test_names_of_rooms_are_those_of_the_players(prepared: Path) -> None:
    """
    A server that dies between a player's change and the room's next write leaves an old name in the room: the next
    start puts it right before anybody comes, and whoever was deleted has no seat.
    """
    async with building(prepared) as here:
        room = here.rooms.create(Options(), LOOPBACK, "NIGHT")
        for name in ("anna", "bert", "carl"):
            await here.enter(room, name)
        await here.store.rename("anna", "Ann")
        await forget(here.store, "bert")
    async with building(prepared, new=False) as here:
        found = here.rooms.find("NIGHT")
        assert found is not None
        carl = await here.enter(found, "carl")
        assert [seat.name for seat in carl.view.seats] == ["Ann", "Carl"]
        ((state,),) = query(prepared, "SELECT state FROM rooms WHERE id = 'NIGHT'")
        assert not any(name in state for name in ("Anna", "Bert"))
