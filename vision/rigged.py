"""Reads with the rig as long as the camera's pictures are those that it was calibrated for; else as without one.

A camera that was set to another size, or another camera on the same socket, must not be read through a stranger's
geometry: then every die lies nowhere, and every reading is wrong.
"""

from __future__ import annotations

from collections.abc import Callable

from vision.geometry.rig import Rig
from vision.reader import open_reader
from vision.reading import FrameBGR, Reader, Reading


class RiggedReader:
    """A reader for a camera with a stored calibration."""

    def __init__(self, rig: Rig, open_: Callable[[Rig | None], Reader] = open_reader) -> None:
        self._rig, self._open = rig, open_
        self._in_rig = open_(rig)
        self._free: Reader | None = None
        self.misfit_wh: tuple[int, int] | None = None
        """Size of the last frame when it was not the calibration's; None when it was."""

    def read(self, frame_bgr: FrameBGR, expect: int | None = None) -> Reading:
        """Read a frame of any size."""
        if self._rig.fits(frame_bgr):
            self.misfit_wh = None
            return self._in_rig.read(frame_bgr, expect)
        self.misfit_wh = (frame_bgr.shape[1], frame_bgr.shape[0])
        if self._free is None:
            self._free = self._open(None)
        return self._free.read(frame_bgr, expect)
