"""Who comes and goes, and the host's powers over people: how a race answers them, as pure functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from server.race import start
from server.race.outcome import NOTHING, Outcome
from server.race.roster import Place
from server.race.said import Drop, Forgotten, Join, Measured, Renamed
from shared.errors import Reason, Refusal
from shared.phase import Phase
from shared.protocol.messages import Close, HandOver, Kick, Leave, Lock

if TYPE_CHECKING:
    from server.race.race import Race


def join(race: Race, sender: str, command: Join, now_ms: int) -> tuple[Race, Outcome]:
    """Let someone in, unless barred, locked out, one too many or a twin; a barred player may finish an attempt."""
    barred = race.roster.refusal(sender, command.name, command.spectators)
    if barred and not (barred is Reason.KICKED and race.run and race.run.plays(sender)):
        return race, Outcome(closes=((sender, barred),))
    newcomer = Place(player=sender, name=command.name, bot=command.bot, bot_now=command.bot, since_ms=now_ms)
    run, noted = race.run.came(sender, now_ms, bot=command.bot) if race.run else (None, NOTHING)
    after, told = replace(race, run=run).peopled(race.roster.came(newcomer))
    outcome = Outcome.to_one(sender, after.snapshot(sender, now_ms)) + told + noted
    if after.may_watch(sender) and sender not in after.begun().entrants:
        outcome += Outcome(opened=(after.begun().opening(sender, now_ms),))
    return after, outcome


def drop(race: Race, sender: str, command: Drop, now_ms: int) -> tuple[Race, Outcome]:
    """Note that a connection is gone: a drop is not a leave, but it clears a ready mark, in the end."""
    if not race.roster.knows(sender):
        return race, NOTHING
    roster = race.roster.dropped(sender, now_ms, keeps_mark=race.phase is not Phase.OPEN)
    after, outcome = replace(race, run=race.run and race.run.went(sender, now_ms)).peopled(roster)
    after, counting = start.once_all_ready(after, now_ms)
    return after, outcome + counting


def measured(race: Race, sender: str, command: Measured, now_ms: int) -> tuple[Race, Outcome]:
    """Note the delay of a player's connection, which the standings show."""
    run = race.run and race.run.measured(sender, command.lag_ms)
    return replace(race, run=run), Outcome(moved=run != race.run)


def renamed(race: Race, sender: str, command: Renamed, now_ms: int) -> tuple[Race, Outcome]:
    """Give someone who is here another name. Nobody becomes a twin by it: who came with it meanwhile keeps it."""
    if not race.roster.knows(sender) or race.roster.has_twin(sender, command.name):
        return race, NOTHING
    after = _called(race, sender, command.name)
    return after.peopled(after.roster)


def _called(race: Race, player: str, name: str) -> Race:
    """Return the race in which *player* has this name; a record gets the name that its player has at its end."""
    return replace(race, roster=race.roster.called(player, name), run=race.run and race.run.called(player, name))


def forgotten(race: Race, sender: str, command: Forgotten, now_ms: int) -> tuple[Race, Outcome]:
    """Take someone out who is deleted, as if they had left: a seat that is fixed stays, and no name in it."""
    if not race.roster.knows(sender):
        return race, NOTHING
    return _left(_called(race, sender, command.name), sender, now_ms)


def leave(race: Race, sender: str, command: Leave, now_ms: int) -> tuple[Race, Outcome]:
    """Give the seat up: whoever plays resigns, and a race that counts down goes on without them."""
    after, outcome = _left(race, sender, now_ms)
    return after, Outcome.done(sender, command.id) + Outcome(closes=((sender, Reason.LEFT),)) + outcome


def _left(race: Race, player: str, now_ms: int) -> tuple[Race, Outcome]:
    after, outcome = _removed(race, player, now_ms)
    if not race.run:
        return after, outcome
    run, resigned = race.run.resign(player, now_ms)
    after, ended = after.ran(run.went(player, now_ms), resigned, now_ms)
    return after, outcome + ended


def _removed(race: Race, player: str, now_ms: int) -> tuple[Race, Outcome]:
    """Take someone out: with the seat, or as one who dropped for good where standings name it.

    Where they were the last who was not ready, the countdown begins.
    """
    roster = race.roster.gone(player, now_ms, keeps_seat=race.run is not None)
    after, outcome = replace(race, starters=_starters_but(race, player)).peopled(roster)
    if after.phase is Phase.COUNTDOWN and not after.starters:
        after, opened = after.reopened()
        outcome += opened
    after, counting = start.once_all_ready(after, now_ms)
    return after, outcome + counting


def _starters_but(race: Race, player: str) -> tuple[str, ...]:
    counting = race.phase is Phase.COUNTDOWN
    return tuple(each for each in race.starters if each != player) if counting else race.starters


def kick(race: Race, sender: str, command: Kick, now_ms: int) -> tuple[Race, Outcome]:
    """Bar a player. Whoever plays keeps the attempt, and nothing else of the room."""
    race.roster.check_host(sender)
    player = command.player
    if player == sender or not race.roster.knows(player):
        raise Refusal(Reason.NOT_HERE, player=player)
    after = replace(race, roster=replace(race.roster, barred=race.roster.barred | {player}))
    after, outcome = _removed(after, player, now_ms)
    outcome = Outcome.done(sender, command.id) + outcome
    if after.run and after.phase is Phase.RUNNING:
        run, logged = after.run.kicked(player, now_ms)
        after, outcome = replace(after, run=run), outcome + logged
        if run.plays(player):
            return after, outcome + Outcome.to_one(player, after.snapshot(player, now_ms))
    return after, outcome + Outcome(closes=((player, Reason.KICKED),))


def hand_over(race: Race, sender: str, command: HandOver, now_ms: int) -> tuple[Race, Outcome]:
    """Make another connected participant the host."""
    race.roster.check_host(sender)
    if command.player not in [place.player for place in race.roster.present()]:
        raise Refusal(Reason.NOT_HERE, player=command.player)
    after, told = race.peopled(race.roster.hosted(command.player))
    return after, Outcome.done(sender, command.id) + told


def lock(race: Race, sender: str, command: Lock, now_ms: int) -> tuple[Race, Outcome]:
    """Let no newcomer in, or let them in again."""
    race.roster.check_host(sender)
    after, told = race.peopled(replace(race.roster, locked=command.locked))
    return after, Outcome.done(sender, command.id) + told


def close(race: Race, sender: str, command: Close, now_ms: int) -> tuple[Race, Outcome]:
    """Close the room, unless someone plays."""
    race.roster.check_host(sender)
    if race.run and not race.run.over:
        raise Refusal(Reason.SOMEONE_PLAYS)
    everyone = (place.player for place in (*race.roster.present(), *race.roster.watchers))
    closes = tuple((player, Reason.ROOM_CLOSED) for player in everyone)
    return race, Outcome.done(sender, command.id) + Outcome(closes=closes, shuts=True)
