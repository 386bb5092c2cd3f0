"""Labelled photos of dice for training, from folders of the form `SET/labels.jsonl` with pictures beside it.

A label is one JSON object a line: `image`, `boxes` ([x, y, w, h, value] in pixels) and, in a split set, `session`.
Only sets with a stated open licence may be named here; the model's card credits them.
"""

from __future__ import annotations

import hashlib
import json
import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

WEIGHTS = {
    "nellbyler": 8.0,
    "matteop65_webcam": 2.0,
    "epanemu_clutter": 1.5,
    "rune55_mono": 2.0,
    "epanemu_phone": 4.0,
    "aibox_whitebox": 0.8,
    "bartek_phone": 1.0,
    "tomitomi_preview": 0.3,
    "pxl_trays": 8.0,
    "skovy_webcam": 1.5,
    "casino_crops": 1.5,
    "kimble_dome": 0.4,
    "own_table": 3.0,
    "backgrounds": 1.5,
}
"""How often each licensed set is drawn from, relative to the others, by its variety and difficulty, not its size.
Twice as much shows a set about twice as often. A set that is not listed here is not loaded.
`own_table` is what a table's own /review page exports."""
KEPT_BACK = {"pxl_trays": 3}
"""Name of a set without a split of its own -> N: about one throw in N, chosen by a hash, is kept for measuring and
never trained on. Larger: more throws to train on, fewer to measure with."""
FACE_OF_BOX = {"pxl_trays": 0.86, "casino_crops": 0.78}
"""Size of the upper face as a share of the labelled box, for sets whose boxes enclose tilted dice; 1 for others.
Larger: the networks learn larger faces, with more of the sides."""
PIPS_ONLY = {"matteop65_webcam"}
"""Sets whose boxes enclose the pips of a face, not the die."""
PIPS_OF_FACE = 0.72
"""Width of the pattern of pips of a 4, 5 or 6, as a share of the face's width. It converts a box around pips to a face;
a larger share gives smaller faces."""
FACE_PX_UNKNOWN = 60.0
"""Face size, in pixels, assumed for the dice of a photo whose boxes hold the pips only, if none shows 4 or more. Larger
than the true size: crops show more ground; smaller: they cut the face off."""


@dataclass(frozen=True, slots=True, eq=False)
class Photo:
    """A labelled photo.

    Attributes:
        bgr: (h, w, 3) the picture.
        dice: (n, 4) centre x and y, size of the face in pixels, and value of each die.
        strays: (m, 3) centre x and y and size of false detections in it.
        hard: (n,) how hard each die is to read, 0.1 to 1.1; empty if unknown.
        complete: Whether all visible dice are labelled. If not, the rest of the picture may hold dice.
    """

    bgr: NDArray[np.uint8]
    dice: NDArray[np.float32]
    strays: NDArray[np.float32] = field(default_factory=lambda: np.empty((0, 3), np.float32))
    hard: NDArray[np.float32] = field(default_factory=lambda: np.empty(0, np.float32))
    complete: bool = True


def photo_sets(folders: list[Path]) -> dict[str, list[Photo]]:
    """Load the training photos of the licensed sets (WEIGHTS) in these folders, by the set's name.

    If a set is split by its folder's `splits.json`, only the sessions of `tune` are loaded. Photos are left out if they
    have no boxes, have the tag `stray`, belong to a throw that is kept for measuring, or can't be read. Of a set in two
    folders, the later folder's photos are returned.
    """
    found: dict[str, list[Photo]] = {}
    for folder in folders:
        splits = _splits(folder)
        for name in WEIGHTS:
            if (folder / name / "labels.jsonl").exists():
                found[name] = list(_photos(folder / name, splits.get(name)))
    return found


def kept_back(name: str, group: str) -> bool:
    """Return whether a throw of the set `name` is kept for measuring; `group` identifies the throw's photos."""
    return name in KEPT_BACK and int(hashlib.sha1(group.encode()).hexdigest(), 16) % KEPT_BACK[name] == 0


def _splits(folder: Path) -> Mapping[str, Mapping[str, list[str]]]:
    file = folder / "splits.json"
    return json.loads(file.read_text()) if file.exists() else {}


def _photos(folder: Path, split: Mapping[str, list[str]] | None) -> Iterator[Photo]:
    for line in (folder / "labels.jsonl").read_text().splitlines():
        row = json.loads(line)
        held_out = split is not None and row["session"] not in split["tune"]
        if (
            row["boxes"] is None
            or held_out
            or kept_back(folder.name, row.get("group", ""))
            or "stray" in row.get("tags", [])
        ):
            continue
        file = folder / row["image"]
        bgr = cv2.imread(str(file if file.exists() else folder / "images" / row["image"]))
        if bgr is not None:
            dice = _dice(row["boxes"], folder.name in PIPS_ONLY, FACE_OF_BOX.get(folder.name, 1.0))
            yield Photo(bgr, dice)


def _dice(boxes: list[list[float]], pips_only: bool, face_of_box: float) -> NDArray[np.float32]:
    sizes = [max(w, h) / PIPS_OF_FACE if pips_only else face_of_box * (w * h) ** 0.5 for _, _, w, h, _ in boxes]
    if pips_only:
        known = [size for size, box in zip(sizes, boxes, strict=True) if box[4] >= 4]
        usual = statistics.median(known) if known else FACE_PX_UNKNOWN
        sizes = [size if box[4] >= 4 else usual for size, box in zip(sizes, boxes, strict=True)]
    rows = [(x + w / 2, y + h / 2, size, value) for (x, y, w, h, value), size in zip(boxes, sizes, strict=True)]
    return np.array(rows, np.float32).reshape(-1, 4)
