"""What is counted and timed while the server runs, for `/metrics`. It belongs to the process, as its loggers do.

What is on the path of a move costs about a microsecond; how many rooms and races there are is found out when asked.
"""

import asyncio
from collections import Counter as Count
from collections.abc import Iterable

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    ProcessCollector,
    generate_latest,
)

from shared.phase import Phase
from shared.protocol.closing import CloseCode

KNOWN_CODES = {*CloseCode, *range(1000, 1016)}

REGISTRY = CollectorRegistry()
ProcessCollector(registry=REGISTRY)
GCCollector(registry=REGISTRY)

CONNECTIONS = Gauge(
    "samedeal_connections", "WebSocket connections now, to the lobby or to rooms", ["to"], registry=REGISTRY
)
for place in ("lobby", "room"):
    CONNECTIONS.labels(place)  # told from the start, before anyone has come
CLOSES = Counter("samedeal_closes", "Connections that ended, by close code", ["code"], registry=REGISTRY)
REQUESTS = Counter(
    "samedeal_requests", "Answers to requests for no WebSocket, by status", ["status"], registry=REGISTRY
)
ENTRIES = Counter("samedeal_entries", "Rows written to the logs of races: moves and all else", registry=REGISTRY)
REFUSALS = Counter("samedeal_refusals", "Commands and requests refused, by reason", ["reason"], registry=REGISTRY)
COMMITS = Histogram(
    "samedeal_commit_seconds",
    "Time that a commit took, for all the writes it served",
    registry=REGISTRY,
    buckets=(0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1.0, 5.0),
)
FAILED_COMMITS = Counter("samedeal_failed_commits", "Commits that failed, or may have", registry=REGISTRY)

_ROOMS = Gauge("samedeal_rooms", "Rooms now", registry=REGISTRY)
_TASKS = Gauge("samedeal_tasks", "Tasks of the event loop now: some for each room and connection", registry=REGISTRY)
_RACES = Gauge("samedeal_races", "The races of rooms now, by phase", ["phase"], registry=REGISTRY)


def close_label(code: int | None) -> str:
    """Return what a close code is counted as; whatever else a client may send is `other`."""
    return str(code) if code in KNOWN_CODES else "other"


def exposition(phases: Iterable[Phase]) -> bytes:
    """Return everything in Prometheus's text form; *phases* are those of all rooms' races at this moment.

    It is called on the loop whose tasks are counted.
    """
    counts = Count(phases)
    _ROOMS.set(counts.total())
    _TASKS.set(len(asyncio.all_tasks()))
    for phase in Phase:
        _RACES.labels(phase).set(counts[phase])
    return generate_latest(REGISTRY)
