"""The Raspberry Pi's own camera, through picamera2."""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, InvalidStateError
from typing import Any

import numpy as np

from companion.errors import DeviceError
from vision.cameras import FRAME_WAIT_S, SIZE_WH, Exposure, Frame
from vision.cameras.field import MIN_FIELD_SHARE, SensorField, SizeWH, widest_mode
from vision.cameras.flicker import country, mains_hz
from vision.cameras.locking import AutoLock
from vision.reading.reading import FrameBGR

log = logging.getLogger(__name__)

BUFFERS = 3
"""Number of frame buffers: one is filled, one waits, one is read. More take 3.7 MB each; fewer lose frames."""
FAULTS = (RuntimeError, OSError, ValueError, KeyError, TypeError, CancelledError, InvalidStateError)
"""Exceptions that picamera2 and libcamera raise when a camera fails."""

GET_THE_LIBRARY = "Run `sudo apt install python3-picamera2` and make the venv with `--system-site-packages`."
SEAT_THE_RIBBON = (
    "Switch the Pi off, seat the camera's ribbon at both ends (contacts towards the contacts of the socket, latch"
    " pressed down), switch it on and check with `rpicam-hello --list-cameras`."
)
FIT_NUMPY = (
    "On Bookworm picamera2's simplejpeg is built for NumPy 1: use apt's OpenCV (`sudo apt install python3-opencv`)"
    " and no newer NumPy in the venv, or run `pip install --upgrade simplejpeg` there; on Trixie both fit."
)
RETRIED = "Check the ribbon at both ends. A running table starts the camera again by itself."
UPDATE = "Run `sudo apt full-upgrade` and restart: this system's picamera2 does not keep the sensor mode it is given."


class Picamera2Camera:
    """A camera on the Pi's ribbon: pictures in B,G,R, which picamera2 calls RGB888.

    The sensor mode is the one that shows most of the scene. Exposure, white balance and focus are held once they have
    converged, so that a hand over the tray does not change the picture (`vision.cameras.locking`). Frames carry the
    sensor's own time where it tells it, else the time of `clock`, in seconds and monotonic. `mains` is the frequency of
    the mains in Hz, 50 or 60; 0 takes that of the machine's country.
    """

    name = "picamera2"

    def __init__(self, clock: Callable[[], float] = time.monotonic, mains: int = 0, size_wh: SizeWH = SIZE_WH) -> None:
        self.field: SensorField | None = None
        self.autofocus = False
        self._clock, self._size_wh = clock, size_wh
        self._mains_hz = mains_hz(mains, country())
        self._device: Any = None
        self._lens_position: float | None = None
        self._refocus = False
        self._modes: dict[str, Any] = {}

    def start(self) -> None:
        """Open and start the camera, unless it is started.

        Raises DeviceError if that fails or picamera2 can't be loaded.
        """
        if self._device is not None:
            return
        self._at_s = -1.0
        self._seen = False
        self._device = _opened()
        try:
            self._configure(self._device)
            self._refocus = False
            self.autofocus = "AfMode" in self._device.camera_controls
            self._lock = AutoLock(self._device.camera_controls, self._mains_hz, self._lens_position)
            self._device.set_controls(self._lock.at_start())
            self._device.start()
        except FAULTS as refused:
            self.stop()
            raise DeviceError(f"The camera does not start ({refused}).", RETRIED) from refused

    def frame(self) -> Frame:
        """Return the next frame of the ribbon camera, with its time and exposure.

        After each frame the camera's `AutoLock` may lock or unlock exposure, white balance and focus for later frames.

        Raises DeviceError, with the camera closed, if
        - the camera was not started, or fails,
        - no frame comes within FRAME_WAIT_S,
        - the first picture after the start shows less of the sensor than its mode should.
        """
        if self._device is None:
            raise DeviceError("The camera was asked for a frame before its start.", "Start it first.")
        try:
            with self._device.captured_request(wait=FRAME_WAIT_S) as request:
                image_bgr = np.ascontiguousarray(request.make_array("main"), np.uint8)
                metadata: dict[str, Any] = request.get_metadata()
            self._check_field(metadata)
            self._at_s = self._time_of(metadata)
            exposure = self._adjusted(metadata, image_bgr)
        except TimeoutError as late:
            # Jobs left in picamera2's queue would keep its close() waiting for frames that never come.
            with contextlib.suppress(*FAULTS):
                self._device.cancel_all_and_flush()
            self.stop()
            raise DeviceError("The camera sends no pictures any more.", RETRIED) from late
        except FAULTS as fault:
            self.stop()
            raise DeviceError(f"The camera failed ({fault}).", RETRIED) from fault
        return Frame(image_bgr, self._at_s, exposure)

    def stop(self) -> None:
        """Stop and close the camera, so that this or another program can open it. Faults are logged, not raised."""
        device, self._device = self._device, None
        if device is None:
            return
        for step in (device.stop, device.close):
            try:
                step()
            except FAULTS as fault:
                log.warning("the camera did not close cleanly: %s", fault)

    def focus_at(self, lens_position: float | None) -> None:
        """Hold the lens at `lens_position` dioptres from the next frame on. None: focus once more, then hold."""
        self._lens_position, self._refocus = lens_position, True

    def _configure(self, device: Any) -> None:
        """Configure a picamera2 device for the widest sensor mode; set `field` to the part of the sensor it shows.

        If no mode reports its crop, picamera2 chooses the mode, and `field` stays unchanged. Raises one of FAULTS on
        failure.
        """
        model = str(device.camera_properties.get("Model", "unknown"))
        if model not in self._modes:  # reading them configures the camera for each, which takes about a second
            self._modes = {model: widest_mode(device.sensor_modes, self._size_wh)}
        main, sensor = {"size": self._size_wh, "format": "RGB888"}, {}
        if self._modes[model] is not None:
            mode, used_w = self._modes[model]
            sensor = {"output_size": mode["size"], "bit_depth": mode["bit_depth"]}
            array_w = device.camera_properties.get("PixelArraySize", mode["crop_limits"][2:])[0]
            self.field = SensorField(model, mode["size"], used_w, array_w)
        device.configure(device.create_video_configuration(main=main, raw=None, buffer_count=BUFFERS, sensor=sensor))

    def _check_field(self, metadata: dict[str, Any]) -> None:
        """Stop the camera and raise DeviceError if a picture shows over 1 % fewer sensor columns than its mode should.

        Does nothing while either number is unknown. After a start, only the first picture that tells its number is
        checked. `metadata` is picamera2's for the picture.
        """
        if self._seen or self.field is None or "ScalerCrop" not in metadata:
            return
        self._seen = True
        used_w, wanted_w = metadata["ScalerCrop"][2], self.field.used_w
        if used_w < MIN_FIELD_SHARE * wanted_w:
            self.stop()
            raise DeviceError(f"The camera shows {used_w} of the {wanted_w} columns that its sensor could.", UPDATE)

    def _adjusted(self, metadata: dict[str, Any], image_bgr: FrameBGR) -> Exposure:
        """Let `AutoLock` examine a frame, send the camera the controls it returns, and return the frame's exposure.

        For the first frame after a call of `focus_at`, the focus controls are sent, too. Raises one of FAULTS if the
        camera fails.
        """
        refocused: dict[str, Any] = {}
        if self._refocus:
            self._refocus = False
            refocused = self._lock.focus_at(self._lens_position, self._at_s)
        exposure, controls = self._lock.after(metadata, image_bgr, self._at_s)
        controls |= refocused
        if controls:
            self._device.set_controls(controls)
        return exposure

    def _time_of(self, metadata: dict[str, Any]) -> float:
        """Return a frame's time in seconds: the sensor's, or else the clock's; always later than the last frame's."""
        at_s = metadata["SensorTimestamp"] / 1e9 if "SensorTimestamp" in metadata else self._clock()
        return at_s if at_s > self._at_s else self._at_s + 1e-3


def _opened() -> Any:
    """Open the first camera and return its `Picamera2` object. Raises DeviceError if that fails, or there is none."""
    make = _library().Picamera2
    device: Any = None
    try:
        if not make.global_camera_info():
            # libcamera enumerates once a process; picamera2 asks it anew only when told to.
            make._cm.reset()  # noqa: SLF001
        if not make.global_camera_info():
            raise DeviceError("The Pi finds no camera.", SEAT_THE_RIBBON)
        # The constructor opens a pipe before it can fail: the object is made first, so that the pipe can be closed.
        device = make.__new__(make)
        device.__init__()
    except (*FAULTS, IndexError) as refused:
        with contextlib.suppress(AttributeError, OSError):
            device.notifymeread.close()
            os.close(device.notifyme_w)
        raise DeviceError(
            f"The camera can't be opened ({refused.__cause__ or refused}).",
            "Close other programs that use it, then start again.",
        ) from refused
    return device


def _library() -> Any:
    """Import and return picamera2. Raises DeviceError if it is missing, or fails to load, as with a wrong NumPy."""
    try:
        return importlib.import_module("picamera2")
    except (ImportError, ValueError, AttributeError) as fault:
        if isinstance(fault, ModuleNotFoundError) and str(fault.name).partition(".")[0] in {"picamera2", "libcamera"}:
            raise DeviceError("The library of the Pi's camera, picamera2, is not there.", GET_THE_LIBRARY) from fault
        first = str(fault).partition("\n")[0]
        raise DeviceError(f"picamera2 can't be loaded with NumPy {np.__version__} ({first}).", FIT_NUMPY) from fault
