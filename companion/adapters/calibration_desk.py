"""Calibrating from the page while the table runs: looks at the camera's own frames, keeps the rig on disk."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from companion.adapters.eye import jpeg
from companion.adapters.rigs import calibration_status
from companion.adapters.tapped import KEPT, Tapped
from companion.errors import DeviceError
from vision.calibration.image_quality import Advice
from vision.calibration.markers import markers_in
from vision.calibration.sheet import raster, sheet
from vision.calibration.sheet_files import pdf
from vision.calibration.solving import Look, Plan, lens_deg_at, look_at, reference, rig_advice, rig_of, zones
from vision.calibration.store import Stored, save_rig
from vision.cameras.simulated.camera import VirtualCamera
from vision.geometry.rig import Zone
from vision.reading import FrameBGR
from vision.watching.stillness import MOVING_PX, changed, structure

PATIENCE_S = 20.0
"""For frames: the table reads what it sees meanwhile, which takes seconds where a whole sheet lies there."""
SAME_PX = 1.5
"""The sheet lies still when its corners stay within so much over three looks."""
QUALITY = 70
NO_PICTURE = Advice("no_picture", "The camera gives no picture yet.")


class CalibrationDesk:
    """Fulfils `web.parts.CalibratePart`.

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
        camera: Tapped,
        folder: Path,
        clock: Callable[[], str],
        virtual: VirtualCamera | None = None,
        kept: Callable[[], None] = lambda: None,
    ) -> None:
        self._source, self._camera, self._folder, self._clock, self._virtual = source, camera, folder, clock, virtual
        self._kept = kept
        self._lock = threading.Lock()
        self._plan = Plan()
        self._height_mm: float | None = None
        self._found: Look | None = None

    def look(self) -> Mapping[str, Any]:
        """What the newest frame shows."""
        frame = self._camera.newest()
        calibrated, says = calibration_status(self._folder, self._source)
        told: dict[str, Any] = {"calibrated": calibrated, "says": says, "virtual": self._virtual is not None}
        with self._lock:
            plan, found = self._plan, self._found
        if frame is None:
            return {
                **told,
                "picture_wh": None,
                "markers": [],
                "zones": [],
                "advice": [_code(NO_PICTURE)],
                "sheet": False,
            }
        now = look_at(frame.image_bgr, plan)
        lies = now if now.usable else found
        height, width = frame.image_bgr.shape[:2]
        # With the sheet taken and lifted out again, that it is not seen is as it should be.
        advice = [one for one in now.advice if found is None or one.code != "no_sheet"]
        return {
            **told,
            "picture_wh": [width, height],
            "markers": [np.round(marker.corners_px, 1).tolist() for marker in now.markers],
            "zones": [] if lies is None else [_outline(lies, zone) for zone in zones(plan)],
            "advice": [_code(one) for one in advice],
            "sheet": found is not None,
        }

    def picture_jpeg(self) -> bytes | None:
        """The newest frame; None before the first."""
        frame = self._camera.newest()
        return None if frame is None else jpeg(frame.image_bgr, QUALITY)

    def sheet_pdf(self, paper: str) -> bytes:
        """The sheet to print, for the tray as it was last described."""
        return pdf(self._sheet(paper))

    def take_sheet(self, plan: Mapping[str, float], height_mm: float | None) -> Mapping[str, Any]:
        """Take the sheet as it lies in a tray of those measures; what is seen then. Raises DeviceError."""
        told = Plan(
            (plan["width_mm"], plan["height_mm"]), plan["keep_mm"], bar_mm=plan["bar_mm"], die_mm=plan["die_mm"]
        )
        looks = [look_at(frame.image_bgr, told) for frame in self._camera.following(3, PATIENCE_S)]
        for one in looks:
            if not one.usable:
                raise DeviceError("The sheet can't be taken.", " ".join(advice.says for advice in one.advice))
        if max(_apart_px(one, other, told) for one, other in pairwise(looks)) > SAME_PX:
            raise DeviceError("The sheet or the camera moves.", "Let go of both, and take it again.")
        with self._lock:
            self._plan, self._height_mm, self._found = told, height_mm, looks[-1]
        return self.look()

    def take_empty(self) -> Mapping[str, Any]:
        """Take the empty tray, and keep the calibration; what is seen then. Raises DeviceError."""
        with self._lock:
            plan, height_mm, found = self._plan, self._height_mm, self._found
        if found is None or found.floor_to_px is None:
            raise DeviceError("The sheet was not taken yet.", "Lay it into the tray and take it first.")
        frames = [frame.image_bgr for frame in self._camera.following(KEPT, PATIENCE_S)]
        _must_rest(frames)
        if markers_in(frames[-1]):
            raise DeviceError("The sheet still lies there.", "Lift it out, and all dice, and take the tray again.")
        empty_bgr = reference(frames)
        size_wh = (empty_bgr.shape[1], empty_bgr.shape[0])
        lens_deg = plan.lens_deg if height_mm is None else lens_deg_at(found.floor_to_px, size_wh, height_mm)
        plan = Plan(plan.tray_mm, plan.keep_mm, lens_deg, plan.bar_mm, plan.die_mm)
        rig = rig_of(found.floor_to_px, plan, empty_bgr)
        codes = {one.code for one in (*found.advice, *rig_advice(rig, lens_deg))}
        save_rig(self._folder, Stored(self._source.strip(), self._clock(), rig, tuple(sorted(codes))))
        self._kept()
        return self.look()

    def lay_sheet(self, lie: bool) -> Mapping[str, Any]:
        """With the virtual camera: lay the sheet into its tray, all dice out, or lift it. Raises DeviceError."""
        if self._virtual is None:
            raise DeviceError("This camera is real.", "Lay the printed sheet into the tray by hand.")
        if lie:
            printed = self._sheet("a4")
            self._virtual.tray.lift()
            self._virtual.lay_sheet(raster(printed), printed.size_mm)
        else:
            self._virtual.lift_sheet()
        self._camera.following(2, PATIENCE_S)
        return self.look()

    def _sheet(self, paper: str) -> Any:
        with self._lock:
            plan = self._plan
        return sheet(paper, plan.tray_mm, plan.keep_mm)


def _must_rest(frames: Sequence[FrameBGR]) -> None:
    seen = [structure(frame) for frame in frames]
    if any(changed(one, other) > MOVING_PX for one, other in (*pairwise(seen), (seen[0], seen[-1]))):
        raise DeviceError("Something moves in the tray.", "Keep hands out of the picture, and take it again.")


def _apart_px(one: Look, other: Look, plan: Plan) -> float:
    return float(max(np.abs(np.subtract(_outline(one, zone), _outline(other, zone))).max() for zone in zones(plan)))


def _outline(look: Look, zone: Zone) -> list[list[float]]:
    """The four corners of a zone in the picture."""
    right, bottom = zone.x_mm + zone.width_mm, zone.y_mm + zone.height_mm
    corners = np.array([[zone.x_mm, right, right, zone.x_mm], [zone.y_mm, zone.y_mm, bottom, bottom], [1, 1, 1, 1]])
    assert look.floor_to_px is not None
    x, y, w = look.floor_to_px @ corners
    return np.round(np.stack([x / w, y / w], 1), 1).tolist()


def _code(advice: Advice) -> dict[str, str]:
    return {"code": advice.code, "says": advice.says}
