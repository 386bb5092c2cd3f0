"""Measures the memory of `pegpip play` with a fake Pi camera of 1280 x 960: empty tray and dice, calibrated and not.

The real picamera2 runs in it. Its buffers, which a Pi takes from the memory for video, are shown apart.
`make pi-memory` prints the peaks in MB; bounds are for people to judge, as they differ by machine.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import cv2

from companion.adapters.reader_setup import save_calibration
from vision.calibration.store import Stored
from vision.cameras.simulated.camera import VirtualCamera
from vision.cameras.simulated.clock import SteppedClock

LASTS_S = float(os.environ.get("LASTS_S", "20"))
EVERY_S = 0.02


def peaks_mb(folder: Path, scene: Path) -> tuple[float, float, float]:
    """Peak of the process's own memory, its memory in the end, and the driver's buffers."""
    words = ["play", "--camera", "picamera2", "--data", str(folder), "--port", "0", "--host", "127.0.0.1"]
    fake = [sys.executable, "-m", "tests.vision.fake_libcamera", "Camera Module 3", *words]
    environment = os.environ | {"PEGPIP_SCENE": str(scene), "PEGPIP_RUNTIME": "opencv"}  # as a Pi runs it
    with subprocess.Popen(fake, env=environment, stdout=subprocess.DEVNULL) as process:
        seen, ends_s = list[tuple[float, float]](), time.monotonic() + LASTS_S
        while time.monotonic() < ends_s and process.poll() is None:
            status = Path(f"/proc/{process.pid}/status").read_text()
            memory = {key: int(kb) / 1024 for key, kb in re.findall(r"(Rss\w+):\s+(\d+) kB", status)}
            if memory:
                seen.append((memory["RssAnon"] + memory["RssFile"], memory["RssShmem"]))
            time.sleep(EVERY_S)
        process.send_signal(signal.SIGINT)
    return max(own for own, _ in seen), seen[-1][0], max(shared for _, shared in seen)


def main() -> None:
    """Print the peaks of a new table, and of a calibrated one, over an empty tray and over seven dice."""
    with tempfile.TemporaryDirectory() as made:
        clock = SteppedClock()
        camera = VirtualCamera(7, clock, clock.sleep, seed=8)
        scenes = {"empty": Path(made) / "empty.png", "seven dice": Path(made) / "dice.png"}
        cv2.imwrite(str(scenes["empty"]), camera.rig().empty_bgr)
        camera.tray.throw(strength=0.4)
        for _ in range(150):
            frame = camera.frame()
        cv2.imwrite(str(scenes["seven dice"]), frame.image_bgr)
        for calibrated in ("not calibrated", "calibrated"):
            for name, scene in scenes.items():
                folder = Path(made) / calibrated / scene.stem
                if calibrated == "calibrated":
                    save_calibration(folder, Stored("picamera2", "2026-01-01 00:00", camera.rig()))
                peak, rest, buffers = peaks_mb(folder, scene)
                shared = f"and {buffers:.0f} MB shared with the camera"
                print(f"{calibrated}, {name}: peak {peak:.0f} MB, at rest {rest:.0f} MB; {shared}")


if __name__ == "__main__":
    main()
