"""Crib Dice between two, solved: the stored chances are those of the best turn, found in another way, and of games."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product

import pytest

from companion.games.crib_dice.odds import two_sides as duel
from companion.games.crib_dice.odds.turn_value import NO_BOMBS, TurnValues
from companion.games.crib_dice.pegs import CribbageBoard
from companion.games.crib_dice.state import CribDice, Turn
from tests.games.playing import ADVANCED, BOMB, STOP
from tests.games.test_solve_duel import last_turn
from tests.games.test_win_odds import board_at, values

RULES = [({}, "win"), ({"piddle_points": True}, "win"), (ADVANCED, "win"), (ADVANCED, "games")]


def some_boards(count: int, seed: int, rules: dict[str, bool]) -> list[CribbageBoard]:
    """Boards between two that can come about; some pegs are at the start because of a fuchle."""
    generator, found = random.Random(seed), list[CribbageBoard]()
    for number in range(count):
        pegs = [generator.randrange(121) for _ in range(2)]
        if number % 2:
            pegs[generator.randrange(2)] = 0
        fuchled = frozenset(side for side in (0, 1) if number % 2 and pegs[side] == 0)
        wipeouts = tuple(generator.randrange(2 if side in fuchled else 3) for side in (0, 1))
        board = board_at(*pegs, turn=generator.randrange(2), wipeouts=wipeouts, **rules)
        found.append(replace(board, fuchled=fuchled))
    return found


def stored_value(board: CribbageBoard, goal: str) -> float:
    """Value of the side to move before its turn, from the table; nobody has finished yet."""
    seen = duel.duel_state(board, goal)
    place = duel.index(seen.order, seen.mover, seen.other, seen.mine, seen.theirs)
    equity = duel.stored_equity(seen.rules, place)
    return (equity + 1) / 2 if goal == "win" else equity


def value_of(board: CribbageBoard, side: int, goal: str) -> float:
    """Value for a side before the turn that is on, whatever has been decided already."""
    if board.outcome is not None and goal == "games":
        return board.outcome.games_lost[1 - side] - board.outcome.games_lost[side]
    if board.outcome is not None:
        return (side in board.outcome.winners) / len(board.outcome.winners)
    mine = duel.duel_turn_values(board, goal).fresh(0) if board.finished else stored_value(board, goal)
    return mine if board.side == side else 1 - mine if goal == "win" else -mine


@pytest.mark.slow
@pytest.mark.parametrize(("rules", "goal"), RULES)
def test_stored_two_player_crib_dice_odds_equal_those_of_best_play(rules: dict[str, bool], goal: str) -> None:
    for board in some_boards(2, 1, rules):
        side = board.side

        def bank(points: int, board: CribbageBoard = board, side: int = side) -> float:
            return value_of(board.banked(points), side, goal)

        lost, bombs = value_of(board.wiped_out(0), side, goal), NO_BOMBS
        if board.may_bomb and rules.get("bomb"):
            bomb = value_of(board.bombed(), side, goal)
            bombs = (11 / 36 * bomb + 25 / 36 * lost, bomb, bomb)
        turn = TurnValues(bool(rules.get("piddle_points")), bank, lost, bank, bombs=bombs)
        assert turn.fresh(0) == pytest.approx(stored_value(board, goal), abs=1e-7)


@pytest.mark.parametrize(("rules", "goal"), RULES)
def test_computed_two_player_crib_dice_turn_values_equal_the_stored_ones(rules: dict[str, bool], goal: str) -> None:
    for board in some_boards(60, 2, rules):
        assert duel.duel_turn_values(board, goal).fresh(0) == pytest.approx(stored_value(board, goal), abs=4e-9)
        if goal == "win":
            assert values(CribDice(board)) == {"{'throw': 7}": duel.duel_turn_values(board).fresh(0)}, (
                "not that of the race"
            )


def test_two_player_crib_dice_odds_at_hole_118_prefer_banking_past_hole_150() -> None:
    for rules, goal in RULES:
        for other in (0, 60, 119, 120):
            worth = duel.duel_turn_values(board_at(118, other, wipeouts=(0, 0), **rules), goal)
            for gathered, frozen, value in product(range(duel.TOP - 128, duel.TOP - 118), range(2, 7), range(1, 7)):
                assert worth.held(gathered, frozen, value) > worth.thrown(gathered, frozen, value)


def test_banking_in_the_last_crib_dice_turn_has_win_chance_1_if_ahead_half_if_tied_else_0() -> None:
    for board in (board_at(120, 118, turn=1), board_at(125, 120, turn=1)):
        assert duel.duel_turn_values(board).bank(500) == 1.0
    for other in (121, 125):
        last = duel.duel_turn_values(board_at(other, 119, turn=1))
        assert (last.lost, [last.bank(other - 119 + more) for more in (-1, 0, 1)]) == (0.0, [0.0, 0.5, 1.0])


@pytest.mark.parametrize("piddle_points", [False, True])
def test_win_odds_of_a_finishing_crib_dice_bank_are_1_minus_the_other_sides_last_turn_odds(piddle_points: bool) -> None:
    banked = duel.duel_turn_values(board_at(100, 90, piddle_points=piddle_points)).bank
    for points in (21, 40, 99):
        assert banked(points) == pytest.approx(1 - last_turn(piddle_points, 10 + points), abs=1e-9)


def test_crib_dice_games_odds_count_a_skunk_as_2_and_a_fuchle_as_4_lost_games() -> None:
    """Short of hole 61 the side is skunked, which loses two games; a fuchle there loses four."""
    board = board_at(130, 58, turn=1, wipeouts=(0, 0), **ADVANCED)
    worth = duel.duel_turn_values(board, "games")
    assert [worth.bank(points) for points in (2, 3, 62, 63, 71, 72, 73)] == [-2, -1, -1, -1, -1, 0, 1]
    assert worth.lost == -2
    assert duel.duel_turn_values(replace(board, wipeouts=(0, 2)), "games").lost == -4, "a fuchle is a double skunk"


def test_crib_dice_win_odds_of_a_bomb_equal_those_after_the_two_pegs_are_swapped() -> None:
    board = board_at(10, 100, wipeouts=(0, 0), **ADVANCED)
    six = Turn("choosing", 0, 1, 6, (1, 1))
    told = values(CribDice(board, six))
    assert told[str(BOMB)] == pytest.approx(value_of(board.bombed(), 0, "win"), abs=4e-9)
    assert told[str(BOMB)] == max(told.values()) > told[str(STOP)] + 0.3
    announced = values(CribDice(board, Turn("bombing", 0, 1, 5, (1, 1))))
    lost = duel.duel_turn_values(board).lost
    assert announced == {"{'throw': 2}": pytest.approx(11 / 36 * told[str(BOMB)] + 25 / 36 * lost)}


def test_crib_dice_win_odds_rank_stopping_first_after_2_wipe_outs_and_throwing_first_after_none() -> None:
    """A third wipe-out is a fuchle: with two, a side stops; with none, it throws on."""
    board = board_at(75, 71, turn=1, wipeouts=(0, 2))
    board = replace(board, pegs=(71, 75))
    choosing = Turn("choosing", 0, 5, 2, (1, 2, 3, 4, 5, 5, 6))
    assert values(CribDice(board, choosing))[str(STOP)] == max(values(CribDice(board, choosing)).values())
    at_ease = replace(board, wipeouts=(0, 0))
    assert values(CribDice(at_ease, choosing))["{'throw': 5}"] == max(values(CribDice(at_ease, choosing)).values())


@pytest.mark.parametrize("on", list(product((False, True), repeat=5)))
def test_crib_dice_rules_without_stored_odds_use_the_advanced_table_with_their_skunk_rule(on: tuple[bool, ...]) -> None:
    rules = duel.DuelRules(*on)
    used = duel.nearest_rules(rules)
    assert used in duel.TABLES
    assert used.skunk == rules.skunk
    assert used == rules or (used.piddle_points, used.bomb, used.double_fuchle, used.bumping) == (True,) * 4
    assert used == rules or rules not in duel.TABLES


def test_a_wipe_out_in_the_last_turn_costs_1_2_or_4_games_with_the_skunk_rule_but_1_without_it() -> None:
    """The third wipe-out in a row is a fuchle, which costs 4 games; hole 60 is the last that costs 2."""
    last = [(60, 0), (60, 1), (60, 2), (61, 0), (61, 2), (duel.FUCHLED, 0)]
    assert [duel.DuelRules(skunk=True).lost_last(*each) for each in last] == [2, 2, 4, 1, 4, 4]
    assert [duel.DuelRules().lost_last(*each) for each in last] == [1] * 6


def test_the_value_of_banking_in_crib_dice_comes_from_the_odds_table_of_the_house_rules() -> None:
    """A stop at hole 60 leaves the other at hole 40, which plays second."""
    after = duel.index(1, 40, 60, 0, 0)
    for rules, on in ((duel.DuelRules(), dict[str, bool]()), (duel.ADVANCED, {**ADVANCED, "skunk": False})):
        board = board_at(50, 40, wipeouts=(0, 0), **on)
        assert duel.duel_turn_values(board, "games").bank(10) == -duel.stored_equity(rules, after)
    basic, advanced = (duel.stored_equity(rules, after) for rules in (duel.DuelRules(), duel.ADVANCED))
    assert abs(basic - advanced) > 1e-3


@pytest.mark.parametrize(("first", "seat", "far"), [each for each in product(range(3), repeat=3) if each[1] != each[2]])
def test_duel_state_order_says_if_the_crib_dice_leader_plays_before_the_mover(first: int, seat: int, far: int) -> None:
    in_order = [0, 1, 2, 0, 1][first : first + 3]
    pegs = tuple(90 if side == far else 50 for side in range(3))
    board = replace(board_at(*pegs, turn=in_order.index(seat)), first=first)
    assert board.side == seat
    assert duel.duel_state(board, "win").order == (in_order.index(far) < in_order.index(seat))


def test_crib_dice_odds_for_three_players_use_the_furthest_opponent_still_in_the_game() -> None:
    """The wipe-outs tell which side it is; of equal pegs, that of the next to play counts."""
    wipeouts = (0, 2, 1)
    assert duel.duel_state(board_at(50, 70, 70, wipeouts=wipeouts), "win").theirs == 2
    assert duel.duel_state(board_at(50, 70, 71, wipeouts=wipeouts), "win").theirs == 1
    out = replace(board_at(50, 0, 0, wipeouts=wipeouts), out=frozenset({1}))
    assert duel.duel_state(out, "win").theirs == 1
    ahead = replace(board_at(50, 0, 30, wipeouts=wipeouts), out=frozenset({1}))
    assert duel.duel_state(ahead, "win").other == 30


@pytest.mark.parametrize(
    ("pegs", "places"),
    [
        ((0, 0), (0, 0)),
        ((130, 200), (10, 80)),
        ((50, 100), (0, 50)),
        ((30, 200), (0, 120)),
        ((10, 140), (0, 120)),
        ((240, 110), (120, 0)),
        ((230, 245), (110, 126)),
    ],
)
def test_both_pegs_of_a_long_crib_dice_game_are_moved_back_to_look_up_odds_for_120_holes(
    pegs: tuple[int, int], places: tuple[int, int]
) -> None:
    """Both pegs move back by 120 holes, or until the last is at the start; further if the first is past hole 120."""
    seen = duel.duel_state(board_at(*pegs, long_game=True), "win")
    assert (seen.mover, seen.other) == places


def test_crib_dice_odds_with_pandemonium_count_only_a_fourth_wipe_out_as_a_fuchle() -> None:
    board = board_at(50, 40, wipeouts=(3, 3), pandemonium=True)
    seen = duel.duel_state(board, "win")
    assert (seen.rules, seen.mine, seen.theirs) == (duel.DuelRules(), 2, 2)
    at_two = duel.duel_turn_values(replace(board, wipeouts=(2, 0)), "games")
    assert at_two.lost == -duel.stored_equity(seen.rules, duel.index(1, 40, 50, 0, 2)), "no fuchle yet"
    fuchled = duel.duel_turn_values(replace(board, wipeouts=(3, 0)), "games").lost
    assert fuchled == -duel.stored_equity(seen.rules, duel.index(1, 40, duel.FUCHLED, 0, 0))


def test_a_crib_dice_bomb_of_five_1s_is_worth_less_than_of_six_except_in_pandemonium() -> None:
    announced, six, seven = duel.duel_turn_values(board_at(10, 100, wipeouts=(0, 0), **ADVANCED)).bombs
    assert announced < six == seven
    pandemonium = board_at(10, 100, wipeouts=(0, 0), **ADVANCED, pandemonium=True)
    assert duel.duel_turn_values(pandemonium).bombs == (six, six, six)
