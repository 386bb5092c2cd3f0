"""How a careless player plays Crib Dice: by the most dice, four of them are enough, and a piddle is never refused."""

from __future__ import annotations

from companion.games.crib_dice.state import CribDice
from companion.games.engine.game import Action, NamePoint, State, Stop

ENOUGH = 4


def choice(state: State) -> Action | int:
    """What is done now: a decision, or how many dice are thrown."""
    assert isinstance(state, CribDice), "asked about its own game only"
    turn = state.turn
    if turn.phase == "naming":
        return NamePoint(max(set(turn.dice), key=lambda value: (turn.dice.count(value), value)))
    if turn.phase == "choosing" and turn.frozen == ENOUGH:
        return Stop()
    return state.throw_sizes[0]
