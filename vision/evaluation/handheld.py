"""Measures throws filmed by hand: the rendered clips with a camera that sways, told as `pegpip watch` tells them.

`python -m vision.evaluation.handheld`. A telling is right when trusted and true; a second one of the same throw is a
repeat, a trusted one that is not true is invented.
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
from vision.evaluation.clips import HAPPENINGS, LONGEST_S, THROWN_S, Happening, throw
from vision.evaluation.stage import Stage
from vision.networks import load_networks
from vision.reader import Reader
from vision.reading import FrameBGR
from vision.watching.new_throws import news
from vision.watching.watcher import Settled, Watcher

SWAY_PX = 18.0
"""How far the arm sways, in pixels of a frame 1,280 wide, within some seconds."""
TREMOR_PX = 1.2
"""How far the hand trembles, several times a second."""
TURN_DEG = 1.0
NEARER = 0.01
"""By which part the camera comes nearer or goes farther."""
SLOW_HZ = (0.15, 0.45)
FAST_HZ = (4.0, 8.0)
EXPOSED_S = 1 / 60
"""Light is gathered for so long, ..."""
EXPOSURES = 3
"""... rendered as the mean of so many moments."""
MARGIN = 1.06
"""The picture is enlarged by this, so that the table does not end where the camera sways to."""


@dataclass(slots=True)
class Handheld:
    """A camera as if held by hand: what another sees, shifted, turned, nearer and farther, a little blurred.

    Attributes:
        camera: What sees the scene.
        seed: Of the hand.
        sway: How unsteady: 1 as usual, 0 a tripod.
    """

    camera: Camera
    seed: int
    sway: float = 1.0
    name: str = "handheld"

    def start(self) -> None:
        """Begin."""
        self.camera.start()

    def stop(self) -> None:
        """End."""
        self.camera.stop()

    def frame(self) -> Frame | None:
        """The next frame, as the hand holds the camera then."""
        frame = self.camera.frame()
        if frame is None:
            return None
        moments = [frame.at_s + EXPOSED_S * part / EXPOSURES for part in range(EXPOSURES)]
        return replace(frame, image_bgr=self._blurred(frame.image_bgr, moments))

    def _blurred(self, image_bgr: FrameBGR, moments: list[float]) -> FrameBGR:
        size = image_bgr.shape[1], image_bgr.shape[0]
        light = np.zeros(image_bgr.shape, np.uint16)
        for at_s in moments:
            light += cv2.warpAffine(image_bgr, self._held(at_s, size), size, borderMode=cv2.BORDER_REFLECT)
        return (light // len(moments)).astype(np.uint8)

    def _held(self, at_s: float, size_wh: tuple[int, int]) -> NDArray[np.float64]:
        """(2, 3) the picture's motion at a time."""
        rng = np.random.default_rng([self.seed, 17])

        def wave(hz: tuple[float, float]) -> float:
            return self.sway * math.sin(2 * math.pi * (rng.uniform(*hz) * at_s + rng.uniform()))

        unit = size_wh[0] / 1280
        by = [unit * (SWAY_PX * wave(SLOW_HZ) + TREMOR_PX * wave(FAST_HZ)) for _ in range(2)]
        middle = size_wh[0] / 2, size_wh[1] / 2
        matrix = cv2.getRotationMatrix2D(middle, TURN_DEG * wave(SLOW_HZ), MARGIN * (1 + NEARER * wave(SLOW_HZ)))
        matrix[:, 2] += by
        return np.asarray(matrix)


@dataclass(frozen=True, slots=True)
class Told:
    """How one clip was told: throws, and tellings that were right, said twice, untrue, or in doubt; those missing."""

    name: str
    seed: int
    throws: int
    missed: int
    repeated: int
    invented: int
    doubted: int


def told(happening: Happening, seed: int, sway: float = 1.0) -> Told:
    """Play, film and watch one clip without any calibration."""
    rng = np.random.default_rng([seed, *happening.name.encode()])
    first = THROWN_S + LONGEST_S
    acts = [(first + at_s, act) for at_s, act in happening.acts(rng)]
    throws = [THROWN_S] + [at_s for at_s, act in acts if act is throw]
    lasts = max(at_s for at_s, _ in acts) + (LONGEST_S if len(throws) > 1 else 2.2)
    stage = Stage(int(rng.integers(2, 7)), seed, lasts, [(THROWN_S, throw), *acts])
    tellings, last = [], None
    for event in Watcher(Handheld(stage, seed, sway), Reader(load_networks())).events():
        if isinstance(event, Settled):
            new, last = news(event, last, held=True)
            tellings += [event] if event.reading.dice and new else []
    return _judged(happening.name, seed, stage, tellings, throws)


def _judged(name: str, seed: int, stage: Stage, tellings: list[Settled], throws: list[float]) -> Told:
    def true(event: Settled) -> bool:
        return event.reading.values == stage.truth[min(event.frame.number, len(stage.truth) - 1)].values

    trusted = [event for event in tellings if event.reading.trusted]
    right = [event for event in trusted if true(event)]
    missed = repeated = 0
    for start, end in zip(throws, [*throws[1:], math.inf], strict=True):
        here = [event for event in right if start < event.at_s < min(end, start + LONGEST_S + 1)]
        missed += not here
        values = [event.reading.values for event in here]
        repeated += len(values) - len(set(values))
    doubted = len(tellings) - len(trusted)
    return Told(name, seed, len(throws), missed, repeated, len(trusted) - len(right), doubted)


def main() -> int:
    """Measure and print; 1 when a throw was told twice or invented."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--each", type=int, default=1, help="clips of each of the eleven kinds")
    asked.add_argument("--first", type=int, default=0, help="the first seed")
    asked.add_argument("--sway", type=float, default=1.0, help="how unsteady the hand is; 0: a tripod")
    wish = asked.parse_args()
    cv2.setNumThreads(1)
    heads = ("throws", "missed", "repeated", "invented", "doubted")
    sys.stdout.write(f"{'clip':18}{'seed':>6}" + "".join(f"{head:>10}" for head in heads) + "\n")
    clips = []
    for seed in range(wish.first, wish.first + wish.each):
        for happening in HAPPENINGS:
            clips.append(told(happening, seed, wish.sway))
            row = "".join(f"{getattr(clips[-1], head):10}" for head in heads)
            sys.stdout.write(f"{happening.name:18}{seed:6}{row}\n")
            sys.stdout.flush()
    sums = "".join(f"{sum(getattr(clip, head) for clip in clips):10}" for head in heads)
    sys.stdout.write(f"{'all':18}{len(clips):6}{sums}\n")
    return int(any(clip.repeated or clip.invented for clip in clips))


if __name__ == "__main__":
    sys.exit(main())
