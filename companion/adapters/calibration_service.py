"""Calibrating from the page while the table runs: the steps of `pegpip calibrate` with the camera's own frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from companion.adapters.frame_buffer import Following, FrameBuffer
from companion.adapters.reader_setup import calibration_status, save_rig
from companion.adapters.simulated.sheet import lay_in
from companion.adapters.tray_observer import jpeg
from companion.errors import DeviceError
from vision.calibration.image_quality import Advice
from vision.calibration.lens import FEWEST_VIEWS
from vision.calibration.procedure import Calibrated, Calibrating, Found, calibrated, with_die
from vision.calibration.sheet import sheet
from vision.calibration.sheet_pdf import pdf
from vision.calibration.solving import Plan, zones
from vision.calibration.store import Stored
from vision.cameras.simulated.camera import VirtualCamera
from vision.geometry.rig import Zone, projected

PATIENCE_S = 20.0
"""For the next frame: the table may be reading the one before, which takes seconds where a whole sheet lies there."""
RESERVED_S = 5.0
"""From when the sheet was last seen the table sees nothing for so long; the page looks every 0.7 s."""
STEP_S = 8.0
"""For a step: a person who holds a phone waits so long for an answer."""
QUALITY = 70
NO_PICTURE = Advice("no_picture", "The camera gives no picture yet.")


class CalibrationService:
    """Fulfils `web.api.calibrate.Calibration`.

    Args:
        source: The camera's setting.
        camera: Its frames.
        folder: The data folder.
        clock: Date and time of day, for people.
        virtual: The virtual camera, when it is one: its sheet can be laid from the page.
        kept: Called once a calibration lies in the data folder.
    """

    def __init__(
        self,
        source: str,
        camera: FrameBuffer,
        folder: Path,
        clock: Callable[[], str],
        virtual: VirtualCamera | None = None,
        kept: Callable[[], None] = lambda: None,
    ) -> None:
        self._source, self._camera, self._folder, self._clock, self._virtual = source, camera, folder, clock, virtual
        self._kept = kept
        self._now: Following
        self._steps = Calibrating(lambda: self._now.frame(), Plan(), lambda _sentence: None, STEP_S)
        self._found: Found | None = None
        self._done: Calibrated | None = None

    def look(self) -> Mapping[str, Any]:
        """What the newest frame shows."""
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
            return {**status, **blank, "advice": [_code(NO_PICTURE)]}
        now = self._steps.detect(frame.image_bgr)
        if now.markers:
            self._camera.reserve(RESERVED_S)
        lens = self._steps.lens(frame.image_bgr)
        floor_to_px = now.floor_to_px if now.floor_to_px is not None or found is None else found.floor_to_px
        height, width = frame.image_bgr.shape[:2]
        # With the sheet taken and lifted out again, that it is not seen is as it should be.
        advice = [one for one in now.advice if found is None or one.code != "no_sheet"]
        advice += [one for one in (self._done.advice if self._done else ()) if one.code == "lens"]
        return {
            **status,
            "picture_wh": [width, height],
            "markers": [np.round(marker.corners_px, 1).tolist() for marker in now.markers],
            "zones": [] if floor_to_px is None else [_outline(floor_to_px, zone) for zone in zones(plan)],
            "advice": [_code(one) for one in advice],
            "lens": {
                "views": min(len(self._steps.views), FEWEST_VIEWS),
                "of": FEWEST_VIEWS,
                "degrees": round(lens.angle_deg, 1),
                "measured": lens.measured,
            },
        }

    def picture_jpeg(self) -> bytes | None:
        """The newest frame; None before the first."""
        frame = self._camera.newest()
        return None if frame is None else jpeg(frame.image_bgr, QUALITY)

    def sheet_pdf(self, paper: str) -> bytes:
        """The sheet to print, for the tray as it was last described."""
        plan = self._steps.plan
        return pdf(sheet(paper, plan.tray_mm, plan.keep_mm))

    def take_sheet(self, plan: Mapping[str, float], lens_mm: float | None) -> Mapping[str, Any]:
        """Take the sheet as it lies in a tray of those measures; what is seen then. Raises DeviceError."""
        tray_mm = (plan["width_mm"], plan["height_mm"])
        self._steps.plan = Plan(tray_mm, plan["keep_mm"], bar_mm=plan["bar_mm"], die_mm=plan["die_mm"], lens_mm=lens_mm)
        self._done = None
        self._found = self._step(lambda: self._steps.focus(self._steps.sheet(), self._camera.source))
        return self.look()

    def take_empty(self) -> Mapping[str, Any]:
        """Take the empty tray, and keep the calibration; what is seen then. Raises DeviceError."""
        found = self._found
        if found is None:
            raise DeviceError("The sheet was not taken yet.", "Lay it into the tray and take it first.")
        # The camera has run all along: one that does not tell its exposure has found it.
        empty_bgr = self._step(lambda: self._steps.empty_tray(warm_frames=0))
        self._keep(calibrated(found, self._steps.plan, empty_bgr, self._steps.lamp))
        return self.look()

    def take_die(self) -> Mapping[str, Any]:
        """Measure the one die in the throw zone, and keep its size; what is seen then. Raises DeviceError."""
        done = self._done
        if done is None:
            raise DeviceError("The empty tray was not taken yet.", "Take the sheet and the empty tray first.")
        edge_mm = self._step(lambda: self._steps.die_mm(done.rig))
        if edge_mm is None:
            raise DeviceError("No single die was seen.", "Lay one die into the middle of the throw zone, nothing else.")
        self._keep(with_die(done, edge_mm))
        return self.look()

    def lay_sheet(self, lie: bool) -> Mapping[str, Any]:
        """With the virtual camera: lay the sheet into its tray, all dice out, or lift it. Raises DeviceError."""
        virtual = self._virtual
        if virtual is None:
            raise DeviceError("This camera is real.", "Lay the printed sheet into the tray by hand.")
        with self._camera.following(PATIENCE_S):
            if lie:
                virtual.tray.lift()
                plan = self._steps.plan
                lay_in(virtual, sheet("a4", plan.tray_mm, plan.keep_mm), self._glance)
            else:
                virtual.lift_sheet()
            self._glance()
        return self.look()

    def _step(self, step: Callable[[], Any]) -> Any:
        with self._camera.following(PATIENCE_S) as self._now:
            return step()

    def _glance(self) -> None:
        with self._camera.following(PATIENCE_S) as frames:
            frames.frame()  # it may have been begun before
            self._steps.detect(frames.frame().image_bgr)

    def _keep(self, done: Calibrated) -> None:
        codes = tuple(sorted(one.code for one in done.advice))
        lens_deg = done.lens.angle_deg if done.lens.measured else None
        stored = Stored(self._source.strip(), self._clock(), done.rig, codes, lens_deg, done.lens_position)
        save_rig(self._folder, stored)
        self._done = done
        self._kept()


def _outline(floor_to_px: Any, zone: Zone) -> list[list[float]]:
    """The four corners of a zone in the picture."""
    return np.round(projected(zone.corners_mm, floor_to_px), 1).tolist()


def _code(advice: Advice) -> dict[str, str]:
    return {"code": advice.code, "says": advice.says}
