"""Crib Dice between two, solved: the stored chances are those of the best turn, found in another way, and of games."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from companion.games.crib_dice.odds import two_sides as duel
from companion.games.crib_dice.odds.turn_value import TurnValues
from companion.games.crib_dice.pegs import CribbageBoard
from companion.games.crib_dice.scoring import MAX_SET_SCORE
from companion.games.crib_dice.state import CribDice, Turn
from tests.games.playing import STOP
from tests.games.test_solve_duel import last_turn
from tests.games.test_win_odds import board_at, values

RULES = [{}, {"piddle_points": True}]


def some_boards(count: int, seed: int, **rules: bool) -> list[CribbageBoard]:
    generator = random.Random(seed)

    def some() -> CribbageBoard:
        pegs, wipeouts = (generator.randrange(121) for _ in range(2)), (generator.randrange(3) for _ in range(2))
        return board_at(*pegs, turn=generator.randrange(2), wipeouts=tuple(wipeouts), **rules)

    return [some() for _ in range(count)]


def stored_chance(board: CribbageBoard) -> float:
    """Of the side that is on, before its turn; nobody has finished yet."""
    me, pegs, wipeouts = board.side, board.pegs, board.wipeouts
    at = duel.place(board.turn % 2, pegs[me], pegs[1 - me], wipeouts[me], wipeouts[1 - me])
    return duel.UNIT * duel._table(bool(board.header.rules["piddle_points"]))[at]


def chance_of(board: CribbageBoard, side: int) -> float:
    """The chance of a side before the turn that is on, whatever has been decided already."""
    if board.outcome is not None:
        return (side in board.outcome.winners) / len(board.outcome.winners)
    mine = duel.turn_values(board).fresh(0) if board.finished else stored_chance(board)
    return mine if board.side == side else 1 - mine


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES)
def test_each_stored_chance_equals_the_best_turn_by_the_rules(rules: dict[str, bool]) -> None:
    for board in some_boards(6, 1, **rules):
        side = board.side

        def bank(points: int, board: CribbageBoard = board, side: int = side) -> float:
            return chance_of(board.banked(points), side)

        turn = TurnValues(bool(rules), bank, chance_of(board.wiped_out(0), side), bank)
        assert turn.fresh(0) == pytest.approx(stored_chance(board), abs=2e-9)


@pytest.mark.parametrize("rules", RULES)
def test_the_turn_that_is_on_agrees_with_the_stored_chance_before_it(rules: dict[str, bool]) -> None:
    for board in some_boards(100, 2, **rules):
        assert duel.turn_values(board).fresh(0) == pytest.approx(stored_chance(board), abs=2e-9)
        assert values(CribDice(board)) == {"{'throw': 7}": duel.turn_values(board).fresh(0)}, "not that of the race"


def test_a_further_hole_never_has_a_lower_win_chance() -> None:
    for rules in (False, True):
        table = np.array(duel._table(rules), dtype=np.float64)[: -duel.GAPS].reshape(2, 121, 121, 3, 3)
        assert np.diff(table, axis=1).min() >= 0


@pytest.mark.parametrize("rules", RULES)
def test_nobody_goes_on_from_so_far_beyond_the_track(rules: dict[str, bool]) -> None:
    for other in (0, 60, 119, 120):
        worth = duel.turn_values(board_at(118, other, **rules))
        for gathered in range(duel.TOP - 118 - 10, duel.TOP - 118):
            for frozen in range(2, 7):
                for value in range(1, 7):
                    assert worth.held(gathered, frozen, value) > worth.thrown(gathered, frozen, value)


@pytest.mark.parametrize(
    ("other", "turn", "settled"), [(90, 0, duel.TOP + 1), (90, 1, 121), (125, 1, 126), (170, 1, 171)]
)
def test_a_turn_is_worked_back_to_where_it_stops_and_no_further(other: int, turn: int, settled: int) -> None:
    board = board_at(*((100, other) if turn == 0 else (other, 100)), turn=turn)
    assert duel.turn_values(board)._rich_from == settled + MAX_SET_SCORE - 100


def test_who_banks_beyond_all_reach_has_won() -> None:
    for board in (board_at(120, 118, turn=1), board_at(125, 120, turn=1)):
        assert duel.turn_values(board).bank(500) == 1.0
    for rules in RULES:
        assert duel.turn_values(board_at(118, 120, **rules)).bank(500) == pytest.approx(1.0, abs=2e-9)
    for other in (121, 125):
        last = duel.turn_values(board_at(other, 119, turn=1))
        assert (last.lost, [last.bank(other - 119 + more) for more in (-1, 0, 1)]) == (0.0, [0.0, 0.5, 1.0])


@pytest.mark.parametrize("rules", RULES)
def test_who_banks_beyond_the_track_leaves_the_other_one_last_turn(rules: dict[str, bool]) -> None:
    banked = duel.turn_values(board_at(100, 90, **rules)).bank
    for points in (21, 40, 99, 211, 380):
        assert banked(points) == pytest.approx(1 - last_turn(bool(rules), 10 + points), abs=2 * duel.UNIT)


def test_who_is_one_wipe_out_from_a_fuchle_stops_where_points_would_go_on() -> None:
    board = board_at(75, 71, turn=1, wipeouts=(0, 2))
    board = replace(board, pegs=(71, 75))
    choosing = Turn("choosing", 0, 5, 2, (1, 2, 3, 4, 5, 5, 6))
    assert values(CribDice(board, choosing))[str(STOP)] == max(values(CribDice(board, choosing)).values())
    at_ease = replace(board, wipeouts=(0, 0))
    assert values(CribDice(at_ease, choosing))["{'throw': 5}"] == max(values(CribDice(at_ease, choosing)).values())
