"""Win probabilities of Crapola: exact in the last turn of the game, approximate before it (`race`)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from companion.errors import RulesError
from companion.games.crapola.odds.turn_value import TurnValues, reaching
from companion.games.crapola.scoring import keepable
from companion.games.crapola.state import Crapola
from companion.games.crapola.totals import Totals
from companion.games.engine.game import Action, Keep, Spend, State


def values_to_win(state: State) -> tuple[tuple[Action | int, float], ...]:
    """Return pairs of each option in Crapola and its win probability for the player to play; empty after the end.

    An option is a decision, or a number of dice to throw; the pairs are not sorted by value. A shared win counts as
    its share. Before the last round both players are assumed to play every turn to win; in it, each later player to do
    nothing but try to get ahead of this one.

    Raises:
        RulesError: The roll-off is not over. Before the last round: the game was not begun by exactly two players, one
            has left, or the stored table does not cover the house rules `target` and `entry`.
    """
    if not isinstance(state, Crapola):
        raise RulesError("The chance to win is known once the roll-off is over.")
    if state.standing.over:
        return ()
    table, turn = state.table, state.turn
    if solved(state):
        chance, worth = _share, _last_turn(table)
        lost = chance(table.passed_on(), table.seat)
        most = 1 - lost
    else:
        from companion.games.crapola.odds import race

        chance, worth, most = race.chance_after, partial(race.turn_values, table), 1.0
        lost = chance(table.passed_on(), table.seat)

    def value(option: Action) -> float:
        """Return the win probability after a decision."""
        if isinstance(option, Spend):
            return chance(table.spent(table.header.players.index(option.on), option.points), table.seat)
        if isinstance(option, Keep):
            points = turn.points + keepable(turn.dice)[option.dice]
            return lost + most * worth(turn.size).choosing(points, len(turn.dice) - len(option.dice))
        return lost + most * worth(turn.size).bank(turn.points)

    thrown = tuple(
        (dice, lost + most * worth(turn.size or dice).thrown(turn.points, dice)) for dice in state.throw_sizes
    )
    return thrown + tuple((option, value(option)) for option in state.options())


def solved(state: State, goal: str = "win") -> bool:
    """Whether win probabilities of a Crapola state are exact: in the last turn of the game, for the goal `win`."""
    return isinstance(state, Crapola) and goal == "win" and state.table.due - state.table.left == {state.table.seat}


def _last_turn(table: Totals) -> Callable[[int], TurnValues]:
    """Return the function that gives the values of the last turn, by its number of dice: 1 for a win, 0 for a loss."""
    others = (total for seat, total in enumerate(table.totals) if seat not in table.left | {table.seat})
    gap = max(others) - table.totals[table.seat]  # if ahead or level, any bank wins or draws
    return partial(reaching, least=table.least_bank, wanted=gap, level=_share(table.banked(gap), table.seat))


def _share(end: Totals, seat: int) -> float:
    """Return a seat's share of the win at the `end` of a game: 1 / winners for a winner, 0 for a loser."""
    assert end.outcome is not None, "it was the last turn"
    return (seat in end.outcome.winners) / len(end.outcome.winners)
