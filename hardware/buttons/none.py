"""No buttons: the table is played with dice and phones alone."""

from __future__ import annotations

from collections.abc import Callable

from hardware.buttons import Press, Touch, unfelt


class NoButtons:
    """Never pressed."""

    name = "no"

    def start(self, on_press: Callable[[Press], None], on_touch: Callable[[Touch], None] = unfelt) -> None:
        """Nothing to listen to."""

    def stop(self) -> None:
        """Nothing to stop."""

    def alive(self) -> bool:
        """Nothing can fall."""
        return True
