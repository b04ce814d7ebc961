"""A command in play against one attempt: what it does, how it is answered, how a resend is told from a new one."""

from msgspec import Struct

from shared.attempt import HINT, RESTART, Attempt, State
from shared.cards import TEXTS, texts
from shared.errors import Reason, Refusal, SameDealError
from shared.moves import PILES, Move, pile_of
from shared.position import Position
from shared.protocol.messages import (
    Answer,
    Choices,
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
from shared.protocol.values import Can, Choice, Hand, Options, Table


class Acted(Struct, frozen=True):
    """A command in play that was carried out, now or earlier."""

    before: Attempt
    after: Attempt
    resent: bool
    """It was carried out earlier: there is nothing to write, only to answer again."""


def act(attempt: Attempt, command: PlayCommand, options: Options, at_ms: int) -> Acted:
    """Carry *command* out; raise Refusal (STALE_PLY where its ply is not the attempt's) or NotationError.

    A ply below the log's length is that of a resend if the command leads from there to just what the log holds.
    """
    if command.ply < attempt.ply:
        return _resent(attempt, command)
    if command.ply > attempt.ply:
        raise _stale(attempt, command)
    _check_allowed(command, options)
    return Acted(attempt, _do(attempt, command, at_ms).marked(), resent=False)


def _resent(attempt: Attempt, command: PlayCommand) -> Acted:
    """Find *command* in the log, where its first sending put it."""
    entries = attempt.entries
    before = attempt.at(command.ply)
    try:
        after = _do(before, command, entries[command.ply][0])
    except SameDealError:
        raise _stale(attempt, command) from None
    logged = entries[command.ply : after.ply]
    if [text for _, text in logged] != [text for _, text in after.entries[command.ply :]]:
        raise _stale(attempt, command)
    return Acted(before, after, resent=True)


def _stale(attempt: Attempt, command: PlayCommand) -> Refusal:
    return Refusal(Reason.STALE_PLY, sent=command.ply, now=attempt.ply)


def _check_allowed(command: PlayCommand, options: Options) -> None:
    """Raise Refusal where the race's options rule the command out."""
    match command:
        case Undo() if not options.undo:
            raise Refusal(Reason.NOT_ALLOWED, command="undo")
        case Restart() if not options.restart:
            raise Refusal(Reason.NOT_ALLOWED, command="restart")
        case Hint() if not options.hint:
            raise Refusal(Reason.NOT_ALLOWED, command="hint")


def _do(attempt: Attempt, command: PlayCommand, at_ms: int) -> Attempt:
    match command:
        case Play(move=text):
            return attempt.play(Move.parse(text), at_ms)
        case PlayBest(source=source, count=count):
            return attempt.play_best(pile_of(source), count, at_ms)
        case Undo():
            return attempt.undo(at_ms)
        case Restart():
            return attempt.restart(at_ms)
        case Hint():
            return attempt.hint(at_ms)[0]
        case Gather():
            return attempt.gather(at_ms)
        case Resign():
            return attempt.resign(at_ms)


def answer(acted: Acted, command_id: int, options: Options) -> Answer:
    """Return what tells the sender that the command was carried out."""
    before, after = acted.before, acted.after
    hand = hand_of(after, options)
    text = after.entries[before.ply][1]
    if text == HINT:
        return Hinted(id=command_id, hand=hand, move=str(before.hint(before.last_ms)[1]))
    table = table_of(after.position) if text == RESTART else None
    return Played(id=command_id, hand=hand, steps=_steps(before, after), table=table)


def _steps(before: Attempt, after: Attempt) -> tuple[str, ...]:
    """Return what moves from one attempt to the other, entry by entry."""
    steps: list[str] = []
    for entry in after.entries[before.ply :]:
        steps += before.steps(entry[1])
        before = after if before.ply + 1 == after.ply else before.take((entry,))
    return tuple(steps)


def hand_of(attempt: Attempt, options: Options) -> Hand:
    """Return where *attempt* stands, for its player."""
    playing = attempt.state is State.PLAYING
    can = Can(
        undo=playing and options.undo and bool(attempt.past),
        restart=playing and options.restart,
        hint=playing and options.hint and attempt.rules.gives_hints,
        gather=playing and bool(attempt.rules.gather(attempt.position)),
    )
    return Hand(
        ply=attempt.ply,
        score=attempt.score,
        moves=attempt.moves,
        progress=attempt.progress,
        state=attempt.state,
        can=can,
        stuck=playing and attempt.rules.stuck(attempt.position),
    )


def choices_of(attempt: Attempt) -> Choices:
    """Return every run that can move, where to, and which cards lie joined; nothing to move looks no different."""
    rules, position = attempt.rules, attempt.position
    runs: dict[tuple[int, int], list[Move]] = {}
    for move in rules.legal_moves(position) if attempt.state is State.PLAYING else ():
        runs.setdefault((move.source, move.count), []).append(move)
    choices = tuple(
        Choice(
            source=PILES[source],
            count=count,
            targets=tuple(PILES[move.target] for move in moves),
            best=PILES[best.target] if (best := rules.best_of(position, moves)) else None,
        )
        for (source, count), moves in runs.items()
    )
    return Choices(ply=attempt.ply, choices=choices, joined=joined_of(attempt))


def joined_of(attempt: Attempt) -> tuple[str, ...]:
    """Return for each column which of its cards move with the one they lie on."""
    return tuple(map(attempt.rules.joined_cards, attempt.position.columns))


def table_of(position: Position) -> Table:
    """Return *position* as texts to draw."""
    return Table(
        columns=tuple(" ".join(texts(column)) for column in position.columns),
        cells=tuple(TEXTS.get(card, "") for card in position.cells),
        home=tuple(position.home),
    )
