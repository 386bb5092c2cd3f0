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


OF_COLOURS = ["color-contrast"]
"""Rules of axe-core whose result depends on colours: the only ones that another look can break."""


def violations(page: Any, rules: Sequence[str] = ()) -> list[str]:
    """Return the violations that axe-core finds on a page in its present state, a text for each.

    Args:
        page: Playwright's page. The script of axe-core is loaded into it only once.
        rules: Names of the rules to check; () for all of them.
    """
    from axe_playwright_python.base import AXE_SCRIPT

    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    options = {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})}
    found = page.evaluate("(options) => axe.run(options).then((results) => results.violations)", options)
    return [
        f"{each['id']}: {node['html'][:120]} {node['failureSummary'][:160]}" for each in found for node in each["nodes"]
    ]


def in_each_look(page: Any, looks: Sequence[str] = LOOKS) -> list[str]:
    """Return the violations that axe-core finds on a page in its present state, in each of `looks`.

    The first look is checked by all rules, the others by the rules of colours.
    """
    found = []
    for at, look in enumerate(looks):
        page.evaluate("(look) => { document.documentElement.dataset.look = look }", look)
        found += [f"{look} {each}" for each in violations(page, OF_COLOURS if at else ())]
    return found
