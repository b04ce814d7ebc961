"""What an attempt came to, from its log: at its end, and whenever a record is played again. Pure."""

from server.log import FullResult
from shared.attempt import HINT, Attempt, State, replay
from shared.record import Record


def full_result(attempt: Attempt, elapsed_ms: int) -> FullResult:
    """Return the result of an attempt that is over."""
    return FullResult(
        state=attempt.state,
        won=attempt.state is State.SOLVED,
        score=attempt.score,
        moves=attempt.moves,
        home=sum(attempt.position.home) // attempt.rules.goes_home,
        progress=attempt.progress,
        elapsed_ms=elapsed_ms,
        clean=attempt.clean,
        hints=sum(text == HINT for _, text in attempt.entries),
    )


def replayed(record: Record, otherwise: State) -> tuple[Attempt, int]:
    """Return the attempt that *record* tells of, and when it was over; raise SameDealError for an illegal entry.

    *otherwise* is how it ended if neither won nor resigned.
    """
    attempt = replay(record.code, record.entries)
    if attempt.state is State.PLAYING:
        attempt = attempt.end(otherwise)
    return attempt, record.result.elapsed_ms if record.result else attempt.last_ms
