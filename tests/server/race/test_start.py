"""What comes before play: options, ready marks, countdown, the deal; warm-ups, suits of one's own, rematches."""

import pytest
from msgspec.structs import replace

from server.app import read_pools
from server.log import Opening
from server.race.outcome import Audience, Outcome
from server.race.roster import ABSENT_MS
from server.race.said import Again, Command, Drop, Join
from server.race.start import COUNTDOWN_MS, WARM_UPS
from shared.phase import Phase
from shared.protocol import messages
from shared.protocol.messages import (
    Began,
    Cancel,
    ChooseSuits,
    Configure,
    Configured,
    Countdown,
    Done,
    Kick,
    Leave,
    Opened,
    Play,
    Played,
    Ready,
    Refused,
    Resign,
    Restart,
    Snapshot,
    Start,
    Undo,
    Warming,
    WarmUp,
    Watched,
)
from shared.protocol.values import Can, Options
from tests.server.racing import (
    ANNA,
    BERT,
    CARL,
    DORA,
    SHUTTLE,
    answer_to,
    attempt_of,
    began_ms,
    begin,
    begun,
    counting_race,
    entrant_of,
    open_race,
    race_in,
    reason,
    resigned,
    running_race,
    said,
)
from tests.server.telling import Told, gathering, playing

MINUTE_MS = 60_000
MIXED = Options(mixed=True)

# Options and ready marks


def test_options_clear_every_ready_mark() -> None:
    """
    Nobody starts a race that is another than they agreed to; the same options again are no change.
    """
    race = open_race(ANNA, BERT, CARL, ready=(BERT,))
    options = Options(game="freecell", goal="score")
    race, outcome = race.handle(ANNA, Configure(id=1, options=options), 0)
    assert outcome.to(Audience.ALL) == (Configured(options=options), race.told_roster())
    assert (race.options, race.roster.ready()) == (options, ())

    race = said(race, (BERT, Ready(ready=True)))
    again, outcome = race.handle(ANNA, Configure(id=2, options=options), 0)
    assert again == race
    assert outcome == Outcome.done(ANNA, 2)


def test_seats_that_are_taken_stay() -> None:
    """
    Fewer than are taken, be the player away, are refused with both numbers; just as many are not.
    """
    race = said(open_race(ANNA, BERT, CARL), (CARL, Drop()))
    after, outcome = race.handle(ANNA, Configure(options=Options(seats=2)), 2)
    assert after == race
    assert answer_to(outcome, ANNA) == Refused(id=0, reason="SEATS_TAKEN", params={"seats": 2, "taken": 3})
    assert said(race, (ANNA, Configure(options=Options(seats=3)))).options.seats == 3


def test_exact_code_says_game_and_suits() -> None:
    """
    However it was typed, the options tell it as it is written, and everyone knows the deal before the start.
    """
    race = open_race(ANNA)
    for text, game, suits, code in (
        ("ss1 s4 aaaaabd", "simple-simon", 4, "SS1-S4-AAAAABD"),
        ("#11982", "freecell", 4, "FC1-AAAALWO"),
    ):
        after, outcome = race.handle(ANNA, Configure(options=Options(code=text, suits=2)), 0)
        assert (after.options.game, after.options.suits, after.options.code) == (game, suits, code)
        assert outcome.to(Audience.ALL)[0] == Configured(options=after.options)


def test_host_starts_by_hand() -> None:
    """
    The host's word makes the own seat ready and begins the countdown with all who are; the others watch.
    """
    race = open_race(ANNA, BERT, CARL, ready=(BERT,))

    race, outcome = race.handle(ANNA, Start(id=1, countdown=1), 500)

    assert (race.phase, race.starters, race.zero_ms) == (Phase.COUNTDOWN, (ANNA, BERT), 500 + COUNTDOWN_MS)
    assert outcome.to(ANNA) == (Done(id=1),)
    assert outcome.to(Audience.ALL) == (
        race.told_roster(),
        Countdown(countdown=1, remaining_ms=COUNTDOWN_MS),
    )
    assert not outcome.writes
    assert [seat.ready for seat in race.roster.told()] == [True, True, False]


def test_all_ready_start_by_themselves() -> None:
    """
    Two or more present seats that are all ready need no host; one alone does.
    """
    alone = open_race(ANNA, ready=(ANNA,))
    assert alone.phase is Phase.OPEN

    race = open_race(ANNA, BERT, CARL, ready=(ANNA, CARL))
    assert race.phase is Phase.OPEN
    race, outcome = race.handle(BERT, Ready(id=1, ready=True), 0)
    assert (race.phase, race.starters) == (Phase.COUNTDOWN, (ANNA, BERT, CARL))
    assert outcome.to(Audience.ALL)[-1] == Countdown(countdown=1, remaining_ms=COUNTDOWN_MS)


def test_absent_seats_hold_nobody_up() -> None:
    """
    All present seats have to be ready: one whose player is gone has not.
    """
    race = said(open_race(ANNA, BERT, CARL, ready=(ANNA,)), (CARL, Drop()), (BERT, Ready(ready=True)))
    assert (race.phase, race.starters) == (Phase.COUNTDOWN, (ANNA, BERT))


@pytest.mark.parametrize(
    "going",
    [(CARL, Drop()), (CARL, Leave()), (ANNA, Kick(player=CARL))],
    ids=["drops", "leaves", "is kicked"],
)
def test_last_who_was_not_ready_holds_nobody_up_by_going(going: tuple[str, Command]) -> None:
    """
    All who are left are ready and two or more: the countdown begins for them, as if the last had got ready.
    """
    sender, command = going
    counting, outcome = open_race(ANNA, BERT, CARL, ready=(ANNA, BERT)).handle(sender, command, 0)
    assert (counting.phase, counting.starters) == (Phase.COUNTDOWN, (ANNA, BERT))
    assert outcome.to(Audience.ALL)[-1] == Countdown(countdown=1, remaining_ms=COUNTDOWN_MS)

    alone, _ = open_race(ANNA, CARL, ready=(ANNA,)).handle(sender, command, 0)
    assert alone.phase is Phase.OPEN
    waiting, _ = open_race(ANNA, BERT, CARL, DORA, ready=(ANNA, BERT)).handle(sender, command, 0)
    assert waiting.phase is Phase.OPEN


def test_going_undoes_no_cancel() -> None:
    """
    Where all were ready and the host has cancelled, one who goes does not begin it anew.
    """
    counting = open_race(ANNA, BERT, CARL, ready=(ANNA, BERT, CARL))
    race = said(counting, (ANNA, Cancel(countdown=1)), (CARL, Drop()))
    assert [place.ready for place in race.roster.places] == [False, True, False]
    assert race.phase is Phase.OPEN
    assert said(race, (ANNA, Ready(ready=True))).starters == (ANNA, BERT)


def test_cancelled_countdown_opens_the_race_again() -> None:
    """
    The host's own mark is cleared, the others' stay; the old Start, sent again, begins nothing, and the next countdown
    has another number.
    """
    race = counting_race(ANNA, BERT)
    race, outcome = race.handle(ANNA, Cancel(id=1, countdown=1), 100)
    assert outcome.to(Audience.ALL) == (Opened(countdown=1), race.told_roster())
    assert outcome.to(ANNA) == (Done(id=1),)
    assert (race.phase, race.starters, race.roster.ready()) == (Phase.OPEN, (), (BERT,))
    assert race.next_deadline is None

    assert reason(race.handle(ANNA, Start(countdown=1), 200)[1], ANNA) == "STALE_COUNTDOWN"
    again, outcome = race.handle(ANNA, Cancel(id=2, countdown=1), 200)
    assert (again, outcome) == (race, Outcome.done(ANNA, 2))
    race, _ = race.handle(ANNA, Start(countdown=2), 200)
    assert (race.phase, race.countdown, race.zero_ms) == (Phase.COUNTDOWN, 2, 200 + COUNTDOWN_MS)


def test_resent_ready_does_not_start_again() -> None:
    """
    After a cancelled countdown a mark that is sent again is no new word; the host's is.
    """
    race = said(counting_race(ANNA, BERT), (ANNA, Cancel(countdown=1)), (BERT, Ready(ready=True)))
    assert race.phase is Phase.OPEN
    assert said(race, (BERT, Ready(ready=False)), (BERT, Ready(ready=True))).phase is Phase.OPEN
    assert said(race, (ANNA, Ready(ready=True))).phase is Phase.COUNTDOWN


def test_marks_stay_over_a_start_that_came_to_nothing() -> None:
    """
    What could not be written begins once more when anyone says that they are ready, or when somebody goes.
    """
    race, _ = counting_race(ANNA, BERT, CARL).reopened()
    assert (race.phase, race.roster.ready()) == (Phase.OPEN, (ANNA, BERT, CARL))
    again, outcome = race.handle(BERT, Ready(id=7, ready=True), 5_000)
    assert (again.phase, again.starters) == (Phase.COUNTDOWN, (ANNA, BERT, CARL))
    assert (outcome.to(BERT), outcome.to(Audience.ALL)[-1]) == (
        (Done(id=7),),
        Countdown(countdown=2, remaining_ms=COUNTDOWN_MS),
    )
    assert again.handle(BERT, Ready(id=7, ready=True), 5_001) == (again, Outcome.done(BERT, 7))
    assert said(race, (CARL, Leave())).starters == (ANNA, BERT)


@pytest.mark.parametrize("back", [True, False])
def test_drop_in_the_countdown_clears_the_mark_in_the_end(*, back: bool) -> None:
    """
    A starter who dropped stays one, but if nothing comes of it is not ready any more, there again or not.
    """
    race = said(counting_race(ANNA, BERT, CARL), (BERT, Drop()), now_ms=10)
    race = said(race, (BERT, Join(name="Bert")), now_ms=20) if back else race
    race = said(race, (CARL, Join(name="Carl")), now_ms=30)  # a second tab
    assert (race.starters, race.roster.places[1].ready) == ((ANNA, BERT, CARL), True)
    opened, outcome = race.reopened()
    assert [place.ready for place in opened.roster.places] == [True, False, True]
    assert opened.told_roster() in outcome.to(Audience.ALL)


def test_lapse_of_the_last_who_was_not_ready_is_looked_at() -> None:
    """
    Whenever people change all who are present may be ready: after a start that came to nothing, at a lapse too.
    """
    race = said(open_race(ANNA, BERT, CARL), (CARL, Drop()), now_ms=0)
    race = said(race, (ANNA, Ready(ready=True)), (BERT, Ready(ready=True)), now_ms=ABSENT_MS - COUNTDOWN_MS)
    race, _ = race.reopened()
    after, outcome = race.tick(ABSENT_MS)
    assert (after.phase, after.starters) == (Phase.COUNTDOWN, (ANNA, BERT))
    assert isinstance(outcome.to(Audience.ALL)[-1], Countdown)


def test_resent_start_does_not_begin_anew() -> None:
    """
    The countdown goes on from where it is.
    """
    race = counting_race(ANNA, BERT)
    after, outcome = race.handle(ANNA, Start(id=2, countdown=1), 1_000)
    assert (after, outcome) == (race, Outcome.done(ANNA, 2))


# The end of the countdown


def test_all_starters_get_the_same_deal_at_once() -> None:
    """
    Code, table and hand go to all starters in one event; whoever watches hears that it runs, and no more.
    """
    race, outcome = begun(counting_race(ANNA, BERT, watching=(CARL,)), 35, COUNTDOWN_MS + 20)

    full, blind = outcome.to(Audience.STARTERS)[0], outcome.to(Audience.OTHERS)[0]
    assert isinstance(full, Began)
    assert full.code == "SS1-S1-AAAAABD"
    assert full.table is not None
    assert len(full.table.columns) == 10
    assert full.hand is not None
    assert (full.hand.ply, full.hand.score, full.hand.can) == (0, 500, Can(restart=True))
    assert blind == Began(race="race", limit_ms=15 * MINUTE_MS)
    assert len(outcome.letters) == 2
    assert attempt_of(race, ANNA).position == attempt_of(race, BERT).position


def test_start_is_written_with_its_attempts() -> None:
    """
    One batch has the race, an attempt for each starter, who had opened the number before, and row 0 of the log.
    """
    race = counting_race(ANNA, BERT, options=Options(suits=2, goal="score"))
    deal = replace(begin(race, 35), opened=frozenset({BERT}))
    race, outcome = race.handle("", deal, COUNTDOWN_MS)

    begun = outcome.begun
    assert begun is not None
    assert (begun.race, begun.room, begun.code, begun.suits, begun.number) == ("race", "ROOM", "SS1-S2-AAAAABD", 2, 35)
    assert begun.started == "2026-01-01T00:00:00.000Z"
    assert '"goal":"score"' in begun.options
    assert [(each.attempt, each.player, each.seat, each.practice) for each in begun.attempts] == [
        ("anna's", ANNA, 0, False),
        ("bert's", BERT, 1, True),
    ]
    assert [(row.race, row.seq, row.attempt, row.at_ms, row.entry) for row in outcome.log] == [
        ("race", 0, None, 0, "begin")
    ]


def test_number_that_a_participant_had_opened_ranks_for_nobody() -> None:
    """
    It is practice for those who had, and unranked for all.
    """
    race = counting_race(ANNA, BERT, CARL)
    for opened, practice, ranked in ((set(), [False] * 3, [True] * 3), ({BERT}, [False, True, False], [False] * 3)):
        deal = replace(begin(race, 35), opened=frozenset(opened))
        after, outcome = race.handle("", deal, COUNTDOWN_MS)
        assert outcome.begun is not None
        assert [each.practice for each in outcome.begun.attempts] == practice
        assert [each.ranked for each in outcome.begun.attempts] == ranked
        told = after.standings(COUNTDOWN_MS)
        assert told is not None
        assert [(row.practice, row.ranked) for row in told.rows] == list(zip(practice, ranked, strict=True))


def test_bots_do_not_rank_and_others_beside_them_do() -> None:
    """
    A bot says so when it comes; the attempt is written as a bot's.
    """
    race = said(open_race(ANNA), (BERT, Join(name="Bert", bot=True)), (BERT, Ready(ready=True)))
    race = said(race, (ANNA, Start(countdown=1)), now_ms=0)
    race, outcome = begun(race, 35, COUNTDOWN_MS)
    assert outcome.begun is not None
    assert [(each.bot, each.ranked) for each in outcome.begun.attempts] == [(False, True), (True, False)]


def test_bot_at_any_time_before_the_start_ranks_not() -> None:
    """
    Whoever comes back as a person was a bot in this race; in the next they are what they come as.
    """
    race = said(open_race(ANNA, BERT), (BERT, Drop()), (BERT, Join(name="Bert", bot=True)), (BERT, Drop()))
    race = said(race, (BERT, Join(name="Bert")), (BERT, Ready(ready=True)), (ANNA, Start(countdown=1)), now_ms=2)
    race, outcome = begun(race, 35, COUNTDOWN_MS + 2)
    assert outcome.begun is not None
    assert [(each.bot, each.ranked) for each in outcome.begun.attempts] == [(False, True), (True, False)]
    race = resigned(race, ANNA, BERT, at_ms=10)
    race = said(race, (ANNA, Again(race="race", next="next")), now_ms=10**6)
    assert [seat.bot for seat in race.roster.told()] == [False, False]


@pytest.mark.parametrize("back", [True, False])
def test_bot_at_any_time_of_the_race_ranks_not(*, back: bool) -> None:
    """
    It is in the log at once and in the result at the end; a restart in between forgets nothing.
    """
    told = playing(ANNA, BERT, number=35)
    assert [row.ranked for row in told.views[BERT].rows] == [True, True]
    told.say(BERT, Drop())
    told.say(BERT, Join(name="Bert", bot=True))
    assert told.rows[-1].entry == "bot bert"
    if back:
        told.say(BERT, Join(name="Bert"))
        told.say(BERT, Join(name="Bert", bot=True))
    assert [row.entry for row in told.rows].count("bot bert") == 1
    for player in (ANNA, BERT):
        entrant = entrant_of(told.restored(), player)
        assert (entrant.bot, entrant.ranked) == (player == BERT, player == ANNA)
    for player in (ANNA, BERT):
        told.say(player, Resign(ply=0))
    assert {row.seat: row.ranked for row in told.views[ANNA].rows} == {0: True, 1: False}
    assert {player: told.ended[f"{player}'s"].bot for player in (ANNA, BERT)} == {ANNA: False, BERT: True}


def test_exact_deal_is_known_and_unranked() -> None:
    """
    Began says that the deal was chosen; spectators are dealt nothing all the same.
    """
    race, outcome = begun(counting_race(ANNA, BERT, options=Options(code=SHUTTLE, suits=1)), 4, COUNTDOWN_MS)
    full, blind = outcome.to(Audience.STARTERS)[0], outcome.to(Audience.OTHERS)[0]
    assert isinstance(full, Began)
    assert (full.known, full.code) == (True, SHUTTLE)
    assert blind == Began(race="race", limit_ms=15 * MINUTE_MS, known=True)
    assert not any(entrant_of(race, player).ranked for player in (ANNA, BERT))


def test_countdown_without_starters_comes_to_nothing() -> None:
    """
    If no starter is connected at zero the race is OPEN again; that others are there does not matter.
    """
    race = said(counting_race(ANNA, BERT, watching=(CARL,)), (ANNA, Drop()), (BERT, Drop()), now_ms=10)

    opened, outcome = race.tick(COUNTDOWN_MS)
    assert (opened.phase, opened.starters) == (Phase.OPEN, ())
    assert outcome == Outcome(letters=outcome.letters)
    assert outcome.to(Audience.ALL) == (Opened(countdown=1), opened.told_roster())
    assert opened.roster.ready() == ()

    back, _ = race.handle(BERT, Join(name="Bert"), 20)
    assert back.tick(COUNTDOWN_MS)[1].draws


def test_absent_starter_starts_all_the_same() -> None:
    """
    Who dropped in the countdown has an attempt, and finds it on coming back; the log says when they came first.
    """
    race = said(counting_race(ANNA, BERT), (BERT, Drop()), now_ms=10)
    race, outcome = begun(race, 4, COUNTDOWN_MS)
    assert outcome.begun is not None
    assert len(outcome.begun.attempts) == 2
    assert [row.entry for row in outcome.log] == ["begin", "absent bert"]
    race, outcome = race.handle(BERT, Join(name="Bert"), COUNTDOWN_MS + 700)
    snapshot = outcome.to(BERT)[0]
    assert isinstance(snapshot, Snapshot)
    assert (snapshot.code, snapshot.elapsed_ms) == (SHUTTLE, 700)
    assert snapshot.hand is not None
    assert snapshot.hand.ply == 0
    assert [(row.seq, row.at_ms, row.entry) for row in outcome.log] == [(2, 700, "came bert")]
    again = said(race, (BERT, Drop()), now_ms=COUNTDOWN_MS + 800)
    assert not again.handle(BERT, Join(name="Bert"), COUNTDOWN_MS + 900)[1].log


# Warm-ups


def test_warm_up_is_played_by_the_same_commands() -> None:
    """
    A deal of one's own is laid; moves, undo and restart are answered as in a race, refusals too, and resends.
    """
    race, outcome = open_race(ANNA, BERT).handle(ANNA, WarmUp(id=1), 5)
    done, warming = outcome.to(ANNA)
    assert done == Done(id=1)
    assert isinstance(warming, Warming)
    assert len(warming.table.columns) == 10
    assert len(outcome.letters) == 2
    attempt = race.warm_ups[ANNA]
    move = str(attempt.rules.legal_moves(attempt.position)[0])
    for command in (Play(ply=0, move=move), Undo(ply=1), Restart(ply=2)):
        race, outcome = race.handle(ANNA, command, 6)
        assert isinstance(answer_to(outcome, ANNA), Played)
        assert len(outcome.letters) == 1
    after, outcome = race.handle(ANNA, Play(ply=0, move=move), 7)
    assert after == race
    assert isinstance(answer_to(outcome, ANNA), Played)
    assert reason(race.handle(ANNA, Play(ply=3, move="11"), 8)[1], ANNA) == "IDLE"
    assert reason(race.handle(BERT, Undo(ply=0), 8)[1], BERT) == "WRONG_PHASE"
    snapshot = race.snapshot(ANNA, 9)
    assert (snapshot.warming, snapshot.hand and snapshot.hand.ply, snapshot.code) == (True, 3, None)
    assert race.snapshot(BERT, 9).table is None


def test_warm_up_is_neither_stored_nor_opened() -> None:
    """
    Whatever is played there, nothing is written, and nobody else hears of it.
    """
    told = gathering(ANNA, BERT)
    told.say(ANNA, WarmUp())
    told.say(ANNA, Resign(ply=0))
    told.say(ANNA, WarmUp())
    assert (told.rows, told.begun, told.ended, told.opened) == ([], None, {}, set())
    assert not any(isinstance(event, Warming | Played) for player, event in told.heard if player == BERT)


def test_warm_ups_are_dealt_from_outside_the_pools() -> None:
    """
    Each is another deal, none can ever be drawn for a race, and each is of the race's game and the seat's own suits.
    """
    for pool in read_pools().values():
        assert not set(WARM_UPS) & {*pool.numbers, *(pool.rules.drawn or ())}
    race = said(open_race(ANNA, BERT, options=MIXED), (BERT, ChooseSuits(suits=4)))
    race = said(race, (ANNA, WarmUp()), (BERT, WarmUp()))
    anna, bert = race.warm_ups[ANNA].code, race.warm_ups[BERT].code
    assert (anna.suits, bert.suits) == (1, 4)
    assert anna.number != bert.number
    assert said(race, (ANNA, WarmUp())).warm_ups[ANNA].code.number not in (anna.number, bert.number)


@pytest.mark.parametrize("ending", [Start(countdown=1), Configure(options=Options(suits=4))])
def test_warm_ups_are_gone_at_the_countdown(ending: Start | Configure) -> None:
    """
    And when the options change, since they are of the race's game: every client's table is bare.
    """
    told = gathering(ANNA, BERT)
    for player in (ANNA, BERT):
        told.say(player, WarmUp())
        assert told.views[player].warming
    told.say(ANNA, ending)
    assert told.race.warm_ups == {}
    for player in (ANNA, BERT):
        view = told.views[player]
        assert (view.warming, view.table, view.hand, view.choices, view.joined) == (False, None, None, (), ())
    told.check_views()


def test_warm_up_goes_with_the_seat() -> None:
    """
    Who drops finds it again within the two minutes; who leaves has none any more.
    """
    race = said(open_race(ANNA, BERT), (BERT, WarmUp()))
    back = said(race, (BERT, Drop()), (BERT, Join(name="Bert")))
    assert back.snapshot(BERT, 1).warming
    assert said(race, (BERT, Leave())).warm_ups == {}
    assert said(race, (ANNA, Kick(player=BERT))).warm_ups == {}
    late, _ = said(race, (BERT, Drop())).tick(10**9)
    assert late.warm_ups == {}


# Mixed suits


def test_each_seat_chooses_its_own_suits() -> None:
    """
    On the same number each starter has an own code and table, who has not chosen the race's; marked, and unranked.
    """
    race = said(open_race(ANNA, BERT, CARL, options=MIXED), (BERT, ChooseSuits(id=3, suits=4)))
    assert [seat.suits for seat in race.roster.told()] == [None, 4, None]
    race = said(race, (BERT, Ready(ready=True)), (ANNA, Start(countdown=1)), now_ms=0)
    race, outcome = begun(race, 35, COUNTDOWN_MS)

    codes = {}
    for player in (ANNA, BERT):
        (began,) = outcome.to(player)
        assert isinstance(began, Began)
        codes[player] = began.code
    assert codes == {ANNA: "SS1-S1-AAAAABD", BERT: "SS1-S4-AAAAABD"}
    assert outcome.to(Audience.STARTERS) == ()
    assert outcome.to(Audience.OTHERS) == (Began(race="race", limit_ms=15 * MINUTE_MS),)
    assert outcome.begun is not None
    assert (outcome.begun.code, [each.suits for each in outcome.begun.attempts]) == ("SS1-S1-AAAAABD", [1, 4])
    told = race.standings(COUNTDOWN_MS)
    assert told is not None
    assert [(row.seat, row.suits, row.ranked) for row in told.rows] == [(0, 1, False), (1, 4, False)]


def test_choosing_suits_clears_the_own_ready_mark() -> None:
    """
    Sent again it clears nothing; a count that the game has not is refused, and spectators have none to choose.
    """
    race = open_race(ANNA, BERT, CARL, DORA, options=replace(MIXED, seats=3))
    race = said(race, (ANNA, Ready(ready=True)), (BERT, Ready(ready=True)), (BERT, ChooseSuits(suits=2)))
    assert race.roster.ready() == (ANNA,)
    race = said(race, (BERT, Ready(ready=True)))
    assert race.handle(BERT, ChooseSuits(id=5, suits=2), 3) == (race, Outcome.done(BERT, 5))
    assert reason(race.handle(BERT, ChooseSuits(suits=3), 3)[1], BERT) == "CODE_SUITS"
    assert reason(race.handle(DORA, ChooseSuits(suits=2), 3)[1], DORA) == "NO_SEAT"


def test_other_options_forget_the_suits_that_were_chosen() -> None:
    """
    What was chosen for one game may be none of another's: the countdown would end without a deal.
    """
    race = said(open_race(ANNA, options=MIXED), (ANNA, ChooseSuits(suits=2)))
    race = said(race, (ANNA, Configure(options=replace(MIXED, game="freecell"))), (ANNA, Start(countdown=1)), now_ms=0)
    race, _ = begun(race, 35, COUNTDOWN_MS)
    assert str(attempt_of(race, ANNA).code) == "FC1-AAAAABD"


# A live room


def test_spectators_of_a_live_room_see_the_deal_from_the_start() -> None:
    """
    They open its number by that, which is written with the start; those who play see their own.
    """
    told = playing(ANNA, BERT, options=Options(view="live", seats=2), watching=(CARL,))
    assert told.opened == {(player, "simple-simon", 4) for player in (ANNA, BERT, CARL)}
    assert told.views[CARL].seen.keys() == {0, 1}
    assert told.views[CARL].code == SHUTTLE
    assert (told.views[ANNA].seen, told.views[BERT].seen) == ({}, {})
    assert [player for player, event in told.heard if isinstance(event, Watched)] == [CARL, CARL]
    told.check_views()


def test_openings_of_a_start_are_those_who_are_there() -> None:
    """
    Seats that do not start see the tables as spectators do; who is away sees nothing and opens nothing.
    """
    race = counting_race(ANNA, watching=(BERT, CARL), options=Options(view="live"))
    race = said(race, (CARL, Drop()))
    _, outcome = begun(race, 4, COUNTDOWN_MS)
    assert outcome.opened == (Opening(BERT, "simple-simon", 4, "2026-01-01T00:00:00.000Z"),)


# Rematch


def test_rematch_opens_the_next_race_for_who_is_here() -> None:
    """
    Present participants keep their seats, spectators get those of who is not, and everyone has a new snapshot.
    """
    race = said(race_in(Phase.FINISHED), (BERT, Drop()))
    race, outcome = race.handle(CARL, Again(id=7, race="race", next="next"), 9)

    assert (race.id, race.phase, race.run, race.starters) == ("next", Phase.OPEN, None, ())
    assert [(place.player, place.ready) for place in race.roster.places] == [
        (ANNA, False),
        (CARL, False),
        (DORA, False),
    ]
    assert race.roster.host == ANNA
    assert outcome.to(CARL)[0] == Done(id=7)
    for player in (ANNA, CARL, DORA):
        assert outcome.to(player)[-1] == race.snapshot(player, 9)
    assert not outcome.to(BERT)


def test_rematch_takes_spectators_only_as_there_are_seats() -> None:
    """
    Participants come first, then who has watched longest; the host's seat goes if the host is not there.
    """
    race = said(race_in(Phase.FINISHED), ("zoe", Join(name="Zoe")))
    full = said(race, (ANNA, Again(race="race", next="next")))
    assert [place.player for place in full.roster.places] == [ANNA, BERT, CARL]
    assert [place.player for place in full.roster.watchers] == [DORA, "zoe"]
    one = said(race, (ANNA, Drop()), (BERT, Again(race="race", next="next")))
    assert [place.player for place in one.roster.places] == [BERT, CARL, DORA]
    assert (one.roster.host, [place.player for place in one.roster.watchers]) == (BERT, ["zoe"])


def test_spectators_may_go_on_when_no_participant_is_left() -> None:
    """
    Else they would sit in a finished race for ever.
    """
    race = race_in(Phase.FINISHED)
    assert reason(race.handle(DORA, Again(race="race", next="next"), 1)[1], DORA) == "NO_SEAT"
    race = said(race, (ANNA, Leave()), (BERT, Leave()), (CARL, Drop()), (DORA, Again(race="race", next="next")))
    assert (race.id, race.roster.host) == ("next", DORA)


def test_rematch_sent_again_or_by_two_opens_one_race() -> None:
    """
    It names the race it follows: whoever comes second is answered as done, in whatever phase the next one is by then.
    """
    race = said(race_in(Phase.FINISHED), (ANNA, Again(race="race", next="next")))
    for command in (Start(countdown=2), None):
        after, outcome = race.handle(BERT, Again(id=4, race="race", next="third"), 9)
        assert (after, outcome) == (race, Outcome.done(BERT, 4))
        race = said(race, (ANNA, command)) if command else race
    assert reason(race.handle(BERT, Again(race="next", next="third"), 9)[1], BERT) == "WRONG_PHASE"


def test_rematch_begins_with_nothing_of_the_race_before() -> None:
    """
    Its log, its standings and its attempts are its own; countdowns count on, so that an old Start begins nothing.
    """
    told = playing(ANNA, BERT)
    for player in (BERT, ANNA):
        told.say(player, Resign(ply=0))
    told.say(ANNA, Again(race="r1", next="r2"))
    told.check_views()
    assert isinstance(told.say(ANNA, Start(countdown=1)), messages.Refused)
    told.say(BERT, Ready(ready=True))
    told.say(ANNA, Start(countdown=2))
    told.wait(COUNTDOWN_MS)
    assert (told.race.phase, told.race.begun().race, [row.race for row in told.rows]) == (Phase.RUNNING, "r2", ["r2"])
    assert [(row.state, row.moves) for row in told.views[ANNA].rows] == [("playing", 0)] * 2
    told.check_views()


def test_new_race_has_no_seat_for_who_was_cut_off() -> None:
    """
    A seat is kept until its race ends, not for the next one.
    """
    race = running_race(SHUTTLE, ANNA, BERT)
    race = said(race, (BERT, Drop()), (ANNA, Resign(ply=0)), now_ms=began_ms(race) + 1)
    race, _ = race.tick(10**9)
    assert race.phase is Phase.FINISHED
    race = said(race, (ANNA, Again(race="race", next="next")), now_ms=10**9)
    assert [place.player for place in race.roster.places] == [ANNA]


def test_views_follow_a_room_told_by_hand() -> None:
    """
    Suits chosen, a host handed over, a room locked: old snapshot + events = new snapshot at each step.
    """
    told = Told(MIXED)
    for player in (ANNA, BERT):
        told.say(player, Join(name=player.title()))
    for player, command in (
        (BERT, ChooseSuits(suits=4)),
        (ANNA, messages.Lock(locked=True)),
        (ANNA, messages.HandOver(player=BERT)),
        (BERT, messages.Lock(locked=False)),
    ):
        assert isinstance(told.say(player, command), Done)
        told.check_views()
    assert told.views[BERT].host
