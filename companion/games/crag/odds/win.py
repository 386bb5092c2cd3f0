"""Win probabilities of Crag: this turn is played to win, all later ones, by everyone, for the final total.

Under that policy the remaining points of a sheet have a fixed distribution for each set of filled categories.
Sheets are independent. So the probability of being ahead at the end is exact for this policy. In the last turn of the
game it is exact with best play. A shared win counts as its share. docs/lab/approximations.md measures what the policy
loses before that.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from functools import cache

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import as_strided

from companion.errors import RulesError
from companion.games.advice.stored import stored
from companion.games.crag.odds.backward_induction import Floats, after_keeps, choices
from companion.games.crag.odds.turn_value import FULL, KEEPS, RESULTS, SHEETS, filled_of, points_table
from companion.games.crag.scoring import BEST, CATEGORIES
from companion.games.crag.state import Crag
from companion.games.engine.game import Action, Enter, Keep, State

PLACES = range(len(CATEGORIES))
"""Indices of the categories in the order of the sheet."""
PLAYS = "plays.u2z"
"""File of how many of TURNS equally likely turns end with each entry (category and points), for each Crag sheet under
best play. It is zlib-compressed little-endian uint16."""
OPENINGS = "openings.u4z"
"""File of the distributions of remaining points of the sheets with at most OPENING categories filled."""
OPENING = 2
"""Largest number of filled categories at which a sheet's distribution of remaining points is read from the file
OPENINGS. Emptier sheets take longer to compute. Higher: a larger file, less to compute. After a change `make solve`
must write the file anew."""
LATE = 7
"""Fewest filled categories of the Crag sheets that are computed when the tables are loaded. Emptier sheets are computed
on first use, except those in OPENINGS. Higher: faster loading, and slower answers in mid-game. Lower: the reverse."""
BATCH_SIZE = 128
"""Number of score sheets whose distributions of points one NumPy call computes; the results do not depend on it.
Higher: the buffer outgrows a processor's cache, which is slower. Lower: more calls."""
UNIT = 2.0**-32
"""Probability that the integer 1 stands for in the file OPENINGS. Fixed by its format, uint32."""
TURNS = 6**6
"""Number of equally likely results of two throws of three dice. The counts of turns in the file PLAYS are out of this
total; another value gives wrong probabilities."""
Masks = npt.NDArray[np.int64]


@cache
def _filled() -> Masks:
    """Return the (SHEETS,) number of filled categories of each sheet."""
    return np.array([mask.bit_count() for mask in range(SHEETS)])


@cache
def openings() -> Masks:
    """Return the indices of the sheets whose distributions of remaining points are stored, ascending. Cached."""
    found: Masks = np.flatnonzero(_filled() <= OPENING)
    return found


@cache
def enterable() -> tuple[tuple[int, int], ...]:
    """Return all entries that a turn may make, as (category index, points), ascending. Cached."""
    return tuple((place, points) for place in PLACES for points in sorted({row[place] for row in _points()}))


def _points() -> tuple[tuple[int, ...], ...]:
    """Return the points of each result of three dice in every category, without house rules."""
    return tuple(points_table(False)[dice] for dice in RESULTS)


MAX_SCORES = tuple(map(max, zip(*_points(), strict=True)))
"""Highest score of each category, in the order of the sheet."""
TOTALS = 1 + sum(MAX_SCORES)
"""Number of possible final totals from 0 up: the length of every distribution of points. Fixed by the rules."""


class Prospects:
    """Distributions of each sheet's remaining points if every turn is played for the total. Computed on first use.

    Thread-safe.

    Args:
        plays: (sheets, entries) number of turns, out of TURNS, that end with each entry of `enterable`.
        opening: (len(openings), TOTALS) distributions of the stored sheets.
    """

    def __init__(self, plays: npt.NDArray[np.uint16], opening: Floats) -> None:
        # By category: the probability of entering each score, by sheet, and the points between two scores.
        columns = [[column for column, (where, _) in enumerate(enterable()) if where == place] for place in PLACES]
        self._ends = [(plays[:, some] / TURNS, enterable()[some[1]][1]) for some in columns]
        self._chances = np.zeros((SHEETS, TOTALS))
        self._chances[FULL, 0] = 1.0
        self._chances[openings()[: len(opening)]] = opening
        self._known = np.zeros(SHEETS, dtype=bool)
        self._known[[FULL, *openings()[: len(opening)]]] = True

    def of(self, filled: int) -> Floats:
        """Return the distribution of the points that a Crag sheet still gets: (TOTALS,) probabilities of 0, 1, 2, ...

        The distribution is computed on first use, together with those of all sheets that this one can become, then
        kept. `filled` is the index of the sheet, as `turn_value.filled_of` returns it.
        """
        self.prepare([filled])
        chances: Floats = self._chances[filled]
        return chances

    def prepare(self, sheets: Iterable[int]) -> None:
        """Compute and store the distributions of the points that Crag sheets still get, unless known.

        All sheets that a given one can become are included. `sheets` are indices of sheets (see
        `turn_value.filled_of`).
        """
        missing = [sheet for sheet in sheets if not self._known[sheet]]
        if missing:
            every = np.arange(SHEETS)
            self.solve(np.flatnonzero(np.any([every & sheet == sheet for sheet in missing], axis=0)))

    def solve(self, sheets: Masks) -> None:
        """Compute and store the distribution of remaining points of each given sheet that is not known yet.

        The fullest sheets come first. `sheets` are (count,) indices. Every sheet that a given one can become must be
        given, too, or known already.
        """
        missing = sheets[~self._known[sheets]]
        for size in reversed(PLACES):
            self._spread(missing[_filled()[missing] == size], 1 + sum(sorted(MAX_SCORES)[size - len(PLACES) :]))
        self._known[missing] = True

    def _spread(self, sheets: Masks, length: int) -> None:
        """Compute and store the distribution of remaining points of each given sheet.

        A distribution is a sum over the entries that a turn may end with. Each entry adds the distribution of the sheet
        after it, weighted by the entry's probability and shifted by the entry's points. The distributions of these
        sheets, which have one more category filled, must be stored already.

        Args:
            sheets: (count,) indices of sheets that all have the same number of filled categories.
            length: Number of columns of a distribution, for 0 to `length` - 1 points; no sheet may still gain more.
        """
        found = np.zeros((len(sheets), length))
        for place in PLACES:
            unfilled = np.flatnonzero(sheets >> place & 1 == 0)
            for begin in range(0, len(unfilled), BATCH_SIZE):
                some = unfilled[begin : begin + BATCH_SIZE]
                found[some] += self._entered(sheets[some], place, length)
        self._chances[sheets, :length] = found

    def _entered(self, sheets: Masks, place: int, length: int) -> Floats:
        """Return (count, length) probabilities: the turn fills the category at `place`, and n points still come.

        Column n, from 0, stands for n points in this turn and all later ones together. A row adds up to the
        probability that the turn fills this category.

        Args:
            sheets: (count,) bit masks, at most BATCH_SIZE: bit i is set if category i is filled. Bit `place` must be 0.
                The distribution of each sheet with this category filled must be stored already.
            place: Index of the category.
            length: Number of columns, above the most points that any of the sheets can still get.
        """
        chances, step = self._ends[place]
        later = np.zeros((len(sheets), BEST + length))
        later[:, BEST:] = self._chances[sheets | 1 << place, :length]
        row, point = later.strides
        # Each row moved up by each score, as a view.
        moved = as_strided(later[:, BEST:], (len(sheets), chances.shape[1], length), (row, -step * point, point))
        found: Floats = np.einsum("sc,sct->st", chances[sheets], moved)
        return found


@cache
def prospects(thirteen_without_double: bool) -> Prospects:
    """Return the distributions of the points that a Crag sheet still gets with play for the highest total. Cached.

    The best plays are loaded from a stored table. So are the distributions of sheets with at most OPENING filled
    categories. For sheets with LATE or more filled categories they are computed at once, for all others on first use.
    `thirteen_without_double` is whether that house rule is on. Raises RulesError if a stored table is missing.
    """
    plays = np.frombuffer(zlib.decompress(stored(__package__, PLAYS)), "<u2").reshape(2, len(enterable()), SHEETS)
    opening = np.frombuffer(zlib.decompress(stored(__package__, OPENINGS)), "<u4").reshape(2, len(openings()), TOTALS)
    half = int(thirteen_without_double)
    counts = opening[half].astype(np.float64)  # rounded when they were stored: their sum is not quite 1 / UNIT
    found = Prospects(np.ascontiguousarray(plays[half].T), counts / counts.sum(axis=1, keepdims=True))
    found.solve(np.flatnonzero(_filled() >= LATE))
    return found


def share_below(total: int, thirteen_without_double: bool) -> float:
    """Return the probability, 0 to 1, that an empty Crag sheet ends below `total` points.

    Every turn is played for the most points.
    """
    return float(prospects(thirteen_without_double).of(0)[:total].sum())


def values_to_win(state: State) -> tuple[tuple[Action | int, float], ...]:
    """Return pairs of each option in a game of Crag and the player's win probability; empty after the end.

    An option is a decision, or a number of dice to throw; throws come first, and the pairs are not ranked. The
    probabilities assume play for the win in this turn, and for the most points in all other turns. A win shared by
    n players counts 1 / n.

    Raises:
        RulesError: The roll-off for the first player is still on, or a stored table is missing.
    """
    if not isinstance(state, Crag):
        raise RulesError("The chance to win is known once the roll-off is over.")
    if state.standing.over:
        return ()
    chances = _entry_chances(state)
    best = np.max(list(chances.values()), axis=0)
    kept = dict(zip(KEEPS, after_keeps() @ best, strict=True))

    def value(option: Action | int) -> float:
        """Return the win probability of a throw, a keep or an entry."""
        if isinstance(option, Enter):
            return float(chances[option.category][RESULTS.index(state.dice)])
        if state.phase == "fresh":
            return float(after_keeps()[KEEPS.index(())] @ np.array(list(kept.values()))[choices()].max(axis=1))
        return float(kept[option.dice if isinstance(option, Keep) else state.dice])

    # A sum may be off in its last digit.
    return tuple((option, min(1.0, value(option))) for option in (*state.throw_sizes, *state.options()))


def _entry_chances(state: Crag) -> dict[str, Floats]:
    """Return, for each open category, the player's win probability after entering each of RESULTS there, an array."""
    rule = bool(state.header.rules["thirteen_without_double"])
    distributions, points = prospects(rule), [points_table(rule)[dice] for dice in RESULTS]
    filled, total = filled_of(dict(state.sheets[state.seat])), state.standing.scores[state.seat]
    others = (filled_of(dict(entered)) for seat, entered in enumerate(state.sheets) if seat != state.seat)
    unused = {category: CATEGORIES.index(category) for category in state.unused}
    distributions.prepare([*others, *(filled | 1 << place for place in unused.values())])
    share = np.pad(_shares(state, distributions), (0, TOTALS))
    found = {}
    for category, place in unused.items():
        later = distributions.of(filled | 1 << place)
        by_score = {
            scored: float(later @ share[total + scored :][:TOTALS]) for where, scored in enterable() if where == place
        }
        found[category] = np.array([by_score[row[place]] for row in points])
    return found


def _shares(state: Crag, distributions: Prospects) -> Floats:
    """Return the expected share of the win for each final total of the player to play, shape (TOTALS,).

    A highest total shared with k other players counts 1 / (k + 1). `distributions` predict the points that the others
    still get if they play for the highest expected total. Players who have left the game do not count.
    """
    # By the number of others at the same total, every other one being at most there.
    by_level = np.zeros((len(state.sheets), TOTALS))
    by_level[0] = 1.0
    for seat, entered in enumerate(state.sheets):
        if seat == state.seat or seat in state.left:
            continue
        level = np.zeros(TOTALS)
        total = state.standing.scores[seat]
        level[total:] = distributions.of(filled_of(dict(entered)))[: TOTALS - total]
        below = np.cumsum(level) - level
        fewer = by_level[:-1] * level
        by_level *= below
        by_level[1:] += fewer
    shares: Floats = (1 / np.arange(1.0, len(by_level) + 1)) @ by_level
    return shares
