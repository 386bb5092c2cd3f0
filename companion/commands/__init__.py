"""The subcommands of `pegpip`, a module each; `companion.cli` loads the one that is called."""

from __future__ import annotations

import math
import re
from typing import Any

import click

CTRL_C = 130
"""Exit status after Ctrl-C: 128 and the number of SIGINT, as shells have it."""
CONTROL = re.compile("[\\x00-\\x09\\x0b-\\x1f\\x7f-\\x9f]")
"""Characters that a terminal may take for a command, such as ESC. A line feed is not among them."""


def printable(text: str) -> str:
    """Return a text with its control characters escaped: names in a file of somebody else may command the terminal.

    >>> printable("Ann\\x1b[2J is on.")
    'Ann\\\\x1b[2J is on.'
    """
    return CONTROL.sub(lambda found: ascii(found[0])[1:-1], text)


class Number(click.FloatRange):
    """Type of a command's option: a number in a range. `nan` is refused, which is outside no range for click."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number. Raises click.BadParameter if it is none, or not in the range."""
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is no number.", param, ctx)
        return number
