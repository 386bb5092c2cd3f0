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
    RICH,
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
"""Probability below which `banks` drops a state. Keeps reported win probabilities right to eight digits."""


def turn_table() -> Generator[float, None, bytes]:
    """Compute the expected turn points of a throw of seven, by points gathered.

    Little-endian float64; without, then with `piddle_points`.
    """
    yield 0.0
    turn_values = (TurnValues(False), TurnValues(True))
    turns = [worth.fresh(gathered) for worth in turn_values for gathered in range(RICH)]
    return struct.pack(f"<{len(turns)}d", *turns)


def banks_table() -> Generator[float, None, bytes]:
    """Compute `banks` without, then with `piddle_points`, as little-endian float64 of equal length."""
    yield 0.0
    without, with_points = banks(False), banks(True)
    without += (0.0,) * (len(with_points) - len(without))
    return struct.pack(f"<{2 * len(with_points)}d", *without, *with_points)


def banks(piddle_points: bool) -> tuple[float, ...]:
    """Return the probability of banking 0, 1, 2, ... points when a turn maximises turn points.

    The probability missing to 1 is a wipe-out.
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
    """Propagate the probability of a throw of seven to stops and later throws of seven.

    Args:
        worth: Turn values that define the policy.
        piddle_points: The house rule.
        gathered: Points gathered before the throw.
        chance: Probability of the throw.
        fresh: Probability of a later throw of seven by points gathered; added to.
        banked: Probability of a stop by points; added to.
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
    """Solve the game between two sides under those rules; yield the progress and return the table."""
    game = game_of(rules)
    for found, change in solved(game):
        values = found
        yield max(0.0, min(0.999, math.log(change) / math.log(TOLERANCE)))
    return packed(rules, values, game.last)


def packed(rules: DuelRules, values: Floats, last: Floats) -> bytes:
    """Return equities as little-endian uint32, in units of the stake and 2**-31, from 0 for the worst.

    Args:
        rules: Rules of the game.
        values: Equity of each state, of shape `two_sides.SHAPE`.
        last: Equity of each last turn, as `Game.last`.
    """
    share = np.concatenate([values.ravel(), last.ravel()]) / rules.stake + 1.0
    return np.rint(np.clip(share * 2.0**31, 0, 2**32 - 1)).astype("<u4").tobytes()


TABLES: Mapping[str, Solver] = {
    **{name: partial(duel_table, rules) for rules, name in duel.TABLES.items()},
    TURNS: turn_table,
    BANKS: banks_table,
}
"""Solver of each stored table, by file name."""
