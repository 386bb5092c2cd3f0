"""The pages of the game name a part that is ill, and the cure, until it is well again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from companion.evidence.lesson import Teacher
from companion.evidence.taught import TaughtSets
from companion.table.commands import StartGame
from tests.waiting import until
from tests.web.phones import live, phone
from tests.web.pub import HEADER, opened, served

pytestmark = pytest.mark.browser
LOOK_MS = 15_000
"""Milliseconds after the answer to a page's health request until it asks again."""
DARK = "The camera sees only black. Switch the lamp on. Until then, enter throws by phone."


@pytest.fixture
def parts() -> dict[str, Any]:
    """Return the parts in the health report of the table; a test makes one ill."""
    return {name: {"ok": True, "says": ""} for name in ("league", "strip", "camera")}


@pytest.fixture
def address(tmp_path: Path, parts: dict[str, Any]) -> Iterator[str]:
    """Serve a table with that health report and a game of Crag, whose first player is to throw; yield its URL."""
    with opened(tmp_path, health={"status": "degraded", "parts": parts}) as pub, served(pub) as url:
        pub.table.submit(StartGame(header={**HEADER, "game": "crag"}))
        yield url


@pytest.mark.parametrize("path", ["/", "/tv", "/control"])
def test_scoreboard_tv_and_control_page_show_a_camera_fault_until_it_is_gone(
    chromium: Any, address: str, parts: dict[str, Any], path: str
) -> None:
    page = phone(chromium, address, paired=True)
    page.context.spent = True
    page.clock.install()
    live(page, address + path)
    expect(page.locator("#ill")).to_be_hidden()
    expect(page.locator("#can")).to_have_text("throw 3 dice")
    parts["camera"] = {"ok": False, "says": DARK}
    assert until(lambda: page.clock.fast_forward(LOOK_MS) or page.inner_text("#ill") == f"Camera: {DARK}")
    expect(page.locator("#can")).to_have_text("enter your throw by phone")
    parts["camera"] = {"ok": True, "says": ""}
    assert until(lambda: page.clock.fast_forward(LOOK_MS) or page.locator("#ill").is_hidden())
    expect(page.locator("#can")).to_have_text("throw 3 dice")
    assert page.errors == []


def test_the_main_button_of_the_control_page_says_enter_a_throw_while_the_camera_fails(
    chromium: Any, address: str, parts: dict[str, Any]
) -> None:
    parts["camera"] = {"ok": False, "says": DARK}
    page = phone(chromium, address, paired=True)
    live(page, f"{address}/control")
    expect(page.locator("#big .main")).to_have_text("Enter a throw")


def test_scoreboard_names_a_faulty_led_strip_and_still_asks_for_a_throw(
    chromium: Any, address: str, parts: dict[str, Any]
) -> None:
    parts["strip"] = {"ok": False, "says": "It does not answer. Check its cable."}
    page = phone(chromium, address)
    live(page, address)
    expect(page.locator("#ill")).to_have_text("Lights: It does not answer. Check its cable.")
    expect(page.locator("#can")).to_have_text("throw 3 dice")


def test_the_tv_says_that_no_throw_counts_while_dice_are_taught(
    chromium: Any, address: str, parts: dict[str, Any], tmp_path: Path
) -> None:
    teacher = Teacher(TaughtSets(tmp_path / "taught"))
    teacher.begin("clear")
    well, says = teacher.health()
    parts["taught"] = {"ok": well, "says": says}
    page = phone(chromium, address, "1280x720")
    live(page, f"{address}/tv")
    expect(page.locator("#ill")).to_contain_text("No throw counts until that ends")


def test_the_scoreboard_does_not_show_that_the_league_server_is_unreachable(
    chromium: Any, address: str, parts: dict[str, Any]
) -> None:
    parts["league"] = {"ok": False, "says": "Its server can't be reached."}
    page = phone(chromium, address)
    with page.expect_response("**/healthz"):
        live(page, address)
    expect(page.locator("#can")).to_have_text("throw 3 dice")
    expect(page.locator("#ill")).to_be_hidden()
