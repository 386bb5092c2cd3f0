"""Tables that `make solve` has worked out and that lie in a game's folder: read when asked for, without NumPy."""

from __future__ import annotations

import pkgutil
import sys
from array import array
from collections.abc import Callable, Generator
from typing import Any

from companion.errors import RulesError

# Works a table out: yields how far it has come, from 0 to 1, and returns the content.
Working = Callable[[], Generator[float, None, bytes]]


def stored(package: str, name: str) -> bytes:
    """A table as it lies there. Raises RulesError when it is missing."""
    try:
        content = pkgutil.get_data(package, name)
    except OSError:
        content = None
    if content is None:
        raise RulesError(f"The solved table {name} is missing from {package}; `make solve` makes it.")
    return content


def floats(package: str, name: str) -> tuple[float, ...]:
    """A table of little-endian float64."""
    return tuple(_numbers(package, name, "d"))


def whole_numbers(package: str, name: str) -> array[int]:
    """A table of little-endian uint32."""
    return _numbers(package, name, "I")


def _numbers(package: str, name: str, kind: str) -> array[Any]:
    values: array[Any] = array(kind)
    values.frombytes(stored(package, name))
    if sys.byteorder == "big":
        values.byteswap()
    return values
