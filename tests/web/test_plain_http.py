"""Pages over plain http at an address that is not loopback: there the browser withholds some of its features."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from companion.service.addresses import own_addresses
from companion.table.commands import StartGame
from tests.web.every_part import everything
from tests.web.phones import PastGames, live, phone
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


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Pub]]:
    folder = tmp_path_factory.mktemp("plain")
    with everything(folder, evening=PastGames()) as pub, served(pub, (OUTSIDE, 0)) as address:
        pub.table.submit(StartGame(header=HEADER))
        yield address, pub


@pytest.fixture(scope="module")
def phones(browser: Any, site: tuple[str, Pub]) -> Iterator[dict[str, Any]]:
    """Yield pages of an unpaired phone ("guest") and a paired one ("host") that the tests share."""
    pages = {kind: phone(browser, site[0], paired=kind == "host") for kind in ("guest", "host")}
    yield pages
    for page in pages.values():
        page.context.close()


def test_over_plain_http_the_browser_offers_no_secure_context_features(phones: Any, site: Any) -> None:
    """Where it offered them, the other tests of this module would show nothing."""
    page = phones["guest"]
    live(page, site[0] + "/")
    assert page.evaluate("isSecureContext") is False
    assert page.evaluate("(all) => all.filter((name) => name in navigator)", list(WITHHELD)) == []


@pytest.mark.parametrize("kind", ["guest", "host"])
def test_every_page_connects_without_script_errors_over_plain_http(phones: Any, site: Any, kind: str) -> None:
    page = phones[kind]
    page.problems.clear()
    for path in PAGES:
        live(page, site[0] + path)
    assert page.problems == []


def test_plain_http_page_keeps_a_paired_phone_awake_by_a_video_with_sound(phones: Any, site: Any) -> None:
    page = phones["host"]
    page.problems.clear()
    live(page, site[0] + "/control")
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


def test_control_page_of_an_unpaired_phone_has_no_video_that_keeps_the_screen_on(phones: Any, site: Any) -> None:
    page = phones["guest"]
    live(page, site[0] + "/control")
    assert page.query_selector("#awake") is None


def test_evening_page_downloads_a_picture_of_a_game_if_the_browser_cannot_share_it(phones: Any, site: Any) -> None:
    page = phones["guest"]
    live(page, site[0] + "/evening")
    page.click("#games a")
    button = page.wait_for_selector("[data-key='share']")
    assert button.inner_text() == "Save a picture"
    with page.expect_download() as saved:
        button.click()
    assert saved.value.suggested_filename == "peg-and-pip.png"
