"""Hands for the virtual tray: they throw, move and lift its dice, and lay the calibration sheet into it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from companion.table.tray.observation import Die
from vision.calibration.sheet import Sheet, raster
from vision.cameras.simulated.camera import LENS, VirtualCamera
from vision.cameras.simulated.tray import DIE_MM, RIDGE_MM, TRAY_WH_MM
from vision.images.loading import jpeg
from vision.reading.reading import FrameBGR

PAGE_QUALITY = 78
"""JPEG quality, 0 to 100, of the virtual tray's pictures on the page. Higher: sharper, and more than 90 kB each."""
STRENGTH = 0.6
"""Strength of the throws that `throw_on` makes: 0 is the gentlest throw, 1 and above the hardest. Higher: dice roll
longer before they can be read."""
LEANS_DEG = ((22.0, 0.0), (-22.0, 0.0), (0.0, 22.0), (0.0, -22.0))
"""Tilts at which calibration sees the sheet in the virtual tray, in degrees about the x and the y axis. With much
smaller ones the lens isn't measured (`MIN_TILT_DEG` in vision.calibration.lens); larger ones foreshorten markers."""


class VirtualHands:
    """Implements `web.api.tray.Tray` for the page, and throws for the bot.

    Args:
        camera: Virtual camera over the tray.
        staying: Returns the dice that stay during the next throw, as the table last saw them.
    """

    def __init__(self, camera: VirtualCamera, staying: Callable[[], Sequence[Die]]) -> None:
        self._camera, self._staying = camera, staying
        self._shown: tuple[FrameBGR, bytes] | None = None

    def throw(self, ids: Sequence[int] | None, strength: float) -> None:
        """Throw the virtual tray's dice with these numbers; None for all not in the keep zone. `strength`: 0 to 1."""
        self._camera.tray.throw(ids, strength)

    def throw_on(self, count: int) -> None:
        """Throw `count` dice of the virtual tray, after moving the dice that stay during the throw into the keep zone.

        The constructor's function `staying` tells which dice stay, such as frozen ones. All others are thrown, even if
        they were lifted out before.

        - More than `count` others: the surplus is lifted out.
        - Fewer: the last of those that stay are thrown, too.
        - Fewer dice in all than `count`: every die is thrown.
        """
        tray = self._camera.tray
        loose = [die for die in tray.dice() if die["place"] != "out"]
        stay = list[dict[str, Any]]()
        for seen in self._staying()[: len(loose)]:  # as the camera saw them: the nearest die is the one
            stay.append(min(loose, key=lambda die: math.dist((die["x_mm"], die["y_mm"]), (seen.x_mm, seen.y_mm))))
            loose.remove(stay[-1])
        stay = stay[: max(0, len(tray.dice()) - count)]
        for place, die in enumerate(stay):
            if die["place"] == "throw":
                row, column = divmod(place, 2)  # two dice side by side in the keep zone
                tray.move(die["id"], RIDGE_MM + 24 + 30 * column, 30 + 40 * row)
        thrown = [die["id"] for die in tray.dice() if die["id"] not in {each["id"] for each in stay}]
        tray.lift(thrown[count:])
        tray.throw(thrown[:count], STRENGTH)

    def shake(self) -> None:
        """Shake the virtual tray, so that its dice move."""
        self._camera.tray.shake()

    def move(self, die: int, x_mm: float, y_mm: float) -> None:
        """Lay the virtual tray's die number `die` at a point in mm, or at a free place near it, with the same face up.

        Raises ValueError for an unknown die.
        """
        self._camera.tray.move(die, x_mm, y_mm)

    def lift(self, ids: Sequence[int] | None) -> None:
        """Lift the dice with these numbers out of the virtual tray; None for all."""
        self._camera.tray.lift(ids)

    def dice(self) -> Sequence[Mapping[str, Any]]:
        """Return each die as JSON: its place in the tray in mm and in the picture in pixels, but not its value."""
        return [{**die, **_in_picture(die)} for die in self._camera.tray.dice()]

    def zones(self) -> Mapping[str, Any]:
        """Return the tray and its picture as JSON values.

        Returns:
            `width_mm`, `height_mm`; `throw`, `keep`: each zone as [x, y, width, height] in mm; `picture_wh` in pixels;
            `mm_to_px`: the (3, 3) matrix from mm to pixels.
        """
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
        """Return the tray's newest picture, without noise, as JPEG."""
        picture, shown = self._camera.newest, self._shown
        if shown is None or picture is not shown[0]:
            shown = self._shown = (picture, jpeg(picture, PAGE_QUALITY))
        return shown[1]


def _in_picture(die: Mapping[str, Any]) -> dict[str, float]:
    """Return `x_px` and `y_px`, the centre of a die in the picture, and `size_px`, its edge, all in pixels."""
    x_px, y_px = LENS.project(np.array([die["x_mm"], die["y_mm"], DIE_MM]))
    size_px = DIE_MM * LENS.focal_px / (LENS.height_mm - DIE_MM)
    return {"x_px": round(float(x_px), 1), "y_px": round(float(y_px), 1), "size_px": round(size_px, 1)}


def lay_in(camera: VirtualCamera, printed: Sheet, look: Callable[[], object]) -> None:
    """Lay the sheet `printed` into the virtual tray: at each tilt of `LEANS_DEG`, then flat.

    `look` is called at each tilt, not for the flat sheet.
    """
    picture = raster(printed)
    for lean_deg in LEANS_DEG:
        camera.lay_sheet(picture, printed.size_mm, lean_deg=lean_deg)
        look()
    camera.lay_sheet(picture, printed.size_mm)
