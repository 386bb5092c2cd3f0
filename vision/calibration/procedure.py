"""The steps of calibrating with a camera that runs: see the sheet, see the empty tray, see one die. Says what to do.

Each step takes frames until it has seen the same thing for some of them, or until its time is over by the camera's own
clock; meanwhile it says what is wrong, each sentence once until it changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from companion.errors import DeviceError
from vision.calibration.image_quality import Advice
from vision.calibration.markers import markers_in
from vision.calibration.sheet import aruco
from vision.calibration.solving import REFERENCE_FRAMES, Look, Plan, die_edge_mm, look_at, reference
from vision.cameras import Camera, Frame
from vision.geometry.rig import Rig
from vision.reading import FrameBGR
from vision.watching.stillness import Phase, Settle, step, structure

Floats = NDArray[np.float64]

SAME_LOOKS = 5
SAME_PX = 1.0
"""The sheet lies still when its corners stay within a pixel from look to look."""
LOOK_EVERY_S = 0.1
"""Markers take up to 80 ms to find: looking at every frame would let a slow machine fall behind its camera."""
WARM_FRAMES = 48
"""picamera2's exposure and focus are held after 45 frames (vision.cameras.picamera); the reference is taken then."""
SAME_SIZES = 3
SAME_MM = 0.3

Say = Callable[[str], None]


class Calibrating:
    """Calibrates with one camera.

    Args:
        camera: Started by whoever calls, and stopped.
        plan: What can't be seen.
        say: Tells a person one sentence.
        wait_s: How long each step waits.
    """

    def __init__(self, camera: Camera, plan: Plan, say: Say, wait_s: float = 120.0) -> None:
        self._camera, self._plan, self._wait_s = camera, plan, wait_s
        self._say, self._said = say, ""

    def sheet(self) -> Look:
        """Wait until the sheet lies still; what the last look at it showed. Raises DeviceError."""
        same: list[Floats] = []
        last: Look | None = None
        for frame in self._sampled("The sheet was not found"):
            last = look_at(frame.image_bgr, self._plan)
            self._advise(last.advice)
            if last.floor_to_px is None:
                same = []
                continue
            if same and _apart_px(same[-1], last.floor_to_px, self._plan) > SAME_PX:
                same = []
            same.append(last.floor_to_px)
            if len(same) == SAME_LOOKS:
                return Look(last.markers, np.mean(same, axis=0), last.advice)
        raise DeviceError("The sheet was not found before the pictures ended.", _why(last))

    def empty_tray(self) -> FrameBGR:
        """Wait until the sheet is out and nothing moves; the mean of some frames then. Raises DeviceError."""
        settle, count = Settle(), 0
        frames: list[FrameBGR] = []
        for frame in self._frames("The empty tray was not seen"):
            count += 1
            settle, phase = step(settle, structure(frame.image_bgr), frame.at_s)
            if phase in (Phase.MOVING, Phase.WAITING):
                frames = []
                continue
            if not frames and aruco is not None and markers_in(frame.image_bgr):
                self._once("Lift the sheet out, and all dice; keep hands out of the picture.")
                settle = Settle()
                continue
            if count >= WARM_FRAMES:
                frames.append(frame.image_bgr)
            if len(frames) == REFERENCE_FRAMES:
                return reference(frames)
        raise DeviceError("The empty tray was not seen before the pictures ended.", "Use a camera that goes on.")

    def die_mm(self, rig: Rig) -> float | None:
        """Wait for one die to lie in the throw zone; its edge, or None when none was laid there in time."""
        sizes: list[float] = []
        try:
            for frame in self._sampled("No die was seen"):
                edge = die_edge_mm(frame.image_bgr, rig)
                sizes = [*sizes, edge] if edge is not None else []
                if len(sizes) >= SAME_SIZES and np.ptp(sizes[-SAME_SIZES:]) <= SAME_MM:
                    return round(float(np.median(sizes[-SAME_SIZES:])), 1)
        except DeviceError:
            return None
        return None

    def _sampled(self, failure: str) -> Iterator[Frame]:
        due_s: float | None = None
        for frame in self._frames(failure):
            if due_s is None or frame.at_s >= due_s:
                due_s = frame.at_s + LOOK_EVERY_S
                yield frame

    def _frames(self, failure: str) -> Iterator[Frame]:
        begun_s: float | None = None
        while (frame := self._camera.frame()) is not None:
            begun_s = frame.at_s if begun_s is None else begun_s
            if frame.at_s - begun_s > self._wait_s:
                cure = self._said or "Start `pegpip calibrate` again."
                raise DeviceError(f"{failure} within {self._wait_s:.0f} s.", cure)
            yield frame

    def _advise(self, advice: tuple[Advice, ...]) -> None:
        if advice:
            self._once(" ".join(one.says for one in advice))

    def _once(self, sentence: str) -> None:
        if sentence != self._said:
            self._said = sentence
            self._say(sentence)


def _why(look: Look | None) -> str:
    return " ".join(one.says for one in look.advice) if look is not None else "The camera gave no picture."


def _apart_px(one: Floats, other: Floats, plan: Plan) -> float:
    """How far the tray's corners are apart under two homographies."""
    width, height = plan.tray_mm
    corners = np.array([[0, 0, 1], [width, 0, 1], [width, height, 1], [0, height, 1]]).T
    first, second = one @ corners, other @ corners
    return float(np.abs(first[:2] / first[2] - second[:2] / second[2]).max())
