"""High in the tray: one die, and nothing is kept."""

from __future__ import annotations

from companion.games.engine.tray_policy import ThrowsOnly


class HighTray(ThrowsOnly):
    """As without a keep zone."""
