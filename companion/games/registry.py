"""The games that can be played. To add one: write its module and add its line here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from companion.errors import RulesError, nearest
from companion.games import crag, crapola, crib_dice
from companion.games.engine.game import State
from companion.games.engine.roll_off import RollOff
from companion.games.engine.rulebook import Rulebook
from companion.games.engine.tray_policy import KeepZonePolicy, ThrowsOnly

GAMES: Mapping[str, Rulebook] = MappingProxyType({game.GAME.name: game.GAME for game in (crib_dice, crag, crapola)})


def game_named(name: str) -> Rulebook:
    """The game of that name. Raises RulesError, naming the nearest there is.

    >>> game_named("crapola").title
    'Crapola'
    """
    if name not in GAMES:
        raise RulesError(f"There is no game {name!r}{nearest(name, GAMES)}")
    return GAMES[name]


def policy_for(state: State) -> KeepZonePolicy:
    """What the tray means in that state: as its game says, or in a roll-off that its two dice are thrown."""
    return ThrowsOnly() if isinstance(state, RollOff) else game_named(state.header.game).tray
