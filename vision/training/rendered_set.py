"""Renders faces in the tray to learn from: `python -m vision.training.rendered_set FILE.npz`.

Photos hardly ever show what a table's own dice come to after years: hollows without paint, clear bodies, speckles as
large as pips. So these are rendered most. The seeds are none that `make rendered` measures on.
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.evaluation.conditions import CONDITIONS, picture
from vision.evaluation.scene import Rendered
from vision.upright import upright

FIRST_SEED = 100_000
TIMES = {"worn paint": 8, "translucent": 3, "speckled, wooden": 2}
"""Conditions that are rendered so many times as often as the others."""
PATCH_PX, SIDE_EDGES = 112, 2.0
"""What is kept of a die: its face upright and half an edge around it."""


@dataclass(frozen=True, slots=True, eq=False)
class Patches:
    """(n, 112, 112, 3) BGR, a face upright in the middle of each, 56 px to the edge; and (n,) their values."""

    bgr: NDArray[np.uint8]
    values: NDArray[np.uint8]


def faces_of(shown: Rendered) -> Patches:
    """The faces of a rendered picture."""
    patches = [
        upright(shown.image_bgr, die.centre_xy, turn, SIDE_EDGES * die.box_xywh[2], PATCH_PX)
        for die, turn in zip(shown.dice, shown.turns, strict=True)
    ]
    return Patches(np.stack(patches), np.array([die.value for die in shown.dice], np.uint8))


def jobs(each: int) -> list[tuple[int, int]]:
    """Index of the condition and seed of every picture."""
    return [
        (index, FIRST_SEED + seed)
        for index, condition in enumerate(CONDITIONS)
        for seed in range(each * TIMES.get(condition.name, 1))
    ]


def load(file: Path) -> Patches:
    """What `main` wrote."""
    with np.load(file) as held:
        return Patches(held["bgr"], held["values"])


def _made(job: tuple[int, int]) -> Patches:
    cv2.setNumThreads(1)
    condition, seed = job
    return faces_of(picture(CONDITIONS[condition], seed))


def main() -> int:
    """The command line."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("file", type=Path, help="the file to write")
    ask.add_argument("--each", type=int, default=110, help="pictures of each common condition (a second or two each)")
    ask.add_argument("--workers", type=int, default=2)
    told = ask.parse_args()
    wanted, found = jobs(told.each), list[Patches]()
    with ProcessPoolExecutor(told.workers) as pool:
        for patches in pool.map(_made, wanted, chunksize=4):
            found.append(patches)
            if sys.stderr.isatty():
                sys.stderr.write(f"\r{len(found)} of {len(wanted)} ")
    told.file.parent.mkdir(parents=True, exist_ok=True)
    every = np.concatenate([each.bgr for each in found])
    np.savez(told.file, bgr=every, values=np.concatenate([each.values for each in found]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
