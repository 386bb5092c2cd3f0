"""Play games of Crib Dice between two solved sides with random dice, and compare with the stored values.

`make duel-games` plays 200,000 under each table's rules. Decisions follow the stored values; throws, rounds, fuchles,
bumps, bombs and the end are played here, straight from the rules.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np

from companion.games.crib_dice.odds.backward_induction import Floats
from companion.games.crib_dice.odds.two_sides import (
    BEYOND_TOP,
    FUCHLE,
    FUCHLED,
    PEG_HOLES,
    TABLES,
    TOP,
    DuelRules,
)
from companion.games.solving.compiled import compiled
from companion.games.solving.crib_dice_duel import HOLES, Game, game_of, turn_ends
from companion.games.solving.crib_dice_turn import SCORES, best_turn, value_sets
from tests.games.crib_bellman import Duel, stored_equities

WIPED, BOMBED = -1, -2
"""Ends of a turn that are no stop at a hole."""


@compiled
def thrown(dice: int, counts: Floats) -> None:
    """Throw `dice` dice and count each face: `counts[face]`."""
    counts[:] = 0
    for _ in range(dice):
        counts[np.random.randint(1, 7)] += 1


@compiled
def named(counts: Floats, sets: Floats) -> tuple[int, int]:
    """Return the best set of a throw of seven: its dice and their value."""
    frozen, value = 0, 0
    for face in range(1, 7):
        count = int(counts[face])
        if count >= 2 and (frozen == 0 or sets[7 * count + face] > sets[7 * frozen + value]):
            frozen, value = count, face
    return frozen, value


@compiled
def thrown_on(frozen: int, value: int, piddle_points: bool, counts: Floats) -> int:
    """Throw on with a set of two to six dice; return its dice afterwards, or 0 after a wipe-out."""
    if frozen < 5:
        thrown(7 - frozen, counts)
        return frozen + int(counts[value]) if counts[value] + counts[1] > 0 else 0
    thrown(2, counts)
    while not piddle_points and counts[value] == 2:
        thrown(2, counts)
    if counts.max() == 2 and counts[value] != 2:
        return 0
    return min(7, frozen + int(counts[value])) if piddle_points else frozen


@compiled
def turn(start: int, ends: tuple[Floats, float, Floats], game: Game, fresh: Floats, piddle_points: bool) -> int:
    """Play one turn with random dice and best decisions.

    Args:
        start: Hole of the mover.
        ends: Values of a bank at each hole, of a wipe-out and of bombs.
        game: Rules.
        fresh: Values of throws of seven, as `best_turn` finds them.
        piddle_points: Whether the house rule of this name is on.

    Returns:
        Hole of the stop, WIPED or BOMBED.
    """
    bank, lost, bombs = ends
    sets, counts, hole, frozen, value = np.empty(56), np.zeros(7), start, 0, 0
    while True:
        if frozen == 0:
            value_sets(hole, bank, lost, bombs, game.piddle, fresh, sets)
            thrown(7, counts)
            frozen, value = named(counts, sets)
        worth, stop = sets[7 * frozen + value], hole + SCORES[frozen, value]
        if bank[stop] >= worth:
            return int(stop)
        if value == 1 and frozen >= 5 and bombs[frozen - 5] >= worth:
            thrown(2, counts)
            return BOMBED if frozen > 5 or counts[1] > 0 else WIPED
        before = frozen
        frozen = 7 if before == 7 else thrown_on(before, value, piddle_points, counts)
        if frozen == 0:
            return WIPED
        if before >= 5:
            hole, frozen = hole + SCORES[frozen, value], 0


@compiled
def last_turn(game: Game, you: int, wipeouts: int, finish: int, piddle_points: bool) -> float:
    """Play the last turn of a side against a peg beyond the track; return the equity of who finished.

    Args:
        game: Rules.
        you: Place of the side to play.
        wipeouts: Its wipe-outs in a row.
        finish: Hole of the other peg.
        piddle_points: Whether the house rule of this name is on.
    """
    bank, fresh = np.empty(finish + 100), np.empty(finish + 100)
    for hole in range(len(bank)):
        lost = game.stakes[hole] if hole < PEG_HOLES else 1.0
        bank[hole] = 1.0 if hole > finish else 0.0 if hole == finish else -lost
    out = game.stakes[FUCHLED if wipeouts + 1 == FUCHLE else you]
    ends = bank, -out, np.full(3, -np.inf)
    best_turn(bank, -out, ends[2], game.piddle, HOLES[you], fresh)
    end = turn(HOLES[you], ends, game, fresh, piddle_points)
    return float(out if end == WIPED else -bank[end])


@compiled
def played(game: Game, values: Floats, piddle_points: bool, games: int, seed: int) -> Floats:
    """Return the equity of the starter in each simulated game: games that the other loses less those it loses.

    Args:
        game: Rules.
        values: Stored equities of all states.
        piddle_points: Whether the house rule of this name is on.
        games: Number of games.
        seed: Seed of the dice.
    """
    np.random.seed(seed)
    equities, fresh, bank, bombs = np.empty(games), np.empty(TOP + BEYOND_TOP), np.empty(TOP + BEYOND_TOP), np.empty(3)
    # Values of throws of seven in each state, once a game has met it.
    met, known = np.zeros(values.shape, np.bool_), np.empty((*values.shape, len(bank)), np.float32)
    for number in range(games):
        me, you, mine, yours, side = 0, 0, 0, 0, 0
        while True:
            at = side, me, you, mine, yours
            lost, holes = turn_ends(game, values, at, bank, bombs)
            if not met[at]:
                best_turn(bank[:holes], lost, bombs, game.piddle, HOLES[me], fresh)
                met[at], known[at] = True, fresh
            end = turn(HOLES[me], (bank[:holes], lost, bombs), game, known[at], piddle_points)
            if end >= PEG_HOLES:
                equity = game.stakes[you] if side == 1 else last_turn(game, you, yours, end, piddle_points)
                break
            if end == WIPED:
                if game.double_fuchle and me == FUCHLED and mine == 1:
                    equity = -game.stakes[FUCHLED]
                    break
                me, mine = (me, mine + 1) if mine + 1 < FUCHLE else (FUCHLED, 0)
            elif end == BOMBED:
                me, you, mine = HOLES[you], HOLES[me], 0
            else:
                you = max(0, end - 5) if game.bumping and end == HOLES[you] else you
                me, mine = end, 0
            me, you, mine, yours, side = you, me, yours, mine, 1 - side
        equities[number] = equity if side == 0 else -equity
    return equities


def reports(games: int) -> Iterator[str]:
    """Yield a line on the residual and one on the games of each stored table."""
    for rules, name in TABLES.items():
        duel = Duel(rules)
        yield f"{name}: Bellman residual {max(duel.residual(), duel.last_residual()):.1e} games over all states"
        yield f"{name}: {games} games, {_compared(rules, games)}"


def _compared(rules: DuelRules, games: int) -> str:
    """Play games under some rules and say how far their mean is from the stored value of the start."""
    values, _ = stored_equities(rules)
    equities, expected = played(game_of(rules), values, rules.piddle_points, games, 1), float(values[0, 0, 0, 0, 0])
    errors = (equities.mean() - expected) / (equities.std() / games**0.5)
    return f"equity of the starter {equities.mean():+.5f}, stored {expected:+.5f}: {errors:+.2f} standard errors"


if __name__ == "__main__":
    for report in reports(int(sys.argv[1]) if len(sys.argv) > 1 else 200_000):
        print(report, flush=True)
