"""A program that ends while a picture is looked at ends cleanly, however slow the machine is."""

from __future__ import annotations

import subprocess
import sys
import textwrap

SLOW_LOOK = """
    import threading, time
    import cv2
    import numpy as np
    from companion.adapters import tray_observer
    from vision.cameras import Frame
    from vision.reading.reading import Reading
    from vision.watching.watcher import Watcher

    began, picture = threading.Event(), np.zeros((480, 640, 3), np.uint8)

    class Still:
        name, number = "still", 0

        def start(self): ...

        def stop(self): ...

        def frame(self):
            self.number += 1
            return Frame(picture, self.number / 10)

    class Slow:
        def read(self, frame_bgr, expect=None, *_):
            began.set()
            until_s = time.monotonic() + 1.5
            while time.monotonic() < until_s:
                cv2.GaussianBlur(picture, (0, 0), 20)
            return Reading((), None)

    tray_observer.STOPPING_S = 0.1
    observer = tray_observer.TrayObserver("slow", Watcher(Still(), Slow()), lambda command: None)
    observer.start()
    assert began.wait(120)
    observer.stop()
    print("stopped", flush=True)
"""


def test_a_look_that_is_not_over_when_the_program_ends_does_not_abort_it() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(SLOW_LOOK)], capture_output=True, text=True, timeout=600, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "stopped\n", "")
