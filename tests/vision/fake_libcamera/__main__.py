"""Runs `pegpip` with a fake camera: `python -m tests.vision.fake_libcamera "Camera Module 3" play ...`."""

from __future__ import annotations

import mmap
import os
import sys
from pathlib import Path

import cv2
import numpy as np

from tests.vision.fake_libcamera import fitted


def shared(file: Path) -> np.ndarray:
    """Read a picture into shared memory, so that the fake scene does not count as the program's own memory."""
    picture = cv2.imread(str(file))
    assert picture is not None, file
    kept = np.frombuffer(mmap.mmap(-1, picture.nbytes), np.uint8).reshape(picture.shape)
    kept[:] = picture
    return kept


scene = os.environ.get("PEGPIP_SCENE")
"""A picture file that lies before the lens."""
fitted(sys.argv[1], pace_s=1 / 30, picture=shared(Path(scene)) if scene else None)
sys.argv = ["pegpip", *sys.argv[2:]]
from companion.cli import main  # noqa: E402

main()
