"""Build the buttons that a word of the settings names."""

from __future__ import annotations

from companion.errors import SetupError, nearest
from hardware.buttons import Buttons
from hardware.buttons.gpio import GpioButtons
from hardware.buttons.keys import KeyButtons
from hardware.buttons.none import NoButtons
from hardware.settings import ButtonSettings

KINDS = ("none", "keys", "gpio")
"""Every word that `open_buttons` takes."""


def open_buttons(kind: str, settings: ButtonSettings) -> Buttons:
    """Build the buttons of that kind, not started. Raises SetupError that names the nearest known kind."""
    if kind == "none":
        return NoButtons()
    if kind == "keys":
        return KeyButtons()
    if kind == "gpio":
        return GpioButtons(settings)
    raise SetupError([f"There are no buttons {kind!r}{nearest(kind, KINDS)}"])
