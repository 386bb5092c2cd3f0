"""Rule of thumb for Crag: enter a good score at once, else keep the commonest value and throw again."""

from __future__ import annotations

from companion.games.crag.state import Crag
from companion.games.engine.game import Action, Enter, Keep, State

GOOD_SCORE = 20
"""Least points at which the rule of thumb enters a turn's first throw in Crag. Higher: it throws again more often."""


def choice(state: State) -> Action | int:
    """Return what the rule of thumb of Crag chooses: an `Enter`, a `Keep`, or the number of dice if a throw is due.

    After a first throw that scores less than GOOD_SCORE it keeps the dice of the commonest value, to throw the others
    again. On a tie it keeps the highest value. Else, or if all dice are equal, it enters the dice in the open category
    where they score most. The game must not be over.
    """
    assert isinstance(state, Crag), "the state is one of Crag"
    if not state.decisions:
        return state.throw_sizes[0]
    entry = max(state.unused, key=state.points_in)
    if "keep" not in state.decisions or state.points_in(entry) >= GOOD_SCORE:
        return Enter(entry)
    commonest = max(set(state.dice), key=lambda value: (state.dice.count(value), value))
    staying = tuple(die for die in state.dice if die == commonest)
    return Keep(staying) if len(staying) < len(state.dice) else Enter(entry)
