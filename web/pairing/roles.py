"""The roles of visitors, and the groups of roles that a route can be for (docs/reference/roles.md)."""

from __future__ import annotations

import enum


class Role(enum.StrEnum):
    """A visitor's role (docs/reference/roles.md). Its token gives one; a visitor without a valid token is a guest.

    A browser on the table's own machine has the role `HERE` as well.
    """

    GUEST = "guest"
    PLAYER = "player"
    OWNER = "owner"
    SCREEN = "screen"
    HERE = "this machine"


Roles = frozenset[Role]

ANYONE: Roles = frozenset(Role)
"""Every role: for routes that all visitors may use, paired or not."""
PAIRED: Roles = frozenset({Role.PLAYER, Role.OWNER, Role.SCREEN})
"""Roles of paired phones and screens."""
PLAYERS: Roles = frozenset({Role.PLAYER, Role.OWNER})
"""Roles that may play."""
HANDS: Roles = PLAYERS | {Role.HERE}
"""Roles that may use the virtual tray: players, and browsers on the table's own machine. They may also see file paths
in the health report."""
OWNERS: Roles = frozenset({Role.OWNER})
"""For routes that only the owner may use: settings, camera, other phones."""
SCREENS: Roles = frozenset({Role.OWNER, Role.SCREEN, Role.HERE})
"""Roles that may see the QR codes with the Wi-Fi's password and the owner's code: only people at the table see them."""
TERMINAL: Roles = frozenset({Role.OWNER, Role.HERE})
"""Roles that may read the PIN and the code that makes a phone the host. Those are the owner and all clients on the
table's own machine, such as `pegpip join`."""
