"""The calibration sheet in the virtual tray: shown tilted four ways, then flat."""

from __future__ import annotations

from collections.abc import Callable

from vision.calibration.sheet import Sheet, raster
from vision.cameras.simulated.camera import VirtualCamera

LEANS_DEG = ((22.0, 0.0), (-22.0, 0.0), (0.0, 22.0), (0.0, -22.0))
"""Tilts at which calibration sees the sheet in the virtual tray, in degrees about the x and the y axis. With much
smaller ones the lens isn't measured (`MIN_TILT_DEG` in vision.calibration.lens); larger ones foreshorten markers."""


def lay_in(camera: VirtualCamera, printed: Sheet, look: Callable[[], object]) -> None:
    """Lay the sheet `printed` into the virtual tray: at each tilt of `LEANS_DEG`, then flat.

    `look` is called at each tilt, not for the flat sheet.
    """
    picture = raster(printed)
    for lean_deg in LEANS_DEG:
        camera.lay_sheet(picture, printed.size_mm, lean_deg=lean_deg)
        look()
    camera.lay_sheet(picture, printed.size_mm)
