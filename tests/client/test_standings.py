"""Standings for a terminal, and the race told line by line where there is none."""

from itertools import pairwise

import pytest
from msgspec.structs import replace

from client.screen import Pen
from client.standings import BAR, WIDTH, block, headline, in_words, lines, news, told_anew
from client.view import View
from shared.phase import Phase
from shared.protocol.values import Options, Seat, Standing

SEATS = tuple(Seat(seat=seat, player=name, name=name) for seat, name in enumerate(("Anna", "Bert", "Carl")))
PLAYING = (
    Standing(seat=1, place=1, score=480, moves=20, progress=24, state="playing"),
    Standing(seat=0, place=2, score=490, moves=10, progress=12, state="playing"),
    Standing(seat=2, score=500, moves=0, progress=6, state="playing"),
)
OVER = (
    Standing(seat=0, place=1, score=846, moves=54, progress=48, state="solved", elapsed_ms=61_234),
    Standing(seat=1, place=2, score=844, moves=56, progress=48, state="solved", elapsed_ms=62_400),
    Standing(seat=2, place=3, score=470, moves=30, progress=20, state="timed_out", elapsed_ms=70_000),
)
RACE = View(
    room="DEMO",
    phase=Phase.RUNNING,
    options=Options(suits=1),
    seats=SEATS,
    rows=PLAYING,
    elapsed_ms=4_321,
    code="SS1-S1-AAAAAAB",
)
COUNTING = replace(RACE, phase=Phase.COUNTDOWN, rows=(), countdown=1, remaining_ms=3_000)


def test_a_line_for_each_in_the_order_of_the_moment() -> None:
    """
    Place, name, a bar in proportion, figures; no place before the first move.
    """
    first, second, third = lines(RACE, Pen())
    assert first == f"  1  Bert       {'#' * 16}{'-' * 16} 24   20 moves  480  "
    assert (second[:9], third[:9]) == ("  2  Anna", "  -  Carl")


@pytest.mark.parametrize(
    ("row", "connected", "end"),
    [
        (OVER[0], True, "1:01.2"),
        (OVER[2], True, "timed out"),
        (PLAYING[0], True, "moves  480  "),
        (PLAYING[0], False, "away"),
    ],
)
def test_line_ends_with_what_else_there_is_to_say(row: Standing, connected: bool, end: str) -> None:
    """
    The time of who has solved it, how it ended for who has not, and who is not connected.
    """
    seats = tuple(replace(seat, connected=connected) for seat in SEATS)
    (line,) = lines(replace(RACE, rows=(row,), seats=seats), Pen())
    assert line.endswith(end)


def test_nothing_is_wider_than_the_screen() -> None:
    """
    The longest name, the longest bar and the longest time still fit.
    """
    seats = tuple(replace(seat, name="W" * 20) for seat in SEATS)
    slow = replace(OVER[0], elapsed_ms=899_999, moves=999)
    for line in block(replace(RACE, rows=(slow, *OVER[1:]), seats=seats), 0, Pen(signs=True)):
        assert len(line) <= WIDTH < 80
    assert BAR < WIDTH


@pytest.mark.parametrize("columns", [40, 47, 60, 70, 79])
@pytest.mark.parametrize("view", [RACE, COUNTING], ids=["race", "countdown"])
def test_narrow_terminal_is_filled_and_no_more(view: View, columns: int) -> None:
    """
    Bars are shorter, moves and score go before they vanish; the head takes a second line.
    """
    seats = tuple(replace(seat, name="W" * 20) for seat in SEATS)
    rows = (replace(OVER[0], elapsed_ms=899_999, moves=999), OVER[2], replace(PLAYING[2], state="abandoned"))
    options = Options(suits=2, code="SS1-S2-AAAAAAB")
    shown = block(replace(view, rows=rows, seats=seats, options=options), 0, Pen(signs=True), columns)
    assert max(map(len, shown)) < columns
    told = "\n".join(shown)
    if view is RACE:
        assert all(text in told for text in ("Simple Simon, 2 suits, deal known", "SS1-S1-AAAAAAB", "14:59.9"))
        assert ("999 moves" in told) == (columns >= 60)
        assert "█" * 8 in told
    else:
        assert told.strip().endswith("same deal for all in 3")


def test_countdown_counts_to_one() -> None:
    """
    Three, two, one, each for a second; it never says zero.
    """
    assert counted(COUNTING, 0, 0.9, 1.1, 2.5, 3.4) == "33211"


def test_countdown_is_the_servers() -> None:
    """
    Whoever comes back in its midst sees what is left of it, counted from when that was told.
    """
    back = replace(COUNTING, remaining_ms=1_400)
    assert counted(back, 0, 0.3, 0.5, 1.5) == "2211"
    assert told_anew(COUNTING, back)
    assert told_anew(COUNTING, replace(COUNTING, countdown=2))
    assert not told_anew(back, replace(back, seats=SEATS[:1]))
    told = "the same deal for all in"
    assert [line.partition(told)[2] for line in news(View(), back)] == [" 2 seconds."]
    assert [line.partition(told)[2] for line in news(View(), replace(back, remaining_ms=900))] == [" 1 second."]


def counted(view: View, *since_s: float) -> str:
    """Return the numbers that are seen so many seconds after the view was told what is left."""
    return "".join("\n".join(block(view, each, Pen())).strip()[-1] for each in since_s)


def test_nothing_is_drawn_before_there_is_something() -> None:
    """
    In the moment between the start and the first standings the block is empty.
    """
    assert block(replace(RACE, rows=()), 0, Pen()) == []


def test_clock_and_code_stand_above() -> None:
    """
    The block's head tells deal, game and race time.
    """
    head = block(RACE, 0, Pen())[1]
    assert head.split() == ["SS1-S1-AAAAAAB", "Simple", "Simon,", "1", "suit", "0:04.3"]
    assert len(head) == WIDTH
    assert block(replace(RACE, rows=OVER), 0, Pen())[1].endswith(" 1:10.0")  # nothing tells the time after the end


def test_news_are_told_once() -> None:
    """
    The countdown, the start, who loses the connection and is back, who has solved it; and then no more of it.
    """
    views = [
        View(),
        replace(RACE, phase=Phase.OPEN, rows=()),
        COUNTING,
        RACE,
        replace(RACE, seats=(SEATS[0], replace(SEATS[1], connected=False), SEATS[2])),
        RACE,
        replace(RACE, rows=OVER),
        replace(RACE, rows=OVER),
    ]
    told = [line for before, after in pairwise(views) for line in news(before, after)]
    assert told == [
        " Anna, Bert and Carl are in room DEMO: the same deal for all in 3 seconds.",
        " The race begins: SS1-S1-AAAAAAB, Simple Simon, 1 suit.",
        " Bert has lost the connection.",
        " Bert is back.",
        " Anna has solved it in 1:01.2.",
        " Bert has solved it in 1:02.4.",
    ]


def test_start_of_a_known_deal_says_so() -> None:
    """
    In a sentence of its own.
    """
    known = replace(RACE, options=Options(code="SS1-S1-AAAAAAB", suits=1))
    assert news(COUNTING, known)[0] == (
        " The race begins: SS1-S1-AAAAAAB, Simple Simon, 1 suit. The deal was known before, so it does not rank."
    )


def test_standings_in_one_line() -> None:
    """
    Progress of those who play, time of those who have solved it.
    """
    assert in_words(RACE) == " 0:04.3   Bert 24/48   Anna 12/48   Carl 6/48"
    assert in_words(replace(RACE, rows=OVER)) == " 0:04.3   Anna 1:01.2   Bert 1:02.4   Carl 20/48"


def test_large_rooms_are_told_in_short() -> None:
    """
    A line stays a line, however many play.
    """
    names = ("Anna", "Bert", "Carl", "Dora", "Emil", "Finn", "Gina", "Hugo")
    seats = tuple(Seat(seat=seat, player=name, name=name) for seat, name in enumerate(names))
    rows = tuple(replace(PLAYING[0], seat=seat) for seat in range(8))
    crowd = replace(COUNTING, seats=seats, rows=rows, options=Options(game="freecell"))
    assert news(View(), crowd) == [" Anna and 7 others are in room DEMO: the same deal for all in 3 seconds."]
    assert in_words(crowd) == " 0:04.3   Anna 24/52   Bert 24/52   Carl 24/52   Dora 24/52"


def test_head_says_what_is_played() -> None:
    """
    Suits only where the game has a choice of them; that a deal was chosen is said too.
    """
    drawn, chosen = Options(game="freecell", suits=4), Options(suits=2, code="SS1-S2-AAAAAAB")
    heads = [block(replace(RACE, options=options), 0, Pen())[1] for options in (drawn, chosen)]
    assert [head[17:-6].strip() for head in heads] == ["FreeCell", "Simple Simon, 2 suits, deal known"]


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (OVER, "Anna wins, by 1.2 seconds."),
        ((OVER[0], replace(OVER[1], elapsed_ms=61_240)), "Anna wins, by 6 milliseconds."),
        ((OVER[0], replace(OVER[1], elapsed_ms=61_300)), "Anna wins, by 0.1 seconds."),
        ((OVER[0], replace(OVER[1], elapsed_ms=62_200)), "Anna wins, by 1 second."),
        ((OVER[0], replace(OVER[1], elapsed_ms=63_299)), "Anna wins, by 2 seconds."),
        ((OVER[0], replace(OVER[1], elapsed_ms=61_235)), "Anna wins, by 1 millisecond."),
        ((OVER[0], OVER[2]), "Anna wins."),
        ((OVER[0],), "Anna wins."),
        ((OVER[0], replace(OVER[1], place=1)), "Anna and Bert share the win."),
        (PLAYING, "Nobody solved it. Bert came furthest."),
    ],
)
def test_headline_says_who_won(rows: tuple[Standing, ...], sentence: str) -> None:
    """
    By how much, if someone else solved it too; together, if they share the place.
    """
    assert headline(replace(RACE, rows=rows)) == sentence
