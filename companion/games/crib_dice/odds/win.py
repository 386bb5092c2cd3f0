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
"""House rules of Crib Dice under which one side's turn changes more than its own peg.

With one of them on, win probabilities come from the nearest stored table of two sides, not from a race of the pegs."""


def values_to_win(state: State) -> tuple[tuple[Action | int, float], ...]:
    """Return each option in Crib Dice, paired with its win probability for the side to play; empty after the end.

    An option is a decision, or a number of dice to throw; throws come first. A shared win counts as its share. How the
    game is assumed to go on:

    - Two sides, and a stored table is exact for the house rules: all turns are played to win.
    - Else, with no house rule of `ONE_MOVES_ANOTHER` on: this turn is played to win, later ones for the most points.
    - Else: all turns are played to win. Of the other sides only the furthest counts, and the table of the nearest house
      rules is used: an approximation.

    Raises:
        RulesError: The roll-off is on, a player has left, `find_a_loser` is played by more than two sides, or a
            stored table is missing.
    """
    if state.standing.over:
        return ()
    known = _with_known_chances(state)
    return known.expected_values_by(_turn_values_for(known.board, "win"))


def values_by_games(state: State) -> tuple[tuple[Action | int, float], ...]:
    """Return pairs of each option in Crib Dice and its equity for the side to play; empty after the end.

    An option is a number of dice to throw, or a decision; the pairs are not sorted by equity, but throws come first.
    The equity is the number of games that the other side is expected to lose, minus that of the side to play. It comes
    from a stored table. Where `solved` returns False, the equity is approximated from the table of the nearest house
    rules (`nearest_rules`).

    Raises:
        RulesError: The roll-off is not over, a player has left, there are more than two sides, or the stored table
            is missing.
    """
    if state.standing.over:
        return ()
    known = _with_known_chances(state)
    if len(known.board.sides) > 2:
        raise RulesError("Expected games lost are computed between two sides only.")
    return known.expected_values_by(_turn_values_for(known.board, "games"))


def solved(state: State, goal: str = "win") -> bool:
    """Whether the option values of a Crib Dice state for a goal, `win` or `games`, are exact with best play.

    True only between two sides by house rules that have a stored table; False in a roll-off.
    """
    return isinstance(state, CribDice) and two_sides.is_solved(state.board, goal)


def _with_known_chances(state: State) -> CribDice:
    """Return `state` itself if it is a state of Crib Dice with computable win probabilities, else raise RulesError.

    They can't be computed during the roll-off, once a player has left, or with `find_a_loser` and more than two sides.
    """
    if not isinstance(state, CribDice):
        raise RulesError("The chance to win is known once the roll-off is over.")
    if state.board.left:
        raise RulesError("The chance to win can't be computed once a player has left.")
    if state.board.header.rules["find_a_loser"] and len(state.board.sides) > 2:
        raise RulesError(
            "With find_a_loser the chance to win is computed for two sides only: of more, all but one win."
        )
    return state


@lru_cache(maxsize=64)
def _turn_values_for(board: CribbageBoard, goal: str) -> TurnValues:
    """Return the values of the current turn for the side to play. Cached.

    `goal` is `win` (win probability) or `games` (expected games that the other side loses, less those of this side).
    Values for `games` come from a stored table for two sides, for these house rules or the nearest ones. Values for
    `win` come from that table, too, if it is exact (`is_solved`) or a house rule of `ONE_MOVES_ANOTHER` is on; else
    from independent races of the pegs (`Race`). Raises RulesError if a stored table is missing.
    """
    if goal == "games" or two_sides.is_solved(board) or any(board.header.rules[key] for key in ONE_MOVES_ANOTHER):
        return two_sides.duel_turn_values(board, goal)
    from companion.games.crib_dice.odds.race import Race

    return Race(board).turn_values_to_win()
