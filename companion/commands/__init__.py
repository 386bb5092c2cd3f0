"""The subcommands of `pegpip`, a module each; `companion.cli` loads the one that is called."""

from __future__ import annotations

import math
from typing import Any

import click


class Number(click.FloatRange):
    """Type of a command's option: a number in a range. `nan` is refused, which is outside no range for click."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number. Raises click.BadParameter if it is none, or not in the range."""
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is no number.", param, ctx)
        return number
