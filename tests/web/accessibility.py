"""Accessibility of a page: violations that axe-core finds, and touch targets that are too small."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from web.pages import LOOKS

SMALL = """() => [...document.querySelectorAll('button, a, input, select, summary')].filter((each) => {
  const box = each.getBoundingClientRect();
  if (!each.checkVisibility() || !box.width || each.classList.contains('skip')) return false;
  if (each.matches('input[type=checkbox]') || (each.matches('a:not([class])') && each.closest('p'))) return false;
  return box.width < 43.5 || box.height < 43.5;
}).map((each) => each.outerHTML.slice(0, 140))"""
"""Script that returns the HTML of touch targets under 44 pixels; checkboxes and links in a text may be smaller."""


def violations(page: Any) -> list[str]:
    """Return the violations that axe-core finds on a page in its present state, a text for each."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [
        f"{each['id']}: {node['html'][:120]} {node['failureSummary'][:160]}" for each in found for node in each["nodes"]
    ]


def in_each_look(page: Any, looks: Sequence[str] = LOOKS) -> list[str]:
    """Return the violations that axe-core finds on a page in its present state, in each of `looks`."""
    found = []
    for look in looks:
        page.evaluate("(look) => { document.documentElement.dataset.look = look }", look)
        found += [f"{look} {each}" for each in violations(page)]
    return found
