"""Simulated sets of dice, and the number of dice after which `fairness` finds each uneven."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from companion.history.fairness import BIASES, MEDIANS, MIN_EVIDENCE

Floats = npt.NDArray[np.float64]


def found_after(chances: Floats, sets: int, rolls: int, seed: int, at_once: int = 1) -> Floats:
    """Return for each set after how many dice it was found uneven, tested every `at_once` dice; inf if not found."""
    generator, going, found = np.random.default_rng(seed), np.arange(sets), np.full(sets, np.inf)
    biased, weights = np.array(BIASES).T
    miss = np.log(6 * (1 - biased) / 5)
    hit = np.log(6 * biased) - miss
    ratios = np.tile(np.log(weights / 6), (sets, 6, 1))  # by set, face and bias
    bounds = np.cumsum(chances)[:-1]
    for rolled in range(rolls):
        faces = np.searchsorted(bounds, generator.random(len(going)))
        ratios += miss
        ratios[np.arange(len(going)), faces] += hit
        if (rolled + 1) % at_once == 0:
            over = np.logaddexp.reduce(ratios, axis=(1, 2)) >= np.log(MIN_EVIDENCE)
            found[going[over]] = rolled + 1
            ratios, going = ratios[~over], going[~over]
    return found


def with_one_face(chance: float) -> Floats:
    """Return the probabilities of a die on which one face has that probability and the others share the rest."""
    return np.array([(1 - chance) / 5] * 5 + [chance])


if __name__ == "__main__":
    alarms = np.isfinite(found_after(np.full(6, 1 / 6), 5000, 12_000, 1, at_once=6)).mean()
    print(f"false alarms: {alarms:.2%} of 5,000 fair sets, each looked at after every one of 2,000 throws of six dice")
    for chance, known in MEDIANS:
        found = found_after(with_one_face(chance), 4000, 3 * known, 2)
        print(f"    ({chance}, {int(np.median(found))}),")
    found = found_after(with_one_face(1 / 6 + (0.25 - 1 / 6) / 6), 1000, 40_000, 3, at_once=6)
    print(f"one die of six with 25 % sixes: half of the sets are found after {np.median(found) / 6:.0f} throws of six")
