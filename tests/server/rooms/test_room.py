"""A room: nobody hears before the commit, nothing is lost or doubled, and connections come and go."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from client.view import View
from server.config import Limits
from server.race.run import CLOCK_MS
from server.race.start import COUNTDOWN_MS
from server.rooms.bulletins import ROSTER_MS, STANDINGS_MS
from server.rooms.frames import WHOLE_TEXT
from server.rooms.room import DESERTED_MS
from shared.errors import Reason
from shared.protocol.codec import JsonCodec
from shared.protocol.messages import (
    Began,
    Cancel,
    Countdown,
    Done,
    Event,
    Finished,
    Leave,
    Opened,
    Play,
    Played,
    Ready,
    Refused,
    Resign,
    Roster,
    Snapshot,
    Standings,
    Start,
)
from shared.protocol.values import Options
from tests.server.rooming import house
from tests.server.storing import query

MOVES = ("02", "20")
"""Legal for ever on the deal that these rooms deal, by turns."""


def shuttle(ply: int, number: int = 0) -> Play:
    """Return the move of this ply."""
    return Play(id=number, ply=ply, move=MOVES[ply % 2])


ANNAS = "anna's race"
"""Anna's attempt."""


# Commit, then tell


async def test_nothing_is_told_before_it_is_in_the_file(prepared: Path) -> None:
    """
    In the moment that a begin, an entry or an end is sent, another program finds it in the database.
    """
    seen: list[str] = []

    def check(event: Event) -> None:
        if isinstance(event, Began):
            assert query(prepared, "SELECT count(*) FROM attempts") == [(2,)]
            assert query(prepared, "SELECT entry FROM log") == [("begin",)]
        elif isinstance(event, Played):
            (count,) = query(prepared, "SELECT count(*) FROM log WHERE attempt = ?", ANNAS)[0]
            assert isinstance(count, int)
            assert count >= event.hand.ply
            if event.hand.state != "playing":
                assert query(prepared, "SELECT state FROM attempts WHERE id = ?", ANNAS) == [(event.hand.state,)]
        elif isinstance(event, Finished):
            assert query(prepared, "SELECT count(*) FROM races WHERE finished IS NOT NULL") == [(1,)]
            assert query(prepared, "SELECT count(*) FROM attempts WHERE record IS NOT NULL") == [(2,)]
        seen.append(type(event).__name__)

    async with house(prepared) as here:
        anna, bert = await here.enter("anna"), await here.enter("bert")
        anna.check = check
        await here.begin(anna, bert)
        for ply in range(4):
            here.tell(anna, shuttle(ply))
            await anna.hears(Played)
        here.tell(bert, Resign(ply=0))
        here.tell(anna, Resign(ply=4))
        await anna.hears(Finished)
    assert [seen.count(name) for name in ("Began", "Played", "Finished")] == [1, 5, 1]


async def test_what_waits_is_one_commit(prepared: Path) -> None:
    """
    Commands of several players that are there together are written in one batch, in their order.
    """
    async with house(prepared) as here:
        players = [await here.enter(name) for name in ("anna", "bert", "carl")]
        await here.begin(*players)
        here.store.batches.clear()
        for ply in range(2):
            for player in players:
                here.tell(player, shuttle(ply))
        for player in players:
            await player.hears(Played)
            assert (await player.hears(Played)).hand.ply == 2

        (batch,) = here.store.batches
        assert [(row.seq, row.attempt, row.entry) for row in batch.rows] == [
            (1, "anna's race", "02"),
            (2, "bert's race", "02"),
            (3, "carl's race", "02"),
            (4, "anna's race", "20"),
            (5, "bert's race", "20"),
            (6, "carl's race", "20"),
        ]
        assert query(prepared, "SELECT seq FROM log ORDER BY id") == [(seq,) for seq in range(7)]


async def test_while_one_commit_is_under_way_the_next_collects(prepared: Path) -> None:
    """
    What comes during a commit waits for its end, however little it is, and then goes together.
    """
    async with house(prepared) as here:
        anna, bert = await here.enter("anna"), await here.enter("bert")
        await here.begin(anna, bert)
        here.store.batches.clear()
        here.tell(anna, shuttle(0))
        while not here.store.batches:
            await here.turns(1)
        for ply in (1, 2):
            here.tell(anna, shuttle(ply))
        here.tell(bert, shuttle(0))
        await bert.hears(Played)
        assert [len(batch.rows) for batch in here.store.batches] == [1, 3]


async def test_what_one_commit_owes_leaves_in_one_write(prepared: Path) -> None:
    """
    Answers and standings of a commit are one write to each connection, and one frame for all of an encoding.
    """
    async with house(prepared) as here:
        anna, bert = await here.enter("anna"), await here.enter("bert")
        carl, dora = await here.enter("carl", JsonCodec.subprotocol), await here.enter("dora", JsonCodec.subprotocol)
        await here.begin(anna, bert)
        here.clock.advance(STANDINGS_MS)
        await dora.hears(Standings)
        for player in (anna, bert, carl, dora):
            player.writes.clear()
            player.news()
        here.clock.advance(STANDINGS_MS)
        here.tell(anna, shuttle(0))
        here.tell(anna, shuttle(1))
        here.tell(bert, shuttle(0))
        await dora.hears(Standings)

        assert [len(player.writes) for player in (anna, bert, carl, dora)] == [1, 1, 1, 1]
        assert [type(event) for event in anna.news()] == [Played, Played, Standings]
        assert [type(event) for event in bert.news()] == [Played, Standings]
        assert anna.writes[0][-1] is bert.writes[0][-1]
        assert carl.writes[0] == dora.writes[0]
        assert carl.writes[0][0] is dora.writes[0][0]
        assert carl.writes[0][0][0] == WHOLE_TEXT


async def test_refusals_are_answered_without_a_commit(prepared: Path) -> None:
    """
    What changes nothing writes nothing.
    """
    async with house(prepared) as here:
        anna = await here.enter("anna")
        written = len(here.store.batches)
        here.tell(anna, shuttle(0, number=1))
        assert (await anna.hears(Refused)).reason == Reason.WRONG_PHASE
        assert len(here.store.batches) == written


# The inbox


async def test_full_inbox_refuses_at_once(prepared: Path) -> None:
    """
    As many commands wait as there is room for; the next is not taken, and there is room again after a turn.
    """
    async with house(prepared, inbox=3) as here:
        anna = await here.enter("anna")
        for number in (1, 2, 3, 4):
            here.tell(anna, Ready(id=number, ready=bool(number % 2)))
        assert (await anna.hears(Refused)).reason == Reason.BUSY
        assert anna.heard[-1] == Refused(id=4, reason=Reason.BUSY)
        await anna.hears(Done, id=3)
        here.tell(anna, Ready(id=5, ready=False))
        await anna.hears(Done, id=5)


async def test_connections_come_and_go_past_a_full_inbox(prepared: Path) -> None:
    """
    Nobody is kept out, or stays in as a ghost, because others ask much.
    """
    async with house(prepared, inbox=1) as here:
        anna = await here.enter("anna")
        here.tell(anna, Ready(ready=True))
        bert = here.arrive("bert")
        here.room.leave(bert, bert.player)
        carl = here.arrive("carl")
        await carl.hears(Snapshot)
        assert [(seat.player, seat.connected) for seat in carl.view.seats] == [
            ("anna", True),
            ("bert", False),
            ("carl", True),
        ]


# Deadlines


async def test_countdown_and_limit_pass_by_themselves(prepared: Path) -> None:
    """
    Without a word from anyone a race begins, tells its standings and is over.
    """
    async with house(prepared, options=Options(limit_ms=10_000)) as here:
        anna, bert = await here.enter("anna"), await here.enter("bert")
        await here.begin(anna, bert)
        here.tell(anna, shuttle(0))
        await anna.hears(Played)
        here.clock.advance(9_999)
        await here.idle()
        assert not any(isinstance(event, Finished) for event in bert.heard)
        here.clock.advance(1)
        rows = (await bert.hears(Finished)).rows
        assert [(row.place, row.state, row.elapsed_ms) for row in rows] == [
            (1, "timed_out", 10_000),
            (None, "timed_out", 10_000),
        ]


async def test_deadline_does_not_overtake_what_came_before_it(prepared: Path) -> None:
    """
    The inbox is in stamp order: a move that was received in time counts, though the room gets to it too late.
    """
    async with house(prepared, options=Options(limit_ms=10_000)) as here:
        anna, bert = await here.enter("anna"), await here.enter("bert")
        await here.begin(anna, bert)
        here.clock.advance(9_998)
        here.tell(bert, shuttle(0))
        carl = here.arrive("carl")
        here.clock.advance(1)
        here.tell(anna, shuttle(0))
        here.clock.advance(1)
        here.tell(anna, shuttle(1, number=7))

        assert (await anna.hears(Played)).hand.ply == 1
        assert (await anna.hears(Refused)).reason == Reason.NOT_PLAYING
        rows = (await carl.hears(Finished)).rows
        assert [row.moves for row in rows] == [1, 1]


async def test_command_at_zero_waits_for_the_deal(prepared: Path) -> None:
    """
    What comes when the countdown is over is handled in the race that begins, not before it.
    """
    async with house(prepared) as here:
        anna, bert = await here.enter("anna"), await here.enter("bert")
        await here.count_down(anna, bert)
        here.tell(anna, Cancel(id=5, countdown=1))
        here.tell(bert, shuttle(0, number=6))
        assert (await anna.hears(Refused, id=5)).reason == Reason.WRONG_PHASE
        assert (await bert.hears(Played, id=6)).hand.ply == 1
        assert [type(event) for event in anna.heard if isinstance(event, Began | Opened)] == [Began]


async def test_countdown_without_its_starters_is_told(prepared: Path) -> None:
    """
    Who is there hears that nothing came of it.
    """
    async with house(prepared) as here:
        anna, bert = await here.enter("anna"), await here.enter("bert")
        here.tell(anna, Start(countdown=1))
        await bert.hears(Countdown)
        here.room.leave(anna, anna.player)
        here.clock.advance(COUNTDOWN_MS)
        assert (await bert.hears(Opened)).countdown == 1
        assert not bert.view.seats[0].connected


# Standings


async def test_standings_leave_at_most_so_often(prepared: Path) -> None:
    """
    Moves within 50 ms are told together, only the lines that changed, and the last change is not forgotten.
    """
    async with house(prepared) as here:
        anna, bert, carl = [await here.enter(name) for name in ("anna", "bert", "carl")]
        await here.begin(anna, bert)
        first = await carl.hears(Standings)
        assert [(row.seat, row.moves) for row in first.rows] == [(0, 0), (1, 0)]
        for ply in range(3):
            here.clock.advance(10)
            here.tell(anna, shuttle(ply))
            await anna.hears(Played)
        assert not any(isinstance(event, Standings) for event in carl.news())

        here.clock.advance(STANDINGS_MS - 31)
        await here.idle()
        assert not any(isinstance(event, Standings) for event in carl.news())
        here.clock.advance(1)
        second = await carl.hears(Standings)
        assert [(row.seat, row.moves, row.place) for row in second.rows] == [(0, 3, 1)]
        assert second.elapsed_ms == STANDINGS_MS
        here.clock.advance(10 * STANDINGS_MS)
        await here.idle()
        assert not any(isinstance(event, Standings) for event in carl.news())


# Who is here


async def test_who_is_here_is_told_at_most_so_often(prepared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    The first change at once, what follows within 100 ms together, as it is then, and once an encoding.
    """
    async with house(prepared) as here:
        monkeypatch.setattr("server.rooms.bulletins.ROSTER_MS", ROSTER_MS)
        here.clock.advance(ROSTER_MS)
        anna, bert = await here.enter("anna"), await here.enter("bert")
        await anna.hears(Roster)
        rosters = [event for event in anna.heard if isinstance(event, Roster)]
        assert [[seat.player for seat in roster.seats] for roster in rosters] == [["anna"]]
        for number in range(1, 6):
            here.tell(anna, Ready(id=number, ready=bool(number % 2)))
            await anna.hears(Done, id=number)
        here.clock.advance(ROSTER_MS - 1)
        await here.idle()
        assert [event for event in anna.heard if isinstance(event, Roster)] == rosters
        here.clock.advance(1)
        told = await bert.hears(Roster)
        assert [(seat.player, seat.ready) for seat in told.seats] == [("anna", True), ("bert", False)]
        await anna.hears(Roster)
        assert anna.writes[-1][-1] is bert.writes[-1][-1]
        here.clock.advance(10 * ROSTER_MS)
        await here.idle()
        assert not any(isinstance(event, Roster) for event in bert.news())


async def test_who_has_which_seat_is_told_before_the_deal(prepared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Standings name seats by number: whoever has left just before is out of the way.
    """
    async with house(prepared) as here:
        anna, bert, carl = [await here.enter(name) for name in ("anna", "bert", "carl")]
        for player in (bert, carl):
            here.tell(player, Ready(ready=True))
        here.tell(anna, Start(id=9, countdown=1))
        await anna.hears(Done, id=9)
        monkeypatch.setattr("server.rooms.bulletins.ROSTER_MS", 60_000)
        here.clock.advance(COUNTDOWN_MS - 1)
        here.tell(bert, Leave())
        here.clock.advance(1)
        await carl.hears(Began)
        before = [event for event in carl.heard if isinstance(event, Roster | Began)][-2]
        assert isinstance(before, Roster)
        assert [seat.player for seat in before.seats] == ["anna", "carl"]
        assert carl.view.seat == 1


async def test_who_starts_is_told_before_the_countdown(prepared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    The countdown names who starts: the last ready mark and the host's are told by then.
    """
    async with house(prepared) as here:
        anna, bert, carl = [await here.enter(name) for name in ("anna", "bert", "carl")]
        monkeypatch.setattr("server.rooms.bulletins.ROSTER_MS", 60_000)
        here.tell(bert, Ready(ready=True))
        here.tell(anna, Start(id=9, countdown=1))
        await carl.hears(Countdown)
        told = [event for event in carl.heard if isinstance(event, Roster | Countdown)]
        before = told[[isinstance(event, Countdown) for event in told].index(True) - 1]
        assert isinstance(before, Roster)
        assert [seat.player for seat in before.seats if seat.ready] == ["anna", "bert"]


async def test_room_takes_so_many_spectators(prepared: Path) -> None:
    """
    One more is closed with a reason of its own; who is here may come again, and a place that is left is free.
    """
    limits = Limits(spectators=1)
    async with house(prepared, options=Options(seats=1), limits=limits) as here:
        await here.enter("anna")
        bert, carl = await here.enter("bert"), here.arrive("carl")
        newer = await here.enter("bert")
        assert (bert.closed, carl.closed) == (Reason.TAKEN_OVER, Reason.ROOM_FULL)
        assert here.room.refusal(carl.player) is Reason.ROOM_FULL
        here.room.leave(newer, newer.player)
        carl = await here.enter("carl")
        assert [each.player for each in carl.view.watchers] == ["carl"]


async def test_every_view_is_what_a_snapshot_would_make_it(prepared: Path) -> None:
    """
    After a race in a real room each client's folded view equals that of one who has just come.
    """
    async with house(prepared) as here:
        anna, bert, carl = [await here.enter(name) for name in ("anna", "bert", "carl")]
        await here.begin(anna, bert)
        for ply in range(5):
            here.tell(anna, shuttle(ply))
            here.tell(bert, shuttle(ply // 2))
            here.clock.advance(30)
            await here.turns(5)
        while anna.view.ply < 5 or bert.view.ply < 3:
            await here.turns(1)
        here.tell(bert, Resign(ply=bert.view.ply))
        here.tell(anna, Resign(ply=5))
        for listener in (anna, bert, carl):
            await listener.hears(Finished)
            fresh = View(player=listener.player.id, name=listener.player.name).after(
                here.room.race.snapshot(listener.player.id, here.clock.now_ms())
            )
            assert replace(listener.view, elapsed_ms=fresh.elapsed_ms) == fresh


# Connections


async def test_newer_tab_takes_the_seat(prepared: Path) -> None:
    """
    The older connection is closed with TAKEN_OVER, and its end does not make the player absent.
    """
    async with house(prepared) as here:
        older, bert = await here.enter("anna"), await here.enter("bert")
        newer = await here.enter("anna")
        assert older.closed is Reason.TAKEN_OVER
        here.room.leave(older, older.player)
        here.tell(newer, Ready(id=1, ready=True))
        await newer.hears(Done, id=1)
        assert newer.view.seats[0].connected
        assert newer.view.seat == 0
        assert bert.closed is None
        assert not any(not seat.connected for event in bert.heard if isinstance(event, Roster) for seat in event.seats)


async def test_older_tab_is_heard_no_more(prepared: Path) -> None:
    """
    What an older connection still sends is dropped: its answers would reach the newer one under ids of that one's.
    """
    async with house(prepared) as here:
        older, bert = await here.enter("anna"), await here.enter("bert")
        await here.begin(older, bert)
        newer = here.arrive("anna")
        here.tell(older, shuttle(0, number=1))
        here.tell(newer, shuttle(0, number=2))
        await newer.hears(Played)
        assert [event.id for event in newer.heard if isinstance(event, Played)] == [2]
        assert not any(isinstance(event, Played) for event in older.heard)


async def test_who_arrives_hears_the_own_snapshot_first(prepared: Path) -> None:
    """
    Whatever else is handled or due at the time, the first event of a connection is its snapshot.
    """
    async with house(prepared, options=Options(limit_ms=10_000)) as here:
        anna, bert = await here.enter("anna"), await here.enter("bert")
        carl = here.arrive("carl")
        here.tell(anna, Ready(ready=True))
        dora = here.arrive("dora")
        here.tell(bert, Ready(ready=True))
        await dora.hears(Roster)
        assert isinstance(carl.heard[0], Snapshot)
        assert isinstance(dora.heard[0], Snapshot)
        await here.begin(anna, bert)
        here.tell(anna, shuttle(0))
        await dora.hears(Standings)

        here.clock.advance(10_000)
        back = here.arrive("bert")
        await back.hears(Finished)

        snapshot = back.heard[0]
        assert isinstance(snapshot, Snapshot)
        assert snapshot.phase == "finished"
        assert back.view.phase == "finished"
        await dora.hears(Finished)
        assert dora.view.rows == back.view.rows


async def test_who_comes_back_goes_on(prepared: Path) -> None:
    """
    A drop costs nothing but time: the snapshot has the table as it was left.
    """
    async with house(prepared) as here:
        anna, bert = await here.enter("anna"), await here.enter("bert")
        await here.begin(anna, bert)
        here.tell(anna, shuttle(0))
        await anna.hears(Played)
        table = anna.view.table
        here.room.leave(anna, anna.player)
        await bert.hears(Roster)
        assert [seat.connected for seat in bert.view.seats] == [False, True]

        again = await here.enter("anna")

        assert (again.view.ply, again.view.table) == (1, table)
        here.tell(again, shuttle(1))
        assert (await again.hears(Played)).hand.ply == 2


async def test_deserted_room_ends(prepared: Path) -> None:
    """
    Ten minutes after the last connection the room's task is over; who comes before keeps it.
    """
    async with house(prepared) as here:
        anna = await here.enter("anna")
        here.room.leave(anna, anna.player)
        await here.idle()
        here.clock.advance(DESERTED_MS - 1)
        await here.idle()
        assert not here.task.done()
        anna = await here.enter("anna")
        here.clock.advance(2 * DESERTED_MS)
        await here.idle()
        assert not here.task.done()
        here.room.leave(anna, anna.player)
        await here.turns()
        here.clock.advance(DESERTED_MS)
        await here.task


async def test_room_that_nobody_enters_ends(prepared: Path) -> None:
    """
    A room that was only made is gone ten minutes later.
    """
    async with house(prepared) as here:
        await here.turns()
        here.clock.advance(DESERTED_MS)
        await here.task


async def test_room_is_not_deserted_while_it_is_played_in(prepared: Path) -> None:
    """
    A race that all have left goes on till it is abandoned, at rest and without a turn of the loop; then the room ends.
    """
    async with house(prepared, options=Options(limit_ms=3 * DESERTED_MS)) as here:
        anna, bert = await here.enter("anna"), await here.enter("bert")
        await here.begin(anna, bert)
        for listener in (anna, bert):
            here.room.leave(listener, listener.player)
        await here.turns()
        here.clock.advance(DESERTED_MS - CLOCK_MS)
        await here.turns()
        looks = []
        now_ms = here.clock.now_ms

        def looking() -> int:
            looks.append(1)
            return now_ms()

        here.clock.now_ms = looking  # type: ignore[method-assign]  # count how often anyone asks for the time
        await here.turns(200)
        assert len(looks) <= 250  # the loop itself asks once a turn
        here.clock.now_ms = now_ms  # type: ignore[method-assign]  # as above
        here.clock.advance(2 * DESERTED_MS)
        await here.task
        assert query(prepared, "SELECT state FROM attempts") == [("abandoned",), ("abandoned",)]


async def test_closed_room_closes_its_connections(prepared: Path) -> None:
    """
    Nobody stays in a room that is not there any more.
    """
    async with house(prepared) as here:
        anna, bert = await here.enter("anna"), await here.enter("bert")
        here.room.close()
        assert (anna.closed, bert.closed) == (Reason.CLOSED, Reason.CLOSED)
