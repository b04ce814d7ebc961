"""DESIGN.md's tables that repeat what the code says."""

import json
import re
from pathlib import Path

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
