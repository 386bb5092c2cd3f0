"""The roles of visitors, and the groups of roles that a route can be for (docs/reference/roles.md)."""

from __future__ import annotations

import enum


class Role(enum.StrEnum):
    """What a visitor is to the table.

    A visitor's token gives one role, no token makes a guest. A browser on the table's own machine has `HERE` too.
    """

    GUEST = "guest"
    PLAYER = "player"
    OWNER = "owner"
    SCREEN = "screen"
    HERE = "this machine"


Roles = frozenset[Role]

ANYONE: Roles = frozenset(Role)
PAIRED: Roles = frozenset({Role.PLAYER, Role.OWNER, Role.SCREEN})
PLAYERS: Roles = frozenset({Role.PLAYER, Role.OWNER})
HANDS: Roles = PLAYERS | {Role.HERE}
"""At the virtual tray the person at the machine has hands too."""
OWNERS: Roles = frozenset({Role.OWNER})
SCREENS: Roles = frozenset({Role.OWNER, Role.SCREEN, Role.HERE})
"""Screens that only people at the table see."""
TERMINAL: Roles = frozenset({Role.OWNER, Role.HERE})
"""May read the PIN: `pegpip join`, and the owner who passes it on."""
