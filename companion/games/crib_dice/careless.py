"""Rule of thumb for Crib Dice: name the largest set, stop with four frozen dice, always throw a piddle."""

from __future__ import annotations

from companion.games.crib_dice.state import CribDice
from companion.games.engine.game import Action, NamePoint, State, Stop

STOP_FROZEN = 4
"""Number of frozen dice at which the careless player stops. With fewer it rolls, with more it throws the piddle."""


def choice(state: State) -> Action | int:
    """Return what the careless player does: name the largest set, stop with STOP_FROZEN frozen dice, else throw.

    A number: dice to throw.
    """
    assert isinstance(state, CribDice), "the state is one of Crib Dice"
    turn = state.turn
    if turn.phase == "naming":
        return NamePoint(max(set(turn.dice), key=lambda value: (turn.dice.count(value), value)))
    if turn.phase == "choosing" and turn.frozen == STOP_FROZEN:
        return Stop()
    return state.throw_sizes[0]
