"""Draw games of Crib Dice between two solved sides turn by turn, and compare them with the stored values.

`make duel-games` plays 200,000 under each table's rules. The end of a turn is drawn from its exact outcomes. Rounds,
fuchles, bumps, bombs and the end are played here, straight from the rules.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from companion.games.crib_dice.odds import two_sides as duel
from companion.games.crib_dice.odds.two_sides import FUCHLE, FUCHLED, HOLE, PEGS, PLACES, TABLES, DuelRules
from companion.games.solving.crib_dice_duel import BY_HOLE, SHAPE, TOPS, Duel
from companion.games.solving.crib_dice_outcomes import Outcomes

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
BOMBED, WIPED = PEGS + 1, PEGS + 2
"""Columns of the outcomes after the holes 0 to 120 and, as one, all beyond the track."""
AT_ONCE = 4


def stored_values(rules: DuelRules) -> Floats:
    """Return the equity of every state, shape SHAPE, from the stored table."""
    table = np.array(duel._table(rules), dtype=np.float64)[: np.prod(SHAPE)]
    return (rules.stake * (table * 2.0**-31 - 1)).reshape(SHAPE)


def outcomes(game: Duel, values: Floats, order: int) -> npt.NDArray[np.float32]:
    """Return the cumulative probabilities of each end of a turn, by both places and both counts of wipe-outs."""
    found = np.empty((*SHAPE[1:], WIPED + 1), np.float32)
    for begin in range(0, PLACES, AT_ONCE):
        others = np.arange(begin, min(begin + AT_ONCE, PLACES))
        turns, starts = game.turns(values, order, others)
        ends = Outcomes(game.rules.piddle_points, turns, starts, TOPS[order])
        chances = np.zeros((WIPED + 1, len(starts)))
        chances[:PEGS], chances[BOMBED], chances[WIPED] = ends.banked[:PEGS], ends.bombed, ends.wiped
        chances[PEGS] = 1 - chances.sum(axis=0)
        by_state = chances.cumsum(axis=0).reshape(WIPED + 1, PLACES, FUCHLE, len(others), FUCHLE)
        found[BY_HOLE[:, np.newaxis], others] = by_state.transpose(1, 3, 2, 4, 0)
    return found


def played(rules: DuelRules, games: int, seed: int) -> Floats:
    """Return the equity of the starter in each simulated game.

    A finish of the starter counts the exact value of the other's last turn.
    """
    game, values, generator = Duel(rules), stored_values(rules), np.random.default_rng(seed)
    likely = [outcomes(game, values, order) for order in (0, 1)]
    banks = [game.payoffs(values, 0, np.array([other]))[0][PEGS:, 0] for other in range(PLACES)]
    lost = np.array([rules.games_lost(place) for place in range(PLACES)])
    place, count = np.zeros((2, games), np.int64), np.zeros((2, games), np.int64)
    holes, equity, on = np.array(HOLE), np.zeros(games), np.arange(games)
    beyond = FinishChances(game, values)
    while len(on):
        for side in (0, 1):
            me, you, mine, yours = place[side, on], place[1 - side, on], count[side, on], count[1 - side, on]
            drawn = generator.random(len(on), dtype=np.float32)
            end = np.minimum((drawn[:, np.newaxis] > likely[side][me, you, mine, yours]).sum(axis=1), WIPED)
            finished, bombed, wiped = end == PEGS, end == BOMBED, end == WIPED
            banked = end < PEGS
            place[side, on[banked]], count[side, on[banked | bombed]] = end[banked], 0
            bumped = banked & (end == holes[you]) & (end > 0) & rules.bumping
            place[1 - side, on[bumped]] = np.maximum(end[bumped] - 5, 0)
            place[side, on[bombed]], place[1 - side, on[bombed]] = holes[you[bombed]], holes[me[bombed]]
            out = wiped & (me == FUCHLED) & (mine == 1) & rules.double_fuchle
            fuchled = wiped & (mine + 1 == FUCHLE)
            count[side, on[wiped]] = np.where(fuchled[wiped], 0, mine[wiped] + 1)
            place[side, on[fuchled]] = FUCHLED
            sign = 1 if side == 0 else -1
            equity[on[out]] = -sign * lost[FUCHLED]
            if side == 1:
                equity[on[finished]] = -lost[you[finished]]
            else:
                for one in np.flatnonzero(finished):
                    chances = beyond[me[one], you[one], mine[one], yours[one]]
                    hole = np.searchsorted(chances, generator.random() * chances[-1])
                    equity[on[one]] = banks[you[one]][hole, yours[one]]
            on = on[~(finished | out)]
    return equity


class FinishChances:
    """Cumulative chances of the holes beyond the track where a starter's turn finishes, computed on demand."""

    def __init__(self, game: Duel, values: Floats) -> None:
        self._game, self._values = game, values
        self._known: dict[int, Floats] = {}

    def __getitem__(self, at: tuple[int, int, int, int]) -> Floats:
        me, other, mine, theirs = (int(each) for each in at)
        if other not in self._known:
            turns, starts = self._game.turns(self._values, 0, np.array([other]))
            banked = Outcomes(self._game.rules.piddle_points, turns, starts, len(turns.bank) - 30).banked[PEGS:]
            found = np.empty((PLACES, FUCHLE, FUCHLE, len(banked)))
            found[BY_HOLE] = banked.cumsum(axis=0).reshape(len(banked), PLACES, FUCHLE, FUCHLE).transpose(1, 2, 3, 0)
            self._known[other] = found
        found: Floats = self._known[other][me, mine, theirs]
        return found


def reports(games: int) -> Iterator[str]:
    for rules, name in TABLES.items():
        expected, equity = float(stored_values(rules)[0, 0, 0, 0, 0]), played(rules, games, 1)
        errors = (equity.mean() - expected) / (equity.std() / games**0.5)
        found = f"equity of the starter {equity.mean():+.5f}, stored {expected:+.5f}"
        yield f"{name}: {games} games, {found}: {errors:+.2f} standard errors"


if __name__ == "__main__":
    for report in reports(int(sys.argv[1]) if len(sys.argv) > 1 else 200_000):
        print(report, flush=True)
