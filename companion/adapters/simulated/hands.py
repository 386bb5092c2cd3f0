"""The virtual tray as the page handles it: dice by number, places in millimetres and in the camera's picture."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import cv2
import numpy as np

from companion.adapters.tray_observer import jpeg
from companion.table.tray.observation import Die
from vision.cameras.simulated.camera import LENS, VirtualCamera
from vision.cameras.simulated.tray import DIE_MM, RIDGE_MM, TRAY_WH_MM
from vision.reading.reading import FrameBGR

PAGE_QUALITY = 78
"""JPEG quality of the tray's moving picture: about 90 kB a frame."""
STRENGTH = 0.6
"""How hard the house throws, 0 to 1."""
SMALLER, NOISE_LEVELS = 8, 6
"""Pictures are compared so much smaller: noise is below that many grey levels then, and what moves is above."""


class VirtualHands:
    """Fulfils `web.api.tray.Tray` with a virtual camera, and throws for the house (`session.house.player.Hands`).

    Args:
        camera: Whose tray it is.
        staying: The dice in it that stay when the next throw is made, as the table last saw them.
    """

    def __init__(self, camera: VirtualCamera, staying: Callable[[], Sequence[Die]] = tuple) -> None:
        self._camera, self._staying = camera, staying
        self._shown: tuple[FrameBGR, bytes] | None = None

    def throw(self, ids: Sequence[int] | None, strength: float) -> None:
        """Throw these dice, or all that are not kept."""
        self._camera.tray.throw(ids, strength)

    def throw_on(self, count: int) -> None:
        """Throw so many, those that stay laid aside."""
        self.throw_beside(self._staying(), count)

    def throw_beside(self, staying: Sequence[Die], count: int) -> None:
        """Lay those dice into the keep zone and throw so many of the others; what is left over is lifted out.

        Where too few are left (two are thrown beside six frozen ones), the last of those that stay is thrown too.
        """
        tray = self._camera.tray
        loose = [die for die in tray.dice() if die["place"] != "out"]
        stay = list[dict[str, Any]]()
        for seen in staying[: len(loose)]:
            stay.append(min(loose, key=lambda die: math.dist((die["x_mm"], die["y_mm"]), (seen.x_mm, seen.y_mm))))
            loose.remove(stay[-1])
        stay = stay[: len(tray.dice()) - count]
        for place, die in enumerate(stay):
            if die["place"] == "throw":
                tray.move(die["id"], *_keep_place(place))
        thrown = [die["id"] for die in tray.dice() if die["id"] not in {each["id"] for each in stay}]
        tray.lift(thrown[count:])
        tray.throw(thrown[:count], STRENGTH)

    def shake(self) -> None:
        """Shake the tray."""
        self._camera.tray.shake()

    def move(self, die: int, x_mm: float, y_mm: float) -> None:
        """Lay a die there, the same face up."""
        self._camera.tray.move(die, x_mm, y_mm)

    def lift(self, ids: Sequence[int] | None) -> None:
        """Lift these dice out, or all."""
        self._camera.tray.lift(ids)

    def dice(self) -> Sequence[Mapping[str, Any]]:
        """Each die, with its place in the picture; never a value."""
        return [{**die, **_in_picture(die)} for die in self._camera.tray.dice()]

    def zones(self) -> Mapping[str, Any]:
        """The zones in millimetres, and how millimetres become pixels."""
        width, height = TRAY_WH_MM
        return {
            "width_mm": width,
            "height_mm": height,
            "throw": [0.0, 0.0, RIDGE_MM, height],
            "keep": [RIDGE_MM, 0.0, width - RIDGE_MM, height],
            "picture_wh": list(LENS.size_wh),
            "mm_to_px": LENS.floor_to_px().tolist(),
        }

    def picture_jpeg(self) -> bytes:
        """The camera's newest picture; the same file as before while it shows nothing but other noise."""
        picture = self._camera.newest
        small = cv2.resize(picture, None, fx=1 / SMALLER, fy=1 / SMALLER, interpolation=cv2.INTER_AREA)
        shown = self._shown
        if shown is None or int(cv2.absdiff(small, shown[0]).max()) > NOISE_LEVELS:
            shown = self._shown = (small, jpeg(picture, PAGE_QUALITY))
        return shown[1]


def _keep_place(place: int) -> tuple[float, float]:
    """Where the n-th die of the keep zone is laid, two in a row; the tray finds a free place near it."""
    row, column = divmod(place, 2)
    return RIDGE_MM + 24 + 30 * column, 30 + 40 * row


def _in_picture(die: Mapping[str, Any]) -> dict[str, float]:
    x_px, y_px = LENS.project(np.array([die["x_mm"], die["y_mm"], DIE_MM]))
    size_px = DIE_MM * LENS.focal_px / (LENS.height_mm - DIE_MM)
    return {"x_px": round(float(x_px), 1), "y_px": round(float(y_px), 1), "size_px": round(size_px, 1)}
