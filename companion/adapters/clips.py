"""Instant replay: the camera's last seconds as small JPEGs in memory, and clips of the throws that deserve one.

Nothing is written to disk. A clip is kept for a throw whose event asks to be replayed (`Effect.replayed`).
"""

from __future__ import annotations

import io
import threading
from collections import OrderedDict, deque

import cv2
from PIL import Image

from companion.table.snapshot import News, Snapshot
from vision.cameras import Frame
from vision.images.loading import jpeg

CLIP_S = 3.0
"""Seconds of recording in the clip of a throw, which plays in slow motion. Dice roll for one to two seconds.
Shorter: the hand before the throw is cut off; longer: more memory."""
FRAMES_PER_S = 8
"""Most frames of the instant replay recorded each second; a throw with fewer frames than this has no clip. Fewer: a die
can't be followed. More: each costs about 1 ms of the camera loop, and memory."""
SLOW_MOTION_FACTOR = 2
"""Slow-motion factor: a clip takes this many times as long to play as the throw took."""
WIDTH_PX = 400
"""Width in pixels of the frames kept for instant replay, about 13 kB each as JPEG. Larger: sharper on the pub's screen,
more memory; smaller: pips are harder to see."""
FRAME_QUALITY, CLIP_QUALITY = 70, 55
"""JPEG quality of a frame in memory, and WebP quality of a clip, 0 to 100. Higher: sharper, and more bytes."""
MAX_CLIPS = 8
"""Most clips kept in memory, the newest; older ones are dropped. Each takes about 300 kB."""

Jpegs = tuple[bytes, ...]


class Clips:
    """Records the camera's last seconds, and keeps the clips of throws worth a replay. Thread-safe.

    Args:
        on: Whether anything is recorded.
    """

    def __init__(self, on: bool = True) -> None:
        self._on = on
        self._lock = threading.Lock()
        self._frames = deque[tuple[float, bytes]](maxlen=int(CLIP_S * FRAMES_PER_S))
        self._last: tuple[int, Jpegs] | None = None  # number and frames of the newest throw that the camera saw
        self._kept = OrderedDict[int, Jpegs]()

    def see(self, frame: Frame) -> None:
        """Keep a small JPEG of a camera frame in memory, FRAMES_PER_S a second; only the last CLIP_S seconds stay.

        If recording is off, nothing is kept.
        """
        if not self._on:
            return
        newest_s = self._frames[-1][0] if self._frames else None
        if newest_s is not None and 0 <= frame.at_s - newest_s < 1 / FRAMES_PER_S:
            return
        height, width = frame.image_bgr.shape[:2]
        small = cv2.resize(frame.image_bgr, (WIDTH_PX, WIDTH_PX * height // width), interpolation=cv2.INTER_LINEAR)
        coded = jpeg(small, FRAME_QUALITY)
        with self._lock:
            self._frames.append((frame.at_s, coded))

    def hear(self, snapshot: Snapshot, news: News) -> None:
        """Keep the last CLIP_S seconds before the newest throw as its clip, if an event asks for a replay.

        `news` has the events since the snapshot before. The frames are set aside when the throw's event comes. They
        become the clip when that event or a later one asks for a replay (`Event.replayed`), if no newer throw has come.
        Only the newest MAX_CLIPS clips are kept. There is no clip of a throw that the camera did not read, or of fewer
        than FRAMES_PER_S frames.
        """
        with self._lock:
            throw = snapshot.throws[-1] if snapshot.throws else None
            if any(event.code == "threw" for event in news.events):
                frames = tuple(jpeg for at_s, jpeg in self._frames if self._frames[-1][0] - at_s <= CLIP_S)
                self._last = (throw.number, frames) if throw is not None and throw.source == "camera" else None
            if self._last is None or not any(event.replayed for event in news.events):
                return
            number, frames = self._last
            if throw is None or throw.number != number or len(frames) < FRAMES_PER_S:
                return
            self._kept[number] = frames
            while len(self._kept) > MAX_CLIPS:
                self._kept.popitem(last=False)

    def throws(self) -> list[int]:
        """Return the numbers of the throws that have a clip, the oldest first."""
        with self._lock:
            return list(self._kept)

    def webp(self, throw: int) -> bytes | None:
        """Return the clip of a throw in slow motion as an animated WebP that plays once; None if there is no clip."""
        with self._lock:
            frames = self._kept.get(throw)
        if frames is None:
            return None
        images = [Image.open(io.BytesIO(frame)) for frame in frames]
        # A camera that was plugged in again may have another size.
        first, *rest = [image for image in images if image.size == images[-1].size]
        made = io.BytesIO()
        lasts_ms = round(1000 * SLOW_MOTION_FACTOR / FRAMES_PER_S)
        how = {"append_images": rest, "duration": lasts_ms, "loop": 1, "quality": CLIP_QUALITY, "method": 0}
        first.save(made, "WEBP", save_all=True, **how)
        return made.getvalue()
