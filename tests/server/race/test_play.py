"""One command in play: carried out once, answered as often as it comes."""

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given, settings
from msgspec.structs import replace

from server.race.play import Acted, act, answer, choices_of, hand_of, table_of
from shared.attempt import MARK_EVERY, Attempt, State, replay
from shared.cards import Card
from shared.errors import NotationError, Reason, Refusal
from shared.gamecode import GameCode
from shared.moves import PILES, Move
from shared.protocol.messages import (
    Gather,
    Hint,
    Hinted,
    Play,
    PlayBest,
    PlayCommand,
    Played,
    Resign,
    Restart,
    Undo,
)
from shared.protocol.values import Can, Choice, Options, Table
from tests.server.racing import SHUTTLE, winning_line
from tests.strategies import attempts

ALL = Options(hint=True)
FREECELL, SIMON = winning_line("freecell"), winning_line("simple-simon")


def fresh(code: str) -> Attempt:
    """Return an attempt at the deal of *code*."""
    return Attempt.start(GameCode.parse(code))


def after(code: str, *texts: str) -> Attempt:
    """Return the attempt after these entries, ten milliseconds apart."""
    return replay(GameCode.parse(code), [(10 * place, text) for place, text in enumerate(texts, 1)])


def gatherable() -> Attempt:
    """Return a FreeCell attempt at the first moment that everything can go home."""
    code, line = FREECELL
    attempt = fresh(code)
    for at_ms, text in enumerate(line):
        if attempt.rules.gather(attempt.position):
            return attempt
        attempt = attempt.take(((at_ms, text),))
    raise AssertionError("every won game can be gathered before its last move")


def refused(attempt: Attempt, command: PlayCommand, options: Options = ALL) -> Refusal:
    """Return why *command* is refused."""
    with pytest.raises(Refusal) as refusal:
        act(attempt, command, options, 99_000)
    return refusal.value


def once(attempt: Attempt, command: PlayCommand, at_ms: int = 99_000) -> Acted:
    """Carry *command* out for the first time."""
    acted = act(attempt, command, ALL, at_ms)
    assert not acted.resent
    assert acted.before == attempt
    assert acted.after.ply > attempt.ply
    return acted


# Carried out

BEST = ("02", "35")
DONE: list[tuple[Attempt, Callable[[int], PlayCommand], tuple[str, ...], tuple[str, ...]]] = [
    # an attempt, what is asked at its ply, the entries that it makes, what is seen to move
    (after(SHUTTLE, "02"), lambda ply: Play(id=5, ply=ply, move="20"), ("20",), ("20",)),
    (after(SHUTTLE), lambda ply: PlayBest(id=5, ply=ply, source="0", count=1), ("02",), ("02",)),
    (after(SHUTTLE, "02"), lambda ply: Undo(id=5, ply=ply), ("undo",), ("20",)),
    (after(SHUTTLE, "02", "20"), lambda ply: Restart(id=5, ply=ply), ("restart",), ()),
    (after(SHUTTLE, "02"), lambda ply: Resign(id=5, ply=ply), ("resign",), ()),
    (after(FREECELL[0]), lambda ply: Hint(id=5, ply=ply), ("hint",), ()),
]


@pytest.mark.parametrize(("attempt", "asked", "entries", "steps"), DONE, ids=lambda each: getattr(each, "ply", None))
def test_command_is_carried_out_and_answered(
    attempt: Attempt, asked: Callable[[int], PlayCommand], entries: tuple[str, ...], steps: tuple[str, ...]
) -> None:
    """
    Its entries have the stamp of the command; the answer has its id, what moves and where the attempt stands.
    """
    command = asked(attempt.ply)
    acted = once(attempt, command)
    assert acted.after.entries == (*attempt.entries, *((99_000, text) for text in entries))
    told = answer(acted, command.id, ALL)
    assert (told.id, told.hand) == (5, hand_of(acted.after, ALL))  # type: ignore[attr-defined]  # Played or Hinted
    if isinstance(told, Played):
        assert told.steps == steps
        assert (told.table is None) == (entries != ("restart",))


def test_gather_is_logged_as_its_moves() -> None:
    """
    FC10: one command, many entries with one stamp, each counted, and all of them are seen to move.
    """
    attempt = gatherable()
    acted = once(attempt, Gather(ply=attempt.ply))
    gathered = acted.after.entries[attempt.ply :]
    assert {at_ms for at_ms, _ in gathered} == {99_000}
    assert all(text.endswith("h") for _, text in gathered)
    assert acted.after.state is State.SOLVED
    assert acted.after.moves == attempt.moves + len(gathered)
    told = answer(acted, 1, ALL)
    assert isinstance(told, Played)
    assert told.steps == tuple(text for _, text in gathered)


def test_removed_sequence_is_seen_to_leave_and_to_come_back() -> None:
    """
    SS6, SS9: the steps show what leaves by itself, and an undo lays it back with its suit named.
    """
    code, line = SIMON
    before, attempt, text, at_ms = after(code), after(code), "", 0
    while not sum(attempt.position.home):
        before, text, at_ms = attempt, line[attempt.ply], at_ms + 1
        attempt = before.take(((at_ms, text),))
    told = answer(once(before, Play(ply=before.ply, move=text), at_ms), 1, ALL)
    back = answer(once(attempt, Undo(ply=attempt.ply), at_ms), 2, ALL)
    assert isinstance(told, Played)
    assert isinstance(back, Played)
    leaving = told.steps[1]
    assert told.steps == (text, leaving)
    assert leaving[1:] == "hvd"
    suit = "SHDC"[attempt.position.home.index(13)]
    assert back.steps[0] == f"h{leaving[0]}vd{suit}"
    assert back.steps[1][:2] == text[1::-1]


def test_hint_is_a_move_to_show() -> None:
    """
    FC8: it is an entry and no move; the move that is shown can be played.
    """
    attempt = after(FREECELL[0], FREECELL[1][0])
    acted = once(attempt, Hint(ply=1))
    told = answer(acted, 3, ALL)
    assert isinstance(told, Hinted)
    assert (told.hand.ply, told.hand.moves) == (2, 1)
    assert once(acted.after, Play(ply=2, move=told.move)).after.moves == 2


def test_restart_brings_the_whole_table() -> None:
    """
    Nothing moves: the first position is told.
    """
    told = answer(once(after(SHUTTLE, "02"), Restart(ply=1)), 1, ALL)
    assert isinstance(told, Played)
    assert told.table == table_of(fresh(SHUTTLE).position)
    assert (told.hand.ply, told.hand.score, told.hand.moves) == (2, 500, 0)


# Refused


def test_ply_ahead_of_the_log_is_stale() -> None:
    """
    A client that thinks it is further than the server knows is told where it is.
    """
    refusal = refused(after(SHUTTLE, "02"), Play(ply=2, move="20"))
    assert (refusal.reason, refusal.params) == (Reason.STALE_PLY, {"sent": 2, "now": 1})


def test_options_rule_commands_out() -> None:
    """
    What the race does not allow is refused by name, before anything else is looked at.
    """
    attempt = after(FREECELL[0])
    none = Options(undo=False, restart=False, hint=False)
    for command, name in ((Undo(ply=0), "undo"), (Restart(ply=0), "restart"), (Hint(ply=0), "hint")):
        refusal = refused(attempt, command, none)
        assert (refusal.reason, refusal.params) == (Reason.NOT_ALLOWED, {"command": name})
    assert act(attempt, Resign(ply=0), none, 1).after.state is State.RESIGNED


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (Play(ply=2, move="22"), Reason.IDLE),
        (Play(ply=2, move="1h"), Reason.NO_PILE),
        (Play(ply=2, move="13"), Reason.NOT_NEXT),
        (PlayBest(ply=2, source="a", count=1), Reason.NO_PILE),
        (PlayBest(ply=2, source="1", count=2), Reason.NOT_A_RUN),
        (PlayBest(ply=2, source="1", count=1), Reason.NO_TARGET),
        (Hint(ply=2), Reason.NO_HINT),
        (Gather(ply=2), Reason.NO_GATHER),
    ],
)
def test_rules_refuse(command: PlayCommand, reason: Reason) -> None:
    """
    What the engine refuses is passed on as it is.
    """
    assert refused(after(SHUTTLE, "02", "20"), command).reason is reason


@pytest.mark.parametrize(
    "command", [Play(ply=0, move="zz"), Play(ply=0, move="26v1"), PlayBest(ply=0, source="x", count=1)]
)
def test_texts_that_name_nothing_are_refused(command: PlayCommand) -> None:
    """
    A text that is no move, or no pile, is refused as such.
    """
    with pytest.raises(NotationError):
        act(fresh(SHUTTLE), command, ALL, 0)


# Sent again


def sent_again(attempt: Attempt, command: PlayCommand) -> None:
    """See that *command*, carried out on *attempt*, is answered the same again, later too and under any options."""
    acted = once(attempt, command)
    first = answer(acted, command.id, ALL)
    log = [acted.after]
    if acted.after.state is State.PLAYING:
        log += [acted.after.take(((99_500, "restart"),)), acted.after.take(((99_500, "resign"),))]
    for later in log:
        again = act(later, command, Options(undo=False, restart=False, hint=False), 120_000)
        assert again.resent
        assert again.after.entries == later.entries[: again.after.ply]
        assert answer(again, command.id, ALL) == first


@pytest.mark.parametrize(("attempt", "asked", "entries", "steps"), DONE, ids=lambda each: getattr(each, "ply", None))
def test_resend_is_answered_as_the_first_time(
    attempt: Attempt, asked: Callable[[int], PlayCommand], entries: tuple[str, ...], steps: tuple[str, ...]
) -> None:
    """
    Whatever was played since, and even if the attempt is over: nothing is to be written, the answer is the same.
    """
    sent_again(attempt, asked(attempt.ply))


def test_resent_gather_is_answered_as_the_first_time() -> None:
    """
    All of its moves are found in the log.
    """
    attempt = gatherable()
    sent_again(attempt, Gather(ply=attempt.ply))
    last = FREECELL[1][-1]
    won = after(FREECELL[0], *FREECELL[1][:-1])
    sent_again(won, Play(ply=won.ply, move=last))


def test_resend_plays_few_entries_again() -> None:
    """
    However long the log is, what stands before its last marks is not even read; be it played, or made from a log.
    """
    code, shuttle = GameCode.parse(SHUTTLE), [(0, "02"), (0, "20")]
    rebuilt, grown = replay(code, shuttle * MARK_EVERY), replay(code, shuttle * (MARK_EVERY // 2))
    while grown.ply < rebuilt.ply:
        grown = act(grown, Play(ply=grown.ply, move=("02", "20")[grown.ply % 2]), ALL, 0).after
    for attempt in (rebuilt, grown):
        hollow = replace(attempt, entries=((0, "?"),) * MARK_EVERY + attempt.entries[MARK_EVERY:])
        assert act(hollow, Play(ply=attempt.ply - 1, move="20"), ALL, 0).resent
        assert refused(hollow, Play(ply=attempt.ply - 1, move="02")).reason is Reason.STALE_PLY
        assert act(hollow, Play(ply=MARK_EVERY, move="02"), ALL, 0).resent


def test_resend_after_the_end_from_outside() -> None:
    """
    An attempt that was cut off answers for what it had played.
    """
    acted = once(after(SHUTTLE), Play(id=1, ply=0, move="02"))
    cut = acted.after.end(State.TIMED_OUT)
    again = act(cut, Play(id=1, ply=0, move="02"), ALL, 0)
    assert again.resent
    assert answer(again, 1, ALL) == answer(acted, 1, ALL)


@pytest.mark.parametrize(
    "command",
    [
        Play(ply=0, move="35"),
        Play(ply=0, move="22"),
        Play(ply=0, move="zz"),
        Play(ply=1, move="02"),
        Play(ply=2, move="02"),
        PlayBest(ply=0, source="3", count=1),
        PlayBest(ply=0, source="1", count=1),
        PlayBest(ply=0, source="x", count=1),
        Undo(ply=0),
        Undo(ply=1),
        Restart(ply=0),
        Hint(ply=0),
        Gather(ply=0),
        Resign(ply=0),
        Resign(ply=2),
    ],
)
def test_another_command_at_an_old_ply_is_stale(command: PlayCommand) -> None:
    """
    What the log does not hold there is refused, whether or not it would have been legal then.
    """
    refusal = refused(after(SHUTTLE, "02", "20", "undo"), command)
    assert (refusal.reason, refusal.params) == (Reason.STALE_PLY, {"sent": command.ply, "now": 3})


def test_part_of_a_gather_is_no_gather() -> None:
    """
    A Gather is a resend only if all of its moves are there; its first moves, played by hand, are its own commands.
    """
    attempt = gatherable()
    moves = attempt.rules.gather(attempt.position)
    assert len(moves) > 2
    by_hand = attempt.take([(1_000_000, str(move)) for move in moves[:2]])
    assert refused(by_hand, Gather(ply=attempt.ply)).reason is Reason.STALE_PLY
    assert act(by_hand, Play(ply=attempt.ply, move=str(moves[0])), ALL, 0).resent
    whole = attempt.take([(1_000_000, str(move)) for move in moves])
    assert act(whole, Gather(ply=attempt.ply), ALL, 0).resent


# Where an attempt stands


def test_hand_tells_what_may_be_asked() -> None:
    """
    Each of undo, restart, hint and gather is lit if the race allows it, the game has it and there is something to do.
    """
    code = FREECELL[0]
    assert hand_of(fresh(code), ALL).can == Can(restart=True, hint=True)
    assert hand_of(after(code, FREECELL[1][0]), ALL).can == Can(undo=True, restart=True, hint=True)
    assert hand_of(after(code, FREECELL[1][0]), Options(undo=False, restart=False)).can == Can()
    assert hand_of(gatherable(), Options()).can.gather
    assert hand_of(after(SHUTTLE, "02"), ALL).can == Can(undo=True, restart=True)  # SS7: no hint
    for over in (after(code, FREECELL[1][0], "resign"), gatherable().end(State.TIMED_OUT)):
        assert hand_of(over, ALL).can == Can()


def test_hand_tells_that_no_move_is_left() -> None:
    """
    FC6: FreeCell says so while it is played; SS7: Simple Simon never does.
    """
    stuck = stuck_attempt(FREECELL[0])
    assert hand_of(stuck, ALL).stuck
    assert not hand_of(stuck.end(State.RESIGNED), ALL).stuck
    assert not hand_of(fresh(FREECELL[0]), ALL).stuck
    assert not hand_of(stuck_attempt(SHUTTLE), ALL).stuck


def stuck_attempt(code: str) -> Attempt:
    """Return an attempt without a legal move; its position is made up."""
    attempt = fresh(code)
    column = bytes((1, 1))  # nothing goes on an ace
    home = bytes((1, 0, 0, 0))
    cells = bytes((1,) * len(attempt.position.cells))
    position = replace(attempt.position, columns=(column,) * len(attempt.position.columns), cells=cells, home=home)
    assert attempt.rules.legal_moves(position) == []
    return replace(attempt, position=position)


def test_table_is_texts() -> None:
    """
    Columns with the free card last, cells with "" where they are empty, cards gone by suit.
    """
    deal = table_of(fresh("FC1-AAAAAAB").position)
    assert deal.columns[0] == "JD KD 2S 4C 3S 6D 6S"
    assert (len(deal.columns), deal.cells, deal.home) == (8, ("",) * 4, (0, 0, 0, 0))
    moved = after("FC1-AAAAAAB", "1b")
    assert table_of(moved.position).cells == ("", "6S", "", "")
    assert table_of(fresh(SHUTTLE).position).cells == ()
    bare = replace(fresh(SHUTTLE).position, columns=(b"",) * 10, home=bytes((26, 26, 0, 0)))
    assert table_of(bare) == Table(columns=("",) * 10, cells=(), home=(26, 26, 0, 0))


# Choices


@settings(max_examples=60)
@given(attempts())
def test_choices_are_the_legal_moves_and_the_best_targets(attempt: Attempt) -> None:
    """
    Every legal move of every position is there once, and no other; a run's best target is what PlayBest plays.
    """
    told = choices_of(attempt)
    assert told.ply == attempt.ply
    moves = [
        str(Move(PILES.index(choice.source), PILES.index(target), choice.count))
        for choice in told.choices
        for target in choice.targets
    ]
    legal = attempt.rules.legal_moves(attempt.position) if attempt.state is State.PLAYING else []
    assert sorted(moves) == sorted(map(str, legal))
    assert len({(choice.source, choice.count) for choice in told.choices}) == len(told.choices)
    for choice in told.choices:
        assert choice.best == best_target(attempt, choice)


def best_target(attempt: Attempt, choice: Choice) -> str | None:
    """Return where the engine plays a run to; None for nowhere."""
    try:
        move = attempt.rules.best_move(attempt.position, PILES.index(choice.source), choice.count)
    except Refusal:  # NO_TARGET: a whole column into an empty one is legal, and never best
        return None
    return PILES[move.target]


@settings(max_examples=60)
@given(attempts())
def test_runs_that_are_not_among_the_choices_have_no_best_target(attempt: Attempt) -> None:
    """
    What is not lit cannot be played by a double tap either.
    """
    told = {(choice.source, choice.count) for choice in choices_of(attempt).choices}
    for source, column in enumerate(attempt.position.columns):
        for length in range(1, min(len(column), 13) + 1):
            if (PILES[source], length) not in told:
                with pytest.raises(Refusal):
                    attempt.play_best(source, length, attempt.last_ms)


@settings(max_examples=60)
@given(attempts())
def test_joined_cards_are_those_of_one_run(attempt: Attempt) -> None:
    """
    SS4, FC5: a mark for each card of each column: 1 where it is one rank below the card it lies on, in one suit or in
    the other colour.
    """
    told = choices_of(attempt).joined
    assert [len(marks) for marks in told] == [len(column) for column in attempt.position.columns]
    for column, marks in zip(attempt.position.columns, told, strict=True):
        assert marks[:1] in ("", "0")
        for (onto, card), mark in zip(pairwise(map(Card, column)), marks[1:], strict=True):
            fits = card.suit == onto.suit if attempt.code.game == "simple-simon" else card.is_red != onto.is_red
            assert mark == ("1" if fits and onto.rank == card.rank + 1 else "0")


def test_nothing_to_play_looks_no_different() -> None:
    """
    SS7: where no move is left the list is empty, as it is after the end, and says no more than that.
    """
    stuck = stuck_attempt(SHUTTLE)
    over = stuck.end(State.TIMED_OUT)
    assert choices_of(stuck) == choices_of(over)
    assert choices_of(stuck).choices == ()


def test_empty_columns_and_cells_are_no_sources() -> None:
    """
    What lies nowhere moves nowhere; a cell's card may, and one that has only cells to go to has the lowest as best.
    """
    moved = after("FC1-AAAAAAB", "1b")
    sources = [choice.source for choice in choices_of(moved).choices]
    assert "a" not in sources
    first = choices_of(fresh("FC1-AAAAAAB")).choices[0]
    assert first == Choice(source="1", count=1, targets=first.targets, best=first.best)
    assert set("abcd") <= set(first.targets)
