"""Bands of a flickering lamp: how strong they are in the pictures, whether the exposure averages them out, the cure.

A rolling shutter exposes one row after the other, so a lamp that flickers shows as bands across the picture. They move
from frame to frame, unless the frame rate divides the lamp's frequency (30 frames a second, 120 Hz): then they stand,
and only the exposure tells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.calibration.image_quality import Advice
from vision.cameras import Frame
from vision.cameras.flicker import has_whole_periods

MIN_FRAMES = 6
"""Frames that show bands of 100 Hz in all their phases, at 30 frames a second twice."""
VISIBLE_BANDS = 0.03
"""Amplitude of bands that is worth a word: as much as a reflection from a passer-by."""
COLUMN_STEP_PX = 8
SMOOTH_ROWS = 15
"""Rows averaged against the sensor's noise: a fiftieth of the distance of two bands at 1,000 rows."""
DC_LIGHT = "Light the tray with LEDs on a DC supply (a USB bar, a 12 V strip), which do not flicker"


@dataclass(frozen=True, slots=True)
class LampLight:
    """What some frames of a scene at rest tell about the lamp.

    Attributes:
        bands: Amplitude of moving bands, 0.1 for +-10 %; None with too few frames.
        exposure_s: Exposure time in seconds; None where the camera does not tell it.
        whole_periods: Whether the exposure averages the flicker out; None where it is not known.
        mains_hz: Frequency of the mains.
    """

    bands: float | None
    exposure_s: float | None
    whole_periods: bool | None
    mains_hz: int

    def __str__(self) -> str:
        bands = "Bands were not measured" if self.bands is None else f"Bands of +-{100 * self.bands:.0f} %"
        if self.exposure_s is None:
            return f"{bands}."
        period_ms = 500 / self.mains_hz
        return f"{bands}, exposure {1000 * self.exposure_s:.1f} ms (lamps on {self.mains_hz} Hz: {period_ms:.1f} ms)."

    def advice(self) -> tuple[Advice, ...]:
        """What to do about the light; empty when it is steady."""
        period = f"{500 / self.mains_hz:.1f} ms"
        if self.bands is not None and self.bands > VISIBLE_BANDS:
            says = f"The lamp flickers: bands of +-{100 * self.bands:.0f} % run over the tray."
            cure = f"{DC_LIGHT}, or dim the light until the exposure is a multiple of {period}."
            return (Advice("banding", f"{says} {cure}"),)
        if self.whole_periods is False and self.exposure_s is not None:
            says = f"The exposure of {1000 * self.exposure_s:.1f} ms is no multiple of a lamp's {period}"
            cure = f"Dim the light until it is. {DC_LIGHT}: then any exposure will do."
            return (Advice("exposure", f"{says}: a flickering lamp would show bands. {cure}"),)
        return ()


def lamp_light(frames: Sequence[Frame], mains_hz: int) -> LampLight:
    """Measure the lamp's bands in consecutive frames of a scene at rest.

    Args:
        frames: At least 6, with the exposure held.
        mains_hz: Frequency of the mains, 50 or 60.
    """
    exposure = frames[-1].exposure if frames else None
    exposure_s = exposure.exposure_s if exposure is not None and exposure.exposure_s > 0 else None
    whole = None if exposure_s is None else has_whole_periods(exposure_s, mains_hz)
    return LampLight(_bands([frame.image_bgr for frame in frames]), exposure_s, whole, mains_hz)


def _bands(pictures: Sequence[np.ndarray]) -> float | None:
    """Amplitude of what changes over the rows from picture to picture, relative to the light."""
    if len(pictures) < MIN_FRAMES:
        return None
    rows = np.stack([np.median(picture[:, ::COLUMN_STEP_PX, 1], axis=1) for picture in pictures]) + 1.0
    smooth = np.ones(SMOOTH_ROWS) / SMOOTH_ROWS
    rows = np.stack([np.convolve(row, smooth, "valid") for row in rows])
    rows /= rows.mean(axis=1, keepdims=True)  # a light that dims as a whole is no band
    return float(np.percentile(np.abs(rows / rows.mean(axis=0) - 1), 98))
