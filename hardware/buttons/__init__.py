"""Buttons of the table: the contract that real and simulated ones keep."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Press:
    """A completed press of a button.

    Attributes:
        button: Name of the button in the settings: `bank`, `undo`, `next` or `shutdown`.
        long: Whether the button was held for the long time of the settings, `ButtonSettings.long_s`.
    """

    button: str
    long: bool = False


@dataclass(frozen=True, slots=True)
class Touch:
    """A button that went down or came up, reported before it is known whether the press is short or long.

    Attributes:
        button: Name of the button, as in `Press`.
        down: True when it went down, False when it came up.
    """

    button: str
    down: bool


def ignore_touch(_touch: Touch) -> None:
    """Ignore a touch: for callers that want presses alone."""


class Buttons(Protocol):
    """A set of buttons. `start` and `stop` may be called twice. Every error of a driver becomes a DeviceError."""

    name: str

    def start(self, on_press: Callable[[Press], None], on_touch: Callable[[Touch], None] = ignore_touch) -> None:
        """Begin to listen to the buttons, and call `on_press` and `on_touch` on the buttons' own thread until `stop`.

        A long press is reported while the button is held, a short one when it comes up; a touch when a button goes down
        and when it comes up. Raises DeviceError if a button can't be used; the others work nevertheless.
        """

    def stop(self) -> None:
        """Stop listening. Never raises."""

    def alive(self) -> bool:
        """Return whether listening works, or was never started; False when the listening thread ended by itself."""
