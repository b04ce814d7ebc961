"""Who sits where, who is there, who is ready and who is host."""

import pytest

from server.roster import Place, Roster
from shared.errors import Reason, Refusal
from shared.protocol.messages import Seat

EMPTY = Roster()
ROSTER = EMPTY.joined("anna", "Anna").joined("bert", "Bert").joined("carl", "Carl")


def test_seats_are_numbered_as_they_are_taken() -> None:
    """
    A seat keeps its number and its name, whoever comes back to it.
    """
    assert [ROSTER.seat(player) for player in ("anna", "bert", "carl")] == [0, 1, 2]
    back = ROSTER.dropped("bert", keeps_mark=False).joined("bert", "Another name")
    assert back == ROSTER


def test_who_has_no_seat_is_told() -> None:
    """
    To look for a seat is no mistake, to need one is.
    """
    assert ROSTER.find("dora") is None
    assert EMPTY.find("anna") is None
    for needs in (
        lambda: ROSTER.seat("dora"),
        lambda: ROSTER.marked("dora", ready=True),
        lambda: ROSTER.dropped("dora", keeps_mark=True),
    ):
        with pytest.raises(Refusal) as refused:
            needs()
        assert refused.value.reason is Reason.NO_SEAT


def test_longest_present_is_host() -> None:
    """
    The host is whoever of those that are connected took a seat first; of nobody there is none.
    """
    assert ROSTER.host == "anna"
    ROSTER.check_host("anna")
    gone = ROSTER.dropped("anna", keeps_mark=False)
    assert gone.host == "bert"
    assert EMPTY.host is None
    for player in ("anna", "carl", "dora"):
        with pytest.raises(Refusal) as refused:
            gone.check_host(player)
        assert refused.value.reason is Reason.NOT_HOST


def test_nobody_is_host_of_an_empty_roster() -> None:
    """
    Not even who is nobody.
    """
    with pytest.raises(Refusal):
        EMPTY.check_host("")


def test_ready_and_connected_would_start() -> None:
    """
    A mark that is kept over a drop does not count while the player is away.
    """
    ready = ROSTER.marked("anna", ready=True).marked("carl", ready=True)
    assert ready.ready() == ("anna", "carl")
    away = ready.dropped("carl", keeps_mark=True)
    assert away.ready() == ("anna",)
    assert [place.player for place in away.present()] == ["anna", "bert"]
    assert away.joined("carl", "").ready() == ("anna", "carl")
    assert ready.dropped("carl", keeps_mark=False).joined("carl", "").ready() == ("anna",)
    assert ready.marked("anna", ready=False).ready() == ("carl",)
    assert ready.unmarked() == ROSTER


def test_changes_leave_the_old_roster_alone() -> None:
    """
    A roster is a value: a room may keep the old one until a new one holds.
    """
    before = Roster((Place(player="anna", name="Anna"),))
    for after in (before.marked("anna", ready=True), before.dropped("anna", keeps_mark=True), before.joined("b", "B")):
        assert after != before
    assert before == Roster((Place(player="anna", name="Anna"),))


def test_roster_is_told_seat_by_seat() -> None:
    """
    The wire tells who sits there, whether they are there and ready, and one host.
    """
    told = ROSTER.dropped("anna", keeps_mark=False).marked("carl", ready=True).told()
    assert told == (
        Seat(seat=0, player="anna", name="Anna", connected=False),
        Seat(seat=1, player="bert", name="Bert", host=True),
        Seat(seat=2, player="carl", name="Carl", ready=True),
    )
    assert not any(seat.host for seat in Roster((Place(player="a", name="A", connected=False),)).told())
