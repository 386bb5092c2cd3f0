"""Games of Crib Dice between two that both play for the win, drawn turn by turn, against what is stored.

`make duel-games` plays 200,000. What a turn banks is drawn from its exact outcomes; the rounds, wipe-outs, fuchles and
the end are played here, straight from the rules. Games with real throws through the engine are `pegpip simulate`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from companion.games.crib_dice.odds import two_sides as duel
from companion.games.crib_dice.odds.backward_induction import Turns, evaluate
from companion.games.solving.crib_dice_duel import SHAPE, TOPS, Duel
from companion.games.solving.crib_dice_outcomes import Outcomes

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
HOLES = duel.TOP
AT_ONCE = 4


def stored_values(piddle_points: bool) -> Floats:
    table = np.array(duel._table(piddle_points), dtype=np.float64)
    return (table[: -duel.GAPS] * duel.UNIT).reshape(SHAPE)


def outcomes(piddle_points: bool, order: int) -> npt.NDArray[np.float32]:
    """By both pegs and both wipe-outs: the chance of no more than each hole; the rest but the last wipes out."""
    game, values = Duel(piddle_points), stored_values(piddle_points)
    found = np.empty((*SHAPE[1:], HOLES + 1), np.float32)
    for begin in range(0, duel.PEGS, AT_ONCE):
        others = np.arange(begin, min(begin + AT_ONCE, duel.PEGS))
        bank, lost = game.payoffs(values, order, others)
        tiled = np.tile(bank.reshape(len(bank), -1), (1, duel.PEGS * duel.FUCHLE))
        starts = np.repeat(np.arange(duel.PEGS), lost[0].size)
        turns = evaluate(Turns(piddle_points, tiled, lost.reshape(-1)), starts)
        ends = Outcomes(piddle_points, turns, starts, TOPS[order])
        banked, wiped = ends.banked, ends.wiped
        shape = (duel.PEGS, duel.FUCHLE, len(others), duel.FUCHLE)
        chances = np.zeros((HOLES + 1, len(wiped)))
        chances[: TOPS[order]] = banked
        chances[-1] = wiped
        if order == 1:  # all that banks beyond the track wins
            chances[duel.PEGS] += 1 - chances.sum(axis=0)
        ordered = np.concatenate([chances[-1:], chances[:-1]]).cumsum(axis=0)
        found[:, others] = ordered.reshape(HOLES + 1, *shape).transpose(1, 3, 2, 4, 0)
    return found


def played(piddle_points: bool, games: int, seed: int) -> float:
    """The share of the win of who begins."""
    generator, gaps = np.random.default_rng(seed), Duel(piddle_points).last
    likely = [outcomes(piddle_points, order) for order in (0, 1)]
    pegs, wipeouts = np.zeros((2, games), np.int64), np.zeros((2, games), np.int64)
    won, on = np.zeros(games), np.arange(games)
    while len(on):
        for side in (0, 1):
            ended = turn(side, pegs, wipeouts, on, likely[side], generator)
            if side == 1:
                won[on[ended]] = 0.0
                on = on[~ended]
                continue
            for game in on[ended]:
                won[game] = 1 - gaps[pegs[0, game] - pegs[1, game]]
            on = on[~ended]
    return float(won.mean())


def turn(
    side: int,
    pegs: Indices,
    wipeouts: Indices,
    on: Indices,
    likely: npt.NDArray[np.float32],
    generator: np.random.Generator,
) -> npt.NDArray[np.bool_]:
    """One turn of that side in each game that is on; whether it finished."""
    drawn = generator.random(len(on), dtype=np.float32)
    rows = likely[pegs[side, on], pegs[1 - side, on], wipeouts[side, on], wipeouts[1 - side, on]]
    place = (drawn[:, np.newaxis] > rows).sum(axis=1)
    lost = place == 0
    pegs[side, on[~lost]] = place[~lost] - 1
    wipeouts[side, on[~lost]] = 0
    wipeouts[side, on[lost]] += 1
    fuchled = on[wipeouts[side, on] == duel.FUCHLE]
    pegs[side, fuchled] = 0
    wipeouts[side, fuchled] = 0
    return pegs[side, on] >= duel.PEGS


def reports(games: int) -> Iterator[str]:
    for piddle_points in (False, True):
        expected = float(stored_values(piddle_points)[0, 0, 0, 0, 0])
        share = played(piddle_points, games, 1)
        errors = (share - expected) / (expected * (1 - expected) / games) ** 0.5
        name = "piddle_points" if piddle_points else "basic"
        told = f"{share:.5f} won by who begins, stored {expected:.5f}: {errors:+.2f} standard errors"
        yield f"{name}: {games} games, {told}"


if __name__ == "__main__":
    for report in reports(int(sys.argv[1]) if len(sys.argv) > 1 else 200_000):
        print(report, flush=True)
