"""The pages of camera and calibration in Chromium."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.waiting import RETRIES
from tests.web.accessibility import violations
from tests.web.calibrating import Calibration
from tests.web.calibrating import calibration as calibration
from tests.web.pub import PIN, served
from vision.calibration.store import load_calibration

OUT = Path(__file__).resolve().parents[2] / "out" / "web"


@pytest.mark.browser
def test_camera_page_shows_the_camera_picture_to_owners_only(calibration: Calibration, chromium: Any) -> None:
    with served(calibration.pub) as host:
        page = chromium.new_context(viewport={"width": 390, "height": 844}).new_page()
        page.goto(f"{host}/camera")
        page.wait_for_selector("#unpaired:not([hidden])")
        assert page.request.get(f"{host}/api/calibrate.jpg", max_retries=RETRIES).status == 401
        assert page.request.post(f"{host}/api/pair", data={"pin": PIN, "name": "Host"}, max_retries=RETRIES).ok
        assert page.request.get(f"{host}/api/calibrate.jpg", max_retries=RETRIES).status == 403, "paired, and no owner"
        calibration.pub.make_owners()
        page.goto(f"{host}/camera")
        page.wait_for_function("() => document.getElementById('picture').naturalWidth === 1280")
        first = page.get_attribute("#picture", "src")
        page.wait_for_function("first => !document.getElementById('picture').src.endsWith(first)", arg=first)
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.context.close()


@pytest.mark.browser
def test_calibrate_page_asks_for_steeper_sheet_views_while_the_lens_is_unmeasured(
    calibration: Calibration, chromium: Any
) -> None:
    def uncertain(route: Any) -> None:
        look = route.fetch().json()
        route.fulfill(json={**look, "lens": {"views": 4, "of": 4, "degrees": 62.2, "measured": False}})

    with served(calibration.pub) as host:
        page = chromium.new_context(viewport={"width": 390, "height": 844}).new_page()
        page.goto(f"{host}/calibrate")
        assert page.request.post(f"{host}/api/pair", data={"pin": PIN, "name": "Host"}, max_retries=RETRIES).ok
        calibration.pub.make_owners()
        page.route("**/api/calibrate", uncertain)
        page.goto(f"{host}/calibrate")
        page.wait_for_selector("#lens:has-text('steeper slants, and more ways')")
        page.context.close()


@pytest.mark.browser
@pytest.mark.parametrize("language", ["de", "fi"])
def test_the_calibrate_page_writes_the_lens_angle_with_the_decimal_comma_of_its_language(
    calibration: Calibration, chromium: Any, language: str
) -> None:
    def measured(route: Any) -> None:
        look = route.fetch().json()
        route.fulfill(json={**look, "lens": {"views": 4, "of": 4, "degrees": 62.2, "measured": True}})

    with served(calibration.pub) as host:
        page = chromium.new_context(viewport={"width": 390, "height": 844}).new_page()
        page.context.add_cookies([{"name": "lang", "value": language, "url": host}])
        assert page.request.post(f"{host}/api/pair", data={"pin": PIN, "name": "Host"}, max_retries=RETRIES).ok
        calibration.pub.make_owners()
        page.route("**/api/calibrate", measured)
        page.goto(f"{host}/calibrate")
        page.wait_for_selector("#lens:has-text('62')")
        assert "62,2" in page.inner_text("#lens")
        page.context.close()


@pytest.mark.browser
def test_the_calibrate_page_on_a_phone_calibrates_the_tables_camera(calibration: Calibration, chromium: Any) -> None:
    with served(calibration.pub) as host:
        page = chromium.new_context(viewport={"width": 390, "height": 844}).new_page()
        wrong: list[str] = []
        page.on("console", lambda told: wrong.append(told.text) if told.type == "error" else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(f"{host}/calibrate")
        page.wait_for_selector("#unpaired:not([hidden])")
        assert violations(page) == []
        answer = page.request.post(
            f"{host}/api/pair",
            data={"pin": PIN, "name": "Host"},
            headers={"Content-Type": "application/json"},
            max_retries=RETRIES,
        )
        assert answer.ok
        calibration.pub.make_owners()
        page.goto(f"{host}/calibrate")
        page.wait_for_selector('#advice [data-code="no_sheet"]')
        assert violations(page) == []
        page.click("#lay")
        page.wait_for_selector("#found .marker:nth-of-type(8)", state="attached")
        page.wait_for_selector("#advice .well")
        assert violations(page) == []
        OUT.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=OUT / "calibrate-390.png", full_page=True)
        page.click("#sheet")
        page.wait_for_selector("#empty:not([disabled])")
        page.click("#lay")
        page.wait_for_selector("#found .marker", state="detached")
        page.click("#empty")
        page.wait_for_selector("#says:has-text('Calibrated')")
        page.wait_for_selector("#lens:has-text('measured')")
        page.wait_for_selector("#die:not([disabled])")
        assert violations(page) == []
        page.evaluate("document.documentElement.dataset.look = 'light'")
        assert violations(page) == []
        page.wait_for_function("() => document.getElementById('picture').naturalWidth === 1280")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert wrong == []
        page.context.close()
    assert load_calibration(calibration.folder) is not None
