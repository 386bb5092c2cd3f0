"""The view of the tray's floor: cut out of the frame, with square pixels and a known face size."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.geometry.rig import Rig
from vision.reading.reading import Floats, FrameBGR

MAX_PIXEL_ASPECT = 1.02
"""Ratio of pixels per mm along x and y above which the view is resampled to square pixels. The networks know only
nearly square faces. A higher limit shows them distorted faces; a lower one spends time on resampling."""


@dataclass(frozen=True, slots=True, eq=False)
class Floor:
    """The part of a rig's frames in which dice can be seen.

    Attributes:
        rig: The calibration.
        box: Left, top, right, bottom in pixels of the frame. Covers both zones and the tops of dice on their borders.
        stretch: (2,) pixels of the view per pixel of the frame, along x and y.
        face_px: Edge of an upper face under the lens, in pixels of the view.
    """

    rig: Rig
    box: tuple[int, int, int, int]
    stretch: Floats
    face_px: float

    @staticmethod
    def of(rig: Rig) -> Floor:
        """Return the view of a calibrated tray: the bounding box of its zones in the frame, clipped to the frame.

        The box also covers the tops of dice on the zones' borders. It has at least one pixel, even if the tray lies
        outside the frame.
        """
        corners = np.concatenate([zone.corners_mm for zone in (rig.throw, rig.keep) if zone.width_mm > 0])
        seen = rig.to_px(np.concatenate([corners, rig.above(corners)]))
        height, width = rig.empty_bgr.shape[:2]
        left, top = np.clip(np.floor(seen.min(0)), 0, (width - 1, height - 1)).astype(int).tolist()
        right, bottom = np.clip(np.ceil(seen.max(0)), (left + 1, top + 1), (width, height)).astype(int).tolist()
        px_per_mm = rig.px_per_mm()
        stretch = px_per_mm.max() / px_per_mm
        stretch = stretch if stretch.max() > MAX_PIXEL_ASPECT else np.ones(2)
        return Floor(rig, (left, top, right, bottom), stretch, rig.die_mm * float(px_per_mm.max()) * rig.magnified)

    def view(self, frame_bgr: FrameBGR) -> FrameBGR:
        """Crop a frame of the calibrated size to the tray's floor, and stretch the crop to nearly square pixels.

        Perspective is not corrected. A crop that needs no stretch shares the frame's memory.
        """
        left, top, right, bottom = self.box
        cut = frame_bgr[top:bottom, left:right]
        if self.stretch.max() == 1:
            return cut
        return cv2.resize(cut, None, fx=self.stretch[0], fy=self.stretch[1], interpolation=cv2.INTER_LINEAR)

    def to_frame(self, view_xy: Floats) -> Floats:
        """Convert (n, 2) points in pixels of the floor's view to pixels of the frame that it was cut out of."""
        return view_xy / self.stretch + self.box[:2]

    def below(self, faces_xy: Floats) -> Floats:
        """Map (n, 2) centres of dice's upper faces, in pixels of the view, to the centres of their lower faces."""
        return (self.rig.to_px(self.rig.under(self.to_frame(faces_xy))) - self.box[:2]) * self.stretch
