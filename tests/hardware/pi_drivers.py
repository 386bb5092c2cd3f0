"""The drivers of a Pi for tests: the real rpi_ws281x 5.0.0, and stand-ins for its C part, lgpio and spidev."""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Callable
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


def fake_spi(monkeypatch: pytest.MonkeyPatch, fault: Callable[[str], None] = lambda _call: None) -> list[bytes]:
    """Put a stand-in for spidev in place and return what is sent to it; `fault` may raise at "open" and "write"."""
    sent: list[bytes] = []

    def write(data: bytes) -> None:
        fault("write")
        sent.append(bytes(data))

    link = types.SimpleNamespace(open=lambda *_at: fault("open"), writebytes2=write, close=lambda: None)
    monkeypatch.setitem(sys.modules, "spidev", types.SimpleNamespace(SpiDev=lambda: link))
    return sent
