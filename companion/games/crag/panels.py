"""Crag beside the track: the sheet, with what the dice on the table would score in it."""

from __future__ import annotations

from companion.games.crag.scoring import CATEGORIES
from companion.games.crag.state import Crag
from companion.games.engine.game import State
from companion.games.engine.views.panels import Keeping, Panels, ScoreSheet, may, notes_of, plain


def panels(state: State) -> Panels:
    """What the page shows; before a roll-off is over the empty sheet."""
    if isinstance(state, Crag):
        return _of(state)
    rows = len(CATEGORIES)
    sides = len(state.sides)
    empty = ScoreSheet(CATEGORIES, ((None,) * rows,) * sides, (None,) * rows, (None,) * sides)
    return Panels(can=plain(state).can, worth=False, notes=notes_of(state), sheet=empty)


def _of(state: Crag) -> Panels:
    sheets = [dict(sheet) for sheet in state.sheets]
    open_rows = state.unused if "score" in state.decisions else ()
    return Panels(
        can=may(state, {"keep": "can.again", "score": "can.score"}),
        dice=state.dice,
        worth=False,
        notes=notes_of(state),
        sheet=ScoreSheet(
            CATEGORIES,
            tuple(tuple(sheet.get(row) for row in CATEGORIES) for sheet in sheets),
            tuple(state.points_in(row) if row in open_rows else None for row in CATEGORIES),
            tuple(CATEGORIES.index(sheet[-1][0]) if sheet else None for sheet in state.sheets),
        ),
        keeping=Keeping("again") if "keep" in state.decisions else None,
    )
