"""Tests of what the scoreboard says of the newest throw, and of how far each side has to go, in Chromium."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from companion.table.commands import PlayLine, StartGame
from tests.web.phones import visit
from tests.web.pub import HEADER, Pub, observation, opened, play, served

pytestmark = pytest.mark.browser


def test_scoreboard_page_shows_a_doubtful_throw_without_the_kept_dice(chromium: Any, tmp_path: Path) -> None:
    with opened(tmp_path) as pub, served(pub) as address:
        table, page = pub.table, chromium.new_page()
        table.submit(StartGame(header={**HEADER, "game": "crib_dice", "players": ["Ann", "Ben"]}))
        table.submit(observation([], at_s=90.0))
        table.submit(observation([5, 5, 1, 2, 3, 4, 6], at_s=100.0))
        table.submit(PlayLine(number=table.snapshot().number, line={"do": "point", "value": 5}))
        table.submit(observation([], at_s=120.0))
        table.submit(observation([5, 1, 2, 3], [5, 5], at_s=140.0))
        question = table.snapshot().question
        assert question is not None
        assert sorted(question.values) == [1, 2, 3, 5, 5, 5], "the question has the kept dice, too"
        page.goto(address)
        expect(page.locator("#last")).to_have_text("Ann threw 5, 1, 2, 3: not counted yet.")


def test_the_scoreboards_newest_line_shows_a_question_mark_for_a_doubted_die(pub: Pub, visiting: Any) -> None:
    """The stage draws it as “?”: the line gave the guess away as if it were read."""
    pub.table.submit(StartGame(header={**HEADER, "game": "crag"}))
    pub.table.submit(observation([], at_s=90.0))
    pub.table.submit(observation([6, 6, 1], doubt="disagree", at_s=100.0))
    page = visiting("/")
    assert page.locator("#felt .die").count() == 3
    assert page.inner_text("#last") == "Ann threw ?, 6, 1: not counted yet."


def test_scoreboard_shows_points_to_the_crapola_target_before_the_first_bank(chromium: Any, tmp_path: Path) -> None:
    with opened(tmp_path) as pub, served(pub) as address:
        page = chromium.new_page()
        header = {**HEADER, "game": "crapola", "players": ["Ann", "Ben"], "rules": {"target": 3000}}
        pub.table.submit(StartGame(header=header))
        page.goto(address)
        expect(page.locator("#players li").first).to_contain_text("3,000 to go · nothing banked")


def test_the_last_move_on_the_scoreboard_states_the_50_points_of_a_full_crag_only_once(pub: Pub, visiting: Any) -> None:
    pub.table.submit(StartGame(header={**HEADER, "game": "crag"}))
    play(pub, {"throw": [1, 6, 6]}, {"do": "score", "category": "crag"})
    assert visiting("/").inner_text("#last") == "Ann scored 50 in Crag. That is a full Crag, the best row!"


def test_the_dialog_about_a_wrong_number_of_dice_states_the_numbers_only_once(pub: Pub, visiting: Any) -> None:
    pub.table.submit(StartGame(header=HEADER))
    pub.table.submit(observation([], at_s=90.0))
    pub.table.submit(observation([5, 5, 2, 3, 1, 4], at_s=100.0))
    page = visiting("/control", paired=True)
    assert page.locator("dialog p").all_inner_texts() == ["Dice seen: 6, wanted: 7"]


def test_the_dice_page_says_not_enough_throws_yet_if_no_dice_were_thrown(tmp_path: Path, chromium: Any) -> None:
    with opened(tmp_path, evening=True) as pub, served(pub) as address:
        page = visit(chromium, address + "/dice")
        assert page.inner_text("#verdict") == "Not enough throws yet."
        assert page.inner_text("#power") == ""
