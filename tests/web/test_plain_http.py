"""Pages over plain http at an address that is not loopback: there the browser withholds some of its features."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.service.addresses import own_addresses
from companion.table.commands import StartGame
from tests.web.every_part import everything
from tests.web.phones import PastGames, live, phone, visit
from tests.web.pub import HEADER, Pub, served

OUTSIDE = next(iter(own_addresses()), "")
WITHHELD = ("wakeLock", "serviceWorker", "clipboard", "share", "canShare", "mediaDevices")
pytestmark = [pytest.mark.browser, pytest.mark.skipif(not OUTSIDE, reason="this machine has no address but loopback")]
NAMES = (
    "control",
    "tray",
    "tv",
    "help",
    "evening",
    "dice",
    "learn",
    "review",
    "camera",
    "calibrate",
    "setup",
    "settings",
)
PAGES = ("/", *(f"/{name}" for name in NAMES))


@pytest.fixture
def site(tmp_path: Path) -> Iterator[tuple[str, Pub]]:
    with everything(tmp_path, evening=PastGames()) as pub, served(pub, (OUTSIDE, 0)) as address:
        pub.table.submit(StartGame(header=HEADER))
        yield address, pub


def test_over_plain_http_the_browser_offers_no_secure_context_features(chromium: Any, site: Any) -> None:
    """Where it offered them, the other tests of this module would show nothing."""
    page = visit(chromium, site[0] + "/")
    assert page.evaluate("isSecureContext") is False
    assert page.evaluate("(all) => all.filter((name) => name in navigator)", list(WITHHELD)) == []


@pytest.mark.parametrize("paired", [False, True], ids=["guest", "host"])
def test_every_page_connects_without_script_errors_over_plain_http(chromium: Any, site: Any, paired: bool) -> None:
    page = phone(chromium, site[0], paired=paired)
    for path in PAGES:
        live(page, site[0] + path)
    assert page.problems == []


def test_plain_http_page_keeps_a_paired_phone_awake_by_a_video_with_sound(chromium: Any, site: Any) -> None:
    page = visit(chromium, site[0] + "/control", paired=True)
    assert page.evaluate("document.getElementById('awake').paused"), "browsers let it begin at a touch"
    page.click("#who")
    page.wait_for_function("() => document.getElementById('awake').currentTime > 0.5")
    page.wait_for_function("() => document.getElementById('awake').webkitAudioDecodedByteCount > 0")
    film = page.evaluate(
        "(({ paused, muted, loop, volume }) => ({ paused, muted, loop, volume }))(document.getElementById('awake'))"
    )
    assert film == {"paused": False, "muted": False, "loop": False, "volume": 1}
    box = page.locator("#awake").bounding_box()
    assert box["x"] >= 0
    assert box["y"] + box["height"] <= 844, "it is on the screen"
    page.evaluate("(film) => { film.pause(); film.currentTime = 0.6 * film.duration; }", page.query_selector("#awake"))
    page.wait_for_function("() => document.getElementById('awake').currentTime === 0")  # set back before it ends
    assert page.problems == []


def test_control_page_of_an_unpaired_phone_has_no_video_that_keeps_the_screen_on(chromium: Any, site: Any) -> None:
    page = visit(chromium, site[0] + "/control")
    assert page.query_selector("#awake") is None


def test_evening_page_downloads_a_picture_of_a_game_if_the_browser_cannot_share_it(chromium: Any, site: Any) -> None:
    page = visit(chromium, site[0] + "/evening")
    page.click("#games a")
    button = page.wait_for_selector("[data-key='share']")
    assert button.inner_text() == "Save a picture"
    with page.expect_download() as saved:
        button.click()
    assert saved.value.suggested_filename == "peg-and-pip.png"
