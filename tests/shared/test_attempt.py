"""An attempt: what a player does, what comes back, what ends it."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from shared.attempt import ENTRY_LIMIT, HINT, MARK_EVERY, RESIGN, RESTART, UNDO, UNDO_LIMIT, Attempt, State, replay
from shared.errors import NotationError, Reason, Refusal
from shared.gamecode import GameCode
from shared.moves import Move
from tests.tables import laid

SIMON = GameCode.parse("SS1-S4-AAAAAAE")
"""A deal where `02` and `20` can be played for ever."""
FREECELL = GameCode.parse("FC1-AAAAAAG")
"""So here with `25` and `52`."""
SHUTTLES = [(SIMON, "02", "20", "SS9"), (FREECELL, "25", "52", "FC7")]
SPADES = "KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S"

DOINGS: dict[str, Callable[[Attempt], object]] = {
    "play": lambda attempt: attempt.play(Move.parse("02"), 9),
    "play_best": lambda attempt: attempt.play_best(9, 1, 9),
    "gather": lambda attempt: attempt.gather(9),
    "undo": lambda attempt: attempt.undo(9),
    "restart": lambda attempt: attempt.restart(9),
    "hint": lambda attempt: attempt.hint(9),
    "resign": lambda attempt: attempt.resign(9),
    "take": lambda attempt: attempt.take([(9, "02")]),
}
"""Everything that a player can do."""


def at(code: GameCode, *columns: str, cells: str = "", home: str = "", moves: int = 0) -> Attempt:
    """Return an attempt that stands at a position laid out for a test."""
    position = laid(code.rules, *columns, cells=cells, home=home, filler="")
    return Attempt(code, code.rules, position, moves=moves)


def played(code: GameCode, text: str) -> Attempt:
    """Return the attempt after these entries, one each second."""
    return replay(code, [(1_000 * ply, entry) for ply, entry in enumerate(text.split(), 1)])


def refused(doing: Callable[[], object]) -> Refusal:
    """Return the refusal that *doing* raises."""
    with pytest.raises(Refusal) as caught:
        doing()
    return caught.value


def test_start_is_the_deal_with_nothing_played() -> None:
    """The deal's position, no entry, no move, time 0; playing."""
    attempt = Attempt.start(SIMON)
    assert (attempt.code, attempt.position, attempt.state) == (SIMON, SIMON.deal(), State.PLAYING)
    assert (attempt.ply, attempt.moves, attempt.entries, attempt.past, attempt.last_ms) == (0, 0, (), (), 0)


def test_ss8_move_is_played_logged_and_counted() -> None:
    """SS8: one move, one point less; the log has its text and stamp."""
    attempt = Attempt.start(SIMON).play(Move.parse("02"), 1_500)
    assert attempt.entries == ((1_500, "02"),)
    assert (attempt.ply, attempt.moves, attempt.score, attempt.last_ms) == (1, 1, 499, 1_500)
    assert attempt.position == SIMON.rules.apply(SIMON.deal(), Move.parse("02"))
    assert attempt.past == ((SIMON.deal(), Move.parse("02")),)
    assert attempt.progress == SIMON.rules.progress(attempt.position)


def test_fc9_score_and_moves_are_counted_apart() -> None:
    """FC9: a card that goes home is a point, a move to a cell is none."""
    attempt = at(FREECELL, "9H AS", "5D", moves=7).play(Move.parse("1h"), 0).play(Move.parse("2a"), 0)
    assert (attempt.score, attempt.moves) == (1, 9)


def test_illegal_move_is_refused_with_its_entry() -> None:
    """The refusal is the rules' own, and tells which entry it would have been."""
    attempt = played(SIMON, "02 20 02")
    error = refused(lambda: attempt.play(Move.parse("12v9"), 9_000))
    assert (error.reason, error.rule, error.entry) == (Reason.FEW_CARDS, "", 3)


def test_ss7_winning_move_ends_the_attempt() -> None:
    """SS7: with the fourth sequence gone it is solved; 851 when that was move 49 (SS8)."""
    attempt = at(SIMON, SPADES, "AS", home="H13 D13 C13", moves=48).play(Move.parse("21"), 5)
    assert (attempt.state, attempt.moves, attempt.score, attempt.progress) == (State.SOLVED, 49, 851, 48)


def test_ss6_sequence_that_is_not_the_last_ends_nothing() -> None:
    """SS6: 100 points, and play goes on."""
    attempt = at(SIMON, SPADES, "3H AS", moves=9).play(Move.parse("21"), 5)
    assert (attempt.state, attempt.score) == (State.PLAYING, 590)


@pytest.mark.parametrize(("entries", "state"), [("1h", State.PLAYING), ("1h 1h", State.SOLVED)])
def test_fc6_last_card_home_ends_the_attempt(entries: str, state: State) -> None:
    """FC6: with all 52, not with 51."""
    attempt = at(FREECELL, "KH QH", home="S13 H11 D13 C13")
    assert attempt.take([(0, text) for text in entries.split()]).state is state


@pytest.mark.parametrize("doing", DOINGS.values(), ids=DOINGS)
@pytest.mark.parametrize("state", [state for state in State if state is not State.PLAYING])
def test_nothing_is_done_but_while_playing(state: State, doing: Callable[[Attempt], object]) -> None:
    """Section 2: no undo, restart or anything else after the winning move; nor before the start, nor after any end."""
    attempt = played(SIMON, "02 20").end(state)
    error = refused(lambda: doing(attempt))
    assert (error.reason, error.params) == (Reason.NOT_PLAYING, {"state": state})


def test_end_from_outside_leaves_the_log() -> None:
    """A time-out is not an entry."""
    attempt = played(SIMON, "02 20")
    assert attempt.end(State.TIMED_OUT).entries == attempt.entries
    assert attempt.end(State.TIMED_OUT).position == attempt.position


def test_entries_after_the_winning_move_are_refused() -> None:
    """Within one call too: the entry after the win is named, and nothing is done."""
    attempt = at(FREECELL, "KH", home="S13 H12 D13 C13")
    error = refused(lambda: attempt.take([(0, "1h"), (0, UNDO)]))
    assert (error.reason, error.params, error.entry) == (Reason.NOT_PLAYING, {"state": "solved"}, 1)


@pytest.mark.parametrize(("code", "move"), [(SIMON, "02"), (FREECELL, "1a")])
def test_ss9_fc7_undo_brings_back_the_position_and_the_count(code: GameCode, move: str) -> None:
    """SS9, FC7: position, score and moves are as before; the log has grown."""
    before = Attempt.start(code)
    after = before.play(Move.parse(move), 1).undo(2)
    assert (after.position, after.moves, after.score, after.past) == (before.position, 0, before.score, ())
    assert after.entries == ((1, move), (2, UNDO))


def test_ss9_removed_sequence_comes_back() -> None:
    """SS9: with the move that removed it, and its hundred points go."""
    before = at(SIMON, SPADES, "3H AS", moves=9)
    assert (before.score, before.play(Move.parse("21"), 1).score) == (491, 590)
    after = before.play(Move.parse("21"), 1).undo(2)
    assert (after.position, after.moves, after.score) == (before.position, 9, 491)


@pytest.mark.parametrize(("code", "there", "back", "rule"), SHUTTLES)
def test_ss9_fc7_last_100_moves_can_be_undone(code: GameCode, there: str, back: str, rule: str) -> None:
    """SS9, FC7: after 101 moves exactly 100 are taken back; the next undo is refused, but a new move can be undone."""
    attempt = replay(code, [(0, back if ply % 2 else there) for ply in range(UNDO_LIMIT + 1)])
    attempt = attempt.take([(0, UNDO)] * UNDO_LIMIT)
    assert attempt.moves == 1
    assert attempt.position == code.rules.apply(code.deal(), Move.parse(there))
    error = refused(lambda: attempt.undo(0))
    assert (error.reason, error.rule, error.params) == (Reason.NO_UNDO, rule, {"limit": 100})
    assert attempt.play(Move.parse(back), 0).undo(0).position == attempt.position


def test_ss9_undo_is_not_undone() -> None:
    """SS9: a second undo takes back the move before, not the first undo."""
    attempt = played(SIMON, "02 20 02 undo undo")
    assert (attempt.moves, attempt.ply, len(attempt.past)) == (1, 5, 1)
    assert attempt.position == played(SIMON, "02").position


@pytest.mark.parametrize(("code", "there", "back", "rule"), SHUTTLES)
def test_ss9_fc7_restart_lays_the_first_position_and_is_not_undone(
    code: GameCode, there: str, back: str, rule: str
) -> None:
    """SS9, FC7, section 2: position, score and moves begin anew, with nothing to undo; log and clock go on."""
    attempt = played(code, f"{there} {back} {there} restart")
    fresh = Attempt.start(code)
    assert (attempt.position, attempt.score, attempt.moves, attempt.past) == (fresh.position, fresh.score, 0, ())
    assert (attempt.ply, attempt.last_ms, attempt.state) == (4, 4_000, State.PLAYING)
    assert refused(lambda: attempt.undo(9_000)).rule == rule
    assert refused(lambda: attempt.play(Move.parse(there), 3_999)).reason is Reason.TIME_FELL
    assert attempt.play(Move.parse(there), 4_000).moves == 1


def test_undo_needs_a_move() -> None:
    """At the beginning there is none."""
    assert refused(lambda: Attempt.start(SIMON).undo(0)).reason is Reason.NO_UNDO


def test_fc8_hint_is_shown_and_logged() -> None:
    """FC8: one legal move; the use is an entry, and no move."""
    before = Attempt.start(FREECELL)
    after, move = before.hint(700)
    assert move == FREECELL.rules.hint(before.position, None)
    assert (after.entries, after.moves, after.position) == (((700, HINT),), 0, before.position)


def test_fc8_hint_does_not_lead_back() -> None:
    """FC8: after a move its way back is no hint, after an undo the move before that counts; a hint is not undone."""
    attempt = at(FREECELL, "7S 6H", "7C", "9C 5S", *["TS"] * 5, cells="KS KH KD KC")

    def hint_after(text: str) -> str:
        return str(attempt.take([(0, entry) for entry in text.split()]).hint(0)[1])

    assert hint_after("") == "12"
    assert hint_after("12") == "32"
    assert hint_after("12 21") == "31"
    assert hint_after("12 21 undo") == "32"
    assert hint_after("12 hint undo") == "12"


def test_ss7_simple_simon_has_no_hint() -> None:
    """SS7: it is refused, not logged."""
    error = refused(lambda: Attempt.start(SIMON).hint(0))
    assert (error.reason, error.rule, error.entry) == (Reason.NO_HINT, "SS7", 0)
    assert refused(lambda: played(SIMON, "02 hint")).entry == 1


def test_fc8_none_to_show() -> None:
    """FC8: where no move is left."""
    stuck = at(FREECELL, *["5S"] * 8, cells="KS KH KD KC")
    assert str(refused(lambda: stuck.hint(0))) == "NO_HINT (FC8)"


def test_fc10_gather_is_logged_as_its_moves() -> None:
    """FC10: with one time stamp, each counted, and the last one wins."""
    attempt = at(FREECELL, "KH QH", cells="KS", home="S12 H11 D13 C13", moves=80).gather(5_000)
    assert attempt.entries == ((5_000, "1h"), (5_000, "1h"), (5_000, "ah"))
    assert (attempt.state, attempt.moves, attempt.score) == (State.SOLVED, 83, 52)


def test_fc10_nothing_to_gather() -> None:
    """FC10: while one card can't go home; in Simple Simon never."""
    assert str(refused(lambda: Attempt.start(FREECELL).gather(0))) == "NO_GATHER (FC10)"
    assert refused(lambda: Attempt.start(SIMON).gather(0)).reason is Reason.NO_GATHER


def test_ss10_fc7_best_move_is_logged_as_itself() -> None:
    """SS10, FC7: the log has the concrete move; without a target nothing is logged."""
    attempt = at(SIMON, "9H 5D", "6S", "6D").play_best(0, 1, 250)
    assert attempt.entries == ((250, "13"),)
    error = refused(lambda: at(SIMON, "9H 5D", *["2S"] * 9).play_best(0, 1, 0))
    assert str(error) == "NO_TARGET (SS10)"
    error = refused(lambda: at(FREECELL, "9H 5D", *["2S"] * 7, cells="KS KH KD KC").play_best(0, 1, 0))
    assert str(error) == "NO_TARGET (FC7)"


@pytest.mark.parametrize(
    ("texts", "clean"),
    [
        ((), True),
        (("25", "resign"), True),
        (("25", "undo"), False),
        (("restart",), False),
        (("hint", "25"), False),
    ],
)
def test_clean_is_without_undo_restart_or_hint(texts: tuple[str, ...], clean: bool) -> None:
    """
    Any of them, however early.
    """
    assert replay(FREECELL, [(0, text) for text in texts]).clean is clean


def test_resigning_ends_the_attempt_unsolved() -> None:
    """It is an entry, and the position stays."""
    attempt = played(SIMON, "02 resign")
    assert (attempt.state, attempt.moves, attempt.score) == (State.RESIGNED, 1, 499)
    assert attempt.entries[-1] == (2_000, RESIGN)
    assert Attempt.start(SIMON).resign(5).entries == ((5, RESIGN),)


def test_after_20_000_entries_only_resigning_is_left() -> None:
    """Section 2: hints, undos and restarts count as well as moves; a gathering past the limit is refused whole."""
    texts = [HINT] * 4 + ["25", "52", UNDO, RESTART] * (ENTRY_LIMIT // 4 - 1)
    long = replay(FREECELL, [(0, text) for text in texts])
    assert (long.ply, long.state) == (20_000, State.PLAYING)
    for doing in (
        lambda: long.play(Move.parse("25"), 0),
        lambda: long.undo(0),
        lambda: long.restart(0),
        lambda: long.hint(0),
        lambda: long.take([(0, "nonsense")]),
    ):
        error = refused(doing)
        assert (error.reason, error.params, error.entry) == (Reason.ENTRY_LIMIT, {"limit": 20_000}, 20_000)
    assert long.resign(0).state is State.RESIGNED
    near = at(FREECELL, "KH QH", home="S13 H11 D13 C13")
    near = Attempt(near.code, near.rules, near.position, long.entries[:-1])
    assert refused(lambda: near.gather(0)).entry == 20_000


def test_time_never_falls() -> None:
    """A stamp may equal the last one, not lie below it; the first not below 0."""
    attempt = played(SIMON, "02 20")
    assert attempt.play(Move.parse("02"), 2_000).last_ms == 2_000
    error = refused(lambda: attempt.play(Move.parse("02"), 1_999))
    assert (error.reason, error.params, error.entry) == (Reason.TIME_FELL, {"at_ms": 1_999, "last_ms": 2_000}, 2)
    assert refused(lambda: Attempt.start(SIMON).resign(-1)).reason is Reason.TIME_FELL


@pytest.mark.parametrize("text", ["", "Undo", "UNDO", "undo ", "2", "26v1", "gather", "best", "\0", "26" * 500_000])
def test_text_that_is_no_entry(text: str) -> None:
    """Moves and the four words are entries, and nothing else; the error shows what was sent."""
    with pytest.raises(NotationError) as caught:
        Attempt.start(SIMON).take([(0, "02"), (0, text)])
    assert (caught.value.reason, caught.value.entry) == (Reason.BAD_MOVE, 1)
    assert len(str(caught.value.params["text"])) <= 26


@pytest.mark.parametrize("bad", ["11", "undo undo undo", "hint", "xx"])
def test_take_is_all_or_nothing(bad: str) -> None:
    """If one entry is refused none is taken; `entry` counts from the beginning of the log, not of the call."""
    attempt = played(SIMON, "02")
    kept = Attempt(attempt.code, attempt.rules, attempt.position, attempt.entries, attempt.past, attempt.moves)
    entries = [(2_000, text) for text in f"20 {bad}".split()]
    with pytest.raises((Refusal, NotationError)) as caught:
        attempt.take(entries)
    assert caught.value.entry == len(entries)
    assert attempt == kept
    assert attempt.take(entries[:-1]).ply == len(entries)


def test_taking_nothing_changes_nothing() -> None:
    """An empty list of entries gives an equal attempt."""
    attempt = played(SIMON, "02 20 undo")
    assert attempt.take([]) == attempt


def test_replay_is_the_same_play() -> None:
    """What was done step by step and what the log says again are equal values."""
    live = Attempt.start(FREECELL).play(Move.parse("25"), 100).hint(200)[0].undo(300)
    live = live.play_best(1, 1, 400).restart(500).play(Move.parse("1a"), 600).resign(700)
    assert replay(FREECELL, live.entries) == live


def test_ss6_steps_show_the_sequence_leave_and_come_back() -> None:
    """SS6, SS9: the move, then what leaves; undone, what left comes back first and is named by its suit."""
    attempt = at(SIMON, SPADES, "3H AS")
    assert attempt.steps("21") == ("21", "1hvd")
    assert attempt.play(Move.parse("21"), 0).steps(UNDO) == ("h1vdS", "12")


def test_fc4_steps_of_a_card_back_from_the_foundation() -> None:
    """FC4, FC7: only undo brings it back, and it is named by its suit, from a column as from a cell."""
    attempt = at(FREECELL, "9H AD", "9S 8D", "9C", cells="AC")
    assert attempt.play(Move.parse("1h"), 0).steps(UNDO) == ("h1D",)
    assert attempt.play(Move.parse("ah"), 0).steps(UNDO) == ("haC",)
    assert attempt.play(Move.parse("23"), 0).steps(UNDO) == ("32",)
    assert attempt.play(Move.parse("2b"), 0).steps(UNDO) == ("b2",)


def test_steps_of_a_run() -> None:
    """A run is seen to move in one step, both ways."""
    attempt = at(FREECELL, "9H 8S 7D", "9D")
    assert attempt.steps("12v2") == ("12v2",)
    assert attempt.play(Move.parse("12v2"), 0).steps(UNDO) == ("21v2",)


@pytest.mark.parametrize("text", [RESTART, HINT, RESIGN])
def test_other_entries_move_no_cards(text: str) -> None:
    """A restart is no movement of cards, nor is a hint or a resignation."""
    assert played(FREECELL, "25").steps(text) == ()


@pytest.mark.parametrize(("code", "there", "back", "rule"), SHUTTLES)
def test_attempt_goes_back_to_any_ply(code: GameCode, there: str, back: str, rule: str) -> None:
    """What it was there, undo, log and time included, with marks and without; it plays few entries again for it."""
    texts = f"{there} {back} {there} undo restart".split() * (3 * MARK_EVERY // 5)
    whole = replay(code, [(7 * ply, text) for ply, text in enumerate(texts)])
    assert [ply for ply, _ in whole.marks] == [MARK_EVERY, 2 * MARK_EVERY, 3 * MARK_EVERY]
    assert not any(mark.entries or mark.marks for _, mark in whole.marks)
    bare = replace(whole, marks=())
    for ply in (0, 1, 3, MARK_EVERY - 1, MARK_EVERY, MARK_EVERY + 2, 3 * MARK_EVERY - 1, 3 * MARK_EVERY):
        then = whole.at(ply)
        assert then == bare.at(ply)
        assert then == replace(replay(code, whole.entries[:ply]), marks=())


def test_hints_are_not_looked_for_again_on_the_way_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """FC8: they cost far more than moves, and who sends stale commands behind hundreds of them would stop a server."""
    whole = replay(FREECELL, list(enumerate([HINT, "25", HINT, HINT, UNDO, HINT])))
    thens = [replay(FREECELL, whole.entries[:ply]) for ply in range(whole.ply + 1)]
    monkeypatch.delattr("shared.games.freecell.FreeCell.hint")
    monkeypatch.delattr("shared.rules.Rules.hint")
    assert [whole.at(ply) for ply in range(whole.ply + 1)] == thens


def test_marks_follow_play() -> None:
    """As long as someone plays the last mark is never more than MARK_EVERY entries back, whatever brought them."""
    attempt = replay(SIMON, [(0, "02"), (0, "20")] * (MARK_EVERY // 2 - 1))
    assert attempt.marked() is attempt
    attempt = attempt.take([(1, "02"), (1, "20"), (1, "02")]).marked()
    assert [ply for ply, _ in attempt.marks] == [MARK_EVERY + 1]
    assert attempt.play(Move.parse("20"), 2).marked().marks == attempt.marks
    assert attempt.resign(2).end(State.VOID).marks == attempt.marks
