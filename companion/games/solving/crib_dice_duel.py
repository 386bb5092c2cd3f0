"""Solve Crib Dice for two sides that play every turn to win, or for the games that each loses.

The game is a zero-sum stochastic game (Shapley 1953) in which only one side acts at a time. The value of a state is its
*equity*: the expected number of games that the other side loses, less those that the mover loses. Without skunks that
is twice the win probability less one.

Value iteration by Gauss-Seidel sweeps solves it. A bank leads to a greater sum of both pegs, a wipe-out to more
wipe-outs at the same sum. So a sweep from the far end, most wipe-outs first, has the values of both when it needs them.
Only fuchles, bombs and bumps lead back, to values of the sweep before. They are rare enough for a few dozen sweeps, and
Anderson acceleration saves most of those.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from companion.games.crib_dice.odds.backward_induction import Floats, Indices
from companion.games.crib_dice.odds.turn_value import ANNOUNCED, piddle_ends
from companion.games.crib_dice.odds.two_sides import (
    BEYOND,
    BEYOND_TOP,
    FUCHLE,
    FUCHLED,
    HOLE,
    PEG_HOLES,
    PLACES,
    SHAPE,
    TOP,
    DuelRules,
)
from companion.games.solving.compiled import compiled
from companion.games.solving.crib_dice_turn import best_turn
from companion.games.solving.fixed_point import fixed_point

HOLES = np.array(HOLE)
"""(PLACES,) hole of each place of a peg in the solver's tables. Places 0 to 120 are holes. The last place,
FUCHLED, stands for a peg that three wipe-outs have sent to hole 0."""
TOLERANCE = 1e-9
"""Greatest change of an equity in the last sweep, in games. Higher: fewer sweeps, less exact tables.

It is about one unit of the stored tables."""
FIRST_SCALE = 40.0
"""Lead in holes at which the first guess of an equity is tanh(1) = 0.76 games. Higher: the same solution.

Any guess leads to it; a bad one needs more sweeps."""


class Game(NamedTuple):
    """Rules and known values of one game, in the form that compiled functions take.

    Attributes:
        bomb: Whether the house rule of this name is on.
        double_fuchle: Whether the house rule of this name is on.
        bumping: Whether the house rule of this name is on.
        piddle: (3,) probability that a piddle is won and adds 0, 1 and 2 dice to the set.
        stakes: (PLACES,) games that a loser at each place loses.
        last: (PLACES, FUCHLE, BEYOND) equity of the mover before the last turn of a game, after the other side has
            finished: by the mover's place and wipe-outs, and by the other's hole past the track, 0 for the first one.
    """

    bomb: bool
    double_fuchle: bool
    bumping: bool
    piddle: Floats
    stakes: Floats
    last: Floats


def game_of(rules: DuelRules) -> Game:
    """Return the input of the compiled solver of Crib Dice between two sides, a `Game`, for the house rules `rules`.

    The `Game` has the effects of the rules as numbers, and the equities of all last turns. A last turn is played after
    the other side has finished. Computing these equities takes a while.
    """
    piddle = np.zeros(3)
    for hits, chance in piddle_ends(rules.piddle_points):
        piddle[hits] = chance
    stakes = np.array([float(rules.games_lost(place)) for place in range(PLACES)])
    lost_last = [[float(rules.lost_last(place, count)) for count in range(FUCHLE)] for place in range(PLACES)]
    last = _last_turns(piddle, np.append(stakes[:PEG_HOLES], rules.games_lost(FUCHLED + 1)), np.array(lost_last))
    return Game(rules.bomb, rules.double_fuchle, rules.bumping, piddle, stakes, last)


def solved(game: Game) -> Iterator[tuple[Floats, float]]:
    """Compute the mover's equity in every state of two-sided Crib Dice by Anderson-accelerated value iteration.

    An equity is the expected number of games that the other side will lose, less those of the mover.

    Yields:
        After each sweep, the equities in an array of shape SHAPE, and the greatest change of an equity in the
        sweep. The iteration ends when this change is at most TOLERANCE; the last array is the solution.
    """
    mover, other = (places.ravel() for places in np.indices((PLACES, PLACES)))
    by_sum = np.argsort(HOLES[mover] + HOLES[other], kind="stable")

    def swept(before: Floats) -> Floats:
        """Return the values after one sweep."""
        values = before.copy()
        _sweep(game, values, mover[by_sum], other[by_sum])
        return values

    lead = np.tanh((HOLES[:, np.newaxis] - HOLES) / FIRST_SCALE)[..., np.newaxis, np.newaxis]
    return fixed_point(swept, np.broadcast_to(lead, SHAPE).copy(), TOLERANCE)


@compiled
def _last_turns(piddle: Floats, stakes: Floats, lost: Floats) -> Floats:
    """Return the mover's equity, in games, before each last turn of a two-sided game of Crib Dice, with best play.

    Equity is the games that the other side loses, minus those that the mover loses. The other side has finished, so
    there are no bombs. A stop beyond the other side's hole gives 1, a stop at that hole 0.

    Args:
        piddle: (3,) probability that a piddle is won and adds 0, 1 and 2 dice to the set; the rest is a loss. A
            piddle is a throw of two dice with five or six frozen.
        stakes: (PEG_HOLES + 1,) games that a shorter stop loses, by hole; the last entry is for all beyond the
            track.
        lost: (PLACES, FUCHLE) games that a wipe-out loses, by place (index of HOLES) and wipe-outs in a row before.

    Returns:
        (PLACES, FUCHLE, BEYOND) equity by the mover's place, the mover's wipe-outs in a row, and the other's hole
        past the track (0: the first).
    """
    bank, no_bombs = np.empty(PEG_HOLES + BEYOND + BEYOND_TOP), np.full(3, -np.inf)
    fresh, last = np.empty(len(bank)), np.empty((PLACES, FUCHLE, BEYOND))
    for past in range(BEYOND):
        finish = PEG_HOLES + past
        for hole in range(len(bank)):
            bank[hole] = -stakes[min(hole, PEG_HOLES)] if hole < finish else 0.0 if hole == finish else 1.0
        for place in range(PLACES):
            for count in range(FUCHLE):
                last[place, count, past] = best_turn(bank, -lost[place, count], no_bombs, piddle, HOLES[place], fresh)
    return last


@compiled
def _sweep(game: Game, values: Floats, movers: Indices, others: Indices) -> None:
    """Do one Gauss-Seidel sweep of a Crib Dice duel: replace each state's equity by that of its best turn.

    States are visited from the end of the track back, so that each uses the new equities of those nearer to the end. A
    *place* of a peg is its hole, or FUCHLED.

    Args:
        game: House rules, stakes, and the equities before the last turn that follows when a side has finished.
        values: Equity of the mover in each state, in games, shape SHAPE; changed in place.
        movers: Place of the mover's peg in each pair of places. The pairs stand in ascending order of the sum of
            the two pegs' holes.
        others: Place of the other side's peg in each of these pairs.
    """
    bank, bombs = np.empty(TOP + BEYOND_TOP), np.empty(3)
    fresh, end = np.empty(len(bank)), len(movers)
    while end > 0:
        begin, total = end - 1, HOLES[movers[end - 1]] + HOLES[others[end - 1]]
        while begin > 0 and HOLES[movers[begin - 1]] + HOLES[others[begin - 1]] == total:
            begin -= 1
        for wipeouts in range(2 * FUCHLE - 2, -1, -1):
            for mine in range(max(0, wipeouts - FUCHLE + 1), min(wipeouts, FUCHLE - 1) + 1):
                for pair in range(begin, end):
                    for order in range(2):
                        at = order, movers[pair], others[pair], mine, wipeouts - mine
                        lost, holes = turn_ends(game, values, at, bank, bombs)
                        start = HOLES[movers[pair]]
                        values[at] = best_turn(bank[:holes], lost, bombs, game.piddle, start, fresh)
        end = begin


@compiled
def turn_ends(
    game: Game, values: Floats, at: tuple[int, int, int, int, int], bank: Floats, bombs: Floats
) -> tuple[float, int]:
    """Compute the mover's equity after each way to end a turn: a stop, a bomb or a wipe-out.

    The equities after stops and bombs are written to `bank` and `bombs`.

    Args:
        game: House rules, the number of games that a loser loses by the place of its peg, and equities before the last
            turn of a game.
        values: Equities of all states, shape SHAPE.
        at: State before the turn, an index of `values`: 0 if the mover is first in the round, else 1; the mover's
            place and the other's; the mover's wipe-outs in a row and the other's.
        bank: Receives the equity after a stop, by hole, from the mover's hole on; lower entries have no meaning.
        bombs: (3,) receives the equity of a bomb with five, six and seven 1s; all `-inf` if bombs are not allowed.
            With five, the risk of a wipe-out after the announcement is included.

    Returns:
        Equity after a wipe-out, and the end of the filled part of `bank`, an exclusive index.
    """
    order, mover, other, mine, theirs = at
    after, start, there = values[1 - order], HOLES[mover], HOLES[other]
    for hole in range(start, PEG_HOLES):
        bank[hole] = -after[other, hole, theirs, 0]
    if game.bumping and there > 0:
        bank[there] = -after[max(there - 5, 0), there, theirs, 0]
    # A finish in the second turn of a round ends the game; one in the first leaves the other a last turn.
    holes = (TOP if order == 0 else PEG_HOLES) + BEYOND_TOP
    for hole in range(PEG_HOLES, holes):
        bank[hole] = -game.last[other, theirs, hole - PEG_HOLES] if order == 0 else game.stakes[other]
    lost = -after[other, mover, theirs, mine + 1] if mine + 1 < FUCHLE else -after[other, FUCHLED, theirs, 0]
    if game.double_fuchle and mover == FUCHLED and mine > 0:
        lost = -game.stakes[FUCHLED]
    bombs[:] = -np.inf
    if game.bomb and start < there:
        bombs[:] = -after[start, there, theirs, 0]
        bombs[0] = ANNOUNCED * bombs[0] + (1 - ANNOUNCED) * lost
    return lost, holes
