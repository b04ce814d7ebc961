"""A client's view: what each event changes, and that old snapshot + events = new snapshot, against the real race."""

from random import Random

import pytest
from msgspec.structs import replace

from client.view import COUNTDOWN, FINISHED, OPEN, PLAYING, RUNNING, SOLVED, View
from server.outcome import Audience, Outcome
from server.phase import Phase
from server.race import Race
from server.said import Begin, Command, Drop, Join
from server.start import COUNTDOWN_MS
from shared.attempt import State
from shared.protocol.messages import (
    AnyEvent,
    Began,
    Cancel,
    Configure,
    Done,
    Finished,
    Gather,
    Hint,
    Hinted,
    Play,
    PlayBest,
    Played,
    Ready,
    Refused,
    Resign,
    Restart,
    Roster,
    Snapshot,
    Standings,
    Start,
    Undo,
    Welcome,
)
from shared.protocol.values import Can, Hand, Options, Seat, Standing, Table
from tests import vectors
from tests.play import SOLUTIONS

ANNA, BERT, CARL = "anna", "bert", "carl"
GAMES = ("freecell", "simple-simon")


class Told:
    """A race and the views of those who are told of it, as a room would do it, with a clock of its own."""

    def __init__(self, number: int = 35) -> None:
        self.number = number
        self.race = Race(id="r1", room="ROOM")
        self.now_ms = 0
        self.views: dict[str, View] = {}
        self.rows: dict[int, Standing] = {}
        """The standings as they were last told."""

    def say(self, sender: str, command: Command, after_ms: int = 10) -> None:
        self.now_ms += after_ms
        if isinstance(command, Join) and sender not in self.views:
            self.views[sender] = View().after(Welcome(player=sender, name=command.name))
        race, outcome = self.race.handle(sender, command, self.now_ms)
        self._publish(race, outcome)
        if outcome.draws:
            begin = Begin(
                number=self.number,
                attempts=tuple(f"attempt of {player}" for player in race.starters),
                started_ms=self.now_ms,
            )
            self._publish(*self.race.handle("", begin, self.now_ms))
            self._publish(*self.race.handle(sender, command, self.now_ms))

    def _publish(self, race: Race, outcome: Outcome) -> None:
        self.race = race
        for letter in outcome.letters:
            for player in self.views:
                starts = player in race.starters
                if letter.to in (Audience.ALL, Audience.STARTERS if starts else Audience.OTHERS, player):
                    self._tell(player, letter.event)
        told = race.standings(self.now_ms)
        if outcome.moved and told and race.phase is Phase.RUNNING:
            changed = tuple(row for row in told.rows if self.rows.get(row.seat) != row)
            self.rows = {row.seat: row for row in told.rows}
            for player in self.views:
                self._tell(player, replace(told, rows=changed))

    def _tell(self, player: str, event: object) -> None:
        self.views[player] = self.views[player].after(event)  # type: ignore[arg-type]  # letters hold events of all kinds

    def check(self) -> None:
        """Old snapshot + events = new snapshot, for everyone, but for clocks, which only stand in what tells them."""
        for player, view in self.views.items():
            fresh = View(player=view.player, name=view.name).after(self.race.snapshot(player, self.now_ms))
            assert timeless(view) == timeless(fresh)
            assert (view.remaining_ms is None, view.elapsed_ms is None) == (
                fresh.remaining_ms is None,
                fresh.elapsed_ms is None,
            )


def timeless(view: View) -> View:
    """Return the view without what its clocks stood at."""
    return replace(view, elapsed_ms=None, remaining_ms=None)


def begun(options: Options, number: int = 35, seed: int = 0) -> Told:
    """Return a race that runs: Anna and Bert play; with an odd seed Carl does, else he watches."""
    told = Told(number)
    for player in (ANNA, BERT, CARL):
        told.say(player, Join(name=player.title()))
    told.say(ANNA, Configure(options=options))
    told.say(BERT, Ready(ready=True))
    if seed % 2:
        told.say(CARL, Ready(ready=True))
    told.say(ANNA, Start(countdown=1))
    told.say(BERT, Drop(), COUNTDOWN_MS)
    return told


def chosen(race: Race, player: str, random: Random) -> Command:
    """Return something that *player* might do, allowed or not."""
    attempt = race.run.entrants[player].attempt if race.run and player in race.run.entrants else None
    if attempt is None:
        return Undo(ply=0)
    moves = [str(move) for move in attempt.rules.legal_moves(attempt.position)] or ["12"]
    ply = max(0, attempt.ply - random.choice((0, 0, 0, 0, 0, 0, 1, 2, -1)))
    return random.choice(
        (
            *(Play(ply=ply, move=random.choice(moves)) for _ in range(9)),
            *(PlayBest(ply=ply, source=random.choice("12345678"), count=1) for _ in range(9)),
            *(Undo(ply=ply) for _ in range(4)),
            Hint(ply=ply),
            Gather(ply=ply),
            random.choice((Restart(ply=ply), Join(name=player), Drop(), Join(name=player), Drop())),
        )
    )


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(6))
def test_old_snapshot_and_events_make_the_new_snapshot(game: str, seed: int) -> None:
    """
    Three clients through whole races of everything that players do, resends and drops included, to time out or
    resignation: after every command each view is what a fresh snapshot would make it.
    """
    random = Random(f"{game} {seed}")
    told = begun(Options(game=game, hint=True), seed=seed)
    told.check()
    assert told.race.phase is Phase.RUNNING
    for _ in range(200):
        player = random.choice((ANNA, BERT, CARL))
        told.say(player, chosen(told.race, player, random))
        told.check()
    assert max(view.ply for view in told.views.values()) > 20
    if seed % 3:
        told.say(ANNA, Join(name="Anna"), told.race.options.limit_ms)
        assert told.views[ANNA].hand.state == State.TIMED_OUT  # type: ignore[union-attr]  # Anna plays
    else:
        for player, entrant in told.race.run.entrants.items():  # type: ignore[union-attr]  # it runs
            told.say(player, Resign(ply=entrant.attempt.ply))
    told.check()
    assert all(view.phase == FINISHED for view in told.views.values())


def test_before_the_start_views_follow_too() -> None:
    """
    Joins, drops, options, ready marks, a countdown stopped and one that comes to nothing: old snapshot + events =
    new snapshot at each of them.
    """
    told = Told()
    steps: list[tuple[str, Command]] = [
        (ANNA, Join(name="Anna")),
        (BERT, Join(name="Bert")),
        (BERT, Configure(options=Options(suits=2))),  # not the host
        (ANNA, Configure(options=Options(suits=4))),
        (ANNA, Ready(ready=True)),
        (BERT, Ready(ready=True)),
        (CARL, Join(name="Carl")),
        (ANNA, Cancel(countdown=1)),
        (BERT, Start(countdown=2)),
        (ANNA, Drop()),
        (BERT, Start(countdown=2)),
        (BERT, Drop()),
    ]
    phases = []
    for player, command in steps:
        told.say(player, command)
        told.check()
        phases.append(told.views[ANNA].phase)
    assert phases == [OPEN] * 5 + [COUNTDOWN] * 2 + [OPEN] * 3 + [COUNTDOWN] * 2
    told.say(BERT, Undo(ply=0), COUNTDOWN_MS)  # nobody is there at zero
    told.check()
    assert [view.phase for view in told.views.values()] == [OPEN] * 3


@pytest.mark.parametrize("solutions", SOLUTIONS[2:])
def test_won_race_is_seen_by_all(solutions: str) -> None:
    """
    One solves, the other resigns: states, places and the attempts' ids are in every view, and the table is bare.
    """
    solved = next(row for row in vectors.solved(solutions) if vectors.own_number(row))
    options = Options(game=vectors.rules_of(solved).name, suits=vectors.suits_of(solved))
    told = begun(options, vectors.own_number(solved) or 0)
    for ply, move in enumerate(solved["moves"]):
        told.say(ANNA, Play(ply=ply, move=vectors.move_text(move)))
        told.check()
    told.say(BERT, Resign(ply=0))
    told.check()
    anna, carl = told.views[ANNA], told.views[CARL]
    assert [(row.seat, row.place, row.state) for row in carl.rows] == [(0, 1, "solved"), (1, None, "resigned")]
    assert carl.attempts == {0: "attempt of anna", 1: "attempt of bert"}
    assert anna.table is not None
    assert not any(anna.table.columns)
    assert carl.table is None


# One event at a time

SEATS = (Seat(seat=0, player=ANNA, name="Anna", host=True), Seat(seat=1, player=BERT, name="Bert"))
TABLE = Table(columns=("KS QS", "", "JS"), home=(0, 0, 0, 0))


def row(seat: int, place: int | None, state: str = PLAYING) -> Standing:
    """Return a line of the standings."""
    return Standing(seat=seat, place=place, score=500, moves=0, progress=0, state=state)


def hand(ply: int, state: str = PLAYING) -> Hand:
    """Return an own attempt with everything lit that its end puts out."""
    return Hand(ply=ply, score=500, moves=ply, progress=3, state=state, can=Can(undo=True), stuck=True)


def test_own_seat_and_names_come_from_the_roster() -> None:
    """
    Who one is, is told by Welcome; where one sits, by the roster; a stranger to it watches.
    """
    anna = View().after(Welcome(player=ANNA, name="Anna")).after(Roster(seats=SEATS))
    assert (anna.seat, anna.host, anna.name_of(1), anna.name_of(7)) == (0, True, "Bert", "")
    bert = View().after(Welcome(player=BERT, name="Bert")).after(Roster(seats=SEATS))
    assert (bert.seat, bert.host) == (1, False)
    carl = View().after(Welcome(player=CARL, name="Carl")).after(Roster(seats=SEATS))
    assert (carl.seat, carl.host) == (None, False)


def test_answer_to_a_resend_changes_nothing() -> None:
    """
    A ply that is not above the view's own was applied before: a client applies each once.
    """
    view = View().after(Began(race="r1", limit_ms=60_000, code="SS1-S1-AAAAABD", table=TABLE, hand=hand(0)))
    once = view.after(Played(hand=hand(1), steps=("31",)))
    assert once.table != view.table
    assert once.after(Played(hand=hand(1), steps=("31",))) == once
    assert once.after(Hinted(hand=hand(1), move="13")) == once
    assert once.after(Hinted(hand=hand(2), move="13")) == replace(once, hand=hand(2))


def test_answers_to_one_command_change_nothing() -> None:
    """
    Done and Refused speak to whoever asked: the view is as it was.
    """
    view = View(player=ANNA, phase=RUNNING)
    answers: list[AnyEvent] = [Done(id=1), Refused(id=2, reason="BUSY")]
    assert [view.after(answer) for answer in answers] == [view, view]


def test_those_who_watch_see_no_deal() -> None:
    """
    Began tells spectators that it runs and no more; code and ids come with the end.
    """
    view = View(player=CARL).after(Began(race="r1", limit_ms=60_000))
    assert (view.phase, view.elapsed_ms, view.code, view.table, view.hand, view.playing) == (
        RUNNING,
        0,
        None,
        None,
        None,
        False,
    )
    over = view.after(Finished(race="r1", code="SS1-S1-AAAAABD", rows=(row(1, 1, SOLVED),), attempts=("a1",)))
    assert (over.phase, over.code, over.attempts, over.table) == (FINISHED, "SS1-S1-AAAAABD", {1: "a1"}, None)


def test_changed_lines_are_merged_and_ranked() -> None:
    """
    Lines that did not change stay; the order is by place, then seat, those without a place last.
    """
    view = View().after(Standings(elapsed_ms=1, rows=(row(0, None), row(1, None), row(2, None), row(3, None))))
    view = view.after(Standings(elapsed_ms=2, rows=(row(3, 1),)))
    view = view.after(Standings(elapsed_ms=3, rows=(row(2, 2), row(0, 2))))
    assert [(line.seat, line.place) for line in view.rows] == [(3, 1), (0, 2), (2, 2), (1, None)]
    assert view.elapsed_ms == 3


def test_own_line_tells_that_time_was_up() -> None:
    """
    Nothing else tells a player that the server ended the attempt: no command is offered any more.
    """
    view = replace(View(player=BERT, seat=1, hand=hand(4)), seats=SEATS)
    others = view.after(Standings(elapsed_ms=9, rows=(row(0, 1, SOLVED), row(1, 2))))
    assert others.hand == hand(4)
    own = others.after(Standings(elapsed_ms=9, rows=(row(1, 2, "timed_out"),)))
    assert own.hand == Hand(ply=4, score=500, moves=4, progress=3, state="timed_out")
    solved = replace(view, hand=hand(4, SOLVED)).after(Standings(elapsed_ms=9, rows=(row(1, 1, SOLVED),)))
    assert solved.hand == hand(4, SOLVED)


def test_snapshot_replaces_all_but_who_one_is() -> None:
    """
    Nothing of before survives a snapshot, and the client's own id and name do.
    """
    before = View(player=ANNA, name="Anna", code="SS1-S1-AAAAABD", rows=(row(0, 1),), attempts={0: "a"}, hand=hand(3))
    told = Snapshot(room="ROOM", race="r2", phase=OPEN, options=Options(suits=2), seats=SEATS, seat=0)
    assert before.after(told) == View(
        player=ANNA, name="Anna", room="ROOM", race="r2", phase=OPEN, options=Options(suits=2), seats=SEATS, seat=0
    )


def test_words_are_the_servers() -> None:
    """
    Phases and states are spelt as the server and the engine spell them.
    """
    assert list(Phase) == [OPEN, COUNTDOWN, RUNNING, FINISHED]
    assert [State.PLAYING, State.SOLVED] == [PLAYING, SOLVED]
