"""What the tray means to a game in which the house plays a seat: the house decides by itself, its dice are thrown."""

from __future__ import annotations

from collections.abc import Callable

from companion.games.game import State
from companion.games.registry import policy_for
from companion.games.tray import DecidedElsewhere, KeepZonePolicy
from companion.session.house.terms import Terms

Policies = Callable[[State], KeepZonePolicy]
"""What the tray means in each state of a game."""


def policies_under(terms: Terms) -> Policies:
    """The games' own policies, but for the turns of a player that the house plays."""
    if terms.house is None:
        return policy_for
    player = terms.house.player
    return lambda state: DecidedElsewhere(policy_for(state)) if state.player == player else policy_for(state)
