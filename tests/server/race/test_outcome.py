"""What follows from commands, added up."""

from typing import Any

from msgspec.structs import replace

from server.log import Batch, Begun, Ended, Finished, LogRow, Opening, Starter
from server.race.outcome import Audience, Letter, Outcome
from shared.attempt import State
from shared.errors import Reason, Refusal
from shared.protocol.messages import Done, Opened, Refused

ROW = LogRow("race", 0, None, 0, "begin")
BEGUN = Begun(
    race="race",
    room="ROOM",
    code="FC1-AAAALWO",
    game="freecell",
    suits=4,
    number=11982,
    options="{}",
    started="2026-01-01T00:00:00.000Z",
    attempts=(Starter(attempt="a", player="anna", seat=0, code="FC1-AAAALWO", suits=4),),
)
ENDED = Ended(
    attempt="a",
    state=State.RESIGNED,
    won=False,
    score=0,
    moves=0,
    home=0,
    progress=0,
    elapsed_ms=1,
    clean=True,
    record=b"",
)
FINISHED = Finished(race="race", at="2026-01-01T00:00:01.000Z")
OPENING = Opening("carl", "freecell", 11982, "2026-01-01T00:00:00.500Z")


def test_sum_has_everything_in_order() -> None:
    """
    Letters, rows and ends stand one behind the other; what happens once is kept; marks stay set.
    """
    one = Outcome(letters=(Letter("anna", Done(id=1)),), log=(ROW,), begun=BEGUN, moved=True)
    two = Outcome(letters=(Letter(Audience.ALL, Opened(countdown=1)),), ended=(ENDED,), finished=FINISHED, draws=True)
    two = replace(two, opened=(OPENING,), closes=(("bert", Reason.LEFT),), shuts=True)

    added = one + two

    assert added == Outcome.joined((Outcome(), one, Outcome(), two))
    assert added.letters == one.letters + two.letters
    assert (added.log, added.begun, added.ended, added.finished) == ((ROW,), BEGUN, (ENDED,), FINISHED)
    assert (added.opened, added.closes) == ((OPENING,), (("bert", Reason.LEFT),))
    assert (added.moved, added.draws, added.shuts) == (True, True, True)
    assert Outcome.joined(()) == Outcome()


def test_whatever_a_batch_holds_is_written() -> None:
    """
    An outcome has something to write if, and only if, its batch would not be empty; a room's state is the room's own.
    """
    parts: dict[str, Any] = {
        "log": (ROW,),
        "begun": BEGUN,
        "ended": (ENDED,),
        "finished": FINISHED,
        "opened": (OPENING,),
    }
    for name, part in parts.items():
        assert Outcome(**{name: part}).writes
    assert not Outcome(letters=(Letter("anna", Done()),), closes=(("a", Reason.LEFT),), moved=True, draws=True).writes
    assert set(Batch.__struct_fields__) == parts.keys() - {"log"} | {"rows", "state"}


def test_refusal_goes_to_its_sender_alone() -> None:
    """
    Reason, rule and parameters are told, with the id of the question.
    """
    outcome = Outcome.refuse("anna", Refusal(Reason.NOT_NEXT, "FC2", card="8D", onto="QD"), 7)
    assert outcome.letters == (
        Letter("anna", Refused(id=7, reason="NOT_NEXT", rule="FC2", params={"card": "8D", "onto": "QD"})),
    )
    assert outcome == Outcome(letters=outcome.letters)


def test_letters_are_found_by_recipient() -> None:
    """
    Only those addressed to exactly this one, in order.
    """
    letters = (Letter("anna", Done(id=1)), Letter(Audience.ALL, Opened(countdown=1)), Letter("anna", Done(id=2)))
    outcome = Outcome(letters=letters)
    assert outcome.to("anna") == (Done(id=1), Done(id=2))
    assert outcome.to(Audience.ALL) == (Opened(countdown=1),)
    assert outcome.to(Audience.STARTERS) == outcome.to("bert") == ()
