"""The printed sheet in the virtual tray, which has no hands: held aslant four ways, then laid flat."""

from __future__ import annotations

from collections.abc import Callable

from vision.calibration.sheet import Sheet, raster
from vision.cameras.simulated.camera import VirtualCamera

LEANS_DEG = ((22.0, 0.0), (-22.0, 0.0), (0.0, 22.0), (0.0, -22.0))
"""About the x and the y axis: towards each side of the tray."""


def lay_in(camera: VirtualCamera, printed: Sheet, look: Callable[[], object]) -> None:
    """Hold the sheet aslant, calling `look` each time, and lay it."""
    picture = raster(printed)
    for lean_deg in LEANS_DEG:
        camera.lay_sheet(picture, printed.size_mm, lean_deg=lean_deg)
        look()
    camera.lay_sheet(picture, printed.size_mm)
