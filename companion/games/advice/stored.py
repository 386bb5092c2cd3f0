"""Read the tables that `make solve` stores in the folder of a game, on demand and without NumPy."""

from __future__ import annotations

import pkgutil
import sys
from array import array
from collections.abc import Callable, Generator
from typing import Any

from companion.errors import RulesError

Solver = Callable[[], Generator[float, None, bytes]]
"""Function that computes a table: yields its progress from 0 to 1 and returns the content of the file."""


def stored(package: str, name: str) -> bytes:
    """Return the bytes of a stored table: the file `name` in a Python package, such as a game's package `odds`.

    Raises RulesError if the file is missing.
    """
    try:
        content = pkgutil.get_data(package, name)
    except OSError:
        content = None
    if content is None:
        raise RulesError(f"The solved table {name} is missing from {package}; `make solve` makes it.")
    return content


def numbers(package: str, name: str) -> array[Any]:
    """Read a stored table of little-endian numbers: float64 if its name ends in `.f8`, else uint32.

    `package` is the Python package that holds the file `name`. Raises RulesError if the file is missing.
    """
    values: array[Any] = array("d" if name.endswith(".f8") else "I")
    values.frombytes(stored(package, name))
    if sys.byteorder == "big":
        values.byteswap()
    return values
