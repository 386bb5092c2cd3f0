"""Backward induction over one turn of Crib Dice for one state, in compiled loops."""

from __future__ import annotations

import numpy as np

from companion.games.crib_dice.odds.backward_induction import Floats
from companion.games.crib_dice.odds.turn_value import first_throws, roll_ends
from companion.games.crib_dice.scoring import MAX_SET_SCORE, set_score
from companion.games.solving.compiled import compiled

SCORES = np.array([[set_score(frozen, value) for value in range(7)] for frozen in range(8)])
"""Score of a set by frozen dice and face value. Rows 0 and 1 and column 0 are unused."""
_OFFERED = [[7 * frozen + value for frozen, value in (offer + offer[-1:] * 2)[:3]] for offer, _ in first_throws()]
"""Sets that the player may choose from after each throw of seven dice, coded as 7 * number of dice + value. Always
three, as seven dice show at most three sets; if fewer, the last is repeated. SETS is this list transposed."""
SETS = np.array(list(zip(*_OFFERED, strict=True)), np.uint64)
"""(3, offers) sets that the player may choose from after a throw of seven dice, each as 7 * its number of dice + face
value. The last set is repeated where there are fewer. Unsigned: numba then needs no check for negative indices."""
CHANCES = np.array([chance for _, chance in first_throws()])
"""(offers,) probability that a throw of seven offers the sets in each column of SETS."""
HIT_CHANCES = np.zeros((5, 7, 6))
"""Probability of a throw's result in a turn of Crib Dice, indexed by frozen dice (2 to 4), the point, and newly frozen
dice (0: a wipe-out). The 7 - frozen other dice are thrown. A throw with a 1 but without the point is repeated; the
probabilities include this. Other rows are 0.
"""
for _frozen in (2, 3, 4):
    for _value in range(1, 7):
        for _hits, _chance in roll_ends(_frozen, _value):
            HIT_CHANCES[_frozen, _value, _hits] = _chance
        HIT_CHANCES[_frozen, _value, 0] = 1.0 - HIT_CHANCES[_frozen, _value].sum()


@compiled
def best_turn(bank: Floats, lost: float, bombs: Floats, piddle: Floats, start: int, fresh: Floats) -> float:
    """Return the value of a turn of Crib Dice with best play, before its first throw, by backward induction.

    The value has the unit of `bank` and `lost`, such as a win probability.

    Args:
        bank: (holes,) value of stopping at each hole. In the last `2 * MAX_SET_SCORE + 1` holes, a turn stops with
            its next set.
        lost: Value of a wipe-out.
        bombs: (3,) value of bombing with five, six and seven 1s; `-inf` where it is not allowed.
        piddle: (3,) probability that a piddle is won and adds 0, 1 and 2 dice to the set; the rest is a loss.
        start: Hole of the peg at the turn's start, before the last `MAX_SET_SCORE` holes.
        fresh: (holes,) buffer, changed in place: receives the value of a throw of seven at each hole from `start`
            on. The last MAX_SET_SCORE holes are not used.
    """
    sets = np.empty(8 * 7)
    for hole in range(len(bank) - MAX_SET_SCORE - 1, start - 1, -1):
        value_sets(hole, bank, lost, bombs, piddle, fresh, sets)
        mean = 0.0
        for offer in range(len(CHANCES)):
            mean += CHANCES[offer] * max(sets[SETS[0, offer]], sets[SETS[1, offer]], sets[SETS[2, offer]])
        fresh[hole] = mean
    return float(fresh[start])


@compiled
def value_sets(
    hole: int, bank: Floats, lost: float, bombs: Floats, piddle: Floats, fresh: Floats, sets: Floats
) -> None:
    """Write the value of each set of frozen dice at one hole to `sets`, with the best of stop, bomb and throw.

    Args:
        hole: Hole that the turn has reached, without the score of the set.
        bank: (holes,) value of stopping at each hole. If `hole` is one of its last `2 * MAX_SET_SCORE + 1` indices,
            the turn stops with every set.
        lost: Value of a wipe-out.
        bombs: (3,) value of bombing with five, six and seven 1s; `-inf` where a bomb is not allowed.
        piddle: (3,) probability that a piddle is won and adds 0, 1 and 2 dice to the set; the rest is a loss. A
            piddle is a throw of two dice with five or six frozen.
        fresh: (holes,) value of a throw of seven dice at each hole; the values after `hole` must be known.
        sets: (56,) receives the values. The index of a set of 2 to 7 dice is 7 times their number plus their value.
    """
    for frozen in range(7, 1, -1):
        for value in range(1, 7):
            sets[7 * frozen + value] = bank[hole + SCORES[frozen, value]]
    if hole >= len(bank) - 2 * MAX_SET_SCORE - 1:
        return
    lost_piddle = (1.0 - piddle.sum()) * lost
    for value in range(1, 7):
        sets[49 + value] = max(sets[49 + value], fresh[hole + SCORES[7, value]])
        for frozen in range(6, 4, -1):
            thrown = lost_piddle
            for hits in range(3):
                thrown += piddle[hits] * fresh[hole + SCORES[min(7, frozen + hits), value]]
            sets[7 * frozen + value] = max(sets[7 * frozen + value], thrown)
    for frozen in range(5, 8):
        sets[7 * frozen + 1] = max(sets[7 * frozen + 1], bombs[frozen - 5])
    _value_rolls(lost, sets)


@compiled
def _value_rolls(lost: float, sets: Floats) -> None:
    """Raise the value of each set of two to four frozen dice in `sets` to the value of a throw, if that is higher.

    A throw rolls the dice that are not frozen.

    Args:
        lost: Value of a wipe-out.
        sets: (56,) values, changed in place; the index is 7 times the number of frozen dice plus their face value.
            For two to four dice the value on entry is that of a stop; for more it is that of the best choice.
    """
    for frozen in range(4, 1, -1):
        for value in range(1, 7):
            thrown = HIT_CHANCES[frozen, value, 0] * lost
            for hits in range(1, 8 - frozen):
                thrown += HIT_CHANCES[frozen, value, hits] * sets[7 * (frozen + hits) + value]
            sets[7 * frozen + value] = max(sets[7 * frozen + value], thrown)
