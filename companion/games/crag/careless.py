"""Rule of thumb for Crag: enter a good score at once, else keep the commonest value and throw again."""

from __future__ import annotations

from companion.games.crag.state import Crag
from companion.games.engine.game import Action, Enter, Keep, State

GOOD_SCORE = 20
"""Points of a category that the careless player enters at once. Lower makes it throw again less often."""


def choice(state: State) -> Action | int:
    """Return the decision of the careless player, or the number of dice that it throws."""
    assert isinstance(state, Crag), "the state is one of Crag"
    if not state.decisions:
        return state.throw_sizes[0]
    entry = max(state.unused, key=state.points_in)
    if "keep" not in state.decisions or state.points_in(entry) >= GOOD_SCORE:
        return Enter(entry)
    commonest = max(set(state.dice), key=lambda value: (state.dice.count(value), value))
    staying = tuple(die for die in state.dice if die == commonest)
    return Keep(staying) if len(staying) < len(state.dice) else Enter(entry)
