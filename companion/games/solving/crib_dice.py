"""Solvers of Crib Dice, run by `make solve`: turn values, bank distributions and the game between two sides."""

from __future__ import annotations

import math
import struct
from collections import defaultdict
from collections.abc import Generator, Mapping
from functools import partial
from typing import TypeVar

import numpy as np

from companion.games.advice.stored import Solver
from companion.games.crib_dice.odds import two_sides as duel
from companion.games.crib_dice.odds.backward_induction import Floats
from companion.games.crib_dice.odds.race import BANKS
from companion.games.crib_dice.odds.turn_value import (
    SURE_STOP_POINTS,
    TURNS,
    TurnValues,
    first_throws,
    piddle_ends,
    roll_ends,
    turn_values,
)
from companion.games.crib_dice.odds.two_sides import DuelRules
from companion.games.crib_dice.scoring import set_score
from companion.games.solving.crib_dice_duel import TOLERANCE, game_of, solved

T = TypeVar("T")
Chances = defaultdict[T, float]
NEGLIGIBLE = 1e-10
"""Probability up to which `banks` ignores a throw of seven dice. Higher: faster, less exact.

With this value, win probabilities are right to the eight digits reported."""


def turn_table() -> Generator[float, None, bytes]:
    """Compute the stored table of the points that a turn of Crib Dice is expected to bank with best play.

    Yields 0.0 once, before it begins. Returns little-endian float64 values before a throw of seven dice, by the
    points gathered so far, 0 to SURE_STOP_POINTS - 1: first without the house rule `piddle_points`, then with it.
    """
    yield 0.0
    both = (TurnValues(False), TurnValues(True))
    turns = [worth.fresh(gathered) for worth in both for gathered in range(SURE_STOP_POINTS)]
    return struct.pack(f"<{len(turns)}d", *turns)


def banks_table() -> Generator[float, None, bytes]:
    """Compute the file of the probabilities of banking 0, 1, 2, ... points in a turn of Crib Dice (`banks`).

    Yields the progress once: 0, before the work. Returns little-endian float64: first the half without the house rule
    `piddle_points`, padded with 0 to the length of the other, then the half with it.
    """
    yield 0.0
    without, with_points = banks(False), banks(True)
    without += (0.0,) * (len(with_points) - len(without))
    return struct.pack(f"<{2 * len(with_points)}d", *without, *with_points)


def banks(piddle_points: bool) -> tuple[float, ...]:
    """Compute the probability of banking 0, 1, 2, ... points in a turn of Crib Dice, by number of points.

    The turn is played for the most expected points. 1 minus the sum is the probability of a wipe-out. `piddle_points`
    is the house rule of this name.
    """
    worth = turn_values(piddle_points)
    fresh, banked = Chances[int](float, {0: 1.0}), Chances[int](float)
    while fresh:
        gathered = min(fresh)
        chance = fresh.pop(gathered)
        if chance > NEGLIGIBLE:
            _play_on(worth, piddle_points, gathered, chance, fresh, banked)
    return tuple(banked[points] for points in range(max(banked) + 1))


def _play_on(
    worth: TurnValues,
    piddle_points: bool,
    gathered: int,
    chance: float,
    fresh: Chances[int],
    banked: Chances[int],
) -> None:
    """Follow a Crib Dice turn from a throw of seven dice, and add the probabilities of its results in place.

    A stop adds to `banked`, the next throw of all seven dice to `fresh`. A wipe-out is dropped. The player takes the
    option with the highest value in `worth`, and stops on a tie.

    Args:
        worth: Turn values that define the policy.
        piddle_points: Whether the house rule `piddle_points` is on.
        gathered: Points gathered before the throw.
        chance: Probability of the throw.
        fresh: Probability of a throw of seven, by points gathered; changed in place.
        banked: Probability of a stop, by points banked; changed in place.
    """
    held = Chances[tuple[int, int]](float)
    for offer, share in first_throws():
        held[max(offer, key=lambda one: worth.held(gathered, *one))] += chance * share
    while held:
        frozen, point = min(held)
        chance = held.pop((frozen, point))
        stop = gathered + set_score(frozen, point)
        if frozen == 7:
            fresh[stop] += chance
        elif worth.thrown(gathered, frozen, point) <= stop:
            banked[stop] += chance
        elif frozen >= 5:
            for hits, share in piddle_ends(piddle_points):
                fresh[gathered + set_score(min(7, frozen + hits), point)] += chance * share
        else:
            for hits, share in roll_ends(frozen, point):
                held[frozen + hits, point] += chance * share


def duel_table(rules: DuelRules) -> Generator[float, None, bytes]:
    """Compute the equities of all states of Crib Dice between two sides that both play best, as a table to store.

    Yields the solver's progress, 0 to 1, after each sweep. Returns the table as the bytes that `packed` makes.
    """
    game = game_of(rules)
    for found, change in solved(game):
        values = found
        yield max(0.0, min(0.999, math.log(change) / math.log(TOLERANCE)))
    return packed(rules, values, game.last)


def packed(rules: DuelRules, values: Floats, last: Floats) -> bytes:
    """Return equities as a stored table's bytes: little-endian uint32, (equity / stake + 1) * 2**31, rounded.

    0 stands for losing the whole stake, the most games that a side can lose. A win of the whole stake, 2**32, is stored
    as 2**32 - 1. `last` follows `values`.

    Args:
        rules: House rules that the table is solved for; they give the stake.
        values: Equities before ordinary turns, in games, of any shape.
        last: Equities before last turns, played after the other side has finished, in games.
    """
    share = np.concatenate([values.ravel(), last.ravel()]) / rules.stake + 1.0
    return np.rint(np.clip(share * 2.0**31, 0, 2**32 - 1)).astype("<u4").tobytes()


TABLES: Mapping[str, Solver] = {
    **{name: partial(duel_table, rules) for rules, name in duel.TABLES.items()},
    TURNS: turn_table,
    BANKS: banks_table,
}
"""Function that computes each stored table of Crib Dice, by file name."""
