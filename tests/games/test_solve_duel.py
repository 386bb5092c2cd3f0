"""The parts that solve Crib Dice between two: batches of turns, how they end, what leads to the fixed point."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest

from companion.games.crib_dice.odds import turn_value as odds
from companion.games.crib_dice.odds.backward_induction import Floats, fresh_throws
from companion.games.crib_dice.odds.turn_value import TurnValues, piddle_ends
from companion.games.crib_dice.odds.two_sides import PLACES, TABLES, DuelRules
from companion.games.crib_dice.scoring import MAX_SET_SCORE as REACH
from companion.games.solving.crib_dice_turn import best_turn
from companion.games.solving.fixed_point import fixed_point
from tests.games.crib_bellman import Duel, Turns, stored_equities

# --- turns


@pytest.mark.parametrize("piddle_points", [False, True])
@pytest.mark.parametrize("bombing", [False, True])
def test_single_batched_and_compiled_crib_dice_turn_values_agree(
    piddle_points: bool, bombing: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator, top = np.random.default_rng(3), 40
    monkeypatch.setattr(odds, "SURE_STOP_POINTS", top)
    bank = generator.random((top + 2 * REACH + 1, top))
    bank[top:] = 1.0  # from there on it stops
    lost, starts = generator.random(top) * 0.3, np.arange(top)
    bombs = generator.random((3, top)) if bombing else np.full((3, top), -np.inf)
    turns = Turns(piddle_points, bank, lost, starts, bombs)
    for column in (0, 20, 39):

        def worth(points: int, column: int = column) -> float:
            return float(bank[min(column + points, len(bank) - 1), column])

        one = TurnValues(
            piddle_points, worth, float(lost[column]), lambda points: 1.0, bombs=tuple(bombs[:, column].tolist())
        )
        fresh = [one.fresh(gathered) for gathered in range(top - column)]
        assert turns.fresh[column:top, column] == pytest.approx(fresh, abs=1e-12)
        assert turns.values[column] == turns.fresh[column, column]
        quick = fresh_throws(piddle_points, bank[:, column], float(lost[column]), column, bombs[:, column].tolist())
        assert quick[: -REACH - 1] == pytest.approx(fresh)
        solved = np.empty(len(bank))
        piddle = np.array([dict(piddle_ends(piddle_points)).get(hits, 0.0) for hits in range(3)])
        value = best_turn(bank[:, column].copy(), lost[column], bombs[:, column], piddle, column, solved)
        assert value == pytest.approx(fresh[0], abs=1e-12)
        assert solved[column:top] == pytest.approx(fresh, abs=1e-12)


# --- the game


@cache
def last_turn(piddle_points: bool, gap: int) -> float:
    """The chance to win with one turn that levels by banking so many points, half a win."""
    points = np.arange(gap + 2 * REACH + 2)
    return float(fresh_throws(piddle_points, (points > gap) + (points == gap) / 2, 0.0, 0)[0])


# --- the fixed point


def test_odds_fixed_point_solver_in_one_dimension_is_the_secant_method() -> None:
    """The solver uses Anderson acceleration."""
    asked = list[float]()

    def step(at: Floats) -> Floats:
        asked.append(float(at[0]))
        return np.cos(at)

    *_, (found, change) = fixed_point(step, np.array([1.0]), 1e-12)
    assert found[0] == pytest.approx(0.7390851332151607)
    assert change <= 1e-12
    first, second = asked[0], asked[1]
    changes = np.cos(first) - first, np.cos(second) - second
    assert asked[2] == pytest.approx(second - changes[1] * (second - first) / (changes[1] - changes[0]))
    assert len(asked) < 12, "the plain iteration takes 70"


def test_fixed_point_solver_converges_on_2_linear_equations_within_5_iterations() -> None:
    """The solver uses Anderson acceleration."""
    matrix = np.array([[0.9, 0.05], [0.1, 0.8]])
    steps = list(fixed_point(lambda at: matrix @ at + 1.0, np.zeros(2), 1e-12))
    assert steps[-1][0] == pytest.approx(np.linalg.solve(np.identity(2) - matrix, np.ones(2)))
    assert len(steps) <= 5
    assert [change for _, change in steps][-1] <= 1e-12


# --- a sweep


@pytest.mark.parametrize("rules", TABLES)
def test_stored_two_side_crib_dice_odds_equal_odds_recomputed_at_three_samples(rules: DuelRules) -> None:
    values, _ = stored_equities(rules)
    generator = random.Random(5)
    duel = Duel(rules)
    for _ in range(3):
        order, mover, other = generator.randrange(2), generator.randrange(60, PLACES), generator.randrange(60, PLACES)
        assert duel.turns(order, other, [mover]).values == pytest.approx(
            values[order, mover, other].ravel(), abs=1e-8 * rules.stake
        )
