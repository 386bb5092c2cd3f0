"""Runs `pegpip` with a fake camera: `python -m tests.vision.fake_libcamera "Camera Module 3" play ...`."""

from __future__ import annotations

import sys

from tests.vision.fake_libcamera import fitted

fitted(sys.argv[1], pace_s=1 / 30)
sys.argv = ["pegpip", *sys.argv[2:]]
from companion.cli import main  # noqa: E402

sys.exit(main())
