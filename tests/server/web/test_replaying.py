"""A log as it is watched: what a replay costs, beside what the interface's own tests show of it."""

import pytest

from server.web.replaying import plies, points
from shared.attempt import HINT
from shared.gamecode import GameCode

FREECELL = GameCode.parse("FC1-AAAAAAG")


@pytest.mark.asyncio
async def test_hints_are_not_looked_for_again_in_a_replay(monkeypatch: pytest.MonkeyPatch) -> None:
    """FC8: they cost far more than moves, and change nothing that is seen."""
    moves = [(ply, text) for ply, text in enumerate(["25", "52", "undo"])]
    hinted = [entry for at_ms, text in moves for entry in ((at_ms, HINT), (at_ms, text))]
    expected = await plies(FREECELL, moves), await points(FREECELL, moves, 0)
    monkeypatch.delattr("shared.games.freecell.FreeCell.hint")
    monkeypatch.delattr("shared.rules.Rules.hint")
    watched = await plies(FREECELL, hinted)
    assert (watched[1::2], await points(FREECELL, hinted, 0)) == expected
    assert not any(ply.steps or ply.joined for ply in watched[::2])
