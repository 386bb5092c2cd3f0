"""How a peg of Crib Dice comes along a track, against a plain walk; and what `Race` works out, no more and no less."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest

from companion.games.crib_dice.odds import race
from companion.games.crib_dice.odds.backward_induction import Floats
from companion.games.crib_dice.odds.race import NEGLIGIBLE, ROUNDS, FinishDistribution, Race, finish_distribution
from companion.games.crib_dice.scoring import MAX_SET_SCORE
from tests.games.test_win_odds import board_at

BANKS = np.array([0.0, 0.0, 0.2, 0.1, 0.0, 0.3])  # four in ten turns wipe out
HOLES, FUCHLE = 9, 3
FIVE = len(BANKS) - 1  # holes past the last one, at most
SMALL = FinishDistribution(BANKS, HOLES, FUCHLE)
PLACES = [(0, 0), (1, 0), (2, 0), (0, 3), (1, 9), (2, 9), (0, 9), (2, 5)]  # wipe-outs in a row, hole


def walked(wipeouts: int, hole: int) -> Floats:
    """Return the probability of finishing in each turn at each distance, by a plain forward walk."""
    at, found = np.zeros((FUCHLE, HOLES + 1)), np.zeros((ROUNDS, FIVE))
    at[wipeouts, hole] = 1.0
    for turn in range(ROUNDS):
        before, at = at, np.zeros_like(at)
        for (so_many, there), chance in np.ndenumerate(before):
            fuchle = so_many + 1 == FUCHLE
            at[0 if fuchle else so_many + 1, 0 if fuchle else there] += chance * (1 - BANKS.sum())
            for points, share in enumerate(BANKS):
                if there + points > HOLES:
                    found[turn, there + points - HOLES - 1] += chance * share
                else:
                    at[0, there + points] += chance * share
    return found


@pytest.mark.parametrize(("wipeouts", "hole"), PLACES)
def test_crib_dice_finish_odds_equal_those_of_a_turn_by_turn_recursion(wipeouts: int, hole: int) -> None:
    assert SMALL.finishes(wipeouts, hole) == pytest.approx(walked(wipeouts, hole), abs=1e-11)


@pytest.mark.parametrize("turns", [1, 2, 40, ROUNDS])
def test_the_expected_value_over_crib_dice_finishes_is_the_sum_of_weights_times_probabilities(turns: int) -> None:
    """`FinishDistribution.expected_values` equals the sum of the weights times the probabilities of `finishes`."""
    weights = np.random.default_rng(4).random((turns, FIVE))
    for wipeouts, hole in PLACES:
        found, place = SMALL.expected_values(weights, wipeouts, hole)
        assert place == pytest.approx((SMALL.finishes(wipeouts, hole)[:turns] * weights).sum(), abs=1e-11)
        assert found[hole] == pytest.approx((SMALL.finishes(0, hole)[:turns] * weights).sum(), abs=1e-11)
        assert found.shape == (HOLES + 1,)


@pytest.mark.parametrize("rules", [(False, 120, 3), (True, 120, 4), (False, 240, 3)])
def test_only_the_last_bank_count_of_the_crib_dice_race_table_is_negligible(rules: tuple[bool, int, int]) -> None:
    """The table has a row for each number of banks that a peg may make before it reaches the last hole."""
    known = finish_distribution(*rules)
    ways = sum((1 - sum(race.banks(rules[0]))) ** wipeouts for wipeouts in range(rules[2]))
    under_way = [row.sum() * ways ** (1 + number) for number, row in enumerate(known._reached)]
    assert min(under_way[:-1]) > NEGLIGIBLE >= under_way[-1]


class Watched(np.ndarray[Any, Any]):
    """A matrix that records the size of each block that is multiplied."""

    parts: ClassVar[list[int]] = []

    def __matmul__(self, other: Any) -> Any:
        self.parts.append(self.size)
        return np.asarray(self) @ other


@pytest.mark.parametrize(("columns", "wanted"), [(race.MAX_PRODUCT // 8, [4, 4, 1]), (race.MAX_PRODUCT, [1] * 9)])
def test_crib_dice_odds_compute_a_large_matrix_product_in_blocks(columns: int, wanted: list[int]) -> None:
    one, other = np.arange(9.0)[:, np.newaxis], np.ones((2, columns))
    watched = np.tile(one, 2).view(Watched)
    watched.parts.clear()
    assert (race._product(watched, other)[:, ::1000] == 2 * one).all()
    assert watched.parts == [2 * rows for rows in wanted]


def test_crib_dice_finish_table_is_as_wide_as_the_furthest_peg_or_largest_bank_goes_past_the_end() -> None:
    """A table is as wide as the largest distance past the finish: that of a bank, or of the furthest peg."""
    far, near = Race(board_at(500, 119)), Race(board_at(125, 119))
    assert far._finish_of(0)[0].shape == (ROUNDS, 380)
    assert near._finish_of(0)[0].shape == (ROUNDS, near._finishes.past)


@pytest.mark.parametrize(("pegs", "settled"), [((125, 124, 120), 126), ((130, 121, 110), 131)])
def test_a_crib_dice_bank_that_ends_the_game_has_odds_half_if_tied_else_1(pegs: tuple[int, ...], settled: int) -> None:
    """A bank one hole short of it only ties, and is worth a half."""
    worth = Race(board_at(*pegs, turn=2)).turn_values_to_win()
    assert worth._rich_from == settled - pegs[2] + MAX_SET_SCORE + 1
    assert [worth.bank(hole - pegs[2]) for hole in (settled - 1, settled, settled + 500)] == [0.5, 1.0, 1.0]
