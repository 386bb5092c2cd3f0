"""Rule of thumb for Crag: enter a good score at once, else keep the commonest value and throw again."""

from __future__ import annotations

from companion.games.crag.state import Crag
from companion.games.engine.game import Action, Enter, Keep, State

GOOD_SCORE = 20
"""Least points of an entry that the careless player makes without a second throw. Lower: fewer second throws."""


def choice(state: State) -> Action | int:
    """Return what the careless player does: enter GOOD_SCORE points or more, else keep the commonest value.

    Three dice of one value, and the second throw, are entered where they score most. A number: dice to throw.
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
