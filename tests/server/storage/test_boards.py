"""The rules of the boards: periods, averages, bests, shares, places."""

from itertools import permutations
from random import Random
from typing import Any

import pytest

from server.clock import utc_text
from server.race.ranking import counts
from server.storage.boards import Board, BoardLine, Counted, Single, Span, Tally, mean_of_middle, period, placed
from shared.attempt import State
from tests.server.storing import end

LIMIT_MS = 900_000


def counted(minute: int, elapsed_ms: int | None, moves: int = 50) -> Counted:
    """Return an attempt begun in *minute*, solved in *elapsed_ms* or not at all."""
    started = utc_text(1_767_225_600_000 + 60_000 * minute)
    return Counted(
        attempt=f"at{minute}", started=started, won=elapsed_ms is not None, elapsed_ms=elapsed_ms or 7, moves=moves
    )


def tally(*attempts: Counted) -> Tally:
    """Return what *attempts* come to, counted in their order."""
    found = Tally()
    for attempt in attempts:
        found = found.add(attempt)
    return found


# Periods

WEEKS = [
    ("2026-01-01T00:00:00.000Z", "2026-W01"),  # a Thursday: its week is the year's first
    ("2025-12-29T00:00:00.000Z", "2026-W01"),  # the Monday of that week
    ("2025-12-28T23:59:59.999Z", "2025-W52"),
    ("2027-01-01T12:00:00.000Z", "2026-W53"),  # a Friday: its week is the old year's last
    ("2027-01-03T23:59:59.999Z", "2026-W53"),
    ("2027-01-04T00:00:00.000Z", "2027-W01"),
    ("2024-12-30T00:00:00.000Z", "2025-W01"),
    ("2023-01-01T00:00:00.000Z", "2022-W52"),  # a Sunday
    ("2024-02-29T23:00:00.000Z", "2024-W09"),
]


@pytest.mark.parametrize(("at", "week"), WEEKS)
def test_week_is_the_iso_week(at: str, week: str) -> None:
    """A week runs from Monday to Sunday and belongs to the year that has its Thursday."""
    assert period(Span.WEEK, at) == week


def test_day_ends_at_midnight_utc() -> None:
    """The last millisecond of a day and the first of the next one are of two days, and of one time."""
    before, after = "2025-12-31T23:59:59.999Z", "2026-01-01T00:00:00.000Z"

    assert (period(Span.DAY, before), period(Span.DAY, after)) == ("2025-12-31", "2026-01-01")
    assert period(Span.ALL, before) == period(Span.ALL, after)


# Averages


def test_average_is_the_mean_of_the_middle_three() -> None:
    """Of five attempts the best and the worst are left out."""
    found = tally(*(counted(minute, ms) for minute, ms in enumerate((90_000, 10_000, 60_000, 70_000, 80_000))))

    assert found.average_ms == 70_000


def test_mean_is_to_the_nearest_millisecond() -> None:
    """A third is rounded down, two thirds up."""
    assert [mean_of_middle([0, 10, 10, 10 + more, 99]) for more in range(4)] == [10, 10, 11, 11]


def test_fewer_than_five_have_no_average() -> None:
    """Four attempts are no average, five are one."""
    four = [counted(minute, 60_000) for minute in range(4)]

    assert tally(*four).average_ms is None
    assert tally(*four, counted(4, 60_000)).average_ms == 60_000


def test_unsolved_attempts_are_worth_the_limit() -> None:
    """One failure is left out as the worst; of two one counts with the whole limit, whenever it was given up."""
    one = tally(*(counted(minute, 60_000) for minute in range(4)), counted(4, None))
    two = tally(*(counted(minute, 60_000) for minute in range(3)), counted(3, None), counted(4, None))

    assert one.average_ms == 60_000
    assert two.average_ms == (60_000 + 60_000 + LIMIT_MS) // 3


def test_average_is_of_the_last_five_by_their_start() -> None:
    """An attempt that began before five others does not count any more, even if it ends after them."""
    recent = [counted(minute, 60_000) for minute in range(1, 6)]
    early = counted(0, 1_000)

    assert tally(early, *recent).average_ms == tally(*recent, early).average_ms == 60_000
    assert tally(*recent, early).attempts == 6


def test_order_of_ends_makes_no_difference() -> None:
    """Six attempts come to the same in each of the 720 orders in which they may end."""
    times = (50_000, None, 40_000, 40_000, 90_000, 70_000)
    attempts = [counted(minute, ms, 50 - minute % 2) for minute, ms in enumerate(times)]

    assert {tally(*order) for order in permutations(attempts)} == {tally(*attempts)}


def test_average_agrees_with_a_plain_one() -> None:
    """For random attempts the tally's average is that of the five that began last, done at leisure."""
    chance = Random(5)
    for _ in range(200):
        attempts = [
            counted(minute, chance.choice((None, chance.randrange(1_000, LIMIT_MS))))
            for minute in range(chance.randrange(9))
        ]
        worths = sorted(LIMIT_MS if not each.won else each.elapsed_ms for each in attempts[-5:])
        plain = round(sum(worths[1:4]) / 3) if len(attempts) >= 5 else None

        assert tally(*chance.sample(attempts, len(attempts))).average_ms == plain


# Bests and shares


def test_best_is_the_fastest_then_the_shorter_then_the_first() -> None:
    """Of equal times the fewer moves are better; of equals the first to be begun stands."""
    slow, long, short, late = (
        counted(0, 60_000, 40),
        counted(1, 50_000, 60),
        counted(2, 50_000, 55),
        counted(3, 50_000, 55),
    )

    assert tally(late, long, slow, short).best == Single(50_000, 55, short.started, "at2")
    assert tally(slow, counted(9, None)).best == Single(60_000, 40, slow.started, "at0")
    assert tally(counted(9, None)).best is None


def test_share_is_what_was_solved_of_all() -> None:
    """Unsolved attempts count in the share and are solved nowhere."""
    found = tally(counted(0, 60_000), counted(1, None), counted(2, None))

    assert (found.attempts, found.solved, found.share) == (3, 1, 333_333)


# What counts


@pytest.mark.parametrize(
    ("changes", "counted"),
    [
        ({}, True),
        ({"state": State.RESIGNED, "won": False}, True),
        ({"state": State.TIMED_OUT, "won": False}, True),
        ({"state": State.ABANDONED, "won": False}, True),
        ({"state": State.VOID, "won": False}, False),
        ({"hints": 1}, False),
    ],
)
def test_void_and_hinted_attempts_do_not_count(changes: dict[str, Any], counted: bool) -> None:
    """Whoever failed, in whatever way, is counted; who never was there or took a hint is not."""
    ended = end("race", **changes)
    assert counts(ended.state, ended.hints) is counted


# Places


def line(player: str, **changes: int) -> BoardLine:
    """Return a line without a place."""
    fields = {"attempts": 10, "solved": 5, "share": 500_000, "average_ms": 60_000, "best_ms": 50_000, "best_moves": 50}
    return BoardLine(player=player, name=player, best_started="", best=player, **(fields | changes))


TIES = {
    Board.AVERAGE: [{"average_ms": 1}, {"average_ms": 2}, {"average_ms": 2, "best_ms": 1}, {"average_ms": 3}],
    Board.SINGLE: [{"best_ms": 1}, {"best_ms": 2, "best_moves": 40}, {"best_ms": 2, "best_moves": 40}, {"best_ms": 2}],
    Board.SHARE: [{"share": 600_000}, {"attempts": 20}, {"attempts": 20}, {"attempts": 10}],
}


@pytest.mark.parametrize("board", Board)
def test_equals_share_a_place(board: Board) -> None:
    """Two that nothing on the board tells apart are both second, and the next one is fourth."""
    lines = [line(str(number), **changes) for number, changes in enumerate(TIES[board])]

    assert [each.place for each in placed(board, lines)] == [1, 2, 2, 4]
    assert placed(board, []) == ()
