"""Solve the race of Crapola for two players who both play every turn to win.

The values of all states are a fixed point of the Bellman operator. Gauss-Seidel sweeps find it, by the sum of both
distances from the target: a bank leads to a smaller sum, a crap-out to the same sum. Turns are solved at the states of
`race.GRID` and interpolated between them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from companion.games.crapola.odds.backward_induction import MAX_THROW_STEPS, Floats, Indices
from companion.games.crapola.odds.offers import STEP, offers_of
from companion.games.crapola.odds.race import ENTRY, FAR, GRID, PHASES, SEVEN_BEHIND, between, catching

BLOCK = 96
"""States whose turns are solved together. More of them converge more slowly within a sweep; fewer take more calls."""
REPEATS = 2
"""Times that a block is solved before the next one, because a crap-out leads to a state of the same block."""
RICH_STEPS = 110
"""Steps of a turn from which it is assumed to stop. Fewer than one turn in a thousand gets there."""
RESIDUAL = 2e-4
"""Win probability: greatest change of a value in the last sweep."""
NEXT = ((0, 0), (0, 2), (1, 1))
"""Phase of the other player's turn after a bank and after a crap-out, by phase."""


def throws(size: int, bank: Floats, least: int) -> Floats:
    """Return the (columns,) value of the first throw of a turn for a batch of states; a crap-out has the value 0.

    Args:
        size: Dice of the turn, 6 or 7.
        bank: (steps, columns) value of banking each number of steps, up to MAX_THROW_STEPS beyond the last throw.
        least: Steps below which a stop is not allowed.
    """
    deep = len(bank) - MAX_THROW_STEPS - 1
    choosing = np.repeat(bank[:, np.newaxis], size, axis=1)
    flat = choosing.reshape(-1, bank.shape[1])
    found = bank[:size]
    for steps in range(deep - 1, -1, -1):
        best = [flat[steps * size + keeps].max(axis=0) for keeps, _ in _offers(size)]
        found = _chances(size) @ np.concatenate(best)
        choosing[steps] = found if steps < least else np.maximum(bank[steps], found)
    first: Floats = found[size - 1]
    return first


@cache
def _offers(size: int) -> tuple[tuple[Indices, Floats], ...]:
    """Enumerate the throws of 1 to `size` dice, grouped by how many ways there are to keep scoring dice. Cached.

    An offer is the set of keeps that a throw allows: the points and the dice left of each.

    Returns:
        For each group two arrays. (keeps, offers) index of the state after each keep, relative to the points before, in
        a flattened table of (points / STEP, dice left - 1). (size, offers) probability of each offer by dice thrown.
    """
    offers = [(dice, offer, chance) for dice in range(1, size + 1) for offer, chance in offers_of(dice)]
    groups = []
    for width in sorted({len(offer) for _, offer, _ in offers}):
        some = [each for each in offers if len(each[1]) == width]
        keeps = [[points // STEP * size + (left or size) - 1 for left, points in offer] for _, offer, _ in some]
        chances = np.zeros((size, len(some)))
        for place, (dice, _, chance) in enumerate(some):
            chances[dice - 1, place] = chance
        groups.append((np.array(keeps).T, chances))
    return tuple(groups)


@cache
def _chances(size: int) -> Floats:
    """Return the probabilities of `_offers`, of all groups side by side. Cached."""
    return np.hstack([chances for _, chances in _offers(size)])


def solved() -> Iterator[tuple[Floats, float]]:
    """Yield ever better win probabilities of the mover, with the greatest change by the last sweep.

    Yields:
        (PHASES, len(GRID), len(GRID)) values by phase and by steps from the target of the mover and the other.
    """
    grid, spread = np.array(GRID), between()
    mine, other = (steps.ravel() for steps in np.meshgrid(np.arange(len(grid)), np.arange(len(grid)), indexing="ij"))
    values = np.broadcast_to(first_guess(grid[:, np.newaxis], grid), (PHASES, len(grid), len(grid))).copy()
    order = np.argsort(grid[mine] + grid[other], kind="stable")
    for phases in ((0,), (1, 2)):  # the values of players on the board do not depend on the others
        change = 1.0
        while change > RESIDUAL:
            before, full = values.copy(), spread @ values @ spread.T
            for begin in range(0, len(order), BLOCK):
                m, o = mine[order[begin : begin + BLOCK]], other[order[begin : begin + BLOCK]]
                for _ in range(REPEATS):
                    for phase in phases:
                        values[phase, m, o] = _best(phase, grid[m], grid[o], full)
                        full[phase] = spread @ values[phase] @ spread.T
            change = float(np.abs(values - before).max())
            yield values, change


def first_guess(mine: Indices, other: Indices) -> Floats:
    """Return a rough win probability by both distances: the lead on the scale of its spread."""
    guess: Floats = 0.5 + 0.5 * np.tanh((other - mine + 5) / (10 + 4 * np.sqrt(np.minimum(mine, other))))
    return guess


def _best(phase: int, mine: Indices, other: Indices, full: Floats) -> Floats:
    """Return the win probability of the best turn in each of a batch of states of one phase.

    Args:
        phase: Who is on the board, 0 to 2, as in `race.PHASES`.
        mine: Steps of the mover from the target.
        other: Steps of the other player.
        full: (PHASES, FAR + 1, FAR + 1) present values.
    """
    banked, lost = NEXT[phase]
    out = 1 - full[lost, other, mine]
    ahead = mine - np.arange(RICH_STEPS + MAX_THROW_STEPS + 1)[:, np.newaxis]
    needed = np.maximum(other - ahead + 1, ENTRY if phase == 2 else 0)
    after = full[banked, other, np.clip(ahead, 0, FAR)]
    bank = 1 - np.where(ahead > 0, after, catching().take(needed, mode="clip")) - out
    least = ENTRY if phase == 1 else 0
    best: Floats = throws(6, bank, least)
    far = mine - other > SEVEN_BEHIND
    if far.any():
        best[far] = np.maximum(best[far], throws(7, bank[:, far], least))
    worth: Floats = out + best
    return worth
