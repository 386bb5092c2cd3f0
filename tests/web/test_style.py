"""The page /style of the design system: it shows every token and icon, in both looks, without a complaint."""

from __future__ import annotations

from typing import Any

import pytest

from tests.web.accessibility import violations
from tests.web.phones import phone
from tests.web.pub import Pub
from tests.web.style.__main__ import with_style

pytestmark = pytest.mark.browser


def test_style_page_shows_colours_icons_and_dice_accessibly(chromium: Any, pub: Pub, address: str) -> None:
    with_style(pub)
    page = phone(chromium, address, "1280x720")
    page.goto(f"{address}/style")
    page.wait_for_selector("html[data-styled]", state="attached")
    assert page.locator("#colours > *").count() > 20
    assert page.locator("#types > *").count() >= 5
    assert page.locator("#icons > *").count() > 20
    assert page.locator("#dice .die").count() == 10
    for look in ("dark", "light"):
        page.click(f"#{look}")
        assert violations(page) == []
    assert page.errors == []


def test_the_production_web_server_answers_404_for_the_style_page(pub: Pub) -> None:
    assert pub.stranger().get("/style").status_code == 404
