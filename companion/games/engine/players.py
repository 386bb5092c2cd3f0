"""Levels of the computer player: policies that choose an option from the public state.

`careless` follows a rule of thumb, `steady` maximises expected points, `best` maximises the win probability.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from companion.errors import RulesError, nearest
from companion.games.engine.dice import FACES
from companion.games.engine.game import Action, Header, State, Throw
from companion.games.engine.roll_off import RollOff
from companion.games.registry import game_named

Choice = Action | int
"""A decision, or the number of dice to throw."""


class Dice(Protocol):
    """Source of random dice; `random.Random` satisfies it."""

    def choices(self, population: Sequence[int], *, k: int) -> list[int]:
        """Return `k` independent draws from the population."""


def careless(state: State) -> Choice:
    """Return the choice of the game's rule of thumb, `Rulebook.careless`. In a roll-off, throw."""
    if isinstance(state, RollOff):
        return state.throw_sizes[0]
    return game_named(state.standing.header.game).careless(state)


def steady(state: State) -> Choice:
    """Return the option with the highest expected points, or that of `careless` if the game has no values."""
    values = state.expected_values()
    return _best(values) if values else careless(state)


def best(state: State) -> Choice:
    """Return the option with the highest win probability, or that of `steady` where it is unknown."""
    if isinstance(state, RollOff) or not state.decisions:
        return steady(state) if len(state.throw_sizes) > 1 else state.throw_sizes[0]
    try:
        return _best(game_named(state.standing.header.game).values_to_win(state))
    except RulesError:
        return steady(state)


LEVELS: Mapping[str, Callable[[State], Choice]] = {"careless": careless, "steady": steady, "best": best}
"""Policies by the name of the level, weakest first."""


def level_named(name: str) -> Callable[[State], Choice]:
    """Return the policy of a level. Raises RulesError for an unknown name and suggests the nearest one."""
    if name not in LEVELS:
        raise RulesError(f"There is no level {name!r}{nearest(name, LEVELS)}")
    return LEVELS[name]


def played(header: Header, levels: Sequence[str], dice: Dice) -> State:
    """Play a game to its end and return the final state.

    Args:
        header: Set-up of the game.
        levels: Level of each seat, a key of `LEVELS`.
        dice: Source of the throws.

    Raises:
        RulesError: Unknown level, or a set-up that the game refuses.
    """
    deciders = [level_named(level) for level in levels]
    state = game_named(header.game).start(header)
    while state.standing.to_play is not None:
        choice = deciders[state.standing.to_play](state)
        state = state.after(Throw(tuple(dice.choices(FACES, k=choice))) if isinstance(choice, int) else choice)
    return state


def _best(values: Sequence[tuple[Choice, float]]) -> Choice:
    """Return the option of the highest value; on a tie a decision before a throw."""
    return max(values, key=lambda each: (each[1], not isinstance(each[0], int)))[0]
