"""What matters in a position of Crapola: a first bank that is still missing, and the way to the target."""

from __future__ import annotations

from companion.games.crapola.state import Crapola
from companion.games.engine.game import State
from companion.games.engine.views.phrase import Phrase


def facts(state: State) -> tuple[Phrase, ...]:
    """Return a phrase if the player to play is short of the first bank, or if a bank would reach the target.

    The text of a phrase has the key `fact.CODE` in the text catalogue. Empty in a roll-off and after the end.
    """
    if not isinstance(state, Crapola) or state.standing.over:
        return ()
    table, player = state.table, state.standing.player
    if table.least_bank > state.turn.points:
        return (Phrase("first_bank", {"player": player, "points": table.least_bank}),)
    short = int(table.header.rules["target"]) - table.totals[table.seat] - state.turn.points
    return (Phrase("bank_reaches_target", {"player": player}),) if short <= 0 else ()
