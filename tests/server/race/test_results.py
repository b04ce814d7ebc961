"""What an attempt came to, from its log."""

import pytest
from msgspec.structs import replace

from server.log import FullResult
from server.race.results import full_result, replayed
from shared.attempt import Attempt, State
from shared.errors import SameDealError
from shared.gamecode import GameCode
from shared.record import Record, Result
from tests.server.racing import SHUTTLE, winning_line

FREECELL = "FC1-AAAAAAB"


def attempt_of(code: str, *texts: str) -> Attempt:
    """Return the attempt that *texts* make, one a second."""
    return Attempt.start(GameCode.parse(code)).take([(1_000 * number, text) for number, text in enumerate(texts)])


def record_of(code: str, *texts: str, result: Result | None = None) -> Record:
    """Return its record."""
    entries = attempt_of(code, *texts).entries
    return Record(code=GameCode.parse(code), player="A", started="2026-01-01T00:00:00Z", entries=entries, result=result)


@pytest.mark.parametrize("game", ["simple-simon", "freecell"])
def test_won_attempt_has_everything_home(game: str) -> None:
    """Home counts sequences in Simple Simon and cards in FreeCell; score, moves and progress are the attempt's."""
    code, moves = winning_line(game)

    result = full_result(attempt_of(code, *moves), 61_000)

    assert result == FullResult(
        state=State.SOLVED,
        won=True,
        score=900 - len(moves) if game == "simple-simon" else 52,
        moves=len(moves),
        home=4 if game == "simple-simon" else 52,
        progress=48 if game == "simple-simon" else 52,
        elapsed_ms=61_000,
        clean=True,
        hints=0,
    )


@pytest.mark.parametrize(
    ("texts", "clean", "hints"),
    [
        (("6a",), True, 0),
        (("6a", "undo"), False, 0),
        (("restart",), False, 0),
        (("hint", "6a", "hint"), False, 2),
        (("resign",), True, 0),
    ],
)
def test_clean_is_without_undo_restart_or_hint(texts: tuple[str, ...], clean: bool, hints: int) -> None:
    """Each of the three is seen in the log, however little came of it; resigning is no blemish; hints are counted."""
    result = full_result(attempt_of(FREECELL, *texts).end(State.TIMED_OUT), 5_000)

    assert (result.clean, result.hints, result.won) == (clean, hints, False)


@pytest.mark.parametrize(
    ("texts", "state"), [(("02", "20"), State.VOID), ((), State.VOID), (("02", "resign"), State.RESIGNED)]
)
def test_replay_ends_as_the_log_says_or_else_as_told(texts: tuple[str, ...], state: State) -> None:
    """Only where the log leaves an attempt open the other end is taken."""
    attempt, _ = replayed(record_of(SHUTTLE, *texts), State.VOID)

    assert attempt.state is state


def test_replay_is_over_when_the_result_says_or_with_the_last_entry() -> None:
    """The clock of an attempt that was cut off has run on; without a result nobody knows of that."""
    told = Result(won=False, score=498, moves=2, elapsed_ms=900_000)

    assert replayed(record_of(SHUTTLE, "02", "20", result=told), State.TIMED_OUT)[1] == 900_000
    assert replayed(record_of(SHUTTLE, "02", "20"), State.TIMED_OUT)[1] == 1_000
    assert replayed(record_of(SHUTTLE), State.TIMED_OUT)[1] == 0


def test_illegal_log_is_refused() -> None:
    """A record whose moves cannot be played has no result."""
    record = replace(record_of(SHUTTLE), entries=((0, "11"),))

    with pytest.raises(SameDealError):
        replayed(record, State.ABANDONED)
