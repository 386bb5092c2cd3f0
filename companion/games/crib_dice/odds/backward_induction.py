"""Backward induction over one turn of Crib Dice with NumPy, for any objective.

The value of a state within a turn depends on the hole that stopping would reach. A *table of sets* holds the values of
all sets at one hole: row 0 is the wipe-out, row `ROW[frozen] + value - 1` the set of `frozen` dice of a face value.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from companion.games.crib_dice.odds.turn_value import NO_BOMBS, first_throws, piddle_ends, roll_ends
from companion.games.crib_dice.scoring import MAX_SET_SCORE, MIN_ROLLOVER, set_score

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

ROW = {5: 1, 6: 7, 7: 13, 4: 19, 3: 25, 2: 31}
"""Row of the 1s in a table of sets, by number of frozen dice; the 2s to 6s follow. A table of sets holds values by set;
row 0 is the wipe-out. The order is fixed: `fresh_throws` takes rows 1 to 18 as the sets of five dice and more, and a
roll with 2 to 4 frozen dice must lead only to earlier rows."""
ROWS = 37
"""Rows of a table of sets (see ROW). One is for the wipe-out, the others for each value, 1 to 6, and each number of
frozen dice, 2 to 7. Fixed by the rules."""
BOMBS = (ROW[5], ROW[6], ROW[7])
"""Rows of five, six and seven 1s in a table of sets (see ROW): the sets with which a player may bomb."""


@cache
def offers() -> tuple[Indices, Floats]:
    """Return every offer of a throw of seven dice in Crib Dice, with its probability. Cached.

    An offer is one to three sets, of which the player may freeze one. A set is all dice of a value thrown twice or
    more.

    Returns:
        Two arrays. The first, (3, offers), has a column of sets for each offer, repeated if there are fewer than
        three. `ROW[n] + value - 1` stands for the set of n dice of a value. The second, (offers,), has the
        probabilities, which add up to 1.
    """
    rows = [[ROW[frozen] + value - 1 for frozen, value in offer] for offer, _ in first_throws()]
    return np.array([np.resize(row, 3) for row in rows]).T, np.array([chance for _, chance in first_throws()])


@cache
def roll_matrix(frozen: int) -> Floats:
    """Return the probabilities of a larger set or a wipe-out when rolling in Crib Dice with 2 to 4 frozen dice.

    A roll that shows a 1 but freezes no die is repeated. The array is cached: callers must not change it.

    Returns:
        (6, ROW[frozen]) probabilities, by face value of the frozen dice minus 1; each row adds up to 1. Column 0 is
        the wipe-out; column `ROW[n] + value - 1` is the set of n dice of that face value.
    """
    matrix = np.zeros((6, ROW[frozen]))
    for value in range(1, 7):
        for hits, chance in roll_ends(frozen, value):
            matrix[value - 1, ROW[frozen + hits] + value - 1] = chance
    matrix[:, 0] = 1.0 - matrix.sum(axis=1)
    return matrix


@cache
def rollover_matrix(piddle_points: bool) -> tuple[Floats, Floats]:
    """Return the probability of each rollover score and of a loss with five to seven dice frozen in Crib Dice.

    Seven frozen dice roll over at once. Five or six need a piddle: a throw of two dice, lost by a double of another
    value than the point. If `piddle_points` is on, dice that show the point first join the set. Otherwise a double of
    the point is thrown again. The arrays are cached: callers must not change them.

    Returns:
        (18, scores) probability of a rollover with each score from MIN_ROLLOVER to MAX_SET_SCORE, by set. And (18,)
        probability of losing the piddle, by set. Index `6 * (frozen - 5) + value - 1` is the set of `frozen` dice
        that show `value`.
    """
    matrix = np.zeros((18, MAX_SET_SCORE - MIN_ROLLOVER + 1))
    for row in range(18):
        frozen, value = 5 + row // 6, row % 6 + 1
        for hits, chance in piddle_ends(piddle_points) if frozen < 7 else ((0, 1.0),):
            matrix[row, set_score(min(7, frozen + hits), value) - MIN_ROLLOVER] += chance
    return matrix, 1 - matrix.sum(axis=1)


@cache
def set_scores() -> Indices:
    """Return the (ROWS - 1,) score of each set, by its row in a table of sets minus 1. Cached."""
    return np.array([set_score(frozen, value) for frozen in ROW for value in range(1, 7)])


def fresh_throws(
    piddle_points: bool, bank: Floats, lost: float, bottom: int, bombs: Sequence[float] = NO_BOMBS
) -> Floats:
    """Return the best-play values of a Crib Dice turn before a throw of seven dice, by the hole reached so far.

    Values are in the unit of `bank`, for any objective. Backward induction starts from the furthest hole. Blocks of
    MIN_ROLLOVER holes are evaluated together, because a rollover leads at least that far.

    Args:
        piddle_points: Whether the house rule of this name is on.
        bank: Value of a stop that reaches each hole, from 0 to `2 * MAX_SET_SCORE` beyond the hole from which every
            turn is taken to stop.
        lost: Value of a wipe-out.
        bottom: Lowest hole to evaluate.
        bombs: Value of bombing with five, six and seven 1s; `-inf` where it is not allowed.

    Returns:
        (holes,) values, from hole `bottom` to `len(bank) - MAX_SET_SCORE - 1`.
    """
    rows, chances = offers()
    known = np.arange(bottom, len(bank) - MAX_SET_SCORE)
    stops = np.full((ROWS, len(known)), lost)
    stops[1:] = bank[set_scores()[:, np.newaxis] + known]
    stops[list(BOMBS)] = np.maximum(stops[list(BOMBS)], np.array(bombs)[:, np.newaxis])
    fresh, top = np.full(len(known), np.nan), len(known) - MAX_SET_SCORE - 1
    fresh[top:] = chances @ stops[:, top:][rows].max(axis=0)
    rollovers, lost_piddle = rollover_matrix(piddle_points)
    risked = lost * lost_piddle[:, np.newaxis]
    further = sliding_window_view(fresh, MAX_SET_SCORE - MIN_ROLLOVER + 1)[MIN_ROLLOVER:]  # by hole
    # Every block is evaluated in the same buffers: a block is so small that new arrays would cost more than its sums.
    width = min(MIN_ROLLOVER, top)
    sets, offered, best = np.empty((ROWS, width)), np.empty((*rows.shape, width)), np.empty((len(chances), width))
    safe, thrown_on = sets[1:19], np.empty((18, width))
    rolls = [(roll_matrix(frozen), sets[:row], sets[row : row + 6]) for frozen, row in ROW.items() if frozen < 5]
    rolled = np.empty((6, width))
    for end in range(top, 0, -width):
        begin = max(0, end - width)  # the lowest block may overlap the one above it
        holes = slice(begin, begin + width)
        np.copyto(sets, stops[:, holes])
        np.dot(rollovers, further[holes].T, out=thrown_on)
        np.add(thrown_on, risked, out=thrown_on)
        np.maximum(safe, thrown_on, out=safe)
        for matrix, better, some in rolls:
            np.dot(matrix, better, out=rolled)
            np.maximum(some, rolled, out=some)
        np.take(sets, rows, axis=0, out=offered, mode="clip")
        offered.max(axis=0, out=best)
        np.dot(chances, best, out=fresh[holes])
    return fresh
