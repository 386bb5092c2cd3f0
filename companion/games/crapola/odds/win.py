"""Win probabilities of Crapola: exact in the last turn of the game, approximate before it (`race`)."""

from __future__ import annotations

from companion.errors import RulesError
from companion.games.crapola.scoring import keepable
from companion.games.crapola.state import Crapola
from companion.games.engine.game import Action, Keep, Spend, State


def values_to_win(state: State) -> tuple[tuple[Action | int, float], ...]:
    """Return pairs of each option in Crapola and its win probability for the player to play; empty after the end.

    An option is a decision, or a number of dice to throw; the pairs are not sorted by value. A shared win counts as its
    share. Before the last round both players are assumed to play every turn to win. In the last round each later player
    is assumed only to try to get ahead of the player to play.

    Raises:
        RulesError: The roll-off is not over.
            Before the last round: not exactly two players began the game, one has left, or the stored table lacks
            this `target` and `entry` (house rules).
            In the last round: the player to play has not banked yet, and `entry`, the least first bank, is above
            `MAX_ENTRY_POINTS`.
    """
    if not isinstance(state, Crapola):
        raise RulesError("The chance to win is known once the roll-off is over.")
    if state.standing.over:
        return ()
    from companion.games.crapola.odds import race

    totals, turn = state.totals, state.turn
    lost = race.chance_after(totals.passed_on(), totals.seat)

    def value(option: Action | int) -> float:
        """Return the win probability of an option."""
        if isinstance(option, Spend):
            return race.chance_after(totals.spent(totals.header.players.index(option.on), option.points), totals.seat)
        if isinstance(option, int):
            return lost + race.turn_values_to_win(totals, turn.size or option).thrown(turn.points, option)
        worth = race.turn_values_to_win(totals, turn.size)
        if isinstance(option, Keep):
            points = turn.points + keepable(turn.dice)[option.dice]
            return lost + worth.choosing(points, len(turn.dice) - len(option.dice))
        return lost + worth.bank(turn.points)

    return tuple((option, value(option)) for option in (*state.throw_sizes, *state.options()))


def solved(state: State, goal: str = "win") -> bool:
    """Whether win probabilities of a Crapola state are exact: in the last turn of the game, for the goal `win`."""
    return isinstance(state, Crapola) and goal == "win" and state.totals.due - state.totals.left == {state.totals.seat}
