"""The roles of visitors, and the groups of roles that a route can be for (docs/reference/roles.md)."""

from __future__ import annotations

import enum


class Role(enum.StrEnum):
    """A visitor's role. The token gives one; a visitor without a token is a guest.

    A browser on the table's own machine has `HERE` as well.
    """

    GUEST = "guest"
    PLAYER = "player"
    OWNER = "owner"
    SCREEN = "screen"
    HERE = "this machine"


Roles = frozenset[Role]

ANYONE: Roles = frozenset(Role)
"""All visitors."""
PAIRED: Roles = frozenset({Role.PLAYER, Role.OWNER, Role.SCREEN})
"""Roles of paired phones and screens."""
PLAYERS: Roles = frozenset({Role.PLAYER, Role.OWNER})
"""Roles that may play."""
HANDS: Roles = PLAYERS | {Role.HERE}
"""Roles that may move the dice of the virtual tray."""
OWNERS: Roles = frozenset({Role.OWNER})
"""Role that may manage the table."""
SCREENS: Roles = frozenset({Role.OWNER, Role.SCREEN, Role.HERE})
"""Roles that may see the Wi-Fi's and the owner's QR code: their screens are seen only at the table."""
TERMINAL: Roles = frozenset({Role.OWNER, Role.HERE})
"""Roles that may read the PIN: `pegpip join` at the table, and the owner."""
