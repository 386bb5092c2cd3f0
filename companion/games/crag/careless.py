"""How a careless player plays Crag: takes what scores well at once, else throws again around the commonest value."""

from __future__ import annotations

from companion.games.crag.state import Crag
from companion.games.engine.game import Action, Enter, Keep, State

WELL = 20


def choice(state: State) -> Action | int:
    """What is done now: a decision, or how many dice are thrown."""
    assert isinstance(state, Crag), "asked about its own game only"
    if not state.decisions:
        return state.throw_sizes[0]
    entry = max(state.unused, key=state.points_in)
    if "keep" not in state.decisions or state.points_in(entry) >= WELL:
        return Enter(entry)
    commonest = max(set(state.dice), key=lambda value: (state.dice.count(value), value))
    staying = tuple(die for die in state.dice if die == commonest)
    return Keep(staying) if len(staying) < len(state.dice) else Enter(entry)
