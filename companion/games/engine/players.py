"""Players that the house can seat: who decides by rule of thumb, who for the most points, who for the win.

They see what everybody at the table sees: the state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from companion.errors import RulesError, nearest
from companion.games.engine.dice import FACES
from companion.games.engine.game import Action, Header, State, Throw
from companion.games.engine.roll_off import RollOff
from companion.games.registry import game_named

Choice = Action | int  # a decision, or how many dice are thrown


class Dice(Protocol):
    """What throws dice; `random.Random` does."""

    def choices(self, population: Sequence[int], *, k: int) -> list[int]:
        """So many of those, each independent of the others."""


def careless(state: State) -> Choice:
    """By the rule of thumb of the game."""
    if isinstance(state, RollOff):
        return state.throw_sizes[0]
    return game_named(state.header.game).careless(state)


def steady(state: State) -> Choice:
    """For the most points, as `expected_values` finds them; by the rule of thumb in a game without such values."""
    values = state.expected_values()
    return _best(values) if values else careless(state)


def best(state: State) -> Choice:
    """For the win where its chance is worked out, else for the most points."""
    if isinstance(state, RollOff) or not state.decisions:
        return steady(state) if len(state.throw_sizes) > 1 else state.throw_sizes[0]
    try:
        return _best(game_named(state.header.game).values_to_win(state))
    except RulesError:
        return steady(state)


LEVELS: Mapping[str, Callable[[State], Choice]] = {"careless": careless, "steady": steady, "best": best}


def level_named(name: str) -> Callable[[State], Choice]:
    """How a player of that level decides. Raises RulesError, naming the nearest there is."""
    if name not in LEVELS:
        raise RulesError(f"There is no level {name!r}{nearest(name, LEVELS)}")
    return LEVELS[name]


def played(header: Header, levels: Sequence[str], dice: Dice) -> State:
    """The end of a game in which the seats decide by those levels. Raises RulesError."""
    deciders = [level_named(level) for level in levels]
    state = game_named(header.game).start(header)
    while state.to_play is not None:
        choice = deciders[state.to_play](state)
        state = state.after(Throw(tuple(dice.choices(FACES, k=choice))) if isinstance(choice, int) else choice)
    return state


def _best(values: Sequence[tuple[Choice, float]]) -> Choice:
    """Of equals a decision before a throw: what is banked can't be lost."""
    return max(values, key=lambda each: (each[1], not isinstance(each[0], int)))[0]
