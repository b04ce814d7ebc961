"""What a command led to, as values: what is to be written, and what is to be told to whom after that."""

from collections.abc import Sequence
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from server.log import Begun, Ended, Finished, LogRow, Opening
from shared.errors import Reason, SameDealError
from shared.protocol.messages import Done, Event, Refused


class Audience(StrEnum):
    """Those to whom the same event goes, encoded once. A player's id stands for that one player."""

    ALL = "all"
    STARTERS = "starters"
    OTHERS = "others"
    """Everyone here but the starters."""
    SPECTATORS = "spectators"
    """Everyone here who does not play any more, or never did: those who see the tables of a `live` room."""


Recipient: TypeAlias = Audience | str


class Letter(Struct, frozen=True):
    """An event and whom it goes to."""

    to: Recipient
    event: Event


def refused(refusal: SameDealError, command_id: int) -> Refused:
    """Return what tells a sender why the command with this id was refused."""
    return Refused(id=command_id, reason=refusal.reason, rule=refusal.rule, params=refusal.params)


class Outcome(Struct, frozen=True, kw_only=True):
    """The whole effect of a command. Nothing of `letters` is sent before the rest is committed."""

    letters: tuple[Letter, ...] = ()
    log: tuple[LogRow, ...] = ()
    begun: Begun | None = None
    ended: tuple[Ended, ...] = ()
    finished: Finished | None = None
    opened: tuple[Opening, ...] = ()
    closes: tuple[tuple[str, Reason], ...] = ()
    """Players whose connection ends after this, and why."""
    draws: bool = False
    """The countdown is over: the room draws a number and hands it back as `Begin`."""
    shuts: bool = False
    """The room is closed."""
    moved: bool = False
    """The standings may have changed."""

    @classmethod
    def refuse(cls, sender: str, refusal: SameDealError, command_id: int) -> "Outcome":
        """Return the refusal of one command, told to its sender alone."""
        return cls.to_one(sender, refused(refusal, command_id))

    @classmethod
    def to_all(cls, event: Event) -> "Outcome":
        """Return an event told to everyone here."""
        return cls(letters=(Letter(Audience.ALL, event),))

    @classmethod
    def to_one(cls, player: str, event: Event) -> "Outcome":
        """Return an event told to one player."""
        return cls(letters=(Letter(player, event),))

    @classmethod
    def done(cls, sender: str, command_id: int) -> "Outcome":
        """Return the answer to a command whose effect an event of its own tells."""
        return cls.to_one(sender, Done(id=command_id))

    @classmethod
    def joined(cls, outcomes: Sequence["Outcome"]) -> "Outcome":
        """Return the effect of several commands, one after the other."""
        outcomes = [each for each in outcomes if each != NOTHING]
        if len(outcomes) <= 1:
            return outcomes[0] if outcomes else NOTHING
        return cls(
            letters=tuple(letter for each in outcomes for letter in each.letters),
            log=tuple(row for each in outcomes for row in each.log),
            begun=next((each.begun for each in outcomes if each.begun), None),
            ended=tuple(ended for each in outcomes for ended in each.ended),
            finished=next((each.finished for each in outcomes if each.finished), None),
            opened=tuple(opening for each in outcomes for opening in each.opened),
            closes=tuple(close for each in outcomes for close in each.closes),
            draws=any(each.draws for each in outcomes),
            shuts=any(each.shuts for each in outcomes),
            moved=any(each.moved for each in outcomes),
        )

    def __add__(self, later: "Outcome") -> "Outcome":
        return Outcome.joined((self, later))

    @property
    def writes(self) -> bool:
        """Whether there is anything to be written before anyone is told."""
        return bool(self.log or self.begun or self.ended or self.finished or self.opened)

    def to(self, recipient: Recipient) -> tuple[Event, ...]:
        """Return the events addressed to exactly *recipient*, in order."""
        return tuple(letter.event for letter in self.letters if letter.to == recipient)


NOTHING = Outcome()
"""The effect of what changes nothing: of most looks at the clock."""
