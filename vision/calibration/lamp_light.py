"""Measures the bands of a flickering lamp, checks whether the exposure averages them out, and advises a cure.

A rolling shutter exposes one row after the other, so a lamp that flickers shows as bands across the picture. They move
from frame to frame, unless the frame rate divides the lamp's frequency (30 frames a second, 120 Hz). Standing bands
are not measured; the exposure time alone reveals them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.calibration.image_quality import Advice
from vision.cameras import Frame
from vision.cameras.flicker import has_whole_periods

MIN_FRAMES = 6
"""Least number of frames in which the moving bands of a flickering lamp are measured; with fewer their amplitude is
unknown. At 30 frames a second bands of 100 Hz repeat after three frames, so six show each position twice. The doctor
measures in as many. Above REFERENCE_FRAMES, calibration measures no bands."""
MAX_BANDS = 0.03
"""Relative amplitude of bands, 0.03 for +-3 %, above which advice is given. A passer-by's reflection has as much, so a
lower limit blames lamps that do not flicker."""
COLUMN_STEP_PX = 8
"""Step, in pixels, between the columns whose median is a row's brightness. A larger one saves time, averages less."""
SMOOTH_ROWS = 15
"""Picture rows in the moving average of row brightness, before `lamp_light` looks for bands of flicker. Longer: bands
are smoothed away and flicker goes unnoticed. Shorter: sensor noise counts as bands."""
DC_LIGHT = "Light the tray with LEDs on a DC supply (a USB bar, a 12 V strip), which do not flicker"


@dataclass(frozen=True, slots=True)
class LampLight:
    """Flicker of the lamp, measured in some frames of a scene at rest.

    Attributes:
        bands: Relative amplitude of moving bands, 0.1 for +-10 %; None with fewer than MIN_FRAMES frames.
        exposure_s: Exposure time in seconds; None if the camera does not report it.
        mains_hz: Mains frequency in hertz.
    """

    bands: float | None
    exposure_s: float | None
    mains_hz: int

    def __str__(self) -> str:
        bands = "Bands were not measured" if self.bands is None else f"Bands of +-{100 * self.bands:.0f} %"
        if self.exposure_s is None:
            return f"{bands}."
        period_ms = 500 / self.mains_hz
        return f"{bands}, exposure {1000 * self.exposure_s:.1f} ms (lamps on {self.mains_hz} Hz: {period_ms:.1f} ms)."

    def advice(self) -> tuple[Advice, ...]:
        """Return advice against a lamp's flicker: none, or the first of these that applies.

        - `banding`: the measured bands exceed MAX_BANDS.
        - `exposure`: the exposure time is known and is no whole multiple of the lamp's flicker period. This advice is
          given even if no bands are visible.
        """
        period = f"{500 / self.mains_hz:.1f} ms"
        if self.bands is not None and self.bands > MAX_BANDS:
            says = f"The lamp flickers: bands of +-{100 * self.bands:.0f} % run over the tray."
            cure = f"{DC_LIGHT}, or dim the light until the exposure is a multiple of {period}."
            return (Advice("banding", f"{says} {cure}"),)
        if self.exposure_s is not None and not has_whole_periods(self.exposure_s, self.mains_hz):
            says = f"The exposure of {1000 * self.exposure_s:.1f} ms is no multiple of a lamp's {period}"
            cure = f"Dim the light until it is. {DC_LIGHT}: then any exposure will do."
            return (Advice("exposure", f"{says}: a flickering lamp would show bands. {cure}"),)
        return ()


def lamp_light(frames: Sequence[Frame], mains_hz: int) -> LampLight:
    """Measure how strongly a lamp's flicker shows as bands in consecutive frames of a scene at rest.

    The lamp flickers at twice `mains_hz`. All frames must have the same exposure time. The result has the exposure time
    of the last frame; None if unknown. The bands' amplitude is the 98th percentile, over rows and frames, of a row's
    relative deviation from its mean over all frames. Changes of the whole picture's brightness are removed first. With
    fewer than MIN_FRAMES frames the amplitude is None.
    """
    exposure = frames[-1].exposure if frames else None
    exposure_s = exposure.exposure_s if exposure is not None and exposure.exposure_s > 0 else None
    if len(frames) < MIN_FRAMES:
        return LampLight(None, exposure_s, mains_hz)
    rows = np.stack([np.median(frame.image_bgr[:, ::COLUMN_STEP_PX, 1], axis=1) for frame in frames]) + 1.0
    smooth = np.ones(SMOOTH_ROWS) / SMOOTH_ROWS
    rows = np.stack([np.convolve(row, smooth, "valid") for row in rows])
    rows /= rows.mean(axis=1, keepdims=True)  # a change of the whole light is no band
    bands = float(np.percentile(np.abs(rows / rows.mean(axis=0) - 1), 98))
    return LampLight(bands, exposure_s, mains_hz)
