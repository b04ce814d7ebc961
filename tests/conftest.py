"""What every test shares: which come first, and how hard hypothesis searches.

`make test` looks at the same examples each time, so that it says the same of the same code; `make soak` looks further.
"""

import os

import pytest
from hypothesis import settings

from tests.browser.chromium import CHROMIUM, REQUIRED

settings.register_profile("brisk", deadline=None, derandomize=True)
settings.register_profile("soak", deadline=None, max_examples=2_000)
settings.load_profile("brisk")

os.environ["LANGUAGE"] = "en"  # whatever this machine speaks: what tests start says it in English


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests that take longest, so that the others run beside them."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


def pytest_report_header() -> str | None:
    """Say so where the tests of the page can't be run."""
    if CHROMIUM or REQUIRED:
        return None
    return "There is no Chromium on this machine (apt-get install chromium): the tests of the page are skipped."
