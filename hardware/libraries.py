"""Loading the Python library of a driver; a missing one becomes a DeviceError with its cure."""

from __future__ import annotations

import importlib
from typing import Any

from companion.errors import DeviceError


def load_library(module: str, cure: str) -> Any:
    """Import the Python library of a driver by its module name, and return the module.

    Raises:
        DeviceError: The library is missing or can't be loaded. The message ends with `cure`, which says what to do.
    """
    try:
        return importlib.import_module(module)
    except (ImportError, OSError) as refused:
        missing = isinstance(refused, ModuleNotFoundError)
        what = "is not installed" if missing else f"can't be loaded ({refused})"
        raise DeviceError(f"The library {module} {what}.", cure) from None
