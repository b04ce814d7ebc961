"""Race time: what it leaves in the log, a restart in the middle of it, and attempts of those who are gone."""

from server.race.outcome import Outcome
from server.race.run import ABANDONED_MS, CLOCK_MS
from server.race.said import Drop, Join
from server.race.start import COUNTDOWN_MS
from shared.attempt import State
from shared.phase import Phase
from shared.protocol.messages import (
    Play,
    Resign,
    Standings,
)
from shared.protocol.values import Options
from tests.server.racing import (
    ANNA,
    BERT,
    CARL,
    DORA,
    SHUTTLE,
    began_ms,
    begun,
    checked,
    counting_race,
    final_rows,
    played,
    resigned,
    run_of,
    running_race,
    said,
)
from tests.server.telling import playing

# Time in the log


def test_running_race_has_the_time_in_its_log() -> None:
    """
    Every five seconds since the last row of whatever kind, by itself; before the start and after the end never.
    """
    race = running_race(SHUTTLE, ANNA, BERT, options=Options(limit_ms=20_000))
    assert race.next_deadline == began_ms(race) + CLOCK_MS
    race, outcome = race.tick(began_ms(race) + CLOCK_MS)
    assert [(row.seq, row.attempt, row.at_ms, row.entry) for row in outcome.log] == [(1, None, 5_000, "clock")]
    assert outcome.letters == ()
    race = played(race, BERT, "02", at_ms=7_300)
    assert race.next_deadline == began_ms(race) + 7_300 + CLOCK_MS
    race, outcome = race.tick(began_ms(race) + 20_000)
    assert [(row.at_ms, row.entry) for row in outcome.log][:-3] == [(12_300, "clock"), (17_300, "clock")]
    assert race.next_deadline is None


def test_stop_leaves_a_stamp() -> None:
    """
    A server that ends cleanly loses no race time; races that do not run have none to lose.
    """
    race = running_race(SHUTTLE, ANNA, BERT)
    stamped, outcome = race.stamped(began_ms(race) + 1_234)
    assert [(row.seq, row.at_ms, row.entry) for row in outcome.log] == [(1, 1_234, "clock")]
    assert run_of(stamped).rows == 2
    waiting = counting_race(ANNA, BERT)
    assert waiting.stamped(10) == (waiting, Outcome())


def test_time_stands_still_after_a_restart_until_a_player_is_back() -> None:
    """
    The first of those who play sets it going, for all; spectators and those who are done wait, and see it.
    """
    told = playing(ANNA, BERT, CARL, watching=(DORA,))
    told.say(CARL, Resign(ply=0), 500)
    told.say(ANNA, Play(ply=0, move="02"), 700)
    told.restart()
    told.wait(8_000)
    for player in (DORA, CARL):
        told.say(player, Join(name=player.title()), 1_000)
        assert (told.views[player].paused, told.views[player].elapsed_ms) == (True, 1_200)
    assert [row.at_ms for row in told.rows] == [0, 500, 1_200]

    told.say(BERT, Join(name="Bert"), 1_000)

    assert [(view.paused, view.elapsed_ms) for view in told.views.values()] == [(False, 1_200)] * 3
    told.say(BERT, Play(ply=0, move="02"), 300)
    assert [(row.at_ms, row.entry) for row in told.rows][-1] == (1_500, "02")
    told.check_views()


def test_time_goes_on_30_seconds_after_a_restart_without_a_player() -> None:
    """
    By itself, at that moment, however late the timer; it counts from there to all its deadlines.
    """
    told = playing(ANNA, BERT, options=Options(limit_ms=10_000), watching=(CARL,))
    told.say(ANNA, Play(ply=0, move="02"), 4_000)
    told.restart()
    told.say(CARL, Join(name="Carl"), 29_999)
    assert told.views[CARL].paused
    told.wait(1)
    assert not told.views[CARL].paused
    assert isinstance(told.heard[-1][1], Standings)
    told.wait(5_999)
    assert not run_of(told.race).over
    told.wait(1)
    assert [(row.at_ms, row.entry) for row in told.rows] == [
        (0, "begin"),
        (4_000, "02"),
        (9_000, "clock"),
        (10_000, "timeout"),
        (10_000, "timeout"),
        (10_000, "end"),
    ]


# Nobody there


def test_attempts_are_abandoned_after_ten_minutes_without_a_player() -> None:
    """
    Counted from when the last of those who play was there; who is done, or watches, keeps nothing alive.
    """
    options = Options(limit_ms=3_600_000)
    race = played(running_race(SHUTTLE, ANNA, BERT, CARL, watching=(DORA,), options=options), ANNA, "02", at_ms=50)
    race = resigned(race, CARL, at_ms=60)
    start_ms = began_ms(race)
    race = said(race, (ANNA, Drop()), now_ms=start_ms + 1_000)
    race = said(race, (BERT, Drop()), now_ms=start_ms + 2_000)
    back = said(race, (ANNA, Join(name="Anna")), now_ms=start_ms + 1_999 + ABANDONED_MS)
    assert back.phase is Phase.RUNNING
    assert run_of(back).deserted_ms() is None

    race, outcome = race.tick(start_ms + 10**7)

    assert race.phase is Phase.FINISHED
    ends = [(ended.attempt, ended.state, ended.elapsed_ms, ended.moves) for ended in outcome.ended]
    at_ms = 2_000 + ABANDONED_MS
    assert ends == [("anna's", State.ABANDONED, at_ms, 1), ("bert's", State.ABANDONED, at_ms, 0)]
    assert [(row.at_ms, row.entry) for row in outcome.log][-3:] == [(at_ms, "abandon")] * 2 + [(at_ms, "end")]
    for ended in outcome.ended:
        checked(ended, race)


def test_limit_comes_before_abandonment() -> None:
    """
    Whichever is first ends the attempts, and at the same moment it is time that was up.
    """
    race = running_race(SHUTTLE, ANNA, options=Options(limit_ms=ABANDONED_MS))
    race = said(race, (ANNA, Drop()), now_ms=began_ms(race))
    _, outcome = race.tick(10**9)
    assert [ended.state for ended in outcome.ended] == [State.TIMED_OUT]


def test_attempt_is_void_if_its_player_was_never_there() -> None:
    """
    Only then: a connection for a moment, or at zero, is enough for it to count.
    """
    race = said(counting_race(ANNA, BERT, CARL), (BERT, Drop()), (CARL, Drop()), now_ms=10)
    race, _ = begun(race, 4, COUNTDOWN_MS)
    race = said(race, (CARL, Join(name="Carl")), (CARL, Drop()), (ANNA, Drop()), now_ms=COUNTDOWN_MS + 5)
    race, outcome = race.tick(10**9)
    assert [(ended.attempt, ended.state) for ended in outcome.ended] == [
        ("anna's", State.ABANDONED),
        ("bert's", State.VOID),
        ("carl's", State.ABANDONED),
    ]
    told = final_rows(outcome)
    assert [(row.seat, row.state, row.ranked) for row in told] == [
        (0, "abandoned", True),
        (1, "void", False),
        (2, "abandoned", True),
    ]
