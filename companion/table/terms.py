"""What is agreed on a game besides its rules: whom the house plays, whether advice is given, which dice are thrown.

No transcript tells of it: a player that the house plays is a player by name. It stands in the journal's entry that
starts the game.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from companion.errors import RulesError, nearest
from companion.games.engine.game import Header, State
from companion.games.engine.players import level_named
from companion.games.engine.tray_policy import DecidedElsewhere, KeepZonePolicy
from companion.games.registry import policy_for

HOUSE = "House"
"""What the player is called that the settings give to the house."""
NAME_LENGTH = 24
Policies = Callable[[State], KeepZonePolicy]
"""What the tray means in each state of a game."""
SERIOUS = "This is a serious game: nobody is advised while it is on."


class HouseSeat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The player that the house plays, and how well: a key of `companion.games.engine.players.LEVELS`."""

    player: str
    level: str


class Terms(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What is agreed on a game.

    Attributes:
        house: Whom the house plays, if anyone.
        serious: Whether nobody is told odds or best play while the game is on.
        chances: Whether the pub's screen shows the chance to win while the game is on.
        dice: The name of the set of dice that is thrown; empty for the table's usual ones.
    """

    house: HouseSeat | None = None
    serious: bool = False
    chances: bool = False
    dice: str = ""


USUAL = Terms()


def terms_of(sent: object, header: Header) -> Terms:
    """The terms that a decoded JSON object tells, checked against the game's header. Raises RulesError."""
    if isinstance(sent, dict):
        for key in sent:
            if key not in Terms.__struct_fields__:
                raise RulesError(f"A game's terms have no {key!r}{nearest(str(key), Terms.__struct_fields__)}")
    try:
        terms = msgspec.convert(sent, Terms)
    except msgspec.ValidationError as wrong:
        raise RulesError(f"The game's terms: {wrong}.") from None
    if terms.house is not None:
        level_named(terms.house.level)
        if terms.house.player not in header.players:
            raise RulesError(f"The house is to play {terms.house.player!r}, who is not one of the players.")
    if len(terms.dice) > NAME_LENGTH:
        raise RulesError(f"The name of a set of dice has at most {NAME_LENGTH} characters.")
    return terms


def terms_line(terms: Terms) -> dict[str, Any]:
    """The terms as plain JSON: only what is not as usual. `terms_of` reads it back."""
    line: dict[str, Any] = msgspec.to_builtins(terms)
    return line


def policies_under(terms: Terms) -> Policies:
    """What the tray means: as the games say, but in the house's turn; it decides by itself, its dice are thrown."""
    if terms.house is None:
        return policy_for
    player = terms.house.player
    return lambda state: DecidedElsewhere(policy_for(state)) if state.player == player else policy_for(state)
