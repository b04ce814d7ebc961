"""Who sits where, who is there, who is ready and who is host."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from server.race.roster import ABSENT_MS, HOSTLESS_MS, Place, Roster
from shared.errors import Reason, Refusal
from shared.protocol.values import Seat, Watcher

EMPTY = Roster()


def place(player: str, since_ms: int = 0) -> Place:
    """Return someone who comes."""
    return Place(player=player, name=player.title(), since_ms=since_ms)


def entered(*players: str, seats: int = 3) -> Roster:
    """Return a roster of people who came one after the other, a millisecond apart, while there was room for three."""
    roster = EMPTY
    for since_ms, player in enumerate(players):
        roster = roster.came(place(player, since_ms)).filled(seats)
    return roster


ROSTER = entered("anna", "bert", "carl")


def away(roster: Roster, *players: str, now_ms: int = 50) -> Roster:
    """Return the roster once these have dropped."""
    for player in players:
        roster = roster.dropped(player, now_ms, keeps_mark=False)
    return roster


def test_seats_are_numbered_as_they_are_taken() -> None:
    """
    Who finds no free one watches, behind those who have watched longer; a seat keeps its number for who comes back.
    """
    roster = entered("anna", "bert", "carl", "dora", "emil")
    assert [roster.seat(player) for player in ("anna", "bert", "carl")] == [0, 1, 2]
    assert [each.player for each in roster.watchers] == ["dora", "emil"]
    back = away(roster, "bert").came(place("bert", 60))
    assert [each.player for each in back.places] == ["anna", "bert", "carl"]
    assert [each.since_ms for each in back.places] == [0, 60, 2]
    again = roster.came(place("dora", 70))
    assert [each.player for each in again.watchers] == ["emil", "dora"]


def test_free_seats_are_filled_and_no_more() -> None:
    """
    Fewer seats than are taken unseat nobody.
    """
    roster = entered("anna", "bert", "carl", "dora", "emil", seats=2)
    assert [each.player for each in roster.filled(4).places] == ["anna", "bert", "carl", "dora"]
    assert [each.player for each in roster.filled(4).watchers] == ["emil"]
    assert roster.filled(1) == roster.filled(2) == roster


def test_who_has_no_seat_is_told() -> None:
    """
    To look for a seat is no mistake, to need one is.
    """
    assert ROSTER.find("dora") is None
    assert EMPTY.find("anna") is None
    needs: tuple[Callable[[], object], ...] = (
        lambda: ROSTER.seat("dora"),
        lambda: ROSTER.marked("dora", ready=True),
        lambda: ROSTER.chosen("dora", 2),
    )
    for need in needs:
        with pytest.raises(Refusal) as refused:
            need()
        assert refused.value.reason is Reason.NO_SEAT


def test_longest_present_follows_the_host() -> None:
    """
    Whoever of the connected has been here longest since they last came, not whoever took a seat first.
    """
    assert ROSTER.host == "anna"
    back = away(ROSTER, "bert").came(place("bert", 60))
    assert away(back, "anna").hosted().host == "carl"
    assert back.without("anna").host == "carl"
    assert back.gone("anna", 70, keeps_seat=True).host == "carl"
    assert back.without("bert").host == "anna"
    assert back.hosted("bert").host == "bert"
    assert away(ROSTER, "anna", "bert", "carl").hosted().host is None


def test_host_is_due_when_someone_can_follow() -> None:
    """
    Fifteen seconds after the host has dropped, if anyone is present; a host who is here, or nobody, is no case.
    """
    assert ROSTER.hostless_ms is None
    assert EMPTY.hostless_ms is None
    assert away(ROSTER, "anna").hostless_ms == 50 + HOSTLESS_MS
    assert away(ROSTER, "bert").hostless_ms is None
    assert away(ROSTER, "anna", "bert", "carl").hostless_ms is None


def test_first_to_come_where_nobody_is_host_is() -> None:
    """
    Be it one who comes back to a seat.
    """
    nobody = away(ROSTER, "anna", "bert", "carl").hosted()
    assert nobody.came(place("carl", 90)).host == "carl"
    assert entered("zoe").host == "zoe"


def test_only_the_host_is_the_host() -> None:
    """
    Not even who is nobody is host where there is none.
    """
    ROSTER.check_host("anna")
    for roster, player in ((ROSTER, "bert"), (ROSTER, ""), (EMPTY, "")):
        with pytest.raises(Refusal) as refused:
            roster.check_host(player)
        assert refused.value.reason is Reason.NOT_HOST


def test_ready_and_connected_would_start() -> None:
    """
    A mark that is kept over a drop does not count while the player is away.
    """
    ready = ROSTER.marked("anna", ready=True).marked("carl", ready=True)
    assert ready.ready() == ("anna", "carl")
    gone = ready.dropped("carl", 50, keeps_mark=True)
    assert gone.ready() == ("anna",)
    assert [each.player for each in gone.present()] == ["anna", "bert"]
    assert gone.came(place("carl")).ready() == ("anna", "carl")
    assert ready.dropped("carl", 50, keeps_mark=False).came(place("carl")).ready() == ("anna",)
    assert ready.marked("anna", ready=False).ready() == ("carl",)
    assert ready.chosen("anna", 2).ready() == ("carl",)
    assert ready.chosen("carl", 4).unmarked() == ROSTER


def test_barred_players_are_not_present() -> None:
    """
    One may be connected, playing to the end: no host, no starter, and nobody who is here.
    """
    barred = replace(ROSTER.marked("bert", ready=True), barred=frozenset({"bert"}))
    assert [each.player for each in barred.present()] == ["anna", "carl"]
    assert barred.ready() == ()
    assert barred.without("anna").host == "carl"
    assert [each.player for each in barred.renewed(3).places] == ["anna", "carl"]


def test_absent_lapse_one_by_one() -> None:
    """
    Each two minutes after their own drop; those who are here stay.
    """
    roster = away(away(ROSTER, "anna", now_ms=100), "carl", now_ms=200)
    assert ROSTER.lapses_ms is None
    assert roster.lapses_ms == 100 + ABSENT_MS
    assert roster.lapsed(99 + ABSENT_MS) == roster
    first = roster.lapsed(100 + ABSENT_MS)
    assert [each.player for each in first.places] == ["bert", "carl"]
    assert (first.host, first.lapses_ms) == ("bert", 200 + ABSENT_MS)
    assert [each.player for each in first.lapsed(200 + ABSENT_MS).places] == ["bert"]


def test_changes_leave_the_old_roster_alone() -> None:
    """
    A roster is a value: a room may keep the old one until a new one holds.
    """
    before = entered("anna")
    for after in (before.marked("anna", ready=True), away(before, "anna"), before.came(place("bert"))):
        assert after != before
    assert before == entered("anna")


def test_roster_is_told_seat_by_seat() -> None:
    """
    The wire tells who sits there, whether they are there and ready, what they chose, and one host; and who watches.
    """
    roster = entered("anna", "bert", "carl", "dora").chosen("bert", 2).marked("carl", ready=True)
    assert away(roster, "bert").told() == (
        Seat(seat=0, player="anna", name="Anna", host=True),
        Seat(seat=1, player="bert", name="Bert", connected=False, suits=2),
        Seat(seat=2, player="carl", name="Carl", ready=True),
    )
    assert roster.told_watchers() == (Watcher(player="dora", name="Dora"),)
    bot = EMPTY.came(replace(place("zoe"), bot=True)).filled(1)
    assert bot.told() == (Seat(seat=0, player="zoe", name="Zoe", host=True, bot=True),)
