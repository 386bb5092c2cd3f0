"""The machine: its model by the device tree, as some libraries crash on the wrong one, and the libraries of drivers."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from companion.errors import DeviceError

MODEL = Path("/proc/device-tree/model")
"""File in which the kernel names the machine's model."""


def model() -> str:
    """Return the machine's model, as `Raspberry Pi 5 Model B Rev 1.0`; empty on a machine without a device tree."""
    try:
        return MODEL.read_text(errors="replace").strip("\0\n ")
    except OSError:
        return ""


def is_pi(text: str) -> bool:
    """Return whether the text names a Raspberry Pi, as `model` returns it."""
    return text.startswith("Raspberry Pi")


def is_pi_5(text: str) -> bool:
    """Return whether the text names a Pi with the RP1 chip, on which the older LED libraries crash."""
    return text.startswith(("Raspberry Pi 5", "Raspberry Pi Compute Module 5"))


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
