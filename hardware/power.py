"""Power: turn colours as they look into LED values that never draw more current than the supply can give."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hardware.settings import PowerSettings
from hardware.strips import FrameRGB

Look = NDArray[np.float32]
"""(leds, 3) float32: red, green, blue from 0 to 1, perceived brightness before gamma."""

HUE_TOLERANCE_DEGREES = 2.0
"""Largest change of an LED's hue by rounding, in degrees: smaller ones are not seen. A larger one lets dim lights
change their hue; a smaller one changes their saturation more, or leaves them dark."""
_RATIO_BINS = 512
"""Steps from 0 to 1 of a colour's ratio (middle - least) / (most - least): columns of the tables of `in_steps`. More:
larger tables. Fewer: rounding changes saturation more, and more dim LEDs stay dark."""
MAX_FEED_MA = 2000
"""Largest current, in mA, that is advised for one pair of wires to the strip. The strip's own copper is thin: LEDs far
from where the wires join it turn dim. A larger one advises fewer pairs of thicker wires."""
RESERVE_FACTOR = 1.25
"""Factor by which the advised supply and fuse are larger than the current limit, so that neither works at its own
limit. A larger one advises larger ones; a fuse that is too large protects less."""
FUSES_A = (1.0, 2.0, 3.0, 5.0, 7.5, 10.0)
"""Sizes that blade fuses are sold in, in amperes; the smallest one that fits is advised. Fewer sizes: larger fuses are
advised, which protect less. Another size can't be bought."""
WIRES_MM2 = (0.5, 0.75, 1.5, 2.5)
"""Cross-sections that cable is sold in, in mm2, thinnest first; the first one that keeps the voltage drop within
MAX_DROP_V is advised. Fewer sizes: thicker wires are advised."""
MAX_DROP_V = 0.1
"""Largest voltage drop, in volts, over a metre of cable there and back. A larger one allows thinner wires: dim LEDs."""
_COPPER_OHM_MM2_M = 0.0175
"""Resistivity of copper: ohms of a wire of 1 mm2 and 1 m. With twice this, wires would need twice the cross-section."""


@dataclass(frozen=True, slots=True)
class Cabling:
    """Supply, fuses and wires of a strip.

    Attributes:
        supply_a: Least current of the 5 V supply, in whole amperes.
        feeds: Pairs of wires to the strip, each with a fuse.
        fuse_a: Size of each fuse.
        wire_mm2: Cross-section of each wire.
    """

    supply_a: int
    feeds: int
    fuse_a: float
    wire_mm2: float


def cabling(limit_ma: float) -> Cabling:
    """Return the supply, fuses and wires to advise for a strip with a current limit of `limit_ma` mA, above 0.

    - Feeds: as few pairs of wires as carry at most MAX_FEED_MA each.
    - Supply: RESERVE_FACTOR times the current limit, rounded up to whole amperes.
    - Fuses: RESERVE_FACTOR times the current of a feed, rounded up to a size in FUSES_A.
    - Wires: the thinnest of WIRES_MM2 that keep the voltage drop within MAX_DROP_V.

    >>> cabling(2000)
    Cabling(supply_a=3, feeds=1, fuse_a=3.0, wire_mm2=0.75)
    """
    feeds = math.ceil(limit_ma / MAX_FEED_MA)
    feed_a = limit_ma / feeds / 1000
    fuse_a = next(size for size in FUSES_A if size >= RESERVE_FACTOR * feed_a)
    wire_mm2 = next(area for area in WIRES_MM2 if 2 * _COPPER_OHM_MM2_M * feed_a / area <= MAX_DROP_V)
    return Cabling(math.ceil(RESERVE_FACTOR * limit_ma / 1000), feeds, fuse_a, wire_mm2)


class Power:
    """Conversion of perceived colours to LED values: gamma, brightness, white balance and current limit of a strip.

    >>> frame_rgb, milliamps = Power(PowerSettings(limit_ma=1000)).limited(np.ones((363, 3), np.float32))
    >>> frame_rgb.shape, milliamps <= 1000
    ((363, 3), True)
    """

    def __init__(self, settings: PowerSettings | None = None) -> None:
        self.settings = settings or PowerSettings()
        self._full = (255.0 * self.settings.brightness * np.asarray(self.settings.white)).astype(np.float32)

    def light(self, look: Look) -> NDArray[np.float32]:
        """Return the linear light of a frame, (leds, 3) float32 from 0 to 255, before the current limit."""
        return np.asarray(np.clip(look, 0.0, 1.0) ** np.float32(self.settings.gamma) * self._full, np.float32)

    def milliamps(self, frame_rgb: FrameRGB) -> float:
        """Return the estimated current of a frame in mA: `channel_ma` for each full colour, `idle_ma` for each LED."""
        on = float(frame_rgb.sum(dtype=np.int64)) / 255.0
        return on * self.settings.channel_ma + len(frame_rgb) * self.settings.idle_ma

    def limited(self, look: Look) -> tuple[FrameRGB, int]:
        """Return the (leds, 3) uint8 frame to send for perceived colours, and its current in mA, rounded up.

        A frame that would draw more than `limit_ma` is dimmed as a whole, so that hues stay as they are. If dark LEDs
        alone draw more, it is black and its current is above the limit.
        """
        light = self.light(look)
        spare_ma = self.settings.limit_ma - len(light) * self.settings.idle_ma
        wanted_ma = float(light.sum(dtype=np.float64)) / 255.0 * self.settings.channel_ma
        scale = min(1.0, max(0.0, spare_ma) / wanted_ma) if wanted_ma > 0 else 1.0
        frame_rgb = in_steps(light * np.float32(scale))
        while (drawn_ma := self.milliamps(frame_rgb)) > self.settings.limit_ma and frame_rgb.any():
            # Rounding can exceed the limit a little: scale by the excess and half a percent more, so that this ends.
            scale *= max(0.5, 0.995 * spare_ma / max(1e-6, drawn_ma - len(light) * self.settings.idle_ma))
            frame_rgb = in_steps(light * np.float32(scale))
        return frame_rgb, int(np.ceil(drawn_ma))


def supply_problem(settings: PowerSettings, leds: int) -> str | None:
    """Return a sentence with the cure if `leds` LEDs draw more than the current limit even when dark, else None."""
    dark_ma = math.ceil(leds * settings.idle_ma)
    if dark_ma <= settings.limit_ma:
        return None
    return (
        f"[strip] limit_ma = {settings.limit_ma}: {leds} LEDs draw {dark_ma} mA even when they are dark. Use a larger "
        f"supply and set limit_ma to {dark_ma} or more, or choose a layout with fewer LEDs."
    )


def in_steps(light: NDArray[np.float32]) -> FrameRGB:
    """Round linear light, (leds, 3) from 0 to 255, to uint8, keeping each hue within HUE_TOLERANCE_DEGREES.

    Rounding each channel by itself would turn a dim orange into red or yellow. The hue is the ratio of (middle - least)
    to (most - least) of the three colours. A low chroma, most - least, allows few ratios in whole numbers, so the
    nearest chroma that allows the wanted ratio is taken. Saturation thus changes before hue. An LED stays dark if its
    chroma would be more than doubled and exceed its brightest channel.
    """
    least, most = light.min(axis=1), light.max(axis=1)
    chroma = most - least
    middle = (light.sum(axis=1) - 3 * least - chroma) / np.maximum(chroma, 1e-6)
    asked = np.rint(chroma * 2).astype(np.intp)
    bins = np.rint(np.clip(middle, 0, 1) * _RATIO_BINS).astype(np.intp)
    most_step, middle_step = _CHROMA[asked, bins].astype(np.int16), _MIDDLE[asked, bins].astype(np.int16)
    most_rounded = np.rint(most).astype(np.int16)
    floor = np.maximum(0, np.minimum(np.rint(least).astype(np.int16), most_rounded - most_step))
    lit = (most_step <= most_rounded) | (most_step <= asked)
    order = np.argsort(light, axis=1)
    steps = np.repeat(floor[:, None], 3, axis=1)
    rows = np.arange(len(light))
    steps[rows, order[:, 2]] += most_step
    steps[rows, order[:, 1]] += middle_step
    return np.asarray(steps * lit[:, None], np.uint8)


def _tables() -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return two (511, _RATIO_BINS + 1) uint8 tables that round a colour's chroma to whole LED steps and keep the hue.

    Chroma is the greatest channel minus the least. The hue is the ratio (middle - least channel) / chroma, 0 to 1. With
    whole steps a low chroma can show only few hues.

    Row r is for the wanted chroma r / 2; row 0 is all 0. Columns are bins of the ratio. The first table holds the
    chroma above 0 that is nearest to the wanted one and keeps the hue within HUE_TOLERANCE_DEGREES; on a tie the
    smaller. The second table holds the middle channel minus the least at this chroma.
    """
    ratio = np.arange(_RATIO_BINS + 1) / _RATIO_BINS
    chroma = np.arange(256)[:, None]
    middle = np.rint(ratio * chroma)
    # A ratio from 0 to 1 is 60 degrees of hue. Half a bin's width is taken off the tolerance.
    tolerance = (HUE_TOLERANCE_DEGREES - 0.1) / 60.0 - 0.5 / _RATIO_BINS
    fits = np.abs(middle / np.maximum(chroma, 1) - ratio) <= tolerance
    fits[0] = False
    below = np.maximum.accumulate(np.where(fits, chroma, -1000), axis=0)
    above = np.minimum.accumulate(np.where(fits, chroma, 1000)[::-1], axis=0)[::-1]
    asked = np.arange(511)[:, None]
    lower, upper = below[asked[:, 0] // 2], above[(asked[:, 0] + 1) // 2]
    best = np.where(asked - 2 * lower <= 2 * upper - asked, lower, upper).astype(np.uint8)
    best[0] = 0
    return best, np.take_along_axis(middle, best.astype(np.intp), axis=0).astype(np.uint8)


_CHROMA, _MIDDLE = _tables()
"""Rounded chroma and middle channel that keep the hue, in LED steps from 0 to 255, indexed as `_tables` says."""
