"""The virtual camera: simulated dice in a simulated tray, rendered frame by frame. It says what it is: `virtual`.

The dice are moved through `VirtualTray`, as a hand would; what they show is read from the frames like anyone else's.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import cv2
import numpy as np

from vision.cameras import Frame
from vision.cameras.simulated.appearance import KINDS, faces_of
from vision.cameras.simulated.rendering import Noise, Pinhole, background, draw_die, draw_shadow
from vision.cameras.simulated.tray import DIE_MM, RIDGE_MM, TRAY_WH_MM, Pose, VirtualTray, apart_mm
from vision.geometry.rig import Rig, Zone
from vision.reading.reading import FrameBGR

LENS = Pinhole(size_wh=(1280, 960), focal_px=1060.0, height_mm=285.0, middle_mm=(TRAY_WH_MM[0] / 2, TRAY_WH_MM[1] / 2))
"""Camera Module 2 (62.2 degrees across, 1,060 px at 1,280 px wide) a little higher than fits the tray exactly."""
FPS = 30.0
"""Frames a second of the virtual camera."""
LONGEST_STEP_S = 0.1
"""A program that was held up lets the dice stand still meanwhile, rather than leap."""
LENS_BLUR_PX = 0.7
TRAY = 1
"""Seed of the felt's and the wood's grain where no other is given."""
SHUTTER = 0.25
"""Part of a frame's time that the shutter is open: what moves is drawn where it was then and where it is now."""
UNSEEN_MM = 0.01
"""A thirtieth of a pixel. Dice tremble by less for a tenth of a second before physics lets them rest, and to draw seven
of them anew takes 10 ms, twice in each of those frames."""


def rig_over(empty_bgr: FrameBGR) -> Rig:
    """The calibration of this lens over this tray, with that picture of it empty."""
    return Rig(
        floor_to_px=LENS.floor_to_px(),
        throw=Zone(0.0, 0.0, RIDGE_MM, TRAY_WH_MM[1]),
        keep=Zone(RIDGE_MM, 0.0, TRAY_WH_MM[0] - RIDGE_MM, TRAY_WH_MM[1]),
        die_mm=DIE_MM,
        camera_mm=(*LENS.middle_mm, LENS.height_mm),
        empty_bgr=empty_bgr,
    )


class VirtualCamera:
    """Frames of a virtual tray, in real time.

    Args:
        dice: How many dice there are.
        clock: Seconds, monotonic.
        sleep: Waits that many seconds.
        seed: Of everything that is random; None for a different evening each time.
        fps: Frames a second.
    """

    name = "virtual"

    def __init__(
        self,
        dice: int = 7,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        seed: int | None = None,
        fps: float = FPS,
    ) -> None:
        rng = np.random.default_rng(seed)
        self.tray = VirtualTray(dice, rng)
        self.disturb: Callable[[FrameBGR, float], FrameBGR] = lambda picture, _now_s: picture
        """What else goes on over the tray, laid over each picture before it is seen; times are the clock's."""
        self._clock, self._sleep, self._frame_s = clock, sleep, 1 / fps
        self._faces = [faces_of(KINDS[index % len(KINDS)], rng) for index in range(dice)]
        # A tray is the same piece of furniture every evening: what was calibrated yesterday holds today.
        self._empty = background(LENS, RIDGE_MM, TRAY_WH_MM, rng if seed is not None else np.random.default_rng(TRAY))
        self._ground = self._empty
        self._empty_seen = cv2.GaussianBlur(self._empty, (0, 0), LENS_BLUR_PX)
        self._noise = Noise(LENS.size_wh[0], rng)
        self._drawn: tuple[FrameBGR, tuple[Pose, ...], FrameBGR] | None = None
        self._last_s: float | None = None
        self.newest = self._empty
        """The picture taken last, for a page to show; any thread may look. Must not be changed."""

    def start(self) -> None:
        """Begin to film."""
        self._last_s = None

    def stop(self) -> None:
        """Film no more."""

    def frame(self) -> Frame:
        """The next frame, when it is due."""
        now_s = self._clock()
        last_s = now_s - self._frame_s if self._last_s is None else self._last_s
        wait_s = last_s + self._frame_s - now_s
        if wait_s > 0:
            self._sleep(wait_s)
            now_s = self._clock()
        self._last_s = max(now_s, last_s)
        step_s = min(now_s - last_s, LONGEST_STEP_S)
        self.newest = self._filmed(step_s, now_s)
        return Frame(self.newest, now_s)

    def rig(self) -> Rig:
        """The calibration of this camera: its geometry, and a picture of the empty tray."""
        return rig_over(self._empty_seen)

    def lay_sheet(
        self,
        sheet_bgr: FrameBGR,
        size_mm: tuple[float, float],
        turn_deg: float = 0.0,
        lean_deg: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        """Lay a printed sheet of that width and height into the tray's upper left corner.

        Args:
            sheet_bgr: (h, w, 3) the sheet.
            size_mm: Its width and height.
            turn_deg: Turned by so much on the floor.
            lean_deg: Held aslant, its middle over the tray's, one edge on the floor: about the x and the y axis.
        """
        height_px, width_px = sheet_bgr.shape[:2]
        to_mm = np.diag([size_mm[0] / width_px, size_mm[1] / height_px, 1.0])
        turn = cv2.Rodrigues(np.radians([*lean_deg, turn_deg]))[0]
        corner = np.zeros(3)
        if any(lean_deg):
            middle = np.array([*size_mm, 0.0]) / 2
            lift = float(np.abs(turn[2, :2]) @ middle[:2])
            corner = np.array([*LENS.middle_mm, lift]) - turn @ middle
        to_px = LENS.plane_to_px(turn[:, :2], corner) @ to_mm
        laid = cv2.warpPerspective(sheet_bgr, to_px, LENS.size_wh, flags=cv2.INTER_AREA)
        covered = cv2.warpPerspective(np.full(sheet_bgr.shape[:2], 255, np.uint8), to_px, LENS.size_wh)
        self._ground = np.where(covered[:, :, None] > 127, laid, self._empty)

    def lift_sheet(self) -> None:
        """Take the sheet out again."""
        self._ground = self._empty

    def _filmed(self, step_s: float, now_s: float) -> FrameBGR:
        opened = self.tray.advance(step_s * (1 - SHUTTER))
        closed = self.tray.advance(step_s * SHUTTER)
        clean = self._clean(closed)
        if apart_mm(opened, closed) >= UNSEEN_MM:
            clean = cv2.addWeighted(clean, 0.5, self._composed(opened), 0.5, 0)
        return self._noise.over(self.disturb(clean, now_s))

    def _clean(self, poses: tuple[Pose, ...]) -> FrameBGR:
        ground = self._ground
        if not poses and ground is self._empty:
            self._drawn = None
            return self._empty_seen
        if self._drawn is None or self._drawn[0] is not ground or apart_mm(self._drawn[1], poses) >= UNSEEN_MM:
            self._drawn = (ground, poses, self._composed(poses))
        return self._drawn[2]

    def _composed(self, poses: tuple[Pose, ...]) -> FrameBGR:
        picture = self._ground.copy()
        for pose in poses:
            draw_shadow(picture, LENS, pose.at_mm, pose.turn, DIE_MM)
        for pose in sorted(poses, key=lambda pose: LENS.nearness(pose.at_mm)):
            draw_die(picture, LENS, pose.at_mm, pose.turn, DIE_MM, self._faces[pose.die])
        return cv2.GaussianBlur(picture, (0, 0), LENS_BLUR_PX)
