"""An attempt: one participant's play of one deal, as an immutable value.

Whatever a player does gives a new attempt with one entry more in its log, or raises Refusal and changes nothing.
Replaying a log is doing the same again (`replay`), so live play, restart and verification are one path: `take`. A
single move, asked for more than all else, goes a shorter one, `play`, at about three quarters of the cost. A property
(`tests/test_properties.py`) holds it to `take`, refusals included.
"""

from collections import deque
from collections.abc import Sequence
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from shared.cards import SUITS
from shared.errors import NotationError, Reason, Refusal, SameDealError, excerpt
from shared.gamecode import GameCode
from shared.moves import HOME, MOVES, Move
from shared.position import Position
from shared.rules import Rules

UNDO, RESTART, HINT, RESIGN = "undo", "restart", "hint", "resign"

UNDO_LIMIT = 100
"""SS9, FC7: so many of the last moves can be undone."""

ENTRY_LIMIT = 20_000
"""After so many entries only resigning is left."""

MARK_EVERY = 500
"""A long log is marked so often: going back to any ply plays no more entries again than that, and a gather."""

Entry: TypeAlias = tuple[int, str]
"""One line of the log: milliseconds from the attempt's start, and move text or one of the four words above."""


class State(StrEnum):
    """Where an attempt stands (DESIGN.md section 5)."""

    WAITING = "waiting"
    PLAYING = "playing"
    SOLVED = "solved"
    RESIGNED = "resigned"
    TIMED_OUT = "timed_out"
    ABANDONED = "abandoned"
    VOID = "void"


class Attempt(Struct, frozen=True):
    """The play so far.

    >>> attempt = Attempt.start(GameCode.parse("SS1-S4-AAAAAAE")).play(Move.parse("02"), 1_500)
    >>> attempt.ply, attempt.moves, attempt.score, attempt.entries
    (1, 1, 499, ((1500, '02'),))
    """

    code: GameCode
    rules: Rules
    position: Position
    entries: tuple[Entry, ...] = ()
    past: tuple[tuple[Position, Move], ...] = ()
    """What undo returns to: the positions before the last moves, with those moves; the latest last."""
    moves: int = 0
    """Moves that count: taken-back ones do not, nor those before a restart."""
    state: State = State.PLAYING
    marks: tuple[tuple[int, "Attempt"], ...] = ()
    """Plies, rising, with the attempt as it stood there, its log left out: what `at` begins from."""

    @classmethod
    def start(cls, code: GameCode) -> "Attempt":
        """Return an attempt at the deal of *code*, nothing played yet."""
        return cls(code, code.rules, code.deal())

    @property
    def ply(self) -> int:
        """How many entries there are; it never falls."""
        return len(self.entries)

    @property
    def score(self) -> int:
        """SS8, FC9."""
        return self.rules.score(self.position, self.moves)

    @property
    def progress(self) -> int:
        """DESIGN.md section 5's progress."""
        return self.rules.progress(self.position)

    @property
    def clean(self) -> bool:
        """Whether there was no undo, restart or hint."""
        return not any(text in (UNDO, RESTART, HINT) for _, text in self.entries)

    @property
    def last_ms(self) -> int:
        """The time stamp of the last entry, 0 before the first."""
        return self.entries[-1][0] if self.entries else 0

    # What a player does. Each adds to the log, or raises Refusal and leaves everything as it was.

    def play(self, move: Move, at_ms: int) -> "Attempt":
        """Play *move*; the winning one ends the attempt. Always what `take` of that one entry does."""
        entries, position = self.entries, self.position
        if self.state is not State.PLAYING or at_ms < self.last_ms or len(entries) >= ENTRY_LIMIT:
            return self.take(((at_ms, str(move)),))  # it knows why not
        try:
            after, state = _played(self.rules, position, move)
        except Refusal as refusal:
            refusal.entry = len(entries)
            raise
        log = entries + ((at_ms, str(move)),)  # noqa: RUF005  # unpacking would copy a long log twice
        past = (*self.past[1 - UNDO_LIMIT :], (position, move))
        return Attempt(self.code, self.rules, after, log, past, self.moves + 1, state, self.marks)

    def play_best(self, source: int, count: int, at_ms: int) -> "Attempt":
        """Play the run of *count* cards from *source* to its best target (SS10, FC7)."""
        self._check_playing()
        return self.play(self.rules.best_move(self.position, source, count), at_ms)

    def gather(self, at_ms: int) -> "Attempt":
        """Play all that FC10 gathers, as moves with one time stamp."""
        self._check_playing()
        moves = self.rules.gather(self.position)
        if not moves:
            raise self.rules.refuse(Reason.NO_GATHER)
        return self.take([(at_ms, str(move)) for move in moves])

    def undo(self, at_ms: int) -> "Attempt":
        """Take the last move back, with its score, its count and a sequence it removed (SS9, FC7)."""
        return self.take(((at_ms, UNDO),))

    def restart(self, at_ms: int) -> "Attempt":
        """Lay the first position again with nothing to undo; the log and its clock go on."""
        return self.take(((at_ms, RESTART),))

    def hint(self, at_ms: int) -> tuple["Attempt", Move]:
        """Return the attempt with the hint in its log, and the move to show (FC8)."""
        return self.take(((at_ms, HINT),)), _hinted(self.rules, self.position, self.past)

    def resign(self, at_ms: int) -> "Attempt":
        """End the attempt unsolved."""
        return self.take(((at_ms, RESIGN),))

    def take(self, entries: Sequence[Entry]) -> "Attempt":
        """Do what *entries* say, one after the other: all of them, or none.

        Raise Refusal for the first that is not legal, NotationError for a text that is no entry; `entry` on the
        error tells which, counted from 0 at the log's beginning.
        """
        rules, position, moves, state, last_ms = self.rules, self.position, self.moves, self.state, self.last_ms
        past = deque(self.past, UNDO_LIMIT)
        ply = self.ply
        try:
            for ply, (at_ms, text) in enumerate(entries, self.ply):
                if state is not State.PLAYING or at_ms < last_ms or ply >= ENTRY_LIMIT:
                    _check_entry(state, at_ms, last_ms, ply, text)
                last_ms, move = at_ms, MOVES.get(text)
                if move is None:
                    position, moves, state = self._take_word(text, position, past, moves)
                    continue
                past.append((position, move))
                (position, state), moves = _played(rules, position, move), moves + 1
        except SameDealError as error:
            error.entry = ply
            raise
        log = self.entries + tuple(entries)  # unpacking would copy a long log twice
        return Attempt(self.code, rules, position, log, tuple(past), moves, state, self.marks)

    def _take_word(
        self, text: str, position: Position, past: deque[tuple[Position, Move]], moves: int
    ) -> tuple[Position, int, State]:
        """Do what an entry says that is no move; *past* is changed in place."""
        match text:
            case "undo":
                if not past:
                    raise self.rules.refuse(Reason.NO_UNDO, limit=UNDO_LIMIT)
                return past.pop()[0], moves - 1, State.PLAYING
            case "restart":
                past.clear()
                return self.code.deal(), 0, State.PLAYING
            case "hint":
                _hinted(self.rules, position, past)
                return position, moves, State.PLAYING
            case "resign":
                return position, moves, State.RESIGNED
        raise NotationError(Reason.BAD_MOVE, text=excerpt(text))

    # Going back

    def marked(self) -> "Attempt":
        """Return the attempt with a mark where it stands, if the last one is MARK_EVERY entries back."""
        last = self.marks[-1][0] if self.marks else 0
        if self.ply < last + MARK_EVERY:
            return self
        return replace(self, marks=(*self.marks, (self.ply, replace(self, entries=(), marks=()))))

    def at(self, ply: int) -> "Attempt":
        """Return the attempt as it stood after *ply* of its entries."""
        begins = (0, Attempt.start(self.code))
        marked, attempt = next((mark for mark in reversed(self.marks) if mark[0] <= ply), begins)
        return replace(attempt.retake(self.entries[marked:ply]), entries=self.entries[:ply])

    def retake(self, entries: Sequence[Entry]) -> "Attempt":
        """Do again what `take` has done before, for where it leads: no hint is in the log of what is returned.

        A hint changes nothing but the log, and looking for it again takes as long as dozens of moves.
        """
        return self.take([entry for entry in entries if entry[1] != HINT])

    def end(self, state: State) -> "Attempt":
        """Return the attempt ended from outside (time out, abandoned, void), its log as it is."""
        return replace(self, state=state)

    def steps(self, text: str) -> tuple[str, ...]:
        """Return what is seen to move when *text*, a legal entry, is taken: move texts, in order.

        Cards that come back from the foundations are named by their suit behind the move: `h3S`, `h6vdS`.
        A restart is no movement of cards: ().
        """
        if text == UNDO:
            position, move = self.past[-1]
            suit = SUITS[position.run(move.source, move.count)[0] >> 4]
            steps = reversed(self.rules.steps(position, move))
            return tuple(f"{step.back}{suit if step.target == HOME else ''}" for step in steps)
        if text in (RESTART, HINT, RESIGN):
            return ()
        return tuple(map(str, self.rules.steps(self.position, Move.parse(text))))

    def _check_playing(self) -> None:
        if self.state is not State.PLAYING:
            raise Refusal(Reason.NOT_PLAYING, state=self.state)


def _played(rules: Rules, position: Position, move: Move) -> tuple[Position, State]:
    """Return the position after *move*, and whether it has won; raise Refusal."""
    refused = rules.refusal(position, move)
    if refused:
        raise refused
    after = rules.apply(position, move)
    won = after.home is not position.home and rules.won(after)
    return after, State.SOLVED if won else State.PLAYING


def _hinted(rules: Rules, position: Position, past: Sequence[tuple[Position, Move]]) -> Move:
    """Return the hint at *position*; raise Refusal where the game gives none or has none."""
    move = rules.hint(position, past[-1][0] if past else None)
    if move is None:
        raise rules.refuse(Reason.NO_HINT)
    return move


def _check_entry(state: State, at_ms: int, last_ms: int, ply: int, text: str) -> None:
    """Raise Refusal where nothing may follow, time falls, or only resigning is left."""
    if state is not State.PLAYING:
        raise Refusal(Reason.NOT_PLAYING, state=state)
    if at_ms < last_ms:
        raise Refusal(Reason.TIME_FELL, at_ms=at_ms, last_ms=last_ms)
    if text != RESIGN:
        raise Refusal(Reason.ENTRY_LIMIT, limit=ENTRY_LIMIT)


def replay(code: GameCode, entries: Sequence[Entry]) -> Attempt:
    """Return the attempt that *entries* make from the deal of *code*; raise as `Attempt.take` does."""
    attempt = Attempt.start(code)
    for ply in range(0, len(entries), MARK_EVERY):
        attempt = attempt.take(entries[ply : ply + MARK_EVERY]).marked()
    return attempt
