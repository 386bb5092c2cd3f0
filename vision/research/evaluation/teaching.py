"""Measures what teaching a set of dice is worth: some photos of a set are learnt from, the others judged.

    python -m vision.research.evaluation.teaching PHOTOS [--sets a,b] [--splits 5] [--kept-back]

A set is a folder with `labels.jsonl`. Photos of one group are never on both sides. Each split learns from 6 to 12
photos as a person would teach them: each die that was found is given its true value, or "no die". With `--kept-back` a
set's throws that training never saw are judged, and the other ones are learnt from.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vision.images.loading import picture_in
from vision.networks import Networks, load_networks
from vision.reading.reader import Reader
from vision.reading.reading import Box, FrameBGR, Reading
from vision.research.training.datasets import kept_back
from vision.teaching.examples import examples_of
from vision.teaching.witness import NO_FACE, Example, Witness

LEARNT = (6, 12)
"""Fewest and most photos that a split learns from, if the set has enough. More teach the set of dice better and leave
fewer to judge."""
MAX_DICE = 12
"""Largest number of dice in a photo of this evaluation; photos with more are left out. Higher: photos of heaps count,
too; lower: fewer photos to judge."""


@dataclass(frozen=True, slots=True, eq=False)
class LabelledPhoto:
    """A photo, its true values, the box and value of each die (None: not known), and its group."""

    name: str
    picture_bgr: FrameBGR
    truth: tuple[int, ...]
    boxes: list[tuple[Box, int]] | None
    group: str


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts over judged photos."""

    photos: int = 0
    exact: int = 0
    trusted: int = 0
    wrong: int = 0

    def plus(self, reading: Reading, truth: tuple[int, ...]) -> Tally:
        """Return the counts with one more photo, by its reading and its sorted true values."""
        exact, trusted = reading.values == truth, reading.trusted
        wrong = self.wrong + (trusted and not exact)
        return Tally(self.photos + 1, self.exact + exact, self.trusted + trusted, wrong)

    def __str__(self) -> str:
        photos = max(self.photos, 1)  # none is judged if a set is so small that all are learnt from
        return f"{self.exact / photos:7.1%}{self.trusted / photos:9.1%}{self.wrong:4} of {self.trusted}"


def photos_of(folder: Path) -> list[LabelledPhoto]:
    """Load the photos of a set's folder with 1 to `MAX_DICE` dice, in the order of its labels.

    Photos with the tag `stray` are left out: they hold dice without a label.
    """
    found = []
    for row in map(json.loads, (folder / "labels.jsonl").read_text(encoding="utf-8").splitlines()):
        if 1 <= len(row["values"]) <= MAX_DICE and "stray" not in row.get("tags", []):
            file = folder / row["image"]
            picture = picture_in(file if file.exists() else folder / "images" / row["image"])
            boxes = None if row["boxes"] is None else [((x, y, w, h), value) for x, y, w, h, value in row["boxes"]]
            group = row.get("group") or row["image"]
            found.append(LabelledPhoto(row["image"], picture, tuple(sorted(row["values"])), boxes, group))
    return found


def taught(networks: Networks, photo: LabelledPhoto, reading: Reading, throw: int) -> list[Example]:
    """Return the labelled faces that a person's correction of a photo's reading gives; `throw` is the throw's number.

    A die that was read gets the true value of the photo's box that holds its centre, or `NO_FACE` if none does. Without
    boxes, only an exact reading gives faces, labelled with its values. `examples_of` also adds rejected candidates
    as `NO_FACE`.
    """
    values: list[int | None] = [die.value for die in reading.dice]
    if photo.boxes is not None:
        values = [_true_value(die.box_xywh, photo.boxes) for die in reading.dice]
    elif reading.values != photo.truth:
        return []
    return examples_of(networks.classifier, photo.picture_bgr, reading, values, throw)


def judged(
    networks: Networks, learnt: Sequence[LabelledPhoto], others: Sequence[LabelledPhoto], plain: dict[str, Reading]
) -> tuple[Tally, Tally]:
    """Learn from some photos and judge the others; return the counts before and after.

    Prints each photo that is wrong while trusted after learning. `plain` holds the readings of a reader that was taught
    nothing, by the photo's name.
    """
    examples = [
        each for at, photo in enumerate(learnt) for each in taught(networks, photo, plain[photo.name], throw=at)
    ]
    witness = Witness(tuple(examples))
    reader, before, after = Reader(networks, witness=lambda: witness), Tally(), Tally()
    for photo in others:
        before = before.plus(plain[photo.name], photo.truth)
        reading = reader.read(photo.picture_bgr, len(photo.truth))
        after = after.plus(reading, photo.truth)
        if reading.trusted and reading.values != photo.truth:
            sys.stdout.write(f"  wrong while trusted: {photo.name}: {photo.truth}, read as {reading.values}\n")
    return before, after


def _true_value(box: Box, boxes: Sequence[tuple[Box, int]]) -> int:
    """Return the value of the labelled die whose box holds the centre of `box`; `NO_FACE` if none does."""
    x, y = box[0] + box[2] / 2, box[1] + box[3] / 2
    inside = [value for (left, top, width, height), value in boxes
              if 0 <= x - left <= width and 0 <= y - top <= height]  # fmt: skip
    return inside[0] if inside else NO_FACE


def _split(photos: Sequence[LabelledPhoto], rng: np.random.Generator, least: int) -> tuple[list[Any], list[Any]]:
    """Draw groups of photos to learn from; return 12 of their photos at most, and all photos of the other groups.

    Groups are drawn until they have a random number of photos, 6 to 12, or only about `least` are left to judge.
    """
    groups = list(rng.permutation(sorted({photo.group for photo in photos})))
    wanted, learnt = int(rng.integers(LEARNT[0], LEARNT[1] + 1)), list[LabelledPhoto]()
    while groups and len(learnt) < min(wanted, len(photos) - least):
        group = groups.pop()
        learnt += [photo for photo in photos if photo.group == group]
    return learnt[: LEARNT[1]], [photo for photo in photos if photo.group in groups]


def main() -> int:
    """Print figures before and after teaching for each split of each set.

    Returns 1 if a wrong reading was trusted after teaching, else 0.
    """
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("photos", type=Path)
    words.add_argument("--sets", default="", help="names of folders, with commas; all by default")
    words.add_argument("--splits", type=int, default=5)
    words.add_argument("--most", type=int, default=10_000, help="most photos of a set, evenly spread")
    words.add_argument("--kept-back", action="store_true", help="learn from what training saw, judge the rest")
    args = words.parse_args()
    networks, wrong = load_networks(), 0
    sys.stdout.write(f"{'set':20}{'judged':>7}   before: exact, trusted, wrong   taught: exact, trusted, wrong\n")
    for folder in sorted(each.parent for each in args.photos.glob("*/labels.jsonl")):
        if args.sets and folder.name not in args.sets.split(","):
            continue
        photos = photos_of(folder)
        photos = photos[:: max(1, -(-len(photos) // args.most))]
        plain = {photo.name: Reader(networks).read(photo.picture_bgr, len(photo.truth)) for photo in photos}
        for number in range(args.splits):
            rng = np.random.default_rng(number)
            if args.kept_back:
                judge = [photo for photo in photos if kept_back(folder.name, photo.group)]
                learnt, _ = _split([photo for photo in photos if photo not in judge], rng, 0)
            else:
                learnt, judge = _split(photos, rng, len(photos) // 3)
            before, after = judged(networks, learnt, judge, plain)
            wrong += after.wrong
            sys.stdout.write(f"{folder.name:20}{after.photos:7}   {before}   {after}   from {len(learnt)}\n")
            sys.stdout.flush()
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
