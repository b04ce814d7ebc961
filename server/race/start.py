"""From an open race to its deal: how a race answers what comes before play, as pure functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from server.race.entrant import Entrant
from server.race.outcome import NOTHING, Audience, Letter, Outcome
from server.race.play import act, answer, hand_of, table_of
from server.race.ranking import is_ranked
from server.race.roster import Place
from server.race.run import Run
from server.race.said import Again, Begin
from shared.attempt import Attempt
from shared.deal import HIGHEST
from shared.errors import CodeError, Reason, Refusal
from shared.gamecode import GameCode
from shared.phase import Phase
from shared.protocol import messages
from shared.protocol.messages import (
    Cancel,
    ChooseSuits,
    Configure,
    Configured,
    Countdown,
    PlayCommand,
    Ready,
    Start,
    Warming,
    WarmUp,
)
from shared.protocol.values import Options

if TYPE_CHECKING:
    from server.race.race import Race

COUNTDOWN_MS = 3_000

WARM_UPS = range(HIGHEST - 999, HIGHEST + 1)
"""Numbers for throwaway deals: no pool has one of them."""


def configure(race: Race, sender: str, command: Configure, now_ms: int) -> tuple[Race, Outcome]:
    """Set the options; every ready mark is cleared and every warm-up gone."""
    race.roster.check_host(sender)
    options, taken = checked_options(command.options), len(race.roster.places)
    if options.seats < taken:
        raise Refusal(Reason.SEATS_TAKEN, seats=options.seats, taken=taken)
    after, told = replace(race, options=options, warm_ups={}).peopled(race.roster.unmarked())
    return after, Outcome.done(sender, command.id) + Outcome.to_all(Configured(options=options)) + told


def choose_suits(race: Race, sender: str, command: ChooseSuits, now_ms: int) -> tuple[Race, Outcome]:
    """Note a seat's own suit count in a `mixed` race."""
    if not race.options.mixed:
        raise Refusal(Reason.NOT_MIXED)
    GameCode.of(race.options.game, command.suits, 1)
    after, told = race.peopled(race.roster.chosen(sender, command.suits))
    return after, Outcome.done(sender, command.id) + told


def ready(race: Race, sender: str, command: Ready, now_ms: int) -> tuple[Race, Outcome]:
    """Set or clear a ready mark; when all who are present are ready, two or more, the countdown begins."""
    after, told = race.peopled(race.roster.marked(sender, ready=command.ready))
    after, counting = once_all_ready(after, now_ms)
    return after, Outcome.done(sender, command.id) + told + counting


def once_all_ready(race: Race, now_ms: int) -> tuple[Race, Outcome]:
    """Begin the countdown of an open race if all who are present are ready, two or more."""
    return _count_down(race, now_ms) if race.phase is Phase.OPEN and race.roster.all_ready() else (race, NOTHING)


def start(race: Race, sender: str, command: Start, now_ms: int) -> tuple[Race, Outcome]:
    """Begin the countdown at the host's word, which makes the host's own seat ready."""
    race.roster.check_host(sender)
    _check_countdown(race, command.countdown, race.countdown + 1)
    after, told = race.peopled(race.roster.marked(sender, ready=True))
    after, counting = _count_down(after, now_ms)
    return after, Outcome.done(sender, command.id) + told + counting


def _count_down(race: Race, now_ms: int) -> tuple[Race, Outcome]:
    """Begin the countdown with all who are ready."""
    after = replace(
        race,
        phase=Phase.COUNTDOWN,
        countdown=race.countdown + 1,
        zero_ms=now_ms + COUNTDOWN_MS,
        starters=race.roster.ready(),
        warm_ups={},
    )
    return after, Outcome.to_all(Countdown(countdown=after.countdown, remaining_ms=COUNTDOWN_MS))


def cancel(race: Race, sender: str, command: Cancel, now_ms: int) -> tuple[Race, Outcome]:
    """Stop the countdown. By that the host is not ready: the others' marks stay, and nothing begins by itself."""
    race.roster.check_host(sender)
    _check_countdown(race, command.countdown, race.countdown)
    after, opened = race.reopened(race.roster.marked(sender, ready=False))
    return after, Outcome.done(sender, command.id) + opened


def _check_countdown(race: Race, sent: int, due: int) -> None:
    if sent != due:
        raise Refusal(Reason.STALE_COUNTDOWN, sent=sent, due=due)


def begin(race: Race, sender: str, command: Begin, now_ms: int) -> tuple[Race, Outcome]:
    """Start on the drawn deal. Its own suits are each starter's where they are mixed."""
    here = {place.player for place in race.roster.present()}
    entrants: dict[str, Entrant] = {}
    for player, attempt in zip(race.starters, command.attempts, strict=True):
        seat = race.roster.seat(player)
        place, known = race.roster.places[seat], player in command.opened
        code = _code(race, place, command.number)
        entrants[player] = Entrant(
            player=player,
            name=place.name,
            seat=seat,
            id=attempt,
            attempt=Attempt.start(code),
            practice=known,
            ranked=is_ranked(race.options, opened=bool(command.opened), bot=place.bot),
            bot=place.bot,
            away_ms=None if player in here else 0,
            seen=player in here,
        )
    run = Run(
        race=race.id,
        options=race.options,
        code=_code(race, None, command.number),
        started_ms=command.started_ms,
        began_ms=now_ms,
        entrants=entrants,
    ).timed()
    run, outcome = run.begin(race.room)
    after = replace(race, phase=Phase.RUNNING, run=run)
    return after, outcome + _shown(after, now_ms)


def _code(race: Race, place: Place | None, number: int) -> GameCode:
    suits = place.suits if place and race.options.mixed else None
    return GameCode.of(race.options.game, suits or race.options.suits, number)


def _shown(race: Race, now_ms: int) -> Outcome:
    """Return what spectators of a `live` race are shown at its start, and that they open its number by that."""
    if race.options.view != "live":
        return NOTHING
    run = race.begun()
    here = [place.player for place in (*race.roster.present(), *race.roster.watchers)]
    opened = tuple(run.opening(player, now_ms) for player in here if player not in run.entrants)
    shown = (messages.Watched(seat=each.seat, hand=each.hand, table=each.table) for each in run.seen())
    return Outcome(opened=opened, letters=tuple(Letter(Audience.SPECTATORS, event) for event in shown))


def warm_up(race: Race, sender: str, command: WarmUp, now_ms: int) -> tuple[Race, Outcome]:
    """Lay a throwaway deal: nothing of it is stored, opened or ranked."""
    place = race.roster.places[race.roster.seat(sender)]
    attempt = Attempt.start(_code(race, place, WARM_UPS[race.warmed % len(WARM_UPS)]))
    after = replace(race, warm_ups={**race.warm_ups, sender: attempt}, warmed=race.warmed + 1)
    warming = Warming(table=table_of(attempt.position), hand=hand_of(attempt, race.options))
    return after, Outcome.done(sender, command.id) + Outcome.to_one(sender, warming)


def try_out(race: Race, sender: str, command: PlayCommand, now_ms: int) -> tuple[Race, Outcome]:
    """Play a throwaway attempt, whose clock stands still."""
    attempt = race.warm_ups.get(sender)
    if attempt is None:
        raise Refusal(Reason.WRONG_PHASE, phase=race.phase)
    acted = act(attempt, command, race.options, 0)
    tried = attempt if acted.resent else acted.after
    after = replace(race, warm_ups={**race.warm_ups, sender: tried})
    return after, Outcome.to_one(sender, answer(acted, command.id, race.options))


def again(race: Race, sender: str, command: Again, now_ms: int) -> tuple[Race, Outcome]:
    """Open the next race, for whoever is here; spectators may ask where no participant is left to."""
    if race.roster.present():
        race.roster.seat(sender)
    if command.race != race.id:
        raise Refusal(Reason.STALE_RACE, sent=command.race, now=race.id)
    roster = race.roster.renewed(race.options.seats)
    after = replace(race, id=command.next, phase=Phase.OPEN, roster=roster, starters=(), run=None)
    here = (place.player for place in (*roster.places, *roster.watchers))
    snapshots = tuple(Letter(player, after.snapshot(player, now_ms)) for player in here)
    return after, Outcome.done(sender, command.id) + Outcome(letters=snapshots)


def is_same(sent: Options, options: Options) -> bool:
    """Return whether *sent* is what led, or would lead, to *options*."""
    try:
        return checked_options(sent) == options
    except CodeError:
        return False


def checked_options(options: Options) -> Options:
    """Return *options* with game and suits as an exact code says them; raise CodeError for what is no game."""
    if options.code is not None:
        code = GameCode.parse(options.code)
        return replace(options, game=code.game, suits=code.suits, code=str(code))
    GameCode.of(options.game, options.suits, 1)
    return options
