"""Facts about a position, which puzzles and votes give as reasons."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from companion.games.crib_dice.facts import facts
from companion.games.crib_dice.state import CribDice, Phase, Turn
from companion.games.engine.views.phrase import Phrase
from companion.games.registry import GAMES
from tests.games.crib_turns import bank
from tests.games.playing import STOP, begun, keep, score, throw, told
from tests.games.test_crapola import LATE_CRAP
from tests.games.test_win_odds import board_at

CRAG_ROWS = [
    *("ones", "twos", "threes", "fours", "fives", "sixes"),
    *("odd_straight", "even_straight", "low_straight", "high_straight", "three_of_a_kind", "thirteen"),
]
"""The rows of a Crag sheet but `crag`."""
STRAIGHT = [throw(1, 2, 3, 4, 5, 6), keep(1, 2, 3, 4, 5, 6)]


def codes(*points: int, **header: object) -> list[str]:
    """Return the facts' codes after turns of three players that bank these points."""
    state = told("crib_dice", *[line for each in points for line in bank(each)], players=3, **header).state
    return [fact.code for fact in GAMES["crib_dice"].facts(state)]


def test_crib_dice_game_facts_mention_a_large_gap_in_points_only_before_a_player_finishes() -> None:
    assert codes(10, 60, 10) == ["behind"]
    assert codes(10, 60, 10, 10) == ["ahead"]
    assert codes(10, 60, 10, 121) == [], "the second is ahead of the third alone"


@pytest.mark.parametrize(
    ("pegs", "wanted"), [((50, 64), ""), ((50, 65), "behind"), ((65, 50), "ahead"), ((64, 50), "")]
)
def test_facts_about_a_crib_dice_position_mention_a_gap_of_15_but_not_14(pegs: tuple[int, int], wanted: str) -> None:
    assert facts(CribDice(board_at(*pegs))) == ((Phrase(wanted, {"player": "Ann", "count": 15}),) if wanted else ())


@pytest.mark.parametrize(("pandemonium", "wipeouts"), [(False, 2), (True, 3)])
def test_crib_dice_warns_only_when_the_next_wipe_out_would_be_a_fuchle(pandemonium: bool, wipeouts: int) -> None:
    def warned(count: int) -> tuple[Phrase, ...]:
        return facts(CribDice(board_at(50, 50, turn=1, wipeouts=(2, count), pandemonium=pandemonium)))

    assert warned(wipeouts) == (Phrase("next_is_fuchle", {"player": "Ben", "count": wipeouts}),)
    assert all(warned(count) == () for count in range(wipeouts))


def test_crib_dice_facts_warn_if_one_more_wipe_out_would_put_a_player_out_by_double_fuchle() -> None:
    fuchled = replace(board_at(50, 0, turn=1, wipeouts=(0, 1), double_fuchle=True), fuchled=frozenset({1}))
    assert facts(CribDice(fuchled))[0] == Phrase("next_is_out", {"player": "Ben"})
    assert facts(CribDice(replace(fuchled, wipeouts=(0, 0))))[0].code == "behind"


def test_crib_dice_facts_say_if_stopping_now_would_move_the_player_past_the_last_hole() -> None:
    """A set of three 5s scores 5: from hole 116 to 121, which is past the end; from 115 to 120, which is not."""
    three = Turn("choosing", 0, 5, 3, (1, 2, 3, 4, 5, 5, 5))
    assert facts(CribDice(board_at(116, 50), three)) == (Phrase("stop_passes_the_end", {"player": "Ann"}),)
    assert facts(CribDice(board_at(115, 50), three)) == (Phrase("ahead", {"player": "Ann", "count": 65}),)


@pytest.mark.parametrize("phase", ["fresh", "naming", "again", "bombing"])
def test_crib_dice_position_facts_do_not_mention_banking_while_it_is_not_allowed(phase: Phase) -> None:
    """The fault: a puzzle that asked which point to name said that banking passes the last hole."""
    turn = Turn(phase, gathered=15, dice=(1, 2, 2, 4, 4, 5, 6))
    assert facts(CribDice(board_at(116, 50), turn)) == (Phrase("ahead", {"player": "Ann", "count": 66}),)


def test_the_list_of_crib_dice_facts_is_empty_in_a_roll_off_and_after_the_end() -> None:
    assert facts(begun("crib_dice", roll_off=True).state) == ()
    assert facts(CribDice(replace(board_at(50, 121, turn=1), over=True))) == ()


def crag_facts(*rows: str) -> tuple[Phrase, ...]:
    """Return the facts of a game of Crag for one player who has filled these rows."""
    lines = [line for row in rows for line in (throw(1, 2, 3), score(row))]
    return GAMES["crag"].facts(told("crag", *lines, players=1).state)


@pytest.mark.parametrize("filled", range(13))
def test_crag_facts_count_the_empty_rows_if_at_most_four_are_left_and_mention_an_empty_crag_row(filled: int) -> None:
    left = [Phrase("rows_left", {"count": 13 - filled})] if filled >= 9 else []
    assert crag_facts(*CRAG_ROWS[:filled]) == (*left, Phrase("best_row_open", {}))
    after_crag = [Phrase("rows_left", {"count": 12 - filled})] if 8 <= filled < 12 else []
    assert crag_facts("crag", *CRAG_ROWS[:filled]) == tuple(after_crag), "none after the end"


def crapola_facts(*lines: dict[str, Any], **header: Any) -> tuple[Phrase, ...]:
    return GAMES["crapola"].facts(told("crapola", *lines, **header).state)


def test_crapola_facts_mention_the_minimum_first_bank_until_the_turn_points_reach_it() -> None:
    missing = (Phrase("first_bank", {"player": "Ben", "points": 1000}),)
    assert crapola_facts(first="Ben") == missing
    nearly = [throw(1, 1, 1, 2, 3, 4), keep(1, 1, 1)]
    assert crapola_facts(*nearly, first="Ben") == (), "1000 points can be banked"
    assert crapola_facts(throw(6, 6, 6, 6, 1, 1), keep(6, 6, 6, 1, 1), first="Ben") == missing, "800 can't"


@pytest.mark.parametrize(("target", "reached"), [(1999, True), (2000, True), (2001, False), (2050, False)])
def test_crapola_facts_shown_to_players_name_a_bank_only_if_it_reaches_the_target(target: int, reached: bool) -> None:
    """Ann has banked 1000 points, and has 1000 more in this turn."""
    wanted = (Phrase("bank_reaches_target", {"player": "Ann"}),) if reached else ()
    assert crapola_facts(*STRAIGHT, STOP, *LATE_CRAP, *STRAIGHT, rules={"target": target}) == wanted


def test_no_facts_about_the_position_are_given_in_a_crag_or_crapola_roll_off_or_an_ended_crapola_game() -> None:
    for game in ("crag", "crapola"):
        assert GAMES[game].facts(begun(game, roll_off=True).state) == ()
    ended = told("crapola", *STRAIGHT, STOP, *STRAIGHT, STOP, rules={"target": 1000}).state
    assert ended.standing.over
    assert GAMES["crapola"].facts(ended) == ()
