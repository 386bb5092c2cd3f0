"""Measures the reading of dice: speed on rendered frames, and two hundred virtual throws through the camera path."""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import cv2
import numpy as np

from companion.bench import baseline
from vision.cameras.simulated.camera import VirtualCamera
from vision.cameras.simulated.clock import SteppedClock
from vision.cameras.simulated.rendering import face_up
from vision.networks import load_networks
from vision.reading.reader import Reader
from vision.reading.reading import FrameBGR
from vision.watching import stillness
from vision.watching.watcher import Settled, Watcher

THROWS = 200
"""Virtual throws to read. More: the share of misread ones is bounded more tightly, and the bench takes longer."""
PICTURES = 12
"""Rendered pictures of dice on which the bench times each step of reading. More: steadier medians, a longer bench."""
DICE_TIMED = 6
"""Dice in each rendered picture on which the bench times the steps of reading. More take longer to read, and the times
no longer compare with those in docs/lab, which are of six dice."""
MIN_RUNS = 12
"""Least number of timed runs that a median is taken over; if there are fewer pictures, they take turns. More: steadier
medians, a longer bench."""

Progress = Callable[[int, int], None]


def measure(progress: Progress) -> dict[str, float]:
    """Time each step of reading dice from a picture, and read THROWS simulated throws, with OpenCV on one thread.

    `progress` is called after each throw with the throws done and their total. Returns median times in milliseconds
    (`settle_ms`, `read_rig_ms`, `read_free_ms`, `baseline_ms`), counts of throws (`virtual_throws`, `virtual_exact`,
    `virtual_trusted`, `virtual_wrong_trusted`), and `rss_mb`, this process's peak memory in MiB.
    """
    with one_thread():
        measured = {**speed(), **virtual_throws(THROWS, progress)}
    rss_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # Linux gives KiB
    return {**measured, "rss_mb": round(rss_kb / 1024, 1)}


@contextmanager
def one_thread() -> Iterator[None]:
    """Context manager: run OpenCV on one thread, and restore its number of threads at the end.

    Networks that are loaded meanwhile run on one thread, too; those in ONNX Runtime stay on it afterwards.
    """
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        yield
    finally:
        cv2.setNumThreads(threads)


def speed() -> dict[str, float]:
    """Return the median time in ms of each step of reading rendered pictures.

    The keys are those of the function `times`, such as `read_rig_ms`. Each picture has 1280 x 960 pixels and shows
    DICE_TIMED dice.
    """
    camera, pictures = _pictures()
    networks = load_networks()
    return times(pictures, Reader(networks, camera.rig()), Reader(networks), DICE_TIMED)


def times(pictures: list[FrameBGR], tray: Reader, photo: Reader, dice: int | None) -> dict[str, float]:
    """Return the median time in milliseconds of each step of reading over one or more pictures, (h, w, 3) uint8.

    - `settle_ms`: shrinking a picture, as for stillness detection.
    - `read_rig_ms`: reading with `tray`, a reader with a calibration.
    - `read_free_ms`: reading with `photo`, a reader without one. It gets the number of dice (None: unknown).
    - `baseline_ms`: counting blobs, the simple pipeline to compare with.
    """
    blobs = baseline.detector()
    return {
        "settle_ms": _median_ms(pictures, lambda picture: stillness.small_picture(picture)),
        "read_rig_ms": _median_ms(pictures, lambda picture: tray.read(picture)),
        "read_free_ms": _median_ms(pictures, lambda picture: photo.read(picture, dice)),
        "baseline_ms": _median_ms(pictures, lambda picture: baseline.read(picture, blobs)),
    }


def virtual_throws(throws: int, progress: Progress, seed: int = 1) -> dict[str, float]:
    """Read simulated throws of two to seven dice through the whole camera path, and compare with the true values.

    `progress` is called after each throw with the throws done and their total. Returns counts of throws:

    - `virtual_throws`: all.
    - `virtual_exact`: read with all values right.
    - `virtual_trusted`: read without a doubt, so that the table would not ask people about them.
    - `virtual_wrong_trusted`: trusted, but not exact.
    """
    clock, rng = SteppedClock(), np.random.default_rng(seed)
    exact = trusted = wrong = 0
    camera = VirtualCamera(7, clock, clock.sleep, seed)
    watcher = Watcher(camera, Reader(load_networks(), camera.rig()).read, camera.rig())
    seen = (event for event in watcher.events() if isinstance(event, Settled))
    next(seen)
    for done in range(throws):
        count = int(rng.integers(2, 8))
        camera.tray.lift()
        camera.tray.throw([int(die) for die in rng.permutation(7)[:count]], float(rng.uniform(0.2, 1.0)))
        reading = next(event for event in seen if event.reading.dice or event.reading.doubt).reading
        truth = tuple(sorted(face_up(pose.rotation) for pose in camera.tray.advance(0.0)))
        exact += reading.values == truth
        trusted += reading.trusted
        wrong += reading.trusted and reading.values != truth
        progress(done + 1, throws)
    watcher.stop()
    return {
        "virtual_throws": throws,
        "virtual_exact": exact,
        "virtual_trusted": trusted,
        "virtual_wrong_trusted": wrong,
    }


def _pictures() -> tuple[VirtualCamera, list[FrameBGR]]:
    """Render PICTURES pictures of six dice at rest with the virtual camera; return the camera and the pictures."""
    clock = SteppedClock()
    camera = VirtualCamera(DICE_TIMED, clock, clock.sleep, seed=5)
    pictures = []
    for _ in range(PICTURES):
        camera.tray.throw()
        while not all(die["resting"] and die["place"] != "out" for die in camera.tray.dice()):
            camera.tray.advance(0.05)
        pictures.append(camera.frame().image_bgr)
    return camera, pictures


def _median_ms(pictures: list[FrameBGR], work: Callable[[FrameBGR], object]) -> float:
    """Return the median time of `work` on a picture in ms, after an unmeasured run to warm up.

    With at most MIN_RUNS pictures, they take turns for MIN_RUNS runs. With more, each is run once.
    """
    work(pictures[0])
    took = []
    for picture in (pictures * MIN_RUNS)[: max(MIN_RUNS, len(pictures))]:
        began = time.perf_counter()
        work(picture)
        took.append(time.perf_counter() - began)
    return round(1000 * statistics.median(took), 2)
