"""What matters in a position of Crag: how few rows are left, and whether the best row is still open."""

from __future__ import annotations

from companion.games.crag.state import Crag
from companion.games.engine.game import State
from companion.games.engine.views.phrase import Phrase

FEW_ROWS = 4
"""Most open rows of a score sheet at which the advice gives their number as a reason: a throw then often fits none.
Higher: it is given from an earlier turn on."""


def facts(state: State) -> tuple[Phrase, ...]:
    """Return phrases about the Crag score sheet of the player to play; empty in a roll-off and after the end.

    - `rows_left`, with the `count` of open rows: if at most FEW_ROWS are open.
    - `best_row_open`: if the row `crag` is open.

    The text of a phrase has the key `fact.CODE` in the text catalogue.
    """
    if not isinstance(state, Crag) or state.standing.over:
        return ()
    rows = len(state.unused)
    found = [Phrase("rows_left", {"count": rows})] if rows <= FEW_ROWS else []
    return (*found, Phrase("best_row_open", {})) if "crag" in state.unused else tuple(found)
