"""What the engine is measured against: Simple Simon as one would write it in an hour, lists of ints changed in place.

A card is suit × 13 + rank from 0. It checks SS3 to SS5, plays, takes finished sequences away (SS6) and counts the
score (SS8); it keeps no log, takes nothing back, and says no more than yes or no.
"""

from itertools import pairwise


class ListTable:
    """Ten lists."""

    def __init__(self, columns: list[list[int]]) -> None:
        self.columns = [list(column) for column in columns]
        self.score = 500
        self.sequences = 0

    def play(self, source: int, count: int, target: int) -> bool:
        """Play a run of *count* cards if that is legal; return whether it was."""
        if source == target or not (0 <= source < 10 and 0 <= target < 10):
            return False
        giving, taking = self.columns[source], self.columns[target]
        if not 1 <= count <= len(giving):
            return False
        run = giving[-count:]
        if not is_run(run):
            return False
        if taking and taking[-1] % 13 != run[0] % 13 + 1:
            return False
        del giving[-count:]
        taking.extend(run)
        self.score -= 1
        if len(taking) >= 13 and taking[-1] % 13 == 0 and taking[-13] % 13 == 12 and is_run(taking[-13:]):
            del taking[-13:]
            self.sequences += 1
            self.score += 100
        return True


def is_run(cards: list[int]) -> bool:
    """Return whether *cards* descend by one in one suit."""
    return all(onto == card + 1 and onto % 13 for onto, card in pairwise(cards))
