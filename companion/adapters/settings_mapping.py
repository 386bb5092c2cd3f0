"""From the settings file to the settings of the board's parts: track and buttons."""

from __future__ import annotations

from companion.adapters.shutdown import BUTTON as SHUTDOWN
from companion.config import Settings
from hardware.settings import ButtonSettings
from hardware.track import Layout, lay, preset

OWN = "own"
"""The layout of this name is the one that the section [track] describes."""


def layout_of(settings: Settings) -> Layout:
    """The layout: a ready-made one, or one's own from the section [track]. Raises SetupError."""
    return lay(settings.track) if settings.strip.layout == OWN else preset(settings.strip.layout)


def buttons_of(settings: Settings) -> ButtonSettings:
    """The buttons' pins and keys; one for shutting down only where the settings have it."""
    wired = settings.buttons
    pins = {"bank": wired.bank, "undo": wired.undo, "next": wired.next}
    if wired.shutdown is not None:
        pins[SHUTDOWN] = wired.shutdown
    keys = ButtonSettings().keys | ({"s": SHUTDOWN} if wired.shutdown_command else {})
    return ButtonSettings(pins=pins, keys=keys)
