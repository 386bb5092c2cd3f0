"""A wrong number of dice in the tray: what the pages say of it, and where its question can be answered."""

from __future__ import annotations

from typing import Any

import pytest

from companion.table.commands import StartGame
from tests.web.pub import HEADER, Pub, observation

pytestmark = pytest.mark.browser
SIX = {**HEADER, "game": "crapola"}


def test_pages_say_that_too_many_dice_lie_there_and_ask_for_another_throw(pub: Pub, visiting: Any) -> None:
    pub.table.submit(StartGame(header=SIX))
    page = visiting("/")
    pub.table.submit(observation([1, 2, 3, 4, 4, 6, 6], doubt="count"))
    page.wait_for_selector("#can:has-text('7 dice, not 6')")
    assert page.inner_text("#notice").startswith("Ann: throw 6 dice again")
    assert "floor" not in page.inner_text("main")


def test_pages_still_count_the_dice_that_are_seen_where_some_are_missing(pub: Pub, visiting: Any) -> None:
    pub.table.submit(StartGame(header=SIX))
    page = visiting("/")
    pub.table.submit(observation([1, 2, 3, 4, 4], doubt="count"))
    page.wait_for_selector("#can:has-text('5 of 6 dice')")


def test_on_a_phone_on_its_side_the_answers_stand_in_view_below_the_photo(pub: Pub, visiting: Any) -> None:
    pub.table.submit(StartGame(header=SIX))
    page = visiting("/control", paired=True)
    page.set_viewport_size({"width": 844, "height": 390})
    pub.table.submit(observation([1, 2, 3, 4, 4, 6, 6], doubt="count"))
    page.wait_for_function("() => document.querySelector('dialog .photo')?.naturalWidth > 0")
    answer = page.locator("dialog .main").bounding_box()
    assert answer["y"] + answer["height"] <= 390
