"""Measures the reader on photos of real fixed cameras, each with an estimated calibration.

A rig is photos by one camera that did not move, or the rests in a video. The empty tray is the median of the rig's
other photos. The geometry is an estimate: the lens over the middle, the face size and height from the list.

    python -m vision.research.evaluation.rigs RIGS.json PHOTOS [--split tune] [--height 1.1]
    python -m vision.research.evaluation.rigs FOLDER

FOLDER is an unpacked zip of `pegpip rescore --export`: throws of a table, with its own calibrations.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.calibration.store import load_calibration
from vision.geometry.rig import Rig, Zone
from vision.images.loading import picture_in
from vision.networks import load_networks
from vision.reading.reader import Reader
from vision.reading.reading import FrameBGR

MAX_MEDIAN_PHOTOS = 40
"""Largest number of photos whose median makes the picture of the empty tray. More take longer and change little; with
few, dice remain in it."""
MAX_DICE = 7
"""Largest number of dice in a photo that is measured: the dice of a game. Photos with more are left out."""
LEFT_OUT = frozenset(("stray", "hand"))
"""Tags of photos that show more than their labels say; they are left out."""


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One photo of a rig.

    Attributes:
        rig_name: Name of the rig.
        name: Name of the photo.
        frame_bgr: (h, w, 3) the photo.
        rig: The estimated calibration.
        truth: The true values, sorted.
    """

    rig_name: str
    name: str
    frame_bgr: FrameBGR
    rig: Rig
    truth: tuple[int, ...]


def cases(rigs: Path, photos: Path, split: str = "check", height: float = 1.0) -> Iterator[Case]:
    """Yield the photos of every rig in a list that belong to a split, each with an estimated calibration.

    The median of a rig's other photos in the split stands for its empty tray; a photo without others is left out. So
    are photos of a set without dice, with more than MAX_DICE, or with a tag in LEFT_OUT.

    Args:
        rigs: A JSON list of rigs: `name`, `set` and `session` or `video`, `face_px`, `die_mm`, `height_mm`, `floor_px`;
            if wanted, `lens_px`, and for a set `size_wh` and `without` (photos to leave out).
        photos: The folder of the sets, with `splits.json`. A set that is not in it belongs to every split.
        split: `check`, `tune` or `all`. Videos belong to all but `tune`.
        height: Factor on the lens's height in the calibration, to measure the effect of a wrong estimate.
    """
    for rig in json.loads(rigs.read_text()):
        labelled = _frames(rig, photos / "video") if "video" in rig else _photos(rig, photos, split)
        if "video" in rig and split == "tune":
            continue
        pictures = [picture for _, picture, _ in labelled]
        for at, (name, picture, truth) in enumerate(labelled):
            others = [other for i, other in enumerate(pictures) if i != at and labelled[i][0] != name]
            others = others[:: max(1, len(others) // MAX_MEDIAN_PHOTOS)][:MAX_MEDIAN_PHOTOS]
            if others:
                empty = np.median(np.stack(others), axis=0).astype(np.uint8)
                yield Case(rig["name"], name, picture, rig_of(rig, empty, height), truth)


def exported(folder: Path) -> Iterator[Case]:
    """Yield the throws of an unpacked export, each with its table's calibration.

    The throws of a table without a calibration are left out. Raises DeviceError for a damaged calibration, and
    PictureError for a missing or damaged picture.
    """
    for labels in sorted(folder.glob("*/labels.jsonl")):
        stored = load_calibration(labels.parent)
        for row in map(json.loads, labels.read_text().splitlines()):
            if stored is not None:
                picture = picture_in(labels.parent / "images" / row["image"])
                yield Case(labels.parent.name[:24], row["image"], picture, stored.rig, tuple(sorted(row["values"])))


def rig_of(estimate: dict[str, Any], empty_bgr: FrameBGR, factor: float = 1.0) -> Rig:
    """Return the calibration that a rough estimate, an entry of the list of rigs, gives.

    `factor` multiplies the lens's height at the same focal length, so that lengths on the floor grow with it. The keep
    zone has no width. `empty_bgr` is the picture (h, w, 3) of the empty tray.
    """
    height_px, width_px = empty_bgr.shape[:2]
    height, die = estimate["height_mm"] * factor, float(estimate["die_mm"])
    # The size of a face is that of the upper one, which is nearer to the lens than the floor by a die's edge.
    sx, sy = (
        edge / die * (estimate["height_mm"] - die) / estimate["height_mm"] / factor for edge in estimate["face_px"]
    )
    cx, cy = estimate.get("lens_px", (width_px / 2, height_px / 2))
    x0, y0, x1, y1 = estimate["floor_px"]
    throw = Zone((x0 - cx) / sx, (y0 - cy) / sy, (x1 - x0) / sx, (y1 - y0) / sy)
    keep = Zone(throw.x_mm + throw.width_mm, throw.y_mm, 0.0, throw.height_mm)
    floor_to_px = np.array([[sx, 0, cx], [0, sy, cy], [0, 0, 1]], np.float64)
    return Rig(floor_to_px, throw, keep, die, (0.0, 0.0, height), empty_bgr)


def _photos(rig: dict[str, Any], base: Path, split: str) -> list[tuple[str, FrameBGR, tuple[int, ...]]]:
    folder = base / rig["set"]
    rows = [json.loads(line) for line in (folder / "labels.jsonl").read_text().splitlines() if line.strip()]
    file = base / "splits.json"
    splits = json.loads(file.read_text()) if file.exists() else {}
    wanted = None if split == "all" or rig["set"] not in splits else set(splits[rig["set"]][split])
    found = []
    for row in rows:
        ours = rig.get("session") in (None, row.get("session")) and (wanted is None or row["session"] in wanted)
        plain = 1 <= len(row["values"]) <= MAX_DICE and not LEFT_OUT & set(row.get("tags") or ())
        if ours and plain and row["image"] not in rig.get("without", ()):
            picture = picture_in(folder / row["image"])
            if "size_wh" in rig:
                picture = cv2.resize(picture, tuple(rig["size_wh"]), interpolation=cv2.INTER_AREA)
            found.append((row["image"], picture, tuple(sorted(row["values"]))))
    return found


def _frames(rig: dict[str, Any], folder: Path) -> list[tuple[str, FrameBGR, tuple[int, ...]]]:
    """Read two frames of each rest in a rig's video, and return their names, pictures (h, w, 3) and sorted true values.

    The times and values of the rests come from `truth.json` in `folder`.
    """
    reader = cv2.VideoCapture(str(folder / rig["video"]))
    rate, frames = reader.get(cv2.CAP_PROP_FPS), []
    while (got := reader.read())[0]:
        frames.append(got[1])
    found = []
    for number, rest in enumerate(json.loads((folder / "truth.json").read_text())):
        for part in (0.4, 0.8):
            at = rest["from_s"] + part * (rest["to_s"] - rest["from_s"])
            frame = frames[min(len(frames) - 1, round(at * rate))]
            found.append((f"rest {number} at {part}", frame, tuple(sorted(rest["values"]))))
    return found


def main() -> int:
    """Read the photos of each rig; print the shares that are exact and trusted, and each misread photo.

    Returns 1 if a wrong reading was trusted, else 0. Exits with 2 if there is no photo to read.
    """
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rigs", type=Path, help="a JSON list of rigs, see `cases`; or the folder of an export")
    parser.add_argument("photos", type=Path, nargs="?", help="the folder of their sets")
    parser.add_argument("--split", choices=("check", "tune", "all"), default="check")
    parser.add_argument("--height", type=float, default=1.0, help="how many times too high the lens is said to be")
    args = parser.parse_args()
    networks, photos, wrong = load_networks(), 0, 0
    sys.stdout.write(f"{'rig':24}{'photos':>8}{'exact':>8}{'trusted':>9}{'wrong while trusted':>21}\n")
    found = cases(args.rigs, args.photos, args.split, args.height) if args.photos else exported(args.rigs)
    for name, group in groupby(found, lambda case: case.rig_name):
        read = [(case, Reader(networks, case.rig).read(case.frame_bgr)) for case in group]
        missed = [(case, reading) for case, reading in read if reading.values != case.truth]
        trusted = sum(reading.doubt is None for _, reading in read)
        bad = sum(reading.doubt is None for _, reading in missed)
        exact = 1 - len(missed) / len(read)
        sys.stdout.write(f"{name:24}{len(read):8}{exact:8.1%}{trusted / len(read):9.1%}{bad:21}\n")
        for case, reading in missed:
            doubt = reading.doubt or "TRUSTED"
            sys.stdout.write(f"  {case.name}: {case.truth}, read as {reading.values}, {doubt}\n")
        photos, wrong = photos + len(read), wrong + bad
    if not photos:
        parser.error(f"{args.rigs} has no photo with a calibration: name a list of rigs and PHOTOS, or an export")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
