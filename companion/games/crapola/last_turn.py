"""The chance to win Crapola in the last turn of the game, when all other totals are given: exact, with best play."""

from __future__ import annotations

from companion.errors import RulesError
from companion.games.crapola.odds import STEP, TurnWorth
from companion.games.crapola.scoring import points_of
from companion.games.crapola.state import Crapola
from companion.games.crapola.table import Standings
from companion.games.game import Action, Keep, Spend, State


def values_to_win(state: State) -> tuple[tuple[Action | int, float], ...]:
    """The chance to win with each option; a shared win counts as its share. Raises RulesError before the last turn."""
    if not isinstance(state, Crapola):
        raise RulesError("The chance to win is worked out once the roll-off is over.")
    if state.over:
        return ()
    standings, turn = state.table, state.turn
    seat = standings.seat
    if standings.due != {seat}:
        raise RulesError("The chance to win is worked out for the last turn of the game, when all other totals stand.")
    lost = _share(standings.crapped_out(on_first_throw=False), seat)

    def gained(points: int) -> float:
        return _share(standings.banked(points), seat) - lost

    ahead = max(standings.totals) - standings.totals[seat] + 1
    rich = -(-max(ahead, STEP) // STEP) * STEP
    worth = TurnWorth(turn.size or 6, standings.least_bank, gained, rich_from=rich, seven=0.0)

    def value(option: Action) -> float:
        if isinstance(option, Spend):
            return _share(standings.spent(state.header.players.index(option.on), option.points), seat)
        if isinstance(option, Keep):
            points = turn.points + (points_of(option.dice) or 0)
            return lost + worth.choosing(points, len(turn.dice) - len(option.dice))
        return lost + gained(turn.points)

    thrown = tuple((dice, lost + worth.thrown(turn.points, dice)) for dice in state.throw_sizes)
    return thrown + tuple((option, value(option)) for option in state.options())


def _share(end: Standings, seat: int) -> float:
    assert end.outcome is not None, "it was the last turn"
    return (seat in end.outcome.winners) / len(end.outcome.winners)
