"""Who runs a new table, and what its host may set, in real Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from pub import ADDRESSES, PIN, Pub, opened, served

from companion.config import Origin, Settings
from companion.settings_file import SettingsFile

pytestmark = pytest.mark.browser
PATIENCE_MS = 60_000
"""Far more than a busy machine needs: these tests say what happens, not how fast."""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[tuple[str, Pub]]:
    file = SettingsFile(Origin(tmp_path / "pegpip.toml"), Settings(), lambda settings: [], lambda settings: None)
    with opened(tmp_path, settings=file) as pub, served(pub) as address:
        yield address, pub


def page_of(chromium: Any, width: int = 390, height: int = 844) -> Any:
    page = chromium.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce").new_page()
    page.set_default_timeout(PATIENCE_MS)
    return page


def test_who_scans_the_screen_of_a_new_table_runs_it_and_nobody_after(chromium: Any, site: Any) -> None:
    address, pub = site
    screen = page_of(chromium, 1920, 1080)
    screen.goto(f"{address}/tv")
    screen.wait_for_selector('#live[data-live="yes"]')
    shot = cv2.imdecode(np.frombuffer(screen.screenshot(), np.uint8), cv2.IMREAD_COLOR)
    scanned, _, _ = cv2.QRCodeDetector().detectAndDecode(shot)
    assert scanned.startswith(f"{ADDRESSES.page}control#first=")
    first = scanned.replace(ADDRESSES.page, f"{address}/")
    host = page_of(chromium)
    host.goto(first)
    host.wait_for_selector("#sheet:not([hidden])")
    assert "first" not in host.url
    screen.wait_for_selector("#host", state="detached")
    assert screen.is_visible("#page")
    late = page_of(chromium)
    late.goto(first)
    late.wait_for_selector("#pair-problem:not([hidden])")
    assert [each.name for each in pub.pairing.phones()] == [""]
    for page in (screen, host, late):
        page.context.close()


def test_a_setting_is_kept_or_refused_beside_its_field(chromium: Any, site: Any) -> None:
    address, pub = site
    page = page_of(chromium)
    assert page.request.post(f"{address}/api/pair", data={"pin": PIN, "name": "Host"}).ok
    page.goto(f"{address}/settings")
    page.fill("#strip-brightness", "0.3")
    page.press("#strip-brightness", "Tab")
    page.wait_for_selector("#strip-brightness-says:text-is('Kept.')")
    page.fill("#strip-brightness", "3")
    page.press("#strip-brightness", "Tab")
    page.wait_for_selector("#strip-brightness[aria-invalid='true']")
    assert "brightness" in page.text_content("#strip-brightness-says")
    page.fill("#web-port", "9000")
    page.press("#web-port", "Tab")
    page.wait_for_selector("#web-port-says:has-text('starts anew')")
    assert (pub.folder / "pegpip.toml").read_text() == "[strip]\nbrightness = 0.3\n\n[web]\nport = 9000\n"
    page.reload()
    page.wait_for_selector("#strip-brightness")
    assert page.input_value("#strip-brightness") == "0.3"
    page.context.close()
