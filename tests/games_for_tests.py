"""A third game, as anyone would add one: a rules class, and one line in the registry."""

from collections.abc import Iterator
from contextlib import contextmanager

from shared.cards import Card
from shared.deal import HIGHEST
from shared.games import RULES
from shared.games.freecell import FreeCell


class BakersGame(FreeCell):
    """FreeCell built down in suit."""

    name, prefix = "bakers-game", "BG"
    drawn, losers = range(1, HIGHEST + 1), frozenset[int]()
    bare_numbers = False

    def follows(self, card: Card, onto: Card) -> bool:
        return onto.rank == card.rank + 1 and onto.suit == card.suit


class Cellless(FreeCell):
    """FreeCell without its cells."""

    cells = 0


@contextmanager
def third_game() -> Iterator[BakersGame]:
    """Have Baker's Game in the registry for a while."""
    rules = RULES["bakers-game"] = BakersGame()
    try:
        yield rules
    finally:
        del RULES["bakers-game"]
