"""What holds for every position and every attempt, whatever was played (hypothesis looks for one where it does not)."""

from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from shared.attempt import ENTRY_LIMIT, HINT, UNDO, UNDO_LIMIT, Attempt, Entry, State, replay
from shared.cards import PACK, Card, fold, parse_cards, texts
from shared.errors import Reason, Refusal, SameDealError
from shared.gamecode import GameCode
from shared.moves import FIRST_CELL, HOME, MOVES, Move
from shared.position import Position
from tests.piles import Piles
from tests.strategies import LINES, attempts, codes, entry_at, positions_in_play, seeded_moves

ANY_TEXT = st.one_of(st.text(), st.text("0123456789abcdhv: -\nSHDCKQJTAFoundations", max_size=200))
"""Any text, and such as looks a little like ours."""


@given(positions_in_play())
def test_cards_are_conserved(reached: tuple[GameCode, Position]) -> None:
    """Every legal move leaves exactly the pack, in the same piles (SS2)."""
    code, position = reached
    for move in code.rules.legal_moves(position):
        after = code.rules.apply(position, move)
        assert after.cards() == bytes(sorted(fold(PACK, code.suits)))
        code.rules.check(after, code.suits)


@given(positions_in_play())
def test_legal_moves_are_all_that_is_not_refused(reached: tuple[GameCode, Position]) -> None:
    """The list has each move that the check lets through, once, in its stated order."""
    code, position = reached
    moves = code.rules.legal_moves(position)
    allowed = [move for move in MOVES.values() if code.rules.refusal(position, move) is None]
    assert len(moves) == len(set(moves)) == len(allowed)
    assert set(moves) == set(allowed)
    assert moves == sorted(moves, key=lambda move: place_in_order(position, move))


def place_in_order(position: Position, move: Move) -> tuple[int, int, int, int]:
    """Return the place that the list of legal moves promises: by source, count, kind of target, target."""
    is_column = move.target < FIRST_CELL
    kind = (0 if position.columns[move.target] else 1) if is_column else 3 if move.target == HOME else 2
    return move.source, move.count, kind, move.target


@given(positions_in_play(), st.lists(st.sampled_from(list(MOVES.values())), min_size=50, max_size=50))
def test_refusals_cite_and_change_nothing(reached: tuple[GameCode, Position], moves: list[Move]) -> None:
    """A refused move has a reason and plain parameters, and leaves the attempt that it was tried on as it was."""
    code, position = reached
    attempt = Attempt(code, code.rules, position)
    before = hash(position), str(attempt)
    for move in moves:
        refused = code.rules.refusal(position, move)
        if refused:
            assert refused.rule == code.rules.cites.get(refused.reason, "")
            assert all(type(value) in (str, int) for value in refused.params.values())
            with pytest.raises(Refusal) as caught:
                attempt.play(move, 0)
            assert str(caught.value) == str(refused)
    assert (hash(attempt.position), str(attempt)) == before


@given(attempts())
def test_replay_is_live_play(live: Attempt) -> None:
    """What the log says again gives the same position, past, score, moves and state."""
    again = replay(live.code, live.entries)
    assert again == live
    assert (again.score, again.progress, again.ply) == (live.score, live.progress, live.ply)


@given(attempts(), st.data())
def test_play_is_take_of_one_entry(live: Attempt, data: st.DataObject) -> None:
    """A move alone gives the same attempt by its short way, or the same refusal, in every state and at the limit."""
    moves = data.draw(st.lists(st.sampled_from(list(MOVES.values())), max_size=5))
    for attempt in (live, full(live), *map(live.end, State)):
        for move in (*moves, *live.rules.legal_moves(live.position)[:5]):
            for at_ms in (live.last_ms - 1, live.last_ms, live.last_ms + 7):
                assert alone(attempt, move, at_ms) == outcome(partial(attempt.take, ((at_ms, str(move)),)))


@pytest.mark.parametrize(("code", "line"), LINES, ids=[str(code) for code, _ in LINES])
def test_play_is_take_of_one_entry_to_the_win(code: GameCode, line: list[str]) -> None:
    """Nor does it differ where a sequence leaves, where more moves are made than can be undone, and in the last."""
    attempt = Attempt.start(code)
    for at_ms, text in enumerate(line):
        assert alone(attempt, Move.parse(text), at_ms) == (attempt := attempt.take([(at_ms, text)]))
    assert attempt.state is State.SOLVED


def alone(attempt: Attempt, move: Move, at_ms: int) -> Attempt | tuple[object, ...]:
    """Return what comes of a move by itself."""
    return outcome(partial(attempt.play, move, at_ms))


def full(live: Attempt) -> Attempt:
    """Return the attempt with a log that takes no more moves."""
    return replace(live, entries=live.entries + ((live.last_ms, HINT),) * (ENTRY_LIMIT - live.ply))


def outcome(work: Callable[[], Attempt]) -> Attempt | tuple[object, ...]:
    """Return the attempt that *work* makes (equal in all its parts: position, log, past, state), or its refusal's."""
    try:
        return work()
    except SameDealError as error:
        return type(error), error.reason, error.rule, error.params, error.entry


@given(attempts(), st.integers(0, 140))
def test_log_may_be_cut_anywhere(live: Attempt, cut: int) -> None:
    """A replay of the first part, then of the rest, is the whole replay: logs are taken in batches."""
    assert replay(live.code, live.entries[:cut]).take(live.entries[cut:]) == live


@given(codes, st.integers(0, 100), st.integers())
def test_undo_of_everything_is_the_deal(code: GameCode, count: int, seed: int) -> None:
    """SS9, FC7: after up to 100 moves as many undos lead back to the deal, and not one more is taken."""
    attempt = seeded_moves(code, seed, count)
    undone = attempt.take([(attempt.last_ms, UNDO)] * attempt.moves)
    assert (undone.position, undone.moves, undone.past) == (code.deal(), 0, ())
    assert undone.score == Attempt.start(code).score
    with pytest.raises(Refusal):
        undone.undo(attempt.last_ms)


@given(st.sampled_from([(code, line) for code, line in LINES if len(line) > 101]), st.data())
def test_beyond_100_moves_exactly_100_are_undone(won: tuple[GameCode, list[str]], data: st.DataObject) -> None:
    """SS9, FC7: however long the game, 100 undos lead to the position 100 moves ago, and no further."""
    code, line = won
    count = data.draw(st.integers(101, len(line) - 1))
    undone = replay(code, [(0, text) for text in line[:count] + [UNDO] * UNDO_LIMIT])
    earlier = replay(code, [(0, text) for text in line[: count - UNDO_LIMIT]])
    assert (undone.position, undone.moves, undone.score) == (earlier.position, earlier.moves, earlier.score)
    with pytest.raises(Refusal) as caught:
        undone.undo(0)
    assert caught.value.params == {"limit": 100}


@given(attempts(), st.sampled_from(["11", "hh", "9v", "undo undo", "x", "1a5"]), st.integers(0, 5))
def test_take_is_all_or_nothing(live: Attempt, bad: str, good: int) -> None:
    """Entries before a bad one are not taken either; `entry` tells where in the log the bad one would have been."""
    entries, ahead = list[Entry](), live
    for choice in range(good):
        text = entry_at(ahead, 32 * choice + 31)
        if text:
            entries.append((ahead.last_ms, text))
            ahead = ahead.take(entries[-1:])
    before = str(live)
    with pytest.raises(SameDealError) as caught:
        live.take([*entries, (ahead.last_ms, bad)])
    assert caught.value.entry == live.ply + len(entries)
    assert str(live) == before
    assert live.take(entries) == ahead


@given(attempts())
def test_steps_show_the_next_position_to_a_client_without_rules(live: Attempt) -> None:
    """Moving the cards that `steps` tells, undo and removed sequences included, gives each next position."""
    attempt, piles = Attempt.start(live.code), Piles(live.code.deal())
    for at_ms, text in live.entries:
        for step in attempt.steps(text):
            piles.show(step)
        attempt = attempt.take([(at_ms, text)])
        if text == "restart":
            piles = Piles(attempt.position)
        assert piles.shows(attempt.position), text


@given(st.sampled_from(list(PACK)))
def test_card_text_reads_back(byte: int) -> None:
    """For each card."""
    assert Card.parse(str(Card(byte))) == byte


@given(st.lists(st.sampled_from(list(PACK))))
def test_cards_text_reads_back(cards: list[int]) -> None:
    """For any cards in any order."""
    assert parse_cards(texts(bytes(cards))) == bytes(cards)


@given(st.builds(Move, st.integers(0, 14), st.integers(0, 14), st.integers(1, 13)))
def test_move_text_reads_back(move: Move) -> None:
    """For each move that has a text."""
    assert Move.parse(str(move)) == move


@given(positions_in_play())
def test_position_text_reads_back(reached: tuple[GameCode, Position]) -> None:
    """In both games and all suits."""
    assert Position.parse(str(reached[1])) == reached[1]


@given(codes)
def test_code_text_reads_back(code: GameCode) -> None:
    """As it is written, and in small letters without hyphens."""
    assert GameCode.parse(str(code)) == code
    assert GameCode.parse(str(code).lower().replace("-", "")) == code


@pytest.mark.parametrize("kind", [Card, Move, Position, GameCode])
@given(text=ANY_TEXT)
def test_any_text_is_read_or_refused(kind: type[Card | Move | Position | GameCode], text: str) -> None:
    """No text makes anything but a value or the project's own error, with nothing raw or long in it."""
    try:
        kind.parse(text)
    except SameDealError as error:
        shown = str(error)
    else:
        shown = ""
    assert shown.isprintable()
    assert len(shown) < 1_000


@given(attempts())
def test_score_and_progress_stay_in_their_bounds(live: Attempt) -> None:
    """Section 5: progress is 0 to 52; SS8: the score is 500 less the moves, and more by hundreds; FC9: 0 to 52."""
    assert 0 <= live.progress <= 52
    if live.code.game == "freecell":
        assert 0 <= live.score <= 52
    else:
        assert (live.score - 500 + live.moves) in (0, 100, 200, 300, 400)


@given(positions_in_play(), st.integers(0, 14), st.integers(1, 13))
def test_best_move_is_legal_and_of_that_run(reached: tuple[GameCode, Position], source: int, count: int) -> None:
    """SS10, FC7: what is offered may be played; NO_TARGET only where no target is left but those never offered."""
    code, position = reached
    ways = [move for move in code.rules.legal_moves(position) if (move.source, move.count) == (source, count)]
    offered = [move for move in ways if code.rules.preference(position, move) is not None]
    if offered:
        assert code.rules.best_move(position, source, count) in offered
        return
    with pytest.raises(Refusal) as caught:
        code.rules.best_move(position, source, count)
    assert caught.value.reason is Reason.NO_TARGET or ways == []
