"""Build the buttons that a word of the settings names; `none` are buttons that are never pressed."""

from __future__ import annotations

from collections.abc import Callable

from companion.errors import SetupError, nearest
from hardware.buttons import Buttons, Press, Touch, ignore_touch
from hardware.buttons.gpio import GpioButtons
from hardware.buttons.keys import KeyButtons
from hardware.settings import ButtonSettings

KINDS = ("none", "keys", "gpio")
"""Values of the setting `[buttons] kind`, which `open_buttons` takes."""


class NoButtons:
    """Buttons that are never pressed: the table is played with dice and phones alone."""

    name = "no"

    def start(self, on_press: Callable[[Press], None], on_touch: Callable[[Touch], None] = ignore_touch) -> None:
        """Do nothing: `on_press` and `on_touch` are never called."""

    def stop(self) -> None:
        """Do nothing: nothing was started."""

    def alive(self) -> bool:
        """Return True: there is no thread that could fail."""
        return True


def open_buttons(kind: str, settings: ButtonSettings) -> Buttons:
    """Return the table's buttons of a kind, not started: `none`, `keys` of the terminal or `gpio` pins.

    Only `gpio` uses the settings, which name the pins. Raises SetupError for an unknown kind; the error suggests the
    nearest known kind.
    """
    if kind == "none":
        return NoButtons()
    if kind == "keys":
        return KeyButtons()
    if kind == "gpio":
        return GpioButtons(settings)
    raise SetupError([f"There are no buttons {kind!r}{nearest(kind, KINDS)}"])
