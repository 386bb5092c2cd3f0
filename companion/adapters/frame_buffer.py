"""A camera shared by the table and the calibration page: the newest frame, or all following ones."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterator

from companion.errors import DeviceError
from vision.cameras import Camera, Frame


class FrameBuffer:
    """Wraps a camera: passes its frames on and keeps the newest. Frames are shared, so callers must not change them.

    `tap` is called with every frame, in the thread that asks for frames.

    Attributes:
        name: Name of the camera.
        source: The camera.
    """

    def __init__(self, camera: Camera, tap: Callable[[Frame], object] = lambda _frame: None) -> None:
        self.name = camera.name
        self._tap = tap
        self._used_s = time.monotonic()
        self.source = camera
        self._newest: Frame | None = None
        self._came = threading.Condition()
        self._count = self._followers = 0
        self._reserved_until_s = -math.inf

    def start(self) -> None:
        """Open the camera."""
        self._used_s = time.monotonic()
        self.source.start()

    def frame(self) -> Frame | None:
        """Return the camera's next frame for the table; None at the end of a recording. Raises the camera's errors.

        While a `following` context is open, and for the seconds set by `reserve`, the table gets no frames. They are
        only stored for `newest` and `following`, and the call waits until a later frame may be returned.
        """
        while True:
            self._used_s = time.monotonic()
            frame = self.source.frame()
            self._used_s = time.monotonic()
            if frame is not None:
                self._tap(frame)
            with self._came:
                if frame is not None:
                    self._newest = frame
                    self._count += 1
                    self._came.notify_all()
                if frame is None or not (self._followers or frame.at_s < self._reserved_until_s):
                    return frame

    def stop(self) -> None:
        """Close the camera. `newest` returns None until it sends frames again."""
        with self._came:
            self._newest = None
        self.source.stop()

    def unused_s(self) -> float:
        """Return the seconds since `frame` was last entered or left; many mean that the camera loop hangs."""
        return time.monotonic() - self._used_s

    def newest(self) -> Frame | None:
        """Return the newest frame without waiting; None while the camera is closed or has sent none yet."""
        with self._came:
            return self._newest

    def reserve(self, seconds: float) -> None:
        """Make `frame` skip the frames of `seconds` after the newest, so that no marker of a sheet is read as a die."""
        with self._came:
            if self._newest is not None:
                self._reserved_until_s = self._newest.at_s + seconds

    @contextlib.contextmanager
    def following(self, timeout_s: float) -> Iterator[Callable[[], Frame]]:
        """Context manager: yield a function that returns the camera's newest frame, each frame at most once.

        The function waits until a frame has come since its last call, at first since the context began. Of several it
        skips all but the newest. It raises DeviceError if none comes within `timeout_s`. Until the context ends, the
        table gets no frames: its call of `FrameBuffer.frame`, which fetches them in another thread, goes on waiting.
        """
        with self._came:
            self._followers += 1
            seen = self._count

        def following_frame() -> Frame:
            """Return the newest frame once one has come after the last one returned."""
            nonlocal seen
            with self._came:
                if not self._came.wait_for(lambda: self._count > seen, timeout_s) or self._newest is None:
                    cure = "Mend the camera first: /healthz says what is wrong."
                    raise DeviceError("The camera gives no pictures.", cure)
                seen = self._count
                return self._newest

        try:
            yield following_frame
        finally:
            with self._came:
                self._followers -= 1
