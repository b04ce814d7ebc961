"""Every numbered rule of DESIGN.md section 2 has tests that are named after it: `grep -ri fc5 tests` finds them."""

import re
from collections import Counter
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NAMES = re.findall(r"\bdef (test_\w+)", "\n".join(path.read_text(encoding="utf-8") for path in HERE.rglob("test_*.py")))
DESIGN = (HERE.parent / "DESIGN.md").read_text(encoding="utf-8")
NUMBERED = [rule.lower() for rule in re.findall(r"^- ([A-Z]{2}\d+) ", DESIGN, re.MULTILINE)]
PREFIXES = "|".join(sorted({rule[:2] for rule in NUMBERED}))
CITED = Counter(rule for name in NAMES for rule in re.findall(rf"(?<=_)(?:{PREFIXES})\d+(?=_)", name))


@pytest.mark.parametrize("rule", NUMBERED)
def test_rule_has_tests_named_after_it(rule: str) -> None:
    """At least one; a test may be named after two."""
    assert CITED[rule] >= 1


def test_no_other_rule_is_cited() -> None:
    """What a test's name cites is a rule that there is; both games' lists have been read to their ends."""
    assert {"ss1", "ss10", "fc1", "fc10"} <= set(NUMBERED)
    assert set(CITED) == set(NUMBERED)
