"""Levels of the computer player: policies that choose an option from the public state.

`careless` and `steady` aim at the most expected points, `best` at the highest win probability. Careless players make
mistakes: logit quantal response (McKelvey and Palfrey 1995), the cheaper a mistake the likelier. The mistakes depend on
the state alone, so that a game can be replayed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from math import log
from typing import Protocol

from companion.errors import RulesError, nearest
from companion.games.engine.dice import FACES
from companion.games.engine.game import Action, Header, State, Throw
from companion.games.engine.roll_off import RollOff
from companion.games.engine.transcript import Transcript
from companion.games.registry import game_named

Choice = Action | int
"""A decision, or the number of dice to throw."""


class Dice(Protocol):
    """Source of random dice; `random.Random` satisfies it."""

    def choices(self, population: Sequence[int], *, k: int) -> list[int]:
        """Return `k` independent draws from the population."""


def rule_of_thumb(state: State) -> Choice:
    """Return what `Rulebook.rule_of_thumb` of the game chooses: a decision, or the number of dice to throw.

    The choice needs no odds, and is two dice in a roll-off. The bot's levels fall back on it in games without expected
    points.
    """
    if isinstance(state, RollOff):
        return state.throw_sizes[0]
    return game_named(state.standing.header.game).rule_of_thumb(state)


def erring(state: State, temperature: float) -> Choice:
    """Return the option with the highest sum of expected points and Gumbel noise: a choice that may be a mistake.

    The noise is seeded by the state: one state always gives one choice. Some games and house rules have no expected
    points; then the game's rule of thumb (`Rulebook.rule_of_thumb`) chooses.

    Args:
        state: State with a player to play.
        temperature: Scale of the noise, in points; 0 for the best option. At twice the temperature, a mistake that
            costs twice as much is equally likely.
    """
    values = tuple[tuple[Choice, float], ...]()
    with suppress(RulesError):  # these house rules have no odds
        values = state.expected_values()
    if not values:
        return rule_of_thumb(state)
    if temperature:
        digests = (sha256(f"{place} {state.view()}".encode()).digest() for place in range(len(values)))
        uniform = [(int.from_bytes(digest[:6], "big") + 0.5) / 2**48 for digest in digests]
        # The maximum after Gumbel noise is a draw from the logit distribution.
        noise = [-temperature * log(-log(share)) for share in uniform]
        values = tuple((option, value + more) for (option, value), more in zip(values, noise, strict=True))
    return _best(values)


def steady(state: State) -> Choice:
    """Return the choice of the bot's level `steady`: `erring` with the second temperature of `Rulebook.mistakes`."""
    return erring(state, game_named(state.standing.header.game).mistakes[1])


def best(state: State) -> Choice:
    """Return the option with the highest win probability: a decision, or the number of dice to throw.

    The game must not be over. Expected points decide instead:

    - among the options that win surely;
    - among all options if none can win;
    - if only the number of dice to throw is open;
    - if win probabilities are unknown.

    Without expected points the rule of thumb decides.
    """
    if isinstance(state, RollOff) or not state.decisions:
        return erring(state, 0.0) if len(state.throw_sizes) > 1 else state.throw_sizes[0]
    try:
        chances = game_named(state.standing.header.game).values_to_win(state)
        most = max(chance for _, chance in chances)
        if round(most, 8) not in (0, 1):
            return _best(chances)
        points = dict(state.expected_values())
    except RulesError:
        return erring(state, 0.0)
    return _best([(option, points[option]) for option, chance in chances if round(chance, 8) == round(most, 8)])


LEVELS: Mapping[str, Callable[[State], Choice]] = {
    "careless": lambda state: erring(state, game_named(state.standing.header.game).mistakes[0]),
    "steady": steady,
    "best": best,
}
"""Policies of the bot by the name of its level, weakest first. `careless` makes mistakes of the scale that the first
number of `Rulebook.mistakes` gives, in points; `steady` those of the second. Larger: costlier mistakes. `best` plays to
win."""


def level_named(name: str) -> Callable[[State], Choice]:
    """Return the policy of a level of the bot. Raises RulesError for an unknown name and suggests the nearest one."""
    if name not in LEVELS:
        raise RulesError(f"There is no level {name!r}{nearest(name, LEVELS)}")
    return LEVELS[name]


def played(header: Header, levels: Sequence[str], dice: Dice) -> Transcript:
    """Play a whole game between computer players of the given levels, one for each seat; return its transcript.

    `dice` is the source of throws, such as `random.Random`. Raises RulesError if a level is not a key of `LEVELS`, or
    if the game refuses the header.
    """
    deciders = [level_named(level) for level in levels]
    transcript = Transcript.begin(header)
    while (seat := transcript.state.standing.to_play) is not None:
        choice = deciders[seat](transcript.state)
        action = Throw(tuple(dice.choices(FACES, k=choice))) if isinstance(choice, int) else choice
        transcript = transcript.then(action)
    return transcript


def _best(values: Sequence[tuple[Choice, float]]) -> Choice:
    """Return the option with the highest value; on a tie a decision rather than a throw."""
    return max(values, key=lambda each: (each[1], not isinstance(each[0], int)))[0]
