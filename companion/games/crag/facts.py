"""What matters in a position of Crag: how few rows are left, and whether the best row is still open."""

from __future__ import annotations

from companion.games.crag.state import Crag
from companion.games.engine.game import State
from companion.games.engine.views.phrase import Phrase

FEW_ROWS = 4
"""Open rows from which their number is mentioned: a throw then often fits none."""


def facts(state: State) -> tuple[Phrase, ...]:
    """Return what explains a decision of the player to play, as keys of the catalogue after `fact.`."""
    if not isinstance(state, Crag) or state.standing.over:
        return ()
    rows = len(state.unused)
    found = [Phrase("rows_left", {"count": rows})] if rows <= FEW_ROWS else []
    return (*found, Phrase("best_row_open", {})) if "crag" in state.unused else tuple(found)
