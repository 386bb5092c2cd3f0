"""Calibration from the page while the table runs: the steps of `pegpip calibrate` on the running camera's frames."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from companion.adapters.frame_buffer import FrameBuffer
from companion.adapters.hands import lay_in
from companion.adapters.reader_setup import calibration_status, save_calibration
from companion.errors import DeviceError
from vision.calibration.image_quality import Advice
from vision.calibration.lens import MIN_VIEWS
from vision.calibration.markers import MIN_MARKERS
from vision.calibration.procedure import Calibrated, Calibrating, Found, calibrated, with_die
from vision.calibration.sheet import pdf, sheet
from vision.calibration.solving import DEFAULT_LENS_DEG, Plan, zones
from vision.cameras import Frame, SensorCamera
from vision.cameras.simulated.camera import VirtualCamera
from vision.geometry.rig import projected
from vision.images.loading import jpeg

FRAME_TIMEOUT_S = 20.0
"""Longest wait in seconds for the next frame; then calibrating fails. Longer: a dead camera is reported later; shorter:
it fails while the table still reads the last frame, which takes seconds with a sheet in view."""
RESERVED_S = 5.0
"""Seconds that the table gets no frames after a marker of the calibration sheet was seen; the page looks every 0.7 s.
Below that: the table reads markers as dice. Longer: a throw right after the sheet's removal is seen later."""
STEP_S = 8.0
"""Longest time in seconds of a calibration step; then the step fails. Shorter: it fails on slow machines; longer: a
person waits, phone in hand."""
QUALITY = 70
"""JPEG quality, 0 to 100, of the camera's pictures on the calibration page. Higher: sharper, and more bytes."""
T = TypeVar("T")
"""Type of a calibration step's result."""
UNSEEN = frozenset({"lens", "focus", "banding", "exposure"})
"""Codes of the advice of a step that no later picture shows, so that it stays on the page."""
NO_PICTURE = Advice("no_picture", "The camera gives no picture yet.")


class CalibrationService:
    """Calibrates step by step: sheet, empty tray, one die. Implements `web.api.calibrate.Calibration`.

    Several owners may call it at a time; a step waits until another one has ended.

    Args:
        source: Camera in the settings, such as `pi`.
        camera: Frames of that camera.
        folder: Data folder for the calibration.
        clock: Returns the date and time of day as text.
        virtual: The virtual camera if it is the source: the page can lay the sheet into its tray.
        kept: Called after each calibration that was stored, with whether the tray is empty.
        mains_hz: Frequency of the mains in Hz, 50 or 60; 0 takes that of the machine's country.
    """

    def __init__(
        self,
        source: str,
        camera: FrameBuffer,
        folder: Path,
        clock: Callable[[], str],
        virtual: VirtualCamera | None = None,
        kept: Callable[[bool], None] = lambda _empty: None,
        mains_hz: int = 0,
    ) -> None:
        self._source, self._camera, self._folder, self._clock, self._virtual = source, camera, folder, clock, virtual
        self._kept, self._mains_hz = kept, mains_hz
        self._next: Callable[[], Frame]
        self._steps = Calibrating(lambda: self._next(), Plan(), lambda _sentence: None, STEP_S)
        self._found: Found | None = None
        self._done: Calibrated | None = None
        self._step_lock = threading.Lock()  # what was found belongs to the plan

    def look(self) -> Mapping[str, Any]:
        """Look for the sheet in the newest frame, and return the state of the calibration as JSON for the page.

        If a marker is seen, the table gets no frames for RESERVED_S seconds. A view that helps to measure the lens is
        kept.

        Returns:
            `calibrated`: whether the camera is calibrated or simulated; `says`: a sentence about that. `virtual`:
                whether the camera is virtual. `sheet`, `empty`: whether `take_sheet` and then `take_empty` are done.
                `picture_wh`: size in pixels. `markers`, `zones`: corners of each in pixels; no zones before a sheet was
                found. `lens`: `views` kept, `of` (views needed), `degrees` (horizontal angle of view), `measured` (else
                assumed). Without views it is the lens of the calibration just made, if any. `advice`: what to improve.
                Without a frame `picture_wh` and `lens` are None, `markers` and `zones` empty, the advice `no_picture`.
        """
        frame, found, plan = self._camera.newest(), self._found, self._steps.plan
        is_calibrated, says = calibration_status(self._folder, self._source)
        status: dict[str, Any] = {
            "calibrated": is_calibrated,
            "says": says,
            "virtual": self._virtual is not None,
            "sheet": found is not None,
            "empty": self._done is not None,
        }
        if frame is None:
            blank: dict[str, Any] = {"picture_wh": None, "markers": [], "zones": [], "lens": None}
            return {**status, **blank, "advice": [NO_PICTURE]}
        now = self._steps.detect(frame.image_bgr)
        if now.markers:
            self._camera.reserve(RESERVED_S)
        views, done = self._steps.views, self._done
        lens = done.found.lens if done is not None and not views else self._steps.lens(frame.image_bgr)
        floor_to_px = now.floor_to_px if now.floor_to_px is not None or found is None else found.floor_to_px
        outlines = [] if floor_to_px is None else [projected(zone.corners_mm, floor_to_px) for zone in zones(plan)]
        height, width = frame.image_bgr.shape[:2]
        # Once the sheet was measured it may be lifted out.
        advice = [one for one in now.advice if found is None or one.code != "no_sheet"]
        earlier = done.found if done else found
        advice += [one for one in (earlier.advice if earlier else ()) if one.code in UNSEEN]
        return {
            **status,
            "picture_wh": [width, height],
            "markers": [np.round(marker.corners_px, 1).tolist() for marker in now.markers],
            "zones": [np.round(corners_px, 1).tolist() for corners_px in outlines],
            "advice": advice,
            "lens": {
                "views": min(len(views), MIN_VIEWS),
                "of": MIN_VIEWS,
                "degrees": round(lens.angle_deg, 1),
                "measured": lens.measured,
            },
        }

    def picture_jpeg(self) -> bytes | None:
        """Return the camera's newest frame as JPEG, for the calibration page; None before the first."""
        frame = self._camera.newest()
        return None if frame is None else jpeg(frame.image_bgr, QUALITY)

    def sheet_pdf(self, paper: str) -> bytes:
        """Return the calibration sheet as a PDF to print on `paper`, such as `a4`.

        The sheet fits the tray whose measures the last call of `take_sheet` was given. Before the first call it fits a
        tray of 320 x 240 mm with a keep zone of 80 mm.

        Raises DeviceError if the tray is too small for the sheet, and KeyError for an unknown paper.
        """
        printed = sheet(paper, self._steps.plan.tray_mm, self._steps.plan.keep_mm)
        if len(printed.corners_mm) < MIN_MARKERS:
            raise DeviceError("The tray is too small for the sheet.", "Mark its corners: `pegpip calibrate --corners`.")
        return pdf(printed)

    def take_sheet(self, plan: Mapping[str, float], lens_mm: float | None) -> Mapping[str, Any]:
        """Wait until the sheet lies still, measure its pose, and focus the lens on it; return `look()`.

        Meanwhile the table gets no frames. Results of earlier steps are dropped, even on failure; a calibration stored
        on the disk stays.

        `plan` has the person's measures in mm: `width_mm`, `height_mm` and `keep_mm` of the tray, `bar_mm` of the
        sheet's 100 mm bar, `die_mm`. `lens_mm` is the height of the lens over the floor; None to compute it from the
        sheet. Raises DeviceError if the camera fails, or if the sheet is not found or does not lie still in time.
        """
        tray_mm = (plan["width_mm"], plan["height_mm"])
        measures = Plan(tray_mm, plan["keep_mm"], bar_mm=plan["bar_mm"], die_mm=plan["die_mm"], lens_mm=lens_mm)
        with self._step_lock:
            self._found = self._done = None
            self._steps.plan = measures
            self._found = self._step(lambda: self._steps.focus(self._steps.sheet(), self._camera.source))
        return self.look()

    def take_empty(self) -> Mapping[str, Any]:
        """Take a picture of the tray once sheet and hands are out of it, store the calibration, and return `look()`.

        The views that the lens was measured from are dropped, because the next calibration may be that of another lens.
        Raises DeviceError if called before `take_sheet`, if the camera fails, if the tray does not come to rest in
        time, or if no calibration can be computed or stored.
        """
        with self._step_lock:
            if self._found is None:
                raise DeviceError("The sheet was not taken yet.", "Lay it into the tray and take it first.")
            # The camera has been running: its exposure has settled.
            empty_bgr = self._step(lambda: self._steps.empty_tray(warm_frames=0))
            self._keep(calibrated(self._found, self._steps.plan, empty_bgr, self._steps.lamp), empty=True)
            self._steps.views = ()  # the next calibration may be that of another lens
        return self.look()

    def take_die(self) -> Mapping[str, Any]:
        """Measure the edge of the one die in the throw zone, store it with the calibration, and return `look()`.

        An edge near a size in which dice are sold is stored as that size. Raises DeviceError if called before
        `take_empty`, if the camera fails, if no single die is seen in time, or if the calibration can't be stored.
        """
        with self._step_lock:
            done = self._done
            if done is None:
                raise DeviceError("The empty tray was not taken yet.", "Take the sheet and the empty tray first.")
            edge_mm = self._step(lambda: self._steps.die_mm(done.rig))
            if edge_mm is None:
                cure = "Lay one die into the middle of the throw zone, nothing else."
                raise DeviceError("No single die was seen.", cure)
            self._keep(with_die(done, edge_mm), empty=False)
        return self.look()

    def lay_sheet(self, inside: bool) -> Mapping[str, Any]:
        """Lay the calibration sheet into the virtual tray if `inside`, else take it out; return the result of `look()`.

        Dice are taken out before the sheet is laid in. The sheet is then detected at four tilts and flat, so that the
        lens can be measured. Detection takes several frames. `look()` returns the state of the calibration as JSON for
        the page. Raises DeviceError if the camera is not virtual, or sends no frames.
        """
        virtual = self._virtual
        if virtual is None:
            raise DeviceError("This camera is real.", "Lay the printed sheet into the tray by hand.")
        with self._camera.following(FRAME_TIMEOUT_S):
            if inside:
                virtual.tray.lift()
                plan = self._steps.plan
                lay_in(virtual, sheet("a4", plan.tray_mm, plan.keep_mm), self._detect_once)
            else:
                virtual.lift_sheet()
            self._detect_once()
        return self.look()

    def _step(self, step: Callable[[], T]) -> T:
        """Run one calibration step on the camera's next frames and return its result; the table gets none meanwhile.

        Before that, the calibration's plan gets the mains frequency in the settings, the camera's sensor (None if
        unknown) and the lens's angle of view. The angle is that of the Pi camera's module if known, else
        DEFAULT_LENS_DEG. Raises DeviceError if the step fails, or no frame comes within FRAME_TIMEOUT_S.
        """
        field = source.field if isinstance(source := self._camera.source, SensorCamera) else None
        lens_deg = (field.angle_deg if field else None) or DEFAULT_LENS_DEG
        sensor = field.model if field else None
        self._steps.plan = replace(self._steps.plan, lens_deg=lens_deg, mains_hz=self._mains_hz, sensor=sensor)
        with self._camera.following(FRAME_TIMEOUT_S) as self._next:
            return step()

    def _detect_once(self) -> None:
        """Detect the sheet in one frame that was exposed from now on; its view is used to measure the lens."""
        with self._camera.following(FRAME_TIMEOUT_S) as following_frame:
            following_frame()  # its exposure may have begun before the sheet lay there
            self._steps.detect(following_frame().image_bgr)

    def _keep(self, done: Calibrated, *, empty: bool) -> None:
        """Store a calibration and call `kept` with whether the tray is `empty`. Raises DeviceError if that fails."""
        save_calibration(self._folder, done.stored(self._source, self._clock()))
        self._done = done
        self._kept(empty)
