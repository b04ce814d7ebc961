"""The phases of a race."""

from enum import StrEnum


class Phase(StrEnum):
    """Where a race stands."""

    OPEN = "open"
    COUNTDOWN = "countdown"
    RUNNING = "running"
    FINISHED = "finished"
