"""Ablation of the reader: measures it without all parts, then with one part after the other added.

The pictures are photos by real fixed cameras, photos of unknown scale (with the number of dice known and unknown), and
rendered trays.

    python -m vision.research.evaluation.ablation RIGS.json PHOTOS [--split check] [--most 16] [--rendered 4]
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import cv2

from vision.geometry.rig import Rig
from vision.images.loading import picture_in
from vision.networks import Networks, detector
from vision.networks.classifier import PHOTO_VIEWS, Classifier
from vision.networks.detector import Detection, Detector
from vision.networks.verifier import Verifier
from vision.reading import scenes
from vision.reading.candidates import MAX_WEAKNESS
from vision.reading.reader import Reader
from vision.reading.reading import FrameBGR
from vision.research.evaluation.conditions import CONDITIONS, picture
from vision.research.evaluation.rigs import LEFT_OUT, Case, cases

NUMBERS = range(2, 8)
"""Numbers of dice, 2 to 7, of the labelled sets' photos that are measured; their other photos are left out. Photos by
fixed cameras and rendered pictures do not depend on it. Higher ones add heaps, which are harder to read."""
MIN_SET_PHOTOS = 8
"""Least number of photos of a set that gets a line of its own in the table. Smaller sets are counted together as `few`.
A larger number joins more sets."""


def _first_pass(passes: Callable[[Any], Iterator[object]]) -> Callable[[Any], Iterator[object]]:
    return lambda scene: islice(passes(scene), 1)


def _never(*_: object) -> bool:
    return False


LEAST_FOR_PRODUCT = SimpleNamespace(log=math.log, dist=math.dist, prod=lambda each: min(each, default=1.0))
"""Replaces `math` in `vision.reading.candidates`: `prod` gives the least confidence instead of the product of all."""
WITHOUT: dict[str, dict[str, Any]] = {
    "closer passes while in doubt": {
        "vision.reading.scenes.Photo.passes": _first_pass(scenes.Photo.passes),
        "vision.reading.scenes.TrayFrame.passes": _first_pass(scenes.TrayFrame.passes),
    },
    "test-time augmentation of uncertain dice": {
        "vision.reading.reader.Reader.resolve_uncertain": lambda _reader, _scene, best, *_: best
    },
    "crop factor of the tray": {"vision.reading.scenes.TrayFrame.views": PHOTO_VIEWS},
    "joint confidence of all dice instead of each alone": {"vision.reading.candidates.math": LEAST_FOR_PRODUCT},
    "minimum channel of coloured faces": {"vision.networks.classifier.is_coloured": _never},
    "weakness threshold": {
        "vision.reading.candidates.MAX_WEAKNESS": 1e9,
        "vision.reading.candidates.MAX_WEAKNESS_UNCOUNTED": 1e9,
    },
    "two scales must agree if the count is unknown": {"vision.reading.scenes.MIN_AGREEING_SCALES": 1},
    "a stricter weakness threshold if the count is unknown": {
        "vision.reading.candidates.MAX_WEAKNESS_UNCOUNTED": MAX_WEAKNESS
    },
    "network disagreement needs every augmented view": {"vision.reading.candidates.Candidate.networks_disagree": False},
    "veto: cut off": {"vision.reading.vetoes.cut_off": _never},
    "vetoes: overlap, impossible size": {
        "vision.reading.vetoes.any_overlap": _never,
        "vision.reading.vetoes.impossible_size": _never,
    },
    "veto: unexplained foreground": {"vision.reading.scenes.TrayFrame.unexplained": lambda *_: []},
    "veto: excess foreground around one die": {"vision.reading.scenes.TrayFrame.has_excess_foreground": _never},
    "background check of detections; another pass at possible foreground": {
        "vision.reading.scenes.TrayFrame.is_background": _never,
        "vision.reading.scenes.TrayFrame.needs_another_pass": _never,
    },
}
"""Parts of the reader in the order in which the table adds them. For each the names in the code and what replaces them
while the part is left out."""
ROWS = ("one pass; a second view for uncertain faces", *WITHOUT)
"""Rows of the table: the reader without all parts of WITHOUT, then with one after the other added."""


Shown = tuple[FrameBGR, Rig | None, tuple[int, ...]]
"""A picture, its calibration or None, and the true values, sorted."""


@dataclass(frozen=True, slots=True)
class Job:
    """A picture to read.

    Attributes:
        column: Column of the table that the picture counts in.
        group: Set of pictures that it belongs to.
        count_known: Whether the reader is given the number of dice.
        shown: Renders or loads the picture.
    """

    column: str
    group: str
    count_known: bool
    shown: Callable[[], Shown]


def _case(case: Case) -> Shown:
    return case.frame_bgr, case.rig, case.truth


def _photo(file: Path, truth: tuple[int, ...]) -> Shown:
    return picture_in(file), None, truth


def _rendered(condition: int, seed: int) -> Shown:
    shown = picture(CONDITIONS[condition], seed)
    return shown.image_bgr, shown.rig, shown.values


class CachedDetector:
    """Caches a detector's detections by picture and scale, because each row reads the same picture."""

    def __init__(self, inner: Detector) -> None:
        self._inner, self._seen = inner, dict[tuple[object, ...], list[Detection]]()

    def detect(self, picture_bgr: FrameBGR, scale: float) -> list[Detection]:
        """Detect faces like `Detector.detect`; the detections of a repeated call come from the cache."""
        key = (picture_bgr.shape, scale, hash(picture_bgr.tobytes()))
        if key not in self._seen:
            self._seen[key] = self._inner.detect(picture_bgr, scale)
        return self._seen[key]


def outcomes(job: Job) -> tuple[Job, list[tuple[bool, bool]]]:
    """Read one picture once for each row of the table, with only the parts of that row in use.

    Returns:
        The job, and for each row whether all values were right and whether the reading was trusted.
    """
    frame_bgr, rig, truth = job.shown()
    light, close = CachedDetector(Detector(detector.LIGHT_MODEL, with_values=False)), CachedDetector(Detector())
    reader = Reader(Networks(light, close, Classifier(), Verifier()), rig)  # type: ignore[arg-type]
    found = []
    for parts in range(len(ROWS)):
        with ExitStack() as stack:
            for left_out in reversed(list(WITHOUT.values())[parts:]):
                for name, instead in left_out.items():
                    stack.enter_context(patch(name, instead))
            reading = reader.read(frame_bgr, len(truth) if job.count_known else None)
        found.append((reading.values == truth, reading.doubt is None))
    return job, found


def jobs(rigs: Path, photos: Path, split: str, most: int, rendered: int) -> Iterator[Job]:
    """Yield the pictures to read: every second photo of each rig, then photos of each set, then rendered ones.

    `rigs` is the list of rigs, a JSON file, and `photos` the folder of labelled sets, with `splits.json`. Only photos
    of `split` are read. Of each set at most `most` photos are read, twice: with the number of dice known and unknown.
    Sets of fewer than MIN_SET_PHOTOS photos count as one. `rendered` pictures of each condition follow.
    """
    for case in islice(cases(rigs, photos, split), 0, None, 2):
        yield Job("real rigs", case.rig_name, False, partial(_case, case))
    for name, rows in _labelled(photos, split).items():
        count = min(most, len(rows))
        for file, truth in (rows[at * len(rows) // count] for at in range(count)):
            for column, known in (("photos, count known", True), ("photos, count unknown", False)):
                yield Job(column, name, known, partial(_photo, file, truth))
    for at, condition in enumerate(CONDITIONS):
        for seed in range(rendered):
            yield Job("rendered", condition.name, False, partial(_rendered, at, seed))


def _labelled(photos: Path, split: str) -> dict[str, list[tuple[Path, tuple[int, ...]]]]:
    sets: dict[str, list[tuple[Path, tuple[int, ...]]]] = defaultdict(list)
    for name, splits in json.loads((photos / "splits.json").read_text()).items():
        folder = photos / name
        rows = [json.loads(line) for line in (folder / "labels.jsonl").read_text().splitlines() if line.strip()]
        found = [
            (folder / row["image"], tuple(sorted(row["values"])))
            for row in rows
            if row["session"] in splits[split]
            and len(row["values"]) in NUMBERS
            and not LEFT_OUT & {*row.get("tags", [])}
        ]
        sets["few" if len(found) < MIN_SET_PHOTOS else name] += found
    return sets


def table(read: list[tuple[Job, list[tuple[bool, bool]]]]) -> str:
    """Format a Markdown table with a row for each entry of ROWS and a column for each kind of picture.

    Each cell has the exact and the trusted readings in percent, as means over groups, and how many of the trusted ones
    are wrong. A cell that equals the one above reads `the same`. `read` are the results of `outcomes`.
    """
    columns = list(dict.fromkeys(job.column for job, _ in read))
    lines = [f"| what is used | {' | '.join(columns)} |", "|---" * (1 + len(columns)) + "|"]
    before: list[str] = []
    for row, name in enumerate(ROWS):
        cells = []
        for column in columns:
            groups = defaultdict(list)
            for job, found in read:
                if job.column == column:
                    groups[job.group].append(found[row])
            exact, trusted = (
                100 * sum(sum(one[which] for one in group) / len(group) for group in groups.values()) / len(groups)
                for which in (0, 1)
            )
            every = [one for group in groups.values() for one in group]
            wrong = sum(sure and not right for right, sure in every)
            cells.append(
                f"{exact:.1f}, {trusted:.1f}, {f'**{wrong}**' if wrong else 0} of {sum(sure for _, sure in every)}"
            )
        shown = ["the same" if row and one == other else one for one, other in zip(cells, before or cells, strict=True)]
        lines.append(f"| {'+ ' if row else ''}{name} | {' | '.join(shown)} |")
        before = cells
    return "\n".join(lines)


def main() -> None:
    """Measure the reader without its parts, then with one after the other added, and print a Markdown table."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("rigs", type=Path, help="a JSON list of rigs: see `vision.research.evaluation.rigs`")
    ask.add_argument("photos", type=Path, help="the folder of labelled sets, with splits.json")
    ask.add_argument("--split", choices=("check", "tune"), default="check")
    ask.add_argument("--most", type=int, default=16, help="photos of a set")
    ask.add_argument("--rendered", type=int, default=4, help="rendered pictures of each condition")
    ask.add_argument("--workers", type=int, default=2)
    asked = ask.parse_args()
    read = []
    with multiprocessing.get_context("spawn").Pool(asked.workers, cv2.setNumThreads, (1,)) as pool:
        for one in pool.imap(outcomes, jobs(asked.rigs, asked.photos, asked.split, asked.most, asked.rendered)):
            read.append((one[0], one[1]))
            if sys.stderr.isatty():
                sys.stderr.write(f"\r{len(read)} ")
    sys.stdout.write(table(read) + "\n")


if __name__ == "__main__":
    main()
