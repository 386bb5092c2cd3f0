"""Makes a camera from the setting that names it: `virtual`, `picamera2`, `opencv:INDEX`, `files:DIR`, `video:FILE`."""

from __future__ import annotations

from pathlib import Path

from companion.errors import SetupError, nearest
from vision.cameras import Camera

KINDS = ("virtual", "picamera2", "opencv:INDEX", "files:DIR", "video:FILE")
"""Forms of the camera setting, for messages."""
EXAMPLES = {"opencv": "opencv:0", "files": "files:photos", "video": "video:throws.mp4"}
"""An example of each setting that takes an argument, by the word before the colon."""
MAX_INDEX = 63
"""Largest index accepted: Linux numbers at most 64 video devices."""


def open_camera(spec: str, dice: int = 7, mains_hz: int = 0) -> Camera:
    """Make the camera that a setting names, without starting it.

    Args:
        spec: One of `virtual`, `picamera2`, `opencv:INDEX`, `files:DIR`, `video:FILE`.
        dice: How many dice lie ready in the virtual tray.
        mains_hz: Frequency of the mains for the Pi's camera, 50 or 60; 0 takes that of the machine's country.

    Raises:
        SetupError: For an unknown kind (with the nearest known one), a wrong index, a missing folder or file.

    >>> open_camera("virtual").name
    'virtual'
    """
    kind, colon, rest = spec.strip().partition(":")
    takes = {known.partition(":")[0]: known.partition(":")[2] for known in KINDS}
    if kind not in takes:
        raise SetupError([f"camera = {spec!r} is unknown{nearest(kind, KINDS)}"])
    if takes[kind] and not rest:
        raise SetupError([f"camera = {spec!r}: say which {takes[kind].lower()}, as in {EXAMPLES[kind]!r}."])
    if colon and not takes[kind]:
        raise SetupError([f"camera = {spec!r}: {kind!r} takes nothing after it; write {kind!r}."])
    # Imported only when used: each of them needs libraries that a table with another camera may not have.
    if kind == "virtual":
        from vision.cameras.simulated.camera import VirtualCamera

        return VirtualCamera(dice)
    if kind == "picamera2":
        from vision.cameras.picamera import Picamera2Camera

        return Picamera2Camera(mains=mains_hz)
    if kind == "files":
        from vision.cameras.files import FilesCamera

        return FilesCamera(Path(rest).expanduser())
    from vision.cameras.capture import IndexCamera, VideoCamera

    if kind == "opencv":
        return IndexCamera(_index(rest))
    path = Path(rest).expanduser()
    if not path.is_file():
        raise SetupError([f"There is no video file {str(path)!r}: check the path."])
    return VideoCamera(path)


def _index(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or int(text[:9]) > MAX_INDEX:
        raise SetupError([f"camera = 'opencv:{text}': the index is a whole number from 0, as in 'opencv:0'."])
    return int(text)
