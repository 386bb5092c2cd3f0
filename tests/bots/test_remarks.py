"""Remarks of the house: about what cost or gained much, from the exact odds, no wording twice in an evening."""

from __future__ import annotations

from typing import Any

import pytest

from companion.bots.remarks import WORDINGS, Remarks, notable
from companion.table.settings import TableSettings
from tests.games.playing import STOP, keep, point, score, throw, told
from tests.web.pub import HEADER, Pub, opened, play
from web.catalogue import ARGUMENT, LANGUAGES, texts

GOOD, BAD = throw(6, 6, 6, 6, 2, 2, 1), point(2)


def test_a_remark_on_a_costly_choice_of_the_crib_dice_point_names_a_better_point() -> None:
    found = notable(told("crib_dice", GOOD, BAD))
    assert found is not None
    assert (found[0], found[2]) == ("cost", {"do": "point", "value": 6})
    assert found[1] > 5


def test_a_best_or_slightly_worse_decision_gets_no_bot_remark() -> None:
    assert notable(told("crib_dice", GOOD, point(6))) is None
    assert notable(told("crag", throw(1, 1, 2), score("ones"))) is None


def test_a_decision_that_costs_points_but_is_the_best_one_for_winning_gets_no_bot_remark() -> None:
    """Ann opened the last round with 2,000; Ben has 1,000 and 1,000 in this turn: a bank is a tie, which Ann wins."""
    ones = [throw(1, 1, 1, 2, 3, 4), keep(1, 1, 1)]
    lines = [*ones, STOP, *ones, STOP, *ones, STOP, *ones]
    assert notable(told("crapola", *lines, throw(2, 3, 4), rules={"target": 2000})) is None
    found = notable(told("crapola", *lines[:6], *ones, throw(2, 3, 4), rules={"target": 2000}))
    assert found is not None
    assert found[2] == STOP, "before the last round it is a mistake"


def test_a_lucky_crib_dice_throw_gets_a_bot_remark_except_as_first_throw_of_the_turn() -> None:
    risk = [throw(6, 6, 1, 2, 3, 4, 5), point(6), throw(6, 6, 6, 6, 1)]
    found = notable(told("crib_dice", *risk))
    assert found is not None
    assert found[0] == "won"
    assert notable(told("crib_dice", throw(6, 6, 6, 6, 6, 6, 1))) is None


def test_a_lucky_second_throw_of_a_crag_turn_gets_a_bot_remark() -> None:
    found = notable(told("crag", throw(6, 6, 2), keep(6, 6), throw(1)))
    assert found is not None
    assert found[0] == "won"


def mistake(pub: Pub) -> None:
    """Have the player on turn name the poor point and bank."""
    play(pub, GOOD, BAD)


@pytest.mark.parametrize("on", [True, False])
def test_a_mistake_gets_a_bot_remark_unless_the_remarks_setting_is_off(tmp_path: Any, on: bool) -> None:
    with opened(tmp_path) as pub:
        pub.start()
        mistake(pub)
        said = Remarks(pub.table.state, lambda: TableSettings(name="The Plough", remarks=on)).newest()
        assert said["number"] == pub.table.snapshot().number
        assert said["by"] == "The Plough"
        assert (said["remark"] is not None) is on
        if on:
            assert said["remark"]["player"] == "Ann"


def test_mistake_remarks_bear_the_house_name_setting_and_stop_in_tournament_mode(tmp_path: Any) -> None:
    with opened(tmp_path) as pub:
        pub.start()
        mistake(pub)
        assert Remarks(pub.table.state, lambda: TableSettings(house_name="Maud")).newest()["by"] == "Maud"
        pub.host().post("/api/games", json={**HEADER, "terms": {"serious": True}})
        mistake(pub)
        assert Remarks(pub.table.state, lambda: TableSettings()).newest()["remark"] is None


def test_no_wording_of_a_bot_remark_repeats_in_a_sitting_despite_a_restart(tmp_path: Any) -> None:
    with opened(tmp_path) as pub:
        pub.start()
        remarks, heard = Remarks(pub.table.state, TableSettings), []
        for at in range(WORDINGS + 3):
            if at == WORDINGS // 2:
                remarks = Remarks(pub.table.state, TableSettings)
            if pub.table.snapshot().state["over"]:  # type: ignore[index]
                pub.start()
            for line in (GOOD, BAD, STOP):
                play(pub, line)
                heard.append(remarks.newest()["remark"])
        wordings = [each["wording"] for each in heard if each]
        assert sorted(wordings) == list(range(WORDINGS))


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_all_wordings_of_bot_remarks_with_player_and_points(language: str) -> None:
    allowed = {"cost": {"player", "points", "better"}, "won": {"player", "points"}}
    for kind, arguments in allowed.items():
        lines = [texts(language)[f"remark.{kind}.{at}"] for at in range(WORDINGS)]
        assert len(set(lines)) == WORDINGS
        assert f"remark.{kind}.{WORDINGS}" not in texts(language)
        for line in lines:
            assert {"player", "points"} <= set(ARGUMENT.findall(line)) <= arguments, line
