"""The six camera modules: their sensors' modes, crops and frame rates as `rpicam-hello --list-cameras` lists them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mode:
    """One readout mode: output size, bits a pixel, the (x, y, width, height) it reads of the pixel array, and fps."""

    size_wh: tuple[int, int]
    bit_depth: int
    crop_xywh: tuple[int, int, int, int]
    fps: float


@dataclass(frozen=True)
class Sensor:
    """A sensor as libcamera names it, its pixels and colour order; whether its lens focuses, and if it is grey."""

    model: str
    array_wh: tuple[int, int]
    order: str
    modes: tuple[Mode, ...]
    autofocus: bool = False
    mono: bool = False

    def format_of(self, bit_depth: int) -> str:
        """The packed raw format of that depth."""
        return f"S{self.order}{bit_depth}" + ("_CSI2P" if bit_depth > 8 else "")


_IMX708 = (
    Mode((1536, 864), 10, (768, 432, 3072, 1728), 120.13),
    Mode((2304, 1296), 10, (0, 0, 4608, 2592), 56.03),
    Mode((4608, 2592), 10, (0, 0, 4608, 2592), 14.35),
)
_IMX219 = tuple(
    Mode(size_wh, bit_depth, crop_xywh, fps * (2 if bit_depth == 8 and size_wh[0] < 1920 else 1))
    for bit_depth in (10, 8)
    for size_wh, crop_xywh, fps in (
        ((640, 480), (1000, 752, 1280, 960), 103.33),
        ((1640, 1232), (0, 0, 3280, 2464), 41.85),
        ((1920, 1080), (680, 692, 1920, 1080), 47.57),
        ((3280, 2464), (0, 0, 3280, 2464), 21.19),
    )
)
SENSORS = {
    "Camera Module 1": Sensor(
        "ov5647",
        (2592, 1944),
        "GBRG",
        (
            Mode((640, 480), 10, (16, 0, 2560, 1920), 58.92),
            Mode((1296, 972), 10, (0, 0, 2592, 1944), 43.25),
            Mode((1920, 1080), 10, (348, 434, 1928, 1080), 30.62),
            Mode((2592, 1944), 10, (0, 0, 2592, 1944), 15.63),
        ),
    ),
    "Camera Module 2": Sensor("imx219", (3280, 2464), "RGGB", _IMX219),
    "Camera Module 3": Sensor("imx708", (4608, 2592), "RGGB", _IMX708, autofocus=True),
    "Camera Module 3 Wide": Sensor("imx708_wide", (4608, 2592), "RGGB", _IMX708, autofocus=True),
    "HQ Camera": Sensor(
        "imx477",
        (4056, 3040),
        "RGGB",
        (
            Mode((1332, 990), 10, (696, 528, 2664, 1980), 120.05),
            Mode((2028, 1080), 12, (0, 440, 4056, 2160), 50.03),
            Mode((2028, 1520), 12, (0, 0, 4056, 3040), 40.01),
            Mode((4056, 3040), 12, (0, 0, 4056, 3040), 10.0),
        ),
    ),
    "Global Shutter Camera": Sensor(
        "imx296", (1456, 1088), "BGGR", (Mode((1456, 1088), 10, (0, 0, 1456, 1088), 60.38),)
    ),
}
