"""From the settings file to the settings of the board's parts: track, strip and buttons."""

from __future__ import annotations

import msgspec

from companion.adapters.shutdown import BUTTON as SHUTDOWN
from companion.config import Settings
from hardware.settings import ButtonSettings, PowerSettings, StripSettings, TrackSettings

OWN = "own"
"""The layout of this name is the one that the section [track] describes."""


def track_of(settings: Settings) -> TrackSettings:
    """The track: a ready-made layout, or one's own from the section [track]."""
    if settings.strip.layout != OWN:
        return TrackSettings(preset=settings.strip.layout)
    return TrackSettings(preset="", **msgspec.structs.asdict(settings.track))


def strip_of(settings: Settings) -> StripSettings:
    """How the strip is wired."""
    wired = settings.strip
    return StripSettings(pin=wired.pin, order=wired.order.upper(), spi_bits=wired.spi_bits)


def power_of(settings: Settings) -> PowerSettings:
    """How bright the strip may be, and what makes its colours look right."""
    wired = settings.strip
    return PowerSettings(
        brightness=wired.brightness, gamma=wired.gamma, balance_rgb=wired.white, limit_ma=wired.limit_ma
    )


def buttons_of(settings: Settings) -> ButtonSettings:
    """The buttons' pins and keys; one for shutting down only where the settings have it."""
    wired = settings.buttons
    pins = {"bank": wired.bank, "undo": wired.undo, "next": wired.next}
    if wired.shutdown is not None:
        pins[SHUTDOWN] = wired.shutdown
    keys = ButtonSettings().keys | ({"s": SHUTDOWN} if wired.shutdown_command else {})
    return ButtonSettings(pins=pins, keys=keys)
