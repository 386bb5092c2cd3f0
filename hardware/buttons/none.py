"""No buttons: the table is played with dice and phones alone."""

from __future__ import annotations

from collections.abc import Callable

from hardware.buttons import Press, Touch, unfelt


class NoButtons:
    """Buttons that are never pressed."""

    name = "no"

    def start(self, on_press: Callable[[Press], None], on_touch: Callable[[Touch], None] = unfelt) -> None:
        """Do nothing: there is nothing to listen to."""

    def stop(self) -> None:
        """Do nothing."""

    def alive(self) -> bool:
        """Return True: there is no thread that could fail."""
        return True
