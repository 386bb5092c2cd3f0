"""Field of view: which sensor mode shows most, how wide it sees, and how high a camera hangs over a tray for it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

MIN_FIELD_SHARE = 0.99
"""Share of the widest field of view, 0 to 1, from which a mode counts as equally wide: crops may differ by rounding.
Also the least share of the chosen mode's width that the first picture must show. Lower accepts less of the tray."""
MIN_FPS = 29.0
"""Frames per second from which a sensor mode is fast enough to see dice roll. A slower mode is chosen only if every
fast one shows less of the tray. With a limit above 30, modes of 30 count as slow."""

SizeWH = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Module:
    """A camera module: its sensor's name in libcamera, the name it is sold by, the size of its sensor in pixels.

    `lens_deg` is the horizontal angle of view across the whole sensor, in degrees.
    """

    model: str
    title: str
    array_wh: SizeWH
    lens_deg: float

    def angle_deg(self, size_wh: SizeWH) -> float:
        """Return the horizontal angle of view, in degrees, of the sensor's largest crop with the shape of `size_wh`."""
        used_w, _ = largest_wh(self.array_wh, size_wh)
        return narrowed_deg(self.lens_deg, used_w / self.array_wh[0])


def narrowed_deg(lens_deg: float, share: float) -> float:
    """Return the angle of view, in degrees, that a crop of the middle has, with `share` of the picture's width."""
    return math.degrees(2 * math.atan(math.tan(math.radians(lens_deg) / 2) * share))


def _six_mm_lens_deg(width_mm: float) -> float:
    """Return the angle of view, in degrees, of a 6 mm lens over a sensor `width_mm` wide."""
    return math.degrees(2 * math.atan(width_mm / 2 / 6.0))


MODULES = (
    Module("ov5647", "Camera Module 1", (2592, 1944), 53.5),
    Module("imx219", "Camera Module 2", (3280, 2464), 62.2),
    Module("imx708", "Camera Module 3", (4608, 2592), 66.0),
    Module("imx708_wide", "Camera Module 3 Wide", (4608, 2592), 102.0),
    Module("imx477", "HQ Camera, 6 mm lens", (4056, 3040), _six_mm_lens_deg(4056 * 0.00155)),
    Module("imx296", "Global Shutter Camera, 6 mm lens", (1456, 1088), _six_mm_lens_deg(1456 * 0.00345)),
)
"""Raspberry Pi's camera modules, to look up a sensor's horizontal angle of view, from its documentation. Too large an
angle puts the camera too low. The last two modules take any lens: their angle is that of a 6 mm lens, from the sensor's
width (pixels of 1.55 and 3.45 micrometres). The parts' drawings are for the third."""


@dataclass(frozen=True, slots=True)
class SensorField:
    """The part of a sensor that a picture shows.

    Attributes:
        model: The sensor's name in libcamera.
        mode_wh: Output size of the sensor mode.
        used_w: Number of pixel columns of the sensor that the picture shows.
        array_w: Number of all pixel columns of the sensor.
    """

    model: str
    mode_wh: SizeWH
    used_w: int
    array_w: int

    @property
    def module(self) -> Module | None:
        """The camera module with this sensor; None if it is not in `MODULES`."""
        return next((one for one in MODULES if one.model == self.model.removesuffix("_noir")), None)

    @property
    def angle_deg(self) -> float | None:
        """Horizontal angle of view of the picture in degrees; None for an unknown module."""
        module = self.module
        return None if module is None else narrowed_deg(module.lens_deg, self.used_w / self.array_w)

    def __str__(self) -> str:
        width, height = self.mode_wh
        title = self.module.title if self.module else self.model
        angle = "" if self.angle_deg is None else f", {self.angle_deg:.1f} degrees across"
        return f"{title}, sensor mode {width} x {height}, {self.used_w} of {self.array_w} columns{angle}"


def largest_wh(inside_wh: SizeWH, shape_wh: SizeWH) -> SizeWH:
    """Return width and height of the largest rectangle inside `inside_wh` with the aspect ratio of `shape_wh`."""
    width, height = inside_wh
    return min(width, height * shape_wh[0] // shape_wh[1]), min(height, width * shape_wh[1] // shape_wh[0])


def height_mm(tray_width_mm: float, angle_deg: float) -> float:
    """Return the height above a tray, in mm, from which its width fills a picture that is `angle_deg` wide."""
    return tray_width_mm / 2 / math.tan(math.radians(angle_deg) / 2)


def widest_mode(modes: Iterable[Mapping[str, Any]], size_wh: SizeWH) -> tuple[Mapping[str, Any], int] | None:
    """Return the sensor mode that shows most of the scene, and how many columns of the sensor the picture then shows.

    Modes within 1 % of the widest field of view count as equal. Among these the order of preference is: at least 29
    frames a second, no enlargement to the wanted size, fewest pixels, most bits. `modes` are picamera2's
    `sensor_modes`, `size_wh` is the size of the wanted picture in pixels. Returns None if no mode reports its crop, as
    with USB cameras.
    """
    told = [mode for mode in modes if "crop_limits" in mode]
    if not told:
        return None
    used = [largest_wh(mode["crop_limits"][2:], size_wh)[0] for mode in told]
    wide = [at for at in range(len(told)) if used[at] >= MIN_FIELD_SHARE * max(used)]

    def rank(at: int) -> tuple[bool, bool, int, int]:
        mode = told[at]
        width, height = mode["size"]
        enlarged = width < size_wh[0] or height < size_wh[1]
        return mode["fps"] < MIN_FPS, enlarged, width * height, -mode["bit_depth"]

    best = min(wide, key=rank)
    return told[best], used[best]
