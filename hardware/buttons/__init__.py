"""Buttons of the table: real and simulated ones keep one contract."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Press:
    """A button was pressed: its name in the settings (`bank`, `undo`, `next`, `shutdown`), and whether long."""

    button: str
    long: bool = False


@dataclass(frozen=True, slots=True)
class Touch:
    """A button went down or came up: told at once, long before it is known what press it will be."""

    button: str
    down: bool


def unfelt(_touch: Touch) -> None:
    """For who wants presses alone."""


class Buttons(Protocol):
    """A set of buttons. `start` and `stop` may be called twice. Errors are DeviceError, told with a cure."""

    name: str

    def start(self, on_press: Callable[[Press], None], on_touch: Callable[[Touch], None] = unfelt) -> None:
        """Listen. Both are called from the buttons' own thread, `on_press` once a press. Raises DeviceError."""

    def stop(self) -> None:
        """Listen no more; never raises."""

    def alive(self) -> bool:
        """Whether they are listened to as they were when started: False when the thread that does has fallen."""
