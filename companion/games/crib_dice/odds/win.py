"""Win probabilities of Crib Dice: from the solved game of two sides, else by racing the pegs."""

from __future__ import annotations

from functools import lru_cache

from companion.errors import RulesError
from companion.games.crib_dice.odds.turn_value import TurnValues
from companion.games.crib_dice.odds.two_sides import ONE_MOVES_ANOTHER, is_solved, turn_values
from companion.games.crib_dice.pegs import CribbageBoard
from companion.games.crib_dice.state import CribDice
from companion.games.engine.game import Action, State


def values_to_win(state: State) -> tuple[tuple[Action | int, float], ...]:
    """Return each option with the win probability of the side to move, to eight digits.

    Between two sides the solved game is used (`two_sides`): all turns are played to win. Otherwise later turns are
    played for points (`race`).

    Raises:
        RulesError: The roll-off is on, or the house rules are not covered.
    """
    if not isinstance(state, CribDice):
        raise RulesError("The chance to win is known once the roll-off is over.")
    if state.standing.over:
        return ()
    worth = turn_values(state.board) if is_solved(state.board) else _race_worth(state.board)
    return state.expected_values_by(worth)


def solved(state: State) -> bool:
    """Whether the stored tables cover this state, so that its win probability is exact."""
    return isinstance(state, CribDice) and is_solved(state.board)


@lru_cache(maxsize=64)
def _race_worth(board: CribbageBoard) -> TurnValues:
    """Win probabilities of the current turn if all later turns are played for points.

    Raises:
        RulesError: A player has left, or the house rules are not covered.
    """
    if board.left:
        raise RulesError("The chance to win can't be computed once a player has left.")
    barred = [key for key in ONE_MOVES_ANOTHER if board.header.rules[key]]
    if barred:
        words = ", ".join(barred)
        raise RulesError(f"The chance to win can't be computed with {words}: one side's turn can move another's peg.")
    if board.header.rules["find_a_loser"] and len(board.sides) > 2:
        raise RulesError(
            "With find_a_loser the chance to win is computed for two sides only: of more, all but one win."
        )
    from companion.games.crib_dice.odds.race import Race

    return Race(board).turn_values()
