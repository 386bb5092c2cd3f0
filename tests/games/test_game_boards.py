"""Where pegs stand on the track, and which events shine, sound, are called out and cheered."""

from __future__ import annotations

from dataclasses import replace
from sys import float_info
from typing import Any

import pytest

from companion.games.crapola.state import Crapola
from companion.games.crib_dice.state import CribDice
from companion.games.engine.event import Effect, Event
from companion.games.engine.roll_off import RollOff
from companion.games.engine.transcript import GAME_OVER, Transcript
from companion.games.engine.views.board import Peg, Track
from companion.games.registry import GAMES, game_named
from tests.games.playing import STOP, begun, keep, point, score, throw, told

MIXED = throw(5, 5, 2, 2, 1, 4, 6)


def track(transcript: Transcript) -> Track:
    return game_named(transcript.header.game).track(transcript.state)


def test_the_crib_dice_track_has_a_hole_per_point_and_120_or_240_holes() -> None:
    assert track(told("crib_dice", MIXED, point(5), STOP, MIXED, point(5))) == Track(120, (Peg(2, 2), Peg(0, 2)))
    assert track(begun("crib_dice", header={"rules": {"long_game": True}})).holes == 240


def test_crag_pegs_on_the_track_move_a_hole_per_two_points_entered() -> None:
    assert track(told("crag", throw(6, 6, 1), score("sixes"))) == Track(120, (Peg(6, 6), Peg(0, 0)), points_per_hole=2)
    assert track(told("crag", throw(6, 6, 1))) == Track(120, (Peg(0, 0), Peg(0, 0)), points_per_hole=2), (
        "a throw that is not entered moves no peg"
    )


def test_crapola_pegs_on_the_track_move_a_hole_per_125_points() -> None:
    lines = [throw(1, 1, 1, 2, 3, 4), keep(1, 1, 1)]
    assert track(told("crapola", *lines)) == Track(120, (Peg(0, 8), Peg(0, 0)), points_per_hole=125)
    assert track(told("crapola", *lines, STOP)).pegs[0] == Peg(8, 8)


def test_a_crapola_target_beyond_float_range_caps_points_per_hole_at_the_largest_float() -> None:
    shown = track(begun("crapola", header={"rules": {"target": 10**400}}))
    assert shown == Track(120, (Peg(0, 0), Peg(0, 0)), points_per_hole=float_info.max)


@pytest.mark.parametrize("game", GAMES)
def test_all_pegs_are_at_the_start_of_the_track_in_a_roll_off(game: str) -> None:
    rolling = told(game, throw(6, 5), header={"roll_off": True})
    assert isinstance(rolling.state, RollOff)
    assert track(rolling) == track(begun(game))


@pytest.mark.parametrize("game", GAMES)
def test_roll_off_throws_yield_events_with_the_dice_their_total_and_the_throwing_side(game: str) -> None:
    rolling = told(game, throw(6, 5), header={"roll_off": True})
    assert rolling.events == (Event("threw", 0, {"dice": [5, 6]}, 0), Event("rolled_off", 0, {"total": 11}, 0))
    assert [event.side for event in told(game, throw(6, 5), throw(1, 2), header={"roll_off": True}).events] == [1, 1]


def test_crib_dice_events_of_partners_name_the_team_and_for_a_throw_or_point_the_player_too() -> None:
    partners = {"rules": {"partners": True}}
    turn = [MIXED, point(5), STOP]
    third = told("crib_dice", *turn, *turn, MIXED, players=4, header=partners)
    assert third.events == (Event("threw", 0, {"dice": [1, 2, 2, 4, 5, 5, 6]}, 2),)
    named = told("crib_dice", *turn, *turn, MIXED, point(5), players=4, header=partners)
    assert named.events == (Event("point", 0, {"value": 5, "frozen": 2, "count": 2}, 2),)
    banked = told("crib_dice", *turn, *turn, *turn, players=4, header=partners)
    assert banked.events == (Event("banked", 0, {"points": 2, "from": 2, "to": 4}),)


def test_a_crapola_crap_out_emits_its_event_then_a_reversal_of_direction_or_the_end_of_the_game() -> None:
    crapped = throw(2, 2, 3, 3, 4, 6)
    threw = Event("threw", 0, {"dice": [2, 2, 3, 3, 4, 6]}, 0)
    turned = (threw, Event("crapped_out", 0, {"points": 0}), Event("reversed", None, {"direction": -1}))
    assert told("crapola", crapped, players=3).events == turned
    assert [event.code for event in told("crapola", throw(1, 2, 2, 3, 3, 4), keep(1)).events] == ["kept"]
    hot = [throw(1, 2, 3, 4, 5, 6), keep(1, 2, 3, 4, 5, 6), STOP]
    assert [event.code for event in told("crapola", *hot[:2]).events] == ["kept", "hot_dice"]
    over = told("crapola", *hot, crapped, rules={"target": 1000}).events
    assert over == (Event("threw", 1, threw.args, 1), Event("crapped_out", 1, {"points": 0}), GAME_OVER)


@pytest.mark.parametrize("game", GAMES)
def test_game_states_that_differ_only_in_events_are_equal(game: str) -> None:
    rolling: Any = told(game, throw(1, 2), roll_off=True).state
    playing: Any = told(game, throw(*[1] * told(game).state.throw_sizes[0])).state
    for state in (rolling, playing):
        assert state.events
        assert replace(state, events=()) == state


def test_two_score_boards_that_differ_only_in_their_events_are_equal() -> None:
    crib, crapola = told("crib_dice", MIXED, point(5), STOP).state, told("crapola", throw(2, 2, 3, 3, 4, 6)).state
    assert isinstance(crib, CribDice)
    assert isinstance(crapola, Crapola)
    assert (bool(crib.board.events), bool(crapola.totals.events)) == (True, True)
    assert replace(crib.board, events=()) == crib.board
    assert replace(crapola.totals, events=()) == crapola.totals


def test_the_last_event_of_a_finished_crib_dice_game_is_game_over() -> None:
    home = [throw(*[6] * 7), point(6)] * 5
    over = told("crib_dice", *home, STOP, MIXED, point(5), STOP)
    assert over.events[-1] == GAME_OVER
    assert GAME_OVER not in told("crib_dice", *home, STOP).events
    assert "skunked" not in {event.code for event in over.events}
    skunked = told("crib_dice", *home, STOP, MIXED, point(5), STOP, rules={"skunk": True})
    assert skunked.events[-2:] == (Event("skunked", 1, {"games": 2}), GAME_OVER)


LIT = {
    "crib_dice": {
        "wiped_out": ["drain"],
        "piddle_lost": ["drain"],
        "bomb_failed": ["drain"],
        "fuchled": ["slide", "pulse"],
        "rolled_over": ["waves"],
        "bombed": ["spark", "swap", "burst"],
        "bumped": ["ring", "slide"],
        "finished": ["flood"],
        "skunked": ["stripes"],
    },
    "crag": {"entered": ["fill"]},
    "crapola": {"crapped_out": ["drain"], "hot_dice": ["waves"]},
}
RESULTS = {"banked": "gain", "entered": "gain", "wiped_out": "loss", "crapped_out": "loss"}
SOUNDED = {"threw", "banked", "game_over"}  # in every game
SOUNDED |= {"wiped_out", "piddle_lost", "bomb_failed", "fuchled", "rolled_over", "bombed", "bumped", "finished"}
SOUNDED |= {"entered", "crapped_out", "hot_dice"}  # not `skunked`: the fanfare of the game's end sounds then
CALLED = {"banked", "left", "game_over"}  # in every game
CALLED |= {"point", "wiped_out", "piddle_lost", "bomb_failed", "fuchled", "rolled_over", "bombed", "bumped", "finished"}
CALLED |= {"eliminated", "entered", "crapped_out", "hot_dice", "spent", "reversed", "last_round"}
CHEERED = {"fuchled", "rolled_over", "bombed", "bumped", "eliminated", "crapped_out", "hot_dice", "reversed"}
CHEERED |= {"wiped_out", "jackpot", "skunked", "last_round", "game_over"}
CODES = CALLED | {"threw", "jackpot", "skunked", "rolled_off", "froze", "kept", "bomb_announced"}


@pytest.mark.parametrize("game", GAMES)
def test_each_game_event_has_the_lights_tones_call_outs_and_result_that_this_file_lists(game: str) -> None:
    rules, lit = GAMES[game], {"threw": ["run"], "banked": ["fill"], **LIT[game]}
    own = set(rules.effects)
    for code in {"threw", "banked", "left", "game_over", *own}:
        effect = rules.effect(code)
        assert [light.kind for light in effect.lights] == lit.get(code, []), code
        assert bool(effect.tones) == (code in SOUNDED), code
        assert (effect.called, effect.cheered) == (code in CALLED, code in CHEERED), code
        assert effect.result == RESULTS.get(code), code
    assert own <= CODES
    assert rules.effect("rolled_off") == Effect()
