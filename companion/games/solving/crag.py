"""Solvers of Crag, run by `make solve`: sheet values by backward induction, and outcomes of the optimal turns."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Generator, Mapping

import numpy as np

from companion.games.advice.stored import Solver
from companion.games.crag.odds.backward_induction import Floats, after_keeps, choices
from companion.games.crag.odds.turn_value import KEEPS, RESULTS, SHEETS, TABLE, points_table
from companion.games.crag.odds.win import OPENINGS, PLAYS, TOTALS, UNIT, Prospects, openings
from companion.games.crag.scoring import CATEGORIES
from companion.games.solving.crag_plays import plays


def solved(thirteen_without_double: bool) -> Floats:
    """Compute the expected points that each sheet of Crag still gets with best play, by backward induction.

    Args:
        thirteen_without_double: Whether this house rule is on.

    Returns:
        (8192,) points by sheet. Bit i of the index of a sheet is set if its category i is filled; a full sheet gets 0.
    """
    points = np.array([points_table(thirteen_without_double)[dice] for dice in RESULTS])
    throws = after_keeps()
    first = throws[KEEPS.index(())]
    kept_of = choices()
    worth: Floats = np.zeros(SHEETS)
    filled = np.array([mask.bit_count() for mask in range(SHEETS)])
    for count in reversed(range(len(CATEGORIES))):
        masks = np.flatnonzero(filled == count)
        entered = np.full((len(masks), len(RESULTS)), -np.inf)
        for place in range(len(CATEGORIES)):
            unused = (masks >> place & 1) == 0
            following = points[:, place] + worth[masks[unused] | 1 << place, np.newaxis]
            entered[unused] = np.maximum(entered[unused], following)
        thrown_again = entered @ throws.T
        worth[masks] = thrown_again[:, kept_of].max(axis=2) @ first
    return worth


def _without_and_with(content: Callable[[bool], bytes]) -> Generator[float, None, bytes]:
    """Compute the two halves of a table: without the house rule `thirteen_without_double`, then with it.

    `content` returns the bytes of a half; its argument says whether the rule is on. Yields the progress, 0.5, between
    the halves, and returns the bytes of both.
    """
    without = content(False)
    yield 0.5
    return without + content(True)


def sheet_table() -> Generator[float, None, bytes]:
    """Compute the stored table of the expected points still to come on each score sheet of Crag with best play.

    Yields the progress once: 0.5, after the first half. Returns two tables of 8192 little-endian float64: without the
    house rule `thirteen_without_double`, then with it. The index of a sheet has bit i set if category i is filled.
    """
    return _without_and_with(lambda rule: solved(rule).astype("<f8").tobytes())


def play_table() -> Generator[float, None, bytes]:
    """Compute the stored table of how often each entry ends a turn of Crag under best play, for each sheet.

    An entry is a category and the points written there. Yields the progress once: 0.5, after the first half.

    Returns:
        The file's content: two tables of little-endian uint16, zlib-compressed together. The first is without the
        house rule `thirteen_without_double`, the second with it. A row is an entry, in the order of `win.enterable`.
        A column is a sheet, by its index. A value is the number of turns, of 6**6 equally likely ones, that end with
        the entry.
    """
    halves = yield from _without_and_with(lambda rule: plays(solved(rule), rule).T.astype("<u2").tobytes())
    return zlib.compress(halves, 9)


def opening_table() -> Generator[float, None, bytes]:
    """Compute the file of probabilities of the points still to come on Crag sheets with few filled categories.

    The sheets are those of `win.openings`, with at most `win.OPENING` categories filled. Yields 0.5 once, as progress,
    when half of the work is done.

    Returns:
        The file's content: two tables of little-endian uint32, zlib-compressed together. The first is without the
        house rule `thirteen_without_double`, the second with it. A row is a sheet, in the order of `openings`. A
        column is a number of points, from 0 on. A value is the probability in units of `win.UNIT`.
    """

    def content(thirteen_without_double: bool) -> bytes:
        prospects = Prospects(plays(solved(thirteen_without_double), thirteen_without_double), np.empty((0, TOTALS)))
        chances = np.array([prospects.of(mask) for mask in openings().tolist()])
        return np.rint(chances / UNIT).astype("<u4").tobytes()

    halves = yield from _without_and_with(content)
    return zlib.compress(halves, 9)


TABLES: Mapping[str, Solver] = {TABLE: sheet_table, PLAYS: play_table, OPENINGS: opening_table}
"""Function that computes each stored table of Crag, by file name."""
