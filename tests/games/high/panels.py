"""Panels of High: the pips that are still to be had, and who leads."""

from __future__ import annotations

from companion.games.engine.game import State
from companion.games.engine.views.panels import BANK_TEXT, Panels, Pot, allowed_phrases, notes_of

PIPS = 6


def panels(state: State) -> Panels:
    best = max(state.standing.scores)
    leading = [side for side, score in enumerate(state.standing.scores) if score == best > 0]
    return Panels(
        can=allowed_phrases(state, {"stop": BANK_TEXT}),
        dice=(state.standing.turn_points,) if state.standing.turn_points else (),
        notes=notes_of(state, [("leads", leading)]),
        pots=(Pot("Pips above the best", PIPS - best),),
    )
