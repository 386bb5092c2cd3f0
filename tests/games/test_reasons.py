"""Reasons for the best option: facts of the position, how safe a throw is, and what the second-best option costs."""

from __future__ import annotations

from companion.games.advice.reasons import reasons_for
from companion.games.engine.game import Keep, Stop
from companion.games.engine.views.phrase import Phrase
from tests.games.playing import keep, score, throw, told
from tests.games.test_crapola import bank

FIRST_BANK = Phrase("first_bank", {"player": "Ann", "points": 1000})


def test_reasons_for_the_best_option_list_facts_then_throw_safety_then_its_lead_over_the_second_best() -> None:
    """Five dice crap out in 600 of 7776 throws: 92.3 % are safe."""
    state = told("crapola", throw(1, 2, 2, 3, 3, 4), keep(1)).state
    safe = Phrase("safe", {"percent": 92})
    points = reasons_for(state, "points", ((5, 500.0), (Stop(), 467.72)))
    assert points == (FIRST_BANK, safe, Phrase("gap.points", {"less": 32.3}))
    games = reasons_for(state, "games", ((Stop(), 0.5), (5, -0.75)))
    assert games == (FIRST_BANK, safe, Phrase("gap.games", {"less": 1.2})), "1.25 is halfway and rounds to even"


def test_option_reasons_state_a_gap_in_win_odds_in_percentage_points() -> None:
    state = told("crapola").state
    found = reasons_for(state, "win", ((6, 0.75), (7, 0.625)))
    assert found == (FIRST_BANK, Phrase("safe", {"percent": 98}), Phrase("gap.win", {"less": 12.5}))


def test_reasons_for_throwing_7_instead_of_6_crapola_dice_do_not_mention_crap_out_risk() -> None:
    behind = told("crapola", *bank(7000)).state
    found = reasons_for(behind, "points", ((7, 900.0), (6, 600.0)))
    assert found == (Phrase("first_bank", {"player": "Ben", "points": 1000}), Phrase("gap.points", {"less": 300.0}))


def test_reasons_omit_the_chance_of_a_safe_throw_if_throwing_is_not_among_the_best_two_options() -> None:
    state = told("crapola").state
    found = reasons_for(state, "points", ((Stop(), 300.0), (Keep((1,)), 200.0), (6, 100.0)))
    assert found == (FIRST_BANK, Phrase("gap.points", {"less": 100.0}))


def test_reasons_for_crag_options_omit_throw_safety_because_no_crag_throw_can_fail() -> None:
    state = told("crag", throw(1, 2, 3), score("ones"), throw(1, 2, 3), score("crag")).state
    found = reasons_for(state, "points", ((3, 100.0), (2, 90.0)))
    assert found == (Phrase("best_row_open", {}), Phrase("gap.points", {"less": 10.0}))
