"""OpenCV's cameras: a video file, and a USB or built-in camera by its index."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import DeviceError
from vision.cameras import FRAME_WAIT_S, SIZE_WH, Frame
from vision.images.loading import quiet_opencv
from vision.reading.reading import FrameBGR

OPEN_WAIT_S = 10.0
"""Longest wait, in seconds, for a live camera to open; then it counts as missing. An earlier `stop` that still closes
it is waited for as long before that. A USB camera that wakes up takes some seconds. Longer: one that never answers
blocks the table longer."""
FROZEN_S = 10.0
"""Seconds of identical pictures after which a live camera counts as frozen: noise makes any two pictures of a sensor
differ. A longer time reports it later; a shorter one may report a camera whose driver repeats pictures for a moment."""
COMPARED_EVERY_ROW = 16
"""Step, in rows, between the rows that are compared to find a frozen camera. Larger: faster, but fewer noisy pixels
show that the camera is alive, so one in dim light may count as frozen."""
DEFAULT_FPS = 30.0
"""Frame rate, in frames per second, assumed for a video file that states none. It sets the times of its frames: at
twice the true rate dice seem to rest half as long, so that throws may be missed."""
MAX_LAG_S = 2.0
"""Seconds by which the reader may lag behind the video's own time before frames are skipped. A larger one makes slow
machines take longer for a video; a smaller one skips frames earlier."""
SKIP_S = 0.1
"""Interval between the frames that a lagging reader gets, in seconds of the video. Short enough to see dice come to
rest; a longer one catches up sooner and misses short rests."""


class VideoCamera:
    """A recorded video. Its times are the file's own, from 0 s, and frames come as fast as they decode.

    A reader that lags by more than MAX_LAG_S gets fewer, so that a slow machine needs no longer than the video.
    """

    name = "video"

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._path, self._clock = path, clock
        self._capture: cv2.VideoCapture | None = None
        self._began_s: float | None = None

    def start(self) -> None:
        """Open the video file at its beginning, unless it is open. Raises DeviceError if OpenCV can't open it."""
        if self._capture is not None:
            return
        quiet_opencv()
        capture = cv2.VideoCapture(str(self._path))
        if not capture.isOpened():
            capture.release()
            raise self._unreadable()
        self._capture = capture
        fps = capture.get(cv2.CAP_PROP_FPS)
        self._period_s = 1 / (fps if math.isfinite(fps) and fps > 0 else DEFAULT_FPS)
        self._at_s, self._began_s = -self._period_s, None

    def frame(self) -> Frame | None:
        """Return the file's next frame with its time in the video; None after the last one.

        The call does not wait for that time. A caller that lags the video by more than MAX_LAG_S misses frames. Raises
        DeviceError if the video was not started. If no frame at all can be decoded, the file is closed, then
        DeviceError is raised.
        """
        if self._capture is None:
            raise DeviceError("The video was asked for a frame before its start.", "Start it first.")
        if self._began_s is None:
            self._began_s = self._clock()
        if self._clock() - self._began_s > self._at_s + MAX_LAG_S:
            self._skip(self._capture)
        image_bgr = picture_of(self._capture)
        if image_bgr is None:
            if self._at_s >= 0:  # there were some
                return None
            self.stop()
            raise self._unreadable()
        self._at_s = self._time_of(self._capture)
        return Frame(image_bgr, self._at_s)

    def stop(self) -> None:
        """Close the video file. A later `start` plays it from the beginning."""
        if self._capture is not None:
            self._capture.release()
            self._capture = None

    def _skip(self, capture: cv2.VideoCapture) -> None:
        """Skip frames of the open file, so that the next one read is about SKIP_S after the last one.

        The times of the frames count, not the file's frame rate: browsers record WebM with a rate of 1,000.
        """
        due_s, gap_s = self._at_s + SKIP_S, self._period_s
        with contextlib.suppress(cv2.error):
            while self._at_s + 1.4 * gap_s < due_s and capture.grab():
                at_s = self._time_of(capture)
                self._at_s, gap_s = at_s, at_s - self._at_s

    def _time_of(self, capture: cv2.VideoCapture) -> float:
        """Return the time in seconds of the frame that was grabbed last; it is later than that of the one before."""
        timestamp_s = max(0.0, capture.get(cv2.CAP_PROP_POS_MSEC) / 1000)
        # Some containers tell no times, or the same one twice; then the frame rate has to do.
        return timestamp_s if self._at_s < timestamp_s < math.inf else self._at_s + self._period_s

    def _unreadable(self) -> DeviceError:
        return DeviceError(
            f"{str(self._path)!r} can't be read as a video.", "Convert it to MP4 (H.264) or AVI (MJPEG) and try again."
        )


class IndexCamera:
    """A live camera that OpenCV finds at an index (0 is the first).

    OpenCV's calls can block for longer than a table should wait, so one thread of its own makes them all, in order.
    """

    def __init__(self, index: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.name = f"opencv:{index}"
        self._index, self._clock = index, clock
        self._thread: ThreadPoolExecutor | None = None
        self._closing: Future[None] | None = None
        self._rows: NDArray[np.uint8] | None = None
        """Rows of the last picture that differed from the one before; it came at `_changed_s`. Both outlast a restart:
        a camera that is still frozen then fails at once."""
        self._changed_s = -math.inf

    def start(self) -> None:
        """Open the camera, unless it is open. Wait up to 10 s for an earlier `stop` that is still closing it.

        Raises DeviceError if that takes longer, no camera is at the index, or it does not answer within 10 s more.
        """
        if self._thread is not None:
            return
        quiet_opencv()
        if self._closing is None or not wait([self._closing], OPEN_WAIT_S).not_done:
            self._thread = ThreadPoolExecutor(1, "camera")
            self._opening = opening = self._thread.submit(_opened, self._index)
            with contextlib.suppress(TimeoutError, cv2.error):
                if self._thread.submit(lambda: opening.result().isOpened()).result(OPEN_WAIT_S):
                    return
            self.stop()
        raise DeviceError(
            f"There is no camera {self._index}, or another program holds it.",
            "Plug it in, close other programs that use it, or try another index (opencv:0, opencv:1, ...).",
        )

    def frame(self) -> Frame:
        """Return the next frame, stamped with the clock's time.

        Raises DeviceError if the camera is not started. If reading fails or takes over 2 s, or the picture is frozen,
        the camera is closed first, then DeviceError is raised.
        """
        if self._thread is None:
            raise DeviceError("The camera was asked for a frame before its start.", "Start it first.")
        image_bgr = None
        with contextlib.suppress(TimeoutError):
            image_bgr = self._thread.submit(picture_of, self._opening.result()).result(FRAME_WAIT_S)
        if image_bgr is None:
            self.stop()
            raise DeviceError(
                f"Camera {self._index} sends no pictures any more.",
                "Check its cable and plug it in again. A running table retries it.",
            )
        now_s = self._clock()
        if self._frozen(image_bgr[::COMPARED_EVERY_ROW], now_s):
            self.stop()
            raise DeviceError(
                f"Camera {self._index} sends the same picture again and again.",
                "Plug it out and in. A running table retries it.",
            )
        return Frame(image_bgr, now_s)

    def _frozen(self, rows: NDArray[np.uint8], now_s: float) -> bool:
        """Return whether `rows` of the picture at `now_s` seconds have been the same for more than FROZEN_S.

        Rows that differ from those of the last call are stored with `now_s` for the next calls. False on the first
        call, and for rows in which all values of all channels are equal: black in the dark, or overexposed.
        """
        if self._rows is None or not np.array_equal(rows, self._rows):
            self._rows, self._changed_s = rows.copy(), now_s
        return now_s - self._changed_s > FROZEN_S and bool(np.ptp(rows))

    def stop(self) -> None:
        """Close the camera without waiting. A call that still hangs in OpenCV delays the closing in the background."""
        if self._thread is not None:
            self._closing = self._thread.submit(lambda opening: opening.result().release(), self._opening)
            self._thread.shutdown(wait=False)
            self._thread = None


def _opened(index: int) -> cv2.VideoCapture:
    """Open OpenCV's camera at `index` for MJPEG pictures of SIZE_WH.

    If there is no camera at `index`, the returned capture is not open.
    """
    capture = cv2.VideoCapture(index)
    # Uncompressed, USB 2 has room for only a few pictures of this size a second.
    capture.set(cv2.CAP_PROP_FOURCC, float(cv2.VideoWriter.fourcc(*"MJPG")))
    capture.set(cv2.CAP_PROP_FRAME_WIDTH, float(SIZE_WH[0]))
    capture.set(cv2.CAP_PROP_FRAME_HEIGHT, float(SIZE_WH[1]))
    # An old picture from the driver's queue would show the tray as it was; not all drivers obey.
    capture.set(cv2.CAP_PROP_BUFFERSIZE, 1.0)
    return capture


def picture_of(capture: cv2.VideoCapture) -> FrameBGR | None:
    """Return the next picture of a capture as (h, w, 3) uint8 BGR; None if it has none or OpenCV fails."""
    try:
        got, image = capture.read()
    except cv2.error:
        return None
    if not got or image is None or image.size == 0:
        return None
    if image.ndim == 2:  # a monochrome camera
        image = cv2.cvtColor(image, cv2.COLOR_GRAY2BGR)
    return image.astype(np.uint8, copy=False)
