"""A Pi with one camera module: the scene before the lens, how the camera's algorithms follow it, and what is broken."""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np

from tests.vision.fake_libcamera.sensors import Mode, Sensor

TARGET = 0.18
"""Part of full scale that automatic exposure brings the scene's mean to, before the display's gamma."""
STAGES = ((10_000, 1.0), (10_000, 2.0), (30_000, 2.0), (30_000, 8.0))
"""Longest exposure (us) and highest analogue gain, in the order in which automatic exposure uses them up."""
GAMMA = 2.2
READOUT_S = 0.0233
"""From the exposure of the first row to that of the last: bands of a lamp stand that far apart in time."""
FOCUS_FRAMES = 12


@dataclass
class Board:
    """One camera on its ribbon. Tests set the first block of fields at any time, and read the second.

    Attributes:
        light: The scene's light; 1.0 is exposed for 18 ms at gain 1.
        lamp_hz: Frequency at which the lamp flickers; 0 for steady light.
        lamp_depth: Modulation of its light, 0 to 1.
        picture: (h, w, 3) uint8 scene in front of the lens as it looks in the target exposure; None: plain grey.
        sharp_at: Lens position in dioptres at which the scene is sharp; None: no contrast to focus on.
        busy: Another program holds the camera.
        unplugged: The ribbon is out: started, no frame comes; to be started, the sensor does not answer.
        stalled: No frame comes.
        absent: The Pi enumerates no camera.
        cropped: The pipeline ignores the sensor mode it is given where no raw stream asks for it, and uses the first.
        advertises: Controls that this libcamera knows besides the usual ones.
        ae_state: Name of the metadata that reports the convergence of exposure; "" if this libcamera has none.
        pace_s: Real time from frame to frame; the frames' own time stamps are always 33 ms apart.
        steps: Counts the frames that the sensor may still take; None: it takes one each `pace_s`.
    """

    sensor: Sensor
    light: float = 1.0
    lamp_hz: float = 0.0
    lamp_depth: float = 0.0
    picture: np.ndarray | None = None
    sharp_at: float | None = 4.0
    awb: tuple[float, float] = (2.1, 1.8)
    busy: bool = False
    unplugged: bool = False
    stalled: bool = False
    absent: bool = False
    cropped: bool = False
    advertises: tuple[str, ...] = ("AeFlickerMode", "AeFlickerPeriod")
    ae_state: str = "AeState"
    pace_s: float = 0.002
    steps: threading.Semaphore | None = None

    holders: int = 0
    starts: int = 0
    frames: int = 0
    controls: dict[str, Any] = field(default_factory=dict)
    sent: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    metadata: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=10_000))
    exposure: tuple[float, float, float] = (1_000.0, 1.0, 1.0)
    gains: tuple[float, float] = (1.0, 1.0)
    lens_position: float = 1.0
    scanned: int = 0

    def begin(self, controls: Mapping[str, Any]) -> None:
        """Start the sensor: every algorithm begins anew. Raises RuntimeError while the ribbon is out."""
        if self.unplugged:
            raise RuntimeError("Failed to start camera: Remote I/O error")
        self.starts += 1
        self.exposure, self.gains, self.lens_position, self.scanned = (1_000.0, 1.0, 1.0), (1.0, 1.0), 1.0, 0
        self.controls = {}
        self.apply(controls)

    def apply(self, controls: Mapping[str, Any]) -> None:
        """Take over controls that came with a request."""
        if controls:
            self.sent.append((self.frames, dict(controls)))
            if "AeEnable" in controls:
                mode = 0 if controls["AeEnable"] else 1
                self.controls |= {"ExposureTimeMode": mode, "AnalogueGainMode": mode}
            self.controls |= controls

    def expose(self, mode: Mode, size_wh: tuple[int, int]) -> tuple[np.ndarray, dict[str, Any]]:
        """The next frame, (h, w, 3) uint8 BGR, and its metadata."""
        self.frames += 1
        settled = self._auto_exposure()
        self._auto_white_balance()
        exposure_us, gain, digital = self.exposure
        metadata: dict[str, Any] = {
            "SensorTimestamp": 5_000_000_000 + self.frames * 33_333_000,
            "ExposureTime": round(exposure_us),
            "AnalogueGain": gain,
            "DigitalGain": digital,
            **({} if self.sensor.mono else {"ColourGains": self.gains}),
            "FrameDuration": 33_333,
            "ScalerCrop": scaler_crop(mode, size_wh),
        } | self._auto_focus()
        if self.ae_state == "AeState":
            metadata["AeState"] = 2 if settled else 1
        elif self.ae_state == "AeLocked":
            metadata["AeLocked"] = settled
        self.metadata.append(metadata)
        return self._rendered(size_wh), metadata

    def _auto_exposure(self) -> bool:
        """Move exposure towards the target, or hold what is set; whether it has converged."""
        if self.controls.get("ExposureTimeMode") == self.controls.get("AnalogueGainMode") == 1:
            self.exposure = (self.controls["ExposureTime"], self.controls["AnalogueGain"], 1.0)
            return True
        wanted = 18_000 / self.light
        total = math.prod(self.exposure)
        step = min(max(wanted / total, 0.8), 1.25)
        self.exposure = self._split(total * step)
        return abs(math.log(wanted / math.prod(self.exposure))) < 0.02

    def _split(self, total: float) -> tuple[float, float, float]:
        """Exposure (us), analogue and digital gain that make that product: the shutter first, then gain, in stages."""
        exposure_us, gain = min(total, STAGES[0][0]), 1.0
        for longest_us, highest in STAGES:
            exposure_us = min(longest_us, max(exposure_us, total / gain))
            gain = min(highest, max(gain, total / exposure_us))
        period_us = self.controls.get("AeFlickerPeriod", 0) if self.controls.get("AeFlickerMode") == 1 else 0
        if period_us and exposure_us >= period_us:
            whole_us = exposure_us // period_us * period_us
            gain = min(STAGES[-1][1], gain * exposure_us / whole_us)
            exposure_us = whole_us
        return exposure_us, gain, total / (exposure_us * gain)

    def _auto_white_balance(self) -> None:
        if self.controls.get("AwbEnable", True):
            red, blue = (old + (new - old) / 4 for old, new in zip(self.gains, self.awb, strict=True))
            self.gains = red, blue
        elif "ColourGains" in self.controls:
            self.gains = self.controls["ColourGains"]

    def _auto_focus(self) -> dict[str, Any]:
        """Metadata of the lens: scanning (1), focused (2) or failed (3) with continuous focus; idle (0) when held."""
        if not self.sensor.autofocus:
            return {}
        if self.controls.get("AfMode", 0) == 0:
            self.lens_position = self.controls.get("LensPosition", self.lens_position)
            return {"AfState": 0, "LensPosition": self.lens_position}
        self.scanned += 1
        if self.scanned <= FOCUS_FRAMES:
            self.lens_position = 0.5 * self.scanned
            return {"AfState": 1, "LensPosition": self.lens_position}
        self.lens_position = 1.0 if self.sharp_at is None else self.sharp_at
        return {"AfState": 3 if self.sharp_at is None else 2, "LensPosition": self.lens_position}

    def _rendered(self, size_wh: tuple[int, int]) -> np.ndarray:
        """The scene under this exposure, banded by the lamp."""
        width, height = size_wh
        relative = math.prod(self.exposure) * self.light / 18_000 * self._bands(height)
        display = np.minimum(relative * (1.0 if self.picture is not None else TARGET), 8.0) ** (1 / GAMMA)
        if self.picture is None:
            return np.broadcast_to(np.minimum(255 * display, 255).astype(np.uint8)[:, None, None], (height, width, 3))
        scene = self.picture if self.picture.shape[1::-1] == size_wh else cv2.resize(self.picture, size_wh)
        if not self.lamp_hz:
            return cv2.convertScaleAbs(scene, alpha=float(display[0]))  # in place of 45 MB of floats
        scene = scene.astype(np.float32)
        return np.clip(scene * display[:, None, None].astype(np.float32), 0, 255).astype(np.uint8)

    def _bands(self, height: int) -> np.ndarray:
        """(h,) the lamp's mean light while each row is exposed: the integral of 1 + depth sin(2 pi f t)."""
        if not self.lamp_hz:
            return np.ones(height)
        turn, exposure_s = 2 * math.pi * self.lamp_hz, self.exposure[0] / 1e6
        begun_s = self.frames / 30 + np.arange(height) / height * READOUT_S
        swing = np.cos(turn * begun_s) - np.cos(turn * (begun_s + exposure_s))
        return 1 + self.lamp_depth * swing / (turn * exposure_s)


def scaler_crop(mode: Mode, size_wh: tuple[int, int]) -> tuple[int, int, int, int]:
    """The (x, y, width, height) of the pixel array that a picture shows: the largest of its shape in the crop."""
    x, y, width, height = mode.crop_xywh
    used_w = min(width, height * size_wh[0] // size_wh[1])
    used_h = min(height, width * size_wh[1] // size_wh[0])
    return x + (width - used_w) // 2, y + (height - used_h) // 2, used_w, used_h
