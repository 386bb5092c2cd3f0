"""Opens the buttons by the word of a setting."""

from __future__ import annotations

from difflib import get_close_matches

from companion.errors import SetupError
from hardware.buttons import Buttons
from hardware.buttons.gpio import GpioButtons
from hardware.buttons.keys import KeyButtons
from hardware.buttons.none import NoButtons
from hardware.settings import ButtonSettings

KINDS = ("none", "keys", "gpio")


def open_buttons(kind: str, settings: ButtonSettings | None = None) -> Buttons:
    """The buttons of that kind, not started. Raises SetupError with the nearest known kind."""
    if kind == "none":
        return NoButtons()
    if kind == "keys":
        return KeyButtons()
    if kind == "gpio":
        return GpioButtons(settings or ButtonSettings())
    near = get_close_matches(kind, KINDS, n=1, cutoff=0.0)[0]
    raise SetupError([f"There are no buttons {kind!r}; the nearest is {near!r}. Known: {', '.join(KINDS)}."])
