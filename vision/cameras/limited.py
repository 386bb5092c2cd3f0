"""A camera that is watched for a limited time."""

from __future__ import annotations

from vision.cameras import Camera, Frame


class LimitedCamera:
    """Wraps a camera, whose frames end `limit_s` seconds after the first one, by their own clock.

    `ended` tells whether the recording has ended by itself since the last `start`.
    """

    def __init__(self, camera: Camera, limit_s: float) -> None:
        self.name, self.ended = camera.name, False
        self._camera, self._limit_s = camera, limit_s
        self._since_s: float | None = None

    def restart(self) -> None:
        """Let the time limit count from the next frame."""
        self._since_s = None

    def start(self) -> None:
        """Open the wrapped camera and clear `ended`. The time limit goes on. Raises DeviceError if that fails."""
        self.ended = False
        self._camera.start()

    def frame(self) -> Frame | None:
        """Return the wrapped camera's next frame; None once the time limit is over or the recording has ended.

        Sets `ended` in the latter case. Raises DeviceError if the camera fails.
        """
        frame = self._camera.frame()
        if frame is None:
            self.ended = True
            return None
        self._since_s = frame.at_s if self._since_s is None else self._since_s
        return frame if frame.at_s - self._since_s < self._limit_s else None

    def stop(self) -> None:
        """Close the wrapped camera."""
        self._camera.stop()
