"""Tables of DESIGN.md and SECURITY.md that repeat what the code says, or name the tests that show it."""

import json
import re
from pathlib import Path

import pytest

from shared.errors import Reason
from shared.games import RULES

ROOT = Path(__file__).parents[1]
PLACEHOLDER = re.compile("{{([a-z_]+)}}")


def reason_table() -> str:
    """Return the table of reason codes: parameters as the sentences have them, rules as the games cite them."""
    sentences = json.loads((ROOT / "shared/locales/en.json").read_text(encoding="utf-8"))["refusal"]
    lines = ["| Code | Rules | Parameters |", "|---|---|---|"]
    for reason in Reason:
        rules = ", ".join(dict.fromkeys(rules.cites[reason] for rules in RULES.values() if reason in rules.cites))
        params = ", ".join(dict.fromkeys(f"`{name}`" for name in PLACEHOLDER.findall(sentences[reason])))
        lines.append(f"| {reason} | {rules} | {params} |")
    return "\n".join(lines)


def test_design_lists_every_reason_code() -> None:
    """Section 16 has each code there is, with the rules that it rests on and the parameters of its sentence."""
    assert reason_table() in (ROOT / "DESIGN.md").read_text(encoding="utf-8")


NAMED = re.compile("`(test_[a-z0-9_]+)`")


def rows(document: str, heading: str) -> list[list[str]]:
    """Return the cells of all tables behind a heading of a document, to its next heading of that kind."""
    text = (ROOT / document).read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


@pytest.mark.parametrize(
    ("document", "heading", "least"),
    [("DESIGN.md", "17 Faults, and what happens", 25), ("SECURITY.md", "The WebSocket cheat sheet", 25)],
)
def test_every_test_that_a_table_names_is_there(document: str, heading: str, least: int) -> None:
    """And every line of it names one, or a reason why there is none."""
    code = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    there = set(re.findall(r"\bdef (test_\w+)", code))
    table = [row for row in rows(document, heading) if len(row) == 3 and "---" not in row[0] and "Shown by" not in row]
    assert len(table) >= least
    named = {name for row in table for name in NAMED.findall(row[2])}
    assert named - there == set()
    assert all(NAMED.search(row[2]) or (row[1] and document == "SECURITY.md") for row in table)
