"""Locks exposure, white balance and focus once each has converged, and releases them when the light changes."""

from __future__ import annotations

import logging
import math
from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np

from vision.cameras import Exposure
from vision.cameras.flicker import has_whole_periods, steady_exposure
from vision.reading.reading import FrameBGR

log = logging.getLogger(__name__)

Controls = dict[str, Any]
"""libcamera's controls to set, value by name."""

AF_MANUAL, AF_CONTINUOUS = 0, 2
"""Values of libcamera's AfModeEnum: the lens stays where it is set, or keeps focusing."""
AF_FOCUSED = 2
"""Value of libcamera's AfStateEnum, fixed by libcamera: autofocus has found a sharp picture."""
AE_CONVERGED = 2
"""Value of libcamera's AeStateEnum, fixed by libcamera: automatic exposure has reached its target."""
FLICKER_MANUAL = 1
"""Value of libcamera's AeFlickerModeEnum, fixed by libcamera: the exposure honours AeFlickerPeriod."""
STEADY_FRAMES = 15
"""Number of successive frames over which exposure, white balance or focus must be steady to count as converged and be
locked. More make the start and calibrating take longer; fewer may lock a value that still changes."""
MAX_CHANGE = 0.02
"""Largest relative change of exposure or of a colour gain over `STEADY_FRAMES` at which it counts as converged. The
reader tolerates more than ten times as much. Smaller: noise may prevent locking; larger: a value that still changes is
locked."""
CONTROL_DELAY_S = 0.4
"""Seconds after controls are sent, or a focus is asked for, in which frames lock and unlock nothing: they may be taken
with the old controls. It covers three requests under way and the sensor's own delay. A longer one makes locking
slower."""
GAMMA = 2.2
"""Exponent that converts a pixel's value, 0 to 1, to linear light, as in sRGB. A larger one takes equal changes of
pixels for larger changes of light, so that exposure is unlocked sooner."""
MAX_LIGHT_CHANGE = 1.4
"""Factor from which a change of the tray's light, up or down, unlocks exposure. Below 1.5, so that lights dimmed to two
thirds are noticed. A larger one keeps an exposure that is too dark or too bright; a smaller one unlocks more often."""
CHANGED_FOR_S = 1.5
"""Seconds for which the light must stay changed before exposure is unlocked; a hand over the tray is gone sooner.
Longer: a lasting change is noticed later; shorter: a hand unlocks exposure."""
SAMPLE_EVERY_PX = 16
"""Step, in pixels, between the pixels whose median is the tray's brightness. Smaller: slower; larger: less exact."""


class AutoLock:
    """Decides, frame by frame, which of libcamera's controls to send to a camera. It sends none itself.

    Controls that the camera lacks are left out.

    Args:
        advertised: picamera2's `camera_controls`: name to (lowest, highest, default).
        mains_hz: Frequency of the mains, 50 or 60.
        lens_position: Where to hold the lens, in dioptres; None: focus, then hold.
    """

    def __init__(self, advertised: Mapping[str, Any], mains_hz: int, lens_position: float | None = None) -> None:
        self._advertised, self._mains_hz = advertised, mains_hz
        self._period_us = 1_000_000 // (2 * mains_hz)  # a lamp flickers twice a period of the mains
        self._position = lens_position
        self._values = deque[tuple[float, ...]](maxlen=STEADY_FRAMES)
        self._positions = deque[float](maxlen=STEADY_FRAMES)
        self._exposed = self._balanced = False
        self._asked_s = -math.inf
        self._light: float | None = None
        self._changed_s: float | None = None

    def at_start(self) -> Controls:
        """Return the controls to set before the camera starts: the lamp's flicker period, and the focus."""
        flicker = {"AeFlickerMode": FLICKER_MANUAL, "AeFlickerPeriod": self._period_us}
        return self._known(flicker | self._focus_controls())

    def focus_at(self, lens_position: float | None, at_s: float) -> Controls:
        """Set where the lens is to be held, in dioptres, and return the controls to send now; empty for a fixed lens.

        The position None starts continuous autofocus, and `after` locks the lens once it is in focus. `at_s` is the
        present time on the camera's clock; nothing is locked until CONTROL_DELAY_S later.
        """
        self._position, self._asked_s = lens_position, at_s
        self._positions.clear()
        return self._known(self._focus_controls())

    def after(self, metadata: Mapping[str, Any], image_bgr: FrameBGR, at_s: float) -> tuple[Exposure, Controls]:
        """Return the exposure with which a frame was taken, and the controls to send to the camera (often empty).

        Controls lock what has converged, or unlock exposure and white balance if the light has changed. The controls
        are empty until CONTROL_DELAY_S seconds after the last ones, or after `focus_at`.

        `metadata` is picamera2's for the frame, `image_bgr` the (h, w, 3) picture. `at_s` is the frame's time in
        seconds on the camera's clock.
        """
        taken = self._exposure(metadata)
        if at_s - self._asked_s < CONTROL_DELAY_S:
            return taken, {}
        controls = self._unlock_in_other_light(image_bgr, at_s) if self._exposed else {}
        if not controls:
            controls = self._lock_converged(metadata) | self._lock_focus(metadata)
        if controls:
            self._asked_s = at_s
        return taken, self._known(controls)

    def _exposure(self, metadata: Mapping[str, Any]) -> Exposure:
        gain = metadata.get("AnalogueGain", 1.0) * metadata.get("DigitalGain", 1.0)
        held = self._exposed and self._balanced
        return Exposure(metadata.get("ExposureTime", 0) / 1e6, gain, held, self._position)

    def _known(self, controls: Controls) -> Controls:
        """Return those of the controls that the camera has: picamera2 refuses others, as white balance in grey."""
        return {name: value for name, value in controls.items() if name in self._advertised}

    def _focus_controls(self) -> Controls:
        if self._position is None:
            return {"AfMode": AF_CONTINUOUS}
        return {"AfMode": AF_MANUAL, "LensPosition": self._position}

    def _lock_converged(self, metadata: Mapping[str, Any]) -> Controls:
        """Return the controls that lock exposure or white balance, whichever has just converged; both if both have.

        To be called once for each frame, with its `metadata` by picamera2. White balance is locked at the frame's
        colour gains. Exposure time and gain are first changed to whole flicker periods of a lamp, at about the same
        brightness (`steady_exposure`); where that is impossible, a warning is logged. What is locked is marked as
        locked, and logged. Returns an empty dictionary if nothing has just converged.
        """
        if self._exposed and self._balanced:
            return {}
        exposure_us, gain = metadata.get("ExposureTime", 0), self._exposure(metadata).gain
        red, blue = metadata.get("ColourGains", (1.0, 1.0))
        self._values.append((exposure_us * gain, red, blue))
        controls: Controls = {}
        if not self._exposed and exposure_us and self._steady(0) and _ae_converged(metadata):
            lowest, highest = self._advertised["AnalogueGain"][:2]
            exposure_us, gain = steady_exposure(exposure_us, gain, (max(lowest, 1.0), highest), self._period_us)
            controls |= {"AeEnable": False, "ExposureTime": exposure_us, "AnalogueGain": gain}
            self._exposed = True
            if not has_whole_periods(exposure_us / 1e6, self._mains_hz):
                log.warning("an exposure of %.1f ms shows the bands of lamps on the mains", exposure_us / 1000)
        if not self._balanced and self._steady(1) and self._steady(2):
            controls |= {"AwbEnable": False, "ColourGains": (red, blue)}
            self._balanced = True
        if controls:
            log.info("held: %s", controls)
        return controls

    def _steady(self, which: int) -> bool:
        """Return whether STEADY_FRAMES values of light (`which` 0) or colour gain (1, 2) are within MAX_CHANGE."""
        values = [value[which] for value in self._values]
        return len(values) == STEADY_FRAMES and max(values) <= (1 + MAX_CHANGE) * min(values)

    def _lock_focus(self, metadata: Mapping[str, Any]) -> Controls:
        """Return the controls that lock the lens after STEADY_FRAMES frames in focus, else an empty dictionary.

        These frames must come in a row; the lens is locked at their median position. The controls are returned only
        once. A camera without autofocus is never locked.
        """
        if self._position is not None or "LensPosition" not in metadata or "AfMode" not in self._advertised:
            return {}
        if metadata.get("AfState") != AF_FOCUSED:
            self._positions.clear()
            return {}
        self._positions.append(metadata["LensPosition"])
        if len(self._positions) < STEADY_FRAMES:
            return {}
        self._position = float(np.median(self._positions))
        return self._focus_controls()

    def _unlock_in_other_light(self, image_bgr: FrameBGR, at_s: float) -> Controls:
        """Return the controls that unlock exposure and white balance if the light has changed, else empty controls.

        The light has changed if it differs by the factor MAX_LIGHT_CHANGE for CHANGED_FOR_S. It is compared with the
        first frame after the exposure was locked. After the change, both count as unlocked. The light is the median of
        the green pixels, made linear: objects on less than half of the picture do not count.
        """
        green = image_bgr[::SAMPLE_EVERY_PX, ::SAMPLE_EVERY_PX, 1]
        light = max(float(np.median(green)) / 255, 1 / 255) ** GAMMA
        if self._light is None:
            self._light = light
        if max(light, self._light) < MAX_LIGHT_CHANGE * min(light, self._light):
            self._changed_s = None
            return {}
        self._changed_s = at_s if self._changed_s is None else self._changed_s
        if at_s - self._changed_s < CHANGED_FOR_S:
            return {}
        log.info("the light has changed by a factor of %.2f", light / self._light)
        self._values.clear()
        self._exposed = self._balanced = False
        self._light = self._changed_s = None
        return {"AeEnable": True, "ExposureTime": 0, "AnalogueGain": 0.0, "AwbEnable": True}


def _ae_converged(metadata: Mapping[str, Any]) -> bool:
    """Return whether libcamera reports a converged exposure. True if it reports nothing; then steadiness decides."""
    if "AeState" in metadata:
        return bool(metadata["AeState"] == AE_CONVERGED)
    return bool(metadata.get("AeLocked", True))
