"""The one order of live and final standings."""

from itertools import permutations, zip_longest

from msgspec.structs import replace

from server.race.standings import Line, has_moved, standings
from shared.attempt import Attempt, State, replay
from shared.gamecode import GameCode
from shared.position import Position
from tests.server.racing import SHUTTLE, winning_line

FRESH = Attempt.start(GameCode.parse(SHUTTLE))


def after(*texts: str, code: str = SHUTTLE) -> Attempt:
    """Return the attempt after these entries."""
    return replay(GameCode.parse(code), [(at_ms, text) for at_ms, text in enumerate(texts)])


def solved(moves: int) -> Attempt:
    """Return an attempt that is won in so many moves."""
    bare = Position((b"",) * 10, b"", bytes((52, 0, 0, 0)))
    return replace(after("02"), position=bare, moves=moves, state=State.SOLVED)


def lines(*attempts: Attempt, over_ms: tuple[int | None, ...] = ()) -> list[Line]:
    """Return a line of each attempt, the first in seat 0 and so on."""
    return [Line.of(seat, attempt, at_ms) for seat, (attempt, at_ms) in enumerate(zip_longest(attempts, over_ms))]


def places(*attempts: Attempt, goal: str = "time", over_ms: tuple[int | None, ...] = ()) -> list[int | None]:
    """Return the place of each attempt, the first in seat 0 and so on."""
    rows = standings(lines(*attempts, over_ms=over_ms), goal)
    by_seat = {row.seat: row.place for row in rows}
    return [by_seat[seat] for seat in range(len(attempts))]


def test_solved_before_unsolved_before_untouched() -> None:
    """
    However long it took, and however far anyone else came; who has not moved has no place.
    """
    assert places(after("02"), FRESH, solved(300), over_ms=(None, None, 899_999)) == [2, None, 1]


def test_goal_time_ranks_solvers_by_time_then_moves() -> None:
    """
    Of those who solved it the quicker is better; in the same millisecond the one with fewer moves.
    """
    assert places(solved(50), solved(90), solved(60), over_ms=(9_000, 8_000, 8_000)) == [3, 2, 1]


def test_goal_score_ranks_solvers_by_score_then_time() -> None:
    """
    Of those who solved it the higher score is better, whoever was first; with equal ones the quicker.
    """
    assert places(solved(50), solved(90), solved(50), goal="score", over_ms=(9_000, 1_000, 8_000)) == [2, 3, 1]


def test_goal_score_in_freecell_ranks_by_moves() -> None:
    """
    All solvers have 52 cards home: fewer moves are better, then less time.
    """
    code, line = winning_line("freecell")
    won = after(*line, code=code)
    longer = replace(won, moves=won.moves + 1)
    assert places(longer, won, won, goal="score", over_ms=(1_000, 9_000, 8_000)) == [3, 2, 1]


def test_unsolved_by_cards_gone_then_progress_then_moves() -> None:
    """
    What has left the table counts first, for time does not: it runs for all alike.
    """
    code, line = winning_line("simple-simon")
    attempts = [after(*line[:count], code=code) for count in range(1, len(line))]
    gone = next(attempt for attempt in attempts if sum(attempt.position.home))
    before = attempts[gone.ply - 2]
    best = max(attempts[: gone.ply - 1], key=lambda attempt: attempt.progress)
    assert (sum(before.position.home), sum(gone.position.home)) == (0, 13)
    poorer = replace(gone, position=replace(gone.position, columns=(b"",) * 10))
    assert poorer.progress < best.progress
    assert places(best, poorer, after(line[0], code=code)) == [2, 1, 3]
    slower = replace(best, moves=best.moves + 1)
    assert places(slower, best) == [2, 1]
    for goal in ("time", "score"):
        assert Line.of(0, best, 1).merits[goal] == Line.of(1, best, 2).merits[goal]


def test_true_ties_share_a_place() -> None:
    """
    1-2-2-4, in whatever seats, and lines of the same place stand by seat.
    """
    attempts = (after("02", "35"), after("02"), after("35"), after("02", "20"))
    for order in permutations(range(4)):
        seated = [attempts[which] for which in order]
        assert places(*seated) == [(1, 2, 2, 4)[which] for which in order]
        rows = standings(lines(*seated), "time")
        assert [row.place for row in rows] == [1, 2, 2, 4]
        assert rows[1].seat < rows[2].seat


def test_solvers_may_tie_too() -> None:
    """
    The same millisecond and as many moves are a tie; the next place is skipped.
    """
    assert places(solved(50), solved(50), after("02"), over_ms=(7_000, 7_000, None)) == [1, 1, 3]


def test_no_accepted_move_no_place() -> None:
    """
    Resigning, restarting or asking for a hint is no move; a move that was taken back is one.
    """
    hinted = after("hint", "restart", "resign", code="FC1-AAAALWO")
    back = after("02", "undo")
    assert [has_moved(attempt) for attempt in (FRESH, after("resign"), hinted, back)] == [False, False, False, True]
    assert places(after("resign"), back, FRESH) == [None, 1, None]


def test_those_without_a_place_come_last() -> None:
    """
    They stand by seat, and do not take places from others.
    """
    rows = standings(lines(FRESH, after("resign"), after("02"), over_ms=(None, 5)), "time")
    assert [(row.seat, row.place) for row in rows] == [(2, 1), (0, None), (1, None)]


def test_line_tells_where_an_attempt_stands() -> None:
    """
    Score, moves, progress and state as the engine has them; the time only once it is over.
    """
    (playing,) = standings([Line.of(3, after("02"))], "time")
    assert (playing.seat, playing.place, playing.score, playing.moves, playing.progress) == (3, 1, 499, 1, 5)
    assert (playing.state, playing.elapsed_ms) == ("playing", None)
    (over,) = standings([Line.of(3, after("02", "resign"), 1_234)], "time")
    assert (over.state, over.elapsed_ms) == ("resigned", 1_234)


def test_line_tells_its_marks() -> None:
    """
    Practice, ranked and the delay as they are; clean once it is over; suits where they are mixed.
    """
    code = "SS1-S2-AAAAAAE"
    line = Line.of(1, after(code=code), practice=True, ranked=True, lag_ms=40)
    (row,) = standings([line], "time")
    assert (row.practice, row.ranked, row.lag_ms, row.clean, row.suits) == (True, True, 40, False, None)
    for texts, clean in ((("resign",), True), (("restart", "resign"), False)):
        (row,) = standings([Line.of(1, after(*texts, code=code), 9)], "time", mixed=True)
        assert (row.practice, row.ranked, row.lag_ms, row.clean, row.suits) == (False, False, None, clean, 2)


def test_mixed_suits_are_placed_together() -> None:
    """
    Whoever is quicker is before who is slower, whatever their suits.
    """
    one, four = solved(60), replace(solved(50), code=GameCode.parse("SS1-S4-AAAAAAE"))
    rows = standings(lines(four, one, over_ms=(9_000, 8_000)), "time", mixed=True)
    assert [(row.place, row.suits) for row in rows] == [(1, 1), (2, 4)]
