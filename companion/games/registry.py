"""Registry of the games. To add a game, write its package and name it in `GAMES`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from companion.errors import RulesError, nearest
from companion.games import crag, crapola, crib_dice
from companion.games.engine.game import State
from companion.games.engine.roll_off import RollOff
from companion.games.engine.rulebook import Rulebook
from companion.games.engine.tray_policy import KeepZonePolicy

GAMES: Mapping[str, Rulebook] = MappingProxyType({game.GAME.name: game.GAME for game in (crib_dice, crag, crapola)})
"""Definition of each game by name."""


def game_named(name: str) -> Rulebook:
    """Return the rulebook of the game with this name. Raises RulesError, with the nearest name, if there is none.

    >>> game_named("crapola").title
    'Crapola'
    """
    if name not in GAMES:
        raise RulesError(f"There is no game {name!r}{nearest(name, GAMES)}")
    return GAMES[name]


def policy_for(state: State) -> KeepZonePolicy:
    """Return the tray policy of a state's game; in a roll-off the policy that takes throws alone."""
    return KeepZonePolicy() if isinstance(state, RollOff) else game_named(state.standing.header.game).tray
