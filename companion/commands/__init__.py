"""The subcommands of `pegpip`, a module each; `companion.cli` loads the one that is called."""

from __future__ import annotations

import contextlib
import math
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import click

from companion.errors import SetupError

CTRL_C = 130
"""Exit status after Ctrl-C: 128 and the number of SIGINT, as shells have it."""
CONTROL = re.compile("[\\x00-\\x09\\x0b-\\x1f\\x7f-\\x9f]")
"""Characters that a terminal may take for a command, such as ESC. A line feed is not among them."""
MIN_FOR_BAR = 4
"""Least number of items for which a progress bar is shown; fewer are done before it could help."""
FILE = click.Path(path_type=Path)
"""Type of an option or argument that names a file or folder."""
CONFIG = click.option("--config", "settings_file", type=FILE, metavar="FILE", help="Settings (TOML).")
"""Option `--config` of the commands that use a table's settings."""
Item = TypeVar("Item")


def printable(text: str) -> str:
    """Return a text with control characters, except line feeds, escaped, so that no name can steer the terminal.

    >>> printable("Ann\\x1b[2J is on.")
    'Ann\\\\x1b[2J is on.'
    """
    return CONTROL.sub(lambda found: ascii(found[0])[1:-1], text)


@contextlib.contextmanager
def tracked(items: Iterable[Item], total: int, description: str) -> Iterator[Iterator[Item]]:
    """Context manager: yield an iterator over `items` that shows progress on standard error, labelled `description`.

    `total` is the expected number of items; fewer or more may come. No progress is shown for a `total` below
    MIN_FOR_BAR, or if standard error is not a terminal.
    """
    if total < MIN_FOR_BAR or not sys.stderr.isatty():
        yield iter(items)
        return
    from rich.console import Console
    from rich.progress import Progress

    # Only lines that go to the same terminal may pass through the bar's console; a pipe gets them untouched.
    with Progress(console=Console(stderr=True), transient=True, redirect_stdout=sys.stdout.isatty()) as bar:
        yield iter(bar.track(items, total=total, description=description))


def refuse_virtual(source: str, instead: str) -> None:
    """Raise SetupError if a command that waits for throws is given the virtual camera: nobody can throw into its tray.

    `source` is the camera as in the settings; `instead` completes the sentence with what to do.
    """
    if source.strip() == "virtual":
        raise SetupError([f"camera = 'virtual': nobody can throw dice into its tray here; {instead}."])


class Number(click.FloatRange):
    """Type of a command's option: a number in a range. `nan` is refused, which is outside no range for click."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number. Raises click.BadParameter if it is none, or not in the range."""
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is no number.", param, ctx)
        return number
