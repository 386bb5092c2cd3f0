"""A camera whose pictures others may look at while the table watches: the newest one, or the next few."""

from __future__ import annotations

import threading
from collections import deque

from companion.errors import DeviceError
from vision.cameras import Camera, Frame

KEPT = 8
"""As many as a reference is averaged from; 30 MB at 1,280 x 960."""


class Tapped:
    """Passes a camera's frames on, and keeps hold of the last ones. They are not copied, so must not be changed."""

    def __init__(self, camera: Camera) -> None:
        self.name = camera.name
        self._camera = camera
        self._frames: deque[Frame] = deque(maxlen=KEPT)
        self._count = 0
        self._came = threading.Condition()
        self._held = False

    def start(self) -> None:
        """Open the camera."""
        self._camera.start()

    def frame(self) -> Frame | None:
        """The camera's next frame."""
        frame = self._camera.frame()
        if frame is not None:
            with self._came:
                if not self._held:
                    self._frames.clear()  # one is enough while nobody calibrates
                self._frames.append(frame)
                self._count += 1
                self._came.notify_all()
        return frame

    def stop(self) -> None:
        """Close the camera."""
        self._camera.stop()

    def newest(self) -> Frame | None:
        """The frame that came last; None before the first."""
        with self._came:
            return self._frames[-1] if self._frames else None

    def following(self, count: int, patience_s: float) -> list[Frame]:
        """The next `count` frames (at most eight). Raises DeviceError when they do not come in time."""
        with self._came:
            self._held = True
            try:
                due = self._count + count
                if not self._came.wait_for(lambda: self._count >= due, patience_s):
                    raise DeviceError("The camera gives no pictures.", "See to the camera first: /healthz tells more.")
                return list(self._frames)[-count:]
            finally:
                self._held = False
