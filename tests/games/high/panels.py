"""High beside the track: the pips that are still to be had, and who leads."""

from __future__ import annotations

from companion.games.engine.game import State
from companion.games.engine.views.panels import STOP, Panels, Pot, may, notes_of

PIPS = 6


def panels(state: State) -> Panels:
    best = max(state.scores)
    leading = [side for side, score in enumerate(state.scores) if score == best > 0]
    return Panels(
        can=may(state, {"stop": STOP}),
        dice=(state.turn_points,) if state.turn_points else (),
        notes=notes_of(state, [("leads", leading)]),
        pots=(Pot("Pips above the best", PIPS - best),),
    )
