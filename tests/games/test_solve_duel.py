"""The parts that solve Crib Dice between two: batches of turns, how they end, what leads to the fixed point."""

from __future__ import annotations

import itertools
from collections import Counter
from functools import cache

import numpy as np
import pytest

from companion.games.crib_dice.odds import turn_value as odds
from companion.games.crib_dice.odds.backward_induction import Floats, Turns, evaluate, fresh_throws
from companion.games.crib_dice.odds.turn_value import TurnValues, first_throws, piddle_ends, roll_ends
from companion.games.crib_dice.scoring import MAX_SET_SCORE as REACH
from companion.games.crib_dice.scoring import set_score
from companion.games.solving.crib_dice_duel import AndersonMixing, fixed_point
from companion.games.solving.crib_dice_outcomes import Outcomes

# --- turns


@pytest.mark.parametrize("piddle_points", [False, True])
def test_a_batch_of_turns_has_the_values_of_single_turns(piddle_points: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    generator, top = np.random.default_rng(3), 60
    monkeypatch.setattr(odds, "RICH", top)
    bank = np.sort(generator.random((top + 2 * REACH + 1, top)), axis=0)
    bank[top:] = 1.0  # from there on it stops
    lost, starts = generator.random(top) * 0.3, np.arange(top)
    turns = evaluate(Turns(piddle_points, bank, lost), starts)
    ends = Outcomes(piddle_points, turns, starts, top)
    for peg in (0, 30, 59):

        def worth(points: int, peg: int = peg) -> float:
            return float(bank[min(peg + points, len(bank) - 1), peg])

        one = TurnValues(piddle_points, worth, float(lost[peg]), lambda points: 1.0)
        fresh = [one.fresh(gathered) for gathered in range(top - peg)]
        assert turns.fresh[peg:top, peg] == pytest.approx(fresh, abs=1e-12)
        assert fresh_throws(piddle_points, bank[:, peg], float(lost[peg]), peg)[: -REACH - 1] == pytest.approx(fresh)
        banked, wiped = walked(one, piddle_points, top - peg)
        assert ends.banked[:, peg] == pytest.approx([banked[hole - peg] for hole in range(top)], abs=1e-12)
        assert ends.wiped[peg] == pytest.approx(wiped, abs=1e-12)


def walked(worth: TurnValues, piddle_points: bool, holes: int) -> tuple[Counter[int], float]:
    """How often a turn banks so many points, and wipes out; one that comes further than so many holes is still on."""
    fresh, banked, wiped = Counter({0: 1.0}), Counter[int](), 0.0
    for gathered in range(holes):
        held = Counter[tuple[int, int]]()
        for offer, share in first_throws():
            held[max(offer, key=lambda one: worth.held(gathered, *one))] += fresh[gathered] * share
        for frozen, point in itertools.product(range(2, 8), range(1, 7)):
            chance, stop = held[frozen, point], gathered + set_score(frozen, point)
            if worth.bank(stop) >= worth.thrown(gathered, frozen, point):
                banked[stop] += chance
            elif frozen == 7:
                fresh[stop] += chance
            elif frozen >= 5:
                for hits, share in piddle_ends(piddle_points):
                    fresh[gathered + set_score(min(7, frozen + hits), point)] += chance * share
                wiped += chance * (1 - sum(share for _, share in piddle_ends(piddle_points)))
            else:
                for hits, share in roll_ends(frozen, point):
                    held[frozen + hits, point] += chance * share
                wiped += chance * (1 - sum(share for _, share in roll_ends(frozen, point)))
    return banked, wiped


# --- the game


@cache
def last_turn(piddle_points: bool, gap: int) -> float:
    """The chance to win with one turn that levels by banking so many points, half a win."""
    points = np.arange(gap + 2 * REACH + 2)
    return float(fresh_throws(piddle_points, (points > gap) + (points == gap) / 2, 0.0, 0)[0])


# --- the fixed point


def test_anderson_mixing_of_one_number_is_the_secant_method() -> None:
    mixing, at = AndersonMixing(memory=2), [np.array([1.0]), np.array([3.0]), np.array([2.5])]
    changes = [np.array([1.0]), np.array([-0.5]), np.array([0.125])]
    assert mixing.next(at[0], changes[0]) == 2.0
    assert mixing.next(at[1], changes[1]) == pytest.approx(3 - 0.5 * 2 / 1.5)
    assert mixing.next(at[2], changes[2]) == pytest.approx(2.5 + 0.125 * 0.5 / 0.625)


def test_anderson_mixing_finds_the_root_of_a_residual() -> None:
    matrix, asked = np.array([[0.9, 0.05], [0.1, 0.8]]), list[Floats]()

    def change(at: Floats) -> Floats:
        asked.append(at)
        wanted: Floats = matrix @ at + 1.0 - at
        return wanted

    found = fixed_point(change, np.zeros(2), 1e-12, 20)
    assert found == pytest.approx(np.linalg.solve(np.identity(2) - matrix, np.ones(2)))
    assert len(asked) == 4, "of two numbers it needs three changes, and one to see that it is there"


def test_fixed_point_stops_at_its_tolerance_or_evaluation_limit() -> None:
    asked = list[float]()

    def change(at: Floats) -> Floats:
        asked.append(float(at[0]))
        return np.array([0.25]) if len(asked) % 2 else np.array([0.5])

    assert fixed_point(change, np.zeros(1), 0.25) == 0.0
    assert asked == [0.0], "near enough at once"
    asked.clear()
    fixed_point(change, np.zeros(1), 0.1, 3)
    assert asked == [0.0, 0.25, pytest.approx(-0.25)]
