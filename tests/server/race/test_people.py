"""Who comes and goes in a race, and the host's powers over people."""

import pytest

from server.race.outcome import Audience, Outcome
from server.race.race import Race
from server.race.roster import ABSENT_MS, HOSTLESS_MS
from server.race.said import Again, Command, Drop, Forgotten, Join, Renamed
from server.race.start import COUNTDOWN_MS
from shared.attempt import State
from shared.errors import Reason
from shared.phase import Phase
from shared.protocol import messages
from shared.protocol.messages import (
    Cancel,
    Close,
    Done,
    Finished,
    HandOver,
    Kick,
    Leave,
    Lock,
    Play,
    Played,
    Resign,
    Roster,
    Snapshot,
    Start,
)
from shared.protocol.values import Options, Seat, Watcher
from shared.record import Record
from tests.server.racing import (
    ANNA,
    BERT,
    CARL,
    DORA,
    SHUTTLE,
    answer_to,
    attempt_of,
    began_ms,
    begun,
    counting_race,
    open_race,
    race_in,
    reason,
    run_of,
    running_race,
    said,
)
from tests.server.telling import playing


def seated(race: Race) -> list[str]:
    """Return who has a seat, by seat."""
    return [place.player for place in race.roster.places]


def watching(race: Race) -> list[str]:
    """Return who watches."""
    return [place.player for place in race.roster.watchers]


# Other names, and none


def stamp(phase: Phase) -> int:
    """Return a moment at which a race in *phase* is there still."""
    return 1_000 if phase is Phase.COUNTDOWN else 9_000


@pytest.mark.parametrize("phase", Phase)
def test_name_is_another_in_every_phase(phase: Phase) -> None:
    """
    Everyone is told, participants and spectators alike have theirs; who starts has it in the record too.
    """
    race = race_in(phase)
    for player in (ANNA, DORA):
        race, outcome = race.handle(player, Renamed(name=f"New {player}"), stamp(phase))
        assert outcome.to(Audience.ALL)[-1] == race.told_roster()
    told = race.told_roster()
    assert [seat.name for seat in told.seats][:3] == ["New anna", "Bert", "Carl"]
    assert "New dora" in [seat.name for seat in told.seats] + [watcher.name for watcher in told.watchers]
    if race.run:
        assert [each.name for each in race.run.entrants.values()] == ["New anna", "Bert"]


def test_nobody_becomes_a_twin_by_another_name() -> None:
    """
    Who has come with it in the meantime keeps it, and so does the other; of someone who is not here nothing is told.
    """
    race = open_race(ANNA, BERT)
    assert race.handle(ANNA, Renamed(name="BERT"), 1) == (race, Outcome())
    assert race.handle(CARL, Renamed(name="Karl"), 1) == (race, Outcome())
    assert race.handle(CARL, Forgotten(name="nobody"), 1) == (race, Outcome())


@pytest.mark.parametrize("phase", Phase)
def test_forgotten_player_leaves_no_name(phase: Phase) -> None:
    """
    A seat goes where that may be; where seats are fixed it stays, absent, and two may stand there under one name.
    """
    race = race_in(phase)
    for player in (BERT, CARL):
        race, _ = race.handle(player, Forgotten(name="former player"), stamp(phase))
    places = [(place.name, place.connected) for place in race.roster.places]
    gone = ("former player", False)
    left = {Phase.OPEN: [("Dora", True)], Phase.COUNTDOWN: []}.get(phase, [gone, gone])
    assert places == [("Anna", True), *left]
    assert BERT not in race.starters or phase in (Phase.RUNNING, Phase.FINISHED)


def test_forgotten_player_who_plays_resigns_under_no_name() -> None:
    """
    The race may have begun while they were being deleted.
    """
    race, outcome = race_in(Phase.RUNNING).handle(ANNA, Forgotten(name="former player"), 9_000)
    (ended,) = outcome.ended
    assert (ended.state, Record.unpack(ended.record).player) == (State.RESIGNED, "former player")
    assert (race.roster.host, race.phase) == (BERT, Phase.RUNNING)
    assert not outcome.to(ANNA)


# Seats


def test_first_to_come_is_host_and_seats_are_numbered() -> None:
    """
    Who comes hears the whole room, then everyone hears who is there.
    """
    race, _ = Race(id="race", room="ROOM").handle(ANNA, Join(name="Anna"), 0)
    race, outcome = race.handle(BERT, Join(name="Bert", bot=True), 0)

    seats = (
        Seat(seat=0, player=ANNA, name="Anna", host=True),
        Seat(seat=1, player=BERT, name="Bert", bot=True),
    )
    snapshot, roster = (letter.event for letter in outcome.letters)
    assert snapshot == Snapshot(room="ROOM", race="race", phase="open", options=Options(), seats=seats, seat=1)
    assert roster == Roster(seats=seats)
    assert [letter.to for letter in outcome.letters] == [BERT, Audience.ALL]


def test_who_finds_no_seat_watches() -> None:
    """
    When the seats are taken, or the countdown has begun, newcomers watch, and are forgotten when they go.
    """
    full = open_race(ANNA, BERT, options=Options(seats=2))
    for race in (full, counting_race(ANNA, BERT), running_race(SHUTTLE, ANNA, BERT)):
        after, outcome = race.handle(DORA, Join(name="Dora"), 0)
        assert (seated(after), watching(after)) == ([ANNA, BERT], [DORA])
        (snapshot,) = outcome.to(DORA)
        assert isinstance(snapshot, Snapshot)
        assert (snapshot.seat, snapshot.hand, snapshot.table) == (None, None, None)
        (roster,) = outcome.to(Audience.ALL)
        assert isinstance(roster, Roster)
        assert snapshot.watchers == roster.watchers == (Watcher(player=DORA, name="Dora"),)
        gone, outcome = after.handle(DORA, Drop(), 0)
        assert gone == race
        assert outcome.to(Audience.ALL) == (race.told_roster(),)


def test_seat_that_is_free_goes_to_who_has_watched_longest() -> None:
    """
    While the race is OPEN nobody has to watch who could play: not when a seat is left, nor when there are more, nor
    when the countdown, in which they came, comes to nothing.
    """
    race = open_race(ANNA, BERT, CARL, DORA, options=Options(seats=2))
    assert (seated(race), watching(race)) == ([ANNA, BERT], [CARL, DORA])
    left, outcome = race.handle(ANNA, Leave(), 1)
    assert (seated(left), watching(left)) == ([BERT, CARL], [DORA])
    assert outcome.to(Audience.ALL) == (left.told_roster(),)
    more = said(race, (ANNA, messages.Configure(options=Options(seats=3))))
    assert (seated(more), watching(more)) == ([ANNA, BERT, CARL], [DORA])

    counting = said(counting_race(ANNA, BERT), (CARL, Join(name="Carl")))
    assert watching(counting) == [CARL]
    opened, outcome = counting.handle(ANNA, Cancel(countdown=1), 2)
    assert (seated(opened), watching(opened)) == ([ANNA, BERT, CARL], [])
    assert outcome.to(Audience.ALL) == (messages.Opened(countdown=1), opened.told_roster())


@pytest.mark.parametrize("phase", Phase)
def test_seat_is_kept_for_who_drops(phase: Phase) -> None:
    """
    A drop is not a leave: who comes back sits where they sat, in every phase, under the name that they have now.
    """
    race = race_in(phase)
    dropped, outcome = race.handle(BERT, Drop(), COUNTDOWN_MS - 1)
    assert outcome.to(Audience.ALL) == (dropped.told_roster(),)
    assert [seat.connected for seat in dropped.roster.told()] == [True, False, True]

    back, outcome = dropped.handle(BERT, Join(name="Robert"), COUNTDOWN_MS - 1)

    assert [(seat.seat, seat.name, seat.connected) for seat in back.roster.told()][1] == (1, "Robert", True)
    assert outcome.to(BERT) == (back.snapshot(BERT, COUNTDOWN_MS - 1),)


def test_absent_seat_is_kept_two_minutes_while_open() -> None:
    """
    Then it is gone, and all are told; who comes back a millisecond earlier has it still.
    """
    race = said(open_race(ANNA, BERT, CARL), (BERT, Drop()), now_ms=1_000)
    assert race.next_deadline == 1_000 + ABSENT_MS
    back = said(race, (BERT, Join(name="Bert")), now_ms=999 + ABSENT_MS)
    assert (seated(back), back.next_deadline) == ([ANNA, BERT, CARL], None)

    gone, outcome = race.tick(1_000 + ABSENT_MS)

    assert seated(gone) == [ANNA, CARL]
    assert outcome.to(Audience.ALL) == (gone.told_roster(),)
    assert gone.next_deadline is None
    late = said(race, (BERT, Join(name="Bert")), now_ms=1_000 + ABSENT_MS)
    assert seated(late) == [ANNA, CARL, BERT]


@pytest.mark.parametrize("phase", [Phase.RUNNING, Phase.FINISHED])
def test_seats_stay_as_long_as_standings_name_them(phase: Phase) -> None:
    """
    From the countdown to a rematch no number of a seat changes hands, whoever drops for hours, leaves or is kicked.
    """
    race = said(race_in(phase), (ANNA, HandOver(player=CARL)), (BERT, Drop()))
    race = said(race, (ANNA, Leave()), (CARL, Kick(player=BERT)))
    race, _ = race.tick(10**9)
    assert seated(race) == [ANNA, BERT, CARL]


def test_drop_clears_the_ready_mark() -> None:
    """
    Nobody starts who is not there: in OPEN the mark goes with the connection, later the starters are fixed.
    """
    race = said(open_race(ANNA, BERT, ready=(BERT,)), (BERT, Drop()), (BERT, Join(name="Bert")))
    assert race.roster.ready() == ()

    counting = said(counting_race(ANNA, BERT), (BERT, Drop()))
    assert counting.starters == (ANNA, BERT)
    assert counting.roster.places[1].ready


def test_twin_of_a_name_is_not_let_in() -> None:
    """
    Names that look alike are one, whoever has them is here or has a seat to come back to; a name is free again after.
    """
    race = said(open_race(ANNA, CARL, options=Options(seats=1)), (ANNA, Drop()))
    for name in ("anna", "\N{FULLWIDTH LATIN CAPITAL LETTER A}nna", "CARL"):
        after, outcome = race.handle(DORA, Join(name=name), 2)
        assert (after, outcome) == (race, Outcome(closes=((DORA, Reason.TWIN_NAME),)))
    free = said(race, (CARL, Drop()), (DORA, Join(name="carl")), now_ms=2)
    assert watching(free) == [DORA]


def test_nobody_becomes_a_twin_by_a_new_name() -> None:
    """
    Who has a seat is let in under any name; if another has taken it they keep the one they had.
    """
    race = said(open_race(ANNA, BERT), (BERT, Drop()), (BERT, Join(name="ANNA")))
    assert [place.name for place in race.roster.places] == ["Anna", "Bert"]
    race = said(race, (BERT, Join(name="bert")))
    assert [place.name for place in race.roster.places] == ["Anna", "bert"]


# The host


def test_host_who_dropped_is_followed_after_15_seconds() -> None:
    """
    By the longest-present connected participant; who comes back in time is host still.
    """
    race = said(open_race(ANNA, BERT, CARL), (BERT, Drop()), (BERT, Join(name="Bert")), now_ms=500)
    race = said(race, (ANNA, Drop()), now_ms=1_000)
    assert race.next_deadline == 1_000 + HOSTLESS_MS
    back = said(race, (ANNA, Join(name="Anna")), now_ms=999 + HOSTLESS_MS)
    assert (back.roster.host, back.next_deadline) == (ANNA, None)

    after, outcome = race.tick(1_000 + HOSTLESS_MS)

    assert after.roster.host == CARL  # Bert has been here only since he came back
    assert outcome.to(Audience.ALL) == (after.told_roster(),)
    late = said(after, (ANNA, Join(name="Anna")), now_ms=2_000 + HOSTLESS_MS)
    assert late.roster.host == CARL


def test_host_who_is_alone_stays_host_until_another_comes() -> None:
    """
    With nobody present there is nobody to follow; the first who comes after the 15 seconds is host at once.
    """
    race = said(open_race(ANNA, BERT), (BERT, Drop()), (ANNA, Drop()))
    assert race.next_deadline == 1 + ABSENT_MS
    race = said(race, (BERT, Join(name="Bert")), now_ms=60_000)
    assert race.roster.host == ANNA
    race, _ = race.tick(60_000)
    assert race.roster.host == BERT


@pytest.mark.parametrize("phase", Phase)
def test_host_who_leaves_is_followed_at_once(phase: Phase) -> None:
    """
    In every phase the next one's word counts from that moment, and the old one's does no longer.
    """
    race = said(race_in(phase), (ANNA, Leave()), now_ms=COUNTDOWN_MS - 1)
    assert race.roster.host == BERT
    assert reason(race.handle(ANNA, Lock(locked=True), COUNTDOWN_MS - 1)[1], ANNA) == "NOT_HOST"
    assert answer_to(race.handle(BERT, Lock(locked=True), COUNTDOWN_MS - 1)[1], BERT) == Done()


def test_host_hands_over_to_a_connected_participant() -> None:
    """
    Not to one who is away, nor to a spectator; whoever gets it may start.
    """
    race = said(open_race(ANNA, BERT, CARL, DORA, options=Options(seats=3)), (CARL, Drop()))
    for player in (CARL, DORA, "zoe"):
        assert reason(race.handle(ANNA, HandOver(player=player), 2)[1], ANNA) == "NOT_HERE"
    race, outcome = race.handle(ANNA, HandOver(id=4, player=BERT), 2)
    assert outcome.to(ANNA) == (Done(id=4),)
    assert outcome.to(Audience.ALL) == (race.told_roster(),)
    assert [seat.host for seat in race.roster.told()] == [False, True, False]
    assert said(race, (BERT, Start(countdown=1))).starters == (BERT,)


def test_only_who_handed_over_may_say_so_again() -> None:
    """
    To others it is the host's word still, even where it would change nothing; nor is it after the next handing over.
    """
    race = said(open_race(ANNA, BERT, CARL), (ANNA, HandOver(player=BERT)))
    for player in (ANNA, BERT):
        assert race.handle(player, HandOver(id=4, player=BERT), 2) == (race, Outcome.done(player, 4))
    assert reason(race.handle(CARL, HandOver(player=BERT), 2)[1], CARL) == "NOT_HOST"
    assert reason(race.handle(DORA, HandOver(player=BERT), 2)[1], DORA) == "NOT_HOST"
    race = said(race, (BERT, HandOver(player=CARL)))
    assert reason(race.handle(ANNA, HandOver(player=BERT), 2)[1], ANNA) == "NOT_HOST"
    assert reason(race.handle(ANNA, HandOver(player=CARL), 2)[1], ANNA) == "NOT_HOST"
    inherited = said(race, (CARL, Leave()))
    assert inherited.roster.host == ANNA
    assert reason(inherited.handle(BERT, HandOver(player=ANNA), 2)[1], BERT) == "NOT_HOST"


# Leaving


def test_leaving_an_open_race_frees_the_seat() -> None:
    """
    Whoever sits behind moves up, all are told, and the connection ends with a code of its own.
    """
    race, outcome = open_race(ANNA, BERT, CARL).handle(BERT, Leave(id=3), 1)
    assert seated(race) == [ANNA, CARL]
    assert outcome.to(BERT) == (Done(id=3),)
    assert outcome.to(Audience.ALL) == (race.told_roster(),)
    assert outcome.closes == ((BERT, Reason.LEFT),)
    assert not outcome.writes


def test_leaving_the_countdown_takes_no_attempt() -> None:
    """
    The others start without; when nobody is left to start the race is OPEN again.
    """
    race, _ = counting_race(ANNA, BERT, watching=(CARL,)).handle(BERT, Leave(), 10)
    assert (race.phase, race.starters) == (Phase.COUNTDOWN, (ANNA,))
    race, outcome = race.handle(ANNA, Leave(), 20)
    assert (race.phase, race.starters, race.roster.host) == (Phase.OPEN, (), CARL)
    assert messages.Opened(countdown=1) in outcome.to(Audience.ALL)


@pytest.mark.parametrize("goes", [(BERT, Leave()), (ANNA, Kick(player=BERT))], ids=["leaves", "is kicked"])
def test_who_goes_in_the_countdown_gives_the_seat_up(goes: tuple[str, Command]) -> None:
    """
    At once: whoever sits behind moves up and starts, and a spectator takes what is free if the race is OPEN again.
    """
    race = counting_race(ANNA, BERT, CARL, watching=(DORA,), options=Options(seats=3))
    race = said(race, goes, now_ms=10)
    assert (race.phase, race.starters, seated(race)) == (Phase.COUNTDOWN, (ANNA, CARL), [ANNA, CARL])
    opened = said(race, (ANNA, Cancel(countdown=1)), now_ms=20)
    assert (opened.phase, seated(opened), watching(opened)) == (Phase.OPEN, [ANNA, CARL, DORA], [])
    running, _ = begun(race, 4, COUNTDOWN_MS)
    assert [(entrant.player, entrant.seat) for entrant in run_of(running).entrants.values()] == [(ANNA, 0), (CARL, 1)]


def test_leaving_while_playing_is_resigning() -> None:
    """
    The attempt ends at that moment and is written; the last to leave ends the race. Who comes back finds it over.
    """
    race = running_race(SHUTTLE, ANNA, BERT)
    race, outcome = race.handle(BERT, Leave(id=5), began_ms(race) + 400)
    assert [(row.attempt, row.at_ms, row.entry) for row in outcome.log] == [("bert's", 400, "resign")]
    assert [(ended.attempt, ended.state, ended.elapsed_ms) for ended in outcome.ended] == [
        ("bert's", State.RESIGNED, 400)
    ]
    assert outcome.to(BERT) == (Done(id=5),)
    assert outcome.closes == ((BERT, Reason.LEFT),)
    back = said(race, (BERT, Join(name="Bert")), now_ms=began_ms(race) + 500)
    assert reason(back.handle(BERT, Play(ply=1, move="02"), began_ms(race) + 501)[1], BERT) == "NOT_PLAYING"

    race, outcome = race.handle(ANNA, Leave(), began_ms(race) + 600)
    assert race.phase is Phase.FINISHED
    assert isinstance(outcome.to(Audience.ALL)[-1], Finished)
    assert outcome.finished is not None


def test_spectator_who_leaves_is_forgotten() -> None:
    """
    They end nothing but their connection.
    """
    race = race_in(Phase.RUNNING)
    after, outcome = race.handle(DORA, Leave(), began_ms(race) + 1)
    assert watching(after) == []
    assert (after.run, outcome.writes, outcome.closes) == (race.run, False, ((DORA, Reason.LEFT),))


# Kicked


@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize("player", [BERT, CARL, DORA])
def test_kicked_player_is_barred_for_the_rooms_life(phase: Phase, player: str) -> None:
    """
    The connection ends with a code of its own, the others are told, and neither that race nor a rematch lets the
    player in again; only an attempt under way is left.
    """
    plays = phase is Phase.RUNNING and player == BERT
    race, outcome = race_in(phase).handle(ANNA, Kick(id=8, player=player), COUNTDOWN_MS - 1)

    assert outcome.to(ANNA) == (Done(id=8),)
    assert race.told_roster() in outcome.to(Audience.ALL)
    assert outcome.closes == (() if plays else ((player, Reason.KICKED),))
    assert player not in [place.player for place in (*race.roster.present(), *race.roster.watchers)]
    if plays:
        return
    assert race.handle(player, Join(name="Other"), COUNTDOWN_MS - 1)[1].closes == ((player, Reason.KICKED),)
    if phase is Phase.FINISHED:
        rematch = said(race, (ANNA, Again(race="race", next="next")))
        assert player not in seated(rematch)
        assert rematch.handle(player, Join(name="Other"), 1)[1].closes == ((player, Reason.KICKED),)


def test_kick_is_logged_while_the_race_runs() -> None:
    """
    As an entry of the race's own.
    """
    race = race_in(Phase.RUNNING)
    race, outcome = race.handle(ANNA, Kick(player=DORA), began_ms(race) + 700)
    assert [(row.seq, row.attempt, row.at_ms, row.entry) for row in outcome.log] == [(2, None, 700, "kick dora")]


def test_kicked_player_keeps_the_attempt_and_nothing_else() -> None:
    """
    They hear no more of the room than their own answers, whether they stay connected or come back; they hold no
    power over it, and are out when the attempt is over.
    """
    told = playing(ANNA, BERT, CARL)
    told.say(ANNA, Play(ply=0, move="02"))
    told.say(ANNA, Kick(player=BERT))
    view = told.views[BERT]
    assert (view.seats, view.watchers, view.rows, view.playing) == ((), (), (), True)
    told.heard.clear()
    told.say(DORA, Join(name="Dora"))
    told.say(ANNA, Play(ply=1, move="20"))
    assert BERT not in [player for player, _ in told.heard]
    told.say(BERT, Play(ply=0, move="02"))
    assert [type(event) for player, event in told.heard if player == BERT] == [Played, messages.Choices]

    told.say(BERT, Drop())
    told.say(BERT, Join(name="Bert"))
    told.check_views()
    assert (told.views[BERT].seats, told.views[BERT].rows, told.views[BERT].ply) == ((), (), 1)
    told.say(ANNA, Leave())
    assert told.race.roster.host == CARL
    answer = told.say(CARL, HandOver(player=BERT))
    assert isinstance(answer, messages.Refused)
    told.say(BERT, Resign(ply=1))
    assert told.closed[BERT] is Reason.KICKED
    told.say(BERT, Join(name="Bert"))
    assert BERT not in told.views


def test_kicked_player_is_out_when_time_is_up() -> None:
    """
    Then too the attempt was theirs to the end, and its result counts.
    """
    told = playing(ANNA, BERT, options=Options(limit_ms=10_000))
    told.say(BERT, Play(ply=0, move="02"))
    told.say(ANNA, Kick(player=BERT))
    told.wait(10_000)
    assert told.race.phase is Phase.FINISHED
    assert told.closed == {BERT: Reason.KICKED}
    assert [(row.seat, row.place, row.state) for row in told.views[ANNA].rows] == [
        (1, 1, "timed_out"),
        (0, None, "timed_out"),
    ]


def test_kicked_player_comes_back_to_a_running_attempt_only() -> None:
    """
    A seat without an attempt, or one whose attempt is over, is no way in.
    """
    race = running_race(SHUTTLE, ANNA, BERT, watching=(CARL,))
    race, _ = race.handle(BERT, Resign(ply=0), began_ms(race) + 1)
    for player in (BERT, CARL):
        race, _ = race.handle(ANNA, Kick(player=player), began_ms(race) + 2)
        assert race.handle(player, Join(name="Other"), began_ms(race) + 3)[1].closes == ((player, Reason.KICKED),)
    assert attempt_of(race, ANNA).state is State.PLAYING


# Lock and close


@pytest.mark.parametrize("phase", Phase)
def test_locked_room_lets_in_whom_it_knows(phase: Phase) -> None:
    """
    A seat is a right to come back, a name is not; everyone sees the lock, and it goes off again.
    """
    race, outcome = said(race_in(phase), (BERT, Drop())).handle(ANNA, Lock(id=2, locked=True), 1)
    assert outcome.to(ANNA) == (Done(id=2),)
    (roster,) = outcome.to(Audience.ALL)
    assert isinstance(roster, Roster)
    assert roster.locked
    assert race.snapshot(CARL, 1).locked
    assert race.handle("zoe", Join(name="Zoe"), 1) == (race, Outcome(closes=(("zoe", Reason.ROOM_LOCKED),)))
    assert not race.handle(BERT, Join(name="Bert"), 1)[1].closes
    assert not race.handle(DORA, Join(name="Dora"), 1)[1].closes
    open_to_all = said(race, (ANNA, Lock(locked=False)))
    assert not open_to_all.handle("zoe", Join(name="Zoe"), 1)[1].closes


def test_closing_ends_every_connection() -> None:
    """
    Participants and spectators are told that the room is closed; the host has an answer first.
    """
    _, outcome = race_in(Phase.OPEN).handle(ANNA, Close(id=6), 1)
    assert outcome.to(ANNA) == (Done(id=6),)
    assert outcome.shuts
    assert dict(outcome.closes) == dict.fromkeys((ANNA, BERT, CARL, DORA), Reason.ROOM_CLOSED)


def test_room_is_not_closed_while_anyone_plays() -> None:
    """
    Be it one who is away.
    """
    race = running_race(SHUTTLE, ANNA, BERT)
    race = said(race, (ANNA, Resign(ply=0)), (BERT, Drop()), now_ms=began_ms(race) + 9)
    assert reason(race.handle(ANNA, Close(), began_ms(race) + 10)[1], ANNA) == "SOMEONE_PLAYS"
