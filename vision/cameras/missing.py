"""A stand-in for a camera that can't be opened: it tries again at each start."""

from __future__ import annotations

from collections.abc import Callable

from companion.errors import DeviceError, SetupError
from vision.cameras import Camera, Frame


class MissingCamera:
    """Stands in for a camera that can't be opened, and passes its frames on as soon as `open_` opens it."""

    def __init__(self, name: str, open_: Callable[[], Camera]) -> None:
        self.name, self._open = name, open_
        self._camera: Camera | None = None

    def start(self) -> None:
        """Open the real camera, unless it is open, and start it. Raises DeviceError if either fails."""
        try:
            self._camera = self._camera or self._open()
        except SetupError as wrong:
            raise DeviceError(str(wrong), "It is tried again by itself.") from None
        self._camera.start()

    def frame(self) -> Frame | None:
        """Return the camera's next frame; None after a recording. Raises DeviceError if it is not open, or fails."""
        if self._camera is None:
            raise DeviceError("The camera was asked for a frame before its start.", "Start it first.")
        return self._camera.frame()

    def stop(self) -> None:
        """Close the real camera, if it was opened."""
        if self._camera is not None:
            self._camera.stop()
