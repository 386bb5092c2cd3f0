"""A wrong number of dice in the tray: what the pages say of it, and where its question can be answered."""

from __future__ import annotations

from typing import Any

import pytest

from companion.table.commands import StartGame
from tests.web.phones import OVER
from tests.web.pub import HEADER, Pub, observation

pytestmark = pytest.mark.browser
SIX = {**HEADER, "game": "crapola"}


def test_scoreboard_says_7_dice_not_6_are_in_the_tray_and_asks_to_throw_again(pub: Pub, visiting: Any) -> None:
    pub.table.submit(StartGame(header=SIX))
    page = visiting("/")
    pub.table.submit(observation([1, 2, 3, 4, 4, 6, 6], doubt="count"))
    page.wait_for_selector("#can:has-text('7 dice, not 6')")
    assert page.inner_text("#notice").startswith("Ann: throw again, just 6,")
    assert "floor" not in page.inner_text("main")


def test_the_scoreboard_says_5_of_6_dice_when_the_camera_sees_only_five(pub: Pub, visiting: Any) -> None:
    pub.table.submit(StartGame(header=SIX))
    page = visiting("/")
    pub.table.submit(observation([1, 2, 3, 4, 4], doubt="count"))
    page.wait_for_selector("#can:has-text('5 of 6 dice')")


def test_dice_count_question_keeps_its_main_answer_in_view_on_a_landscape_phone(pub: Pub, visiting: Any) -> None:
    pub.table.submit(StartGame(header=SIX))
    page = visiting("/control", paired=True)
    page.set_viewport_size({"width": 844, "height": 390})
    pub.table.submit(observation([1, 2, 3, 4, 4, 6, 6], doubt="count"))
    page.wait_for_function("() => document.querySelector('dialog .photo')?.naturalWidth > 0")
    answer = page.locator("dialog .main")
    box = answer.bounding_box()
    assert 0 <= box["y"] <= 390 - box["height"]
    assert answer.evaluate(OVER, (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)) == "", "it is covered"
