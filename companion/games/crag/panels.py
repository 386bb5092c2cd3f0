"""Panels of Crag: the score sheet, with the points that the dice would score in each open category."""

from __future__ import annotations

from companion.games.crag.lessons import lesson
from companion.games.crag.scoring import CATEGORIES
from companion.games.crag.state import Crag
from companion.games.engine.game import State
from companion.games.engine.views.panels import Keeping, Panels, ScoreSheet, allowed_phrases, default_panels, notes_of


def panels(state: State) -> Panels:
    """Return what a page shows of a state of Crag: legal actions, dice, score sheets, notes and a lesson.

    During the roll-off only the legal actions and notes are filled in, and the score sheets are empty.
    """
    if isinstance(state, Crag):
        return _panels_of(state)
    rows = len(CATEGORIES)
    sides = len(state.standing.sides)
    empty = ScoreSheet(CATEGORIES, ((None,) * rows,) * sides, (None,) * rows, (None,) * sides)
    return Panels(can=default_panels(state).can, worth=False, notes=notes_of(state), sheet=empty)


def _panels_of(state: Crag) -> Panels:
    """Return what a page shows of a game of Crag: legal actions, dice, all score sheets and a lesson.

    If an entry is allowed, each open row offers the points that the dice would score there.
    """
    sheets = [dict(sheet) for sheet in state.sheets]
    open_rows = state.unused if "score" in state.decisions else ()
    return Panels(
        can=allowed_phrases(state, {"keep": "can.again", "score": "can.score"}),
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
        lesson=lesson(state),
    )
