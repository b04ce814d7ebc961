"""What every game must do. A new game joins by its line in RULES; here a third one shows that no more is needed."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

import pytest

from shared import notation
from shared.attempt import HINT, RESIGN, RESTART, UNDO, Attempt, Entry, State, replay
from shared.cards import PACK, fold, texts
from shared.deal import HIGHEST
from shared.errors import CodeError, NotationError, PositionError, Reason, Refusal
from shared.gamecode import GameCode
from shared.games import RULES
from shared.layout import head_lines, picture
from shared.moves import FIRST_CELL, HOME, MOVES, PILES, Move
from shared.position import Position
from shared.record import Record, Result, verify
from shared.rules import Rules
from shared.texts import Texts
from tests import play
from tests.games_for_tests import third_game
from tests.piles import Piles

GAMES = [*play.KINDS, ("bakers-game", 4)]
NUMBERS = [1, 35, 11982, 2**31, 2**32, HIGHEST]
ENGLISH = Path(__file__).parents[2] / "shared" / "locales" / "en.json"

pytestmark = pytest.mark.parametrize(("game", "suits"), GAMES)


@pytest.fixture(scope="module", autouse=True)
def _third_game() -> Iterator[None]:
    """Register Baker's Game while these tests run."""
    with third_game():
        yield


@cache
def reached(game: str, suits: int) -> list[Position]:
    """Return 60 positions that play leads to."""
    return play.positions(RULES[game], suits, seed=7, count=60)


def wandering(game: str, suits: int, seed: int, count: int = 90) -> Attempt:
    """Return an attempt of about so many entries by chance: moves, and now and then an undo, a restart or a hint."""
    random, attempt = Random(seed), Attempt.start(GameCode(game, suits, 1 + seed))
    for at_ms in range(count):
        moves = [str(move) for move in attempt.rules.legal_moves(attempt.position)]
        words = [UNDO] * bool(attempt.past) + [HINT] * attempt.rules.gives_hints + [RESTART] * (at_ms % 30 == 29)
        entry = random.choice(moves if moves and random.random() < 0.85 else words or [RESTART])
        if (
            entry == HINT
            and attempt.rules.hint(attempt.position, attempt.past[-1][0] if attempt.past else None) is None
        ):
            continue
        attempt = attempt.take([(at_ms, entry)])
    return attempt


def shown(attempt: Attempt) -> Move | None:
    """Return the hint that the attempt would be given."""
    return attempt.rules.hint(attempt.position, attempt.past[-1][0] if attempt.past else None)


def unordered(position: Position) -> tuple[Counter[bytes], Counter[int], bytes]:
    """Return what lies where, whatever the order of columns and cells."""
    return Counter(position.columns), Counter(position.cells), position.home


def nearly_won(rules: Rules, suits: int) -> tuple[Position, Move]:
    """Return a position one move from the win, and that move."""
    columns, cells = [b""] * rules.columns, bytes(rules.cells)
    if rules.foundations:
        columns[0], move = bytes([0x3D]), Move(0, HOME)
        return Position(tuple(columns), cells, bytes([13, 13, 13, 12])), move
    columns[0], columns[1] = bytes(range(13, 1, -1)), bytes([1])
    home = {1: [39, 0, 0, 0], 2: [13, 26, 0, 0], 4: [0, 13, 13, 13]}[suits]
    return Position(tuple(columns), cells, bytes(home)), Move(1, 0)


def test_game_is_described_whole(game: str, suits: int) -> None:
    """Name, prefix, suits and layout are such as codes, move text and the deal can hold (DESIGN.md section 6)."""
    rules = RULES[game]
    assert rules.name == game
    assert re.fullmatch("[a-z]+(-[a-z]+)*", game)
    assert re.fullmatch("[A-Z]{2}", rules.prefix)
    assert [other.prefix for other in RULES.values()].count(rules.prefix) == 1
    assert rules.version >= 1
    assert suits in rules.suits
    assert set(rules.suits) <= {1, 2, 4}
    assert rules.suits == (4,) or not rules.foundations
    assert 1 <= rules.columns <= 10
    assert 0 <= rules.cells <= 4
    assert sum(rules.rows) == len(PACK)
    assert max(rules.rows) <= rules.columns
    assert rules.drawn is None or (rules.drawn[0] >= 1 and rules.drawn[-1] <= HIGHEST)
    assert all(rules.drawn and number in rules.drawn for number in rules.losers)
    assert all(re.fullmatch("[A-Z]{2}[0-9]+", rule) for rule in rules.cites.values())


@pytest.mark.parametrize("number", NUMBERS)
def test_deal_is_a_position_of_the_game(game: str, suits: int, number: int) -> None:
    """It holds exactly the pack of its suits, is not won, and has no progress to speak of behind it."""
    rules = RULES[game]
    position = rules.deal(number, suits)
    rules.check(position, suits)
    assert position.cards() == bytes(sorted(fold(PACK, suits)))
    assert rules.deal(number, suits) == position
    assert not rules.won(position)
    assert 0 <= rules.progress(position) < 52


@pytest.mark.parametrize("number", NUMBERS)
def test_code_is_written_and_read(game: str, suits: int, number: int) -> None:
    """A code prints, reads back in any hand, and deals its position."""
    rules, code = RULES[game], GameCode.of(game, suits, number)
    text = str(code)
    suits_part = f"-S{suits}" if len(rules.suits) > 1 else ""
    assert re.fullmatch(f"{rules.prefix}{rules.version}{suits_part}-[A-H][A-Z2-7]{{6}}", text)
    for written in (text, text.lower(), text.replace("-", ""), f" {text.replace('-', ' ')}\n"):
        assert GameCode.parse(written) == code
    assert code.rules is rules
    assert code.deal() == rules.deal(number, suits)


def test_wrong_code_is_refused(game: str, suits: int) -> None:
    """Another version, suits that the game has not, a number or a length that there is not."""
    rules = RULES[game]
    text = str(GameCode.of(game, suits, 35))
    start = text[:-7]

    def reason(text: str) -> Reason:
        with pytest.raises(CodeError) as caught:
            GameCode.parse(text)
        return caught.value.reason

    assert reason(text.replace(f"{rules.version}", f"{rules.version + 1}", 1)) is Reason.CODE_VERSION
    assert reason(f"{start}AAAAAAA") is Reason.CODE_NUMBER
    assert reason(f"{start}IAAAAAA") is Reason.CODE_NUMBER
    assert reason(f"{start}AAAAAB") is Reason.CODE_LENGTH
    assert reason(f"{start}AAAA9BD") is Reason.CODE_SYMBOL
    several = len(rules.suits) > 1
    assert reason(f"{rules.prefix}{rules.version}-S3-AAAAABD") is (
        Reason.CODE_SUITS if several else Reason.CODE_NO_SUITS
    )
    with pytest.raises(CodeError):
        GameCode.of(game, 3, 35)


def test_bare_number_is_of_one_game_at_most(game: str, suits: int) -> None:
    """`#N` is deal N of the game that says so, as N behind its name is; behind other names it is no code."""
    assert sum(rules.bare_numbers for rules in RULES.values()) <= 1
    for text in (f"{game} 35", f"{game.upper()}#35", f"{game} # 35"):
        if RULES[game].bare_numbers:
            assert GameCode.parse(text) == GameCode.parse("#35") == GameCode.of(game, None, 35)
        else:
            with pytest.raises(CodeError, match=Reason.CODE_FORM):
                GameCode.parse(text)


def test_standard_notation_reads_back_where_the_game_has_it(game: str, suits: int) -> None:
    """What other programs would write of its moves is those moves; else the game is named as one without."""
    rules, deal = RULES[game], RULES[game].deal(1, suits)
    moves = tuple(move for _, move in play.wander(rules, deal, Random(1)) if move)
    text = notation.write(rules, deal, moves)
    if rules.notation:
        assert notation.parse(rules, deal, text) == moves
    else:
        with pytest.raises(NotationError, match=Reason.NO_NOTATION):
            notation.parse(rules, deal, text)


def test_positions_of_play_are_of_the_game(game: str, suits: int) -> None:
    """Whatever is played, the pack stays whole and the position prints and reads back."""
    for position in reached(game, suits):
        RULES[game].check(position, suits)
        assert Position.parse(str(position)) == position


def test_other_positions_are_refused(game: str, suits: int) -> None:
    """A card too few, a column too many, cells that are not there, suits that it is not played in."""
    rules, position = RULES[game], RULES[game].deal(1, suits)
    columns = position.columns
    for wrong in (
        Position((columns[0][:-1], *columns[1:]), position.cells),
        Position((*columns, b""), position.cells),
        Position(columns, position.cells + b"\0"),
    ):
        with pytest.raises(PositionError):
            rules.check(wrong, suits)
    with pytest.raises(PositionError):
        rules.check(position, 3)


def test_picture_shows_what_the_layout_names(game: str, suits: int) -> None:
    """Each column by its name, each cell, each foundation if players use them, else what has gone."""
    rules = RULES[game]
    for position in reached(game, suits):
        rows = [row.split() for row in picture(rules, position).splitlines()]
        head = head_lines(rules, position)
        assert rows[head] == list(PILES[: rules.columns])
        assert sorted(texts(b"".join(position.columns))) == sorted(name for row in rows[head + 1 :] for name in row)
        gone = 4 if rules.foundations else sum(position.home) // rules.goes_home
        assert bool(head) is bool(rules.cells or gone)
        if head:
            assert rows[0] == [*PILES[FIRST_CELL:][: rules.cells], PILES[HOME]]
            assert len(rows[1]) == rules.cells + gone


def test_legality_has_one_definition(game: str, suits: int) -> None:
    """The list of legal moves is every move that is not refused, in its order, without repeats."""
    rules = RULES[game]

    def order(position: Position, move: Move) -> tuple[int, ...]:
        onto_card = move.target < FIRST_CELL and position.columns[move.target]
        kind = 0 if onto_card else 1 if move.target < FIRST_CELL else 2 if move.target < HOME else 3
        return move.source, move.count, kind, move.target

    for position in reached(game, suits)[::2]:
        allowed = [move for move in MOVES.values() if rules.refusal(position, move) is None]
        assert rules.legal_moves(position) == sorted(allowed, key=lambda move: order(position, move))


def test_legal_moves_lead_to_positions_of_the_game(game: str, suits: int) -> None:
    """Each of them, from each position; what they start from stays as it was."""
    rules = RULES[game]
    for position in reached(game, suits):
        before = str(position)
        for move in rules.legal_moves(position):
            rules.check(rules.apply(position, move), suits)
        assert str(position) == before


def test_refusals_are_data_with_a_sentence(game: str, suits: int) -> None:
    """Each has a reason, the rule that the game cites for it, and all that its English sentence needs."""
    rules, texts = RULES[game], Texts.parse(ENGLISH.read_bytes())
    sentences = set()
    for position in reached(game, suits)[::6]:
        for move in MOVES.values():
            refused = rules.refusal(position, move)
            if refused:
                assert refused.rule == rules.cites.get(refused.reason, "")
                sentences.add((refused.reason, texts.sentence(refused)))
    assert {reason for reason, _ in sentences} >= {Reason.IDLE, Reason.NO_PILE, Reason.NOT_NEXT, Reason.NOT_A_RUN}
    assert all("{{" not in text and reason not in text for reason, text in sentences)


def test_refusal_changes_nothing(game: str, suits: int) -> None:
    """A refused move, undo, hint or gathering leaves the attempt as it was, and is no entry."""
    attempt = wandering(game, suits, seed=1)
    before = str(attempt)
    for text in ("11", "hh", "1cv9", "99vd"):
        with pytest.raises(Refusal) as caught:
            attempt.play(Move.parse(text), attempt.last_ms)
        assert caught.value.entry == attempt.ply
    with pytest.raises(Refusal):
        attempt.gather(attempt.last_ms)
    with pytest.raises(Refusal):
        attempt.take([(attempt.last_ms, RESTART), (attempt.last_ms, UNDO)])
    assert str(attempt) == before


def test_best_target_is_legal_or_there_is_none(game: str, suits: int) -> None:
    """For every run: one of its legal moves, or NO_TARGET where none is worth offering."""
    rules = RULES[game]
    for position in reached(game, suits):
        for source, count, _ in rules._heads(position):
            ways = [move for move in rules.legal_moves(position) if (move.source, move.count) == (source, count)]
            offered = [move for move in ways if rules.preference(position, move) is not None]
            if offered:
                assert rules.best_move(position, source, count) in offered
            else:
                with pytest.raises(Refusal, match=Reason.NO_TARGET):
                    rules.best_move(position, source, count)


def test_hint_is_legal_and_never_back(game: str, suits: int) -> None:
    """Where the game gives hints; where it does not there is none, and asking is refused."""
    rules = RULES[game]
    hints = 0
    for before in reached(game, suits):
        first = rules.hint(before, None)
        assert first is None or rules.refusal(before, first) is None
        for last in rules.legal_moves(before):
            position = rules.apply(before, last)
            hint = rules.hint(position, before)
            hints += hint is not None
            assert hint is None or rules.refusal(position, hint) is None
            assert hint is None or unordered(rules.apply(position, hint)) != unordered(before)
    assert bool(hints) is rules.gives_hints
    start = Attempt.start(GameCode.of(game, suits, 1))
    if rules.gives_hints:
        assert start.hint(0)[0].entries == ((0, HINT),)
    else:
        with pytest.raises(Refusal, match=Reason.NO_HINT):
            start.hint(0)


def test_gathering_wins_or_is_not_offered(game: str, suits: int) -> None:
    """All remaining cards go home by it, one by one, or there is nothing to gather."""
    rules = RULES[game]
    end, _ = nearly_won(rules, suits)
    assert bool(rules.gather(end)) is rules.foundations
    for position in (end, *reached(game, suits)):
        at, moves = position, rules.gather(position)
        for move in moves:
            assert move.target == HOME
            assert rules.refusal(at, move) is None
            at = rules.apply(at, move)
        assert at == position or rules.won(at)


def test_stuck_means_that_no_move_is_left(game: str, suits: int) -> None:
    """A game may keep silent, but it does not say so wrongly."""
    rules = RULES[game]
    for position in reached(game, suits):
        assert not rules.stuck(position) or not rules.legal_moves(position)


def test_winning_move_ends_the_attempt(game: str, suits: int) -> None:
    """Then everything is home, progress is at its highest, and nothing is taken any more."""
    rules = RULES[game]
    position, move = nearly_won(rules, suits)
    rules.check(position, suits)
    attempt = Attempt(GameCode.of(game, suits, 1), rules, position).play(move, 5)
    assert attempt.state is State.SOLVED
    assert rules.won(attempt.position)
    assert attempt.progress >= max(rules.progress(position), 48)
    assert rules.legal_moves(attempt.position) == []
    assert not rules.stuck(attempt.position)
    for text in (UNDO, RESTART, HINT, RESIGN, str(move)):
        with pytest.raises(Refusal, match=Reason.NOT_PLAYING):
            attempt.take([(5, text)])


@pytest.mark.parametrize("seed", range(3))
def test_undo_of_all_is_the_deal(game: str, suits: int, seed: int) -> None:
    """Every position comes back in turn, the last is the deal, and then undoing is refused."""
    attempt, seen = Attempt.start(GameCode(game, suits, 1 + seed)), list[tuple[Position, int]]()
    for _, move in play.wander(attempt.rules, attempt.position, Random(seed)):
        if move:
            seen.append((attempt.position, attempt.score))
            attempt = attempt.play(move, 0)
    while seen:
        attempt = attempt.undo(0)
        assert (attempt.position, attempt.score) == seen.pop()
        assert attempt.moves == len(seen)
    with pytest.raises(Refusal, match=Reason.NO_UNDO):
        attempt.undo(0)


@pytest.mark.parametrize("seed", range(3))
def test_replay_is_live_play(game: str, suits: int, seed: int) -> None:
    """A log gives the same attempt again, whole or in parts."""
    live = wandering(game, suits, seed)
    assert replay(live.code, live.entries) == live
    assert replay(live.code, live.entries[:40]).take(live.entries[40:]) == live


@pytest.mark.parametrize("seed", range(3))
def test_steps_are_enough_for_a_client_that_draws(game: str, suits: int, seed: int) -> None:
    """Moving the cards that the steps name gives each next position, without knowing a rule."""
    live = wandering(game, suits, seed)
    attempt, piles = Attempt.start(live.code), Piles(live.code.deal())
    for at_ms, text in live.entries:
        for step in attempt.steps(text):
            piles.show(step)
        attempt = attempt.take([(at_ms, text)])
        if text == RESTART:
            piles = Piles(attempt.position)
        assert piles.shows(attempt.position), text


def test_record_of_play_verifies(game: str, suits: int) -> None:
    """A record of it reads back from JSON and msgpack, is proved by its replay, and is not if it boasts."""
    live = wandering(game, suits, seed=2).resign(1_000)
    entries: tuple[Entry, ...] = live.entries
    result = Result(won=False, score=live.score, moves=live.moves, elapsed_ms=1_000)
    record = Record(code=live.code, player="Jo", started="2026-05-01T09:30:00Z", entries=entries, result=result)
    assert Record.parse(str(record)) == Record.unpack(record.pack()) == record
    assert verify(record).ok
    boast = Result(won=True, score=live.score, moves=live.moves, elapsed_ms=1_000)
    lie = Record(code=live.code, player="Jo", started=record.started, entries=entries, result=boast)
    assert not verify(lie).ok
