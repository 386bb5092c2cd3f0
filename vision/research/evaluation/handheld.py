"""Measures throws filmed by hand: the rendered clips with a camera that sways, reported as by `pegpip watch`.

`python -m vision.research.evaluation.handheld`. A report is right when it is trusted and true. A second report of one
throw is a repeat. A trusted report that is not true is a false accept.
"""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cameras import Camera, Frame
from vision.networks import load_networks
from vision.reading.reader import Reader
from vision.reading.reading import FrameBGR
from vision.research.evaluation.clips import LONGEST_S, SCENARIOS, Scenario, Watched, is_true, staged, table
from vision.research.evaluation.stage import Stage
from vision.watching.watcher import Settled, Watcher, latest

SWAY_PX = 18.0
"""Amplitude of the camera's slow sway along x and y, in pixels of a frame 1,280 px wide. More is a less steady hand."""
TREMOR_PX = 1.2
"""Amplitude of the hand's fast tremor along x and y, in pixels of a frame 1,280 px wide. More blurs each frame more."""
TURN_DEG = 1.0
"""Largest rotation of the picture to either side as the camera sways, in degrees. More is a less steady hand."""
SCALE_SWAY = 0.01
"""Largest relative change of the picture's scale, 0.01 for 1 %, as the camera moves up and down. More is a less steady
hand."""
SLOW_HZ = (0.15, 0.45)
"""Lowest and highest frequency, in hertz, of the camera's slow sway, rotation and change of scale; the seed chooses
between them. Higher: faster motions of the same size, which blur frames more and seldom let the tray look still."""
FAST_HZ = (4.0, 8.0)
"""Lowest and highest frequency of the hand's tremor, in hertz; the seed chooses between them. Higher: a faster tremor
of the same size, which blurs each frame more."""
EXPOSED_S = 1 / 60
"""Exposure time of a frame, in seconds. Longer exposures blur more."""
BLUR_SAMPLES = 3
"""Number of camera positions during an exposure that are averaged to render a frame's motion blur. More make the blur
smoother and take longer."""
ENLARGEMENT = 1.06
"""Factor by which the picture is enlarged, so that its border stays outside when the camera sways. Less shows the
border; more makes dice larger."""


@dataclass(slots=True)
class Handheld:
    """A camera that moves as if held by hand: shifted, rotated, scaled and slightly blurred.

    Attributes:
        camera: The steady camera whose frames are moved.
        seed: Seed of the motion.
        sway: Size of the motion, relative to the constants above; 0 for none.
    """

    camera: Camera
    seed: int
    sway: float = 1.0
    name: str = "handheld"

    def start(self) -> None:
        """Start the steady camera whose frames are moved as if filmed by hand."""
        self.camera.start()

    def stop(self) -> None:
        """Stop the steady camera whose frames are moved as if filmed by hand."""
        self.camera.stop()

    def frame(self) -> Frame | None:
        """Return the steady camera's next frame as if filmed by hand, moved and blurred; None when that camera ends."""
        frame = self.camera.frame()
        if frame is None:
            return None
        moments = [frame.at_s + EXPOSED_S * part / BLUR_SAMPLES for part in range(BLUR_SAMPLES)]
        return replace(frame, image_bgr=self._blurred(frame.image_bgr, moments))

    def _blurred(self, image_bgr: FrameBGR, moments: list[float]) -> FrameBGR:
        """Return the mean of the (h, w, 3) picture, moved as the hand moves it at each of `moments`, in seconds."""
        size = image_bgr.shape[1], image_bgr.shape[0]
        light = np.zeros(image_bgr.shape, np.uint16)
        for at_s in moments:
            light += cv2.warpAffine(image_bgr, self._held(at_s, size), size, borderMode=cv2.BORDER_REFLECT)
        return (light // len(moments)).astype(np.uint8)

    def _held(self, at_s: float, size_wh: tuple[int, int]) -> NDArray[np.float64]:
        """Return the (2, 3) affine matrix from pixels of the steady picture to those of the hand-held one at `at_s`."""
        rng = np.random.default_rng([self.seed, 17])

        def wave(hz: tuple[float, float]) -> float:
            return self.sway * math.sin(2 * math.pi * (rng.uniform(*hz) * at_s + rng.uniform()))

        unit = size_wh[0] / 1280
        by = [unit * (SWAY_PX * wave(SLOW_HZ) + TREMOR_PX * wave(FAST_HZ)) for _ in range(2)]
        middle = size_wh[0] / 2, size_wh[1] / 2
        matrix = cv2.getRotationMatrix2D(
            middle, TURN_DEG * wave(SLOW_HZ), ENLARGEMENT * (1 + SCALE_SWAY * wave(SLOW_HZ))
        )
        matrix[:, 2] += by
        return np.asarray(matrix)


def filmed(scenario: Scenario, seed: int, sway: float = 1.0) -> Watched:
    """Render one clip filmed by hand, watch it without calibration and return how its throws were reported.

    `sway` is the size of the motion, 1 as usual.
    """
    stage, throws = staged(scenario, seed)
    reports, last = list[Settled](), None
    for event in Watcher(Handheld(stage, seed, sway), Reader(load_networks()).read).events():
        if isinstance(event, Settled):
            last = latest(event, last, held=True)
            reports += [event] if event.reading.dice and last is event else []
    return _judged(scenario.name, seed, stage, reports, throws)


def _judged(name: str, seed: int, stage: Stage, reports: list[Settled], throws: list[float]) -> Watched:
    trusted = [event for event in reports if event.reading.trusted]
    right = [event for event in trusted if is_true(event, stage)]
    missed = repeated = 0
    for start, end in zip(throws, [*throws[1:], math.inf], strict=True):
        here = [event for event in right if start < event.at_s < min(end, start + LONGEST_S + 1)]
        missed += not here
        values = [event.reading.values for event in here]
        repeated += len(values) - len(set(values))
    doubted = len(reports) - len(trusted)
    return Watched(name, seed, len(throws), missed, repeated, len(trusted) - len(right), doubted)


def main() -> int:
    """Watch hand-held clips of every scenario, print the table, and return 1 after a repeat or an invented throw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=1, help="clips of each of the eleven kinds")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--sway", type=float, default=1.0, help="how unsteady the hand is; 0: a tripod")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    seeds = range(args.first, args.first + args.each)
    clips = [filmed(scenario, seed, args.sway) for seed in seeds for scenario in SCENARIOS]
    sys.stdout.write(table(clips) + "\n")
    return int(any(clip.repeated or clip.invented for clip in clips))


if __name__ == "__main__":
    sys.exit(main())
