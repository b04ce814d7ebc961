"""A room from its making to its end: what is kept of it, who is shown what, rematches, closing and stopping."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from client.view import View
from server.race.restore import kept
from server.rooms.bulletins import STANDINGS_MS
from shared.errors import Reason
from shared.phase import Phase
from shared.protocol.codec import JsonCodec
from shared.protocol.messages import (
    Began,
    Choices,
    Close,
    Configure,
    Create,
    Done,
    Event,
    Finished,
    Hello,
    Hint,
    Hinted,
    Kick,
    Leave,
    Lock,
    Play,
    Played,
    Ready,
    Refused,
    Rematch,
    Resign,
    Roster,
    Snapshot,
    Standings,
    Start,
    Warming,
    WarmUp,
    Watched,
)
from shared.protocol.values import Options
from tests.server.rooming import House, Listener, house
from tests.server.storing import query


async def check_views(here: House, *listeners: Listener) -> None:
    """Old snapshot + events = new snapshot, for all of these, once the standings are told."""
    here.clock.advance(STANDINGS_MS)
    await here.turns(50)
    for listener in listeners:
        snapshot = here.room.race.snapshot(listener.player.id, here.clock.now_ms())
        fresh = View(player=listener.player.id, name=listener.player.name).after(snapshot)
        bare = replace(listener.view, choices=(), joined=())
        assert replace(bare, elapsed_ms=fresh.elapsed_ms, remaining_ms=fresh.remaining_ms) == fresh


# What is kept


async def test_room_is_in_the_file_as_it_is(prepared: Path) -> None:
    """
    Before anyone is told of a seat, a lock or a bar it is there, and what does not last writes nothing.
    """

    def state() -> object:
        ((text,),) = query(prepared, "SELECT state FROM rooms WHERE id = 'ROOM'")
        return text

    async with house(prepared) as here:
        anna, bert = await here.enter("anna"), await here.enter("bert")

        def check(event: Event) -> None:
            if isinstance(event, Roster):
                assert state() == kept(here.room.race)

        bert.check = check
        for command in (Lock(id=1, locked=True), Kick(id=2, player="bert")):
            here.tell(anna, command)
            await anna.hears(Done, id=command.id)
            assert state() == kept(here.room.race)
        here.store.batches.clear()
        for number, ready in ((3, True), (4, False)):
            here.tell(anna, Ready(id=number, ready=ready))
            await anna.hears(Done, id=number)
        here.tell(anna, WarmUp(id=5))
        await anna.hears(Warming)
        assert here.store.batches == []


async def test_move_makes_no_text_of_the_room(prepared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    A move, which changes neither people nor options, makes no text of the room.
    """
    async with house(prepared) as here:
        anna, bert = await here.enter("anna"), await here.enter("bert")
        await here.begin(anna, bert)
        monkeypatch.setattr("server.rooms.room.kept", None)
        here.tell(anna, Play(id=1, ply=0, move="02"))
        await anna.hears(Played, id=1)


# Who is shown what


async def test_opening_is_in_the_file_before_a_table_is_shown(prepared: Path) -> None:
    """
    In a `live` room, to who is there at the start, who comes later, and who comes after the end.
    """

    def check(event: Event) -> None:
        if isinstance(event, Watched) or (isinstance(event, Snapshot) and event.seen):
            rows = query(prepared, "SELECT number FROM opened WHERE player = ?", watcher.player.id)
            assert rows == [(4,)]
            shown.append(watcher.player.id)

    shown: list[str] = []
    async with house(prepared, options=Options(view="live", seats=2)) as here:
        anna, bert, carl = [await here.enter(name) for name in ("anna", "bert", "carl")]
        watcher, carl.check = carl, check
        await here.begin(anna, bert)
        await carl.hears(Watched)
        here.tell(anna, Play(ply=0, move="02"))
        await carl.hears(Watched, seat=0)
        await check_views(here, anna, bert, carl)
        here.room.leave(carl, carl.player)

        watcher = here.arrive("dora")
        watcher.check = check
        await watcher.hears(Snapshot)
        for listener in (anna, bert):
            here.tell(listener, Resign(ply=listener.view.ply))
        await watcher.hears(Finished)
        await check_views(here, anna, bert, watcher)
    assert set(shown) == {"carl", "dora"}


async def test_finisher_sees_what_others_played_in_the_same_commit(prepared: Path) -> None:
    """
    Whatever stands in a batch with the own end: the tables that one sees then are those of the moment.
    """
    async with house(prepared, options=Options(view="live")) as here:
        anna, bert = await here.enter("anna"), await here.enter("bert")
        await here.begin(anna, bert)
        here.tell(bert, Play(ply=0, move="02"))
        here.tell(anna, Resign(ply=0))
        here.tell(bert, Play(ply=1, move="20"))
        await bert.hears(Played)
        assert (await bert.hears(Played)).hand.ply == 2
        assert anna.view.seen[1].hand.ply == 2
        here.clock.advance(STANDINGS_MS)
        await bert.hears(Standings)
        await check_views(here, anna, bert)


async def test_choices_are_told_to_who_wants_them(prepared: Path) -> None:
    """
    Behind each new table, once a write, in whichever encoding; a spectator has none, a hint changes none.
    """
    async with house(prepared, options=Options(game="freecell", hint=True)) as here:
        anna = here.arrive("anna", JsonCodec.subprotocol, wants_choices=True)
        bert, carl = await here.enter("bert"), here.arrive("carl", wants_choices=True)
        here.tell(anna, WarmUp())
        await anna.hears(Warming)
        assert await anna.hears(Choices) == here.room.race.choices("anna")
        await here.begin(anna, bert)
        assert await anna.hears(Choices) == here.room.race.choices("anna")
        here.tell(anna, Play(ply=0, move="1a"))
        here.tell(anna, Play(ply=1, move="2b"))
        here.tell(anna, Hint(ply=2))
        await anna.hears(Hinted)
        assert [type(event) for event in anna.news()][:1] == [Choices]
        assert anna.view.choices == here.room.race.choices("anna").choices  # type: ignore[union-attr]  # Anna plays
        assert len([event for event in anna.heard if isinstance(event, Choices)]) == 3
        here.tell(anna, Hint(ply=3))
        await anna.hears(Hinted)
        assert not any(isinstance(event, Choices) for event in (*anna.news(), *bert.heard, *carl.heard))

        here.room.leave(anna, anna.player)
        back = here.arrive("anna", wants_choices=True)
        assert (await back.hears(Choices)).ply == 4
        assert back.view.choices == anna.view.choices


async def test_kicked_player_hears_the_own_answers_alone(prepared: Path) -> None:
    """
    In the same commit already; then a connection that comes back does too, and the end of the attempt closes it.
    """
    async with house(prepared) as here:
        anna, bert = await here.enter("anna"), await here.enter("bert")
        await here.begin(anna, bert)
        here.clock.advance(STANDINGS_MS)
        await bert.hears(Standings)
        bert.news()
        here.tell(anna, Play(ply=0, move="02"))
        here.tell(anna, Lock(locked=True))
        here.tell(anna, Kick(id=1, player="bert"))
        await anna.hears(Done, id=1)
        assert [type(event) for event in bert.news()] == [Snapshot]
        await check_views(here, anna, bert)
        here.room.leave(bert, bert.player)
        back = await here.enter("bert")
        here.tell(back, Play(id=2, ply=0, move="02"))
        await back.hears(Played, id=2)
        here.tell(back, Resign(id=3, ply=1))
        await back.hears(Played, id=3)
        assert back.closed is Reason.KICKED
        again = here.arrive("bert")
        await here.turns()
        while again.closed is None:
            await here.turns()
        assert (again.closed, again.heard) == (Reason.KICKED, [])


async def test_delay_is_told_with_the_standings(prepared: Path) -> None:
    """
    As soon as it is measured, to all.
    """
    async with house(prepared) as here:
        anna, bert = await here.enter("anna"), await here.enter("bert")
        await here.begin(anna, bert)
        await bert.hears(Standings)
        here.clock.advance(STANDINGS_MS)
        here.room.measure(anna, anna.player, 42)
        rows = (await bert.hears(Standings)).rows
        assert [(row.seat, row.lag_ms) for row in rows if row.lag_ms] == [(0, 42)]
        await check_views(here, anna, bert)


async def test_what_belongs_in_the_lobby_is_refused(prepared: Path) -> None:
    """
    A room is made elsewhere, and hello is said before.
    """
    async with house(prepared) as here:
        anna = await here.enter("anna")
        for command in (Hello(id=1, name="Anna"), Create(id=2, nonce="x")):
            here.tell(anna, command)
            refused = await anna.hears(Refused, id=command.id)
            assert (refused.reason, refused.params) == ("WRONG_PHASE", {"phase": "open"})


# One race after the other


async def test_rematch_goes_on_in_the_same_room(prepared: Path) -> None:
    """
    Another race, with an id, a log and standings of its own, for the same connections; sent again it opens no third.
    """
    async with house(prepared) as here:
        anna, bert, carl = [await here.enter(name) for name in ("anna", "bert", "carl")]
        await here.begin(anna, bert)
        here.tell(anna, Play(ply=0, move="02"))
        for listener, ply in ((anna, 1), (bert, 0)):
            here.tell(listener, Resign(ply=ply))
        await carl.hears(Finished)
        for listener in (anna, bert):
            here.tell(listener, Rematch(id=7, race="race"))
            await listener.hears(Done, id=7)
        second = here.room.race.id
        assert second != "race"
        assert [listener.view.race for listener in (anna, bert, carl)] == [second] * 3
        await check_views(here, anna, bert, carl)

        here.tell(carl, Ready(ready=True))
        await here.count_down(anna, bert, countdown=2)
        for listener in (anna, bert, carl):
            await listener.hears(Began)
        here.clock.advance(STANDINGS_MS)
        here.tell(carl, Play(ply=0, move="02"))
        await carl.hears(Played)
        assert [(row.race, row.seq) for row in here.store.batches[-1].rows] == [(second, 1)]
        here.clock.advance(STANDINGS_MS)
        while len(anna.view.rows) < 3 or anna.view.rows[0].moves != 1:
            await here.turns()
        await check_views(here, anna, bert, carl)
        assert query(prepared, "SELECT count(*) FROM races") == [(2,)]


async def test_end_and_rematch_in_one_commit(prepared: Path) -> None:
    """
    Whoever knows that the own resigning ends the race may ask for the next one behind it.
    """
    async with house(prepared) as here:
        anna, bert = await here.enter("anna"), await here.enter("bert")
        await here.begin(anna, bert)
        here.tell(bert, Resign(ply=0))
        here.tell(anna, Resign(ply=0))
        here.tell(anna, Rematch(id=7, race="race"))
        await anna.hears(Done, id=7)
        assert here.room.race.phase is Phase.OPEN
        assert [type(event) for event in bert.heard[-2:]] == [Finished, Snapshot]
        await check_views(here, anna, bert)


# The end


async def test_closed_room_is_shut_for_good(prepared: Path) -> None:
    """
    Everyone is told why, who comes in the same moment too, and the room's task is over; nothing revives it.
    """
    async with house(prepared) as here:
        anna, bert = await here.enter("anna"), await here.enter("bert")
        here.tell(anna, Close(id=1))
        here.tell(anna, Start(id=2, countdown=1))
        carl, dora = here.arrive("carl"), here.arrive("dora")
        await here.task
        assert here.room.shut
        assert [each.closed for each in (anna, bert, carl, dora)] == [Reason.ROOM_CLOSED] * 4
        assert Done(id=1) in anna.heard
        assert carl.heard == dora.heard == []


async def test_leaving_closes_the_connection_with_its_answer_before(prepared: Path) -> None:
    """
    The others hear that the seat is free; the room goes on.
    """
    async with house(prepared) as here:
        anna, bert = await here.enter("anna"), await here.enter("bert")
        await bert.hears(Roster)
        here.tell(anna, Leave(id=3))
        await bert.hears(Roster)
        assert (anna.closed, Done(id=3) in anna.heard) == (Reason.LEFT, True)
        assert [(seat.player, seat.host) for seat in bert.view.seats] == [("bert", True)]
        here.room.leave(anna, anna.player)
        here.tell(bert, Configure(id=4, options=Options(suits=2)))
        await bert.hears(Done, id=4)


async def test_room_that_was_left_by_all_closes_ten_minutes_later(prepared: Path) -> None:
    """
    Counted from when the last connection was closed by the room itself.
    """
    async with house(prepared) as here:
        anna = await here.enter("anna")
        here.clock.advance(50_000)
        here.tell(anna, Leave())
        while anna.closed is None:
            await here.idle()
        here.clock.advance(599_999)
        await here.idle()
        assert not here.task.done()
        here.clock.advance(1)
        await here.task


async def test_stopped_room_leaves_its_time_in_the_log(prepared: Path) -> None:
    """
    What was received before is handled first; a race that does not run leaves nothing.
    """
    async with house(prepared) as here:
        anna, bert = await here.enter("anna"), await here.enter("bert")
        await here.begin(anna, bert)
        here.clock.advance(1_234)
        here.tell(anna, Play(ply=0, move="02"))
        here.room.stop()
        await here.task
        log = query(prepared, "SELECT at_ms, entry FROM log ORDER BY seq")
        assert log == [(0, "begin"), (1_234, "02"), (1_234, "clock")]
        assert [event for event in anna.heard if isinstance(event, Played)] != []
        here.open("another")
        await here.enter("carl")
        here.room.stop()
        await here.task
        assert len(query(prepared, "SELECT 1 FROM log")) == 3


async def test_running_room_has_the_time_in_its_log_by_itself(prepared: Path) -> None:
    """
    Every five seconds, without a word from anyone, and without a word to anyone.
    """
    async with house(prepared) as here:
        anna, bert = await here.enter("anna"), await here.enter("bert")
        await here.begin(anna, bert)
        here.clock.advance(STANDINGS_MS)
        await bert.hears(Standings)
        bert.news()
        for seconds in (5, 10):
            here.clock.advance(5_000 - STANDINGS_MS if seconds == 5 else 5_000)
            while query(prepared, "SELECT max(at_ms) FROM log") != [(seconds * 1_000,)]:
                await here.turns()
        assert bert.news() == []


async def test_name_that_is_new_comes_with_the_connection(prepared: Path) -> None:
    """
    A player who comes back under another name sits there under it.
    """
    async with house(prepared) as here:
        anna, bert = await here.enter("anna"), await here.enter("bert")
        here.room.leave(anna, anna.player)
        await bert.hears(Roster)
        again = Listener(replace(anna.player, name="Annabel"))
        here.room.join(again, again.player)
        await again.hears(Snapshot)
        assert [seat.name for seat in again.view.seats] == ["Annabel", "Bert"]
