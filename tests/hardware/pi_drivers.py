"""The drivers of a Pi for tests: the real rpi_ws281x 5.0.0, and stand-ins for its C part, lgpio and spidev."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

PI_DRIVERS = Path(__file__).resolve().parent / "pi"


def fresh_driver(monkeypatch: pytest.MonkeyPatch, name: str) -> Any:
    """Import a module of the folder anew, with nothing left of an earlier test."""
    monkeypatch.syspath_prepend(str(PI_DRIVERS))
    for module in [known for known in sys.modules if known.lstrip("_").partition(".")[0] == name.lstrip("_")]:
        monkeypatch.delitem(sys.modules, module)
    return importlib.import_module(name)
