"""The virtual camera: simulated dice in a simulated tray, rendered frame by frame.

Dice are moved through `VirtualTray`, as by a hand. Their values are read from the frames, as with a real camera.
"""

from __future__ import annotations

import functools
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
"""Pinhole model of the virtual camera: Camera Module 2 (62.2 degrees across), a little higher than the tray needs. Hung
higher, it shows smaller dice; lower, it cuts off the tray's edge. The evaluation renders its pictures with it, too, so
a change makes figures from before incomparable."""
FPS = 30.0
"""Frames per second that the virtual camera delivers by default, as a Pi camera does. More take more computing time."""
MAX_STEP_S = 0.1
"""Longest time, in seconds, by which dice are moved on between two frames, so that none leaps after a delay."""
LENS_BLUR_PX = 0.7
"""Standard deviation of the lens's blur, in pixels. Larger values smear the pips."""
TRAY_SEED = 1
"""Random seed of the tray's felt and wood if the camera gets none, so that the tray looks alike every time. With
another number the empty tray in a calibration of the virtual camera from before no longer looks like it."""
SHUTTER_SHARE = 0.25
"""Share of the time between frames, 0 to 1, for which the shutter is open. Moving dice are drawn at its beginning and
its end, half each, so a larger share blurs them more."""
MIN_MOTION_MM = 0.01
"""Motion of a die, in mm, below which the picture is not drawn anew: a thirtieth of a pixel. It saves time while dice
tremble before they rest. A larger one lets slow dice jump."""


def rig_over(empty_bgr: FrameBGR) -> Rig:
    """Return the exact calibration of the virtual camera and tray; `empty_bgr` is its picture of the empty tray."""
    return Rig(
        floor_to_px=LENS.floor_to_px(),
        throw=Zone(0.0, 0.0, RIDGE_MM, TRAY_WH_MM[1]),
        keep=Zone(RIDGE_MM, 0.0, TRAY_WH_MM[0] - RIDGE_MM, TRAY_WH_MM[1]),
        die_mm=DIE_MM,
        camera_mm=(*LENS.middle_mm, LENS.height_mm),
        empty_bgr=empty_bgr,
    )


@functools.cache
def _usual_tray() -> FrameBGR:
    """Return the read-only picture of the empty tray that each camera without a seed shows.

    A tray is the same piece of furniture every evening: what was calibrated yesterday holds today. It is drawn only
    once, because each change of a setting opens a camera to try it.
    """
    empty_bgr = background(LENS, RIDGE_MM, TRAY_WH_MM, np.random.default_rng(TRAY_SEED))
    empty_bgr.setflags(write=False)
    return empty_bgr


class VirtualCamera:
    """A camera that renders a virtual tray with `dice` dice in real time, `fps` frames a second.

    `clock` returns the time in seconds, monotonic, and `sleep` waits. Without a `seed` throws differ each time.
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
        """Changes each rendered picture, as a hand or a lamp would. Takes the picture and the time in seconds on
        `clock`; the default changes nothing."""
        self._clock, self._sleep, self._frame_s = clock, sleep, 1 / fps
        self._faces = [faces_of(KINDS[index % len(KINDS)], rng) for index in range(dice)]
        self._empty = _usual_tray() if seed is None else background(LENS, RIDGE_MM, TRAY_WH_MM, rng)
        self._ground = self._empty
        self._empty_seen = cv2.GaussianBlur(self._empty, (0, 0), LENS_BLUR_PX)
        self._noise = Noise(LENS.size_wh[0], rng)
        self._drawn: tuple[FrameBGR, tuple[Pose, ...], FrameBGR] | None = None
        self._last_s: float | None = None
        self.newest = self._empty
        """The newest picture, without noise, for a page to show: the same array until something in it has changed. Any
        thread may read it; none may change it."""

    def start(self) -> None:
        """Start the virtual camera. The time since its last frame is not simulated."""
        self._last_s = None

    def stop(self) -> None:
        """Do nothing: the virtual camera holds no device. Its dice stand still until the next frame."""

    def frame(self) -> Frame:
        """Wait until the next frame is due, simulate the dice up to now, and return the frame.

        The simulation advances by the time since the last frame, at most MAX_STEP_S. The first call after a start does
        not wait; the simulation then advances by one frame interval.
        """
        now_s = self._clock()
        last_s = now_s - self._frame_s if self._last_s is None else self._last_s
        wait_s = last_s + self._frame_s - now_s
        if wait_s > 0:
            self._sleep(wait_s)
            now_s = self._clock()
        self._last_s = max(now_s, last_s)
        step_s = min(now_s - last_s, MAX_STEP_S)
        opened, closed = (self.tray.advance(step_s * part) for part in (1 - SHUTTER_SHARE, SHUTTER_SHARE))
        clean = self._clean(closed)
        if apart_mm(opened, closed) >= MIN_MOTION_MM:
            clean = cv2.addWeighted(clean, 0.5, self._composed(opened), 0.5, 0)
        self.newest = self.disturb(clean, now_s)
        return Frame(self._noise.over(self.newest), now_s)

    def rig(self) -> Rig:
        """Return the calibration of this camera: its geometry, and a picture of the empty tray."""
        return rig_over(self._empty_seen)

    def lay_sheet(
        self,
        sheet_bgr: FrameBGR,
        size_mm: tuple[float, float],
        turn_deg: float = 0.0,
        lean_deg: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        """Show a printed sheet in the upper left corner of the tray, from the next frame until `lift_sheet`.

        `size_mm` is the sheet's width and height. `turn_deg` rotates the sheet clockwise about that corner. `lean_deg`
        tilts it about the x and the y axis. A tilted sheet is centred over the tray, and rotated about its own centre.
        """
        height_px, width_px = sheet_bgr.shape[:2]
        to_mm = np.diag([size_mm[0] / width_px, size_mm[1] / height_px, 1.0])
        rotation = cv2.Rodrigues(np.radians([*lean_deg, turn_deg]))[0]
        corner = np.zeros(3)
        if any(lean_deg):
            middle = np.array([*size_mm, 0.0]) / 2
            lift = float(np.abs(rotation[2, :2]) @ middle[:2])
            corner = np.array([*LENS.middle_mm, lift]) - rotation @ middle
        to_px = LENS.plane_to_px(rotation[:, :2], corner) @ to_mm
        laid = cv2.warpPerspective(sheet_bgr, to_px, LENS.size_wh, flags=cv2.INTER_AREA)
        covered = cv2.warpPerspective(np.full(sheet_bgr.shape[:2], 255, np.uint8), to_px, LENS.size_wh)
        self._ground = np.where(covered[:, :, None] > 127, laid, self._empty)

    def lift_sheet(self) -> None:
        """Take the printed sheet, if there is one, out of the virtual tray, from the next frame on."""
        self._ground = self._empty

    def _clean(self, poses: tuple[Pose, ...]) -> FrameBGR:
        """Return the picture of dice in these poses, without noise.

        The last picture is reused unless the sheet or the set of dice changed, or a die moved by at least MIN_MOTION_MM
        since it was drawn.
        """
        ground = self._ground
        if not poses and ground is self._empty:
            self._drawn = None
            return self._empty_seen
        if self._drawn is None or self._drawn[0] is not ground or apart_mm(self._drawn[1], poses) >= MIN_MOTION_MM:
            self._drawn = (ground, poses, self._composed(poses))
        return self._drawn[2]

    def _composed(self, poses: tuple[Pose, ...]) -> FrameBGR:
        """Return a new picture of the tray with dice in these poses, with their shadows.

        The calibration sheet is shown if it lies in the tray. The picture has the lens's blur, but no motion blur or
        noise.
        """
        picture = self._ground.copy()
        for pose in poses:
            draw_shadow(picture, LENS, pose.at_mm, pose.rotation, DIE_MM)
        for pose in sorted(poses, key=lambda pose: LENS.nearness(pose.at_mm)):
            draw_die(picture, LENS, pose.at_mm, pose.rotation, DIE_MM, self._faces[pose.die])
        return cv2.GaussianBlur(picture, (0, 0), LENS_BLUR_PX)
