"""Crib Dice between two, solved: the stored chances are those of the best turn, found in another way, and of games."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from playing import STOP
from test_win_odds import board_at, values

from companion.games.crib_dice import duel, solve_duel
from companion.games.crib_dice.duel import REACH
from companion.games.crib_dice.odds import TurnWorth
from companion.games.crib_dice.outcomes import Outcomes
from companion.games.crib_dice.pegs import CribbageBoard
from companion.games.crib_dice.solve_duel import fixed_point
from companion.games.crib_dice.state import CribDice, Turn
from companion.games.crib_dice.turns import Turns, fresh_throws, worked_back

RULES = [{}, {"piddle_points": True}]


def some_boards(count: int, seed: int, **rules: bool) -> list[CribbageBoard]:
    generator = random.Random(seed)

    def some() -> CribbageBoard:
        pegs, wipeouts = (generator.randrange(121) for _ in range(2)), (generator.randrange(3) for _ in range(2))
        return board_at(*pegs, turn=generator.randrange(2), wipeouts=tuple(wipeouts), **rules)

    return [some() for _ in range(count)]


def chance_of(board: CribbageBoard, side: int) -> float:
    """The chance of a side before the turn that is on, whatever has been decided already."""
    if board.outcome is not None:
        return (side in board.outcome.winners) / len(board.outcome.winners)
    mine = duel.turn_worth(board).fresh(0) if board.finished else duel.win_chance(board)
    return mine if board.side == side else 1 - mine


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES)
def test_each_stored_chance_is_that_of_the_best_turn_through_the_boards_own_rules(rules: dict[str, bool]) -> None:
    for board in some_boards(6, 1, **rules):
        side = board.side

        def bank(points: int, board: CribbageBoard = board, side: int = side) -> float:
            return chance_of(board.banked(points), side)

        turn = TurnWorth(bool(rules), bank, chance_of(board.wiped_out(), side), bank)
        assert turn.fresh(0) == pytest.approx(duel.win_chance(board), abs=2e-9)


@pytest.mark.parametrize("piddle_points", [False, True])
def test_a_short_track_is_solved_to_the_best_turns(piddle_points: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    pegs, top = 11, 50
    short = {"PEGS": pegs, "TOP": top, "GAPS": top + 2 * REACH + 1, "SHAPE": (2, pegs, pegs, 3, 3), "TOPS": (top, pegs)}
    for name, value in short.items():
        monkeypatch.setattr(solve_duel, name, value)
    steps = list(solve_duel.solved(solve_duel.Duel(piddle_points)))
    (values, residual), generator = steps[-1], random.Random(6)
    assert residual <= solve_duel.RESIDUAL
    assert len(steps) <= 20, "six are enough"
    for _ in range(60):
        order, mover, other, mine, theirs = (generator.randrange(count) for count in values.shape)
        bank = np.ones(top + 2 * REACH + 1)
        bank[:pegs] = 1 - values[1 - order, other, :, theirs, 0]
        if order == 0:
            bank[pegs:] = [1 - last_turn(piddle_points, hole - other) for hole in range(pegs, len(bank))]
        fuchled = mine == 2
        lost = 1 - values[1 - order, other, 0 if fuchled else mover, theirs, 0 if fuchled else mine + 1]
        best = fresh_throws(piddle_points, bank, float(lost), top, mover)[0]
        assert values[order, mover, other, mine, theirs] == pytest.approx(best, abs=1e-9)


@cache
def last_turn(piddle_points: bool, gap: int) -> float:
    """The chance to win with one turn that levels by banking so many points, half a win."""
    points = np.arange(gap + 2 * REACH + 2)
    return float(fresh_throws(piddle_points, (points > gap) + (points == gap) / 2, 0.0, gap + 1, 0)[0])


@pytest.mark.parametrize("rules", RULES)
def test_the_turn_that_is_on_agrees_with_the_stored_chance_before_it(rules: dict[str, bool]) -> None:
    for board in some_boards(100, 2, **rules):
        assert duel.turn_worth(board).fresh(0) == pytest.approx(duel.win_chance(board), abs=2e-9)


def test_a_further_hole_is_never_worse_so_only_the_highest_of_sets_as_large_matters() -> None:
    for rules in (False, True):
        table = np.array(duel._table(rules), dtype=np.float64)[: -duel.GAPS].reshape(2, 121, 121, 3, 3)
        assert np.diff(table, axis=1).min() >= 0


@pytest.mark.parametrize("rules", RULES)
def test_nobody_goes_on_from_so_far_beyond_the_track(rules: dict[str, bool]) -> None:
    for other in (0, 60, 119, 120):
        worth = duel.turn_worth(board_at(118, other, **rules))
        for gathered in range(duel.TOP - 118 - 10, duel.TOP - 118):
            for frozen in range(2, 7):
                for value in range(1, 7):
                    assert worth.held(gathered, frozen, value) > worth.thrown(gathered, frozen, value)


def test_who_is_one_wipe_out_from_a_fuchle_stops_where_points_would_go_on() -> None:
    board = board_at(75, 71, turn=1, wipeouts=(0, 2))
    board = replace(board, pegs=(71, 75))
    choosing = Turn("choosing", 0, 5, 2, (1, 2, 3, 4, 5, 5, 6))
    assert values(CribDice(board, choosing))[str(STOP)] == max(values(CribDice(board, choosing)).values())
    at_ease = replace(board, wipeouts=(0, 0))
    assert values(CribDice(at_ease, choosing))["{'throw': 5}"] == max(values(CribDice(at_ease, choosing)).values())


@pytest.mark.parametrize("monotone", [True, False])
def test_turns_of_a_batch_are_turns_one_by_one_and_their_outcomes_make_up_their_worth(monotone: bool) -> None:
    generator = np.random.default_rng(3)
    top, holes = 60, 60
    rise = np.sort(generator.random((top + 2 * REACH + 1, 1)), axis=0) if monotone else generator.random((121, 1))
    rise[top:] = 1.0  # from there on it stops
    lost = generator.random(holes) * 0.3
    bank = np.repeat(rise, holes, axis=1)
    starts = np.arange(holes)
    turns = worked_back(Turns(False, bank, lost, monotone=monotone), starts, top)
    worth = turns.fresh[starts, starts]
    for peg in (0, 30, 59):
        one = TurnWorth(
            False,
            lambda points, peg=peg: float(rise[min(peg + points, 120), 0]),
            float(lost[peg]),
            lambda points: 1.0,
        )
        assert worth[peg] == pytest.approx(one.fresh(0), abs=1e-12)
    ends = Outcomes(False, turns, starts, holes)
    banked, wiped = ends.banked, ends.wiped
    beyond = 1 - banked.sum(axis=0) - wiped
    made_up = (banked * bank[:holes]).sum(axis=0) + wiped * lost
    assert np.all(made_up <= worth + 1e-12)
    assert np.all(worth <= made_up + beyond + 1e-12)
    assert np.all(beyond >= -1e-12)


def test_mixing_finds_where_a_change_vanishes() -> None:
    matrix = np.array([[0.9, 0.05], [0.1, 0.8]])
    found = fixed_point(lambda at: matrix @ at + 1.0 - at, np.zeros(2), 1e-12, 20)
    assert found == pytest.approx(np.linalg.solve(np.identity(2) - matrix, np.ones(2)))
