"""A fake libcamera on which the real picamera2 runs: sensors, exposure, focus and faults of a Raspberry Pi's camera.

`fitted()` installs it in this process and returns the `Board` that a test turns the screws of. Only what lies below
picamera2 is fake: libcamera's Python API (`library`), the sensors (`sensors`), and the kernel's DMA heap (`kernel`).
`python -m tests.vision.fake_libcamera MODULE ARGUMENTS` runs `pegpip ARGUMENTS` on it.
"""

from __future__ import annotations

import contextlib
import importlib.machinery
import os
import sys
import types
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

from tests.vision.fake_libcamera import kernel, library
from tests.vision.fake_libcamera.board import Board
from tests.vision.fake_libcamera.sensors import SENSORS, Mode, Sensor

__all__ = ["SENSORS", "Board", "Mode", "Sensor", "fitted", "removed"]

SOURCES = Path(os.environ.get("PEGPIP_PICAMERA2") or Path(sys.prefix) / "picamera2")
"""Where `make` puts picamera2: outside site-packages, so that all other tests see a machine without it."""

UNUSED = ("prctl", "pykms", "simplejpeg", "pidng", "pidng.camdefs", "pidng.core")
"""Libraries that picamera2 imports for screens and files, which the project does not use."""
OURS = {"libcamera", "picamera2", "videodev2", "piexif"} | {name.partition(".")[0] for name in UNUSED}
_IMPORTED: dict[str, types.ModuleType] = {}


def fitted(module: str = "Camera Module 3", **board: Any) -> Board:
    """Install a fake Pi with that camera module on its ribbon and return its board; picamera2 can be imported then.

    Raises:
        RuntimeError: picamera2's source is missing.
    """
    if not (SOURCES / "picamera2").is_dir():
        raise RuntimeError(f"picamera2 is missing in {SOURCES}: run `make .venv/dev.stamp`.")
    made = Board(SENSORS[module], **board)
    if "libcamera" not in sys.modules:
        sys.path.append(str(SOURCES))
        if _IMPORTED:
            sys.modules.update(_IMPORTED)
        else:
            sys.modules.update({name: _unused(name) for name in UNUSED} | {"libcamera": library.module()})
            kernel.put_below_picamera2()
    library.plug_in(made)
    _forget_cameras()
    return made


def removed() -> None:
    """Make this process a machine without picamera2 again."""
    if "libcamera" in sys.modules:
        sys.path.remove(str(SOURCES))
        for name in [name for name in sys.modules if name.partition(".")[0] in OURS]:
            _IMPORTED[name] = sys.modules.pop(name)


def _forget_cameras() -> None:
    """Make picamera2 enumerate the cameras anew, as a new process does."""
    picamera2 = importlib.import_module("picamera2")
    with contextlib.suppress(KeyError):
        picamera2.Picamera2._cm._cms = None


def _unused(name: str) -> types.ModuleType:
    """Return a module in which any attribute exists."""
    module = types.ModuleType(name)
    module.__spec__ = importlib.machinery.ModuleSpec(name, None)
    module.__getattr__ = lambda attribute: MagicMock()  # type: ignore[method-assign]
    return module
