"""A deal's page and leaderboards as they are printed."""

from msgspec.structs import replace
from wcwidth import wcswidth

from server.commands.printing import board_lines, deal_lines, race_lines
from server.log import DealLine, RaceLine
from server.race.standings import deal_placed
from server.storage.boards import Board, BoardLine
from shared.attempt import State

WON = DealLine(
    attempt="aa",
    race="r",
    player="p",
    name="Anna",
    started="2026-01-01T00:00:00.000Z",
    state=State.SOLVED,
    won=True,
    score=780,
    moves=120,
    home=4,
    progress=48,
    elapsed_ms=61_500,
    clean=True,
    hints=0,
    lag_ms=None,
    practice=False,
    ranked=False,
    bot=False,
    imported=False,
    options=None,
)
LOST = replace(WON, state=State.TIMED_OUT, won=False, moves=30, home=1, progress=20, elapsed_ms=900_000)
SINGLE = BoardLine(
    place=1,
    player="p",
    name="李四",
    attempts=5,
    solved=5,
    share=1_000_000,
    average_ms=60_000,
    best_ms=50_000,
    best_moves=1,
    best_started=None,
    best="aa",
)


def page(*lines: DealLine) -> list[str]:
    """Return what is printed of the lines, without the head."""
    named = [replace(line, attempt=f"a{number}") for number, line in enumerate(lines)]
    return list(deal_lines("SS1", deal_placed(named, {line.attempt for line in named if line.moves})))[1:]


def test_equals_share_a_place() -> None:
    """1-2-2-4: of solved ones in the same time with as many moves, of others with as much progress in as many moves."""
    second = replace(WON, elapsed_ms=70_000)
    lines = page(WON, second, second, replace(second, moves=121), LOST, replace(LOST, elapsed_ms=1), LOST)
    assert [line.split()[0] for line in lines] == ["1", "2", "2", "4", "5", "5", "5"]


def test_who_has_not_moved_has_no_place() -> None:
    """It is printed last, though the deal itself gives it progress."""
    idle = replace(LOST, name="Idle", home=0, progress=9, moves=0)
    lines = page(WON, idle, replace(LOST, home=0, progress=8))
    assert [line[:3] for line in lines] == ["  1", "  2", "   "]
    assert "Idle" in lines[2]


def test_numbers_and_states_are_words() -> None:
    """One is no many, and no state is written as in code."""
    assert next(deal_lines("SS1", [WON])) == "SS1: 1 attempt"
    assert next(deal_lines("SS1", [WON, WON])) == "SS1: 2 attempts"
    assert next(deal_lines("SS1", [])) == "SS1: nobody has played this deal yet."
    assert "timed out, progress 20" in page(LOST)[0]
    assert "1 move, 780" in page(replace(WON, moves=1))[0]
    assert list(board_lines(Board.SINGLE, "FreeCell", [SINGLE]))[1].endswith("  0:50.0  1 move  aa")


def test_wide_names_are_aligned() -> None:
    """What stands behind a name begins in one column of the terminal, whatever the name's signs take up."""
    names = ["Anna", "李四", "e\u0301ve", "👩‍👩‍👧 x", "漢" * 20]
    starts = [wcswidth(line[: line.index("1:01")]) for line in page(*(replace(WON, name=name) for name in names))]
    assert starts == [5 + 40 + 2] * len(names)
    lines = list(board_lines(Board.AVERAGE, "FreeCell", [SINGLE, replace(SINGLE, name="Anna")]))[1:]
    assert {wcswidth(line[: line.index("1:00")]) for line in lines} == {5 + 20 + 2}


def test_latest_races_tell_who_was_first() -> None:
    """Several, where they share the place; nobody, where nobody moved; and nothing where there are no races."""
    line = RaceLine(race="r", code="FC1-AAAAAAB", finished="2026-01-01T10:20:30.000Z", first=("Anna", "Bert"))
    assert list(race_lines([line, replace(line, first=())])) == [
        "Latest races",
        "     2026-01-01 10:20 UTC  FC1-AAAAAAB     r  first: Anna, Bert",
        "     2026-01-01 10:20 UTC  FC1-AAAAAAB     r  nobody moved",
    ]
    assert list(race_lines([])) == []
