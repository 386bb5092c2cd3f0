"""Panels of each game: dice, notes, counters, score sheet and goal."""

from __future__ import annotations

import itertools

import pytest

from companion.games.crag.scoring import CATEGORIES, points_for
from companion.games.engine.transcript import Transcript
from companion.games.engine.views.panels import Counter, Goal, Keeping, Panels, ScoreSheet, default_panels
from companion.games.engine.views.phrase import Phrase
from companion.games.registry import GAMES, game_named
from tests.games.playing import BOMB, STOP, begun, keep, point, score, throw, told

MIXED = throw(5, 5, 2, 2, 1, 4, 6)
WIPED = [MIXED, point(5), throw(2, 3, 3, 4, 6)]


def panels(transcript: Transcript) -> Panels:
    return game_named(transcript.header.game).panels(transcript.state)


def can(transcript: Transcript) -> list[str]:
    return [phrase.code for phrase in panels(transcript).can]


def test_the_page_data_of_a_crib_dice_throw_list_the_values_that_can_be_named_as_point() -> None:
    assert panels(told("crib_dice", MIXED)).can == (Phrase("can.point", {"values": [2, 5]}),)


def test_crib_dice_frozen_at_the_point_are_displayed_apart_from_the_other_dice() -> None:
    shown = panels(told("crib_dice", MIXED, point(5), throw(5, 1, 3, 4, 6)))
    assert (shown.kept, shown.dice) == ((5, 5, 5), (1, 3, 4, 6))
    assert panels(told("crib_dice", MIXED)).kept == ()


def test_pages_show_the_points_of_the_turn_in_crib_dice_and_crapola_but_not_in_crag() -> None:
    assert [panels(begun(game)).worth for game in ("crib_dice", "crag", "crapola")] == [True, False, True]


def test_crib_dice_turn_points_are_not_shown_once_a_bomb_is_announced() -> None:
    bomb = [MIXED, point(5), STOP, throw(1, 1, 1, 1, 1, 2, 3), point(1)]
    rules = {"rules": {"bomb": True}}
    assert panels(told("crib_dice", *bomb, header=rules)).worth
    assert not panels(told("crib_dice", *bomb, BOMB, header=rules)).worth


def test_crib_dice_action_texts_distinguish_a_throw_a_bank_a_piddle_and_a_bomb() -> None:
    assert can(told("crib_dice")) == ["can.throw"]
    assert can(told("crib_dice", MIXED, point(5))) == ["can.throw", "can.bank"]
    five = [throw(3, 3, 3, 3, 3, 1, 2), point(3)]
    assert can(told("crib_dice", *five)) == ["can.piddle", "can.bank"]
    bomb = [MIXED, point(5), STOP, throw(1, 1, 1, 1, 1, 2, 3), point(1)]
    rules = {"rules": {"bomb": True}}
    assert can(told("crib_dice", *bomb, header=rules)) == ["can.piddle", "can.bank", "can.bomb"]
    assert can(told("crib_dice", *bomb, BOMB, header=rules)) == ["can.bomb_throw"]


@pytest.mark.parametrize("find_a_loser", [False, True])
def test_crib_dice_pages_tell_the_last_round_once_a_side_finished_unless_under_find_a_loser(find_a_loser: bool) -> None:
    header = {"players": ["Ann", "Ben", "Cat"], "rules": {"find_a_loser": find_a_loser}}
    turns = [[throw(6, 6, 6, 6, 6, 6, 6), point(6), STOP], *[[MIXED, point(5), STOP]] * 2] * 4
    begun_round = [each for turn in turns for each in turn]
    assert panels(told("crib_dice", *begun_round, header=header)).goal is None
    finished = told("crib_dice", *begun_round, *turns[0], header=header)
    assert "finished" in [event.code for event in finished.state.events]
    assert panels(finished).goal == (None if find_a_loser else Goal(121, ("goal.last_round",)))


def test_the_rules_engines_default_page_text_offers_to_throw_or_bank_in_a_crib_dice_turn() -> None:
    shown = default_panels(told("crib_dice", MIXED, point(5)).state)
    assert shown == Panels(can=(Phrase("can.throw", {"count": [5]}), Phrase("can.bank", {"points": 2})), notes=((), ()))


def test_crib_dice_data_for_the_pages_counts_wipe_outs_and_marks_a_fuchled_player() -> None:
    lines = [*WIPED, MIXED, point(5), STOP]
    assert panels(told("crib_dice", *lines)).counters == (Counter("player.wipeouts", (1, 0), 3),)
    pandemonium = {"rules": {"pandemonium": True}}
    assert panels(told("crib_dice", header=pandemonium)).counters == (Counter("player.wipeouts", (0, 0), 4),)
    assert panels(told("crib_dice", *lines * 3)).notes == (("player.fuchled",), ())


def test_crib_dice_pages_note_which_players_are_finished_fuchled_or_out() -> None:
    home = [throw(*[6] * 7), point(6)] * 5
    assert panels(told("crib_dice", *home, STOP)).notes == (("player.finished",), ())
    out = [*WIPED, *WIPED, MIXED, point(5), STOP]
    rules = {"rules": {"double_fuchle": True}}
    fuchled = panels(told("crib_dice", *out * 4, players=3, header=rules)).notes
    assert fuchled == (("player.fuchled",), ("player.fuchled",), ())
    gone = panels(told("crib_dice", *out * 4, *WIPED, players=3, header=rules)).notes
    assert gone == (("player.out",), ("player.fuchled",), ())


@pytest.mark.parametrize("strict", [False, True])
def test_the_crag_score_sheet_shows_for_each_row_what_the_thrown_dice_would_score(strict: bool) -> None:
    rules = {"rules": {"thirteen_without_double": strict}}
    for roll in itertools.combinations_with_replacement(range(1, 7), 3):
        shown = panels(told("crag", throw(*roll), players=1, header=rules))
        assert shown.sheet is not None
        assert shown.sheet.offers == tuple(points_for(row, roll, strict) for row in CATEGORIES)
        assert (shown.worth, shown.sheet.rows) == (False, CATEGORIES)


def test_the_crag_score_sheet_offers_no_points_for_a_row_that_already_has_a_score() -> None:
    shown = panels(told("crag", throw(6, 6, 1), score("sixes"), throw(1, 2, 3), players=1)).sheet
    assert shown is not None
    sixes = CATEGORIES.index("sixes")
    assert [points for points in shown.columns[0] if points is not None] == [12]
    assert (shown.columns[0][sixes], shown.offers[sixes], shown.latest) == (12, None, (sixes,))
    again = panels(told("crag", throw(6, 6, 1), keep(6, 6), players=1))
    assert again.sheet is not None
    assert set(again.sheet.offers) == {None}, "two dice score nothing"
    assert (again.dice, again.keeping) == ((6, 6), None)


def test_after_a_throw_the_page_data_offer_a_rethrow_in_crag_and_set_aside_in_crapola() -> None:
    thrown = told("crag", throw(6, 6, 1))
    assert (panels(thrown).keeping, can(thrown)) == (Keeping("again"), ["can.again", "can.score"])
    thrown = told("crapola", throw(1, 5, 2, 3, 4, 4))
    assert (panels(thrown).keeping, can(thrown)) == (Keeping("set_aside", (1, 5)), ["can.keep"])
    kept = told("crapola", throw(1, 5, 2, 3, 4, 4), keep(1), rules={"entry": 0})
    assert (panels(kept).kept, can(kept)) == ((1,), ["can.throw", "can.bank"])


def test_crapola_lists_throwing_and_spending_points_as_possible_when_a_turn_begins() -> None:
    hot = [throw(1, 2, 3, 4, 5, 6), keep(1, 2, 3, 4, 5, 6), STOP]
    assert can(told("crapola", *hot, *hot)) == ["can.throw", "can.spend"]


def test_the_page_data_of_a_crapola_game_show_the_target_and_the_last_round() -> None:
    rules = {"rules": {"target": 100, "entry": 0}}
    assert panels(begun("crapola", header=rules)).goal == Goal(100)
    last = told("crapola", throw(1, 2, 2, 3, 3, 4), keep(1), STOP, players=3, header=rules)
    assert panels(last).goal == Goal(100, ("goal.last_round",))
    assert panels(last).notes == ((), ("player.not_on_board",), ("player.not_on_board",))


def test_crapola_shows_the_direction_of_play_only_when_reversed_among_three() -> None:
    crapped_out = throw(2, 2, 3, 3, 4, 6)
    assert panels(begun("crapola")).goal == Goal(15000)
    assert panels(told("crapola", crapped_out, players=3)).goal == Goal(15000, ("goal.anticlockwise",))
    assert panels(told("crapola", crapped_out, crapped_out, players=3)).goal == Goal(15000)
    assert panels(told("crapola", crapped_out, players=2)).goal == Goal(15000)


def test_page_data_for_a_crib_dice_turn_contain_actions_dice_wipe_outs_and_explanation() -> None:
    assert panels(told("crib_dice", *WIPED, MIXED, point(5), throw(5, 1, 3, 4, 6), players=3)) == Panels(
        can=(Phrase("can.throw", {"count": [4]}), Phrase("can.bank", {"points": 5})),
        dice=(1, 3, 4, 6),
        kept=(5, 5, 5),
        notes=((), (), ()),
        counters=(Counter("player.wipeouts", (1, 0, 0), 3),),
        lesson=(
            Phrase("lesson.crib_joined", {"value": 5, "frozen": 3, "points": 5}),
            Phrase("lesson.crib_go_on", {"value": 5, "points": 5}),
        ),
    )


def test_after_a_crapola_rethrow_the_players_are_shown_thrown_kept_and_scoring_dice() -> None:
    lines = [throw(1, 5, 2, 3, 4, 4), keep(1), throw(5, 2, 3, 3, 4)]
    assert panels(told("crapola", *lines)) == Panels(
        can=(Phrase("can.keep", {"points": 100}),),
        dice=(2, 3, 3, 4, 5),
        kept=(1,),
        notes=(("player.not_on_board",),) * 2,
        goal=Goal(15000),
        keeping=Keeping("set_aside", (5,)),
        lesson=(Phrase("lesson.crapola_keep", {}),),
    )


def test_the_kept_dice_shown_for_crapola_are_empty_once_hot_dice_are_thrown_again() -> None:
    hot = [throw(1, 2, 3, 4, 5, 6), keep(1, 5), throw(1, 1, 5, 5), keep(1, 1, 5, 5)]
    assert panels(told("crapola", *hot)).kept == (1, 5, 1, 1, 5, 5)
    assert panels(told("crapola", *hot, throw(1, 2, 3, 3, 4, 6))).kept == ()
    again = [*hot, throw(1, 2, 3, 3, 4, 6), keep(1), throw(2, 3, 3, 4, 5)]
    assert (panels(told("crapola", *again)).kept, panels(told("crapola", *again)).dice) == ((1,), (2, 3, 3, 4, 5))


def test_page_data_for_a_crag_turn_contain_actions_dice_score_sheet_and_explanation() -> None:
    shown = panels(told("crag", throw(6, 6, 1), score("sixes"), throw(1, 2, 3)))
    assert shown.sheet is not None
    assert shown == Panels(
        can=(Phrase("can.again", {"points": 0}), Phrase("can.score", {"points": 0})),
        dice=(1, 2, 3),
        worth=False,
        notes=((), ()),
        sheet=ScoreSheet(CATEGORIES, shown.sheet.columns, shown.sheet.offers, (CATEGORIES.index("sixes"), None)),
        keeping=Keeping("again"),
        lesson=(Phrase("lesson.crag_thrown", {"category": "low_straight", "points": 20}),),
    )


def test_a_roll_off_lists_the_totals_of_those_who_have_thrown_in_this_round() -> None:
    lines = [throw(6, 3), throw(1, 2), throw(4, 5), throw(1, 1)]
    wanted = [([], []), (["Ann"], [9]), (["Ann", "Ben"], [9, 3]), ([], []), (["Ann"], [2])]
    for count, (players, totals) in enumerate(wanted):
        args = panels(told("crag", *lines[:count], players=3, roll_off=True)).can[0].args
        assert args == {"count": [2], "players": players, "totals": totals}


@pytest.mark.parametrize("game", GAMES)
def test_a_roll_off_offers_a_throw_of_two_dice_and_shows_the_games_usual_score_sheet(game: str) -> None:
    shown = panels(begun(game, header={"roll_off": True}))
    playing = panels(begun(game))
    assert shown.can == (Phrase("can.roll_off", {"count": [2], "players": [], "totals": []}),)
    assert (shown.sheet, shown.goal, shown.dice) == (playing.sheet, playing.goal, ())
    assert (shown.worth, shown.notes) == (playing.worth, playing.notes)
