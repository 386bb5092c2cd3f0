"""Rule of thumb for Crib Dice: name the largest set, stop with four frozen dice, always throw a piddle."""

from __future__ import annotations

from companion.games.crib_dice.state import CribDice
from companion.games.engine.game import Action, NamePoint, State, Stop

STOP_FROZEN = 4
"""Number of frozen dice at which the rule of thumb stops. Higher: it rolls for longer and wipes out more.

It stops at exactly this number: with fewer or more it throws on."""


def choice(state: State) -> Action | int:
    """Return what the rule of thumb of Crib Dice does: a decision, or a number of dice to throw.

    The rule names the value that most dice show, on a tie the highest. With exactly STOP_FROZEN frozen dice it stops,
    otherwise it throws the number of dice that the rules prescribe. It never bombs. The game must not be over.
    """
    assert isinstance(state, CribDice), "the state is one of Crib Dice"
    turn = state.turn
    if turn.phase == "naming":
        return NamePoint(max(set(turn.dice), key=lambda value: (turn.dice.count(value), value)))
    if turn.phase == "choosing" and turn.frozen == STOP_FROZEN:
        return Stop()
    return state.throw_sizes[0]
