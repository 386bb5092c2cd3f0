"""Win probabilities of Crib Dice: from the solved game of two sides, else by racing the pegs."""

from __future__ import annotations

from functools import lru_cache

from companion.errors import RulesError
from companion.games.crib_dice.odds.turn_value import TurnWorth
from companion.games.crib_dice.odds.two_sides import ONE_MOVES_ANOTHER, is_solved, turn_worth
from companion.games.crib_dice.pegs import CribbageBoard
from companion.games.crib_dice.state import CribDice
from companion.games.engine.game import Action, State


def values_to_win(state: State) -> tuple[tuple[Action | int, float], ...]:
    """The chance to win with each option; to eight digits. Raises RulesError in the roll-off and where rules bar it.

    Between two sides everyone plays every turn for the win, where that is solved (`duel`); else later turns for points.
    """
    if not isinstance(state, CribDice):
        raise RulesError("The chance to win is worked out once the roll-off is over.")
    if state.over:
        return ()
    worth = turn_worth(state.board) if is_solved(state.board) else _race_worth(state.board)
    return state.expected_values_by(worth)


def solved(state: State) -> bool:
    """Whether the tables hold there."""
    return isinstance(state, CribDice) and is_solved(state.board)


@lru_cache(maxsize=64)
def _race_worth(board: CribbageBoard) -> TurnWorth:
    """What the turn can bring when all later ones are played for their points. Raises RulesError where rules bar it."""
    if board.left:
        raise RulesError("The chance to win can't be worked out once somebody has left.")
    barred = [key for key in ONE_MOVES_ANOTHER if board.header.rules[key]]
    if barred:
        words = ", ".join(barred)
        raise RulesError(f"Exact solving ends with {words}: one turn can undo another's place.")
    if board.header.rules["find_a_loser"] and len(board.sides) > 2:
        raise RulesError(
            "With find_a_loser the chance to win is worked out between two sides: of more, all but one win."
        )
    from companion.games.crib_dice.odds.race import Race

    return Race(board).turn_worth()
