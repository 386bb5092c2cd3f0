"""No buttons: the table is played with dice and phones alone."""

from __future__ import annotations

from collections.abc import Callable

from hardware.buttons import Press


class NoButtons:
    """Never pressed."""

    name = "no"

    def start(self, on_press: Callable[[Press], None]) -> None:
        """Nothing to listen to."""

    def stop(self) -> None:
        """Nothing to stop."""
