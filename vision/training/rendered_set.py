"""Renders dice in the rig to learn from: `python -m vision.training.rendered_set FOLDER` writes a set of their faces.

Photos hardly ever show what a table's own dice come to after years: hollows without paint, clear bodies, speckles as
large as pips. So these are rendered most. The seeds are none that `make rendered` measures on.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.evaluation.conditions import CONDITIONS, picture
from vision.reading import Die, FrameBGR

NAME = "rendered_rig"
FIRST_SEED = 30_000
HARD = ("translucent", "speckled, wooden", "worn paint")
"""Conditions that are rendered so often; the others a quarter of it."""
EASY_PART = 4
SIDE_FACES = 2.6
"""Side of the picture that is kept of a die, in sizes of its face: it with its neighbours' edges, at any turn."""

Row = dict[str, object]
Kept = tuple[NDArray[np.uint8], list[list[float]]]


def faces_of(image_bgr: FrameBGR, dice: tuple[Die, ...]) -> Iterator[Kept]:
    """A picture round each die, and the boxes [x, y, w, h, value] of all dice whose middle lies in it."""
    height, width = image_bgr.shape[:2]
    for die in dice:
        x, y = die.centre_xy
        reach = SIDE_FACES / 2 * die.box_xywh[2]
        left, top = max(0, round(x - reach)), max(0, round(y - reach))
        right, bottom = min(width, round(x + reach)), min(height, round(y + reach))
        boxes = [
            [other.box_xywh[0] - left, other.box_xywh[1] - top, *other.box_xywh[2:], other.value]
            for other in dice
            if left <= other.centre_xy[0] < right and top <= other.centre_xy[1] < bottom
        ]
        yield image_bgr[top:bottom, left:right], boxes


def write(image_bgr: FrameBGR, dice: tuple[Die, ...], name: str, folder: Path) -> list[Row]:
    """Store the faces of a picture; their labels, as `vision.training.datasets` reads them."""
    rows: list[Row] = []
    for index, (part, boxes) in enumerate(faces_of(image_bgr, dice)):
        file = f"{name}-{index}.png"
        cv2.imwrite(str(folder / file), part)
        rows.append({"image": file, "boxes": boxes})
    return rows


def _made(job: tuple[int, int, Path]) -> list[Row]:
    condition, seed, folder = job
    cv2.setNumThreads(1)
    shown = picture(CONDITIONS[condition], seed)
    return write(shown.image_bgr, shown.dice, f"{condition:02}-{seed}", folder)


def jobs(each: int) -> list[tuple[int, int]]:
    """Index of the condition and seed of every picture."""
    return [
        (index, FIRST_SEED + n)
        for index, n in product(range(len(CONDITIONS)), range(each))
        if CONDITIONS[index].name in HARD or n % EASY_PART == 0
    ]


def main() -> int:
    """The command line."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("folder", type=Path, help="where the set is written, as FOLDER/rendered_rig")
    ask.add_argument("--each", type=int, default=170, help="pictures of each hard condition (a second or two each)")
    ask.add_argument("--workers", type=int, default=2)
    told = ask.parse_args()
    folder = told.folder / NAME
    images = folder / "images"
    images.mkdir(parents=True, exist_ok=True)
    wanted = jobs(told.each)
    with ProcessPoolExecutor(told.workers) as pool, (folder / "labels.jsonl").open("w") as labels:
        made = pool.map(_made, [(condition, seed, images) for condition, seed in wanted])
        for count, rows in enumerate(made, 1):
            labels.writelines(json.dumps(row) + "\n" for row in rows)
            if sys.stderr.isatty():
                sys.stderr.write(f"\r{count} of {len(wanted)} ")
    return 0


if __name__ == "__main__":
    sys.exit(main())
