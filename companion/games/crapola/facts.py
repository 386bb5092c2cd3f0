"""What matters in a position of Crapola: a first bank that is still missing, and the way to the target."""

from __future__ import annotations

from companion.games.crapola.state import Crapola
from companion.games.engine.game import State
from companion.games.engine.views.phrase import Phrase


def facts(state: State) -> tuple[Phrase, ...]:
    """Return at most one phrase about the player to play in Crapola; empty in a roll-off and after the end.

    `first_bank`: the turn points are too few for the player's first bank. Else `bank_reaches_target`: a bank now would
    reach the target. The text of a phrase has the key `fact.CODE` in the text catalogue.
    """
    if not isinstance(state, Crapola) or state.standing.over:
        return ()
    totals, player = state.totals, state.standing.player
    if totals.least_bank > state.turn.points:
        return (Phrase("first_bank", {"player": player, "points": totals.least_bank}),)
    short = int(totals.header.rules["target"]) - totals.points[totals.seat] - state.turn.points
    return (Phrase("bank_reaches_target", {"player": player}),) if short <= 0 else ()
