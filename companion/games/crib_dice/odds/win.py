"""Values of Crib Dice by goal: from the solved game of two sides, by racing the pegs, or approximately."""

from __future__ import annotations

from functools import lru_cache

from companion.errors import RulesError
from companion.games.crib_dice.odds import two_sides
from companion.games.crib_dice.odds.turn_value import TurnValues
from companion.games.crib_dice.pegs import CribbageBoard
from companion.games.crib_dice.state import CribDice
from companion.games.engine.game import Action, State

ONE_MOVES_ANOTHER = ("bomb", "bumping", "double_fuchle")
"""House rules under which one side's turn changes more than its own peg."""


def values_to_win(state: State) -> tuple[tuple[Action | int, float], ...]:
    """Return each option with the win probability of the side to move, to eight digits.

    Between two sides the solved game is used where a table fits: all turns are played to win. Pegs that cannot move
    each other race, with later turns played for points. Other mixes of rules are approximated (`two_sides`).

    Raises:
        RulesError: The roll-off is on, a player has left, or `find_a_loser` is played by more than two sides.
    """
    board = _board(state)
    if board.over:
        return ()
    assert isinstance(state, CribDice), "it has a board"
    return state.expected_values_by(_worth_to_win(board))


def values_by_games(state: State) -> tuple[tuple[Action | int, float], ...]:
    """Return each option with the expected games that the other side loses, less those of the side to move.

    Raises:
        RulesError: As `values_to_win`, or there are more than two sides.
    """
    board = _board(state)
    if board.over:
        return ()
    if len(board.sides) > 2:
        raise RulesError("Expected games lost are computed between two sides only.")
    assert isinstance(state, CribDice), "it has a board"
    return state.expected_values_by(two_sides.turn_values(board, "games"))


def solved(state: State, goal: str = "win") -> bool:
    """Whether the values for a goal, `win` or `games`, are exact with best play of both sides."""
    return isinstance(state, CribDice) and two_sides.is_solved(state.board, goal)


def _board(state: State) -> CribbageBoard:
    """Return the board of a state. Raises RulesError where no values to win are computed."""
    if not isinstance(state, CribDice):
        raise RulesError("The chance to win is known once the roll-off is over.")
    board = state.board
    if board.left and not board.over:
        raise RulesError("The chance to win can't be computed once a player has left.")
    if board.header.rules["find_a_loser"] and len(board.sides) > 2:
        raise RulesError(
            "With find_a_loser the chance to win is computed for two sides only: of more, all but one win."
        )
    return board


@lru_cache(maxsize=64)
def _worth_to_win(board: CribbageBoard) -> TurnValues:
    """Return the win probability of the side to move, in every state that the current turn can reach. Cached."""
    if two_sides.is_solved(board) or any(board.header.rules[key] for key in ONE_MOVES_ANOTHER):
        return two_sides.turn_values(board)
    from companion.games.crib_dice.odds.race import Race

    return Race(board).turn_values()
