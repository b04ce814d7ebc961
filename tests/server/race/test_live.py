"""A `live` room: who sees the tables, from when on, and that it is written first."""

from server.race.said import Join
from shared.errors import Reason
from shared.phase import Phase
from shared.protocol.messages import (
    Choices,
    Kick,
    Play,
    Played,
    Resign,
    Restart,
    Undo,
    Watched,
)
from shared.protocol.values import Options
from tests.server.racing import (
    ANNA,
    BERT,
    CARL,
    DORA,
    attempt_of,
)
from tests.server.telling import Told, playing


def live_race() -> Told:
    """Return a `live` race of Anna and Bert that Carl watches."""
    return playing(ANNA, BERT, options=Options(view="live"), watching=(CARL,))


def test_spectators_of_a_live_room_see_every_entry() -> None:
    """
    Steps and hands as they happen, the whole table after a restart; those who play see nothing of it.
    """
    told = live_race()
    told.heard.clear()
    for command in (Play(ply=0, move="02"), Undo(ply=1), Restart(ply=2), Resign(ply=3)):
        told.say(ANNA, command)
        told.check_views()
    watched = [(player, event) for player, event in told.heard if isinstance(event, Watched)]
    assert [player for player, _ in watched] == [CARL, CARL, CARL, ANNA, CARL]
    assert [event.steps for player, event in watched if player == CARL] == [("02",), ("20",), (), ()]
    assert [event.table is None for player, event in watched if player == CARL] == [True, True, False, True]
    assert told.views[CARL].seen[0].hand.state == "resigned"


def test_finishers_of_a_live_room_see_what_is_still_played() -> None:
    """
    From the end of the own attempt on, with a snapshot of all tables.
    """
    told = live_race()
    told.say(BERT, Play(ply=0, move="02"))
    told.say(ANNA, Resign(ply=0))
    assert told.views[ANNA].seen[1].hand.ply == 1
    told.say(BERT, Play(ply=1, move="20"))
    assert told.views[ANNA].seen[1].hand.ply == 2
    assert told.views[BERT].seen == {}
    told.say(BERT, Resign(ply=2))
    assert told.race.phase is Phase.FINISHED
    assert [sorted(view.seen) for view in told.views.values()] == [[0, 1]] * 3
    told.check_views()


def test_who_comes_to_a_live_room_opens_its_number_first() -> None:
    """
    While it runs and after; whoever started on it has done so already.
    """
    told = live_race()
    told.say(DORA, Join(name="Dora"))
    assert (DORA, "simple-simon", 4) in told.opened
    _, outcome = told.race.handle(ANNA, Join(name="Anna"), told.now_ms)
    assert outcome.opened == ()
    for player in (ANNA, BERT):
        told.say(player, Resign(ply=0))
    told.say("emil", Join(name="Emil"))
    assert ("emil", "simple-simon", 4) in told.opened
    assert sorted(told.views["emil"].seen) == [0, 1]


def test_spectators_of_other_rooms_open_nothing() -> None:
    """
    Standings show no card.
    """
    told = playing(ANNA, BERT, watching=(CARL,))
    told.say(ANNA, Play(ply=0, move="02"))
    for player in (ANNA, BERT):
        told.say(player, Resign(ply=attempt_of(told.race, player).ply))
    assert told.opened == {(player, "simple-simon", 4) for player in (ANNA, BERT)}
    assert told.views[CARL].seen == {}
    assert not any(isinstance(event, Watched) for _, event in told.heard)


def test_kicked_player_of_a_live_room_sees_no_table_but_the_own() -> None:
    """
    Neither while they play to the end, nor with the end, which closes the connection.
    """
    told = live_race()
    told.say(ANNA, Kick(player=BERT))
    told.say(ANNA, Play(ply=0, move="02"))
    told.heard.clear()
    told.say(BERT, Play(ply=0, move="02"))
    told.say(BERT, Resign(ply=1))
    assert [type(event) for player, event in told.heard if player == BERT] == [Played, Choices, Played, Choices]
    assert told.closed == {BERT: Reason.KICKED}
    assert told.views[ANNA].seen == {}
    assert told.views[CARL].seen[1].hand.state == "resigned"
