"""Runs `pegpip` with a fake camera: `python -m tests.vision.fake_libcamera "Camera Module 3" play ...`."""

from __future__ import annotations

import os
import sys

import cv2

from tests.vision.fake_libcamera import fitted

scene = os.environ.get("PEGPIP_SCENE")
"""A picture file that lies before the lens."""
fitted(sys.argv[1], pace_s=1 / 30, picture=cv2.imread(scene) if scene else None)
sys.argv = ["pegpip", *sys.argv[2:]]
from companion.cli import main  # noqa: E402

sys.exit(main())
