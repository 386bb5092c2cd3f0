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
    """Read a stored table, a file inside a package, and return its bytes.

    Args:
        package: Name of the package that holds the file: a game's `odds`.
        name: Name of the file.

    Raises:
        RulesError: The file is missing.
    """
    try:
        content = pkgutil.get_data(package, name)
    except OSError:
        content = None
    if content is None:
        raise RulesError(f"The solved table {name} is missing from {package}; `make solve` makes it.")
    return content


def floats(package: str, name: str) -> tuple[float, ...]:
    """Read a stored table of little-endian float64, the file `name` in `package`, and return its numbers.

    Raises RulesError if the file is missing.
    """
    return tuple(_numbers(package, name, "d"))


def whole_numbers(package: str, name: str) -> array[int]:
    """Read a stored table of little-endian uint32, the file `name` in `package`, and return its numbers.

    Raises RulesError if the file is missing.
    """
    return _numbers(package, name, "I")


def _numbers(package: str, name: str, kind: str) -> array[Any]:
    """Read a stored table of little-endian numbers and return them as an array.

    Args:
        package: Name of the package that holds the file.
        name: Name of the file.
        kind: Type code of the array: `d` for float64, `I` for uint32.

    Raises:
        RulesError: The file is missing.
    """
    values: array[Any] = array(kind)
    values.frombytes(stored(package, name))
    if sys.byteorder == "big":
        values.byteswap()
    return values
