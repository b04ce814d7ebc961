"""What `/metrics` shows, and that counting costs next to nothing."""

import asyncio
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from server.app import Server
from server.metrics import close_label
from shared.protocol.closing import CloseCode
from shared.protocol.messages import Played, Ready, Undo
from tests.patience import GUARD_S
from tests.server.serving import ANNA, TOKENS, ask, hear, hello, past, say, serving, socket

Samples = Mapping[tuple[str, str], float]
"""Values by name and by the value of the one label that there is."""


async def scraped(server: Server) -> Samples:
    """Return all samples as Prometheus reads them."""
    reply = await ask(server, "/metrics")
    assert reply.head["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    families = text_string_to_metric_families(reply.body.decode())
    return {(each.name, "".join(each.labels.values())): each.value for family in families for each in family.samples}


async def test_what_happens_is_counted(database: Path) -> None:
    """Connections, rooms and races are those of the moment; rows, refusals, commits, closes and requests add up."""
    async with past(database) as written:
        await written.race("now", "SS1-S1-AAAAAAE", "02")
    async with serving(database) as server:
        before = await scraped(server)
        async with socket(server, "/ws/NOW") as connection, socket(server) as lobby:
            await hello(connection, name=None, token=TOKENS[ANNA], client="page")
            await hello(lobby)
            await say(connection, Ready(id=2, ready=True))
            await say(connection, Undo(id=3, ply=1))
            while not isinstance(await hear(connection), Played):
                pass
            now = await scraped(server)
        async with asyncio.timeout(GUARD_S):
            after = await scraped(server)
            while any(after["samedeal_connections", to] for to in ("lobby", "room")):
                after = await scraped(server)

    def grown(name: str, label: str = "", until: Samples = now) -> float:
        return until.get((name, label), 0) - before.get((name, label), 0)

    assert now["samedeal_rooms", ""] == 1
    assert [now["samedeal_races", phase] for phase in ("open", "countdown", "running", "finished")] == [0, 0, 1, 0]
    assert (now["samedeal_connections", "room"], now["samedeal_connections", "lobby"]) == (1, 1)
    assert grown("samedeal_entries_total") == 1
    assert grown("samedeal_refusals_total", "WRONG_PHASE") == 1
    assert grown("samedeal_commit_seconds_count") >= 2
    assert grown("samedeal_commit_seconds_sum") > 0
    assert grown("samedeal_failed_commits_total") == 0
    assert grown("samedeal_requests_total", "200") == 1
    assert (after["samedeal_connections", "room"], after["samedeal_connections", "lobby"]) == (0, 0)
    assert now["samedeal_tasks", ""] > after["samedeal_tasks", ""] > 0
    assert grown("samedeal_closes_total", "1000", after) == 2
    assert after["process_resident_memory_bytes", ""] > 0


def test_close_codes_of_clients_make_no_labels() -> None:
    """Whatever code a client closes with, there are only so many labels."""
    assert close_label(CloseCode.KICKED) == "4424"
    assert close_label(1006) == "1006"
    assert {close_label(code) for code in (None, 3000, 4999, 1016)} == {"other"}


def test_connections_are_told_before_anyone_comes() -> None:
    """Whoever watches a server that has just started sees that nobody is there, and not nothing."""
    told = "from server.metrics import REGISTRY, generate_latest; print(generate_latest(REGISTRY).decode())"
    fresh = subprocess.run([sys.executable, "-c", told], capture_output=True, check=True, text=True).stdout
    for place in ("lobby", "room"):
        assert f'samedeal_connections{{to="{place}"}} 0.0' in fresh
