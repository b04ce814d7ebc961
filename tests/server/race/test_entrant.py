"""One who started: marks, and what is written of an attempt."""

import pytest
from msgspec.structs import replace

from server.race.entrant import Entrant
from server.race.standings import standings
from shared.attempt import Attempt, State, replay
from shared.gamecode import GameCode
from shared.record import Record, verify
from tests.server.racing import SHUTTLE, STARTED_MS

CODE = GameCode.parse(SHUTTLE)
ANNA = Entrant(player="anna", name="Anna", seat=2, id="a", attempt=Attempt.start(CODE), ranked=True)


def after(*texts: str, code: str = SHUTTLE) -> Entrant:
    """Return Anna after these entries, a second apart."""
    entries = [(1_000 * place, text) for place, text in enumerate(texts, 1)]
    return replace(ANNA, attempt=replay(GameCode.parse(code), entries))


@pytest.mark.parametrize(
    ("texts", "clean"),
    [
        ((), True),
        (("1b", "resign"), True),
        (("1b", "undo"), False),
        (("restart",), False),
        (("hint", "1b"), False),
    ],
)
def test_clean_is_without_undo_restart_or_hint(texts: tuple[str, ...], clean: bool) -> None:
    """
    Any of them, however early; a result says the same as the standings.
    """
    entrant = after(*texts, code="FC1-AAAAAAB")
    (row,) = standings([replace(entrant, over_ms=9_000).line], "time")
    assert entrant.attempt.clean is clean
    assert row.clean is clean
    assert replace(entrant, attempt=entrant.attempt.end(State.TIMED_OUT)).result(0, 9_000).clean is clean


def test_ends_as_it_is_ended_unless_the_player_was_never_there() -> None:
    """
    Then it is void, and does not count, whatever it was to count for.
    """
    assert ANNA.ended(State.ABANDONED).attempt.state is State.ABANDONED
    void = replace(ANNA, seen=False).ended(State.TIMED_OUT)
    assert void.attempt.state is State.VOID
    assert (ANNA.line.standing.ranked, void.line.standing.ranked) == (True, False)
    assert (ANNA.plays, void.plays) == (True, False)


def test_start_is_written_with_all_its_marks() -> None:
    """
    Attempt, player, seat and the own code; practice, ranked and bot.
    """
    starter = replace(ANNA, practice=True, bot=True).starter()
    assert (starter.attempt, starter.player, starter.seat) == ("a", "anna", 2)
    assert (starter.code, starter.suits, starter.start_ms) == (SHUTTLE, 1, 0)
    assert (starter.practice, starter.ranked, starter.bot) == (True, True, True)
    assert not ANNA.starter().practice


def test_result_is_that_of_its_record() -> None:
    """
    The record holds, was played under the entrant's name, began with the race, and ends when the attempt was over.
    """
    entrant = replace(after("02", "20", "02"), lag_ms=33, over_ms=7_000)
    ended = replace(entrant, attempt=entrant.attempt.end(State.TIMED_OUT)).result(STARTED_MS, 7_000)
    record = Record.unpack(ended.record)
    assert verify(record).ok
    assert (record.player, record.started) == ("Anna", "2026-01-01T00:00:00.000Z")
    assert [text for _, text in record.entries] == ["02", "20", "02"]
    assert record.result is not None
    assert (record.result.won, record.result.score, record.result.moves) == (False, 497, 3)
    assert record.result.elapsed_ms == ended.elapsed_ms == 7_000
    assert (ended.attempt, ended.state, ended.lag_ms, ended.hints) == ("a", State.TIMED_OUT, 33, 0)
    assert (ended.score, ended.moves, ended.home, ended.progress) == (497, 3, 0, entrant.attempt.progress)


def test_hints_are_counted() -> None:
    """
    Each is an entry.
    """
    entrant = after("hint", "1b", "hint", "resign", code="FC1-AAAAAAB")
    assert entrant.result(0, 4_000).hints == 2
