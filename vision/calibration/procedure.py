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
from vision.calibration.lens import MIN_VIEWS, Lens, Views, gathered, lens_of, measured
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
    lens_over,
    reference,
    rig_of,
    sold_edge_mm,
)
from vision.cameras import Frame, SensorCamera
from vision.cameras.flicker import country, mains_hz
from vision.geometry.rig import Rig, Zone, projected
from vision.reading.reading import Floats, FrameBGR
from vision.watching.stillness import Phase, StillnessDetector, small_picture, step

STILL_SHEETS = 5
"""Number of successive frames that must show the sheet at the same place. Their mean is the pose; more make it more
exact and take longer."""
STILL_PX = 1.0
"""Largest motion of the calibration sheet between two frames, in pixels, at which it counts as still. It is measured
at the corners of the tray's outline on the sheet."""
DETECT_EVERY_S = 0.1
"""Interval between frames that are searched for markers, in seconds. A search takes up to 80 ms; more would let a slow
machine fall behind its camera."""
WARM_FRAMES = 48
"""Frames to skip for a camera that does not report its exposure, about 1.6 s, so that its automatic exposure converges.
"""
HELD_FOR_S = 2.2
"""Time for which exposure must have been held before the reference is taken. Lifting the white sheet changes the light;
the camera takes 1.5 s to notice, and then finds its exposure anew."""
FOCUS_S = 6.0
"""Longest wait for the lens to focus on the sheet, in seconds; after that the person is advised."""
AGREEING_SIZES = 3
"""Number of successive measurements of a die that must agree. More take longer; fewer may catch a die in motion."""
MAX_SIZE_SPREAD_MM = 0.3
"""Largest spread of agreeing measurements of a die, in millimetres."""

LAY = (
    "Hold the printed sheet, on a book, aslant under the camera, towards each of its four sides: that tells the lens. "
    "Then lay it flat into the tray, its marked corner into the tray's corner."
)
LIFT = "Now lift the sheet out, and all dice; keep hands out of the picture."
ONE_DIE = "Now lay one die into the middle of the throw zone (its size is measured), or wait."
MOVES = "Something moves in the tray. Keep hands out of the picture."
SETTLING = "The camera is finding its exposure. Keep the light steady."
UNSHARP = Advice("focus", "The lens found no focus on the sheet. Clean it; light the tray; calibrate again.")

NextFrame = Callable[[], Frame | None]
"""Returns the camera's next frame; None at the end of a recording."""
Say = Callable[[str], None]
"""Shows or speaks one sentence to a person."""
Show = Callable[[FrameBGR, SheetView], None]
"""Takes a picture that was searched for the sheet, and what was found in it."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Pose of the tray and the lens over it, found by the sheet or by corners that a person marked.

    Attributes:
        floor_to_px: (3, 3) homography from the tray's millimetres to pixels, as a lens without distortion shows it.
        lens: The lens.
        advice: What to improve.
        lens_position: Position in dioptres at which the lens is in focus; None for a fixed lens.
    """

    floor_to_px: Floats
    lens: Lens
    advice: tuple[Advice, ...]
    lens_position: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Calibrated:
    """The result of calibrating.

    Attributes:
        rig: The calibrated rig.
        lens: Its lens.
        tilt_deg: Angle in degrees between the lens's axis and the vertical.
        advice: What to improve.
        lens_position: Position in dioptres at which the lens is in focus; None for a fixed lens.
    """

    rig: Rig
    lens: Lens
    tilt_deg: float
    advice: tuple[Advice, ...]
    lens_position: float | None = None


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
        self, frame: NextFrame, plan: Plan, say: Say, wait_s: float = 120.0, show: Show = lambda _frame, _sheet: None
    ) -> None:
        self.plan = plan
        self.views: Views = ()
        self.lamp: LampLight | None = None
        self._frame, self._wait_s = frame, wait_s
        self._say, self._said, self._show = say, "", show

    def lens(self, frame_bgr: FrameBGR) -> Lens:
        """Estimate the lens from the views so far, for pictures of the size of `frame_bgr`."""
        return measured(self.views, lens_of((frame_bgr.shape[1], frame_bgr.shape[0]), self.plan.lens_deg))

    def detect(self, frame_bgr: FrameBGR) -> SheetView:
        """Detect the sheet in a picture (h, w, 3) and pass picture and result to `show`.

        A view of the sheet from a new side is added to `views`, which improves the estimate of the lens.
        """
        found = detect_sheet(frame_bgr, self.plan, self.lens(frame_bgr))
        paper = paper_of(found.markers)
        if paper is not None:
            self.views = gathered(self.views, found.markers, sheet(paper), frame_bgr.shape[1])
        self._show(frame_bgr, found)
        return found

    def sheet(self) -> Found:
        """Search frames until STILL_SHEETS in a row show the sheet at one place; return its mean pose.

        Raises:
            DeviceError: The sheet is not found, or does not lie still, in time.
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
            if at is None or _apart_px(at, last.floor_to_px, self.plan) > STILL_PX:
                same = []
            at = last.floor_to_px
            same.append(frame.image_bgr)
            if len(same) == STILL_SHEETS:
                return self._found(same)
        raise DeviceError("The sheet was not found before the pictures ended.", _why(last))

    def _found(self, frames: Sequence[FrameBGR]) -> Found:
        """Average the sheet's pose over frames (h, w, 3) in which it lies still."""
        lens = self.lens(frames[0])
        sheets = [detect_sheet(frame, self.plan, lens) for frame in frames]
        poses = [sheet.floor_to_px for sheet in sheets if sheet.floor_to_px is not None]
        return self._by_the_tape(Found(np.mean(poses, axis=0), lens, sheets[-1].advice))

    def focus(self, found: Found, camera: object) -> Found:
        """Focus the lens on the sheet and hold it there from now on.

        Args:
            found: The tray's pose, found by the sheet in it.
            camera: The camera that the frames come from; one without a motorised lens is left alone.

        Returns:
            `found` with the lens's position, or with advice if the lens found no focus within FOCUS_S.
        """
        if not isinstance(camera, SensorCamera) or not camera.autofocus:
            return found
        camera.focus_at(None)
        begun_s: float | None = None
        while (frame := self._frame()) is not None:
            begun_s = frame.at_s if begun_s is None else begun_s
            lens_position = frame.exposure.lens_position if frame.exposure is not None else None
            if frame.at_s > begun_s and lens_position is not None:  # the first frame still tells the old position
                camera.focus_at(lens_position)
                return replace(found, lens_position=lens_position)
            if frame.at_s - begun_s > FOCUS_S:
                break
        return replace(found, advice=(*found.advice, UNSHARP))

    def by_hand(self, floor_to_px: Floats) -> Found:
        """Return the tray's pose for a homography that `by_corners` made of corners marked by a person.

        Args:
            floor_to_px: (3, 3) homography from the tray's millimetres to pixels.

        Raises:
            DeviceError: The camera gives no picture.
        """
        frame = next(self._frames("No picture came"), None)
        if frame is None:
            raise DeviceError("The camera gave no picture.", "Use a camera that goes on.")
        lens = lens_of((frame.image_bgr.shape[1], frame.image_bgr.shape[0]), self.plan.lens_deg)
        return self._by_the_tape(Found(floor_to_px, lens, geometry_advice(floor_to_px, self.plan, lens)))

    def _by_the_tape(self, found: Found) -> Found:
        """Replace the lens by one that fits the height measured by tape, if the plan has one."""
        lens_mm = self.plan.lens_mm
        return found if lens_mm is None else replace(found, lens=lens_at(found.floor_to_px, found.lens, lens_mm))

    def empty_tray(self, warm_frames: int = WARM_FRAMES) -> FrameBGR:
        """Wait until sheet and hands are out, nothing moves and exposure is held; return the mean of some frames.

        Sets `lamp` from these frames.

        Args:
            warm_frames: Frames to let pass with a camera that does not report whether its exposure is held.

        Raises:
            DeviceError: The tray does not come to rest in time.
        """
        detector, count = StillnessDetector(), 0
        frames: list[Frame] = []
        changed_s: float | None = None
        for frame in self._frames("The empty tray was not seen"):
            count += 1
            detector, phase = step(detector, small_picture(frame.image_bgr), frame.at_s)
            if phase in (Phase.MOVING, Phase.WAITING):
                if phase is Phase.MOVING:
                    self._once(MOVES)
                frames, changed_s = [], None
                continue
            if not frames and aruco is not None and markers_in(frame.image_bgr):
                self._once(LIFT)
                detector = StillnessDetector()
                continue
            if changed_s is None or (frame.exposure is not None and not frame.exposure.held):
                changed_s = frame.at_s
            if frame.exposure is None and count < warm_frames:
                continue
            if frame.exposure is not None and frame.at_s - changed_s < HELD_FOR_S:
                self._once(SETTLING)
                continue
            frames.append(frame)
            if len(frames) == REFERENCE_FRAMES:
                self.lamp = lamp_light(frames, mains_hz(self.plan.mains_hz, country()))
                return reference([one.image_bgr for one in frames])
        raise DeviceError("The empty tray was not seen before the pictures ended.", "Use a camera that goes on.")

    def die_mm(self, rig: Rig) -> float | None:
        """Wait for one die in the throw zone and return its edge in mm; None if none was laid there in time."""
        sizes: list[float] = []
        try:
            for frame in self._sampled("No die was seen"):
                edge = die_edge_mm(frame.image_bgr, rig)
                sizes = [*sizes, edge] if edge is not None else []
                if len(sizes) >= AGREEING_SIZES and np.ptp(sizes[-AGREEING_SIZES:]) <= MAX_SIZE_SPREAD_MM:
                    return round(float(np.median(sizes[-AGREEING_SIZES:])), 1)
        except DeviceError:
            return None
        return None

    def _sampled(self, failure: str) -> Iterator[Frame]:
        """Yield one of the camera's frames every DETECT_EVERY_S, until a recording ends.

        Raises:
            DeviceError: The step's time is over. `failure` is the first part of its message.
        """
        due_s: float | None = None
        for frame in self._frames(failure):
            if due_s is None or frame.at_s >= due_s:
                due_s = frame.at_s + DETECT_EVERY_S
                yield frame

    def _frames(self, failure: str) -> Iterator[Frame]:
        """Yield the camera's frames until a recording ends.

        Raises:
            DeviceError: The step's time is over. `failure` is the first part of its message.
        """
        begun_s: float | None = None
        self._said = ""
        while (frame := self._frame()) is not None:
            begun_s = frame.at_s if begun_s is None else begun_s
            if frame.at_s - begun_s > self._wait_s:
                cure = self._said or "Start it again."
                raise DeviceError(f"{failure} within {self._wait_s:.0f} s.", cure)
            yield frame

    def _once(self, sentence: str) -> None:
        """Say a sentence, unless it was the last one."""
        if sentence != self._said:
            self._said = sentence
            self._say(sentence)


def calibrated(found: Found, plan: Plan, empty_bgr: FrameBGR, lamp: LampLight | None = None) -> Calibrated:
    """Build the calibration from the sheet's pose and the empty tray, with all advice.

    Args:
        found: Pose of the tray and its lens.
        plan: Measures that a person entered.
        empty_bgr: (h, w, 3) picture of the empty tray.
        lamp: Flicker of the lamp; None if it was not measured.
    """
    rig = rig_of(found.floor_to_px, plan, empty_bgr, found.lens)
    known = {one.code for one in found.advice}
    advice = [one for one in ground_advice(empty_bgr) if one.code not in known]
    if not found.lens.measured:
        says = (
            f"The lens was not measured: {plan.lens_deg:g} degrees across are taken, and its height follows from that. "
            f"Hold the sheet aslant, {MIN_VIEWS} ways, before it is laid, or tell the height by the tape."
        )
        advice.append(Advice("lens", says))
    advice += [] if lamp is None else lamp.advice()
    tilt_deg = lens_over(found.floor_to_px, found.lens)[1]
    return Calibrated(rig, found.lens, tilt_deg, (*found.advice, *advice), found.lens_position)


def with_die(done: Calibrated, measured_mm: float) -> Calibrated:
    """Return the calibration with the edge of the dice replaced by the measured one, as `sold_edge_mm` rounds it."""
    return replace(done, rig=replace(done.rig, die_mm=sold_edge_mm(measured_mm)))


def _why(last: SheetView | None) -> str:
    """Return the advice of the last picture that was searched as one text."""
    return " ".join(one.says for one in last.advice) if last is not None else "The camera gave no picture."


def _apart_px(one: Floats, other: Floats, plan: Plan) -> float:
    """Return the largest distance, along x or y in pixels, of a tray corner under two homographies."""
    corners = Zone(0.0, 0.0, *plan.tray_mm).corners_mm
    return float(np.abs(projected(corners, one) - projected(corners, other)).max())
