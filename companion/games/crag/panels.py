"""Panels of Crag: the score sheet, with the points that the dice would score in each open row, and the lessons."""

from __future__ import annotations

from dataclasses import replace

from companion.games.crag.scoring import BEST, CATEGORIES, NUMBERS, STRAIGHTS
from companion.games.crag.state import Crag
from companion.games.engine.game import State
from companion.games.engine.views.panels import Keeping, Panels, ScoreSheet, allowed_phrases, default_panels, notes_of
from companion.games.engine.views.phrase import Phrase


def panels(state: State) -> Panels:
    """Return what a page shows of a state of Crag.

    The panels have the legal actions, dice, score sheets, notes and a lesson, and while a keep is allowed the choice of
    dice to keep. If an entry is allowed, each open row offers the points that the dice would score there. In a roll-off
    the score sheets are empty.
    """
    if not isinstance(state, Crag):
        nothing = (None,) * len(CATEGORIES)
        players = state.standing.sides
        empty = ScoreSheet(CATEGORIES, (nothing,) * len(players), nothing, (None,) * len(players))
        return replace(default_panels(state), worth=False, sheet=empty)
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
        lesson=_lesson(state),
    )


def _lesson(state: Crag) -> tuple[Phrase, ...]:
    """Return the phrase of Crag's tutorial for a state of the game, as a tuple of one; empty after the end.

    Before a turn's first throw it explains the entry just made, or else the aim of the game. Later it says what can be
    done now.
    """
    if state.standing.over:
        return ()
    if state.phase == "fresh":
        entered = [event.args for event in state.events if event.code == "entered"]
        return (_scored(**entered[-1]) if entered else Phrase("lesson.crag_first", {}),)
    if state.phase == "keeping":
        return (Phrase("lesson.crag_keeping", {"count": 3 - len(state.dice)}),)
    best = max(state.unused, key=state.points_in)
    args = {"category": best, "points": state.points_in(best)}
    late = "_late" if state.phase == "thrown" and "crag" not in state.unused else ""  # no crag can be aimed at
    return (Phrase(f"lesson.crag_{state.phase}{late}{'' if args['points'] else '_nothing'}", args),)


def _scored(category: str, points: int) -> Phrase:
    """Return the phrase that explains why an entry in a `category` of Crag scored these `points`."""
    args = {"category": category, "points": points}
    if points == 0:
        return Phrase("lesson.crag_nothing", args)
    if category in NUMBERS:
        return Phrase("lesson.crag_number", {**args, "value": NUMBERS[category]})
    if points == BEST:
        return Phrase("lesson.crag_best", args)
    if category in STRAIGHTS:
        return Phrase("lesson.crag_straight", args)
    return Phrase("lesson.crag_alike" if category == "three_of_a_kind" else "lesson.crag_total", args)
