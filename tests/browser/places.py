"""Where what can be pressed has stood: nothing may move under a finger."""

import json

from playwright.sync_api import Page

NOTE_PLACES = """
    window.places = new Map();
    (function note() {
        for (const each of document.querySelectorAll("main :is(input, button, label, a)")) {
            const {x, y, width} = each.getBoundingClientRect();
            if (!width || !each.checkVisibility({visibilityProperty: true})) continue;
            places.set(each, (places.get(each) ?? new Set()).add(`${Math.round(x)}, ${Math.round(y)}`));
        }
        requestAnimationFrame(note);
    })();
"""
"""Notes in every frame where each field, button and link stands; to be run before a page's own scripts."""

MOVED = "[...places].filter(([, at]) => at.size > 1).map(([each, at]) => [each.outerHTML, ...at])"
"""What has stood in more than one place."""


def stood(page: Page, within: str) -> list[list[str]]:
    """Return the places of each thing *within* what this selector finds."""
    inside = f"each.closest({json.dumps(within)})"
    found: list[list[str]] = page.evaluate(f"[...places].filter(([each]) => {inside}).map(([, at]) => [...at])")
    return found
