"""Buttons of the table: real and simulated ones keep one contract."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Press:
    """A button was pressed: its name in the settings (`bank`, `undo`, `next`, `shutdown`), when, and whether long."""

    button: str
    at_s: float
    long: bool = False


class Buttons(Protocol):
    """A set of buttons. `start` and `stop` may be called twice. Errors are DeviceError, told with a cure."""

    name: str

    def start(self, on_press: Callable[[Press], None]) -> None:
        """Listen; `on_press` is called from the buttons' own thread, once a press. Raises DeviceError."""

    def stop(self) -> None:
        """Listen no more; never raises."""
