"""Win probabilities of Crapola: exact in the last turn of the game, approximate before it (`race`)."""

from __future__ import annotations

from companion.errors import RulesError
from companion.games.crapola.odds.turn_value import reaching
from companion.games.crapola.scoring import keepable
from companion.games.crapola.state import Crapola
from companion.games.crapola.totals import Totals
from companion.games.engine.game import Action, Keep, Spend, State


def values_to_win(state: State) -> tuple[tuple[Action | int, float], ...]:
    """Return pairs of each option in Crapola and its win probability for the player to play; empty after the end.

    An option is a decision, or a number of dice to throw; the pairs are not sorted by value. A shared win counts as
    its share. Before the last round both players are assumed to play every turn to win.

    Raises:
        RulesError: The roll-off is not over. In the last round: another player is still to play. Before it: the game
            was not begun by exactly two players, one has left, or the stored table does not cover the house rules
            `target` and `entry`.
    """
    if not isinstance(state, Crapola):
        raise RulesError("The chance to win is known once the roll-off is over.")
    if state.standing.over:
        return ()
    table, turn = state.table, state.turn
    seat = table.seat
    if not table.last_round:
        from companion.games.crapola.odds import race

        return race.values_to_win(state)
    if not solved(state):
        raise RulesError("In the last round the chance to win is known for the last turn only.")
    lost = _share(table.passed_on(), seat)

    others = (total for other, total in enumerate(table.totals) if other not in table.left | {seat})
    gap = max(others) - table.totals[seat]  # if ahead or level, any bank wins or draws
    worth = reaching(turn.size or 6, table.least_bank, gap, _share(table.banked(gap), seat))

    def value(option: Action) -> float:
        """Return the win probability after a decision."""
        if isinstance(option, Spend):
            return _share(table.spent(state.standing.header.players.index(option.on), option.points), seat)
        if isinstance(option, Keep):
            points = turn.points + keepable(turn.dice)[option.dice]
            return gained(worth.choosing(points, len(turn.dice) - len(option.dice)))
        return gained(worth.bank(turn.points))

    def gained(share: float) -> float:
        """Return the win probability that lies at `share`, 0 to 1, of the way from `lost` to 1."""
        return lost + (1 - lost) * share

    thrown = tuple((dice, gained(worth.thrown(turn.points, dice))) for dice in state.throw_sizes)
    return thrown + tuple((option, value(option)) for option in state.options())


def solved(state: State, goal: str = "win") -> bool:
    """Whether win probabilities of a Crapola state are exact: in the last turn of the game, for the goal `win`."""
    return isinstance(state, Crapola) and goal == "win" and state.table.due - state.table.left == {state.table.seat}


def _share(end: Totals, seat: int) -> float:
    """Return a seat's share of the win at the `end` of a game: 1 / winners for a winner, 0 for a loser."""
    assert end.outcome is not None, "it was the last turn"
    return (seat in end.outcome.winners) / len(end.outcome.winners)
