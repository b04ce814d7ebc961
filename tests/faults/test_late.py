"""Commands that come late: what they were sent for is over, or has become something else."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from websockets.exceptions import ConnectionClosed

from shared.errors import Reason
from shared.phase import Phase
from shared.protocol.closing import CloseCode
from shared.protocol.messages import (
    Answer,
    Cancel,
    ChooseSuits,
    Close,
    Command,
    Configure,
    Create,
    Created,
    Done,
    Forget,
    Gather,
    HandOver,
    Hint,
    Kick,
    Leave,
    Lock,
    Play,
    PlayBest,
    Ready,
    Refused,
    Rematch,
    Rename,
    Renamed,
    Resign,
    Restart,
    Rooms,
    Snapshot,
    Start,
    Undo,
    WarmUp,
)
from shared.protocol.values import Options
from tests.server import serving as plain
from tests.server.racing import SHUTTLE
from tests.server.visiting import Visitor, serving

KNOWN = Options(code=SHUTTLE)


async def late(visitor: Visitor, command: Command, reason: str) -> None:
    """Send a command for what is not so any more; it is refused, and again, and changes nothing."""
    views = []
    for number in (998, 999):
        await visitor.send(replace(command, id=number))
        refused = await visitor.hears(Answer, id=number)
        assert isinstance(refused, Refused)
        assert refused.reason == reason
        if reason == "STALE_PLY":
            await visitor.hears(Snapshot)
        views.append(visitor.view)
    assert views[0] == views[1]


async def test_each_command_sent_late_is_refused(database: Path) -> None:
    """
    A countdown, a ply or a race that is over, or not there yet: refused with what is so now, and nothing changes.
    """
    async with (
        serving(database) as here,
        here.visitor("Anna", options=KNOWN) as anna,
        here.visitor("Bert") as bert,
    ):
        await late(anna, Start(countdown=7), "STALE_COUNTDOWN")
        await late(anna, Cancel(countdown=3), "WRONG_PHASE")
        await here.begin(anna, bert)
        await late(anna, Start(countdown=2), "WRONG_PHASE")
        await late(anna, Configure(options=Options(suits=4)), "WRONG_PHASE")
        await late(bert, Ready(ready=False), "WRONG_PHASE")
        await late(anna, Rematch(race=anna.view.race), "WRONG_PHASE")
        await anna.play("02")
        for sent in (
            Play(ply=0, move="20"),
            PlayBest(ply=0, source="2", count=1),
            Undo(ply=0),
            Restart(ply=0),
            Hint(ply=0),
            Gather(ply=0),
            Resign(ply=0),
        ):
            await late(anna, sent, "STALE_PLY")
            await late(anna, replace(sent, ply=2), "STALE_PLY")
        await anna.ask(Resign(ply=0))
        await bert.ask(Resign(ply=0))
        await anna.until(lambda view: view.phase == Phase.FINISHED)
        await late(anna, Rematch(race="older"), "STALE_RACE")
        await late(anna, Undo(ply=1), "STALE_PLY")
        assert anna.log == ["02", "resign"]


async def test_what_a_host_asks_late_is_refused(database: Path) -> None:
    """
    Who has gone is not here to be made host or kicked, who has handed the room over is not its host any more, and while
    anyone plays the room stays open.
    """
    async with (
        serving(database) as here,
        here.visitor("Anna", options=KNOWN) as anna,
        here.visitor("Bert") as bert,
        here.visitor("Carl") as carl,
    ):
        assert isinstance(await bert.ask(Leave()), Done)
        for sent in (HandOver(player=bert.view.player), Kick(player=bert.view.player)):
            await late(anna, sent, "NOT_HERE")
        assert isinstance(await anna.ask(HandOver(player=carl.view.player)), Done)
        for power in (Lock(locked=True), Kick(player=carl.view.player), HandOver(player=anna.view.player), Close()):
            await late(anna, power, "NOT_HOST")
        assert isinstance(await anna.ask(HandOver(player=carl.view.player)), Done)  # which is so
        await carl.until(lambda view: view.host)
        await here.begin(carl, anna)
        await late(carl, Close(), "SOMEONE_PLAYS")
        assert not (await anna.until(lambda view: view.phase == Phase.RUNNING)).locked


async def test_what_is_asked_late_of_a_race_or_a_player_is_refused(database: Path) -> None:
    """
    Suits that are not chosen any more, a deal to warm up on, a deletion in play: refused with what is so now. A name
    may be had at any time, also the one before.
    """
    async with serving(database) as here, here.visitor("Anna", options=Options(mixed=True)) as anna:
        assert isinstance(await anna.ask(ChooseSuits(suits=4)), Done)
        assert isinstance(await anna.ask(Configure(options=KNOWN)), Done)
        await late(anna, ChooseSuits(suits=2), "NOT_MIXED")
        assert isinstance(await anna.ask(Start(countdown=1)), Done)
        for sent in (ChooseSuits(suits=2), WarmUp()):
            await late(anna, sent, "WRONG_PHASE")
        await here.pass_countdown(anna)
        await late(anna, Forget(), "STILL_PLAYING")
        for name in ("Ann", "Annie", "Ann"):
            renamed = await anna.ask(Rename(name=name))
            assert isinstance(renamed, Renamed)
            assert renamed.name == name
        await anna.until(lambda view: [seat.name for seat in view.seats] == ["Ann"])
        await anna.ask(Resign(ply=0))
        await anna.until(lambda view: view.phase == Phase.FINISHED)
        for over in (ChooseSuits(suits=2), WarmUp(), Create(nonce="late")):
            await late(anna, over, "WRONG_PHASE")


async def test_goodbye_that_comes_late_is_another_goodbye(database: Path) -> None:
    """
    Who has left and is back leaves again by a Leave that was on its way. Who was deleted is nobody: whatever comes
    late, by the old token there is no way in.
    """
    async with serving(database) as here, here.visitor("Anna") as anna, here.visitor("Bert") as bert:
        for leaving in (bert, bert.again()):
            if leaving is not bert:
                await leaving.__aenter__()
                await anna.until(lambda view: len(view.seats) == 2)
            assert isinstance(await leaving.ask(Leave()), Done)
            assert (await leaving.closing())[0] == CloseCode.LEFT
            await anna.until(lambda view: len(view.seats) == 1)
        async with bert.again() as back:
            assert isinstance(await back.ask(Forget()), Done)
            assert (await back.closing())[0] == CloseCode.FORGOTTEN
        with pytest.raises(ConnectionClosed) as closed:
            await bert.again().__aenter__()
        assert closed.value.rcvd
        assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (CloseCode.BAD_TOKEN, Reason.BAD_TOKEN)


async def test_room_that_is_asked_for_late_is_another(database: Path) -> None:
    """
    A Create whose room has been closed since makes a room anew: it leads to none that is gone.
    """
    async with plain.serving(database) as server, plain.socket(server) as lobby:
        token = (await plain.hello(lobby)).token
        rooms = []
        for number in (2, 3):
            await plain.say(lobby, Create(id=number, nonce="a"))
            while not isinstance(event := await plain.hear(lobby), Created):
                assert isinstance(event, Rooms)
            rooms.append(event.room)
            async with plain.socket(server, f"/ws/{event.room}") as inside:
                await plain.hello(inside, name=None, token=token)
                await plain.say(inside, Close(id=2))
                assert await plain.closing(inside) == CloseCode.ROOM_CLOSED
        assert len(set(rooms)) == 2
