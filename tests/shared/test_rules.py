"""What all games have in common, shown on the smallest game that has all of it (and on none of its own rules)."""

import pytest

from shared.cards import PACK, Card, parse_cards, texts
from shared.errors import PositionError, Reason, Refusal
from shared.games.simplesimon import SimpleSimon
from shared.moves import HOME, MOVES, Move
from shared.position import Position
from shared.rules import Rules, with_home
from tests.tables import after, laid, legal, refusal


class Toy(Rules):
    """Four columns built down in any suit, two cells, foundations; a pair of deuce and ace leaves by itself."""

    name, prefix = "toy", "TY"
    columns, cells, foundations = 4, 2, True
    rows = (4,) * 13
    cites = {Reason.NOT_NEXT: "TY1", Reason.NO_TARGET: "TY2"}

    def follows(self, card: Card, onto: Card) -> bool:
        return onto.rank == card.rank + 1

    def longest(self, free_cells: int, empty_columns: int) -> int:
        return free_cells + 1 + empty_columns

    def leaving(self, column: bytes) -> int:
        return 2 if column[-2:] == parse_cards(["2S", "AS"]) else 0

    def score(self, position: Position, moves: int) -> int:
        return moves

    def progress(self, position: Position) -> int:
        return self._joined(position)

    def preference(self, position: Position, move: Move) -> int | None:
        return None if move.target == HOME else -move.target


class Bare(Toy):
    """Toy without cells and foundations."""

    cells, foundations = 0, False


TOY, BARE = Toy(), Bare()


def test_rules_cannot_be_made_without_their_hooks() -> None:
    """A game that leaves out a hook is no game."""
    with pytest.raises(TypeError, match="abstract"):
        Rules()  # type: ignore[abstract] # that is what is shown


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"columns": 11}, "10 columns and 4 cells"),
        ({"cells": 5}, "10 columns and 4 cells"),
        ({"rows": (4,) * 12}, "rows"),
        ({"columns": 3}, "rows"),
        ({"suits": (4, 1)}, "one a suit"),
    ],
)
def test_game_beyond_the_limits_cannot_be_made(changes: dict[str, object], said: str) -> None:
    """More piles than move text names, another pack, and foundations with repeated cards are refused at once."""
    with pytest.raises(TypeError, match=f"toy: .*{said}"):
        type("Beyond", (Toy,), changes)()
    type("Within", (Bare,), {"columns": 10, "suits": (4, 2, 1)})()


def test_what_a_game_need_not_say() -> None:
    """Without more words a game has version 1, one pack of four suits, no hint, no gathering, and never says stuck."""
    assert (TOY.version, TOY.suits, TOY.goes_home) == (1, (4,), 1)
    assert (Rules.cells, Rules.foundations) == (0, False)
    position = laid(TOY)
    assert TOY.hint(position, None) is None
    assert TOY.gather(position) == ()
    assert not BARE.stuck(laid(BARE, "KS", "KH", "KD", "KC"))
    assert Rules.leaving(TOY, parse_cards(["2S", "AS"])) == 0
    assert TOY.joins(Card.parse("5H"), Card.parse("6C"))


def test_deal_lays_rows_from_the_left() -> None:
    """Each row gives one card to each of so many columns; the cells are empty."""
    position = TOY.deal(1, 4)
    assert [len(column) for column in position.columns] == [13, 13, 13, 13]
    assert [column[:1] for column in position.columns] == [*map(parse_cards, (["JD"], ["2D"], ["9H"], ["JC"]))]
    assert (position.cells, position.home) == (bytes(2), bytes(4))


@pytest.mark.parametrize(
    ("position", "suits", "refused"),
    [
        (TOY.deal(1, 4), 1, "WRONG_SUITS suits=1 allowed=4"),
        (Position((PACK, b""), bytes(2)), 4, "WRONG_PILES columns=2 cells=2 right_columns=4 right_cells=2"),
        (Position((PACK, b"", b"", b"")), 4, "WRONG_PILES columns=4 cells=0 right_columns=4 right_cells=2"),
    ],
)
def test_check_refuses_another_games_position(position: Position, suits: int, refused: str) -> None:
    """Suits, columns and cells are the game's."""
    with pytest.raises(PositionError) as caught:
        TOY.check(position, suits)
    assert str(caught.value) == refused


def test_check_refuses_another_pack_and_parts_of_sequences() -> None:
    """The pack is whole; where sequences leave whole, no part of one has left (SS6)."""
    with pytest.raises(PositionError) as caught:
        TOY.check(laid(TOY), 4)
    assert caught.value.reason is Reason.NOT_THE_PACK
    simon = SimpleSimon()
    with pytest.raises(PositionError) as caught:
        simon.check(laid(simon, home="H12"), 4)
    assert caught.value.reason is Reason.PART_SEQUENCE


def test_check_refuses_a_sequence_that_would_have_left() -> None:
    """SS6: king to ace of one suit at the end of a column is nowhere to be seen; with a card on it, it may be."""
    simon, spades = SimpleSimon(), "KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S AS"
    others = " ".join(texts(bytes(card for card in PACK if card >> 4)))
    with pytest.raises(PositionError) as caught:
        simon.check(laid(simon, "", f"{others} {spades}", filler=""), 4)
    assert str(caught.value) == "WHOLE_SEQUENCE pile=2"
    simon.check(laid(simon, f"{spades} {others}", filler=""), 4)
    simon.check(laid(simon, others, home="S13", filler=""), 4)


def test_check_lets_the_games_own_positions_pass() -> None:
    """A deal, and the end."""
    TOY.check(TOY.deal(35, 4), 4)
    end = laid(TOY, home="S13 H13 D13 C13", filler="")
    TOY.check(end, 4)
    assert TOY.won(end)
    assert TOY.full_progress == TOY.progress(end)
    assert not TOY.won(TOY.deal(35, 4))


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        # Source and target
        ("11", "IDLE"),
        ("aa", "IDLE"),
        ("hh", "IDLE"),
        ("51", "NO_PILE pile=5"),
        ("01", "NO_PILE pile=0"),
        ("c1", "NO_PILE pile=c"),
        ("15", "NO_PILE pile=5"),
        ("1c", "NO_PILE pile=c"),
        ("ac", "NO_PILE pile=c"),
        ("h1", "FROM_FOUNDATION"),
        # What is lifted
        ("41", "EMPTY_PILE pile=4"),
        ("b1", "EMPTY_PILE pile=b"),
        ("12v4", "FEW_CARDS pile=1 count=4 held=3"),
        ("a1v2", "FEW_CARDS pile=a count=2 held=1"),
        ("13v3", "NOT_A_RUN card=8S onto=JH"),
        # Where it goes
        ("12", "NOT_NEXT (TY1) card=7H onto=9D"),
        ("a3", "NOT_NEXT (TY1) card=KS onto=4H"),
        ("1a", "CELL_TAKEN cell=a card=KS"),
        ("1bv2", "ONE_CARD count=2"),
        ("ab", "CELL_TO_CELL"),
        ("1hv2", "ONE_HOME count=2"),
        ("1h", "NOT_HOME_YET card=7H next=4H"),
        ("ah", "NOT_HOME_YET card=KS next=AS"),
        # Nothing against it
        ("12v2", ""),
        ("14", ""),
        ("1b", ""),
        ("a4", ""),
        ("3h", ""),
    ],
)
def test_refusal_names_what_is_wrong_first(text: str, refused: str) -> None:
    """Idle comes first, then the source, then the run, then the target; a rule is cited where the game names one."""
    position = laid(TOY, "JH 8S 7H", "9D", "4H", "", cells="KS", home="H3")
    assert refusal(TOY, position, text) == refused


def test_too_many_counts_cells_and_empty_columns() -> None:
    """The limit is asked for with the free cells and the empty columns, the target not among them."""
    run = "6S 5H 4S 3H"
    assert refusal(TOY, laid(TOY, run, "7D", "KS", "", cells="KH"), "12v4") == "TOO_MANY count=4 limit=3"
    assert refusal(TOY, laid(TOY, run, "7D", "KS", "", cells="KH"), "14v3") == "TOO_MANY count=3 limit=2"
    assert refusal(TOY, laid(TOY, run, "7D", "", ""), "14v4") == ""


@pytest.mark.parametrize("text", ["1a", "1h", "a1", "h1", "ah"])
def test_game_without_cells_and_foundations_has_no_such_piles(text: str) -> None:
    """They are piles of other games."""
    assert refusal(BARE, laid(BARE, "2S"), text).startswith("NO_PILE pile=")


def test_legal_moves_come_in_order() -> None:
    """By source, then count; then onto cards, into empty columns, cells, foundations, each from the left."""
    position = laid(TOY, "6D 3S 2H", "3D", "", "7H 3C", home="H1")
    assert legal(TOY, position) == [
        *("12", "14", "13", "1a", "1b", "1h", "13v2"),
        *("23", "2a", "2b"),
        *("43", "4a", "4b"),
    ]
    position = laid(TOY, "3D", "2S", "", "", cells="2H KD", home="H1 D12")
    assert legal(TOY, position) == ["13", "14", "21", "23", "24", "a1", "a3", "a4", "ah", "b3", "b4", "bh"]


def test_legal_moves_keep_the_limits() -> None:
    """No longer run than may travel, another limit for empty columns, no cell where none is free."""
    assert legal(TOY, laid(TOY, "6S 5H 4S", "7D", "KS", "3D", cells="KH KD")) == ["41"]
    assert legal(TOY, laid(TOY, "6S 5H 4S", "7D", "6D", "9D", cells="KH -")) == ["1b", "13v2", "2b", "32", "3b", "4b"]
    assert [move for move in legal(TOY, laid(TOY, "9S 5H 4S", "6D", "", "", cells="KH KD")) if move[0] == "1"] == [
        *("13", "14"),
        *("12v2", "13v2", "14v2"),
    ]
    assert legal(BARE, laid(BARE, "2S", "KS", "KH", "KD")) == []


def test_legal_moves_are_what_is_not_refused() -> None:
    """One definition of legality: the list and the check agree on every move there is."""
    for position in [
        laid(TOY, "JH 8S 7H", "9D", "4H", "", cells="KS", home="H3"),
        laid(TOY, "6D 3S 2H", "3D", "", "", home="H1"),
        laid(TOY, "9H 6S 5H 4S", "7D", "", "AD", cells="KS"),
        laid(BARE, "6S 5H 4S", "7D", "5S", "AD"),
        laid(TOY, cells="KS KH", filler=""),
    ]:
        rules = TOY if position.cells else BARE
        allowed = [move for move in MOVES.values() if rules.refusal(position, move) is None]
        assert sorted(rules.legal_moves(position)) == sorted(allowed)


def test_best_move_is_the_first_by_preference() -> None:
    """Here the rightmost pile, and home never; what can't be lifted, and what goes nowhere, is refused."""
    position = laid(TOY, "9H 6S 2H", "KD 3D", "3C KC", "3S 5C", cells="KS", home="H1")
    assert str(TOY.best_move(position, 0, 1)) == "1b"
    assert str(TOY.best_move(laid(TOY, "9H 2H", "3D", "3C", "4S", cells="KS KD"), 0, 1)) == "13"
    with pytest.raises(Refusal, match="NOT_A_RUN"):
        TOY.best_move(position, 0, 2)
    with pytest.raises(Refusal) as caught:
        TOY.best_move(laid(TOY, "2H", "KD", "KC", "KH", cells="KS KD", home="H1"), 0, 1)
    assert str(caught.value) == "NO_TARGET (TY2)"


def test_best_of_some_moves_is_one_of_them() -> None:
    """Only what is handed in counts, in whatever order; of moves that are never offered none is the best."""
    position = laid(TOY, "9H 2H", "3D", "3C", "4S", cells="KS KD", home="H1")
    ways = [move for move in TOY.legal_moves(position) if (move.source, move.count) == (0, 1)]
    assert [str(move) for move in ways] == ["12", "13", "1h"]
    assert str(TOY.best_of(position, reversed(ways))) == "13"
    assert str(TOY.best_of(position, ways[:1])) == "12"
    assert TOY.best_of(position, ways[2:]) is None


@pytest.mark.parametrize(("source", "count"), [(0, 0), (0, -1), (10, 0), (10, 2)])
def test_best_move_is_of_one_card_at_least(source: int, count: int) -> None:
    """No cards are no run, of a column as of a cell."""
    with pytest.raises(Refusal, match="FEW_CARDS"):
        TOY.best_move(laid(TOY, "2H", "3S", cells="KS"), source, count)


@pytest.mark.parametrize(
    ("text", "columns", "cells", "home"),
    [
        ("12v2", ("JH", "9D 8S 7H", "2S", ""), "KS", "H3"),
        ("14v2", ("JH", "9D", "2S", "8S 7H"), "KS", "H3"),
        ("1b", ("JH 8S", "9D", "2S", ""), "KS 7H", "H3"),
        ("a4", ("JH 8S 7H", "9D", "2S", "KS"), "", "H3"),
    ],
)
def test_apply_moves_cards(text: str, columns: tuple[str, ...], cells: str, home: str) -> None:
    """From column to column, to a cell, and from a cell; the position before stays as it was."""
    before = laid(TOY, "JH 8S 7H", "9D", "2S", "", cells="KS", home="H3")
    assert after(TOY, before, text) == laid(TOY, *columns, cells=cells, home=home)
    assert before == laid(TOY, "JH 8S 7H", "9D", "2S", "", cells="KS", home="H3")


def test_apply_brings_cards_home() -> None:
    """From a column and from a cell, each to its suit."""
    before = laid(TOY, "4H", "9D", "2S", "", cells="- 5H", home="H3")
    assert after(TOY, before, "1h", "bh") == laid(TOY, "", "9D", "2S", "", home="H5")


def test_apply_takes_away_what_leaves() -> None:
    """What leaves by itself goes home with the move that completed it."""
    before = laid(TOY, "9H AS", "2S", cells="AS")
    assert after(TOY, before, "12") == laid(TOY, "9H", "", cells="AS", home="S2")
    assert after(TOY, before, "a2") == laid(TOY, "9H AS", "", home="S2")


@pytest.mark.parametrize(
    ("text", "seen"), [("12", ["12", "2hv2"]), ("a2", ["a2", "2hv2"]), ("1b", ["1b"]), ("3h", ["3h"]), ("14", ["14"])]
)
def test_steps_are_the_move_and_what_leaves(text: str, seen: list[str]) -> None:
    """What leaves is a step of its own, to the foundations."""
    position = laid(TOY, "9H AS", "2S", "AH", "", cells="AS")
    assert [str(step) for step in TOY.steps(position, Move.parse(text))] == seen


def test_joined_counts_cards_on_one_that_they_join() -> None:
    """In every column; the same column is counted once and remembered."""
    assert TOY.progress(laid(TOY, "9H 8S 7D 5C", "9H 8S 7D 5C", "3S 2S", "")) == 5


def test_home_counts_by_suit() -> None:
    """One card or a sequence is added to its suit."""
    assert with_home(bytes([0, 3, 0, 1]), parse_cards(["4H"])) == bytes([0, 4, 0, 1])
    assert with_home(bytes([0, 0, 0, 1]), parse_cards(["2C"])) == bytes([0, 0, 0, 2])
    assert with_home(bytes([13, 0, 0, 0]), bytes(range(13, 0, -1))) == bytes([26, 0, 0, 0])


@pytest.mark.parametrize(
    ("column", "joined"), [([], ""), (["5S"], "0"), (["5S", "4H", "9D", "8S", "7C"], "01011"), (["AS", "KS"], "00")]
)
def test_joined_cards_are_those_that_move_with_what_they_lie_on(column: list[str], joined: str) -> None:
    """One sign a card; the deepest lies on nothing."""
    assert TOY.joined_cards(parse_cards(column)) == joined
