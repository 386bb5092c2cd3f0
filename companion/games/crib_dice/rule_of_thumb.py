"""Rule of thumb for Crib Dice: name the largest set, stop with four frozen dice, always throw a piddle."""

from __future__ import annotations

from companion.games.crib_dice.state import CribDice
from companion.games.engine.game import Action, NamePoint, State, Stop

STOP_FROZEN = 4
"""Number of frozen dice at which the rule of thumb stops. Higher: it rolls for longer and wipes out more.

It stops at exactly this number: with fewer or more it throws on."""


def choice(state: State) -> Action | int:
    """Return what the rule of thumb of Crib Dice does: a decision, or the number of dice to throw.

    - A point is due: name the value that most dice show, on a tie the highest.
    - A stop is allowed, and exactly STOP_FROZEN dice are frozen: stop.
    - Otherwise: throw the number of dice that the rules prescribe.

    It never bombs. The roll-off must be over, and the game must not.
    """
    assert isinstance(state, CribDice), "the state is one of Crib Dice"
    turn = state.turn
    if turn.phase == "naming":
        return NamePoint(max(set(turn.dice), key=lambda value: (turn.dice.count(value), value)))
    if turn.phase == "choosing" and turn.frozen == STOP_FROZEN:
        return Stop()
    return state.throw_sizes[0]
