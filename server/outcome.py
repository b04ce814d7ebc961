"""What a command led to, as values: what is to be written, and what is to be told to whom after that."""

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from server.log import Begun, Ended, Finished, LogRow
from shared.errors import SameDealError
from shared.protocol.messages import Event, Refused


class Audience(StrEnum):
    """Those to whom the same event goes, encoded once. A player's id stands for that one player."""

    ALL = "all"
    STARTERS = "starters"
    OTHERS = "others"
    """Everyone here but the starters."""


Recipient: TypeAlias = Audience | str


class Letter(Struct, frozen=True):
    """An event and whom it goes to."""

    to: Recipient
    event: Event


class Outcome(Struct, frozen=True, kw_only=True):
    """The whole effect of a command. Nothing of `letters` is sent before the rest is committed."""

    letters: tuple[Letter, ...] = ()
    log: tuple[LogRow, ...] = ()
    begun: Begun | None = None
    ended: tuple[Ended, ...] = ()
    finished: Finished | None = None
    draws: bool = False
    """The countdown is over: the room draws a number and hands it back as `Begin`."""
    moved: bool = False
    """The standings may have changed."""

    @classmethod
    def refuse(cls, sender: str, refusal: SameDealError, command_id: int) -> "Outcome":
        """Return the refusal of one command, told to its sender alone."""
        event = Refused(id=command_id, reason=refusal.reason, rule=refusal.rule, params=refusal.params)
        return cls(letters=(Letter(sender, event),))

    def __add__(self, later: "Outcome") -> "Outcome":
        return Outcome(
            letters=self.letters + later.letters,
            log=self.log + later.log,
            begun=later.begun or self.begun,
            ended=self.ended + later.ended,
            finished=later.finished or self.finished,
            draws=later.draws or self.draws,
            moved=later.moved or self.moved,
        )

    def to(self, recipient: Recipient) -> tuple[Event, ...]:
        """Return the events addressed to exactly *recipient*, in order."""
        return tuple(letter.event for letter in self.letters if letter.to == recipient)
