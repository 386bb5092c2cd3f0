"""Terms of a game beside its rules: the bot's seat, whether advice and lessons are given, which dice are thrown.

Transcripts do not contain them: to these the bot is a player with a name. The journal entry that starts a game does.
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
"""Default name of the bot."""
NAME_LENGTH = 24
"""Most characters in the name of a dice set; a longer one is refused for a game, and by `pegpip teach`. The pages'
input fields stop at the same number. Higher: they must allow more, too. Lower: they accept names that are then
refused."""
Policies = Callable[[State], KeepZonePolicy]
"""Function from a game's state to its tray policy: what dice in the tray mean in that state."""
SERIOUS = "This game is in tournament mode: no hints while it is on."
"""Error message for a request of odds or win probabilities while a serious game is on."""


class HouseSeat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The seat that the bot plays: the player's name, and a level of `companion.games.engine.players.LEVELS`."""

    player: str
    level: str


class Terms(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Terms of a game.

    Attributes:
        house: The bot's seat, if it plays.
        serious: Tournament mode: no odds and no advice during the game.
        chances: Whether the pub's screen shows win probabilities during the game.
        lessons: Whether the pages explain the game as it goes, for people who play it for the first time.
        dice: Name of the dice set; empty for the table's usual one.
    """

    house: HouseSeat | None = None
    serious: bool = False
    chances: bool = False
    lessons: bool = False
    dice: str = ""


USUAL = Terms()
"""Terms of a game by default."""


def terms_of(sent: object, header: Header) -> Terms:
    """Return the terms of a game from `sent`, a decoded JSON object whose keys are fields of `Terms`.

    A missing key gets its default. Raises RulesError if `sent` is not an object, a key is unknown, or a value is wrong.
    An unknown level of the bot and a bot's name that is not among the players of `header` are wrong, too.
    """
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
    """Return terms as JSON that `terms_of` reads back; defaults are left out."""
    line: dict[str, Any] = msgspec.to_builtins(terms)
    return line


def policies_under(terms: Terms) -> Policies:
    """Return a function from a game's state to its tray policy, which says what dice in the tray mean.

    `terms` name the seat that the bot plays, if any. On the bot's turn, dice in the tray only count as its throws,
    never as a decision or a bank.
    """
    if terms.house is None:
        return policy_for
    player = terms.house.player
    return lambda state: DecidedElsewhere(policy_for(state)) if state.standing.player == player else policy_for(state)
