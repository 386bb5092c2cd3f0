"""Build the buttons that a word of the settings names; `none` are buttons that are never pressed."""

from __future__ import annotations

from collections.abc import Callable

from companion.errors import SetupError, nearest
from hardware.buttons import Buttons, Press, Touch, unfelt
from hardware.buttons.gpio import GpioButtons
from hardware.buttons.keys import KeyButtons
from hardware.settings import ButtonSettings

KINDS = ("none", "keys", "gpio")
"""Every word that `open_buttons` takes."""


class NoButtons:
    """Buttons that are never pressed: the table is played with dice and phones alone."""

    name = "no"

    def start(self, on_press: Callable[[Press], None], on_touch: Callable[[Touch], None] = unfelt) -> None:
        """Do nothing."""

    def stop(self) -> None:
        """Do nothing."""

    def alive(self) -> bool:
        """Return True: there is no thread that could fail."""
        return True


def open_buttons(kind: str, settings: ButtonSettings) -> Buttons:
    """Build the buttons of that kind, not started. Raises SetupError that names the nearest known kind."""
    if kind == "none":
        return NoButtons()
    if kind == "keys":
        return KeyButtons()
    if kind == "gpio":
        return GpioButtons(settings)
    raise SetupError([f"There are no buttons {kind!r}{nearest(kind, KINDS)}"])
