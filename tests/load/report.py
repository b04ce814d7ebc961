"""Figures for people: medians with the least and the greatest, and each server's ratio to its anchor in its rounds."""

from collections.abc import Callable, Sequence
from statistics import median

from tests.load.window import Row

COLUMNS: tuple[tuple[str, int, Callable[[Row], float]], ...] = (
    ("moves/s", 0, lambda row: row.moves_s),
    ("CPU µs/move", 1, lambda row: row.cpu_us),
    ("engine µs", 1, lambda row: row.engine_us),
    ("p50 ms", 2, lambda row: row.p50_ms),
    ("p99 ms", 2, lambda row: row.p99_ms),
    ("p99.9 ms", 2, lambda row: row.p999_ms),
    ("deliveries", 2, lambda row: row.deliveries),
    ("CPU µs/delivery", 2, lambda row: row.delivery_us),
    ("bytes", 0, lambda row: row.bytes),
    ("KB/connection", 1, lambda row: row.memory_kb),
    ("server core", 2, lambda row: row.server_core),
    ("load core", 2, lambda row: row.load_core),
)


def spread(figures: Sequence[float], digits: int) -> str:
    """Return the median, with the least and the greatest.

    >>> spread([3.0, 1.0, 2.0], 1)
    '2.0 (1.0–3.0)'
    """
    middle, least, most = (f"{figure:,.{digits}f}" for figure in (median(figures), min(figures), max(figures)))
    return f"{middle} ({least}–{most})"


def table(rows: Sequence[Row]) -> str:
    """Return all figures of the rounds that are not void, a line each, in Markdown; *rows* are of one scenario."""
    servers = list(dict.fromkeys(row.server for row in rows))
    good = [[row for row in rows if row.server == server and not row.void] for server in servers]
    lines = [f"| {rows[0].scenario} | {' | '.join(servers)} |", f"|---|{'---|' * len(servers)}"]
    for name, digits, figure in COLUMNS:
        cells = [spread([figure(row) for row in mine], digits) if mine else "void" for mine in good]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    voids = [sum(row.void for row in rows if row.server == server) for server in servers]
    if any(voids):
        lines.append(f"| void rounds: the load was the slower | {' | '.join(map(str, voids))} |")
    return "\n".join(lines)


def ratios(rows: Sequence[Row], figure: Callable[[Row], float], server: str, other: str) -> list[float]:
    """Return *figure* of one server through that of the other, for each round that has both and is not void."""
    found = {(row.server, row.round): figure(row) for row in rows if not row.void}
    numbers = sorted({number for _, number in found})
    return [
        found[server, number] / found[other, number]
        for number in numbers
        if (server, number) in found and (other, number) in found
    ]
