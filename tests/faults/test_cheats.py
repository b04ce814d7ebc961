"""Cheats: each tries one hole that DESIGN.md's section 5 closes, over real sockets, and gains nothing."""

from http import HTTPStatus
from pathlib import Path

import pytest

from client.assets import solved_codes, winning_line
from server.race.start import COUNTDOWN_MS
from server.storage.reader import Reader
from shared.errors import Reason
from shared.gamecode import GameCode
from shared.phase import Phase
from shared.protocol.closing import CloseCode
from shared.protocol.codec import MsgpackCodec
from shared.protocol.messages import (
    Configure,
    Done,
    Finished,
    Hello,
    Kick,
    Play,
    Played,
    Ready,
    Refused,
    Rematch,
    Resign,
    Restart,
    Start,
    Undo,
)
from shared.protocol.values import Options, Standing
from tests.server.racing import SHUTTLE
from tests.server.serving import ask
from tests.server.visiting import Serving, Visitor, serving

DAY_MS = 86_400_000
LIMIT_MS = 60_000


def row_of(finished: Finished, visitor: Visitor) -> Standing:
    """Return a player's line of the result."""
    return next(row for row in finished.rows if row.seat == visitor.view.seat)


async def finish(*players: Visitor) -> Finished:
    """Have whoever still plays resign; return the result."""
    for player in players:
        if player.view.playing:
            assert isinstance(await player.ask(Resign(ply=0)), Played)
    return await players[0].hears(Finished)


async def again(here: Serving, host: Visitor, *guests: Visitor) -> None:
    """Race once more in the same room."""
    assert isinstance(await host.ask(Rematch(race=host.view.race)), Done)
    for guest in guests:
        await guest.until(lambda view: view.phase == Phase.OPEN)
    await here.begin(host, *guests)


async def test_deal_that_was_seen_is_not_drawn_again(database: Path) -> None:
    """Who resigns to learn the deal races on another one next time, and so does everyone with them."""
    async with serving(database) as here, here.visitor("Anna") as anna, here.visitor("Eve") as eve:
        await here.begin(anna, eve)
        seen = {GameCode.parse(str(eve.view.code)).number}
        for _ in range(5):
            await finish(eve, anna)
            await again(here, anna, eve)
            number = GameCode.parse(str(eve.view.code)).number
            assert number not in seen
            seen.add(number)


async def test_deal_that_was_looked_up_is_practice(database: Path) -> None:
    """
    Who has looked at a deal's page, or its winning line, races on it for practice: with a mark, and unranked, as it is
    for all, since the code was asked for.
    """
    async with serving(database) as here:
        known = Options(code="SS1-S1-AAAAABD")
        async with here.visitor("Eve", options=known) as eve, here.visitor("Anna") as anna:
            looked = await ask(here.server, "/api/deals/SS1-S1-AAAAABD?line=1", authorization=f"Bearer {eve.token}")
            assert looked.status == HTTPStatus.OK
            await here.begin(eve, anna)
            finished = await finish(eve, anna)
        assert (row_of(finished, eve).practice, row_of(finished, anna).practice) == (True, False)
        assert not any(row.ranked for row in finished.rows)


async def test_bot_that_calls_itself_a_page_later_does_not_rank(database: Path) -> None:
    """A program that was a bot on one connection of a race is one for the whole of it."""
    async with serving(database) as here, here.visitor("Anna") as anna, here.visitor("Eve", client="bot") as eve:
        await here.begin(anna, eve)
        eve.cut()
        page = Visitor(here.url(), Hello(token=eve.token, client="page"), MsgpackCodec.subprotocol)
        async with page:
            finished = await finish(page, anna)
            assert (row_of(finished, page).ranked, row_of(finished, anna).ranked) == (False, True)


async def test_cutting_the_line_voids_nothing(database: Path) -> None:
    """Who sees the deal, dislikes it and pulls the plug has an attempt that counts, unsolved."""
    async with serving(database) as here, here.visitor("Anna") as anna, here.visitor("Eve") as eve:
        await here.begin(anna, eve)
        eve.cut()
        await anna.until(lambda view: not all(seat.connected for seat in view.seats))
        await anna.ask(Resign(ply=0))
        here.clock.advance(15 * 60_000)
        finished = await anna.hears(Finished)
        row = row_of(finished, eve)
        assert (row.state, row.ranked) == ("abandoned", True)


async def test_sealed_deal_is_shown_to_nobody(database: Path) -> None:
    """
    While a drawn number is raced on, whoever has its code from a player is told nothing of it, at any suits, with any
    token or none; after the race it is open.
    """
    async with (
        serving(database) as here,
        here.visitor("Anna", room="ONE") as anna,
        here.visitor("Eve", room="TWO") as eve,
    ):
        await here.begin(anna)
        code = GameCode.parse(str(anna.view.code))
        paths = [f"/api/deals/{code}", f"/api/deals/{GameCode(code.game, 4, code.number)}", f"/api/deals/{code}?line=1"]
        heads = [{}, *({"authorization": f"Bearer {each.token}"} for each in (anna, eve))]
        for path in paths:
            for head in heads:
                reply = await ask(here.server, path, **head)
                assert (reply.status, reply.json()["reason"]) == (HTTPStatus.FORBIDDEN, Reason.SEALED)
        await finish(anna)
        for path in paths:
            assert (await ask(here.server, path)).status == HTTPStatus.OK


async def test_spectators_learn_no_deal(database: Path) -> None:
    """Who watches with a second player hears no code, table, move or attempt of a race before it is over."""
    async with (
        serving(database) as here,
        here.visitor("Anna", options=Options(seats=1)) as anna,
        here.visitor("Eve") as eve,
    ):
        await here.begin(anna)
        line = winning_line(GameCode.parse(str(anna.view.code))) or ()
        await anna.play(*map(str, line[:5]))
        here.clock.advance(100)
        await eve.until(lambda view: any(row.moves == 5 for row in view.rows))
        assert (eve.view.code, eve.view.table, dict(eve.view.seen), dict(eve.view.attempts)) == (None, None, {}, {})
        assert not any(isinstance(event, Played) for event in eve.heard)


async def test_kicked_player_stays_out(database: Path) -> None:
    """Neither at once nor after the race, nor in any other encoding, does the same player come back."""
    async with serving(database) as here, here.visitor("Anna") as anna, here.visitor("Eve") as eve:
        assert isinstance(await anna.ask(Kick(player=eve.view.player)), Done)
        assert (await eve.closing())[0] == CloseCode.KICKED
        for subprotocol in ("samedeal.v1.json", "samedeal.v1.msgpack"):
            assert await refused(eve.again(subprotocol)) == CloseCode.KICKED
        await here.begin(anna)
        await finish(anna)
        assert await refused(eve.again()) == CloseCode.KICKED


async def refused(visitor: Visitor) -> int:
    """Return the code with which *visitor* is not let in."""
    with pytest.raises(Exception, match="received") as closed:  # of the library
        await visitor.__aenter__()
    return int(closed.value.rcvd.code)  # type: ignore[attr-defined]  # as above


async def test_second_tab_is_no_second_attempt(database: Path) -> None:
    """The newer tab goes on where the older one was; that one is closed, and what it still sends is not heard."""
    async with serving(database) as here, here.visitor("Eve", options=Options(code=SHUTTLE)) as eve:
        await here.begin(eve)
        await eve.play("02")
        async with eve.again() as tab:
            assert (tab.view.ply, tab.view.seat, tab.view.playing) == (1, 0, True)
            assert (await eve.closing())[0] == CloseCode.TAKEN_OVER
            await tab.play("20")
            finished = await finish(tab)
        assert [(row.seat, row.moves) for row in finished.rows] == [(0, 2)]


async def test_idle_seat_gains_nothing_and_holds_nobody_up(database: Path) -> None:
    """Who takes a seat and does nothing has no place, and the others' race ends without them."""
    async with (
        serving(database) as here,
        here.visitor("Anna", options=Options(limit_ms=LIMIT_MS)) as anna,
        here.visitor("Eve") as eve,
        here.visitor("Idle") as idle,
    ):
        assert isinstance(await eve.ask(Ready(ready=True)), Done)
        assert isinstance(await anna.ask(Start(countdown=1)), Done)  # Idle is not ready, and does not start
        await here.pass_countdown(anna, eve)
        line = winning_line(GameCode.parse(str(anna.view.code))) or ()
        await anna.play(str(line[0]))
        here.clock.advance(LIMIT_MS)
        finished = await anna.hears(Finished)
        assert {row.seat: row.place for row in finished.rows} == {0: 1, 1: None}
        assert (await idle.until(lambda view: view.phase == Phase.FINISHED)).table is None


async def test_undo_and_restart_gain_no_score(database: Path) -> None:
    """
    In a race by score a move that is taken back takes its points along, and a fresh start begins with none of the
    last: the score is that of the position that counts, whatever was played on the way.
    """
    code = solved_codes("simple-simon")[0]
    options = Options(goal="score", code=str(code), limit_ms=DAY_MS)
    async with serving(database) as here, here.visitor("Eve", options=options) as eve:
        await here.begin(eve)
        line = [str(move) for move in winning_line(code) or ()]
        scores = [500]
        for move in line:
            await eve.play(move)
            assert eve.view.hand
            scores.append(eve.view.hand.score)
            if scores[-1] > scores[-2]:  # a sequence left: play it again and again
                for _ in range(3):
                    assert isinstance(await eve.ask(Undo(ply=0)), Played)
                    assert eve.view.hand.score == scores[-2]
                    await eve.play(move)
                    assert eve.view.hand.score == scores[-1]
                break
        assert isinstance(await eve.ask(Restart(ply=0)), Played)
        assert eve.view.hand
        assert (eve.view.hand.score, eve.view.hand.moves) == (500, 0)
        await eve.play(line[0])
        finished = await finish(eve)
        assert [(row.score, row.moves, row.clean) for row in finished.rows] == [(499, 1, False)]


async def test_last_instant_is_the_servers(database: Path) -> None:
    """A move that reaches the server when time is up does not count, whatever its sender's clock says."""
    options = Options(code=SHUTTLE, limit_ms=LIMIT_MS)
    async with serving(database) as here, here.visitor("Anna", options=options) as anna, here.visitor("Eve") as eve:
        await here.begin(anna, eve)
        here.clock.advance(LIMIT_MS - 1)
        await anna.play("02")
        here.clock.advance(1)
        late = await eve.ask(Play(ply=0, move="02"))
        assert isinstance(late, Refused)
        assert late.reason == Reason.NOT_PLAYING
        finished = next(event for event in eve.heard if isinstance(event, Finished))
        assert {row.seat: (row.moves, row.place) for row in finished.rows} == {0: (1, 1), 1: (0, None)}


async def test_nobody_hosts_who_is_no_host(database: Path) -> None:
    """What is the host's alone is refused to everyone else, and changes nothing."""
    async with serving(database) as here, here.visitor("Anna") as anna, here.visitor("Eve") as eve:
        before = await anna.until(lambda view: len(view.seats) == 2)
        for command in (
            Start(countdown=1),
            Kick(player=anna.view.player),
            Configure(options=Options(suits=4)),
        ):
            answer = await eve.ask(command)
            assert isinstance(answer, Refused)
            assert answer.reason == Reason.NOT_HOST
        await anna.ask(Ready(ready=False))
        assert (anna.view.seats, anna.view.options, anna.view.phase) == (before.seats, before.options, before.phase)


# The calendar


async def test_race_belongs_to_the_day_and_week_it_began_in(database: Path) -> None:
    """
    Begun a second before midnight from Sunday to Monday and won after it: on the boards of that day and that week, and
    of no other. Its time is measured, so the wall clock may turn, and step an hour forward and back, without a trace.
    """
    sunday_ms = 1_767_571_199_000  # 2026-01-04T23:59:59Z
    async with serving(database) as here, here.visitor("Anna") as anna:
        here.clock.set_wall(sunday_ms - COUNTDOWN_MS)
        await here.begin(anna)
        line = [str(move) for move in winning_line(GameCode.parse(str(anna.view.code))) or ()]
        hour_ms = 3_600_000
        for number, move in enumerate(line):
            here.clock.advance(500)
            if number in (10, 20):
                here.clock.set_wall(here.clock.wall_ms() + (hour_ms if number == 10 else -2 * hour_ms))
            await anna.play(move)
        finished = await anna.hears(Finished)
        assert [(row.state, row.elapsed_ms) for row in finished.rows] == [("solved", 500 * len(line))]
        for date, there in (("2026-01-04", True), ("2026-01-05", False), ("2026-01-03", False)):
            for period in ("day", "week"):
                asked = f"/api/leaderboards?board=single&period={period}&date={date}"
                lines = (await ask(here.server, asked)).json()["lines"]
                assert bool(lines) == (there or (period == "week" and date == "2026-01-03")), (period, date)


async def test_wall_clock_that_steps_back_over_a_restart_costs_no_time(database: Path) -> None:
    """The date may be an hour earlier when the server is there again: race time goes on from its last stamp."""
    async with serving(database) as here:
        anna = await here.visitor("Anna", options=Options(code=SHUTTLE)).__aenter__()
        await here.begin(anna)
        here.clock.advance(7_000)
        await anna.play("02")
    await anna.closing()
    async with serving(database) as here:
        here.clock.set_wall(here.clock.wall_ms() - 3_600_000)
        back = anna.again(url=here.url())
        async with back:
            assert back.view.elapsed_ms == 7_000
            here.clock.advance(1_000)
            await back.play("20")
            finished = await finish(back)
        assert [row.elapsed_ms for row in finished.rows] == [8_000]
    reader = await Reader.open(database)
    assert (await reader.attempt(finished.attempts[0])) is not None
    await reader.close()
