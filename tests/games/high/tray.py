"""Tray policy of High: one die, and none is kept."""

from __future__ import annotations

from companion.games.engine.tray_policy import ThrowsOnly


class HighTray(ThrowsOnly):
    """Tray policy without a keep zone, with the defaults of `ThrowsOnly`."""
