"""A camera whose pictures others may look at while the table watches: the newest one, or those that follow."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Iterator

from companion.errors import DeviceError
from vision.cameras import Camera, Frame


class FrameBuffer:
    """Passes a camera's frames on, and keeps the last one. Frames are not copied, so nobody may change them.

    Attributes:
        source: The camera.
    """

    def __init__(self, camera: Camera) -> None:
        self.name = camera.name
        self._used_s = time.monotonic()
        self.source = self._camera = camera
        self._newest: Frame | None = None
        self._came = threading.Condition()
        self._count = self._followers = 0
        self._reserved_until_s = -math.inf

    def start(self) -> None:
        """Open the camera."""
        self._used_s = time.monotonic()
        self._camera.start()

    def frame(self) -> Frame | None:
        """The camera's next frame; while someone follows, or has reserved the camera, the first one after that."""
        while True:
            self._used_s = time.monotonic()
            frame = self._camera.frame()
            self._used_s = time.monotonic()
            with self._came:
                if frame is not None:
                    self._newest = frame
                    self._count += 1
                    self._came.notify_all()
                if frame is None or not (self._followers or frame.at_s < self._reserved_until_s):
                    return frame

    def stop(self) -> None:
        """Close the camera."""
        self._camera.stop()

    def unused_s(self) -> float:
        """Seconds since the camera's loop last asked for a frame or got one: the proof that it goes round."""
        return time.monotonic() - self._used_s

    def newest(self) -> Frame | None:
        """The frame that came last; None before the first."""
        with self._came:
            return self._newest

    def reserve(self, seconds: float) -> None:
        """Keep the frames of the next seconds from the table: it would take the sheet's markers for dice."""
        with self._came:
            if self._newest is not None:
                self._reserved_until_s = self._newest.at_s + seconds

    @contextlib.contextmanager
    def following(self, patience_s: float) -> Iterator[Following]:
        """The frames from now on; `patience_s` is how long the next one may take."""
        with self._came:
            self._followers += 1
        try:
            yield Following(self, patience_s)
        finally:
            with self._came:
                self._followers -= 1

    def after(self, count: int, patience_s: float) -> tuple[Frame, int]:
        """The newest frame once more than `count` have come, and how many have. Raises DeviceError: not in time."""
        with self._came:
            if not self._came.wait_for(lambda: self._count > count, patience_s) or self._newest is None:
                raise DeviceError("The camera gives no pictures.", "See to the camera first: /healthz tells more.")
            return self._newest, self._count

    @property
    def count(self) -> int:
        """How many frames have come."""
        return self._count


class Following:
    """Frames as they come, each at most once; what comes while the last one is looked at is left out."""

    def __init__(self, buffer: FrameBuffer, patience_s: float) -> None:
        self._buffer, self._patience_s, self._count = buffer, patience_s, buffer.count

    def frame(self) -> Frame:
        """The next frame. Raises DeviceError."""
        frame, self._count = self._buffer.after(self._count, self._patience_s)
        return frame
