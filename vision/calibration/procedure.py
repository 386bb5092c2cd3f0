"""The steps of calibrating with a running camera: see the sheet, the empty tray and one die. Says what to do.

Each step takes frames until several agree, or until its time is over by the camera's own clock. Meanwhile it says what
is wrong; a sentence is not repeated until another was said. The command and the page both use these steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from companion.errors import DeviceError
from vision.calibration.image_quality import Advice, ground_advice
from vision.calibration.lamp_light import LampLight, lamp_light
from vision.calibration.lens import MIN_VIEWS, Lens, Views, lens_of, measured, with_view
from vision.calibration.markers import markers_in, paper_of
from vision.calibration.sheet import aruco, sheet
from vision.calibration.solving import (
    REFERENCE_FRAMES,
    Plan,
    SheetView,
    detect_sheet,
    die_edge_mm,
    geometry_advice,
    lens_at,
    rig_of,
    sold_edge_mm,
)
from vision.calibration.store import Stored
from vision.cameras import Frame, SensorCamera
from vision.cameras.flicker import country, mains_hz
from vision.geometry.rig import Rig, Zone, projected
from vision.reading.reading import Floats, FrameBGR
from vision.watching.stillness import Phase, StillnessDetector, small_picture, step

STILL_SHEETS = 5
"""Successive searched frames that must show the calibration sheet at one place. The mean of their poses is the result.
More make it more exact and take longer."""
STILL_PX = 1.0
"""Largest motion between two frames, in pixels, at which the calibration sheet counts as still. It is measured at the
corners of the tray as the sheet's pose places them. A higher limit accepts a sheet that still moves."""
DETECT_EVERY_S = 0.1
"""Least camera time, in seconds, between two frames that calibration searches for markers or a die. A search takes a
good part of this time, so a shorter interval makes a slow machine lag behind the camera. A longer one slows
calibration."""
WARM_FRAMES = 48
"""Frames to skip, about 1.6 s, before the empty tray is photographed by a camera that does not report its exposure.
Fewer: its automatic exposure has not converged, and the picture is too dark or too bright. More: people wait longer."""
HELD_FOR_S = 2.2
"""Seconds for which the exposure must have been held before the empty tray is photographed. Lifting the white sheet
changes the light; the camera takes 1.5 s to notice. A shorter time uses the old exposure."""
FOCUS_S = 6.0
"""Longest wait for autofocus on the sheet, in seconds. Then calibration goes on, with advice to clean the lens."""
AGREEING_SIZES = 3
"""Number of successive measurements of a die's edge that must agree. More take longer; fewer measure moving dice."""
MAX_SIZE_SPREAD_MM = 0.3
"""Largest difference, in millimetres, between measurements of a die's edge that agree. A higher limit accepts a die
that still moves; with a lower one the step takes longer or runs out of time, without a size."""

LAY = (
    "Hold the printed sheet, on a book, aslant under the camera, towards each of its four sides: that tells the lens. "
    "Then lay it flat into the tray, its marked corner into the tray's corner."
)
LIFT = "Now lift the sheet out, and all dice; keep hands out of the picture."
ONE_DIE = "Now lay one die into the middle of the throw zone (its size is measured), or wait."
MOVES = "Something moves in the tray. Keep hands out of the picture."
BLACK = "The picture is black. Switch the lamp on, or uncover the lens."
SETTLING = "The camera is finding its exposure. Keep the light steady."
UNSHARP = Advice("focus", "The lens found no focus on the sheet. Clean it; light the tray; calibrate again.")

Show = Callable[[FrameBGR, SheetView], None]
"""Shows a person a picture (h, w, 3) that was searched for the sheet, with the detection in it."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Pose of the tray and the lens over it, found by the sheet or by corners that a person marked.

    Attributes:
        floor_to_px: (3, 3) homography from the tray's millimetres to pixels, as a lens without distortion shows it.
        lens: The lens.
        advice: Problems that were found, each with its cure.
        lens_position: Position in dioptres at which the lens is in focus; None for a fixed lens.
    """

    floor_to_px: Floats
    lens: Lens
    advice: tuple[Advice, ...]
    lens_position: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Calibrated:
    """The result of calibrating: the rig, pose and lens with all advice, and the model of the sensor, if known."""

    rig: Rig
    found: Found
    sensor: str | None = None

    def stored(self, camera: str, made: str) -> Stored:
        """Return the calibration as it is kept in a file; `camera` is the [camera] source, `made` the date and time."""
        found, codes = self.found, sorted(one.code for one in self.found.advice)
        lens_deg = found.lens.angle_deg if found.lens.measured else None
        return Stored(camera.strip(), made, self.rig, tuple(codes), lens_deg, found.lens_position, self.sensor)


class _TimeOver(DeviceError):
    """A step of calibrating took longer than it may."""


class Calibrating:
    """Calibrates with one camera.

    Args:
        frame: Returns the next frame of a started camera; None at the end of a recording.
        plan: Measures of the tray that a person entered.
        say: Shows or speaks one sentence to a person.
        show: Called with each picture that was searched for the sheet, and what was found in it.
        wait_s: Longest time for each step, in seconds.

    Attributes:
        plan: The measures; may be replaced between steps.
        views: Views of the sheet so far, from which the lens is measured.
        lamp: Flicker of the lamp, measured in the frames of the empty tray; None before they were taken.
    """

    def __init__(
        self,
        frame: Callable[[], Frame | None],
        plan: Plan,
        say: Callable[[str], None],
        wait_s: float = 120.0,
        show: Show = lambda _frame, _sheet: None,
    ) -> None:
        self.plan = plan
        self.views: Views = ()
        self.lamp: LampLight | None = None
        self._frame, self._wait_s = frame, wait_s
        self._say, self._said, self._show = say, "", show

    def lens(self, frame_bgr: FrameBGR) -> Lens:
        """Return the lens measured from `views`, or else one with the plan's angle, for the size of `frame_bgr`."""
        return measured(self.views, lens_of((frame_bgr.shape[1], frame_bgr.shape[0]), self.plan.lens_deg))

    def detect(self, frame_bgr: FrameBGR) -> SheetView:
        """Detect the calibration sheet in a picture (h, w, 3) and return the detection.

        The detection's `floor_to_px` is None if too few markers are seen or fit the tray. It is also None if the sheet
        is tilted by more than HAND_HELD_DEG: then a person still holds it. Picture and detection are passed to the
        callback `show`. A view that helps to measure the lens is added to `views`, even without a pose. Raises
        DeviceError if OpenCV has no ArUco module.
        """
        lens = self.lens(frame_bgr)
        found = detect_sheet(frame_bgr, self.plan, lens)
        paper = paper_of(found.markers)
        if paper is not None:
            self.views = with_view(self.views, found.markers, sheet(paper), lens)
        self._show(frame_bgr, found)
        return found

    def sheet(self) -> Found:
        """Search frames until STILL_SHEETS in a row show the sheet at one place; return its mean pose and the lens.

        Meanwhile the person sees what to improve, and each frame may add a view for the lens. Raises DeviceError if
        the sheet is not found or does not lie still in time, or a recording ends.
        """
        same: list[FrameBGR] = []
        at: Floats | None = None
        last: SheetView | None = None
        for frame in self._sampled("The sheet was not found"):
            last = self.detect(frame.image_bgr)
            if last.advice:
                self._once(" ".join(one.says for one in last.advice))
            if last.floor_to_px is None:
                same, at = [], None
                continue
            if at is not None and _apart_px(at, last.floor_to_px, self.plan) > STILL_PX:
                self._once(MOVES)
                same = []
            at = last.floor_to_px
            same.append(frame.image_bgr)
            if len(same) == STILL_SHEETS:
                if (found := self._found(same)) is not None:
                    return found
                same = []
        cure = " ".join(one.says for one in last.advice) if last is not None else ""
        raise DeviceError("The sheet was not found before the pictures ended.", cure or "Use a camera that goes on.")

    def _found(self, frames: Sequence[FrameBGR]) -> Found | None:
        """Return the calibration sheet's mean pose in the pictures, the lens, and advice; None if none has a pose.

        The advice is that for the last picture, even if this one has no pose. There must be at least one picture. If
        the plan has a height measured by tape, the lens is fitted to it.
        """
        lens = self.lens(frames[0])
        sheets = [detect_sheet(frame, self.plan, lens) for frame in frames]
        poses = [sheet.floor_to_px for sheet in sheets if sheet.floor_to_px is not None]
        if not poses:
            return None
        pose = np.mean(poses, axis=0)
        fitted = self._by_the_tape(pose, lens)
        last = sheets[-1] if fitted is lens else detect_sheet(frames[-1], self.plan, fitted)
        return Found(pose, fitted, last.advice)

    def focus(self, found: Found, camera: object) -> Found:
        """Let the camera focus on the sheet, then lock its lens there; return `found` with the lens's position.

        If no focus is found within FOCUS_S, or before a recording ends, the result has the advice `focus` instead, and
        the lens is not locked. A camera without a motorised lens is left alone.
        """
        if not isinstance(camera, SensorCamera) or not camera.autofocus:
            return found
        camera.focus_at(None)
        begun_s, searching = None, False
        while (frame := self._frame()) is not None:
            begun_s = frame.at_s if begun_s is None else begun_s
            lens_position = frame.exposure.lens_position if frame.exposure is not None else None
            searching = searching or lens_position is None  # the first frames may still tell the old position
            if searching and lens_position is not None:
                camera.focus_at(lens_position)
                return replace(found, lens_position=lens_position)
            if frame.at_s - begun_s > FOCUS_S:
                break
        return replace(found, advice=(*found.advice, UNSHARP))

    def by_hand(self, floor_to_px: Floats) -> Found:
        """Return the tray's pose, the camera's lens and advice, from corners of the tray that a person marked.

        `floor_to_px` is the (3, 3) homography from the tray's millimetres to pixels, from these corners. One frame is
        taken, for the size of the picture. The focal length follows from the lens's height in the plan, measured by
        tape. If the plan has no height, the plan's angle of view is used. Raises DeviceError if the camera gives no
        picture.
        """
        frame = next(self._frames("No picture came"), None)
        if frame is None:
            raise DeviceError("The camera gave no picture.", "Use a camera that goes on.")
        planned = lens_of((frame.image_bgr.shape[1], frame.image_bgr.shape[0]), self.plan.lens_deg)
        lens = self._by_the_tape(floor_to_px, planned)
        return Found(floor_to_px, lens, geometry_advice(floor_to_px, self.plan, lens))

    def _by_the_tape(self, floor_to_px: Floats, lens: Lens) -> Lens:
        """Return `lens` with the focal length that fits the height measured by tape; unchanged if the plan has none."""
        lens_mm = self.plan.lens_mm
        return lens if lens_mm is None else lens_at(floor_to_px, lens, lens_mm)

    def empty_tray(self, warm_frames: int = WARM_FRAMES) -> FrameBGR:
        """Return a picture of the empty tray, once sheet and hands are out, nothing moves and the exposure is fixed.

        Only motion and the sheet's markers are noticed, not dice that lie still; without OpenCV's ArUco module only
        motion. The picture is the mean of REFERENCE_FRAMES frames; `lamp` is set to the flicker in them. Meanwhile
        messages say what to do. With a camera that does not report its exposure, `warm_frames` are skipped first.
        Raises DeviceError if the tray does not come to rest in time, or a recording ends.
        """
        detector, count = StillnessDetector(), 0
        frames: list[Frame] = []
        changed_s: float | None = None
        for frame in self._frames("The empty tray was not seen"):
            count += 1
            detector, phase = step(detector, small_picture(frame.image_bgr), frame.at_s)
            if phase in (Phase.MOVING, Phase.WAITING, Phase.DARK):
                if phase is not Phase.WAITING:
                    self._once(MOVES if phase is Phase.MOVING else BLACK)
                frames, changed_s = [], None
                continue
            if not frames and aruco is not None and markers_in(frame.image_bgr):
                self._once(LIFT)
                detector = StillnessDetector()
                continue
            if changed_s is None or (frame.exposure is not None and not frame.exposure.held):
                frames, changed_s = [], frame.at_s
            if frame.exposure is None and count <= warm_frames:
                continue
            if frame.exposure is not None and frame.at_s - changed_s < HELD_FOR_S:
                self._once(SETTLING)
                continue
            frames.append(frame)
            if len(frames) == REFERENCE_FRAMES:
                self.lamp = lamp_light(frames, mains_hz(self.plan.mains_hz, country()))
                mean = np.mean([one.image_bgr for one in frames], axis=0, dtype=np.float32)
                return np.rint(mean).astype(np.uint8)
        raise DeviceError("The empty tray was not seen before the pictures ended.", "Use a camera that goes on.")

    def die_mm(self, rig: Rig) -> float | None:
        """Wait for a die that lies alone in the throw zone; return its edge in mm, rounded to a tenth.

        The result is the median of AGREEING_SIZES successive measurements that agree. None if no measurements agree
        within the time limit `wait_s`, or before a recording ends. Raises DeviceError if the camera fails.
        """
        sizes: list[float] = []
        try:
            for frame in self._sampled("No die was seen"):
                edge = die_edge_mm(frame.image_bgr, rig)
                sizes = [*sizes, edge] if edge is not None else []
                if len(sizes) >= AGREEING_SIZES and np.ptp(sizes[-AGREEING_SIZES:]) <= MAX_SIZE_SPREAD_MM:
                    return round(float(np.median(sizes[-AGREEING_SIZES:])), 1)
        except _TimeOver:
            return None
        return None

    def _sampled(self, failure: str) -> Iterator[Frame]:
        """Yield frames for one step of calibrating, DETECT_EVERY_S seconds or more apart, until the recording ends.

        Raises DeviceError after `wait_s` of the camera's time; its message begins with `failure`.
        """
        due_s: float | None = None
        for frame in self._frames(failure):
            if due_s is None or frame.at_s >= due_s:
                due_s = frame.at_s + DETECT_EVERY_S
                yield frame

    def _frames(self, failure: str) -> Iterator[Frame]:
        """Yield the frames of one step of calibrating until the recording ends.

        Raises DeviceError at the first frame that is more than `wait_s` seconds after the step's first, by the camera's
        clock. The message begins with `failure`. The cure is the last sentence said to the person in this step, or
        "Start it again." if none was.
        """
        begun_s: float | None = None
        self._said = ""
        while (frame := self._frame()) is not None:
            begun_s = frame.at_s if begun_s is None else begun_s
            if frame.at_s - begun_s > self._wait_s:
                cure = self._said or "Start it again."
                raise _TimeOver(f"{failure} within {self._wait_s:.0f} s.", cure)
            yield frame

    def _once(self, sentence: str) -> None:
        """Say a sentence to the person, unless it was the last one said in this step."""
        if sentence != self._said:
            self._said = sentence
            self._say(sentence)


def calibrated(found: Found, plan: Plan, empty_bgr: FrameBGR, lamp: LampLight | None = None) -> Calibrated:
    """Build the calibration from the tray's pose `found` and the picture of the empty tray.

    The advice of `found` comes first, then advice on the empty tray's light whose codes `found` lacks. Advice on a lens
    that was not measured, and on the lamp, follows. Raises DeviceError if the lens's height is at most twice the die's
    edge.
    """
    rig = rig_of(found.floor_to_px, plan, empty_bgr, found.lens)
    known = {one.code for one in found.advice}
    advice = [one for one in ground_advice(empty_bgr) if one.code not in known]
    if not found.lens.measured:
        says = (
            f"The lens was not measured: {plan.lens_deg:g} degrees across are taken, and its height follows from that. "
            f"Hold the sheet steeply aslant, {MIN_VIEWS} ways or more, before it is laid; or tell its height by tape."
        )
        advice.append(Advice("lens", says))
    advice += [] if lamp is None else lamp.advice()
    return Calibrated(rig, replace(found, advice=(*found.advice, *advice)), plan.sensor)


def with_die(done: Calibrated, measured_mm: float) -> Calibrated:
    """Return the calibration with the edge of the dice replaced by the measured one, as `sold_edge_mm` rounds it."""
    return replace(done, rig=replace(done.rig, die_mm=sold_edge_mm(measured_mm)))


def _apart_px(one: Floats, other: Floats, plan: Plan) -> float:
    """Return the largest distance, along x or y in pixels, of a tray corner under two homographies."""
    corners = Zone(0.0, 0.0, *plan.tray_mm).corners_mm
    return float(np.abs(projected(corners, one) - projected(corners, other)).max())
