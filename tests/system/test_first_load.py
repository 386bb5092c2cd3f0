"""Traffic of the virtual tray's page: while nothing moves, the picture is downloaded once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.system.running import Running

LOOKED_AGAIN = """() => performance.getEntriesByType("resource")
  .filter((each) => each.name.endsWith("/api/tray.jpg")).length > 12"""
TRANSFERRED = """performance.getEntries().filter((each) => each.transferSize)
  .map((each) => [each.name, each.transferSize])"""


@pytest.mark.browser
def test_the_tray_page_downloads_an_unchanged_picture_only_once(chromium: Any, tmp_path: Path) -> None:
    with Running(tmp_path, "--players", "Ann,Ben") as table:
        page = chromium.new_page()
        page.goto(table.page + "tray")
        page.wait_for_selector('#live[data-live="yes"]')
        page.wait_for_function(LOOKED_AGAIN)
        sizes = page.evaluate(TRANSFERRED)
        assert len([size for name, size in sizes if name.endswith("/api/tray.jpg") and size > 5000]) == 1, sizes
        assert sum(size for _, size in sizes) <= 250_000, sizes
        assert page.evaluate("document.getElementById('picture').naturalWidth") == 1280
        page.close()
