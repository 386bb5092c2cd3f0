"""What axe-core finds wrong with a page."""

from __future__ import annotations

from typing import Any


def violations(page: Any) -> list[str]:
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [
        f"{each['id']}: {node['html'][:120]} {node['failureSummary'][:160]}" for each in found for node in each["nodes"]
    ]
