"""Every numbered rule of DESIGN.md section 2 has tests that are named after it: `grep -ri fc5 tests` finds them."""

import re
from collections import Counter
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NAMES = re.findall(r"\bdef (test_\w+)", "\n".join(path.read_text(encoding="utf-8") for path in HERE.rglob("test_*.py")))
CITED = Counter(rule for name in NAMES for rule in re.findall(r"(?<=_)(?:ss|fc)\d+(?=_)", name))
NUMBERED = [f"{game}{number}" for game in ("ss", "fc") for number in range(1, 11)]


@pytest.mark.parametrize("rule", NUMBERED)
def test_rule_has_tests_named_after_it(rule: str) -> None:
    """At least one; a test may be named after two."""
    assert CITED[rule] >= 1


def test_no_other_rule_is_cited() -> None:
    """What a test's name cites is a rule that there is."""
    assert set(CITED) == set(NUMBERED)
