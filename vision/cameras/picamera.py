"""The Raspberry Pi's own camera, through picamera2."""

from __future__ import annotations

import contextlib
import importlib
import logging
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, InvalidStateError
from typing import Any

import numpy as np

from companion.errors import DeviceError
from vision.cameras import Frame
from vision.reading.reading import FrameBGR

log = logging.getLogger(__name__)

SIZE_WH = (1280, 960)
"""1280 has no padding at the end of a row on any Pi, so the main stream is the picture as it is."""
FRAME_WAIT_S = 2.0
LOCK_AFTER_FRAMES = 45
"""Exposure, white balance and focus find their values in about a second; then they are held (see `_lock`)."""
AF_MANUAL, AF_CONTINUOUS = 0, 2
"""libcamera's AfModeEnum."""
FAULTS = (RuntimeError, OSError, ValueError, KeyError, CancelledError, InvalidStateError)
"""What picamera2 and libcamera's bindings let through when a camera is ill; the job's cancelling races with its end."""

GET_THE_LIBRARY = "Run `sudo apt install python3-picamera2` and make the venv with `--system-site-packages`."
SEAT_THE_RIBBON = (
    "Switch the Pi off, seat the camera's ribbon at both ends (contacts towards the contacts of the socket, latch"
    " pressed down), switch it on and check with `rpicam-hello --list-cameras`."
)
RETRIED = "Check the ribbon at both ends; the camera is started again by itself."


class Picamera2Camera:
    """A camera on the Pi's ribbon: 1280 x 960, B,G,R in memory (picamera2 calls that RGB888).

    Times are the sensor's own where it tells them, else `clock`. After 45 frames exposure, gain, white
    balance and focus are held, so that a hand over the tray does not change the picture; a restart measures them again.
    """

    name = "picamera2"

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._device: Any = None

    def start(self) -> None:
        """Open the camera. Raises DeviceError: no library, no camera, or one that is in use."""
        if self._device is not None:
            return
        self._taken = 0
        self._at_s = -1.0
        make = _library().Picamera2
        try:
            self._device = make()
        except IndexError as none:
            raise DeviceError("The Pi finds no camera.", SEAT_THE_RIBBON) from none
        except FAULTS as refused:
            raise DeviceError(
                f"The camera can't be opened ({refused}).", "Close other programs that use it, then start again."
            ) from refused
        try:
            main = {"size": SIZE_WH, "format": "RGB888"}
            self._device.configure(self._device.create_video_configuration(main=main))
            if self._has_autofocus():
                self._device.set_controls({"AfMode": AF_CONTINUOUS})
            self._device.start()
        except FAULTS as refused:
            self.stop()
            raise DeviceError(f"The camera does not start ({refused}).", RETRIED) from refused

    def frame(self) -> Frame:
        """The next frame. Raises DeviceError when none comes within 2 s; then the camera is closed."""
        if self._device is None:
            raise DeviceError("The camera was asked for a frame before its start.", "Start it first.")
        try:
            with self._device.captured_request(wait=FRAME_WAIT_S) as request:
                image_bgr = self._picture(request.make_array("main"))
                metadata: dict[str, Any] = request.get_metadata()
            if self._taken == LOCK_AFTER_FRAMES:
                self._lock(metadata)
        except TimeoutError as late:
            # Jobs left in picamera2's queue would keep its close() waiting for frames that never come.
            with contextlib.suppress(*FAULTS):
                self._device.cancel_all_and_flush()
            self.stop()
            raise DeviceError("The camera sends no pictures any more.", RETRIED) from late
        except FAULTS as fault:
            self.stop()
            raise DeviceError(f"The camera failed ({fault}).", RETRIED) from fault
        self._at_s = self._time_of(metadata)
        self._taken += 1
        return Frame(image_bgr, self._at_s)

    def stop(self) -> None:
        """Stop and close the camera, so that it can be opened again, by us or another program."""
        device, self._device = self._device, None
        if device is None:
            return
        for step in (device.stop, device.close):
            try:
                step()
            except FAULTS as fault:
                log.warning("the camera did not close cleanly: %s", fault)

    def _picture(self, array: Any) -> FrameBGR:
        picture = np.asarray(array)
        if picture.ndim != 3 or picture.shape[2] < 3:
            raise ValueError(f"a picture of shape {picture.shape}")
        return np.ascontiguousarray(picture[:, :, :3], dtype=np.uint8)

    def _time_of(self, metadata: dict[str, Any]) -> float:
        at_s = metadata["SensorTimestamp"] / 1e9 if "SensorTimestamp" in metadata else self._clock()
        return at_s if at_s > self._at_s else self._at_s + 1e-3

    def _has_autofocus(self) -> bool:
        return "AfMode" in self._device.camera_controls

    def _lock(self, metadata: dict[str, Any]) -> None:
        """Hold what the camera has found by itself: else the reader's thresholds follow every hand and lamp."""
        held: dict[str, Any] = {
            key: metadata[key] for key in ("ExposureTime", "AnalogueGain", "ColourGains") if key in metadata
        }
        held |= {"AeEnable": False, "AwbEnable": False}
        if self._has_autofocus() and "LensPosition" in metadata:
            held |= {"AfMode": AF_MANUAL, "LensPosition": metadata["LensPosition"]}
        self._device.set_controls(held)


def _library() -> Any:
    """The module picamera2. Raises DeviceError: not installed, or built for another NumPy than the one found."""
    try:
        return importlib.import_module("picamera2")
    except ModuleNotFoundError as missing:
        if missing.name is not None and missing.name.split(".")[0] in {"picamera2", "libcamera"}:
            raise DeviceError("The library of the Pi's camera, picamera2, is not there.", GET_THE_LIBRARY) from missing
        raise _misfit(missing) from missing
    except (ImportError, ValueError, AttributeError) as misfit:
        raise _misfit(misfit) from misfit


def _misfit(fault: Exception) -> DeviceError:
    first = str(fault).partition("\n")[0]
    return DeviceError(
        f"picamera2 can't be loaded with NumPy {np.__version__} ({first}).",
        "On Bookworm picamera2's simplejpeg is built for NumPy 1: use apt's OpenCV (`sudo apt install python3-opencv`)"
        " and no newer NumPy in the venv, or run `pip install --upgrade simplejpeg` there; on Trixie both fit.",
    )
