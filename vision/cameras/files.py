"""A folder of photos as a camera: each photo lies in the tray for a while, then the tray is cleared."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np

from companion.errors import DeviceError, PictureError, SetupError
from vision.cameras import SIZE_WH, Frame
from vision.cameras.field import SizeWH
from vision.images.loading import picture_in
from vision.reading.reading import FrameBGR

log = logging.getLogger(__name__)

SUFFIXES = frozenset({".bmp", ".gif", ".heic", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"})
"""File name endings that count as photos. HEIC can't be decoded, but a warning in the log is better than silence."""
GREY_BGR = (128, 128, 128)
"""Neutral grey in frames of the `files` camera. It fills the margins around a photo, and the empty tray between two."""
FPS = 15.0
"""Frames per second of the `files` camera. A photo does not change, so a higher rate only costs computing time."""
SHOWN_S = 4.0
"""Seconds for which each photo is shown: long enough to be detected as at rest and read on a slow machine. A shorter
one may skip photos; a longer one makes the folder take longer."""
CLEARED_S = 0.6
"""Seconds for which an empty tray is shown between two photos, so that the watcher notices that the dice were taken. A
shorter one may join two throws; a longer one only takes time."""


def photos_in(folder: Path) -> tuple[Path, ...]:
    """Return the paths of a folder's photos, ordered by name with numbers by their value (2.jpg before 10.jpg).

    Raises SetupError if the folder is missing, can't be listed or holds no photo.
    """
    try:
        if not folder.is_dir():
            raise SetupError([f"There is no folder {str(folder)!r}: make it and put photos of dice into it."])
        found = [path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES and path.is_file()]
    except OSError as refused:
        raise SetupError([f"The folder {str(folder)!r} can't be listed ({refused.strerror}): allow it."]) from refused
    if not found:
        known = ", ".join(sorted(SUFFIXES - {".heic"}))
        raise SetupError([f"The folder {str(folder)!r} holds no photos: put some into it ({known})."])
    return tuple(sorted(found, key=_natural))


def _letterboxed(image_bgr: FrameBGR, size_wh: tuple[int, int]) -> FrameBGR:
    """Return the whole picture scaled to fit into `size_wh` pixels (width, height), with grey margins around it."""
    width, height = size_wh
    scale = min(width / image_bgr.shape[1], height / image_bgr.shape[0])
    w, h = (max(1, round(side * scale)) for side in image_bgr.shape[1::-1])
    x, y = (width - w) // 2, (height - h) // 2
    fitted = cv2.resize(image_bgr, (w, h), interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    return cv2.copyMakeBorder(fitted, y, height - h - y, x, width - w - x, cv2.BORDER_CONSTANT, value=GREY_BGR)


class FilesCamera:
    """Shows the photos of a folder one after the other, over and over, each for 4 s and then an empty tray for 0.6 s.

    A photo that can't be read is left out with a warning in the log. `clock` decides what is shown, `sleep` waits until
    the next frame is due. Raises SetupError if the folder is missing or holds no photos.
    """

    name = "files"

    def __init__(
        self,
        folder: Path,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        size_wh: SizeWH = SIZE_WH,
    ) -> None:
        self._folder, self._photos = folder, photos_in(folder)
        self._clock, self._sleep, self._size_wh = clock, sleep, size_wh
        self._started = False

    def start(self) -> None:
        """Start delivering the folder's photos as frames, from the first one. Has no effect on a started camera."""
        if self._started:
            return
        self._started = True
        self._next = 0
        self._shown: FrameBGR | None = None
        self._since_s = 0.0
        self._due_s = self._clock()

    def frame(self) -> Frame:
        """Wait until the next frame is due, FPS a second; return the photo that is shown now.

        Between two photos, grey is shown for CLEARED_S. The first photo follows the last; unreadable ones are left out.

        Raises DeviceError if the camera was not started, or no photo of the folder can be read.
        """
        if not self._started:
            raise DeviceError("The folder of photos was asked for a frame before its start.", "Start it first.")
        wait_s = self._due_s - self._clock()
        if wait_s > 0:
            self._sleep(wait_s)
        now_s = self._clock()
        # A slow reader gets fewer frames, not a heap of late ones.
        self._due_s = max(self._due_s + 1 / FPS, now_s)
        if self._shown is None or now_s - self._since_s >= SHOWN_S + CLEARED_S:
            # A photo lies there for its whole time even when decoding it took long, so time counts from when it shows.
            self._shown = self._next_photo()
            now_s = self._since_s = self._clock()
        lies_there = now_s - self._since_s < SHOWN_S
        return Frame(self._shown.copy() if lies_there else np.full_like(self._shown, GREY_BGR), now_s)

    def stop(self) -> None:
        """Stop delivering the folder's photos as frames. A later `start` begins with the first photo."""
        self._started = False
        self._shown = None

    def _next_photo(self) -> FrameBGR:
        """Return the next readable photo, letterboxed; the first photo follows the last.

        An unreadable photo is skipped and logged. Raises DeviceError, and stops the camera, if no photo of the folder
        can be read.
        """
        for _ in self._photos:
            path = self._photos[self._next % len(self._photos)]
            self._next += 1
            try:
                return _letterboxed(picture_in(path), self._size_wh)
            except PictureError as unreadable:
                log.warning("%s is left out: %s", path, unreadable)
        self._started = False
        raise DeviceError(
            f"Not one photo in {str(self._folder)!r} can be read.", "Save them as JPEG or PNG and start again."
        )


def _natural(path: Path) -> tuple[tuple[int, int, str], ...]:
    """Return a sort key that orders the numbers in a file's name by their value."""
    pieces = re.split(r"([0-9]+)", path.name.lower())
    return tuple((0, int(piece), "") if number % 2 else (1, 0, piece) for number, piece in enumerate(pieces))
