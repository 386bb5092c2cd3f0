"""The registry of cameras: makes the camera that the setting [camera] source names, or a stand-in until it opens."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from companion.errors import DeviceError, SetupError, nearest
from vision.cameras import Camera, Frame

MAX_INDEX = 63
"""Largest camera index, as in `opencv:0`, that the setting accepts. A higher limit accepts more mistyped numbers. It
must stay below 100: OpenCV reads the hundreds as a backend's number."""


@dataclass(frozen=True, slots=True)
class CameraKind:
    """One kind of camera, as settings, messages and help need it.

    Attributes:
        make: Builds the camera, not started, from the text after the colon (empty without one), the number of dice and
            the mains frequency. It imports the camera's module itself: another table may lack its library.
        summary: One line for the documentation.
        argument: Name of the text that must follow the colon, as `INDEX`; empty when the kind takes none.
        example: A text that may follow the colon, for messages.
        simulated: Whether it films no real tray: it needs no calibration, and a failure does not mend by waiting.
    """

    make: Callable[[str, int, int], Camera]
    summary: str
    argument: str = ""
    example: str = ""
    simulated: bool = False


def _virtual(_rest: str, dice: int, _mains_hz: int) -> Camera:
    from vision.cameras.simulated.camera import VirtualCamera

    return VirtualCamera(dice)


def _picamera2(_rest: str, _dice: int, mains_hz: int) -> Camera:
    from vision.cameras.picamera import Picamera2Camera

    return Picamera2Camera(mains=mains_hz)


def _opencv(index: str, _dice: int, _mains_hz: int) -> Camera:
    from vision.cameras.capture import IndexCamera

    number = re.fullmatch(r"0*([0-9]{1,2})", index)
    if number is None or int(number[1]) > MAX_INDEX:
        raise SetupError([f"camera = 'opencv:{index}': the index is 0 to {MAX_INDEX}, as in 'opencv:0'."])
    return IndexCamera(int(number[1]))


def _files(folder: str, _dice: int, _mains_hz: int) -> Camera:
    from vision.cameras.files import FilesCamera

    return FilesCamera(Path(folder).expanduser())


def _video(file: str, _dice: int, _mains_hz: int) -> Camera:
    from vision.cameras.capture import VideoCamera

    path = Path(file).expanduser()
    if not path.is_file():
        raise SetupError([f"There is no video file {str(path)!r}: check the path."])
    return VideoCamera(path)


CAMERAS: dict[str, CameraKind] = {
    "virtual": CameraKind(_virtual, "No camera: a rendered tray; the page `/tray` throws its dice.", simulated=True),
    "picamera2": CameraKind(_picamera2, "The camera on a Raspberry Pi's ribbon cable."),
    "opencv": CameraKind(_opencv, "A USB camera, by its number from 0.", "INDEX", "0"),
    "files": CameraKind(_files, "The photos of a folder, one after the other.", "DIR", "photos", simulated=True),
    "video": CameraKind(_video, "A video file, read as fast as it decodes.", "FILE", "throws.mp4", simulated=True),
}
"""Every camera by its name. Messages, help and the settings page of the documentation read it
(docs/how-to/add-a-camera.md)."""
FORMS = tuple(f"{name}:{kind.argument}" if kind.argument else name for name, kind in CAMERAS.items())
"""Every form of the setting, as a person writes it: `virtual`, `opencv:INDEX`."""


def open_camera(spec: str, dice: int = 7, mains_hz: int = 0) -> Camera:
    """Return the camera that the setting [camera] source names, not started yet.

    `dice` is the number of dice in a virtual tray. `mains_hz` is the frequency of the mains for the Pi's camera, 50 or
    60; 0 takes that of the machine's country.

    Raises SetupError for an unknown kind (with the nearest known one) and for a wrong index. Also raises it for a
    folder or file that is missing or that this user may not reach, and for a folder without photos. A text
    after the colon that is missing or not wanted raises it, too.

    >>> open_camera("virtual").name
    'virtual'
    """
    name, colon, rest = spec.strip().partition(":")
    if name not in CAMERAS:
        raise SetupError([f"camera = {spec!r} is unknown{nearest(name, FORMS)}"])
    kind = CAMERAS[name]
    if kind.argument and not rest:
        example = f"{name}:{kind.example}"
        raise SetupError([f"camera = {spec!r}: say which {kind.argument.lower()}, as in {example!r}."])
    if colon and not kind.argument:
        raise SetupError([f"camera = {spec!r}: {name!r} takes nothing after it; write {name!r}."])
    try:
        return kind.make(rest, dice, mains_hz)
    except (OSError, RuntimeError) as refused:  # a path that may not be reached, or the home folder of no user
        raise SetupError([f"camera = {spec!r} can't be opened ({refused}): check the path."]) from None


def is_simulated_camera(source: str) -> bool:
    """Return whether the setting [camera] source names a simulated camera. Names that are not registered are not."""
    kind = CAMERAS.get(source.strip().partition(":")[0])
    return kind is not None and kind.simulated


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
