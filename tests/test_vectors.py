"""The engine against what others found out: deals, lines to the win, whole trees of positions, walks with undo."""

from itertools import pairwise

import pytest

from shared.attempt import UNDO, Attempt, Entry, State, replay
from shared.cards import SUITS
from shared.errors import NotationError, Refusal
from shared.gamecode import GameCode
from shared.games import RULES
from shared.moves import Move
from shared.position import Position
from tests import naive, vectors
from tests.play import SOLUTIONS
from tests.vectors import Row, move_text, position_of, rules_of, suits_of

SIMON = RULES["simple-simon"]
SOLVED = list(vectors.solved(*SOLUTIONS))
LOST = [row for name in SOLUTIONS for row in vectors.rows(name) if row["status"] == "unwinnable"]
WALKS = vectors.rows("walks.jsonl.gz")
(EXAMPLE,) = vectors.rows("example_deal.json")
DEALS = [*vectors.rows("deals_ms_freecell.jsonl.gz"), *vectors.rows("deals_pysol_simple_simon.jsonl.gz")]

QUICK = 1_000
"""A tree of no more positions is walked in every run, a larger one in the long runs only."""


def named(row: Row) -> str:
    """Return a test's name for *row*."""
    return f"{row['game']}-{suits_of(row)}-{row['deal']}"


def code_of(row: Row) -> GameCode:
    """Return the row's own code if it has one, else any code of its game and suits."""
    return GameCode.of(rules_of(row).name, suits_of(row), vectors.own_number(row) or 1)


def attempt_at(row: Row) -> Attempt:
    """Return an attempt that begins at the row's columns."""
    return Attempt(code_of(row), rules_of(row), position_of(row))


def entries_of(row: Row) -> list[Entry]:
    """Return the row's moves as a log, one a second."""
    return [(1_000 * ply, move_text(move)) for ply, move in enumerate(row["moves"])]


@pytest.mark.parametrize("row", [row for row in [*DEALS, *SOLVED, *LOST] if vectors.own_number(row)], ids=named)
def test_code_gives_the_vectors_columns(row: Row) -> None:
    """Number → position, and the position is one of its game; its code prints and reads back to it."""
    code = code_of(row)
    assert code.deal() == position_of(row)
    assert GameCode.parse(str(code)).deal() == position_of(row)
    code.rules.check(position_of(row), suits_of(row))


@pytest.mark.parametrize("row", [row for row in [*DEALS, *SOLVED, *LOST] if not vectors.own_number(row)], ids=named)
def test_columns_without_a_number_of_ours_are_a_position(row: Row) -> None:
    """A layout of another generator is the pack in the right columns (SS1, SS2), so that it can be played."""
    rules_of(row).check(position_of(row), suits_of(row))
    assert [len(column) for column in row["columns"]] == [8, 8, 8, 7, 6, 5, 4, 3, 2, 1]


@pytest.mark.parametrize("row", SOLVED, ids=named)
def test_line_is_played_to_its_win(row: Row) -> None:
    """Each move is legal and in the list of legal moves, only the last one wins; length, score and state agree."""
    rules, position = rules_of(row), position_of(row)
    for move in map(Move.parse, map(move_text, row["moves"])):
        assert not rules.won(position)
        assert rules.refusal(position, move) is None
        assert move in rules.legal_moves(position)
        position = rules.apply(position, move)
    attempt = attempt_at(row).take(entries_of(row))
    assert attempt.position == position
    assert (attempt.state, attempt.moves) == (State.SOLVED, row["length"])
    assert attempt.score == row.get("score", 52)


@pytest.mark.parametrize("row", [row for row in SOLVED if vectors.own_number(row)], ids=named)
def test_line_is_replayed_from_its_code(row: Row) -> None:
    """A code and its log are enough to win again; one move less is not won, one entry more is refused."""
    entries = entries_of(row)
    assert replay(code_of(row), entries).state is State.SOLVED
    assert replay(code_of(row), entries[:-1]).state is State.PLAYING


@pytest.mark.parametrize("row", vectors.rows("lines.jsonl"), ids=lambda row: row["code"])
def test_line_of_our_own_code_wins(row: Row) -> None:
    """In all numbers of suits and all bands of deal numbers; the naive engine wins by it too."""
    code, texts = GameCode.parse(row["code"]), row["line"].split()
    attempt = replay(code, [(0, text) for text in texts])
    assert (attempt.state, attempt.moves, sum(attempt.position.home)) == (State.SOLVED, len(texts), 52)
    table = naive.read(code.game, str(code.deal()))
    for text in texts:
        assert text in table.legal()
        table.play(text)
    assert sum(table.gone.values()) == 52


def removals(row: Row) -> list[list[object]]:
    """Return the index of each move of a line that removed a sequence, and its suit."""
    rules, position, found = rules_of(row), position_of(row), list[list[object]]()
    for index, move in enumerate(map(Move.parse, map(move_text, row["moves"]))):
        after = rules.apply(position, move)
        steps = rules.steps(position, move)
        assert (len(steps) == 2) == (after.home != position.home)
        found += [[index, SUITS[suit]] for suit in range(4) if after.home[suit] != position.home[suit]]
        position = after
    return found


@pytest.mark.parametrize("row", [row for row in SOLVED if row["game"] == "simple_simon"], ids=named)
def test_ss6_sequences_leave_with_the_right_moves(row: Row) -> None:
    """SS6: the same suits leave with the same moves as in the vector."""
    assert removals(row) == row["removals"]


@pytest.mark.parametrize("row", SOLVED, ids=named)
def test_ss9_fc7_line_is_undone(row: Row) -> None:
    """SS9, FC7: before the winning move the last 100 moves come back one by one, each to the position before it."""
    attempt = attempt_at(row).take(entries_of(row)[:-1])
    for position, move in reversed(attempt.past):
        assert attempt.past[-1] == (position, move)
        attempt = attempt.undo(attempt.last_ms)
        assert attempt.position == position
    assert attempt.past == ()
    assert attempt.moves == max(0, row["length"] - 1 - 100)


def largest_run_into_an_empty_column(line: Row) -> int:
    """Return the count that `largest_group_to_empty_column` tells."""
    position, counts = position_of(EXAMPLE), [0]
    for move in map(Move.parse, map(move_text, line["moves"])):
        if not position.columns[move.target]:
            counts.append(move.count)
        position = SIMON.apply(position, move)
    return max(counts)


@pytest.mark.parametrize("line", EXAMPLE["solutions"], ids=lambda line: f"{line['length']} moves")
def test_printed_layout_is_won(line: Row) -> None:
    """The layout of the Simple Simon rules: its lines win with their scores, removals and largest run (SS4)."""
    row = {**EXAMPLE, **line}
    attempt = attempt_at(row).take(entries_of(row))
    assert (attempt.state, attempt.moves, attempt.score) == (State.SOLVED, line["length"], line["score"])
    assert removals(row) == line["removals"]
    assert largest_run_into_an_empty_column(line) == line["largest_group_to_empty_column"]


def test_printed_layout_needs_59_moves() -> None:
    """The shortest line that there can be is among them: the 49-move game of SS8 is another deal's."""
    assert min(line["length"] for line in EXAMPLE["solutions"]) == EXAMPLE["shortest_possible"] == 59


def canonical(position: Position) -> tuple[tuple[bytes, ...], bytes]:
    """Return what is equal for positions that differ only in the order of their columns."""
    return tuple(sorted(position.columns)), position.home


def check_tree(row: Row) -> None:
    """Walk every position that a lost deal leads to."""
    rules, start = rules_of(row), position_of(row)
    assert len(rules.legal_moves(start)) == row["initial_legal_moves"]
    seen, waiting = {canonical(start)}, [start]
    while waiting:
        position = waiting.pop()
        assert not rules.won(position)
        for move in rules.legal_moves(position):
            after = rules.apply(position, move)
            if canonical(after) not in seen:
                seen.add(canonical(after))
                waiting.append(after)
    assert len(seen) == row["reachable_positions"]


TREES = [row for row in LOST if "reachable_positions" in row]


@pytest.mark.parametrize("row", [row for row in TREES if row["reachable_positions"] <= QUICK], ids=named)
def test_lost_deal_leads_to_so_many_positions(row: Row) -> None:
    """As many first moves and as many positions as another program walked, and none of them won."""
    check_tree(row)


@pytest.mark.soak
@pytest.mark.parametrize("row", [row for row in TREES if row["reachable_positions"] > QUICK], ids=named)
def test_lost_deal_leads_to_very_many_positions(row: Row) -> None:
    """The same for the large trees."""
    check_tree(row)


def test_lost_freecell_deals_are_known() -> None:
    """The vectors' unwinnable FreeCell numbers are among those that a race never draws."""
    lost = {row["deal"] for row in LOST if row["game"] == "freecell"}
    assert lost
    assert lost <= RULES["freecell"].losers


def walk(row: Row) -> list[Attempt]:
    """Return the attempt before the first and after every operation of a walk.

    One walk takes its winning move back, which section 2 forbids: it is refused here, then played on regardless.
    """
    attempts = [attempt_at(row)]
    for op in row["ops"]:
        entry = (0, UNDO if op == "undo" else move_text(op))
        before = attempts[-1]
        if before.state is State.SOLVED:
            with pytest.raises(Refusal, match="NOT_PLAYING"):
                before.take([entry])
            before = before.end(State.PLAYING)
        attempts.append(before.take([entry]))
    return attempts


WALK_IDS = [f"{row['game']}-{suits_of(row)}-{number}" for number, row in enumerate(WALKS)]


@pytest.mark.parametrize("row", WALKS, ids=WALK_IDS)
def test_walk_leaves_the_same_trace(row: Row) -> None:
    """SS8, SS9, FC7: score (of Simple Simon), moves and the number of legal moves after every operation."""
    before, *attempts = walk(row)
    trace = [
        [*([attempt.score] if row["game"] == "simple_simon" else []), attempt.moves, legal_count(attempt)]
        for attempt in attempts
    ]
    assert trace == row["trace"]
    assert (attempts[-1].state is State.SOLVED) is row["won"]
    assert all(after.ply == earlier.ply + 1 for earlier, after in pairwise([before, *attempts]))


def legal_count(attempt: Attempt) -> int:
    """Return how many moves are legal now."""
    return len(attempt.rules.legal_moves(attempt.position))


@pytest.mark.parametrize("row", WALKS, ids=WALK_IDS)
def test_walk_passes_its_checkpoints(row: Row) -> None:
    """At each the position is the same, and the list of legal moves complete."""
    attempts = walk(row)
    assert row["checkpoints"]
    for checkpoint in row["checkpoints"]:
        attempt = attempts[checkpoint["after"]]
        assert attempt.position == position_of(checkpoint)
        listed = [str(move) for move in attempt.rules.legal_moves(attempt.position)]
        assert sorted(listed) == sorted(map(move_text, checkpoint["legal"]))


@pytest.mark.parametrize("row", WALKS, ids=WALK_IDS)
def test_walk_refuses_the_illegal_samples(row: Row) -> None:
    """Each is refused by the rules, or has no text at all: no run is longer than 13."""
    for checkpoint in row["checkpoints"]:
        position, rules = position_of(checkpoint), rules_of(row)
        for move, _ in checkpoint["illegal"]:
            if move[1] > 13:
                with pytest.raises(NotationError):
                    Move.parse(move_text(move))
            else:
                assert rules.refusal(position, Move.parse(move_text(move))) is not None, move
